// SPDX-License-Identifier: GPL-2.0-or-later
/* status, mark and phase: what reaches the service, what they say, and how they end. */
#include "commands-fixture.h"

static const struct row {
	const char *name;
	const char *arguments[ARGUMENTS_MAX];
	int status;
	const char *notes;  /* exactly */
	const char *output; /* somewhere in it; NULL: nothing at all */
} rows[] = {
	{"mark", {"mark", "-c", "CONFIG", "door open"}, EXIT_GOOD, "mark door open\n", NULL},
	{"option last", {"mark", "door", "--config", "CONFIG"}, EXIT_GOOD, "mark door\n", NULL},
	{"mark of a dash", {"mark", "-cCONFIG"}, EXIT_USAGE, "", "ptpmon mark: "},
	{"mark not recorded",
	 {"mark", "-c", "CONFIG", "full"},
	 EXIT_USAGE,
	 "mark full\n",
	 "No space left on device"},
	{"empty mark", {"mark", "-c", "CONFIG", ""}, EXIT_USAGE, "", "is empty"},
	{"escape in a mark", {"mark", "-c", "CONFIG", "\033[2J"}, EXIT_USAGE, "", "control"},
	{"no text", {"mark", "-c", "CONFIG"}, EXIT_USAGE, "", "TEXT"},
	{"two texts", {"mark", "-c", "CONFIG", "a", "b"}, EXIT_USAGE, "", "TEXT"},
	{"unknown option", {"mark", "--nothing", "a"}, EXIT_USAGE, "", "--nothing: unknown"},
	{"unknown letter", {"mark", "-x", "a"}, EXIT_USAGE, "", "-x: unknown"},
	{"missing value", {"mark", "a", "--config"}, EXIT_USAGE, "", "--config: needs a value"},
	{"missing value of a letter", {"mark", "a", "-c"}, EXIT_USAGE, "", "-c: needs a value"},
	{"value of a flag", {"status", "--json=yes"}, EXIT_USAGE, "", "takes no value"},
	{"no configuration",
	 {"mark", "-c", "/nowhere/x.conf", "a"},
	 EXIT_USAGE,
	 "",
	 "ptpmon mark: /nowhere/x.conf: No such file or directory: write one (ptpmon.conf(5)) or "
	 "give --config\n"},
	{"help", {"mark", "--help"}, EXIT_GOOD, "", "usage: ptpmon mark "},
	{"help of status", {"status", "-h"}, EXIT_GOOD, "", "--json"},
	{"help of phase", {"phase", "--help"}, EXIT_GOOD, "", "COMMAND"},
	{"phase", {"phase", "-c", "CONFIG", "idle"}, EXIT_GOOD, "begin idle\n", NULL},
	{"phase without a name", {"phase", "-c", "CONFIG"}, EXIT_USAGE, "", "NAME"},
	{"name and end", {"phase", "-c", "CONFIG", "--end", "idle"}, EXIT_USAGE, "", "NAME"},
	{"bad name", {"phase", "-c", "CONFIG", "a\nb", "--", "true"}, EXIT_USAGE, "", "control"},
	{"end", {"phase", "-c", "CONFIG", "--end"}, EXIT_GOOD, "end \n", NULL},
	{"end of none", {"phase", "-c", "CONFIG", "--end"}, EXIT_BAD, "end \n", "no phase"},
	{"a command that ends well",
	 {"phase", "-c", "CONFIG", "a", "--", "true"},
	 EXIT_GOOD,
	 "begin a\nend \n",
	 NULL},
	{"a command that ends badly",
	 {"phase", "-c", "CONFIG", "a", "--", "sh", "-c", "echo out; exit 7"},
	 7,
	 "begin a\nend \n",
	 "out\n"},
	{"a command that is killed",
	 {"phase", "-c", "CONFIG", "a", "--", "sh", "-c", "kill -9 $$"},
	 137,
	 "begin a\nend \n",
	 NULL},
	{"a command that is not there",
	 {"phase", "-c", "CONFIG", "a", "--", "/nowhere/x"},
	 EXIT_USAGE,
	 "",
	 "cannot run /nowhere/x: No such file or directory"},
	{"a command that is nowhere in PATH",
	 {"phase", "-c", "CONFIG", "a", "--", "no-such-command"},
	 EXIT_USAGE,
	 "",
	 "cannot run no-such-command: No such file or directory"},
	{"a command that is a file",
	 {"phase", "-c", "CONFIG", "a", "--", "/etc/passwd"},
	 EXIT_USAGE,
	 "",
	 "cannot run /etc/passwd: Permission denied"},
	{"a command that is a directory",
	 {"phase", "-c", "CONFIG", "a", "--", "/etc"},
	 EXIT_USAGE,
	 "",
	 "cannot run /etc: Permission denied"},
	{"a command without dashes",
	 {"phase", "-c", "CONFIG", "a", "true"},
	 EXIT_USAGE,
	 "",
	 "stands behind --: phase a -- true"},
	{"dashes without a command",
	 {"phase", "-c", "CONFIG", "a", "--"},
	 EXIT_USAGE,
	 "",
	 "nothing to run"},
	{"dashes without a name",
	 {"phase", "-c", "CONFIG", "--", "true"},
	 EXIT_USAGE,
	 "",
	 "usage: ptpmon phase"},
	{"end and command",
	 {"phase", "-c", "CONFIG", "--end", "--", "true"},
	 EXIT_USAGE,
	 "",
	 "usage: ptpmon phase"},
	{"a command with dashes of its own",
	 {"phase", "-c", "CONFIG", "a", "--", "echo", "--", "--end"},
	 EXIT_GOOD,
	 "begin a\nend \n",
	 "-- --end\n"},
	{"status", {"status", "-c", "CONFIG"}, EXIT_GOOD, "", "GOOD      eth0 is SLAVE"},
	{"status as JSON",
	 {"status", "-c", "CONFIG", "--json"},
	 EXIT_GOOD,
	 "",
	 "\n  \"verdict\": \"good\","},
	{"status, read",
	 {"status", "-a", "-c", "CONFIG"},
	 EXIT_GOOD,
	 "acknowledge 8040500000000\n",
	 "GOOD      eth0 is SLAVE"},
	{"wait-sync",
	 {"wait-sync", "-c", "CONFIG"},
	 EXIT_GOOD,
	 "",
	 "eth0 is SLAVE, offset -112 ns; within limits for 2 h 13 min\n"},
	{"wait-sync as JSON",
	 {"wait-sync", "--json", "-c", "CONFIG"},
	 EXIT_GOOD,
	 "",
	 "\n  \"in_sync\": true,"},
	{"wait-sync for how long",
	 {"wait-sync", "-c", "CONFIG", "--timeout", "5"},
	 EXIT_USAGE,
	 "",
	 "needs a unit"},
	{"status with an operand", {"status", "-c", "CONFIG", "x"}, EXIT_USAGE, "", "too much"},
};

static void test_rows(void **state)
{
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];
		char notes[TEXT_MAX];
		char output[TEXT_MAX];
		int status;

		(void)unlink(f->notes);
		status = wait_command(start_command(f, row->arguments));
		read_file(f->notes, notes);
		read_file(f->output, output);
		if (status != row->status || strcmp(notes, row->notes) != 0 ||
		    (row->output ? !strstr(output, row->output) : output[0]))
			fail_msg("%s: status %d, notes '%s', output '%s'", row->name, status, notes,
				 output);
		if (status == EXIT_USAGE && !is_one_line(output))
			fail_msg("%s: more than a line: %s", row->name, output);
	}
}

/* A serial console has 80 columns. */
static void test_help_fits(void **state)
{
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		char output[TEXT_MAX];

		assert_int_equal(RUN(f, commands[i].name, "--help"), EXIT_GOOD);
		read_file(f->output, output);
		for (const char *line = output; *line; line += strcspn(line, "\n") + 1)
			if (strcspn(line, "\n") > 79)
				fail_msg("%s: %s", commands[i].name, line);
	}
}

static void test_status_exit(void **state)
{
	struct fixture *f = *state;

	for (size_t i = 0; i < n_status_fixtures; i++) {
		int expected = status_fixtures[i].verdict == STATUS_GOOD ? EXIT_GOOD : EXIT_BAD;

		stop_service(f);
		f->status = &status_fixtures[i];
		start_service(f, false);
		if (RUN(f, "status", "-c", "CONFIG") != expected)
			fail_msg("%s: exit status is not %d", f->status->name, expected);
	}
}

static void test_no_service(void **state)
{
	struct fixture *f = *state;
	char output[TEXT_MAX];

	/* killed: its socket is still there */
	stop_service(f);
	assert_int_equal(RUN(f, "status", "-c", "CONFIG"), EXIT_USAGE);
	read_file(f->output, output);
	assert_non_null(strstr(output, f->socket));
	assert_non_null(strstr(output, "ptpmon run"));
	assert_true(is_one_line(output));
	/* never there; and a command is not even started */
	assert_int_equal(unlink(f->socket), 0);
	assert_int_equal(RUN(f, "phase", "-c", "CONFIG", "a", "--", "echo", "started"), EXIT_USAGE);
	read_file(f->output, output);
	assert_non_null(strstr(output, f->socket));
	assert_null(strstr(output, "started\n"));
}

/*
 * One that is stopped keeps no command for ever, and when it goes on it does nothing that has been
 * given up: no mark, and no phase that never ends.
 */
static void test_silent_service(void **state)
{
	static const struct {
		const char *output; /* where it goes, in the directory */
		const char *arguments[8];
		const char *text;
	} asked[] = {
		{"1", {"status", "-c", "CONFIG"}, "no answer in time"},
		{"2", {"mark", "-c", "CONFIG", "late"}, "the mark may still be recorded"},
		{"3", {"phase", "-c", "CONFIG", "ghost", "--", "true"}, "making sure"},
	};
	enum { N = sizeof(asked) / sizeof(asked[0]) };
	struct fixture *f = *state;
	struct fixture each[N];
	pid_t pids[N];
	char text[TEXT_MAX];

	assert_int_equal(kill(f->service, SIGSTOP), 0);
	for (size_t i = 0; i < N; i++) {
		each[i] = *f;
		snprintf(each[i].output, sizeof(each[i].output), "%s/%s", f->directory,
			 asked[i].output);
		pids[i] = start_command(&each[i], asked[i].arguments);
	}
	for (size_t i = 0; i < N; i++)
		assert_true(wait_for_text(each[i].output, asked[i].text));
	assert_int_equal(kill(f->service, SIGCONT), 0);
	for (size_t i = 0; i < N; i++) {
		assert_int_equal(wait_command(pids[i]), EXIT_USAGE);
		assert_true(is_one_line(read_file(each[i].output, text)));
		(void)unlink(each[i].output);
	}
	assert_string_equal(read_file(f->notes, text), "end \n");
}

/* The service holds the lock, but its recorder is not there yet: that is waited for, not for ever.
 */
static void test_recorder_restarts(void **state)
{
	static const char *const status[] = {"status", "-c", "CONFIG", NULL};
	struct fixture *f = *state;
	CLEANUP(close_fdp) int lock = open(f->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char output[TEXT_MAX];
	pid_t pid;

	assert_int_equal(flock(lock, LOCK_EX | LOCK_NB), 0);
	stop_service(f); /* killed: its socket is still there */
	pid = start_command(f, status);
	(void)poll(NULL, 0, 500);
	start_service(f, false);
	assert_int_equal(wait_command(pid), EXIT_GOOD);

	stop_service(f);
	assert_int_equal(unlink(f->socket), 0);
	assert_int_equal(wait_command(start_command(f, status)), EXIT_USAGE);
	read_file(f->output, output);
	assert_non_null(strstr(output, "recorder is being started: try again"));
	assert_true(is_one_line(output));
}

/* Told to end, it ends its command and its phase. */
static void test_interrupted(void **state)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	struct fixture *f = *state;
	const char *const arguments[] = {
		"phase",
		"-c",
		"CONFIG",
		"a",
		"--",
		"sh",
		"-c",
		"trap 'echo ended; exit 3' INT TERM HUP; echo began; while :; do sleep 0.05; done",
		NULL};

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		char notes[TEXT_MAX];
		pid_t pid;

		(void)unlink(f->notes);
		(void)unlink(f->output);
		pid = start_command(f, arguments);
		assert_true(wait_for_text(f->output, "began\n"));
		assert_int_equal(kill(pid, signals[i]), 0);
		assert_int_equal(wait_command(pid), EXIT_INTERRUPTED);
		assert_true(wait_for_text(f->output, "ended\n"));
		assert_string_equal(read_file(f->notes, notes), "begin a\nend \n");
	}
}

/* What the command started goes with it, also when it does not wait for them. */
static void test_leaves_nothing(void **state)
{
	struct fixture *f = *state;
	char output[TEXT_MAX];
	int pid;

	assert_int_equal(RUN(f, "phase", "-c", "CONFIG", "a", "--", "sh", "-c",
			     "sleep 60 >/dev/null 2>&1 & echo $!"),
			 EXIT_GOOD);
	pid = atoi(read_file(f->output, output));
	assert_true(pid > 1);
	for (int ms = 0; kill(pid, 0) == 0 && ms < PATIENCE_MS; ms += 10)
		(void)poll(NULL, 0, 10);
	assert_int_equal(kill(pid, 0), -1);
}

/* A phase command that is killed outright takes its load with it. */
static void test_killed(void **state)
{
	struct fixture *f = *state;
	const char *const arguments[] = {"phase", "-c", "CONFIG", "a",
					 "--",    "sh", "-c",     "echo pid $$ .; exec sleep 60",
					 NULL};
	char output[TEXT_MAX];
	pid_t pid = start_command(f, arguments);
	int load;

	assert_true(wait_for_text(f->output, " .\n"));
	load = atoi(read_file(f->output, output) + 4);
	assert_true(load > 1);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(wait_command(pid), -SIGKILL);
	for (int ms = 0; kill(load, 0) == 0 && ms < PATIENCE_MS; ms += 10)
		(void)poll(NULL, 0, 10);
	assert_int_equal(kill(load, 0), -1);
}

/* The recorder goes away while the command runs, and comes back later than the command's end. */
static void test_recorder_is_away_at_the_end(void **state)
{
	struct fixture *f = *state;
	CLEANUP(close_fdp) int lock = open(f->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const char *const arguments[] = {
		"phase", "-c", "CONFIG", "a", "--", "sh", "-c", "echo began; sleep 0.3", NULL};
	char notes[TEXT_MAX];
	pid_t pid = start_command(f, arguments);

	assert_int_equal(flock(lock, LOCK_EX | LOCK_NB), 0);
	assert_true(wait_for_text(f->output, "began\n"));
	stop_service(f);
	(void)poll(NULL, 0, 1000);
	start_service(f, true);
	assert_int_equal(wait_command(pid), EXIT_GOOD);
	assert_string_equal(read_file(f->notes, notes), "begin a\nend \n");
}

/* The whole service ends while the command runs, and with it the phase: nothing is waited for. */
static void test_service_ends(void **state)
{
	struct fixture *f = *state;
	const char *const arguments[] = {
		"phase", "-c", "CONFIG", "a", "--", "sh", "-c", "echo began; sleep 0.3", NULL};
	pid_t pid = start_command(f, arguments);
	int64_t began_ns = nsec_now(CLOCK_MONOTONIC);
	char output[TEXT_MAX];

	assert_true(wait_for_text(f->output, "began\n"));
	stop_service(f);
	assert_int_equal(wait_command(pid), EXIT_USAGE);
	assert_true(nsec_now(CLOCK_MONOTONIC) - began_ns < 10 * NSEC_PER_SEC);
	assert_non_null(strstr(read_file(f->output, output), "no service listens there"));
}

/* The load's own conditions; without capabilities only where there were any to lose. */
static void test_conditions(void **state)
{
	struct fixture *f = *state;
	char output[TEXT_MAX];

	assert_int_equal(RUN(f, "phase", "-c", "CONFIG", "a", "--", "sh", "-c",
			     "cat /proc/self/oom_score_adj; grep -E 'Cap|NoNew|SigBlk' "
			     "/proc/self/status; echo group $(ps -o pgid= -p $$) of $$"),
			 EXIT_GOOD);
	read_file(f->output, output);
	assert_int_equal(strncmp(output, "1000\n", 5), 0);
	assert_non_null(strstr(output, "SigBlk:\t0000000000000000\n"));
	if (geteuid() == 0) {
		assert_non_null(strstr(output, "CapInh:\t0000000000000000\n"));
		assert_non_null(strstr(output, "CapPrm:\t0000000000000000\n"));
		assert_non_null(strstr(output, "CapEff:\t0000000000000000\n"));
		assert_non_null(strstr(output, "CapBnd:\t0000000000000000\n"));
		assert_non_null(strstr(output, "CapAmb:\t0000000000000000\n"));
		assert_non_null(strstr(output, "NoNewPrivs:\t1\n"));
	}
}

int main(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

	/* a shell cannot trap what was ignored when it began, as in a job in the background */
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		(void)signal(signals[i], SIG_DFL);
	const struct CMUnitTest tests[] = {
		TEST(test_rows),           TEST(test_help_fits),
		TEST(test_status_exit),    TEST(test_no_service),
		TEST(test_silent_service), TEST(test_recorder_restarts),
		TEST(test_interrupted),    TEST(test_leaves_nothing),
		TEST(test_killed),         TEST(test_recorder_is_away_at_the_end),
		TEST(test_service_ends),   TEST(test_conditions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
