/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/conf/conf.h: the configuration as one struct, read from INI files by one option table.
 *
 * The table yields parsing, ranges, defaults, --dump-config and the table in ptpmon.conf(5).
 * Within a file a key may stand once; a later file wins. What is wrong ends in one line that
 * names file, line, section and key.
 */
#pragma once
#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "ptpmon/base/cpulist.h"
#include "ptpmon/model/timescale.h"

enum {
	CONFIG_INTERFACES_MAX = 8, /* of one ptp4l */
	CONFIG_PTP4L_MAX = 8,
	CONFIG_PORTS_MAX = 16, /* of all of them */
	CONFIG_NAME_MAX = 16,
	CONFIG_CHILD_MAX = 32,
	CONFIG_PATH_MAX = 256,
	CONFIG_DIRECTORY_MAX = 200, /* leaves room for the names of what is in it */
	CONFIG_SOCKET_MAX = 108,    /* sun_path, with its NUL */
	CONFIG_ARGUMENTS_MAX = 1024,
	CONFIG_ERROR_MAX = 512,
};

#define CONFIG_FOREIGN_SOCKET "/var/run/ptp4l" /* where ptp4l has it by itself */

enum role {
	ROLE_GRANDMASTER,
	ROLE_SLAVE,
	ROLE_BOUNDARY, /* a slave on one port and a master on the others */
	ROLE_AUTO,     /* what the best master clock algorithm makes of it */
	ROLE_MONITOR,  /* watches a ptp4l that something else started */
	ROLE_MAX
};
enum profile { PROFILE_DEFAULT, PROFILE_GPTP, PROFILE_MAX };
enum timestamping {
	TIMESTAMPING_HARDWARE,
	TIMESTAMPING_SOFTWARE,
	TIMESTAMPING_ONESTEP,
	TIMESTAMPING_P2P1STEP,
	TIMESTAMPING_MAX
};
enum transport { TRANSPORT_L2, TRANSPORT_UDPV4, TRANSPORT_UDPV6, TRANSPORT_MAX };
enum on_refusal { ON_REFUSAL_WARN, ON_REFUSAL_FAIL, ON_REFUSAL_MAX };
enum on_useless { ON_USELESS_RESTART, ON_USELESS_WARN, ON_USELESS_MAX };
enum on_rivals { RIVALS_WARN, RIVALS_REFUSE, RIVALS_IGNORE, ON_RIVALS_MAX };
enum on_loss { ON_LOSS_STOP, ON_LOSS_HOLD, ON_LOSS_MAX };
enum config_when { WHEN_AUTO, WHEN_YES, WHEN_NO, WHEN_MAX };
enum idle_states { IDLE_STATES_ALLOW, IDLE_STATES_HOLD, IDLE_STATES_MAX };

struct interface_list {
	size_t n;
	char name[CONFIG_INTERFACES_MAX][IF_NAMESIZE];
};

/* A set of CPUs, or one that is only known on the board. */
struct cpu_choice {
	enum { CPUS_ALL, CPUS_NOT_ISOLATED, CPUS_ISOLATED, CPUS_LISTED } kind;
	struct cpulist list; /* CPUS_LISTED */
};

/* One ptp4l. Instance 0 is [ptp4l] with the ports of [ptpmon], unless that names none; each
 * [ptp4l NAME] is one more, and has from [ptp4l] what it does not say itself. */
struct config_ptp4l {
	char name[CONFIG_NAME_MAX];   /* of its directory: NAME, or the first interface */
	char child[CONFIG_CHILD_MAX]; /* of its section, process and log: "ptp4l", "ptp4l NAME" */
	enum role role;
	struct interface_list interfaces;
	bool manage; /* launch it; else it is there already */
	char program[CONFIG_PATH_MAX];
	char config_file[CONFIG_PATH_MAX]; /* ptp4l's own, or "" */
	char socket[CONFIG_SOCKET_MAX];    /* "" in the file: RUNTIME/NAME/ptp4l */
	uint64_t config_file_hash;         /* of what it says, to see that it has changed */
	char ro_socket[CONFIG_SOCKET_MAX]; /* what config_file has for it, or "": beside socket */
	enum profile profile;
	int64_t domain;
	int64_t transport_specific; /* 0 to 15 */
	enum timestamping timestamping;
	enum transport transport;
	int64_t log_sync_interval;
	int64_t tx_timestamp_timeout_ns;
	int64_t step_threshold_ns; /* 0: ptp4l steps only at its start */
	int64_t priority1;         /* -1: by role */
	int64_t clock_class;       /* or CLOCK_CLASS_AUTO */
	int64_t fifo_priority;     /* 0: ordinary */
	struct cpu_choice cpus;
	char extra_arguments[CONFIG_ARGUMENTS_MAX];
};

struct config {
	struct {
		enum role role;
		struct interface_list interfaces; /* of instance 0; may be none */
		char label[64];
		char runtime_directory[CONFIG_DIRECTORY_MAX];
	} ptpmon;
	struct config_ptp4l ptp4l[CONFIG_PTP4L_MAX];
	size_t n_ptp4l; /* at least 1 */
	struct {
		enum feed feed;       /* of a grandmaster's PHC */
		int64_t utc_offset_s; /* TAI - UTC, or UTC_OFFSET_AUTO */
		enum epoch epoch;
		enum config_when on;
		char program[CONFIG_PATH_MAX];
		int64_t fifo_priority; /* 0: ordinary */
		struct cpu_choice cpus;
		int64_t max_offset_ns;
		enum on_loss on_loss;
		int64_t step_threshold_ns, first_step_ns; /* 0: never */
		char extra_arguments[CONFIG_ARGUMENTS_MAX];
	} phc2sys;
	struct {
		enum on_refusal on_refusal;
		int64_t irq_priority, napi_priority, ptp_priority; /* 0: left alone */
	} realtime;
	struct {
		int64_t stale_after_ns;
		enum on_useless on_useless;
		int64_t settle_within_ns;
		enum on_rivals rivals;
		char phc[CONFIG_PATH_MAX]; /* "auto", "none", or a device */
		int64_t phc_interval_ns;
	} monitor;
	struct {
		bool on;
		int64_t priority;
		int64_t interval_ns;
		struct cpu_choice cpus;
		enum idle_states idle_states;
	} latency;
	struct config_limits { /* 0: no limit */
		int64_t offset_ns, offset_clear_ns;
		int64_t phc_ns, phc_clear_ns;
		int64_t latency_ns, latency_clear_ns;
		int64_t hold_ns;
		int64_t gap_ns; /* 0: by stale_after_ns */
		int64_t port_state_ns;
		int64_t free_space_bytes;
		int64_t ready_offset_ns; /* 0: offset_ns */
		int64_t ready_hold_ns;
	} limits;
	struct {
		char directory[CONFIG_DIRECTORY_MAX];
		int64_t flush_interval_ns;
		int64_t raw_retention_ns, rollup_retention_ns; /* 0: for ever */
		int64_t size_cap_bytes;                        /* 0: none */
	} store;
};

/*
 * The default file is PTPMON_SYSCONFDIR/ptpmon.conf; path NULL means that one. FILE.d/(*).conf are
 * read after FILE in the order of their names. 0, or -errno with the line to print in error:
 * -EINVAL for what a file says, else what reading it failed with.
 */
int config_load(struct config *out, const char *path, char error[static CONFIG_ERROR_MAX]);

/* The same from text, which error messages call name. For the recorder, and for tests. */
int config_parse(struct config *out, const char *text, const char *name,
		 char error[static CONFIG_ERROR_MAX]);

/*
 * Reads the [ptp4l] config_file of each instance, for what has to be known of it: its sockets,
 * domain, transportSpecific, timestamping and ports. Whoever launches ptp4l needs it. 0, or -errno
 * and the line to print.
 */
int config_read_ptp4l_files(struct config *c, char error[static CONFIG_ERROR_MAX]);

/* Every key with its value and, as a comment, where it came from. Can be read back. */
int config_dump(const char *path, FILE *out, char error[static CONFIG_ERROR_MAX]);

/* Every key and its effective value, without comments: what config_parse() takes. Caller frees;
 * NULL without memory. */
char *config_to_text(const struct config *c);

/* A key of that section, which is not [ptp4l], has another value. */
bool config_section_differs(const struct config *a, const struct config *b, const char *section);

/* Gives next the value that now has of that key (NULL: of all keys of the section). True if it was
 * another. */
bool config_keep(struct config *next, const struct config *now, const char *section,
		 const char *key);

/* The option table as it stands in ptpmon.conf(5), in scdoc. */
void config_print_manual(FILE *out);

const char *role_name(enum role role);
const char *profile_name(enum profile profile);
const char *timestamping_name(enum timestamping t);
const char *transport_name(enum transport t);
const char *on_refusal_name(enum on_refusal o);
const char *on_useless_name(enum on_useless o);
const char *on_rivals_name(enum on_rivals o);
const char *on_loss_name(enum on_loss o);
const char *config_when_name(enum config_when w);
const char *idle_states_name(enum idle_states s);
const char *feed_name(enum feed f);
const char *epoch_name(enum epoch e);

/* CLOCK_REALTIME may be steered by the PHC of that one's ports; by that of any. */
bool config_phc2sys_may_follow(const struct config *c, const struct config_ptp4l *p);
bool config_wants_phc2sys(const struct config *c);

/* The PHCs of its ports, if they are several, are kept together by a phc2sys for each but one. */
bool config_phc2sys_joins(const struct config *c, const struct config_ptp4l *p);

/* The phc2sys that steers the PHC of a port by that of another port: "phc2sys for PORT". */
const char *config_joiner_child(const char *port, char out[static CONFIG_CHILD_MAX]);

/* It steers the clock of its ports: CLOCK_REALTIME with software timestamping, else their PHC. */
bool config_ptp4l_steers(const struct config_ptp4l *p);

/* It is a grandmaster of ours: what it announces is ours to say. */
bool config_ptp4l_announces(const struct config_ptp4l *p);

/* The PHC whose time is given out is ours to set: a grandmaster's, with hardware time stamps. */
bool config_ptp4l_feeds(const struct config *c, const struct config_ptp4l *p);

/* The phc2sys that does so all the time with feed = follow: "phc2sys to NAME". */
const char *config_feeder_child(const struct config_ptp4l *p, char out[static CONFIG_CHILD_MAX]);

/* Paths made of the configuration: RUNTIME/control, DIRECTORY/ptpmon.db. */
const char *config_control_path(const struct config *c, char out[static CONFIG_PATH_MAX]);
const char *config_database_path(const struct config *c, char out[static CONFIG_PATH_MAX]);

/*
 * Of instance i: RUNTIME/NAME, its management socket in there (or [ptp4l] socket), and the
 * recorder's own, to which it answers.
 */
const char *config_ptp4l_directory(const struct config *c, size_t i,
				   char out[static CONFIG_PATH_MAX]);
const char *config_ptp4l_socket(const struct config *c, size_t i, char out[static CONFIG_PATH_MAX]);
const char *config_recorder_socket(const struct config *c, size_t i,
				   char out[static CONFIG_PATH_MAX]);
