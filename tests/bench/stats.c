/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the figures of a long night cost, against plain passes over the same data in the same run.
 *
 *	stats-bench [DIRECTORY]
 *
 * Records 5 000 000 samples (128 a second for 11 hours) through the store into a directory made
 * below DIRECTORY (/var/tmp) and removed again, and prints a table of measured values beside
 * their bars. Times are of the processor, the best of three, so that what else runs counts little.
 * Exit status 1 if a bar is missed.
 */
#include <errno.h>
#include <math.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ptpmon/base/nsec.h"
#include "ptpmon/base/strbuf.h"
#include "ptpmon/report/build.h"
#include "ptpmon/report/text.h"
#include "ptpmon/stats/deviation.h"
#include "ptpmon/stats/mtie.h"
#include "ptpmon/store/query.h"
#include "ptpmon/store/store.h"
#include "windows.h"

enum { SAMPLES = 5000000, RATE = 128, TRIES = 3, MTIE_PART = 3, TDEV_PART = 12, CPUS = 6 };

#define MIB (1024.0 * 1024)

/* What a piece of work took in a process of its own. */
struct cost {
	double cpu_s, wall_s, peak_mib;
};

struct bench {
	char directory[256], database[300];
	bool loaded; /* recorded with phases and windows of CPUs */
	int64_t *x;
	int64_t start_mono_ns; /* of the samples */
	bool missed;
};

static void die(const char *what)
{
	(void)fprintf(stderr, "stats: %s: %s\n", what, strerror(errno));
	exit(2);
}

static double seconds(clockid_t clock)
{
	return (double)nsec_now(clock) / NSEC_PER_SEC;
}

/* One line of the table: a bar is at most, or with `least` at least, so much. */
static void print_row(struct bench *b, const char *what, double measured, const char *unit,
		      double bar, bool least)
{
	bool met = least ? measured >= bar : measured <= bar;

	b->missed |= !met;
	(void)printf("%-46s %9.2f %-6s %s %8.2f  %s\n", what, measured, unit,
		     least ? ">=" : "<=", bar, met ? "met" : "MISSED");
}

static void print_fact(const char *what, double measured, const char *unit)
{
	(void)printf("%-46s %9.2f %s\n", what, measured, unit);
}

/* A servo's offsets: neighbours alike, and now and then one that stands out. */
static int64_t *generate(void)
{
	int64_t *x = malloc(SAMPLES * sizeof(*x));
	uint64_t random = 88172645463325252;
	double servo = 0;

	if (!x)
		die("malloc");
	for (size_t i = 0; i < SAMPLES; i++) {
		double noise = 0;

		for (unsigned k = 0; k < 4; k++) {
			random ^= random << 13;
			random ^= random >> 7;
			random ^= random << 17;
			noise += (double)(random >> 40) / (1 << 24) - 0.5;
		}
		servo = 0.95 * servo + 8 * noise;
		x[i] = llrint(servo) + (random % 100003 == 0 ? 20000 : 0);
	}
	return x;
}

static void put_windows(struct store *s, int64_t start_ns)
{
	static uint64_t random = 1234567;
	struct latency_window w;

	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		window_of_load(&w, start_ns, &random);
		if (!store_put_window(s, cpu + 1, &w))
			die("a window was dropped");
	}
}

static int put_series(struct store *s, bool loaded)
{
	struct series series = {SERIES_OFFSET, "pmc", "eth0", "ns"};
	int r = store_put_series(s, &series);

	for (unsigned cpu = 0; loaded && cpu < CPUS && r == 0; cpu++) {
		series = (struct series){.kind = SERIES_LATENCY, .source = "latency", .unit = "ns"};
		(void)snprintf(series.subject, sizeof(series.subject), "cpu %u", cpu);
		r = store_put_series(s, &series);
	}
	return r;
}

/* All samples, as fast as the store takes them; loaded: a third idle, then under load. */
static void put_all(struct bench *b, struct store *s)
{
	for (size_t i = 0; i < SAMPLES; i++) {
		const struct sample sample = {
			.mono_ns = b->start_mono_ns + (int64_t)i * (NSEC_PER_SEC / RATE),
			.value = b->x[i],
			.delay_ns = 540 + (int64_t)(i % 7),
		};

		while (i % 1024 == 0 && store_health(s).queued > STORE_QUEUE_MAX / 2) {
			store_kick(s);
			(void)usleep(1000);
		}
		if (b->loaded && i % RATE == 0)
			put_windows(s, sample.mono_ns);
		if (b->loaded && (i == 0 || i == SAMPLES / 3))
			(void)store_begin_phase(s, sample.mono_ns, i == 0 ? "idle" : "load");
		if (!store_put_sample(s, &sample))
			die("a sample was dropped");
	}
}

/* Returns what it took. */
static double record(struct bench *b)
{
	const struct store_run run = {.token = "bench", .boot_id = "bench", .host = "bench"};
	const struct clock_anchor anchor = clock_anchor_take(ANCHOR_START);
	struct store *s;
	char why[STORE_ERROR_MAX];
	int64_t resumed;
	double start = seconds(CLOCK_MONOTONIC);

	if (store_open(&s, b->directory, &run, &resumed, why) < 0)
		die(why);
	if (put_series(s, b->loaded) < 0 || store_start(s, NSEC_PER_SEC / 10, -1) < 0)
		die("store_start");
	b->start_mono_ns = nsec_now(CLOCK_MONOTONIC);
	(void)store_put_anchor(s, &anchor);
	put_all(b, s);
	s = store_close(s, "stopped", 60 * NSEC_PER_SEC);
	(void)snprintf(b->database, sizeof(b->database), "%s/ptpmon.db", b->directory);
	return seconds(CLOCK_MONOTONIC) - start;
}

static void sum_by_sqlite(const struct bench *b, size_t n)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *row = NULL;

	if (sqlite3_open_v2(b->database, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK ||
	    sqlite3_prepare_v2(db, "SELECT sum(value_ns) FROM sample", -1, &row, NULL) !=
		    SQLITE_OK ||
	    sqlite3_step(row) != SQLITE_ROW)
		die("the sum");
	(void)sqlite3_finalize(row);
	(void)sqlite3_close(db);
}

/* Of the first n samples. */
static void report_of(const struct bench *b, size_t n)
{
	const struct report_request request = {
		.since_mono_ns = TIME_UNKNOWN,
		.until_mono_ns = b->start_mono_ns + (int64_t)n * (NSEC_PER_SEC / RATE),
	};
	struct strbuf text = {0};
	struct query *q;
	struct report *r;
	char why[QUERY_ERROR_MAX];

	if (query_open(&q, b->database, NULL, why) < 0)
		die(why);
	if (report_build(&r, q, &request) < 0)
		die("the report");
	report_to_text(r, &text);
	if (r->offsets[0].columns[0].count != n || !strbuf_text(&text))
		die("the report is of something else");
	strbuf_clear(&text);
	r = report_free(r);
	q = query_free(q);
}

/* In a process of its own, for its memory and its time; the best of some tries. */
static struct cost measure(const struct bench *b, void (*work)(const struct bench *, size_t),
			   size_t n)
{
	struct cost best = {.cpu_s = INFINITY};

	for (unsigned i = 0; i < TRIES; i++) {
		double start = seconds(CLOCK_MONOTONIC);
		struct rusage usage;
		struct cost c;
		int status;
		pid_t pid;

		(void)fflush(stdout);
		pid = fork();
		if (pid == 0) {
			free(b->x);
			work(b, n);
			_exit(0);
		}
		if (pid < 0 || wait4(pid, &status, 0, &usage) != pid || status != 0)
			die("fork");
		c.wall_s = seconds(CLOCK_MONOTONIC) - start;
		c.cpu_s = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
			  (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
		c.peak_mib = (double)usage.ru_maxrss / 1024;
		if (c.cpu_s < best.cpu_s)
			best = c;
	}
	return best;
}

static volatile int64_t sink;

static double plain_pass(const int64_t *x, size_t n)
{
	double best = INFINITY;

	for (unsigned i = 0; i < TRIES; i++) {
		double start = seconds(CLOCK_THREAD_CPUTIME_ID);
		int64_t sum = 0;

		for (size_t k = 0; k < n; k++)
			sum += x[k];
		sink = sum;
		best = fmin(best, seconds(CLOCK_THREAD_CPUTIME_ID) - start);
	}
	return best;
}

/* One value, the best of some tries. */
static double time_mtie(struct mtie *t, size_t m)
{
	double best = INFINITY;

	for (unsigned i = 0; i < TRIES; i++) {
		double start;
		uint64_t range;

		(void)mtie_at(t, 1, &range); /* forget what is known of larger m */
		start = seconds(CLOCK_THREAD_CPUTIME_ID);
		(void)mtie_at(t, m, &range);
		best = fmin(best, seconds(CLOCK_THREAD_CPUTIME_ID) - start);
		sink = (int64_t)range;
	}
	return best;
}

static double time_tdev(const int64_t *x, size_t n, size_t m)
{
	double best = INFINITY;

	for (unsigned i = 0; i < TRIES; i++) {
		double start = seconds(CLOCK_THREAD_CPUTIME_ID);
		struct deviation d = {0};

		deviation_add(&d, DEVIATION_TDEV, x, n, &m, 1);
		best = fmin(best, seconds(CLOCK_THREAD_CPUTIME_ID) - start);
		sink = (int64_t)d.terms;
	}
	return best;
}

/* Of n values at every octave up to a largest m; 0: as far as a report has them. */
struct octaves {
	double worst_mtie_s, worst_tdev_s; /* one by one */
	double total_s;                    /* all, as a report takes them */
};

static size_t list_octaves(size_t largest, size_t out[static 64])
{
	size_t n = 0;

	for (size_t m = 1; m <= largest; m *= 2)
		out[n++] = m;
	return n;
}

static double time_all(const int64_t *x, size_t n, const size_t *m, size_t n_mtie, size_t n_tdev)
{
	double best = INFINITY;

	for (unsigned i = 0; i < TRIES; i++) {
		double start = seconds(CLOCK_THREAD_CPUTIME_ID);
		struct deviation d[64] = {0};
		struct mtie *t;

		if (mtie_new(&t, x, n) < 0)
			die("memory");
		for (size_t k = 0; k < n_mtie; k++) {
			uint64_t range;

			(void)mtie_at(t, m[k], &range);
			sink = (int64_t)range;
		}
		deviation_add(d, DEVIATION_TDEV, x, n, m, n_tdev);
		sink = (int64_t)d[0].terms;
		t = mtie_free(t);
		best = fmin(best, seconds(CLOCK_THREAD_CPUTIME_ID) - start);
	}
	return best;
}

static struct octaves time_octaves(const int64_t *x, size_t n, size_t largest)
{
	struct octaves o = {0};
	struct mtie *t;
	size_t m[64];
	size_t n_tdev = list_octaves(largest ? largest : n / TDEV_PART, m);
	size_t n_mtie = list_octaves(largest ? largest : n / MTIE_PART, m);

	if (mtie_new(&t, x, n) < 0)
		die("memory");
	for (size_t i = 0; i < n_mtie; i++)
		o.worst_mtie_s = fmax(o.worst_mtie_s, time_mtie(t, m[i]));
	for (size_t i = 0; i < n_tdev; i++)
		o.worst_tdev_s = fmax(o.worst_tdev_s, time_tdev(x, n, m[i]));
	t = mtie_free(t);
	o.total_s = time_all(x, n, m, n_mtie, n_tdev);
	return o;
}

/* A clock 156 ns a sample adrift: 20 ppm at 128 a second. */
static int64_t adrift(int64_t x, size_t i)
{
	return 156 * (int64_t)i + x;
}

/* What no clock does, but nothing keeps a record from holding. */
static int64_t steep(int64_t x, size_t i)
{
	return ((int64_t)i << 40) + x;
}

static int64_t scrambled(int64_t x, size_t i)
{
	return (int64_t)(((uint64_t)i + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)x) >> 2;
}

/* Ever further out, to and fro: each window is larger than all before it. */
static int64_t swinging(int64_t x, size_t i)
{
	return i % 2 ? (int64_t)i * 1000 : -(int64_t)i * 1000;
}

static const struct shape {
	const char *mtie, *tdev;
	int64_t (*value)(int64_t x, size_t i);
} shapes[] = {
	{"the same of a clock adrift: MTIE", "  TDEV", adrift},
	{"unlike any clock, 2^40 a sample: MTIE", "  TDEV", steep},
	{"unlike any clock, 62 bits at random: MTIE", "  TDEV", scrambled},
	{"unlike any clock, ever further out: MTIE", "  TDEV", swinging},
};

static void bench_shape(struct bench *b, const struct shape *shape, int64_t *room, double plain_s)
{
	struct octaves o;

	for (size_t i = 0; i < SAMPLES; i++)
		room[i] = shape->value(b->x[i], i);
	o = time_octaves(room, SAMPLES, 0);
	print_row(b, shape->mtie, o.worst_mtie_s / plain_s, "", 8, false);
	print_row(b, shape->tdev, o.worst_tdev_s / plain_s, "", 8, false);
}

static void bench_arrays(struct bench *b)
{
	double plain_s = plain_pass(b->x, SAMPLES);
	struct octaves all = time_octaves(b->x, SAMPLES, 0);
	struct octaves tenth = time_octaves(b->x, SAMPLES / 10, 0);
	struct octaves fixed = time_octaves(b->x, SAMPLES, 4096);
	struct octaves fixed_tenth = time_octaves(b->x, SAMPLES / 10, 4096);
	int64_t *room = malloc(SAMPLES * sizeof(*room));

	if (!room)
		die("malloc");
	print_fact("plain pass over 5 000 000 int64", plain_s * 1e3, "ms");
	print_row(b, "MTIE, worst octave / plain pass", all.worst_mtie_s / plain_s, "", 8, false);
	print_row(b, "TDEV, worst octave / plain pass", all.worst_tdev_s / plain_s, "", 8, false);
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		bench_shape(b, &shapes[i], room, plain_s);
	free(room);
	print_row(b, "10 times the samples, up to m = 4096", fixed.total_s / fixed_tenth.total_s,
		  "", 11, false);
	print_row(b, "10 times the samples, all octaves", all.total_s / tenth.total_s, "", 14,
		  false);
}

static void bench_report(struct bench *b)
{
	struct cost sum = measure(b, sum_by_sqlite, SAMPLES);
	struct cost report = measure(b, report_of, SAMPLES);
	struct cost tenth = measure(b, report_of, SAMPLES / 10);

	print_fact("select sum(value_ns) from sample", sum.cpu_s, "s");
	print_fact("report of 5 000 000 samples", report.cpu_s, "s");
	print_fact("  by the clock on the wall", report.wall_s, "s");
	print_row(b, "report / sum", report.cpu_s / sum.cpu_s, "", 6, false);
	print_row(b, "  aim", report.cpu_s / sum.cpu_s, "", 4, false);
	print_row(b, "report, memory", report.peak_mib, "MiB", 200, false);
	print_row(b, "10 times the samples, the report", report.cpu_s / tenth.cpu_s, "", 14, false);
}

static void remove_directory(const char *directory)
{
	char command[sizeof(((struct bench *)0)->directory) + 16];

	(void)snprintf(command, sizeof(command), "rm -r '%s'", directory);
	if (system(command) != 0) /* NOLINT(cert-env33-c): a name that mkdtemp() made */
		die(directory);
}

static void make_directory(struct bench *b, const char *below)
{
	(void)snprintf(b->directory, sizeof(b->directory), "%.200s/ptpmon-bench-XXXXXX", below);
	if (!mkdtemp(b->directory))
		die(b->directory);
}

/* The same night with what else is recorded: phases, and what six CPUs wake up like. */
static void bench_loaded(struct bench *b, const char *below)
{
	struct bench loaded = {.x = b->x, .loaded = true};
	struct cost sum;
	struct cost report;

	make_directory(&loaded, below);
	(void)record(&loaded);
	sum = measure(&loaded, sum_by_sqlite, SAMPLES);
	report = measure(&loaded, report_of, SAMPLES);
	print_fact("with phases and windows of six CPUs: sum", sum.cpu_s, "s");
	print_fact("  report", report.cpu_s, "s");
	print_row(&loaded, "  report / sum", report.cpu_s / sum.cpu_s, "", 6, false);
	print_row(&loaded, "  report, memory", report.peak_mib, "MiB", 200, false);
	remove_directory(loaded.directory);
	b->missed |= loaded.missed;
}

static void bench_recording(struct bench *b)
{
	double took_s = record(b);
	struct stat st;

	if (stat(b->database, &st) < 0)
		die(b->database);
	print_row(b, "samples a second into the store", SAMPLES / took_s, "", 200000, true);
	print_row(b, "bytes a sample on disk", (double)st.st_size / SAMPLES, "", 40, false);
}

int main(int argc, char **argv)
{
	const char *below = argc > 1 ? argv[1] : "/var/tmp";
	struct bench b = {0};

	make_directory(&b, below);
	b.x = generate();
	bench_recording(&b);
	bench_report(&b);
	remove_directory(b.directory);
	bench_loaded(&b, below);
	bench_arrays(&b);
	free(b.x);
	return b.missed ? 1 : 0;
}
