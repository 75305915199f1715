/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/conf/conf.h"

#define SLAVE "[ptpmon]\nrole = slave\ninterfaces = eth0\n"

static void three_lines_make_a_slave(void **state)
{
	char error[CONFIG_ERROR_MAX] = "";
	char path[CONFIG_PATH_MAX];
	struct config c;

	assert_int_equal(config_parse(&c, SLAVE, "three", error), 0);
	assert_int_equal(c.ptpmon.role, ROLE_SLAVE);
	assert_int_equal(c.ptpmon.interfaces.n, 1);
	assert_string_equal(c.ptpmon.interfaces.name[0], "eth0");
	assert_int_equal(c.ptp4l[0].fifo_priority, 70);
	assert_int_equal(c.ptp4l[0].timestamping, TIMESTAMPING_HARDWARE);
	assert_int_equal(c.latency.cpus.kind, CPUS_NOT_ISOLATED);
	assert_int_equal(c.latency.idle_states, IDLE_STATES_ALLOW);
	assert_int_equal(c.store.flush_interval_ns, 5 * NSEC_PER_SEC);
	assert_string_equal(config_ptp4l_socket(&c, 0, path), "/run/ptpmon/eth0/ptp4l");
	assert_string_equal(config_control_path(&c, path), "/run/ptpmon/control");
	assert_string_equal(config_database_path(&c, path), "/var/lib/ptpmon/ptpmon.db");
}

static void roles_are_understood_in_all_words(void **state)
{
	static const struct {
		const char *word;
		enum role role;
	} words[] = {
		{"grandmaster", ROLE_GRANDMASTER},      {"master", ROLE_GRANDMASTER},
		{"time transmitter", ROLE_GRANDMASTER}, {"slave", ROLE_SLAVE},
		{"Time Receiver", ROLE_SLAVE},
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		char text[128];
		char error[CONFIG_ERROR_MAX] = "";
		struct config c;

		(void)snprintf(text, sizeof(text), "[ptpmon]\nrole=%s\ninterfaces=a\n",
			       words[i].word);
		if (config_parse(&c, text, "words", error) != 0 || c.ptpmon.role != words[i].role)
			fail_msg("%s: %s", words[i].word, error);
	}
}

/* clang-format off */
static const struct {
	const char *text, *error;
} refused[] = {
	{ SLAVE "[ptp4l]\nfifo_priorty = 70\n",
	  "x:5: [ptp4l] fifo_priorty: no such key; is fifo_priority meant?" },
	{ SLAVE "[ptp4l]\nstale_after = 1 s\n",
	  "x:5: [ptp4l] stale_after: no such key here; it belongs to [monitor]" },
	{ SLAVE "[ptp5l]\n", "x:4: [ptp5l]: no such section; is [ptp4l] meant?" },
	{ SLAVE "[gibberish]\n", "x:4: [gibberish]: no such section" },
	{ SLAVE "role = slave\n", "x:4: [ptpmon] role: given twice, first in line 2" },
	{ SLAVE "[ptp4l]\nfifo_priority = 100\n",
	  "x:5: [ptp4l] fifo_priority: more than the most, 99" },
	{ SLAVE "[ptp4l]\nfifo_priority = high\n",
	  "x:5: [ptp4l] fifo_priority: 'high' is not a whole number" },
	{ SLAVE "[ptp4l]\nfifo_priority = 99999999999999999999\n",
	  "x:5: [ptp4l] fifo_priority: '99999999999999999999' is not a whole number" },
	{ SLAVE "[ptp4l]\ntransport = L3\n",
	  "x:5: [ptp4l] transport: 'L3' is none of L2, UDPv4, UDPv6" },
	{ SLAVE "[ptp4l]\ncpus = 0-\n",
	  "x:5: [ptp4l] cpus: '0-' is neither a list such as 0-3,5 nor one of all, not-isolated, isolated" },
	{ SLAVE "[store]\nflush_interval = 5\n",
	  "x:5: [store] flush_interval: '5' is not a duration with its unit, such as 5 s" },
	{ SLAVE "[store]\nflush_interval = 1 h\n",
	  "x:5: [store] flush_interval: more than the most, 10 min" },
	{ SLAVE "[store]\nsize_cap = 1 MiB\n",
	  "x:5: [store] size_cap: less than the least, 32 MiB" },
	{ SLAVE "[store]\nsize_cap = 1000\n",
	  "x:5: [store] size_cap: '1000' is not a size with its unit, such as 1 GiB" },
	{ SLAVE "[store]\nsize_cap = -1 GiB\n",
	  "x:5: [store] size_cap: '-1 GiB' is not a size with its unit, such as 1 GiB" },
	{ SLAVE "[store]\nsize_cap = 9999999999 GiB\n",
	  "x:5: [store] size_cap: '9999999999 GiB' is not a size with its unit, such as 1 GiB" },
	{ SLAVE "[store]\ndirectory = here\n",
	  "x:5: [store] directory: 'here' is not an absolute path" },
	{ SLAVE "[latency]\non = maybe\n",
	  "x:5: [latency] on: 'maybe' is none of yes, no, true, false, on, off" },
	{ SLAVE "[phc2sys]\nfeed = twice\n",
	  "x:5: [phc2sys] feed: 'twice' is none of none, once, follow" },
	{ SLAVE "[phc2sys]\nutc_offset = some\n",
	  "x:5: [phc2sys] utc_offset: 'some' is neither a whole number nor auto" },
	{ SLAVE "[phc2sys]\nutc_offset = 256\n",
	  "x:5: [phc2sys] utc_offset: more than the most, 255" },
	{ SLAVE "[phc2sys]\nepoch = 1970\n",
	  "x:5: [phc2sys] epoch: '1970' is none of guarded, arbitrary" },
	{ SLAVE "[ptp4l]\nclock_class = -1\n",
	  "x:5: [ptp4l] clock_class: less than the least, 0" },
	{ SLAVE "[latency\n", "x:4: a section header ends in ']'" },
	{ SLAVE "nonsense\n", "x:4: neither a [section] nor a key = value" },
	{ SLAVE "= 4\n", "x:4: a value without a key" },
	{ "role = slave\n", "x:1: role: a key before the first [section]" },
	{ "[ptpmon]\ninterfaces = eth0\n",
	  "x: [ptpmon] role: missing: grandmaster, slave, boundary, auto (as ptp4l decides) or monitor (launches no ptp4l); master, time transmitter and time receiver are understood" },
	{ "[ptpmon]\nrole = slave\n",
	  "x: [ptpmon] interfaces: missing: the ports, by the name of their network interface; may be left out where each [ptp4l NAME] has its own" },
	{ "[ptpmon]\nrole = slave\ninterfaces = ,\n",
	  "x:3: [ptpmon] interfaces: names no interface" },
	{ "[ptpmon]\nrole = slave\ninterfaces = eth0 eth0\n",
	  "x:3: [ptpmon] interfaces: eth0 is named twice" },
	{ "[ptpmon]\nrole = slave\ninterfaces = a-name-that-is-too-long\n",
	  "x:3: [ptpmon] interfaces: 'a-name-that-is-too-long' cannot be the name of an interface" },
	{ "[ptpmon]\nrole = slave\ninterfaces = ..\n",
	  "x:3: [ptpmon] interfaces: '..' cannot be the name of an interface" },
	{ "[ptpmon]\nrole = slave\ninterfaces = -h\n",
	  "x:3: [ptpmon] interfaces: '-h' cannot be the name of an interface" },
	{ SLAVE "label = \033[31mred\n",
	  "x:4: [ptpmon] label: has a control character in it" },
	{ SLAVE "runtime_directory = /run/a-directory-whose-name-is-so-long-that-no-socket-in-it-could-be-bound/because/its/path/is/long\n",
	  "x: [ptpmon] runtime_directory: too long for the path of a socket, which has 106 characters at most" },
	{ SLAVE "[limits]\noffset = 1 us\noffset_clear = 2 us\n",
	  "x:6: [limits] offset_clear: above offset: what clears an alarm must not raise it" },
	{ SLAVE "[ptp4l]\nextra_arguments = -m --domainNumber=3\n",
	  "x:5: [ptp4l] extra_arguments: '--domainNumber=3': say it as domain, or in config_file" },
	{ SLAVE "[ptp4l]\nextra_arguments = --uds_addr /tmp/x\n",
	  "x:5: [ptp4l] extra_arguments: '--uds_addr': ptpmon decides where that socket is" },
	{ SLAVE "[ptp4l]\nextra_arguments = -Pmieth1\n",
	  "x:5: [ptp4l] extra_arguments: '-Pmieth1': say it as interfaces" },
	{ SLAVE "[phc2sys]\nextra_arguments = -R 8 -mw\n",
	  "x:5: [phc2sys] extra_arguments: '-mw': ptpmon decides what phc2sys steers, and when" },
	{ SLAVE "[phc2sys]\nextra_arguments = -O -37\n",
	  "x:5: [phc2sys] extra_arguments: '-O': ptpmon decides what phc2sys steers, and when" },
	{ SLAVE "[phc2sys]\non = maybe\n",
	  "x:5: [phc2sys] on: 'maybe' is none of auto, yes, no" },
	{ SLAVE "[monitor]\nphc = ptp0\n",
	  "x:5: [monitor] phc: 'ptp0' is neither auto, nor none, nor the path of a device" },
	{ SLAVE "[limits]\nlatency_clear = 50 us\n",
	  "x:5: [limits] latency_clear: above latency: what clears an alarm must not raise it" },
	{ SLAVE "[limits]\noffset = 1000\n",
	  "x:5: [limits] offset: '1000' is not a duration with its unit, such as 10 ms" },
	{ "[ptpmon]\nrole = slave\ninterfaces = eth0 eth1\n",
	  "x:3: [ptpmon] interfaces: a slave has one port, these are 2" },
	{ "[ptpmon]\nrole = slave\n[ptp4l a]\n",
	  "x: [ptp4l a] interfaces: missing: the ports of this ptp4l" },
	{ SLAVE "[ptp4l b]\ninterfaces = eth1 eth0\nrole = grandmaster\n",
	  "x:5: [ptp4l b] interfaces: eth0 is a port of [ptp4l]: two ptp4l on one port" },
	{ SLAVE "[ptp4l b]\ninterfaces = eth1\n[ptp4l b]\n",
	  "x:6: [ptp4l b]: given twice, first in line 4" },
	{ SLAVE "[ptp4l eth0]\ninterfaces = eth1\n",
	  "x: [ptp4l eth0]: the first port of [ptp4l] has that name: they would share a directory" },
	{ SLAVE "[ptp4l]\nsocket = /run/x\n[ptp4l b]\ninterfaces = eth1\nsocket = /run/x\n",
	  "x:8: [ptp4l b] socket: /run/x is that of [ptp4l]" },
	{ SLAVE "[ptp4l]\ntimestamping = software\n[ptp4l b]\ninterfaces = eth1\n",
	  "x:5: [ptp4l b] timestamping: [ptp4l] steers CLOCK_REALTIME already, and only one may" },
	{ "[ptpmon]\nrole = boundary\ninterfaces = eth0\n",
	  "x:3: [ptpmon] interfaces: a boundary clock has two ports or more" },
	{ SLAVE "[ptp4l]\nprofile = gptp\ntransport = UDPv4\n",
	  "x:6: [ptp4l] transport: gptp is spoken over L2 only" },
	{ SLAVE "[ptp4l]\nprofile = gtpt\n",
	  "x:5: [ptp4l] profile: 'gtpt' is none of default, gptp, 802.1AS" },
	{ SLAVE "[ptp4l ../b]\n",
	  "x:4: [ptp4l ../b]: a name is of at most 15 letters, digits and . _ -" },
	{ SLAVE "[store b]\n", "x:4: [store b]: no such section; is [store] meant?" },
	{ SLAVE "[ptp4l]\ninterfaces = eth1\n",
	  "x:5: [ptp4l] interfaces: no such key here; it belongs to [ptpmon]" },
	{ SLAVE "[ptp4l b]\nstale_after = 1 s\n",
	  "x:5: [ptp4l b] stale_after: no such key here; it belongs to [monitor]" },
};
/* clang-format on */

static void what_is_wrong_names_file_line_section_and_key(void **state)
{
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		char error[CONFIG_ERROR_MAX] = "";
		struct config c;

		if (config_parse(&c, refused[i].text, "x", error) != -EINVAL ||
		    strcmp(error, refused[i].error) != 0)
			fail_msg("expected: %s\n     got: %s", refused[i].error, error);
	}
}

static void what_is_written_reads_back_the_same(void **state)
{
	static const char text[] =
		"# all kinds of value\r\n[ptpmon]\r\nrole=time receiver\r\ninterfaces = eth1\n"
		"label = night 1 = cold\n[ptp4l]\n; a comment\ncpus = 0-3, 5\n"
		"extra_arguments = --pi_proportional_const=0.7 -l 7\ntx_timestamp_timeout=50ms\n"
		"[monitor]\nstale_after = 1.5 s\n[latency]\non = off\ncpus = isolated\n"
		"idle_states = hold\n[store]\ndirectory = /data\nraw_retention = 0\n"
		"size_cap = 1536MiB\n";
	char error[CONFIG_ERROR_MAX] = "";
	struct config first;
	struct config second;
	CLEANUP(freep) char *written = NULL;
	CLEANUP(freep) char *again = NULL;

	assert_int_equal(config_parse(&first, text, "first", error), 0);
	assert_string_equal(first.ptpmon.label, "night 1 = cold");
	assert_int_equal(first.monitor.stale_after_ns, 1500 * NSEC_PER_MSEC);
	written = config_to_text(&first);
	assert_int_equal(config_parse(&second, written, "second", error), 0);
	again = config_to_text(&second);
	assert_string_equal(written, again);
	assert_non_null(strstr(written, "cpus = 0-3,5\n"));
	assert_non_null(strstr(written, "tx_timestamp_timeout = 50 ms\n"));
	assert_non_null(strstr(written, "stale_after = 1500 ms\n"));
	assert_non_null(strstr(written, "size_cap = 1536 MiB\n"));
	assert_non_null(strstr(written, "rollup_retention = 400 d\n"));
	assert_int_equal(first.store.raw_retention_ns, 0);
	assert_int_equal(first.store.size_cap_bytes, INT64_C(1536) << 20);
}

/* Nothing but a grandmaster with hardware time stamps has a PHC to be given its time. */
static void a_grandmaster_has_its_clock_fed(void **state)
{
	static const struct {
		const char *text;
		bool feeds;
		int64_t utc_offset_s, clock_class;
	} rows[] = {
		{"role = grandmaster\n", true, UTC_OFFSET_AUTO, CLOCK_CLASS_AUTO},
		{"role = grandmaster\n[ptp4l]\nmanage = no\n", false, UTC_OFFSET_AUTO,
		 CLOCK_CLASS_AUTO},
		{"role = slave\n", false, UTC_OFFSET_AUTO, CLOCK_CLASS_AUTO},
		{"role = grandmaster\n[phc2sys]\nfeed = none\nutc_offset = 38\n", false, 38,
		 CLOCK_CLASS_AUTO},
		{"role = grandmaster\n[phc2sys]\nfeed = follow\nutc_offset = Auto\n", true,
		 UTC_OFFSET_AUTO, CLOCK_CLASS_AUTO},
		{"role = grandmaster\n[ptp4l]\ntimestamping = software\nclock_class = 6\n", false,
		 UTC_OFFSET_AUTO, 6},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char error[CONFIG_ERROR_MAX] = "";
		struct config c;
		char text[256];

		(void)snprintf(text, sizeof(text), "[ptpmon]\ninterfaces = eth0\n%s", rows[i].text);
		if (config_parse(&c, text, "x", error) < 0 ||
		    config_ptp4l_feeds(&c, &c.ptp4l[0]) != rows[i].feeds ||
		    c.phc2sys.utc_offset_s != rows[i].utc_offset_s ||
		    c.ptp4l[0].clock_class != rows[i].clock_class)
			fail_msg("%s: %s", rows[i].text, error);
	}
}

static void several_ptp4l_have_from_one_what_they_do_not_say(void **state)
{
	static const char text[] =
		"[ptpmon]\nrole = slave\ninterfaces = eth0\n"
		"[ptp4l down]\ninterfaces = eth1 eth2\nrole = grandmaster\nfifo_priority = 50\n"
		"[ptp4l]\ntransport = UDPv4\nsocket = /run/x\nfifo_priority = 60\n"
		"[ptp4l up]\ninterfaces = eth3\n";
	char error[CONFIG_ERROR_MAX] = "";
	char path[CONFIG_PATH_MAX];
	struct config c;
	struct config again;
	CLEANUP(freep) char *written = NULL;
	CLEANUP(freep) char *rewritten = NULL;

	assert_int_equal(config_parse(&c, text, "x", error), 0);
	assert_int_equal(c.n_ptp4l, 3);
	assert_string_equal(c.ptp4l[0].child, "ptp4l");
	assert_string_equal(c.ptp4l[0].name, "eth0");
	assert_int_equal(c.ptp4l[0].fifo_priority, 60);
	assert_string_equal(c.ptp4l[1].child, "ptp4l down");
	assert_string_equal(c.ptp4l[1].name, "down");
	assert_int_equal(c.ptp4l[1].role, ROLE_GRANDMASTER);
	assert_int_equal(c.ptp4l[1].interfaces.n, 2);
	assert_int_equal(c.ptp4l[1].fifo_priority, 50);
	assert_int_equal(c.ptp4l[1].transport, TRANSPORT_UDPV4);
	assert_int_equal(c.ptp4l[2].role, ROLE_SLAVE);
	assert_int_equal(c.ptp4l[2].fifo_priority, 60);
	assert_string_equal(config_ptp4l_socket(&c, 0, path), "/run/x");
	assert_string_equal(config_ptp4l_socket(&c, 1, path), "/run/ptpmon/down/ptp4l");
	assert_string_equal(config_recorder_socket(&c, 2, path), "/run/ptpmon/up/recorder");
	written = config_to_text(&c);
	assert_int_equal(config_parse(&again, written, "again", error), 0);
	rewritten = config_to_text(&again);
	assert_string_equal(written, rewritten);
	assert_int_equal(memcmp(&c, &again, sizeof(c)), 0);
}

static void no_port_of_its_own_no_first_instance(void **state)
{
	static const char text[] = "[ptpmon]\nrole = slave\n[ptp4l]\ncpus = 1\n"
				   "[ptp4l a]\ninterfaces = eth1\n[ptp4l b]\ninterfaces = eth2\n";
	char error[CONFIG_ERROR_MAX] = "";
	struct config c;
	struct config again;
	CLEANUP(freep) char *written = NULL;

	assert_int_equal(config_parse(&c, text, "x", error), 0);
	assert_int_equal(c.n_ptp4l, 2);
	assert_string_equal(c.ptp4l[0].child, "ptp4l a");
	assert_int_equal(c.ptp4l[1].cpus.kind, CPUS_LISTED);
	written = config_to_text(&c);
	assert_int_equal(config_parse(&again, written, "again", error), 0);
	assert_int_equal(again.n_ptp4l, 2);
}

static void too_many_ptp4l_are_refused(void **state)
{
	char text[1024] = "[ptpmon]\nrole = slave\ninterfaces = eth0\n";
	char error[CONFIG_ERROR_MAX] = "";
	struct config c;

	for (int i = 1; i < CONFIG_PTP4L_MAX; i++)
		(void)snprintf(text + strlen(text), sizeof(text) - strlen(text),
			       "[ptp4l n%d]\ninterfaces = eth%d\n", i, i);
	assert_int_equal(config_parse(&c, text, "x", error), 0);
	assert_int_equal(c.n_ptp4l, CONFIG_PTP4L_MAX);
	(void)strcat(text, "[ptp4l last]\ninterfaces = eth99\n");
	assert_int_equal(config_parse(&c, text, "x", error), -EINVAL);
	assert_string_equal(error, "x: [ptp4l]: more than 8 of them");
	(void)strcat(text, "[ptp4l more]\ninterfaces = eth98\n");
	assert_int_equal(config_parse(&c, text, "x", error), -EINVAL);
	assert_string_equal(error, "x:20: [ptp4l more]: more than 8 of them");
}

static void what_differs_is_found_and_can_be_kept(void **state)
{
	char error[CONFIG_ERROR_MAX] = "";
	struct config now;
	struct config next;

	assert_int_equal(
		config_parse(&now, SLAVE "[store]\ndirectory = /a/long/directory\n", "x", error),
		0);
	assert_int_equal(config_parse(&next,
				      SLAVE "label = night\n[store]\ndirectory = /b\n"
					    "flush_interval = 1 s\n",
				      "x", error),
			 0);
	assert_true(config_section_differs(&now, &next, "store"));
	assert_true(config_section_differs(&now, &next, "ptpmon"));
	assert_false(config_section_differs(&now, &next, "latency"));
	assert_true(config_keep(&next, &now, "store", "directory"));
	assert_string_equal(next.store.directory, "/a/long/directory");
	assert_int_equal(next.store.flush_interval_ns, NSEC_PER_SEC);
	assert_false(config_keep(&next, &now, "store", "directory"));
	assert_true(config_keep(&next, &now, "store", NULL));
	assert_int_equal(next.store.flush_interval_ns, 5 * NSEC_PER_SEC);
	assert_false(config_section_differs(&now, &next, "store"));
	assert_string_equal(next.ptpmon.label, "night");
}

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	(void)fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static void a_later_file_wins_and_the_dump_says_so(void **state)
{
	char directory[] = "/tmp/test-conf-XXXXXX";
	char error[CONFIG_ERROR_MAX] = "";
	char dump[16384] = "";
	char expected[128];
	struct config c;
	FILE *out;

	assert_non_null(mkdtemp(directory));
	assert_int_equal(chdir(directory), 0);
	write_file("a.conf", SLAVE "[ptp4l]\nfifo_priority = 50\n");
	assert_int_equal(mkdir("a.conf.d", 0700), 0);
	write_file("a.conf.d/10.conf", "[ptp4l]\nfifo_priority = 60\n");
	write_file("a.conf.d/20.conf", "[ptp4l]\nfifo_priority = 61\n"
				       "[ptp4l b]\ninterfaces = eth1\n");
	write_file("a.conf.d/30.conf", "[ptp4l b]\nlog_sync_interval = -3\n");
	assert_int_equal(config_load(&c, "a.conf", error), 0);
	assert_int_equal(c.ptp4l[0].fifo_priority, 61);

	out = fmemopen(dump, sizeof(dump) - 1, "w");
	assert_int_equal(config_dump("a.conf", out, error), 0);
	assert_int_equal(fclose(out), 0);
	assert_non_null(strstr(dump, "# a.conf.d/20.conf:2\nfifo_priority = 61\n"));
	assert_non_null(strstr(dump, "# a.conf:2\nrole = slave\n"));
	assert_non_null(strstr(dump, "\n[ptp4l b]\n# a.conf.d/20.conf:4\ninterfaces = eth1\n"));
	assert_non_null(strstr(dump, "# a.conf.d/30.conf:2\nlog_sync_interval = -3\n"));
	assert_non_null(strstr(dump, "# default\ntransport = L2\n"));

	write_file("a.conf.d/30.conf", "[ptp4l]\nfifo = 61\n");
	assert_int_equal(config_load(&c, "a.conf", error), -EINVAL);
	(void)snprintf(expected, sizeof(expected), "a.conf.d/30.conf:2: [ptp4l] fifo: ");
	assert_memory_equal(error, expected, strlen(expected));
	assert_int_equal(config_load(&c, "absent.conf", error), -ENOENT);
	assert_string_equal(error, "absent.conf: No such file or directory");
	assert_int_equal(config_load(&c, directory, error), -EISDIR);

	for (const char **f = (const char *[]){"a.conf.d/10.conf", "a.conf.d/20.conf",
					       "a.conf.d/30.conf", "a.conf", NULL};
	     *f; f++)
		assert_int_equal(unlink(*f), 0);
	assert_int_equal(rmdir("a.conf.d"), 0);
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(rmdir(directory), 0);
}

static void phc2sys_follows_what_is_ours(void **state)
{
	static const struct {
		const char *name, *conf;
		bool wants;
	} rows[] = {
		/* clang-format off */
		{ "a slave", "[ptpmon]\nrole=slave\ninterfaces=eth0\n", true },
		{ "with software timestamps", "[ptpmon]\nrole=slave\ninterfaces=eth0\n[ptp4l]\ntimestamping=software\n", false },
		{ "off", "[ptpmon]\nrole=slave\ninterfaces=eth0\n[phc2sys]\non=no\n", false },
		{ "a grandmaster", "[ptpmon]\nrole=grandmaster\ninterfaces=eth0\n", false },
		{ "a grandmaster all the same", "[ptpmon]\nrole=grandmaster\ninterfaces=eth0\n[phc2sys]\non=yes\n", false },
		{ "a boundary clock", "[ptpmon]\nrole=boundary\ninterfaces=eth0 eth1\n", true },
		{ "somebody else's", "[ptpmon]\nrole=monitor\ninterfaces=eth0\n", false },
		{ "somebody else's, asked for", "[ptpmon]\nrole=monitor\ninterfaces=eth0\n[phc2sys]\non=yes\n", true },
		/* clang-format on */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char error[CONFIG_ERROR_MAX] = "";
		struct config c;

		if (config_parse(&c, rows[i].conf, "x", error) != 0)
			fail_msg("%s: %s", rows[i].name, error);
		if (config_wants_phc2sys(&c) != rows[i].wants)
			fail_msg("%s", rows[i].name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(three_lines_make_a_slave),
		cmocka_unit_test(roles_are_understood_in_all_words),
		cmocka_unit_test(what_is_wrong_names_file_line_section_and_key),
		cmocka_unit_test(what_is_written_reads_back_the_same),
		cmocka_unit_test(a_grandmaster_has_its_clock_fed),
		cmocka_unit_test(what_differs_is_found_and_can_be_kept),
		cmocka_unit_test(several_ptp4l_have_from_one_what_they_do_not_say),
		cmocka_unit_test(no_port_of_its_own_no_first_instance),
		cmocka_unit_test(too_many_ptp4l_are_refused),
		cmocka_unit_test(phc2sys_follows_what_is_ours),
		cmocka_unit_test(a_later_file_wins_and_the_dump_says_so),
	};

	return cmocka_run_group_tests_name("conf", tests, NULL, NULL);
}
