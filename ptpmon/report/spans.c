/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/report/spans.h"

#include <errno.h>
#include <stdlib.h>

enum { FIRST_SIZE = 8 };

int spans_add(struct spans *s, int64_t from_ns, int64_t to_ns)
{
	struct report_span *last = s->n ? &s->v[s->n - 1] : NULL;

	if (last && from_ns < last->to_ns)
		from_ns = last->to_ns;
	if (from_ns >= to_ns)
		return 0;
	if (last && from_ns == last->to_ns) {
		last->to_ns = to_ns;
		return 0;
	}
	if (s->n == s->size) {
		size_t size = s->size ? s->size * 2 : FIRST_SIZE;
		struct report_span *bigger = reallocarray(s->v, size, sizeof(*bigger));

		if (!bigger)
			return -ENOMEM;
		s->v = bigger;
		s->size = size;
	}
	s->v[s->n++] = (struct report_span){.from_ns = from_ns, .to_ns = to_ns};
	return 0;
}

void spans_clear(struct spans *s)
{
	free(s->v);
	*s = (struct spans){0};
}

/* The first span that ends after the moment; n if none does. */
static size_t first_ending_after(const struct report_span *v, size_t n, int64_t mono_ns)
{
	size_t lo = 0;
	size_t hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (v[mid].to_ns > mono_ns)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

bool spans_contain(const struct report_span *v, size_t n, int64_t mono_ns)
{
	size_t i = first_ending_after(v, n, mono_ns);

	return i < n && v[i].from_ns <= mono_ns;
}

bool spans_cover(const struct report_span *v, size_t n, int64_t from_ns, int64_t to_ns)
{
	size_t i = first_ending_after(v, n, from_ns);

	return i < n && v[i].from_ns <= from_ns && to_ns <= v[i].to_ns;
}

int64_t spans_overlap(const struct report_span *v, size_t n, int64_t from_ns, int64_t to_ns)
{
	int64_t sum_ns = 0;

	for (size_t i = first_ending_after(v, n, from_ns); i < n && v[i].from_ns < to_ns; i++) {
		int64_t low = v[i].from_ns > from_ns ? v[i].from_ns : from_ns;
		int64_t high = v[i].to_ns < to_ns ? v[i].to_ns : to_ns;

		sum_ns += high > low ? high - low : 0;
	}
	return sum_ns;
}
