/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/serve/varlink.h: a Varlink server on an event loop (https://varlink.org/Wire-Protocol).
 *
 * Messages are JSON objects ended by a NUL. One request of a client is served at a time, in
 * order, and the next only when its answer has left: so a client that does not read costs
 * nothing, and every client gets its turn. Nothing blocks. What all of them cost is bounded
 * (turns.h). A request whose client has hung up by then is passed over, unless it is oneway.
 * org.varlink.service (GetInfo, GetInterfaceDescription) is answered here. A client that does not
 * speak the protocol is dropped without a word; `upgrade` is refused.
 *
 * The server's sources have SD_EVENT_PRIORITY_IDLE: whoever asks waits for whoever measures.
 */
#pragma once
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <systemd/sd-event.h>

#include "ptpmon/serve/peer.h"

enum {
	VARLINK_CLIENTS_MAX = 64, /* then the one that asked nothing for longest makes room */
	VARLINK_REQUEST_MAX = 64 * 1024, /* octets, with its NUL; a longer one drops the client */
	VARLINK_UNSENT_MAX = 256 * 1024, /* octets a client may be behind, … */
	VARLINK_BEHIND_MAX_S = 5,        /* … and for how long, before it is dropped */
};

struct varlink_server;
struct varlink_call; /* one request, until it is answered */

/*
 * Answers call by exactly one varlink_reply() or varlink_error(), now or later. parameters is an
 * object, borrowed. userdata is the server's.
 */
typedef void (*varlink_handler)(struct varlink_call *call, json_t *parameters, void *userdata);

enum {
	VARLINK_MORE = 1 << 0,   /* only for callers that take many replies, else ExpectedMore */
	VARLINK_WRITES = 1 << 1, /* only for peers that may write, else PermissionDenied */
};

struct varlink_method {
	const char *name;       /* without the interface */
	varlink_handler handle; /* NULL: declared, answered by MethodNotImplemented */
	unsigned flags;
};

struct varlink_interface {
	const char *name;        /* "io.ptpmon" */
	const char *description; /* its definition in Varlink's language */
	const struct varlink_method *methods;
	size_t n_methods;
};

/*
 * Serves who connects to listen_fd (listening, non-blocking; borrowed, like interfaces and loop's
 * reference, until varlink_server_free()). 0, or -errno.
 */
int varlink_server_new(struct varlink_server **out, sd_event *loop, int listen_fd,
		       const struct varlink_interface *interfaces, size_t n_interfaces,
		       void *userdata);

/* Another listen_fd instead of the one before; who is connected stays. 0, or -errno. */
int varlink_server_listen(struct varlink_server *s, int listen_fd);

/* Drops every client. NULL is fine. Not from within a handler. */
struct varlink_server *varlink_server_free(struct varlink_server *s);

size_t varlink_server_clients(const struct varlink_server *s);

/* Who asks, by the kernel's word at the time of its connect(). */
struct varlink_peer varlink_call_peer(const struct varlink_call *call);

/*
 * Calls closed(call, userdata) if the client goes before its answer: for a handler that keeps the
 * call. The call is gone when it returns.
 */
void varlink_call_on_close(struct varlink_call *call,
			   void (*closed)(struct varlink_call *call, void *userdata),
			   void *userdata);

/* The one answer, with an object (NULL: an empty one; its reference is taken over). The call is
 * gone afterwards. */
void varlink_reply(struct varlink_call *call, json_t *parameters);

/* The caller takes many replies. */
bool varlink_call_wants_more(const struct varlink_call *call);

/*
 * One of many answers of a VARLINK_MORE method; varlink_reply() or varlink_error() ends them. It
 * leaves when it is the client's turn: whoever notifies does nothing but copy it, and the call
 * stays, also of a client that is dropped for it.
 */
void varlink_notify(struct varlink_call *call, json_t *parameters);

/* The same answer to each of the calls, made into text once. */
void varlink_notify_each(struct varlink_call *const *calls, size_t n, json_t *parameters);

/* The answer is an error, name with its interface. The call is gone afterwards. */
void varlink_error(struct varlink_call *call, const char *name, json_t *parameters);

/* org.varlink.service.InvalidParameter. */
void varlink_invalid_parameter(struct varlink_call *call, const char *parameter);
