/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store rate|day|live|kills DIRECTORY ARGUMENT...: what the record takes and gives, measured on the
 * file system that the directory is on. tests/bench/store prints it as a table.
 *
 *	rate DIRECTORY SECONDS                    samples a second, octets a sample
 *	day DIRECTORY HOURS DAY                   octets written, as the kernel counts them
 *	live DIRECTORY MINUTES DAY                the same in real time
 *	kills DIRECTORY TIMES                     SIGKILL at random moments, and what was lost
 *
 * DAY is updates a second, CPUs, seconds from flush to flush, and what the CPUs are like: quiet,
 *load.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/store/query.h"
#include "ptpmon/store/store.h"
#include "ptpmon/store/usage.h"
#include "windows.h"

enum { CPUS_MAX = 64, LONGEST_US = 60000, PATIENCE_MS = 10000 };

static const struct store_run this_run = {.token = "bench", .boot_id = "bench"};
static const struct series offset_series = {SERIES_OFFSET, "pmc", "eth0", "ns"};

static _Noreturn void fail(const char *what, const char *why)
{
	(void)fprintf(stderr, "store: %s: %s\n", what, why);
	exit(2);
}

static struct store *open_store(const char *directory)
{
	struct store *s;
	char why[STORE_ERROR_MAX];
	int64_t resumed_from_mono_ns;

	if (store_open(&s, directory, &this_run, &resumed_from_mono_ns, why) < 0)
		fail("open", why);
	(void)store_put_series(s, &offset_series);
	return s;
}

static int64_t file_size(const char *directory, const char *name)
{
	char path[PATH_MAX];
	struct stat st;

	(void)snprintf(path, sizeof(path), "%s/%s", directory, name);
	return stat(path, &st) == 0 ? st.st_size : 0;
}

static struct sample make_sample(int64_t mono_ns, int64_t n)
{
	return (struct sample){
		.mono_ns = mono_ns,
		.value = n * 7919 % 401 - 200,
		.delay_ns = 1500 + n % 50,
		.freq_ppb = (double)(n % 97 - 38214),
		.servo = 2,
	};
}

static int measure_rate(const char *directory, char **arguments)
{
	int64_t lasts_ns = strtoll(arguments[0], NULL, 10) * NSEC_PER_SEC;
	struct store *s = open_store(directory);
	int64_t start_ns = nsec_now(CLOCK_MONOTONIC);
	int64_t n = 0;
	double took_s;

	if (store_start(s, 5 * NSEC_PER_SEC, -1) < 0)
		fail("start", "no thread");
	while (nsec_now(CLOCK_MONOTONIC) - start_ns < lasts_ns)
		for (int i = 0; i < 1000; i++, n++) {
			struct sample sample = make_sample(start_ns + n * 7812500, n);

			/* looked at before, so that nothing is dropped for it */
			while (store_health(s).queued >= STORE_QUEUE_MAX)
				(void)usleep(1000);
			if (!store_put_sample(s, &sample))
				fail("rate", "a sample was dropped");
		}
	(void)store_close(s, "stopped", 60 * NSEC_PER_SEC);
	took_s = (double)(nsec_now(CLOCK_MONOTONIC) - start_ns) / 1e9;
	(void)printf("%.0f %.2f\n", (double)n / took_s,
		     (double)file_size(directory, "ptpmon.db") / (double)n);
	return 0;
}

static void declare_cpus(struct store *s, int64_t cpus)
{
	for (unsigned cpu = 0; cpu < cpus && cpu < CPUS_MAX; cpu++) {
		struct series series = {.kind = SERIES_LATENCY, .source = "latency", .unit = "ns"};

		(void)snprintf(series.subject, sizeof(series.subject), "cpu %u", cpu);
		(void)store_put_series(s, &series);
	}
}

/* What a day is to be like, as the command line has it. */
struct day {
	int64_t rate, cpus, flush_s;
	void (*make_window)(struct latency_window *w, int64_t start_mono_ns, uint64_t *random);
};

static struct day read_day(char **arguments)
{
	return (struct day){
		.rate = strtoll(arguments[0], NULL, 10),
		.cpus = strtoll(arguments[1], NULL, 10),
		.flush_s = strtoll(arguments[2], NULL, 10),
		.make_window = strcmp(arguments[3], "load") == 0 ? window_of_load : window_of_quiet,
	};
}

/* What a second brings: samples and a window of each CPU. */
static void put_second(struct store *s, int64_t t, const struct day *day)
{
	static uint64_t random = 1234567;
	int64_t now_ns = (1000 + t) * NSEC_PER_SEC;
	struct latency_window w;

	for (int64_t i = 0; i < day->rate; i++) {
		struct sample sample =
			make_sample(now_ns + i * NSEC_PER_SEC / day->rate, t * day->rate + i);

		(void)store_put_sample(s, &sample);
	}
	for (unsigned cpu = 0; cpu < day->cpus && cpu < CPUS_MAX; cpu++) {
		day->make_window(&w, now_ns, &random);
		(void)store_put_window(s, cpu + 1, &w);
	}
}

static void print_day(const char *directory, int64_t written, int64_t seconds)
{
	(void)printf("%.1f %.1f\n", (double)written * 24 * 3600 / (double)seconds / 1e6,
		     (double)file_size(directory, "ptpmon.db") * 24 * 3600 / (double)seconds / 1e6);
}

/* Flush for flush as the service writes them, without the waiting between. */
static int measure_day(const char *directory, char **arguments)
{
	int64_t seconds = strtoll(arguments[0], NULL, 10) * 3600;
	const struct day day = read_day(arguments + 1);
	struct store *s = open_store(directory);
	int64_t written = usage_thread_written();
	char why[STORE_ERROR_MAX];

	declare_cpus(s, day.cpus);
	for (int64_t t = 0; t < seconds; t++) {
		put_second(s, t, &day);
		if (t % day.flush_s == day.flush_s - 1 && store_write(s, why) < 0)
			fail("write", why);
	}
	written = usage_thread_written() - written;
	(void)store_close(s, "stopped", NSEC_PER_SEC);
	print_day(directory, written, seconds);
	return 0;
}

/* What this process gave to the disk so far (/proc/self/io). */
static int64_t process_written(void)
{
	CLEANUP(fclosep) FILE *f = fopen("/proc/self/io", "re");
	char line[64];
	long long n = 0;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "write_bytes: %lld", &n) == 1)
			break;
	return n;
}

/* The same in real time, by the writer thread at its own interval. */
static int measure_live(const char *directory, char **arguments)
{
	int64_t seconds = strtoll(arguments[0], NULL, 10) * 60;
	const struct day day = read_day(arguments + 1);
	struct store *s = open_store(directory);
	int64_t next_ns = nsec_now(CLOCK_MONOTONIC);
	int64_t written;

	declare_cpus(s, day.cpus);
	(void)store_start(s, day.flush_s * NSEC_PER_SEC, -1);
	written = process_written();
	for (int64_t t = 0; t < seconds; t++) {
		struct timespec next;

		put_second(s, t, &day);
		next_ns += NSEC_PER_SEC;
		next = nsec_to_timespec(next_ns);
		(void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
	}
	written = process_written() - written;
	(void)store_close(s, "stopped", 10 * NSEC_PER_SEC);
	print_day(directory, written, seconds);
	return 0;
}

/* Values count up from first; the pipe is told how many are durable. Until killed. */
static void record_until_killed(const char *directory, int64_t first, int tell_fd)
{
	struct store *s = open_store(directory);
	int flushed_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	(void)store_start(s, 2 * NSEC_PER_MSEC, flushed_fd);
	for (int64_t value = first;; value++) {
		struct sample sample = {.mono_ns = value, .value = value};
		eventfd_t flushes;

		while (!store_put_sample(s, &sample))
			(void)usleep(1000);
		if (eventfd_read(flushed_fd, &flushes) == 0) {
			int64_t durable = first + (int64_t)store_health(s).samples;

			(void)!write(tell_fd, &durable, sizeof(durable));
		}
		if (value % 64 == 0)
			(void)usleep(100);
	}
}

static int64_t kill_one(const char *directory, int64_t first, useconds_t run_us)
{
	int64_t durable = first;
	int64_t told;
	int fds[2];
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) < 0 || (pid = fork()) < 0)
		fail("kills", strerror(errno));
	if (pid == 0)
		record_until_killed(directory, first, fds[1]);
	(void)close(fds[1]);
	(void)usleep(run_us);
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
	while (read(fds[0], &told, sizeof(told)) == (ssize_t)sizeof(told))
		durable = told;
	(void)close(fds[0]);
	return durable;
}

static int count_up(void *userdata, const struct sample *sample)
{
	int64_t *next = userdata;

	return sample->value == (*next)++ ? 0 : 1;
}

static bool is_sound(const char *path)
{
	sqlite3_stmt *row = NULL;
	sqlite3 *db = NULL;
	bool sound;

	sound = sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK &&
		sqlite3_prepare_v2(db, "PRAGMA integrity_check", -1, &row, NULL) == SQLITE_OK &&
		sqlite3_step(row) == SQLITE_ROW &&
		strcmp((const char *)sqlite3_column_text(row, 0), "ok") == 0;
	(void)sqlite3_finalize(row);
	(void)sqlite3_close(db);
	return sound;
}

static int measure_kills(const char *directory, char **arguments)
{
	int64_t times = strtoll(arguments[0], NULL, 10);
	int64_t written = 0;
	unsigned seed = 1;
	unsigned corrupt = 0;
	unsigned lost = 0;
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/ptpmon.db", directory);
	for (int64_t i = 0; i < times; i++) {
		int64_t durable =
			kill_one(directory, written, (useconds_t)(rand_r(&seed) % LONGEST_US));
		char why[QUERY_ERROR_MAX];
		struct query *q = NULL;
		int64_t found = 0;

		if (access(path, F_OK) < 0)
			continue; /* killed before there was anything */
		if (i % 20 == 0 && !is_sound(path))
			corrupt++;
		if (query_open(&q, path, NULL, why) < 0) {
			corrupt += !strstr(why, "nothing recorded yet");
			continue;
		}
		corrupt += query_visit_samples(q, QUERY_ALL_SERIES, INT64_MIN, INT64_MAX, count_up,
					       &found) != 0;
		(void)query_free(q);
		lost += found < durable;
		written = found;
	}
	corrupt += !is_sound(path);
	(void)printf("%u %u %" PRId64 "\n", corrupt, lost, written);
	return corrupt + lost > 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*measure)(const char *directory, char **arguments);
		int n_arguments;
	} measures[] = {
		{"rate", measure_rate, 1},
		{"day", measure_day, 5},
		{"live", measure_live, 5},
		{"kills", measure_kills, 1},
	};

	for (size_t i = 0; argc > 2 && i < sizeof(measures) / sizeof(measures[0]); i++)
		if (strcmp(argv[1], measures[i].name) == 0 && argc == 3 + measures[i].n_arguments)
			return measures[i].measure(argv[2], argv + 3);
	fail("usage", "store rate|day|live|kills DIRECTORY ARGUMENT...");
}
