/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/model/status.h: what is known now; the struct that status, JSON and screens draw.
 *
 * No state outlives its data: each reading carries when it was true, and status_expire() turns
 * what is older than stale_after into unknown, which is a state of its own: never zero and never
 * the last good value. JSON member names are the names of these members.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ptpmon/model/alarm.h"
#include "ptpmon/model/audit.h"

enum {
	STATUS_PORTS_MAX = 16,
	STATUS_CHILDREN_MAX = 40,
	STATUS_PHCS_MAX = 8,
	STATUS_CPUS_MAX = 256,
	STATUS_ALARMS_MAX = 32,
	STATUS_TEXT_MAX = 256,
	STATUS_COMPLAINTS_MAX = 32,
};

#define STATUS_NO_LIMIT INT64_C(-1)

/* three times the interval at which each is asked for */
#define STATUS_STATE_STALE_NS      INT64_C(3000000000)
#define STATUS_PARENT_STALE_NS     INT64_C(6000000000)
#define STATUS_PROPERTIES_STALE_NS INT64_C(30000000000)

#define STATUS_SUPERVISOR_STALE_NS INT64_C(30000000000)

#define STATUS_WINDOW_NS      INT64_C(1000000000) /* of the sampler */
#define STATUS_LAST_MINUTE_NS INT64_C(60000000000)
/* an offset that no kind of timestamping explains: bad at once, whatever the limits */
#define STATUS_OFFSET_BAD_NS INT64_C(10000000)

/* A number that may be unknown, and when it was true (kept when it went stale, for its age). */
struct reading {
	bool known;
	int64_t value;
	int64_t mono_ns; /* 0: there never was one */
};

/* |offset| over the last minute of fresh samples: nearest-rank percentiles. */
struct status_window {
	uint64_t count;
	int64_t p50_ns, p99_ns,
		max_ns; /* of |offset|; SAMPLE_UNKNOWN while count does not support them */
};

/* A port's time scale: what its grandmaster announces; the rest is known where it is this board. */
struct status_scale {
	struct reading utc_offset_s;
	struct reading utc_offset_valid, ptp_timescale; /* 0 or 1 */
	struct reading time_traceable, frequency_traceable;
	char utc_offset_source[32];  /* of this board's TAI - UTC; "" on a slave */
	char realtime[48];           /* what is known of CLOCK_REALTIME; "" on a slave */
	struct reading phc_error_ns; /* PHC - (CLOCK_REALTIME + TAI - UTC); positive: ahead */
};

struct status_port {
	char name[16];                 /* the interface */
	char role[16];                 /* of its ptp4l: "grandmaster", "slave" … */
	char socket[STATUS_TEXT_MAX];  /* ptp4l's management socket, for `pmc -s` */
	char problem[STATUS_TEXT_MAX]; /* why it cannot be asked there, and what to do; or "" */
	struct reading state;          /* enum ptp_port_state */
	int64_t state_since_mono_ns;   /* 0 while unknown */
	bool absent;                   /* there is no such interface */
	bool carrier_known, carrier;
	char clock_identity[24];    /* "020000.fffe.000002", or "" */
	char grandmaster[24];       /* "", while unknown */
	struct reading clock_class; /* the grandmaster's */
	struct reading clock_accuracy;
	struct reading time_source;
	struct reading steps_removed;
	struct status_scale scale;
	struct reading offset_ns; /* local minus master; a slave's */
	struct reading mean_path_delay_ns;
	struct reading sync_interval_ns; /* learnt from ingress times */
	struct status_window last_minute;
	uint64_t updates;   /* servo updates recorded since this recorder began */
	uint64_t missed;    /* servo updates that were there and not seen */
	uint64_t malformed; /* datagrams ignored */
};

/* A PHC, as it is measured against CLOCK_REALTIME. */
struct status_phc {
	char name[32];   /* "ptp0" */
	char method[32]; /* "PTP_SYS_OFFSET_EXTENDED"; "" before the first reading */
	struct reading sys_minus_phc_ns; /* CLOCK_REALTIME - (PHC - utc_offset_s) */
	struct reading delay_ns;         /* what reading it took: right within half of this */
	int64_t interval_ns;
	int64_t utc_offset_s;
	char utc_offset_source[32];    /* who says so */
	char problem[STATUS_TEXT_MAX]; /* it cannot be read, stands still … or "" */
};

/* A phc2sys, and ptpmon's gate in front of it. */
struct status_phc2sys {
	char name[32];                /* of its process */
	bool wanted;                  /* it is for this configuration; else nothing here counts */
	bool open;                    /* it may steer … */
	char reason[STATUS_TEXT_MAX]; /* … or why not; while it is open, what is lost just now, or
					 "" */
	bool needless;                /* it is closed since ptp4l steers that PHC itself */
	char sink[32];            /* the PHC that it steers; "": CLOCK_REALTIME, or it is closed */
	char phc[32];             /* that it was started on; "" */
	int64_t utc_offset_s;     /* … and with */
	struct reading offset_ns; /* what it steers - PHC, as it claims; its delay; its interval */
	struct reading delay_ns;
	struct reading interval_ns;
};

enum child_state { /* as the parent reports it; names by child_state_name() */
		   CHILD_STOPPED,
		   CHILD_STARTING,
		   CHILD_UP,
		   CHILD_WAITING, /* until the next start */
		   CHILD_STOPPING,
		   CHILD_KILLING,
		   CHILD_FAILED, /* given up */
		   CHILD_STATE_MAX
};

const char *child_state_name(enum child_state state);

struct status_child {
	char name[32];
	enum child_state state;
	int64_t pid;             /* 0 while there is none */
	int64_t started_mono_ns; /* of this process */
	uint32_t starts;
	bool held;       /* it only runs when it may, and now it may not */
	char policy[16]; /* "SCHED_FIFO", as read back; "" while unknown */
	int64_t priority;
	char cpus[64];    /* as read back */
	bool schedule_ok; /* read back and as asked */
	int64_t threads;  /* 0 while unknown */
	/* of its memory: what cannot be paged out, and how much it may lock (STATUS_NO_LIMIT) */
	int64_t locked_bytes, lock_limit_bytes;
	/* why not up, or why the schedule is not as asked, without the name in front; or "" */
	char problem[STATUS_TEXT_MAX];
};

struct status_cpu {
	unsigned cpu;
	int64_t mono_ns;                /* end of the newest window */
	uint64_t count;                 /* wake-ups since start */
	int64_t min_ns, avg_ns, max_ns; /* since start; SAMPLE_UNKNOWN while count is 0 */
	int64_t last_max_ns;            /* of the last minute, SAMPLE_UNKNOWN if stale */
	uint64_t overflow, missed;
};

struct status_record {
	char path[STATUS_TEXT_MAX];
	int64_t run;
	bool ok; /* the last flush that was tried reached the disk */
	char problem[STATUS_TEXT_MAX];
	int64_t flushed_mono_ns; /* the last commit that returned; 0: none yet */
	uint64_t samples;        /* committed by this recorder */
	uint64_t queued, dropped;
};

/* The kernel's limit on real-time threads, and whether it stopped any since boot. */
struct status_throttling {
	int64_t runtime_us, period_us; /* of each period; runtime -1: no limit; period 0: unknown */
	bool fired_known, fired;
	int64_t fired_mono_ns; /* about when; 0 */
	char problem[128];     /* why that is not known, or "" */
};

/* What monitoring costs: both processes since start. */
struct status_cost {
	int64_t cpu_ns; /* recorder's CPU time */
	int64_t rss_bytes;
	uint64_t requests; /* management requests sent */
};

/* The limits in force; 0: none. */
struct status_limits {
	int64_t offset_ns, phc_ns, latency_ns;
	int64_t gap_ns; /* 0: as soon as the offset is unknown */
	int64_t port_state_ns;
	int64_t ready_offset_ns, ready_hold_ns;
};

/* What wait-sync waits for. */
struct status_readiness {
	bool ready;                   /* within limits for as long as it takes */
	int64_t since_mono_ns;        /* within limits since; 0: it is not */
	char reason[STATUS_TEXT_MAX]; /* which condition is not met, with its number; or "" */
};

/* What a program's log complained of, since the recorder began. */
struct status_complaint {
	char name[32]; /* the child */
	char code[32]; /* of its events */
	uint64_t count;
	int64_t mono_ns; /* of the newest */
	char hint[128];  /* what to look at or to do */
};

struct status {
	int64_t taken_mono_ns, taken_utc_ns;
	int64_t started_mono_ns;
	/* when the parent was last heard, whose word the children are; 0: not known */
	int64_t parent_mono_ns;
	char version[32];
	char host[65];
	char label[64];
	char role[16];
	int64_t stale_after_ns;
	char phase[64]; /* the running phase, or "" */
	int64_t phase_since_mono_ns;
	char realtime_problem[STATUS_TEXT_MAX]; /* the sampler runs NOT REAL-TIME because …, or ""
						 */
	char idle_states[16]; /* "allow" or "hold", "" while there is no sampler */
	struct status_record record;
	struct status_cost cost;
	struct status_limits limits;
	struct status_readiness readiness;
	size_t n_alarms;
	struct alarm alarms[STATUS_ALARMS_MAX]; /* raised, or not yet acknowledged */
	struct status_throttling rt_throttling;
	struct audit audit;
	size_t n_complaints;
	struct status_complaint complaints[STATUS_COMPLAINTS_MAX];
	struct status_phc2sys phc2sys;
	size_t n_phcs, n_joiners;
	struct status_phc2sys joiners[STATUS_PHCS_MAX]; /* from PHC to PHC */
	struct status_phc phcs[STATUS_PHCS_MAX];
	size_t n_ports, n_children, n_cpus;
	struct status_port ports[STATUS_PORTS_MAX];
	struct status_child children[STATUS_CHILDREN_MAX];
	struct status_cpu cpus[STATUS_CPUS_MAX];
};

/*
 * Everything older than its bound becomes unknown: offset and path delay after the larger of
 * stale_after_ns (1 s while that is 0) and three sync intervals, and the interval with the offset
 * that it was learnt from; what is asked for at an interval
 * of its own after three of those: port state, then what is known of the grandmaster (its name goes
 * with its class), then the time source; a CPU's last_max_ns after three windows, what is known of
 * a PHC after three of its intervals, but not before 3 s. The last minute's figures go when it has
 * passed.
 */
void status_expire(struct status *s, int64_t now_mono_ns);

/* Its state is known and fits its role. */
bool status_port_is_in_role(const struct status_port *p);

/* It owes offsets now: a slave's always, another's while it is one or nobody knows what it is. */
bool status_port_owes_offset(const struct status_port *p);

/* One that follows a master, or has done so. */
bool status_port_has_offset(const struct status_port *p);

/*
 * Why a ptp4l cannot be asked on its socket, by the errno of connect(), and what to do about it:
 * "/var/run/ptp4l: permission denied: …". section is its own in the configuration.
 */
const char *status_explain_socket(int error, const char *path, const char *section,
				  char out[static STATUS_TEXT_MAX]);

/* It is a phc2sys, and it is down because it may not steer. */
bool status_child_is_held(const struct status *s, const struct status_child *c);

/* It was heard once, and not for STATUS_SUPERVISOR_STALE_NS. */
bool status_parent_is_silent(const struct status *s);

/*
 * Is an expired status, at this moment, within what counts as synchronised? Each port is in the
 * state of its role, with carrier; a slave's offset is known and below limits.ready_offset_ns; what
 * a grandmaster announces is known; and where phc2sys is to steer the system clock, it may, and
 * that is known and below status_ready_phc_ns(). Where it is not, why says which condition fails,
 * with its number.
 */
int64_t status_ready_phc_ns(const struct status_limits *l); /* 0: no limit */
bool status_is_within(const struct status *s, char why[static STATUS_TEXT_MAX]);

/* How good it is, in one word and one sentence. */
enum status_verdict { STATUS_GOOD, STATUS_BAD, STATUS_UNKNOWN, STATUS_VERDICT_MAX };

/* "good", "bad", "unknown" */
const char *status_verdict_name(enum status_verdict verdict);

/*
 * Judges an expired status. Bad outranks unknown, and among equals the cause comes before what
 * follows from it (a failed ptp4l before its port's silence). A parent that was not heard for
 * STATUS_SUPERVISOR_STALE_NS makes it unknown: its word on the children is that old. A
 * grave alarm (SEVERITY_ERROR) that is raised is bad; so that no single sample decides, an offset
 * is judged by its alarm, and without one only from STATUS_OFFSET_BAD_NS on, or from a larger
 * limit.
 */
enum status_verdict status_judge(const struct status *s, char why[static STATUS_TEXT_MAX]);
