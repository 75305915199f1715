/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/collect/pmc.h: one ptp4l, followed over its management socket.
 *
 * Asks within bounds: one request outstanding, a handful a second, and beside them either pushes of
 * each servo update within what ptp4l survives, or one or two polls for each. So a monitor that is
 * stopped can never stop ptp4l. No event loop and no thread of its own: a descriptor, a deadline,
 * and two functions to call.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ptpmon/model/event.h"
#include "ptpmon/model/sample.h"
#include "ptpmon/model/status.h"
#include "ptpmon/model/timescale.h"

struct pmc_source;

struct pmc_source_options {
	const char *name; /* of the ptp4l, for what is told of it */
	const char *server_path;
	const char *own_path; /* NULL: chosen by the client */
	uint8_t domain, transport_specific;
	const char *const *port_names; /* interfaces, port 1 first */
	size_t n_ports;                /* at most STATUS_PORTS_MAX */
	bool offsets;                  /* report the slave's offsets */
	bool real_time_stamps;         /* software timestamping */
	bool may_set; /* pmc_source_announce() will be called: it is a ptp4l of our own */
	int64_t stale_after_ns;
	int64_t not_before_mono_ns; /* offsets up to here are recorded already; or INT64_MIN */
	/* an offset, and the index of the port that was the slave */
	void (*on_sample)(void *userdata, size_t port, const struct sample *sample);
	void (*on_event)(void *userdata, const struct event *event);
	void *userdata;
};

/* Strings and names must outlive the source. 0, or -errno. */
int pmc_source_new(struct pmc_source **out, const struct pmc_source_options *options);
struct pmc_source *pmc_source_free(struct pmc_source *s);

/* The descriptor to wait for, -1 while not connected. A new connection can have the old number: it
 * is another one when the count of connections is. */
int pmc_source_fd(const struct pmc_source *s);
unsigned pmc_source_connections(const struct pmc_source *s);

/* When pmc_source_advance() is due (CLOCK_MONOTONIC). */
int64_t pmc_source_deadline_ns(const struct pmc_source *s);

/* Reads what came, ends what is overdue, asks what is due. Call it when either is the case. */
void pmc_source_advance(struct pmc_source *s, int64_t now_mono_ns);

/* ptp4l was started (again): connect soon, and expect all its counters anew. */
void pmc_source_restarted(struct pmc_source *s, int64_t now_mono_ns);

/* ptp4l has ended: nothing of what it said is true any more. */
void pmc_source_ended(struct pmc_source *s);

/*
 * What it is to announce as a grandmaster: set and read back now, after each of its restarts, and
 * whenever it is found to be otherwise. True: that is news, and pmc_source_advance() is due.
 */
bool pmc_source_announce(struct pmc_source *s, const struct announcement *wanted,
			 int64_t now_mono_ns);

/* Our own TAI - UTC, by which what a slave is told is judged. */
void pmc_source_expect_utc(struct pmc_source *s, const struct utc_offset *ours);

/* What is known of each port; what is too old is still there, with its time. */
size_t pmc_source_ports(const struct pmc_source *s);
const struct status_port *pmc_source_port(const struct pmc_source *s, size_t i);

/* When it answered last; 0: never. */
int64_t pmc_source_answered_mono_ns(const struct pmc_source *s);

/* How long port i stays what it is without an Announce; what the standard has while not known. */
int64_t pmc_source_announce_timeout_ns(const struct pmc_source *s, size_t i);

/* The path still leads to the socket that was connected to (true while there is no connection). */
bool pmc_source_socket_there(const struct pmc_source *s);

/* The errno that the newest try to connect failed with; 0 while there is a connection. */
int pmc_source_connect_error(const struct pmc_source *s);

/* Requests sent so far. */
uint64_t pmc_source_requests(const struct pmc_source *s);
