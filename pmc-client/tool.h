/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the parts of the pmc-client command share. A session asks and waits; messages go to a
 * sink that writes them as text or JSON.
 */
#pragma once

#include <jansson.h>

#include "pmc-client/pmc-client.h"

enum {
	EXIT_GOOD = 0,
	EXIT_BAD = 1,   /* something asked for was refused, or not answered */
	EXIT_USAGE = 2, /* wrong words, or cannot run */
	EXIT_INTERRUPTED = 4,
};

struct tool_options {
	const char *socket;         /* NULL: found */
	char *config_socket;        /* what ptp4l's configuration says; NULL, or to be freed */
	char *config_ro_socket;     /* likewise, of the read-only one */
	const char *config;         /* ptp4l's configuration; NULL: not given */
	const char *own_path;       /* NULL: chosen */
	struct pmc_network network; /* .interface NULL: a socket of this host */
	bool kind_chosen;           /* network.kind */
	uint8_t destination[PMC_ETHERNET_ADDRESS];
	struct ptp_clock_identity own_identity;
	bool own_identity_given;
	bool allow_set, allow_set_remote;
	int domain; /* -1: found, 0 tried first */
	bool domains[256];
	unsigned int n_domains; /* how many were named: several are for scan */
	int transport_specific;
	int port;                        /* PTP_PORT_ALL: every port */
	struct ptp_clock_identity clock; /* all ones: any; also set by TARGET of pmc's syntax */
	uint8_t boundary_hops;
	bool json;
	bool fields; /* of list */
	int64_t timeout_ns;
	int64_t interval_ns; /* of watch */
	unsigned int count;  /* of watch: messages of each id, 0: no end */
	int signals_fd;      /* readable once a signal has come */
	const char *events;  /* of watch: names with commas, NULL: poll */
};

struct session;
typedef void tool_sink_fn(struct session *s, const struct pmc_message *m);

struct session {
	const struct tool_options *o;
	struct pmc_client *client;
	uint8_t domain; /* that ptp4l answers in */
	uint8_t transport_specific;
	tool_sink_fn *sink;
	enum ptp_action action;        /* of the request under way */
	json_t *messages;              /* collected for JSON output; NULL: one object a line */
	const struct dataset *kept_of; /* the last data that keep_answer() got */
	union ptp_data kept;
	unsigned int answers; /* to the request under way */
	bool collecting;      /* it asks any number of clocks */
	bool interrupted;
	bool gone_told;
	bool read_only_told;
	unsigned int unsupported; /* of the refused, those that ptp4l does not have or grant */
	unsigned int refused; /* answers without data, and missing ones, since the session began */
};

int64_t tool_now_ns(void); /* CLOCK_MONOTONIC */

enum { TOOL_TIME_OF_DAY = 32 };
/* Now, or some time ago: RFC 3339, UTC, nine digits. Returns buf. */
const char *tool_time_of_day(char buf[TOOL_TIME_OF_DAY], int64_t ago_ns);

/* One line on stderr, with the program's name. */
__attribute__((format(printf, 1, 2))) void tool_complain(const char *format, ...);

/* --- tool_options.c --- */

/* 0: go on; 'h' or 'V': that was asked for; '?' after a complaint. */
int take_options(int argc, char **argv, struct tool_options *o);
void print_options(void);

/* --- tool_config.c --- */

/* What o->config says of how to reach ptp4l, unless an option did. False after a complaint. */
bool take_config(struct tool_options *o);

/* --- tool_open.c --- */

/*
 * Find the socket, connect, and see that ptp4l answers; every way in which it may not is told from
 * the others and complained about. 0, or the exit status to leave with. Close it in any case.
 */
int session_open(struct session *s, const struct tool_options *o, bool read_write);

/*
 * Who was asked has gone: say so, and wait until it answers again, however long that takes; say
 * that too. False after a signal, or if it came back as another than was asked for.
 */
bool session_await_return(struct session *s);

/* --- tool_session.c --- */

void session_close(struct session *s);

/* The exit status for what has happened so far. */
int session_status(const struct session *s);

/* Ask and wait. What is wrong with the request itself is complained about and counted as refused.
 */
void session_ask(struct session *s, const struct pmc_request *request);

/*
 * Is this the socket on which ptp4l refuses SETs, events and some ids? Then that is said, once, and
 * where to go instead. Asks.
 */
bool session_is_read_only(struct session *s);

/* How a request without an answer ended, in words. */
const char *session_why_silent(const struct session *s, const struct pmc_message *m);

/* Wait for pushes and answers up to a moment; false if the server has gone, or after a signal. */
bool session_wait(struct session *s, int64_t until_mono_ns);

/*
 * May a SET or COMMAND be sent with these options? Over a network only to a clock that is named,
 * and if that was asked for twice. Complains if not.
 */
bool may_change(const struct tool_options *o);

/* For pmc_client_options. */
void session_on_message(void *userdata, const struct pmc_message *m);

/* That who was asked isn't there any more; said once. */
void session_complain_gone(struct session *s);

/* --- tool_network.c --- */

/* The rest of session_open() for a network. */
int session_open_network(struct session *s);

/* Only make the client, in the session's domain. 0 or -errno, for network_why_not(). */
int session_connect_network(struct session *s, enum pmc_network_kind kind);
const char *network_why_not(int error, enum pmc_network_kind kind);

/* --- tool_output.c --- */

/* As linuxptp's pmc writes it. */
void print_message(struct session *s, const struct pmc_message *m);
/* One line, with the time of day. */
void print_line(struct session *s, const struct pmc_message *m);
/* Text from the network need not be UTF-8, which JSON has to be. */
json_t *json_foreign_text(const char *text);
/* Append to s->messages, or print one object a line with the time of day. */
void collect_message(struct session *s, const struct pmc_message *m);
void discard_message(struct session *s, const struct pmc_message *m);

/* In JSON, one object a line: that who is asked has gone, or is back; where events may be missing.
 */
void print_connection(const struct session *s, bool connected, int64_t away_ns);
void print_gap(const struct session *s, const char *from, const char *to, const char *why);

/* Print {"schema": "pmc-client.WHAT/1", "socket" or "interface" and "transport", "domain",
 * "transport_specific", "messages"} and free the messages. */
void print_collected(struct session *s, const char *what);

int list_ids(const struct tool_options *o, char **names);

/* --- tool_set.c --- */

/*
 * Get, modify, set, read back: values are the words FIELD=VALUE. 0, or -EINVAL after a complaint;
 * refusals are counted in the session.
 */
int set_fields(struct session *s, const struct dataset *ds, char **words, size_t n_words);

/* --- the commands --- */

int run_get(const struct tool_options *o, char **words);
int run_set(const struct tool_options *o, char **words);
int run_command(const struct tool_options *o, char **words);
int run_watch(const struct tool_options *o, char **words);
int run_scan(const struct tool_options *o, char **words);
int run_list(const struct tool_options *o, char **words);
int run_pmc_syntax(const struct tool_options *o, char **words); /* tool_pmc.c */
int run_pmc_input(const struct tool_options *o); /* ... a command on each line of stdin */

/* An id by name or number ("0xC000"); false after a complaint. *out has a row or not. */
bool parse_id(const char *word, uint16_t *id, const struct dataset **out);
