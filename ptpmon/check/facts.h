/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/check/facts.h: what the checks judge, gathered once and changed by nobody.
 *
 * Whatever is a file is read below a root directory: "" is this machine, another a copied tree of
 * /proc, /sys, /dev, /etc and /run. What only a system call tells is asked of this machine alone.
 * Unknown is a value of its own everywhere, and never zero.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ptpmon/base/cpulist.h"
#include "ptpmon/base/realtime.h"
#include "ptpmon/check/probe.h"
#include "ptpmon/collect/ethtool.h"
#include "ptpmon/collect/phc_device.h"
#include "ptpmon/conf/conf.h"
#include "ptpmon/model/audit.h"
#include "ptpmon/supervise/refusal.h"

enum {
	CHECK_NAME_MAX = 64,
	CHECK_TEXT_MAX = 192,
	CHECK_COMMAND_LINE_MAX = 2048, /* the kernel's own */
	CHECK_PORTS_MAX = 16,
	CHECK_PROGRAMS_MAX = 16,
	CHECK_UNKNOWN = -1,
};

/* What the kernel's log complains of. */
enum check_complaint {
	COMPLAINT_LOCKING,
	COMPLAINT_RCU_STALL,
	COMPLAINT_HUNG,
	COMPLAINT_THROTTLED,
	COMPLAINT_MAX
};

struct check_kernel {
	char release[CHECK_NAME_MAX]; /* "6.6.36-rt35" */
	char version[CHECK_TEXT_MAX]; /* "#1 SMP PREEMPT_RT Wed …" */
	int realtime;                 /* /sys/kernel/realtime, or CHECK_UNKNOWN: no such file */
	char command_line[CHECK_COMMAND_LINE_MAX];
	struct cpulist nohz_full;
	bool irq_default_known;
	struct cpulist irq_default;          /* where interrupts go that nobody has placed */
	int64_t rt_runtime_us, rt_period_us; /* of real-time throttling; INT64_MIN: not known */
	char clocksource[CHECK_NAME_MAX];
	struct {
		bool known; /* else nothing is recorded, and why says so */
		char why[CHECK_TEXT_MAX];
		int64_t run;
		char kernel[CHECK_TEXT_MAX]; /* "RELEASE VERSION" */
	} before;                            /* the newest run of another boot in the database */
	struct {
		bool read; /* else not allowed, and why says so */
		char why[CHECK_TEXT_MAX];
		unsigned lines, count[COMPLAINT_MAX];
		char first[COMPLAINT_MAX][CHECK_TEXT_MAX];
	} log;
};

struct check_cpus {
	struct audit audit;            /* who is above ptp4l on its CPUs; no subjects: no ptp4l */
	struct refusal_facts limits;   /* present, online, isolated; RT group scheduling */
	unsigned governed, performing; /* CPUs with a governor; with performance */
	char governors[CHECK_TEXT_MAX];
	struct {
		bool known;
		size_t cpu;
		int64_t now_khz, allowed_khz, hardware_khz;
	} slowest;                                /* by its share of what the hardware can do */
	unsigned idle_states, deep, deep_allowed; /* of all CPUs, beyond the first state of each */
	char deepest[CHECK_NAME_MAX];
	int64_t deepest_us; /* what leaving the deepest allowed one takes */
	struct {
		unsigned n; /* zones with a temperature */
		char zone[CHECK_NAME_MAX];
		int64_t temperature_mc,
			limit_mc; /* of the one nearest to its limit; INT64_MAX: none */
	} thermal;
	struct {
		bool known;
		char now[CHECK_TEXT_MAX];  /* what is being held down, or "" */
		char past[CHECK_TEXT_MAX]; /* what was since boot, or "" */
	} throttling;
	unsigned intruders, irq_intruders; /* on isolated CPUs, but for linuxptp and ptpmon */
	char tasks[CHECK_TEXT_MAX], irqs[CHECK_TEXT_MAX];
};

struct check_port {
	char name[IF_NAMESIZE];
	bool present;
	bool carrier;
	int speed_mbit; /* or CHECK_UNKNOWN */
	char duplex[16];
	char driver[CHECK_NAME_MAX];                 /* "": no device behind it */
	int64_t carrier_losses;                      /* or CHECK_UNKNOWN */
	char bridge[IF_NAMESIZE], bond[IF_NAMESIZE]; /* which it is a part of */
	char vlans[CHECK_TEXT_MAX];                  /* and others on top of it */
	bool ethercat;                               /* a master has it */
	bool software;                               /* time stamps by configuration */
	bool managed, lease; /* NetworkManager has the port; has got an address for it */
	/* asked of this machine; an errno where it does not tell, ENODATA where nobody asked */
	int timestamping_error, eee_error, coalescing_error, qdisc_error, phc_error;
	struct ethtool_timestamping timestamping;
	bool eee_enabled, eee_active;
	bool adaptive;
	unsigned rx_usecs, tx_usecs;
	char qdiscs[CHECK_TEXT_MAX];
	int phc_access; /* errno of opening it for reading and writing */
	struct phc_reading phc;
	int probe_error; /* ENODATA: not asked for; EBUSY: a ptp4l or ptpmon runs */
	struct probe_result probe;
};

struct check_software {
	bool linuxptp;                /* else why it is not there */
	unsigned major, minor, patch; /* 0.0: it does not tell */
	char version[CHECK_NAME_MAX];
	char linuxptp_why[CHECK_TEXT_MAX];
	bool network_manager; /* it runs */
	size_t n_ptp4l, n_ours;
	int32_t ptp4l[CHECK_PROGRAMS_MAX]; /* the pids of those that run here */
	int32_t ours[CHECK_PROGRAMS_MAX];  /* and of all programs of linuxptp and ptpmon */
	int64_t late_stamps; /* complaints of ptp4l in the run that is recorded now; or
				CHECK_UNKNOWN */
	unsigned rivals;
	char rival[CHECK_TEXT_MAX];
	unsigned stale_sockets, foreign_sockets;
	char stale[CHECK_TEXT_MAX], foreign[CHECK_TEXT_MAX];
	struct {
		bool known;
		bool service; /* of the running ptpmon, else of whoever asks */
		uint64_t capabilities;
		int64_t memlock_bytes, rtprio; /* INT64_MAX: no limit */
	} rights;
	struct {
		char path[CONFIG_PATH_MAX];
		int error;
		int64_t free_bytes;
		int64_t run;        /* the newest in the database */
		int database_error; /* 0, -ENOENT: none yet, or what opening it gave */
		char database_why[CHECK_TEXT_MAX];
	} disk;
	struct {
		bool serial; /* the kernel's console is a serial line */
		char console[CHECK_NAME_MAX];
		bool ours;    /* on which this command runs */
		int loglevel; /* messages below it are printed there; or CHECK_UNKNOWN */
		bool journal; /* journald writes there too */
	} console;
};

struct check_clock {
	bool known;                           /* the kernel told */
	int64_t tai_offset_s, expected_tai_s; /* 0: nobody has set it; not known */
	int64_t utc_ns;
	int leap; /* TIME_INS …, of adjtimex(2) */
	unsigned rtcs;
	char rtc[CHECK_NAME_MAX];
};

struct check_system {
	int failed_units; /* or CHECK_UNKNOWN */
	char units[CHECK_TEXT_MAX];
	bool watchdog;
	char watchdog_identity[CHECK_NAME_MAX];
	int64_t watchdog_s;                /* its timeout */
	int64_t memory_kib, available_kib; /* or CHECK_UNKNOWN */
	double pressure;                   /* percent of the last minute; negative: not known */
};

struct check_facts {
	struct check_kernel kernel;
	struct check_cpus cpus;
	struct check_port ports[CHECK_PORTS_MAX];
	size_t n_ports;
	struct check_software software;
	struct check_clock clock;
	struct check_system system;
};

struct check_request {
	const char *root;                   /* "": this machine */
	const struct config *config;        /* NULL: there is none yet */
	const char *ports[CHECK_PORTS_MAX]; /* none: those of the configuration, or without one … */
	size_t n_ports;                     /* … those of this machine that have a device */
	bool probe;                         /* asked for: sends packets from each port */
	const char *database;               /* NULL: none is known */
};

/* Reads all files below the root. To be freed with free(); NULL without memory. */
struct check_facts *check_facts_read(const struct check_request *rq);

/* Asks this machine the rest; changes nothing of it that it does not restore. Blocks for a few
 * seconds at most. */
void check_facts_ask(struct check_facts *f, const struct check_request *rq);
