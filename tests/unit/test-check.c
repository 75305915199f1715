/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Four boards, and every check seen passing and not passing: on them, or with one fact changed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <linux/net_tstamp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timex.h>

#include "ptpmon/base/nsec.h"
#include "ptpmon/check/check.h"

enum board { IMX, DEEP, RPI, PC, BOARDS };

static const char *const boards[BOARDS] = {"imx95-bsp-default", "imx95-deep-idle",
					   "rpi-kernel-replaced", "generic-pc"};

/* What has been judged how, by all tests so far. */
enum { SEEN_MAX = 128 };
static struct {
	const char *code;
	bool verdict[CHECK_VERDICT_MAX];
} seen[SEEN_MAX];

static void see(const char *code, enum check_verdict v)
{
	size_t i = 0;

	while (i < SEEN_MAX - 1 && seen[i].code && strcmp(seen[i].code, code) != 0)
		i++;
	seen[i].code = code;
	seen[i].verdict[v] = true;
}

static struct check_facts *facts_of(enum board board, const char *port)
{
	char root[256];
	struct check_request rq = {.root = root, .ports = {port}, .n_ports = port ? 1 : 0};
	struct check_facts *f;

	(void)snprintf(root, sizeof(root), "%s/boards/%s", getenv("TEST_DATA"), boards[board]);
	f = check_facts_read(&rq);
	assert_non_null(f);
	return f;
}

/* The only result of one check: of the first port where it is about ports. */
static struct check_finding judge(struct check_facts *f, const char *code)
{
	struct check_results r;
	struct check_finding finding;

	assert_non_null(check_find(code));
	assert_int_equal(check_all(&r, f, &code, 1), 0);
	assert_true(r.n >= 1);
	finding = r.result[0].finding;
	see(check_find(code)->code, finding.verdict);
	check_results_clear(&r);
	return finding;
}

static int expect(struct check_facts *f, const char *where, const char *code,
		  enum check_verdict verdict, const char *value)
{
	struct check_finding finding = judge(f, code);

	if (finding.verdict == verdict && strstr(finding.value, value))
		return 0;
	print_message("%s: %s: %s \"%s\", not %s with \"%s\"\n", where, code,
		      check_verdict_name(finding.verdict), finding.value,
		      check_verdict_name(verdict), value);
	return 1;
}

/* clang-format off */
static const struct {
	enum board board;
	const char *port; /* NULL: the first that has a device */
	const char *code;
	enum check_verdict verdict;
	const char *value; /* has this in it */
} on_boards[] = {
	{ IMX, NULL, "kernel-rt", CHECK_PASS, "6.18.0-rt3-lts, PREEMPT_RT, /sys/kernel/realtime is 1" },
	{ RPI, NULL, "kernel-rt", CHECK_FAIL, "6.6.51+rpt-rpi-v8 is no PREEMPT_RT kernel" },
	{ PC, NULL, "kernel-rt", CHECK_FAIL, "is no PREEMPT_RT kernel" },
	{ IMX, NULL, "kernel-isolation", CHECK_WARN, "no CPU is isolated" },
	{ DEEP, NULL, "kernel-isolation", CHECK_PASS, "isolated: 5" },
	{ RPI, NULL, "kernel-isolation", CHECK_FAIL, "isolcpus asks for 2-3, isolated: 3" },
	{ IMX, NULL, "kernel-nohz-full", CHECK_SKIP, "no CPU is isolated" },
	{ DEEP, NULL, "kernel-nohz-full", CHECK_PASS, "nohz_full: 5" },
	{ RPI, NULL, "kernel-nohz-full", CHECK_WARN, "the isolated CPUs, 3, keep their tick" },
	{ DEEP, NULL, "kernel-rcu-nocbs", CHECK_PASS, "RCU callbacks of 5" },
	{ RPI, NULL, "kernel-rcu-nocbs", CHECK_WARN, "run RCU callbacks" },
	{ PC, NULL, "kernel-rcu-nocbs", CHECK_PASS, "RCU callbacks of 3" }, /* by nohz_full */
	{ DEEP, NULL, "kernel-irqaffinity", CHECK_PASS, "CPUs 0-4" },
	{ RPI, NULL, "kernel-irqaffinity", CHECK_FAIL, "CPUs 0-3, isolated ones" },
	{ IMX, NULL, "kernel-rt-throttling", CHECK_PASS, "950 of each 1000 ms" },
	{ PC, NULL, "kernel-rt-throttling", CHECK_WARN, "500 of each 1000 ms" },
	{ IMX, NULL, "kernel-rt-group", CHECK_PASS, "" },
	{ PC, NULL, "kernel-rt-group", CHECK_FAIL, "/user.slice/cpu.rt_runtime_us is 0" },
	{ IMX, NULL, "kernel-clocksource", CHECK_PASS, "arch_sys_counter" },
	{ PC, NULL, "kernel-clocksource", CHECK_FAIL, "hpet" },
	{ IMX, NULL, "kernel-locking", CHECK_PASS, "none in 4 lines" },
	{ PC, NULL, "kernel-locking", CHECK_FAIL, "2 since boot, the first: BUG: sleeping function" },
	{ IMX, NULL, "kernel-rcu-stalls", CHECK_PASS, "" },
	{ PC, NULL, "kernel-rcu-stalls", CHECK_FAIL, "1 since boot, the first: rcu: INFO: rcu_preempt" },
	{ IMX, NULL, "kernel-hung-tasks", CHECK_PASS, "" },
	{ PC, NULL, "kernel-hung-tasks", CHECK_FAIL, "1 since boot, the first: INFO: task jbd2" },
	{ IMX, NULL, "cpu-governor", CHECK_FAIL, "ondemand, performance on 0 of 6" },
	{ DEEP, NULL, "cpu-governor", CHECK_PASS, "performance on 6 of 6" },
	{ IMX, NULL, "cpu-frequency", CHECK_WARN, "900 of 1800 MHz" },
	{ DEEP, NULL, "cpu-frequency", CHECK_PASS, "1800 of 1800 MHz" },
	{ RPI, NULL, "cpu-frequency", CHECK_FAIL, "600 of 1800 MHz" },
	{ PC, NULL, "cpu-frequency", CHECK_FAIL, "may run at 3000 of 4600 MHz" },
	{ IMX, NULL, "cpu-idle-states", CHECK_PASS, "deep states off 6 of 6" },
	{ DEEP, NULL, "cpu-idle-states", CHECK_FAIL, "off 0 of 6; cpu-pd-wait takes 3200 us" },
	{ RPI, NULL, "cpu-idle-states", CHECK_SKIP, "" },
	{ PC, NULL, "cpu-idle-states", CHECK_FAIL, "C10 takes 890 us" },
	{ IMX, NULL, "cpu-temperature", CHECK_PASS, "a55-thermal 47.2 C, its limit 105.0 C" },
	{ DEEP, NULL, "cpu-temperature", CHECK_FAIL, "96.5 C, its limit 95.0 C" },
	{ RPI, NULL, "cpu-temperature", CHECK_WARN, "106.5 C, its limit 110.0 C" },
	{ PC, NULL, "cpu-temperature", CHECK_PASS, "x86_pkg_temp 61.0 C" },
	{ IMX, NULL, "cpu-throttling", CHECK_PASS, "none" },
	{ DEEP, NULL, "cpu-throttling", CHECK_FAIL, "now: cpufreq-cpu0 at step 2" },
	{ RPI, NULL, "cpu-throttling", CHECK_WARN, "since boot: under-voltage, throttled" },
	{ PC, NULL, "cpu-throttling", CHECK_WARN, "since boot: CPU 2 12 times" },
	{ DEEP, NULL, "cpu-isolated-tasks", CHECK_PASS, "" }, /* ptp4l and kernel threads only */
	{ RPI, NULL, "cpu-isolated-tasks", CHECK_WARN, "1 threads may be there: logger/702" },
	{ DEEP, NULL, "cpu-isolated-irqs", CHECK_PASS, "" },
	{ RPI, NULL, "cpu-isolated-irqs", CHECK_WARN, "1 interrupts may be there: 31" },
	{ IMX, NULL, "cpu-priorities", CHECK_SKIP, "no ptp4l runs" },
	{ DEEP, NULL, "cpu-priorities", CHECK_PASS, "ptp4l (SCHED_FIFO 70, CPUs 5)" },
	{ PC, NULL, "cpu-priorities", CHECK_WARN, "camera/950 SCHED_FIFO 99" },
	{ IMX, NULL, "port-link", CHECK_PASS, "carrier" },
	{ IMX, "eth1", "port-link", CHECK_FAIL, "no carrier" },
	{ IMX, "eth9", "port-link", CHECK_FAIL, "no such interface" },
	{ IMX, "eth9", "port-flaps", CHECK_SKIP, "no such interface" },
	{ IMX, NULL, "port-speed", CHECK_PASS, "1000 Mbit/s, full duplex" },
	{ IMX, "eth1", "port-speed", CHECK_SKIP, "no carrier" },
	{ RPI, NULL, "port-speed", CHECK_FAIL, "100 Mbit/s, half duplex" },
	{ PC, NULL, "port-speed", CHECK_WARN, "10 Mbit/s" },
	{ IMX, NULL, "port-driver", CHECK_PASS, "fsl_enetc4" },
	{ PC, "veth0", "port-driver", CHECK_WARN, "virtual" },
	{ IMX, NULL, "port-flaps", CHECK_PASS, "1" },
	{ RPI, NULL, "port-flaps", CHECK_WARN, "7" },
	{ PC, "enp4s0", "port-flaps", CHECK_FAIL, "31" },
	{ IMX, NULL, "port-stack", CHECK_PASS, "" },
	{ PC, "enp3s0", "port-stack", CHECK_WARN, "enp3s0.5 on top of it" },
	{ PC, "enp4s0", "port-stack", CHECK_FAIL, "part of bridge br0" },
	{ IMX, NULL, "port-ethercat", CHECK_PASS, "" },
	{ PC, "enp4s0", "port-ethercat", CHECK_FAIL, "EtherCAT" },
	{ IMX, NULL, "port-networkmanager", CHECK_PASS, "does not run" },
	{ RPI, NULL, "port-networkmanager", CHECK_WARN, "removes its addresses" },
	{ IMX, NULL, "sw-rivals", CHECK_PASS, "" },
	{ DEEP, NULL, "sw-rivals", CHECK_PASS, "" }, /* the ptp4l is ptpmon's own */
	{ RPI, NULL, "sw-rivals", CHECK_FAIL, "systemd-timesyn (pid 388) steers CLOCK_REALTIME" },
	{ PC, NULL, "sw-rivals", CHECK_FAIL, "chronyd (pid 612)" },
	{ IMX, NULL, "sw-stale-sockets", CHECK_PASS, "" },
	{ PC, NULL, "sw-stale-sockets", CHECK_WARN, "nobody listens: /run/ptp4l" },
	{ RPI, NULL, "sw-stale-sockets", CHECK_PASS, "" },
	{ IMX, NULL, "sw-foreign-sockets", CHECK_PASS, "" },
	{ RPI, NULL, "sw-foreign-sockets", CHECK_WARN, "/run/ptp4l" },
	{ DEEP, NULL, "sw-privileges", CHECK_PASS, "the service has" },
	{ RPI, NULL, "sw-privileges", CHECK_WARN,
	  "this user is without CAP_SYS_NICE, CAP_SYS_TIME, CAP_NET_ADMIN, CAP_NET_RAW, CAP_IPC_LOCK" },
	{ IMX, NULL, "sw-console", CHECK_WARN, "the kernel write to ttyLP0" },
	{ DEEP, NULL, "sw-console", CHECK_PASS, "ttyLP0 gets errors only" },
	{ RPI, NULL, "sw-console", CHECK_WARN, "the kernel and the journal write to ttyS0" },
	{ PC, NULL, "sw-console", CHECK_PASS, "tty0 is no serial line" },
	{ IMX, NULL, "clock-rtc", CHECK_PASS, "bbnsm_rtc" },
	{ RPI, NULL, "clock-rtc", CHECK_WARN, "none" },
	{ RPI, NULL, "sys-watchdog", CHECK_PASS, "Broadcom BCM2835 Watchdog timer, 15 s" },
	{ PC, NULL, "sys-watchdog", CHECK_WARN, "none" },
	{ IMX, NULL, "sys-memory", CHECK_PASS, "6738 of 7812 MiB" },
	{ PC, NULL, "sys-memory", CHECK_FAIL, "625 of 15625 MiB" },
	{ IMX, NULL, "sys-pressure", CHECK_PASS, "0.00 %" },
	{ RPI, NULL, "sys-pressure", CHECK_WARN, "2.50 %" },
	{ PC, NULL, "sys-pressure", CHECK_FAIL, "14.25 %" },
	/* what nobody was asked is not known, and neither good nor bad */
	{ IMX, NULL, "kernel-changed", CHECK_SKIP, "no run is recorded" },
	{ IMX, NULL, "port-timestamping", CHECK_SKIP, "it does not tell" },
	{ IMX, NULL, "port-phc-epoch", CHECK_SKIP, "no PHC" },
	{ IMX, NULL, "port-eee", CHECK_SKIP, "" },
	{ IMX, NULL, "port-qdisc", CHECK_SKIP, "" },
	{ IMX, NULL, "sw-disk", CHECK_SKIP, "" },
	{ IMX, NULL, "sw-database", CHECK_SKIP, "" },
	{ IMX, NULL, "clock-tai", CHECK_SKIP, "" },
	{ IMX, NULL, "sys-units", CHECK_SKIP, "" },
};
/* clang-format on */

static void judges_boards(void **state)
{
	int wrong = 0;

	for (size_t i = 0; i < sizeof(on_boards) / sizeof(on_boards[0]); i++) {
		struct check_facts *f = facts_of(on_boards[i].board, on_boards[i].port);

		wrong += expect(f, boards[on_boards[i].board], on_boards[i].code,
				on_boards[i].verdict, on_boards[i].value);
		free(f);
	}
	assert_int_equal(wrong, 0);
}

/* -- what only system calls tell --------------------------------------------------------- */

#define NOW_UTC_NS (INT64_C(4102444800) * NSEC_PER_SEC) /* in 2100, after every build */
#define TAI_NS     (37 * NSEC_PER_SEC)

/* The i.MX 95 with everything in order. */
static void tune(struct check_facts *f)
{
	struct check_port *p = &f->ports[0];

	p->timestamping_error = p->eee_error = p->coalescing_error = p->qdisc_error = 0;
	p->phc_error = p->phc_access = 0;
	p->timestamping = (struct ethtool_timestamping){
		.so_timestamping = SOF_TIMESTAMPING_TX_HARDWARE | SOF_TIMESTAMPING_RX_HARDWARE |
				   SOF_TIMESTAMPING_RAW_HARDWARE,
		.tx_types = 1 << HWTSTAMP_TX_OFF | 1 << HWTSTAMP_TX_ON,
		.rx_filters = 1 << HWTSTAMP_FILTER_NONE | 1 << HWTSTAMP_FILTER_ALL,
	};
	p->phc = (struct phc_reading){
		.method = PHC_METHOD_EXTENDED,
		.system_ns = NOW_UTC_NS,
		.phc_ns = NOW_UTC_NS + TAI_NS + 1500,
		.delay_ns = 900,
	};
	(void)strcpy(p->qdiscs, "mq, pfifo_fast");
	f->clock = (struct check_clock){.known = true, .tai_offset_s = 37, .expected_tai_s = 37};
	f->software.linuxptp = true;
	f->software.major = 4;
	f->software.minor = 2;
	(void)strcpy(f->software.version, "4.2");
	f->software.disk.error = f->software.disk.database_error = 0;
	f->software.disk.free_bytes = INT64_C(4) << 30;
	f->kernel.before.known = true;
	f->kernel.before.run = 12;
	f->software.disk.run = 13;
	(void)strcpy(f->kernel.before.kernel,
		     "6.18.0-rt3-lts #1 SMP PREEMPT_RT Thu Oct 15 09:12:44 UTC 2026");
	f->system.failed_units = 0;
}

typedef void change_fn(struct check_facts *f, struct check_port *p);

/* clang-format off */
static void nothing(struct check_facts *f, struct check_port *p) { }
static void other_kernel(struct check_facts *f, struct check_port *p) { (void)strcpy(f->kernel.before.kernel, "6.12.3-rt3 #1 SMP PREEMPT_RT"); }
static void lost_rt(struct check_facts *f, struct check_port *p) { f->kernel.realtime = CHECK_UNKNOWN; (void)strcpy(f->kernel.version, "#1 SMP PREEMPT"); }
static void throttled(struct check_facts *f, struct check_port *p) { f->kernel.log.count[COMPLAINT_THROTTLED] = 1; }
static void no_throttling(struct check_facts *f, struct check_port *p) { f->kernel.rt_runtime_us = -1; }
static void no_receive(struct check_facts *f, struct check_port *p) { p->timestamping.so_timestamping &= ~(uint32_t)SOF_TIMESTAMPING_RX_HARDWARE; }
static void no_receive_software(struct check_facts *f, struct check_port *p) { no_receive(f, p); p->software = true; }
static void no_filter(struct check_facts *f, struct check_port *p) { p->timestamping.rx_filters = 1 << HWTSTAMP_FILTER_NONE; }
static void no_transmit(struct check_facts *f, struct check_port *p) { p->timestamping.tx_types = 1 << HWTSTAMP_TX_OFF; }
static void no_phc(struct check_facts *f, struct check_port *p) { p->timestamping.phc_index = ETHTOOL_NO_PHC; }
static void probed(struct check_facts *f, struct check_port *p) { p->probe_error = 0; p->probe.stamped[0] = p->probe.stamped[1] = true; p->probe.took_ns[0] = p->probe.took_ns[1] = 312000; }
static void probed_2_0(struct check_facts *f, struct check_port *p) { probed(f, p); p->probe.stamped[1] = false; }
static void probed_silent(struct check_facts *f, struct check_port *p) { probed_2_0(f, p); p->probe.stamped[0] = false; }
static void not_restored(struct check_facts *f, struct check_port *p) { p->probe_error = EREMCHG; }
static void no_rights(struct check_facts *f, struct check_port *p) { p->probe_error = EPERM; }
static void beside_ptp4l(struct check_facts *f, struct check_port *p) { p->probe_error = EBUSY; f->software.late_stamps = 0; }
static void late_ptp4l(struct check_facts *f, struct check_port *p) { f->software.late_stamps = 3; }
static void foreign_ptp4l(struct check_facts *f, struct check_port *p) { p->probe_error = EBUSY; }
static void phc_denied(struct check_facts *f, struct check_port *p) { p->phc_access = EACCES; }
static void phc_gone(struct check_facts *f, struct check_port *p) { p->phc_access = ENODEV; }
static void phc_utc(struct check_facts *f, struct check_port *p) { p->phc.phc_ns = NOW_UTC_NS - 2000; }
static void phc_far(struct check_facts *f, struct check_port *p) { p->phc.phc_ns += 400 * NSEC_PER_SEC; }
static void phc_1970(struct check_facts *f, struct check_port *p) { p->phc.phc_ns = 86400 * NSEC_PER_SEC; }
static void phc_frozen(struct check_facts *f, struct check_port *p) { p->phc.frozen = true; }
static void phc_slow(struct check_facts *f, struct check_port *p) { p->phc.delay_ns = 37000; }
static void phc_slower(struct check_facts *f, struct check_port *p) { p->phc.delay_ns = 370000; }
static void eee_on(struct check_facts *f, struct check_port *p) { p->eee_enabled = true; }
static void eee_active(struct check_facts *f, struct check_port *p) { p->eee_enabled = p->eee_active = true; }
static void no_eee(struct check_facts *f, struct check_port *p) { p->eee_error = EOPNOTSUPP; }
static void coalescing(struct check_facts *f, struct check_port *p) { p->rx_usecs = 125; }
static void adaptive(struct check_facts *f, struct check_port *p) { p->adaptive = true; }
static void taprio(struct check_facts *f, struct check_port *p) { (void)strcpy(p->qdiscs, "taprio, pfifo"); }
static void managed(struct check_facts *f, struct check_port *p) { f->software.network_manager = p->managed = true; }
static void managed_lease(struct check_facts *f, struct check_port *p) { managed(f, p); p->lease = true; }
static void no_linuxptp(struct check_facts *f, struct check_port *p) { f->software.linuxptp = false; }
static void old_linuxptp(struct check_facts *f, struct check_port *p) { f->software.major = 3; f->software.minor = 1; (void)strcpy(f->software.version, "3.1"); }
static void good_linuxptp(struct check_facts *f, struct check_port *p) { f->software.major = 3; f->software.minor = f->software.patch = 1; }
static void odd_linuxptp(struct check_facts *f, struct check_port *p) { f->software.major = f->software.minor = 0; }
static void service_bare(struct check_facts *f, struct check_port *p) { f->software.rights.service = true; f->software.rights.capabilities &= ~(UINT64_C(1) << 25); }
static void some_room(struct check_facts *f, struct check_port *p) { f->software.disk.free_bytes = 500 << 20; }
static void no_room(struct check_facts *f, struct check_port *p) { f->software.disk.free_bytes = 5 << 20; }
static void damaged(struct check_facts *f, struct check_port *p) { f->software.disk.database_error = -EUCLEAN; (void)strcpy(f->software.disk.database_why, "damaged"); }
static void secret(struct check_facts *f, struct check_port *p) { f->software.disk.database_error = -EACCES; }
static void our_console(struct check_facts *f, struct check_port *p) { f->software.console.ours = true; }
static void no_tai(struct check_facts *f, struct check_port *p) { f->clock.tai_offset_s = 0; }
static void wrong_tai(struct check_facts *f, struct check_port *p) { f->clock.tai_offset_s = 36; }
static void leaping(struct check_facts *f, struct check_port *p) { f->clock.leap = TIME_INS; }
static void failed_unit(struct check_facts *f, struct check_port *p) { f->system.failed_units = 1; (void)strcpy(f->system.units, "dhcpcd.service"); }
static void unread_log(struct check_facts *f, struct check_port *p) { f->kernel.log.read = false; }
static void escape(struct check_facts *f, struct check_port *p) { (void)strcpy(p->driver, "evil\033[2J"); }

static const struct {
	const char *name;
	change_fn *change;
	const char *code;
	enum check_verdict verdict;
	const char *value;
} changed[] = {
	{ "as before", nothing, "kernel-changed", CHECK_PASS, "as in run 12" },
	{ "another", other_kernel, "kernel-changed", CHECK_WARN, "run 12 had 6.12.3-rt3" },
	{ "replaced", lost_rt, "kernel-changed", CHECK_FAIL, "run 12 had one, 6.18.0-rt3-lts" },
	{ "throttled", throttled, "kernel-rt-throttling", CHECK_FAIL, "have been stopped" },
	{ "no throttling", no_throttling, "kernel-rt-throttling", CHECK_PASS, "off" },
	{ "not known", unread_log, "kernel-rt-throttling", CHECK_PASS, "ms; whether that stopped any" },
	{ "not allowed", unread_log, "kernel-locking", CHECK_SKIP, "" },
	{ "good", nothing, "port-timestamping", CHECK_PASS, "hardware: transmit, receive, raw clock" },
	{ "no receive", no_receive, "port-timestamping", CHECK_FAIL, "without hardware-receive" },
	{ "as configured", no_receive_software, "port-timestamping", CHECK_WARN, "software, as configured" },
	{ "good", nothing, "port-filters", CHECK_PASS, "all" },
	{ "no filter", no_filter, "port-filters", CHECK_FAIL, "no filter for PTP version 2" },
	{ "no transmit", no_transmit, "port-filters", CHECK_FAIL, "none for what is sent" },
	{ "not asked for", nothing, "port-probe", CHECK_SKIP, "only with --probe" },
	{ "stamped", probed, "port-probe", CHECK_PASS, "stamps back in 0.312 and 0.312 ms" },
	{ "2.0 only", probed_2_0, "port-probe", CHECK_FAIL, "no time stamp of PTP 2.1" },
	{ "silent", probed_silent, "port-probe", CHECK_FAIL, "no time stamp of what was sent" },
	{ "not restored", not_restored, "port-probe", CHECK_FAIL, "could not be restored" },
	{ "no rights", no_rights, "port-probe", CHECK_SKIP, "not permitted" },
	{ "beside ptp4l", beside_ptp4l, "port-probe", CHECK_PASS, "0 complaints about time stamps in run 13" },
	{ "with complaints", late_ptp4l, "port-probe", CHECK_FAIL, "3 complaints" },
	{ "a foreign ptp4l", foreign_ptp4l, "port-probe", CHECK_SKIP, "nothing records" },
	{ "good", nothing, "port-phc", CHECK_PASS, "/dev/ptp0, readable and writable" },
	{ "none", no_phc, "port-phc", CHECK_FAIL, "none" },
	{ "denied", phc_denied, "port-phc", CHECK_WARN, "not for this user" },
	{ "gone", phc_gone, "port-phc", CHECK_FAIL, "No such device" },
	{ "TAI", nothing, "port-phc-epoch", CHECK_PASS, "TAI, +1500 ns" },
	{ "UTC", phc_utc, "port-phc-epoch", CHECK_PASS, "UTC, -2000 ns" },
	{ "far", phc_far, "port-phc-epoch", CHECK_WARN, "+437.000 s from UTC, +400.000 s from TAI" },
	{ "1970", phc_1970, "port-phc-epoch", CHECK_FAIL, "1970-01-02T00:00:00Z, before ptpmon was built" },
	{ "frozen", phc_frozen, "port-phc-epoch", CHECK_FAIL, "does not run" },
	{ "good", nothing, "port-phc-delay", CHECK_PASS, "900 ns by PTP_SYS_OFFSET_EXTENDED" },
	{ "slow", phc_slow, "port-phc-delay", CHECK_WARN, "37000 ns" },
	{ "slower", phc_slower, "port-phc-delay", CHECK_FAIL, "370000 ns" },
	{ "off", nothing, "port-eee", CHECK_PASS, "off" },
	{ "none", no_eee, "port-eee", CHECK_PASS, "not supported" },
	{ "on", eee_on, "port-eee", CHECK_WARN, "not active" },
	{ "active", eee_active, "port-eee", CHECK_FAIL, "active" },
	{ "good", nothing, "port-coalescing", CHECK_PASS, "receive 0 us" },
	{ "long", coalescing, "port-coalescing", CHECK_WARN, "receive 125 us" },
	{ "adaptive", adaptive, "port-coalescing", CHECK_WARN, "adaptive" },
	{ "good", nothing, "port-qdisc", CHECK_PASS, "mq, pfifo_fast" },
	{ "taprio", taprio, "port-qdisc", CHECK_WARN, "taprio" },
	{ "managed", managed, "port-networkmanager", CHECK_WARN, "removes its addresses" },
	{ "with a lease", managed_lease, "port-networkmanager", CHECK_PASS, "with a lease" },
	{ "4.2", nothing, "sw-linuxptp", CHECK_PASS, "4.2" },
	{ "3.1.1", good_linuxptp, "sw-linuxptp", CHECK_PASS, "polled" },
	{ "3.1", old_linuxptp, "sw-linuxptp", CHECK_FAIL, "CVE-2021-3570" },
	{ "none", no_linuxptp, "sw-linuxptp", CHECK_FAIL, "" },
	{ "odd", odd_linuxptp, "sw-linuxptp", CHECK_WARN, "" },
	{ "bare service", service_bare, "sw-privileges", CHECK_FAIL, "the service is without CAP_SYS_TIME" },
	{ "room", nothing, "sw-disk", CHECK_PASS, "4096 MiB free" },
	{ "some room", some_room, "sw-disk", CHECK_WARN, "500 MiB" },
	{ "no room", no_room, "sw-disk", CHECK_FAIL, "5 MiB" },
	{ "good", nothing, "sw-database", CHECK_PASS, "newest run is 13" },
	{ "damaged", damaged, "sw-database", CHECK_FAIL, "damaged" },
	{ "secret", secret, "sw-database", CHECK_WARN, "" },
	{ "ours", our_console, "sw-console", CHECK_FAIL, "which is this terminal" },
	{ "set", nothing, "clock-tai", CHECK_PASS, "37 s" },
	{ "not set", no_tai, "clock-tai", CHECK_WARN, "CLOCK_TAI shows UTC" },
	{ "wrong", wrong_tai, "clock-tai", CHECK_FAIL, "36 s, which is wrong" },
	{ "none", nothing, "clock-leap", CHECK_PASS, "" },
	{ "leaping", leaping, "clock-leap", CHECK_WARN, "inserted" },
	{ "none", nothing, "sys-units", CHECK_PASS, "none" },
	{ "one", failed_unit, "sys-units", CHECK_FAIL, "1: dhcpcd.service" },
	{ "escape", escape, "port-driver", CHECK_PASS, "evil?[2J" },
};
/* clang-format on */

static void judges_what_is_asked(void **state)
{
	int wrong = 0;

	for (size_t i = 0; i < sizeof(changed) / sizeof(changed[0]); i++) {
		struct check_facts *f = facts_of(IMX, NULL);

		tune(f);
		changed[i].change(f, &f->ports[0]);
		wrong += expect(f, changed[i].name, changed[i].code, changed[i].verdict,
				changed[i].value);
		free(f);
	}
	assert_int_equal(wrong, 0);
}

/* Runs last of those that judge. */
static void every_code_passes_and_fails_somewhere(void **state)
{
	struct check_facts *f = facts_of(IMX, NULL);
	struct check_results r;
	int missing = 0;

	assert_int_equal(check_all(&r, f, NULL, 0), 0);
	assert_true(r.n > 45);
	for (size_t i = 0; i < r.n; i++) {
		size_t k = 0;

		while (k < SEEN_MAX - 1 && seen[k].code &&
		       strcmp(seen[k].code, r.result[i].check->code) != 0)
			k++;
		if (seen[k].code && seen[k].verdict[CHECK_PASS] &&
		    (seen[k].verdict[CHECK_FAIL] || seen[k].verdict[CHECK_WARN]))
			continue;
		print_message("%s: not seen passing and failing\n", r.result[i].check->code);
		missing++;
	}
	assert_int_equal(missing, 0);
	check_results_clear(&r);
	free(f);
}

/* -- what is printed --------------------------------------------------------------------- */

static void finds_ports_with_a_device(void **state)
{
	struct check_facts *f = facts_of(RPI, NULL);

	assert_int_equal(f->n_ports, 1); /* neither lo nor wlan0 */
	assert_string_equal(f->ports[0].name, "eth0");
	free(f);
	f = facts_of(PC, NULL);
	assert_int_equal(f->n_ports, 2);
	assert_string_equal(f->ports[1].name, "enp4s0");
	free(f);
}

static void prints_80_columns(void **state)
{
	for (enum board b = 0; b < BOARDS; b++) {
		struct check_facts *f = facts_of(b, NULL);
		struct check_results r;
		struct strbuf text = {0};

		assert_int_equal(check_all(&r, f, NULL, 0), 0);
		check_to_text(&r, &text);
		for (const char *line = strbuf_text(&text); *line; line += strcspn(line, "\n") + 1)
			assert_true(strcspn(line, "\n") <= 80);
		assert_non_null(strstr(strbuf_text(&text), "\nport "));
		strbuf_clear(&text);
		check_results_clear(&r);
		free(f);
	}
}

static void prints_json(void **state)
{
	static const char *const codes[] = {"cpu-governor", "port-link", "sys-watchdog"};
	struct check_facts *f = facts_of(IMX, NULL);
	struct check_results r;
	json_auto_t *object = NULL;
	json_t *list;

	assert_int_equal(check_all(&r, f, codes, 3), 0);
	object = check_to_json(&r);
	assert_non_null(object);
	assert_string_equal(json_string_value(json_object_get(object, "schema")), "ptpmon.check/1");
	list = json_object_get(object, "checks");
	assert_int_equal(json_array_size(list), 4); /* the link of two ports */
	assert_string_equal(json_string_value(json_object_get(json_array_get(list, 0), "verdict")),
			    "FAIL");
	assert_non_null(json_object_get(json_array_get(list, 0), "fix"));
	assert_null(json_object_get(json_array_get(list, 0), "port"));
	assert_string_equal(json_string_value(json_object_get(json_array_get(list, 2), "port")),
			    "eth1");
	assert_int_equal(json_integer_value(json_object_get(object, "failed")), 2);
	assert_int_equal(json_integer_value(json_object_get(object, "passed")), 2);
	check_results_clear(&r);
	free(f);
}

static void knows_its_codes(void **state)
{
	assert_null(check_find("kernel"));
	assert_null(check_find(""));
	assert_string_equal(check_find("sys-units")->code, "sys-units");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(judges_boards),
		cmocka_unit_test(judges_what_is_asked),
		cmocka_unit_test(every_code_passes_and_fails_somewhere),
		cmocka_unit_test(finds_ports_with_a_device),
		cmocka_unit_test(prints_80_columns),
		cmocka_unit_test(prints_json),
		cmocka_unit_test(knows_its_codes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
