/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/collect/cyclictest.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/collect/cyclictest_impl.h"
#include "ptpmon/model/timemap.h"

/* cyclictest's own limit. */
enum { BUCKETS_MAX = 1000000 };

/* It begins with min at 1000000 and max at 0, and prints these where there was no cycle. */
static bool has_values(uint64_t min, uint64_t max)
{
	return min <= max;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_json(const char *text, size_t len)
{
	size_t at = 0;

	while (at < len && (is_blank(text[at]) || text[at] == '\n' || text[at] == '\r'))
		at++;
	return at < len && text[at] == '{';
}

struct cyclictest *cyclictest_make(size_t n)
{
	struct cyclictest *c = calloc(1, sizeof(*c) + n * sizeof(c->threads[0]));

	if (c) {
		c->n = n;
		c->start_utc_ns = c->end_utc_ns = TIME_UNKNOWN;
	}
	return c;
}

int cyclictest_add_bucket(struct cyclictest_thread *t, uint64_t bucket, uint64_t count,
			  int64_t unit_ns, char *why)
{
	if (bucket >= BUCKETS_MAX)
		return REFUSE(why, "a bucket beyond the %dth", BUCKETS_MAX);
	if (__builtin_add_overflow(t->cycles, count, &t->cycles))
		return REFUSE(why, "more cycles than can be counted");
	t->histogram.bins[histogram_bin(bucket * (uint64_t)unit_ns)] += count;
	return 0;
}

int cyclictest_finish_thread(struct cyclictest_thread *t, uint64_t overflow, uint64_t min,
			     uint64_t max, double avg, int64_t unit_ns, char *why)
{
	double sum_ns;

	if (__builtin_add_overflow(t->cycles, overflow, &t->cycles))
		return REFUSE(why, "more cycles than can be counted");
	t->overflow = overflow;
	if (t->cycles == 0)
		return 0;
	if (!has_values(min, max) || max > (uint64_t)INT64_MAX / CYCLICTEST_UNIT_NS)
		return REFUSE(why, "a smallest latency of %ju and a largest of %ju", (uintmax_t)min,
			      (uintmax_t)max);
	sum_ns = avg * (double)unit_ns * (double)t->cycles;
	if (!(sum_ns >= 0 && sum_ns < 9e18))
		return REFUSE(why, "an average that cannot be");
	t->min_ns = (int64_t)min * unit_ns;
	t->max_ns = (int64_t)max * unit_ns;
	t->sum_ns = (int64_t)sum_ns;
	return 0;
}

/* Text */

struct line {
	const char *at, *end;
};

/* The next line of the rest; false at the end. One that is not ended was cut off: no line. */
static bool next_line(struct line *rest, struct line *out)
{
	const char *end = memchr(rest->at, '\n', (size_t)(rest->end - rest->at));

	if (!end)
		return false;
	*out = (struct line){rest->at, end};
	if (out->end > out->at && out->end[-1] == '\r')
		out->end--;
	rest->at = end + 1;
	return true;
}

/* The next number; 0 if there is none any more, or -EBADMSG. */
static int next_number(struct line *l, uint64_t *out)
{
	uint64_t v = 0;

	while (l->at < l->end && is_blank(*l->at))
		l->at++;
	if (l->at == l->end)
		return 0;
	if (*l->at < '0' || *l->at > '9')
		return -EBADMSG;
	for (; l->at < l->end && *l->at >= '0' && *l->at <= '9'; l->at++)
		if (__builtin_mul_overflow(v, 10U, &v) ||
		    __builtin_add_overflow(v, (unsigned)(*l->at - '0'), &v))
			return -EBADMSG;
	*out = v;
	return l->at == l->end || is_blank(*l->at) ? 1 : -EBADMSG;
}

static bool skip(struct line *l, const char *prefix)
{
	size_t len = strlen(prefix);

	if ((size_t)(l->end - l->at) < len || memcmp(l->at, prefix, len) != 0)
		return false;
	l->at += len;
	return true;
}

/* Each block of the display but the first begins by taking the cursor up. */
static void take_cursor_up(struct line *l)
{
	struct line up = *l;

	if (!skip(&up, "\x1b["))
		return;
	while (up.at < up.end && *up.at >= '0' && *up.at <= '9')
		up.at++;
	if (skip(&up, "A"))
		*l = up;
}

static bool is_histogram(struct line l)
{
	take_cursor_up(&l);
	return skip(&l, "# Histogram") && l.at == l.end;
}

/* What it shows while it measures, unless -q: a line of the system and one of each thread. */
static bool is_display(struct line l)
{
	take_cursor_up(&l);
	return skip(&l, "policy: ") || skip(&l, "T:");
}

/*
 * A histogram, or the first line that tells anything: a warning does not, and the display of hours
 * may stand before the histogram. JSON has a brace there.
 */
bool cyclictest_recognise(const char *text, size_t len)
{
	struct line rest = {text, text + len};
	bool first = true;
	struct line l;

	if (is_json(text, len))
		return true;
	while (next_line(&rest, &l)) {
		struct line name = l;

		if (is_histogram(l) ||
		    (first && (is_display(l) || skip(&name, "# /dev/cpu_dma_latency set"))))
			return true;
		first = first && (l.at == l.end || skip(&name, "WARN: "));
	}
	return false;
}

/* The lines that stand below the rows; all but the totals are in every layout. */
enum footer { TOTAL, MIN, AVG, MAX, OVERFLOWS, FOOTER_MAX };

static const char *const footer_names[] = {
	[TOTAL] = "# Total:",
	[MIN] = "# Min Latencies:",
	[AVG] = "# Avg Latencies:",
	[MAX] = "# Max Latencies:",
	[OVERFLOWS] = "# Histogram Overflows:",
};

struct text {
	struct line all, rows;           /* rows: from below "# Histogram" on */
	struct line footers[FOOTER_MAX]; /* behind their names; at NULL: not there */
};

static size_t count_numbers(struct line l)
{
	uint64_t ignored;
	size_t n = 0;

	while (l.at && next_number(&l, &ignored) > 0)
		n++;
	return n;
}

static int find_parts(struct text *t, char *why)
{
	struct line rest = t->all;
	bool displays = false;
	struct line l;

	while (next_line(&rest, &l)) {
		displays = displays || is_display(l);
		if (is_histogram(l)) {
			if (t->rows.at)
				return REFUSE(why, "it holds more than one measurement");
			t->rows = (struct line){rest.at, t->all.end};
		}
		for (int i = 0; i < FOOTER_MAX; i++)
			if (skip(&l, footer_names[i]))
				t->footers[i] = l;
	}
	if (!t->rows.at && displays)
		return REFUSE(why, "a summary, but no histogram in it: measure with -h");
	for (int i = MIN; i < FOOTER_MAX; i++)
		if (!t->rows.at || !t->footers[i].at)
			return REFUSE(why,
				      "it was cut off, or made by cyclictest before 0.74: "
				      "no line \"%s\"",
				      t->rows.at ? footer_names[i] : "# Histogram");
	return 0;
}

/* A row: the bucket, and each thread's count; with -H their sum behind them. */
static int take_row(struct cyclictest *c, struct line l, int64_t unit_ns, int64_t *last, char *why)
{
	uint64_t bucket;
	uint64_t count;
	uint64_t sum = 0;
	int r = next_number(&l, &bucket);

	if (r <= 0 || bucket >= BUCKETS_MAX || (int64_t)bucket <= *last)
		return REFUSE(why, "a row that is no bucket, or not behind the one before");
	*last = (int64_t)bucket;
	for (size_t i = 0; i < c->n; i++) {
		if (next_number(&l, &count) <= 0)
			return REFUSE(why, "bucket %ju: not %zu counts", (uintmax_t)bucket, c->n);
		sum += count;
		r = cyclictest_add_bucket(&c->threads[i], bucket, count, unit_ns, why);
		if (r < 0)
			return r;
	}
	r = next_number(&l, &count);
	if (r < 0 || (r > 0 && (count != sum || next_number(&l, &count) != 0)))
		return REFUSE(why, "bucket %ju: does not add up", (uintmax_t)bucket);
	return 0;
}

static int take_rows(struct cyclictest *c, struct line rest, int64_t unit_ns, char *why)
{
	int64_t last = -1;
	struct line l;
	int r = 0;

	while (r == 0 && next_line(&rest, &l) && (l.at == l.end || *l.at != '#'))
		r = take_row(c, l, unit_ns, &last, why);
	return r;
}

static int check_totals(const struct cyclictest *c, struct line totals, char *why)
{
	for (size_t i = 0; totals.at && i < c->n; i++) {
		uint64_t total;

		if (next_number(&totals, &total) <= 0 || total != c->threads[i].cycles)
			return REFUSE(why, "thread %zu: the buckets are not its total", i);
	}
	return 0;
}

static int take_footers(struct cyclictest *c, struct text *t, int64_t unit_ns, char *why)
{
	for (size_t i = 0; i < c->n; i++) {
		uint64_t v[FOOTER_MAX];
		int r = 0;

		for (int f = MIN; f < FOOTER_MAX; f++)
			if (next_number(&t->footers[f], &v[f]) <= 0)
				return REFUSE(why, "line \"%s\": not %zu numbers", footer_names[f],
					      c->n);
		c->threads[i].cpu = (unsigned)i;
		r = cyclictest_finish_thread(&c->threads[i], v[OVERFLOWS], v[MIN], v[MAX],
					     (double)v[AVG], unit_ns, why);
		if (r < 0)
			return r;
	}
	return 0;
}

static int parse_text(struct cyclictest **out, const char *text, size_t len, int64_t unit_ns,
		      char *why)
{
	CLEANUP(freep) struct cyclictest *c = NULL;
	struct text t = {.all = {text, text + len}};
	int r = find_parts(&t, why);
	size_t n;

	if (r < 0)
		return r;
	n = count_numbers(t.footers[MIN]); /* never with a sum behind them */
	if (n == 0 || n > CYCLICTEST_THREADS_MAX)
		return REFUSE(why, "%zu threads", n);
	c = cyclictest_make(n);
	if (!c)
		return -ENOMEM;
	r = take_rows(c, t.rows, unit_ns, why);
	if (r == 0)
		r = check_totals(c, t.footers[TOTAL], why);
	if (r == 0)
		r = take_footers(c, &t, unit_ns, why);
	if (r == 0)
		*out = steal(&c);
	return r;
}

int cyclictest_parse(struct cyclictest **out, const char *text, size_t len, bool nanoseconds,
		     char why[static CYCLICTEST_ERROR_MAX])
{
	int64_t unit_ns = nanoseconds ? 1 : CYCLICTEST_UNIT_NS;

	return is_json(text, len) ? cyclictest_parse_json(out, text, len, unit_ns, why)
				  : parse_text(out, text, len, unit_ns, why);
}
