/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A client of ptp4l's UNIX socket, or of the clocks of a network: one outstanding request, answers
 * matched by target, sequence, id and clock identity, a deadline for each request, event
 * subscriptions. No thread, no event loop, no log, no allocation after creation, no global state:
 * wait for pmc_client_fd() to become readable and call pmc_client_receive(); call
 * pmc_client_expire() when pmc_client_deadline_ns() has passed. Instances are independent of one
 * another; one instance belongs to one thread at a time.
 *
 * ptp4l writes its answers blocking: a client that asks and does not read stops PTP. The socket
 * is therefore always connected (about 278 small messages fit before ptp4l blocks, not 11), and at
 * most one request with a bounded number of answers is outstanding.
 *
 * Over a network any number of clocks may answer, and nobody knows how many there are. So unless
 * one clock is named (struct pmc_request), answers are collected up to the deadline, which ends the
 * request as PMC_TIMED_OUT. At most PMC_ANSWERS_MAX are, and two requests are PMC_NETWORK_GAP_NS
 * apart. Whoever is on the network can answer in the name of any clock.
 *
 * Functions return 0 or a negative errno. Callbacks run inside receive, expire and connect; from
 * one, any function but pmc_client_free() and pmc_client_connect() may be called.
 */
#pragma once

#include "pmc-client/dataset.h"
#include "pmc-client/network.h"

#define PMC_ANSWERS_MAX    1024     /* to one request, over a network or across boundary clocks */
#define PMC_NETWORK_GAP_NS 10000000 /* at least, between two requests to a network */

struct pmc_client;

enum pmc_outcome {
	PMC_OK,
	PMC_ERROR_STATUS,  /* a management error: see error_id */
	PMC_EMPTY,         /* a legal answer without data; also a command that was obeyed */
	PMC_TIMED_OUT,     /* with last only; answers may have come before */
	PMC_NOT_SUPPORTED, /* error NOT_SUPPORTED or NO_SUCH_ID: this ptp4l doesn't have it */
	PMC_DISCONNECTED,  /* the server went away while waiting */
	PMC_SHORT,         /* data with fewer fields than the layout: see n_fields */
};

/* What the callback gets; valid only during the call. */
struct pmc_message {
	enum pmc_outcome outcome;
	uint16_t id;
	struct ptp_port_identity source; /* who answered */
	bool push;                       /* unsolicited: an event that was subscribed to */
	bool last;                       /* the request is finished with this message */
	bool complete;                   /* with last: every expected port has answered */
	uint16_t error_id;               /* enum ptp_error_id */
	uint16_t sequence_id;            /* of a push: counts by one within a subscription */
	int64_t received_mono_ns;
	const struct dataset *dataset; /* NULL for an id without a row: use raw */
	const union ptp_data *data;    /* valid for PMC_OK and PMC_SHORT with a dataset */
	size_t n_fields;               /* leading rows of the dataset that data holds */
	const uint8_t *raw;            /* the body as received */
	size_t raw_len;
};

typedef void pmc_message_fn(void *userdata, const struct pmc_message *m);

struct pmc_client_options {
	const struct pmc_network *network; /* NULL: a socket of this host, the next two */
	const char *server_path;           /* ptp4l's uds_address or uds_ro_address */
	/*
	 * Own socket file, absolute. NULL: one beside the server's if that directory is writable,
	 * else an abstract name, which reaches only a ptp4l in the same network namespace.
	 */
	const char *own_path;
	uint8_t domain;
	uint8_t transport_specific; /* 0 to 15; 1 for a ptp4l that speaks 802.1AS */
	bool allow_set;             /* permit SET and COMMAND in pmc_client_request() ... */
	bool allow_set_remote;      /* ... also over a network and across boundary clocks */
	/*
	 * Who asks. NULL: a random identity, locally administered. It must not be that of a clock:
	 * no clock answers to its own, and that of an interface (its EUI-64) is its ptp4l's.
	 */
	const struct ptp_clock_identity *identity;
	pmc_message_fn *on_message;
	void *userdata;
};

struct pmc_client_counters {
	uint64_t sent;
	uint64_t received;
	uint64_t malformed; /* not a well-formed management message */
	/* wrong target, sequence, identity, domain or transportSpecific; or an answer too many */
	uint64_t foreign;
	uint64_t timeouts;
	uint64_t pushes;
	uint64_t pushes_lost; /* holes in the pushes' sequence */
};

/* Events of a subscription: bits of events_mask, with the linuxptp version that brought them */
enum pmc_event {
	PMC_EVENT_PORT_STATE = 1 << 0,      /* pushes PORT_DATA_SET */
	PMC_EVENT_TIME_SYNC = 1 << 1,       /* 4.0: TIME_STATUS_NP on each offset */
	PMC_EVENT_PARENT_DATA_SET = 1 << 2, /* 4.2 */
	PMC_EVENT_CMLDS = 1 << 3,           /* 4.3: CMLDS_INFO_NP */
};

/*
 * A request in full; pmc_client_get() covers the usual case. A management message (IEEE 1588-2019
 * 15.4.1) with one TLV (15.5.2), whose data are those of the id (15.5.3; see dataset.h); refused
 * with another one (15.5.4).
 */
struct pmc_request {
	enum ptp_action action; /* PTP_GET, PTP_SET or PTP_COMMAND */
	uint16_t id;
	uint16_t port; /* PTP_PORT_ALL: every port */
	/*
	 * NULL: an empty body. Otherwise the data set to encode; for a GET only the leading
	 * field of a keyed id (DATASET_KEYED) is of use.
	 */
	const union ptp_data *data;
	/* How many boundary clocks to cross. */
	uint8_t boundary_hops;
	/*
	 * NULL or all ones: any. Then, with boundary_hops above 0 or over a network, answers are
	 * collected up to the deadline.
	 */
	const struct ptp_clock_identity *clock;
};

/*
 * Make a client; touches no file and no socket. 0, -EINVAL, -ENAMETOOLONG (a socket address holds
 * 107 characters) or -ENOMEM. *out changes only on success.
 */
PMC_EXPORT int pmc_client_new(struct pmc_client **out, const struct pmc_client_options *o);

/* Closes and removes the own socket. Takes NULL, returns NULL. */
PMC_EXPORT struct pmc_client *pmc_client_free(struct pmc_client *c);

/*
 * Bind and connect; again after a restart of ptp4l, which a connected socket doesn't survive, or
 * when an interface has come back. What was learnt of the old server is forgotten, its subscription
 * too; an outstanding request ends with PMC_DISCONNECTED.
 *
 * 0, or -ENOENT (no socket), -ECONNREFUSED (left behind, nobody listens), -ENOTSOCK, -EACCES ...;
 * for a network what pmc_network_open() returns.
 */
PMC_EXPORT int pmc_client_connect(struct pmc_client *c);
PMC_EXPORT bool pmc_client_connected(const struct pmc_client *c);

/* The descriptor to poll for input, or -ENOTCONN. It changes with each connect. */
PMC_EXPORT int pmc_client_fd(const struct pmc_client *c);

/* Speak in another domain from now on. 0, -EBUSY while a request is outstanding, or -EINVAL. */
PMC_EXPORT int pmc_client_set_domain(struct pmc_client *c, uint8_t domain,
				     uint8_t transport_specific);

/*
 * Ask for an id of one port, or of all (PTP_PORT_ALL; the port is ignored for a clock's id). Each
 * answer is one call of on_message; exactly one of them, or a time-out, has last set. Times are
 * CLOCK_MONOTONIC.
 *
 * 0; -EBUSY while a request is outstanding; -ENOTCONN or -ECONNREFUSED: connect (again); -EAGAIN:
 * the server's queue is full or PMC_NETWORK_GAP_NS not over, nothing was sent; -EINVAL.
 */
PMC_EXPORT int pmc_client_get(struct pmc_client *c, uint16_t id, uint16_t port, int64_t now_mono_ns,
			      int64_t timeout_ns);

/*
 * The same for any request. Also -EPERM: a SET or COMMAND without allow_set, or allow_set_remote;
 * -EMSGSIZE: the data don't fit; -EOPNOTSUPP: data for an id without a row.
 */
PMC_EXPORT int pmc_client_request(struct pmc_client *c, const struct pmc_request *request,
				  int64_t now_mono_ns, int64_t timeout_ns);

/*
 * Subscribe to events (enum pmc_event) for duration_s seconds, replacing what was subscribed; mask
 * 0 cancels. A request like any other, answered with SUBSCRIBE_EVENTS_NP; renewing before the end
 * is up to the caller. There is no initial push: GET the state after subscribing. Needs the
 * read-write socket: the read-only one answers PMC_NOT_SUPPORTED, and over a network this returns
 * -EOPNOTSUPP. A ptp4l echoes events that it doesn't know.
 *
 * So that a client that stops or is stopped can't stop ptp4l, a subscription to events that come at
 * a rate (TIME_SYNC, CMLDS) may last pmc_client_subscription_max_s() at most: -ERANGE if it is
 * longer.
 */
PMC_EXPORT int pmc_client_subscribe(struct pmc_client *c, uint32_t events_mask, uint16_t duration_s,
				    int64_t now_mono_ns, int64_t timeout_ns);

/*
 * The longest subscription, in seconds, for the rate of Syncs that this client has learnt from the
 * ingress times in TIME_STATUS_NP. While none is learnt: 2 s, which is right up to 69 a second. 0:
 * too fast for any subscription; poll instead.
 */
PMC_EXPORT uint16_t pmc_client_subscription_max_s(const struct pmc_client *c);

/* The distance of two Syncs as learnt: the mean of the latest few. 0: not known. */
PMC_EXPORT int64_t pmc_client_sync_interval_ns(const struct pmc_client *c);

/*
 * The longest subscription, in seconds, that leaves half of the socket's queue free if nobody
 * reads: at most 139 pushes. interval_ns is the shortest expected distance of two pushes. 0: too
 * fast for any subscription (below the 2 s that renewing needs); poll instead. At most 60.
 */
PMC_EXPORT uint16_t pmc_subscription_max_s(int64_t interval_ns);

/*
 * Read what has arrived, a bounded number of datagrams a call and at most to the end of the
 * outstanding request, and report it; what is left makes the descriptor readable again. Malformed
 * and foreign datagrams are counted and ignored. 0, or -errno; after -ENOTCONN or -ECONNREFUSED the
 * server is gone.
 */
PMC_EXPORT int pmc_client_receive(struct pmc_client *c, int64_t now_mono_ns);

/* When pmc_client_expire() is due (CLOCK_MONOTONIC), INT64_MAX if never. */
PMC_EXPORT int64_t pmc_client_deadline_ns(const struct pmc_client *c);

/* Ends the outstanding request if it is due: PMC_TIMED_OUT, or PMC_DISCONNECTED if nobody listens.
 */
PMC_EXPORT void pmc_client_expire(struct pmc_client *c, int64_t now_mono_ns);

/* Give up the outstanding request, if there is one, without a report: enough has been heard. */
PMC_EXPORT void pmc_client_cancel(struct pmc_client *c);

/* A request is outstanding. */
PMC_EXPORT bool pmc_client_busy(const struct pmc_client *c);

/* The server's path, or the interface, for messages. */
PMC_EXPORT const char *pmc_client_path(const struct pmc_client *c);

PMC_EXPORT const struct pmc_client_counters *pmc_client_counters(const struct pmc_client *c);

/* The name of an outcome in words, for messages: "timed out". */
PMC_EXPORT const char *pmc_outcome_name(enum pmc_outcome outcome);
