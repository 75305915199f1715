/* SPDX-License-Identifier: GPL-2.0-or-later */
/* MTIE and deviations of one offset series in one column, at octaves or at what was asked for. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/base/nsec.h"
#include "ptpmon/report/building.h"
#include "ptpmon/report/track.h"

#define CTE_NS (1000 * NSEC_PER_SEC)

/* How long a record must be, in tau, for a value of many terms: of MTIE and of TDEV. */
enum { MTIE_PART = 3, TDEV_PART = 12 };

static int add_tau(struct report_wander *w, int64_t tau_ns)
{
	struct report_tau *bigger = reallocarray(w->taus, w->n_taus + 1, sizeof(*bigger));

	if (!bigger)
		return -ENOMEM;
	w->taus = bigger;
	bigger[w->n_taus++] = (struct report_tau){tau_ns, NAN, NAN, NAN, NAN, NAN, NAN};
	return 0;
}

/* The nearest multiple of the usual distance, and one at least. */
static size_t multiple(int64_t tau_ns, int64_t tau0_ns)
{
	int64_t m = tau_ns / tau0_ns + (tau_ns % tau0_ns >= tau0_ns - tau0_ns / 2);

	return m > 0 ? (size_t)m : 1;
}

static int by_tau(const void *a, const void *b)
{
	const struct report_tau *x = a;
	const struct report_tau *y = b;

	return (x->tau_ns > y->tau_ns) - (x->tau_ns < y->tau_ns);
}

/* In order, each once. */
static void sort_taus(struct report_wander *w)
{
	size_t used = 0;

	if (w->n_taus > 0)
		qsort(w->taus, w->n_taus, sizeof(*w->taus), by_tau);
	for (size_t i = 0; i < w->n_taus; i++)
		if (used == 0 || w->taus[i].tau_ns != w->taus[used - 1].tau_ns)
			w->taus[used++] = w->taus[i];
	w->n_taus = used;
}

/* Where the pieces of the masks meet, as far as a value is there. */
static int add_breakpoints(struct report_wander *w, const struct limits *limits, int64_t tau0_ns,
			   size_t longest)
{
	int r = 0;

	for (size_t i = 0; i < limits->n_masks; i++)
		for (size_t k = 0; k < limits->masks[i].n_pieces && r == 0; k++) {
			double tau_s = limits->masks[i].pieces[k].low_s;

			if (tau_s > 0 &&
			    tau_s * NSEC_PER_SEC <= (double)tau0_ns * (double)longest / MTIE_PART)
				r = add_tau(w, tau0_ns * (int64_t)multiple((int64_t)(tau_s * 1e9),
									   tau0_ns));
		}
	return r;
}

static int choose_taus(const struct building *b, struct report_wander *w, const struct track *t)
{
	const struct report_request *req = b->request;
	int64_t tau0_ns = t->pieces.tau0_ns;
	size_t longest = segments_longest(&t->pieces);
	int r = 0;

	for (size_t i = 0; i < req->n_taus && r == 0; i++)
		r = add_tau(w, tau0_ns * (int64_t)multiple(req->taus_ns[i], tau0_ns));
	for (size_t m = 1; req->n_taus == 0 && m <= longest / MTIE_PART && r == 0; m *= 2)
		r = add_tau(w, tau0_ns * (int64_t)m);
	if (r == 0 && req->limits)
		r = add_breakpoints(w, req->limits, tau0_ns, longest);
	sort_taus(w);
	return r;
}

/* Of the first n taus. */
struct column {
	size_t n;
	size_t *m;
	double *v;
};

static void column_clear(struct column *c)
{
	free(c->m);
	free(c->v);
}

/* Those that a record of this length has a TDEV for; what was asked for, if it has a term. */
static int column_of(const struct building *b, const struct track *t, const struct report_wander *w,
		     struct column *out)
{
	size_t longest = segments_longest(&t->pieces);

	out->m = calloc(w->n_taus + 1, sizeof(*out->m));
	out->v = calloc(w->n_taus + 1, sizeof(*out->v));
	if (!out->m || !out->v)
		return -ENOMEM;
	for (size_t i = 0; i < w->n_taus; i++) {
		out->m[i] = (size_t)(w->taus[i].tau_ns / t->pieces.tau0_ns);
		if (b->request->n_taus > 0 || out->m[i] <= longest / TDEV_PART)
			out->n = i + 1;
	}
	return 0;
}

/* One kind of deviation, into the member of that offset. */
static int fill_deviation(struct track *t, struct report_wander *w, struct column *c,
			  enum deviation_kind kind, size_t member)
{
	int r = track_deviation(t, kind, c->m, c->n, c->v);

	for (size_t i = 0; i < c->n && r == 0; i++)
		memcpy((char *)&w->taus[i] + member, &c->v[i], sizeof(c->v[i]));
	return r;
}

static int fill_filtered(struct track *t, struct report_wander *w, struct column *c)
{
	CLEANUP(track_clear) struct track filtered = {0};
	int r = track_without_outliers(&filtered, t, &w->outliers);

	return r < 0 ? r
		     : fill_deviation(&filtered, w, c, DEVIATION_TDEV,
				      offsetof(struct report_tau, tdev_filtered_ns));
}

static int fill_taus(const struct building *b, struct track *t, struct report_wander *w)
{
	static const struct {
		enum deviation_kind kind;
		size_t member;
	} rows[] = {
		{DEVIATION_TDEV, offsetof(struct report_tau, tdev_ns)},
		{DEVIATION_ADEV, offsetof(struct report_tau, adev)},
		{DEVIATION_OADEV, offsetof(struct report_tau, oadev)},
		{DEVIATION_MDEV, offsetof(struct report_tau, mdev)},
	};
	CLEANUP(column_clear) struct column c = {0};
	size_t n_rows = b->request->deviations ? sizeof(rows) / sizeof(rows[0]) : 1;
	int r = column_of(b, t, w, &c);

	for (size_t i = 0; i < w->n_taus && r == 0; i++)
		r = track_mtie(t, c.m[i], &w->taus[i].mtie_ns);
	for (size_t i = 0; i < n_rows && r == 0; i++)
		r = fill_deviation(t, w, &c, rows[i].kind, rows[i].member);
	if (r == 0 && b->request->deviations)
		r = fill_filtered(t, w, &c);
	return r;
}

int building_wander(const struct building *b, struct report_wander *out,
		    const struct series_values *offsets)
{
	CLEANUP(track_clear) struct track t = {0};
	int64_t tau0_ns = offsets->tau0_ns;
	int r = track_open(&t, offsets);

	if (r < 0)
		return r;
	out->pieces = t.pieces.n;
	out->longest_ns = (int64_t)(segments_longest(&t.pieces) - 1) * tau0_ns;
	out->filled = t.pieces.filled;
	out->uneven = t.pieces.uneven;
	r = choose_taus(b, out, &t);
	if (r == 0)
		r = fill_taus(b, &t, out);
	track_means(&t, multiple(CTE_NS, tau0_ns), multiple(NSEC_PER_SEC, tau0_ns),
		    &out->cte_worst_ns, &out->cte_last_ns);
	if (r == 0 && b->request->limits)
		r = building_judge(b, out, &t, offsets);
	return r;
}
