/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/stats/latency_summary.h"

#include <errno.h>

#include "ptpmon/stats/quantile.h"

static void add_extremes(struct latency_summary *s, const struct latency_window *w)
{
	if (s->count == 0 || w->min_ns < s->min_ns)
		s->min_ns = w->min_ns;
	if (s->count == 0 || w->max_ns > s->max_ns) {
		s->max_ns = w->max_ns;
		s->max_start_mono_ns = w->start_mono_ns;
		s->max_end_mono_ns = w->end_mono_ns;
	}
}

int latency_summary_count(struct latency_summary *s, const struct latency_window *w,
			  uint64_t binned)
{
	int64_t sum_ns;

	if (w->overflow > w->count || binned != w->count - w->overflow ||
	    __builtin_add_overflow(s->sum_ns, w->sum_ns, &sum_ns))
		return -EBADMSG;
	if (s->windows == 0 || w->start_mono_ns < s->start_mono_ns)
		s->start_mono_ns = w->start_mono_ns;
	if (s->windows == 0 || w->end_mono_ns > s->end_mono_ns)
		s->end_mono_ns = w->end_mono_ns;
	if (w->count > 0)
		add_extremes(s, w);
	s->windows++;
	s->count += w->count;
	s->sum_ns = sum_ns;
	s->overflow += w->overflow;
	s->missed += w->missed;
	return 0;
}

int latency_summary_add(struct latency_summary *s, const struct latency_window *w)
{
	uint64_t binned;
	int r = histogram_check(w->bins, w->bins_len, &binned);

	if (r == 0)
		r = latency_summary_count(s, w, binned);
	if (r == 0)
		(void)histogram_decode_add(&s->histogram, w->bins, w->bins_len);
	return r;
}

int64_t latency_summary_avg_ns(const struct latency_summary *s)
{
	if (s->count == 0)
		return 0;
	return (int64_t)(((uint64_t)s->sum_ns + s->count / 2) / s->count);
}

bool latency_summary_percentile(const struct latency_summary *s, uint32_t p_milli, int64_t *out_ns)
{
	int64_t value;

	if (!quantile_supported(p_milli, s->count))
		return false;
	value = histogram_at_rank(&s->histogram, quantile_rank(p_milli, s->count));
	*out_ns = value < s->max_ns ? value : s->max_ns;
	return true;
}
