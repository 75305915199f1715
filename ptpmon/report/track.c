/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/report/track.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/stats/filter.h"
#include "ptpmon/stats/mtie.h"

int track_open(struct track *out, const struct series_values *offsets)
{
	struct track t = {.times_ns = offsets->times_ns, .unit_per_ns = 1};
	int r = segments_cut(&t.pieces, offsets);

	if (r == 0)
		*out = t;
	return r;
}

void track_clear(struct track *t)
{
	for (size_t i = 0; t->mtie && i < t->pieces.n; i++)
		t->mtie[i] = mtie_free(t->mtie[i]);
	free(t->mtie);
	segments_clear(&t->pieces);
}

/* The same pieces with values of their own, uninitialised. */
static int copy_pieces(struct track *out, const struct track *of)
{
	struct track t = *of;

	t.mtie = NULL;
	t.pieces.size = t.pieces.n;
	t.pieces.v = calloc(t.pieces.n + 1, sizeof(*t.pieces.v));
	t.pieces.own = malloc((t.pieces.n_values + 1) * sizeof(*t.pieces.own));
	t.pieces.values = t.pieces.own;
	if (!t.pieces.v || !t.pieces.own) {
		track_clear(&t);
		return -ENOMEM;
	}
	if (of->pieces.n > 0)
		memcpy(t.pieces.v, of->pieces.v, of->pieces.n * sizeof(*t.pieces.v));
	*out = t;
	return 0;
}

int track_low_pass(struct track *out, const struct track *of, int64_t high_ps[2])
{
	struct track t;
	int r = copy_pieces(&t, of);

	if (r < 0)
		return r;
	t.unit_per_ns = of->unit_per_ns * FILTER_PS_PER_NS;
	if (high_ps) {
		high_ps[0] = INT64_MAX;
		high_ps[1] = INT64_MIN;
	}
	for (size_t i = 0; i < t.pieces.n; i++) {
		struct segment *s = &t.pieces.v[i];
		const int64_t *from = of->pieces.values + s->first;
		int64_t *to = t.pieces.own + s->first;
		size_t settling = filter_low_pass(from, s->n, t.pieces.tau0_ns, to);

		if (high_ps)
			filter_high_pass_range(from + settling, to + settling, s->n - settling,
					       &high_ps[0], &high_ps[1]);
		s->first += settling;
		s->n -= settling;
	}
	*out = t;
	return 0;
}

int track_without_outliers(struct track *out, const struct track *of, uint64_t *outliers)
{
	CLEANUP(freep) int64_t *room = NULL;
	struct track t;
	int r = copy_pieces(&t, of);

	if (r < 0)
		return r;
	room = malloc((segments_longest(&t.pieces) + 1) * sizeof(*room));
	if (!room) {
		track_clear(&t);
		return -ENOMEM;
	}
	if (t.pieces.n_values > 0)
		memcpy(t.pieces.own, of->pieces.values, t.pieces.n_values * sizeof(*room));
	*outliers = 0;
	for (size_t i = 0; i < t.pieces.n; i++)
		*outliers +=
			filter_outliers(t.pieces.own + t.pieces.v[i].first, t.pieces.v[i].n, room);
	*out = t;
	return 0;
}

/* What a piece holds by itself; unevenly spaced values by their times. */
static int mtie_of_piece(struct track *t, size_t i, size_t m, uint64_t *out)
{
	const struct segment *s = &t->pieces.v[i];
	const int64_t *x = t->pieces.values + s->first;
	int r = 0;

	if (t->pieces.uneven)
		return mtie_by_time(t->times_ns + s->first, x, s->n, (int64_t)m * t->pieces.tau0_ns,
				    out);
	if (s->n <= m)
		return -ENODATA;
	if (!t->mtie[i])
		r = mtie_new(&t->mtie[i], x, s->n);
	if (r == 0 && !mtie_at(t->mtie[i], m, out))
		r = -ENODATA;
	return r;
}

int track_mtie(struct track *t, size_t m, double *out_ns)
{
	bool any = false;
	uint64_t largest = 0;

	if (!t->mtie)
		t->mtie = calloc(t->pieces.n + 1, sizeof(struct mtie *));
	if (!t->mtie)
		return -ENOMEM;
	for (size_t i = 0; i < t->pieces.n; i++) {
		uint64_t range = 0;
		int r = mtie_of_piece(t, i, m, &range);

		if (r == -ENODATA)
			continue;
		if (r < 0)
			return r;
		any = true;
		largest = range > largest ? range : largest;
	}
	*out_ns = any ? (double)largest / t->unit_per_ns : NAN;
	return 0;
}

int track_deviation(struct track *t, enum deviation_kind kind, const size_t *m, size_t n,
		    double *out)
{
	CLEANUP(freep) struct deviation *d = calloc(n + 1, sizeof(*d));

	if (!d)
		return -ENOMEM;
	for (size_t i = 0; i < t->pieces.n; i++)
		deviation_add(d, kind, t->pieces.values + t->pieces.v[i].first, t->pieces.v[i].n, m,
			      n);
	for (size_t i = 0; i < n; i++) {
		out[i] = NAN;
		if (deviation_value(&d[i], kind, m[i], t->pieces.tau0_ns, &out[i]))
			out[i] /= t->unit_per_ns;
	}
	return 0;
}

void track_means(const struct track *t, size_t n, size_t step, double *worst_ns, double *last_ns)
{
	struct phase_means means = {0};

	for (size_t i = 0; i < t->pieces.n; i++)
		phase_means_add(&means, t->pieces.values + t->pieces.v[i].first, t->pieces.v[i].n,
				n, step);
	*worst_ns = means.any ? means.worst / t->unit_per_ns : NAN;
	*last_ns = means.any ? means.last / t->unit_per_ns : NAN;
}
