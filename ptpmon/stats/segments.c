/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/stats/segments.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_SIZE = 16, PERCENT = 100, TENTH = 10 };

/* How two neighbours belong together. */
enum joint { JOINT_NEXT, JOINT_HOLE, JOINT_CUT };

static enum joint joint_of(int64_t distance_ns, int64_t tau0_ns)
{
	int64_t whole;
	bool half; /* at most half a distance more */

	if (distance_ns <= 0)
		return JOINT_CUT;
	if (distance_ns - tau0_ns <= tau0_ns / 2) /* as nearly all are: without a division */
		return JOINT_NEXT;
	whole = distance_ns / tau0_ns;
	half = distance_ns % tau0_ns <= tau0_ns / 2;
	return whole <= SEGMENTS_HOLE_MAX || (whole == SEGMENTS_HOLE_MAX + 1 && half) ? JOINT_HOLE
										      : JOINT_CUT;
}

/* How many values are missing in a hole. */
static size_t missing(int64_t distance_ns, int64_t tau0_ns)
{
	return (size_t)((distance_ns + tau0_ns / 2) / tau0_ns) - 1;
}

/* Goes through the neighbours of a series from the first to the last. */
struct walk {
	const struct series_values *series;
	size_t next_break;
};

/* How value i > 0 belongs to the one before; for i rising. */
static enum joint walk_to(struct walk *w, size_t i, int64_t *distance_ns)
{
	const struct series_values *s = w->series;
	bool broken = false;

	for (; w->next_break < s->n_breaks && s->breaks[w->next_break] <= (int64_t)i;
	     w->next_break++)
		broken |= s->breaks[w->next_break] == (int64_t)i;
	*distance_ns = s->times_ns[i] - s->times_ns[i - 1];
	return broken ? JOINT_CUT : joint_of(*distance_ns, s->tau0_ns);
}

/* What the distances are like, all of them. */
struct survey {
	uint64_t missing; /* in holes that may be filled */
	bool uneven;
};

static struct survey survey(const struct series_values *series)
{
	struct walk walk = {.series = series};
	int64_t tau0_ns = series->tau0_ns;
	struct survey s = {0};
	uint64_t off = 0;

	for (size_t i = 1; i < series->n; i++) {
		int64_t distance_ns;

		switch (walk_to(&walk, i, &distance_ns)) {
		case JOINT_NEXT:
			off += llabs(distance_ns - tau0_ns) > tau0_ns / TENTH;
			break;
		case JOINT_HOLE:
			s.missing += missing(distance_ns, tau0_ns);
			break;
		case JOINT_CUT:
			break;
		}
	}
	s.uneven = off > series->n / PERCENT;
	return s;
}

/* Opens a piece that begins with the value to be added next. */
static int begin(struct segments *s)
{
	if (s->n == s->size) {
		size_t size = s->size ? s->size * 2 : FIRST_SIZE;
		struct segment *bigger = reallocarray(s->v, size, sizeof(*bigger));

		if (!bigger)
			return -ENOMEM;
		s->v = bigger;
		s->size = size;
	}
	s->v[s->n++] = (struct segment){.first = s->n_values};
	return 0;
}

static void add(struct segments *s, int64_t value)
{
	if (s->own)
		s->own[s->n_values] = value;
	s->n_values++;
	s->v[s->n - 1].n++;
}

/* n values on the line from one to the other, rounded down; in parts, as b - a may not fit. */
static void fill(struct segments *s, int64_t a, int64_t b, size_t n)
{
	double step = ((double)b - (double)a) / (double)(n + 1);

	for (size_t i = 1; i <= n; i++)
		add(s, a + (int64_t)(step * (double)i));
	s->filled += n;
}

static int cut(struct segments *s, const struct series_values *series)
{
	struct walk walk = {.series = series};
	const int64_t *values = series->values;
	int r = series->n > 0 ? begin(s) : 0;

	for (size_t i = 0; i < series->n && r == 0; i++) {
		int64_t distance_ns = 0;
		enum joint joint = i > 0 ? walk_to(&walk, i, &distance_ns) : JOINT_NEXT;

		if (joint == JOINT_HOLE && s->own)
			fill(s, values[i - 1], values[i], missing(distance_ns, s->tau0_ns));
		else if (joint == JOINT_CUT || (joint == JOINT_HOLE && !s->uneven))
			r = begin(s);
		if (r == 0)
			add(s, values[i]);
	}
	return r;
}

int segments_cut(struct segments *out, const struct series_values *series)
{
	struct survey found = survey(series);
	struct segments s = {
		.tau0_ns = series->tau0_ns,
		.values = series->values,
		.uneven = found.uneven,
	};
	int r;

	if (found.missing > 0 && found.missing < series->n / PERCENT && !s.uneven) {
		s.own = malloc((series->n + (size_t)found.missing) * sizeof(*s.own));
		s.values = s.own;
		if (!s.own)
			return -ENOMEM;
	}
	r = cut(&s, series);
	if (r < 0)
		segments_clear(&s);
	else
		*out = s;
	return r;
}

void segments_clear(struct segments *s)
{
	free(s->v);
	free(s->own);
	*s = (struct segments){0};
}

size_t segments_longest(const struct segments *s)
{
	size_t longest = 0;

	for (size_t i = 0; i < s->n; i++)
		longest = s->v[i].n > longest ? s->v[i].n : longest;
	return longest;
}
