/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/serve/varlink_impl.h: the server's own structs, for varlink.c (clients, and the order in
 * which they are served) and varlink_service.c (which method a request is for).
 */
#pragma once
#include "ptpmon/serve/frames.h"
#include "ptpmon/serve/turns.h"
#include "ptpmon/serve/varlink.h"

enum { VARLINK_METHOD_MAX = 256 };

struct varlink_call {
	struct client *client;
	bool open; /* asked and not answered yet */
	bool oneway, more;
	void (*closed)(struct varlink_call *call, void *userdata);
	void *closed_userdata;
};

struct client {
	struct varlink_server *server;
	int fd;
	struct varlink_peer peer;
	struct turn turn; /* and the descriptor's source */
	sd_event_source *behind;
	struct frames frames;
	struct varlink_call call; /* the one being served */
	uint64_t last_active;     /* the server's count at its connect() or last request */
	bool broken;              /* dropped at its next wake-up */
};

struct varlink_server {
	sd_event *loop;
	sd_event_source *listener;
	const struct varlink_interface *interfaces;
	size_t n_interfaces;
	void *userdata;
	struct turns turns;
	uint64_t activity; /* counts connections and requests */
	size_t n_clients;
	struct client *clients[VARLINK_CLIENTS_MAX];
};

/* Answers by the method of that name ("io.ptpmon.Mark": shorter than VARLINK_METHOD_MAX, with a
 * dot), or by the error that there is none, or not for this caller. */
void varlink_dispatch(struct varlink_call *call, const char *full_name, json_t *parameters);
