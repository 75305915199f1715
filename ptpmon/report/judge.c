/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a set of limits says of one offset series in one column. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "ptpmon/base/nsec.h"
#include "ptpmon/report/building.h"
#include "ptpmon/report/track.h"
#include "ptpmon/stats/filter.h"
#include "ptpmon/stats/quantile.h"

/* The offsets as the masks want them. */
struct judging {
	struct report_wander *wander;
	struct track *track;
	struct track low_pass; /* opened when a mask needs it */
	bool filtered;
	int64_t high_ps[2];
	const struct series_values *offsets;
};

static void judging_clear(struct judging *j)
{
	if (j->filtered)
		track_clear(&j->low_pass);
}

static int need_filter(struct judging *j)
{
	int r;

	if (j->filtered)
		return 0;
	r = track_low_pass(&j->low_pass, j->track, j->high_ps);
	j->filtered = r == 0;
	return r;
}

static void decide(struct report_verdict *v)
{
	if (isnan(v->limit_ns))
		v->outcome = REPORT_NO_LIMIT;
	else if (isnan(v->value_ns))
		v->outcome = REPORT_NO_VALUE;
	else
		v->outcome = v->value_ns <= v->limit_ns ? REPORT_WITHIN : REPORT_OUTSIDE;
}

/* The lowest and highest of what is in the pieces, in ns; false without any value. */
static bool extremes_of(const struct track *t, double *low_ns, double *high_ns)
{
	bool any = false;

	*low_ns = INFINITY;
	*high_ns = -INFINITY;
	for (size_t i = 0; i < t->pieces.n; i++)
		for (size_t k = 0; k < t->pieces.v[i].n; k++) {
			double ns =
				(double)t->pieces.values[t->pieces.v[i].first + k] / t->unit_per_ns;

			*low_ns = fmin(*low_ns, ns);
			*high_ns = fmax(*high_ns, ns);
			any = true;
		}
	return any;
}

static void judge_range(const struct judging *j, struct report_verdict *v)
{
	double low_ns = 0;
	double high_ns = 0;
	bool any;

	if (v->mask->filter == MASK_HIGH_PASS) {
		any = j->high_ps[0] <= j->high_ps[1];
		low_ns = (double)j->high_ps[0] / FILTER_PS_PER_NS;
		high_ns = (double)j->high_ps[1] / FILTER_PS_PER_NS;
	} else {
		any = extremes_of(v->mask->filter == MASK_LOW_PASS ? &j->low_pass : j->track,
				  &low_ns, &high_ns);
	}
	if (!any)
		return;
	v->value_ns = v->mask->quantity == MASK_MAX_TE ? fmax(fabs(low_ns), fabs(high_ns))
						       : high_ns - low_ns;
	if (v->mask->quantity == MASK_MAX_TE && v->mask->filter == MASK_UNFILTERED)
		v->beyond = quantile_beyond(j->offsets->values, j->offsets->n,
					    (int64_t)floor(v->limit_ns));
}

static int value_at(struct judging *j, const struct mask *mask, const struct report_tau *tau,
		    double *out_ns)
{
	size_t m = (size_t)(tau->tau_ns / j->track->pieces.tau0_ns);

	if (mask->filter == MASK_UNFILTERED) {
		*out_ns = mask->quantity == MASK_MTIE ? tau->mtie_ns : tau->tdev_ns;
		return 0;
	}
	return mask->quantity == MASK_MTIE
		       ? track_mtie(&j->low_pass, m, out_ns)
		       : track_deviation(&j->low_pass, DEVIATION_TDEV, &m, 1, out_ns);
}

/* Where the value is the largest part of its limit; without any value, where there is a limit. */
static int judge_function(struct judging *j, struct report_verdict *v)
{
	double worst = -1;

	for (size_t i = 0; i < j->wander->n_taus; i++) {
		const struct report_tau *tau = &j->wander->taus[i];
		double limit_ns;
		double value_ns = NAN;
		int r = 0;

		if (!mask_limit(v->mask, (double)tau->tau_ns / NSEC_PER_SEC, &limit_ns))
			continue;
		r = value_at(j, v->mask, tau, &value_ns);
		if (r < 0)
			return r;
		if (isnan(v->limit_ns))
			v->limit_ns = limit_ns;
		if (isnan(value_ns) || value_ns / limit_ns <= worst)
			continue;
		worst = value_ns / limit_ns;
		v->tau_ns = tau->tau_ns;
		v->value_ns = value_ns;
		v->limit_ns = limit_ns;
	}
	return 0;
}

static int judge_mask(struct judging *j, struct report_verdict *v)
{
	int r = v->mask->filter == MASK_UNFILTERED ? 0 : need_filter(j);

	if (r < 0)
		return r;
	switch (v->mask->quantity) {
	case MASK_MAX_TE:
	case MASK_PEAK_TO_PEAK:
		(void)mask_limit(v->mask, 0, &v->limit_ns);
		judge_range(j, v);
		break;
	case MASK_CTE:
		(void)mask_limit(v->mask, 0, &v->limit_ns);
		v->value_ns = fabs(j->wander->cte_worst_ns);
		break;
	case MASK_MTIE:
	case MASK_TDEV:
		r = judge_function(j, v);
		break;
	case MASK_QUANTITY_MAX:
		break;
	}
	decide(v);
	return r;
}

int building_judge(const struct building *b, struct report_wander *out, struct track *t,
		   const struct series_values *offsets)
{
	const struct limits *limits = b->request->limits;
	CLEANUP(judging_clear)
	struct judging j = {.wander = out, .track = t, .offsets = offsets};
	int r = 0;

	out->verdicts = calloc(limits->n_masks, sizeof(*out->verdicts));
	if (!out->verdicts)
		return -ENOMEM;
	for (size_t i = 0; i < limits->n_masks && r == 0; i++) {
		struct report_verdict *v = &out->verdicts[out->n_verdicts++];

		*v = (struct report_verdict){
			.mask = &limits->masks[i], .value_ns = NAN, .limit_ns = NAN};
		r = judge_mask(&j, v);
	}
	return r;
}
