/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/serve/turns.h: what all clients together may cost, and who is next.
 *
 * All of them live on one budget of CPU time, 1/TURNS_SHARE of the time that passes, of which
 * TURNS_SAVED_MS' worth can be saved up. Who comes while it is overdrawn waits in line, its source
 * switched off, until the debt is paid: however many ask, however often, whoever measures keeps
 * the CPU, and who asks rarely waits for one turn of each of the others.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <systemd/sd-event.h>

enum {
	TURNS_SHARE = 32,      /* 3 % of a CPU */
	TURNS_SAVED_MS = 1000, /* 31 ms of it: some hundred requests at once */
};

/* A client's place. */
struct turn {
	sd_event_source *io; /* the client's own */
	bool waits;
	TAILQ_ENTRY(turn) link;
};

TAILQ_HEAD(turn_line, turn);

struct turns {
	sd_event_source *timer;
	struct turn_line line;
	const struct turn *next; /* its turn is now, whoever else comes */
	int64_t paid_mono_ns;    /* when what was spent so far is paid; before now: savings */
	int64_t began_cpu_ns;    /* the turn that is being taken */
};

/* 0, or -errno. The struct must stay where it is until turns_clear(), for which no one may wait. */
int turns_init(struct turns *t, sd_event *loop);
void turns_clear(struct turns *t);

/* At a wake-up of the client: true, and turns_done() follows its work; or false: it has to wait. */
bool turns_take(struct turns *t, struct turn *mine);

/* What this thread did since turns_take() is paid for. */
void turns_done(struct turns *t);

/* Before the client and its source go. */
void turns_leave(struct turns *t, struct turn *mine);
