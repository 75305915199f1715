/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/report/partition.h"

#include <errno.h>
#include <stdlib.h>

static int by_time(const void *a, const void *b)
{
	const struct part *x = a;
	const struct part *y = b;

	return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

int partition_make(struct partition *out, const struct report *r)
{
	struct partition p = {0};
	size_t n = 0;

	for (size_t c = 1; c < r->n_columns; c++)
		n += r->columns[c].n_spans;
	p.v = calloc(n + 1, sizeof(*p.v));
	if (!p.v)
		return -ENOMEM;
	for (size_t c = 1; c < r->n_columns; c++)
		for (size_t i = 0; i < r->columns[c].n_spans; i++)
			p.v[p.n++] = (struct part){r->columns[c].spans[i].from_ns,
						   r->columns[c].spans[i].to_ns, c};
	qsort(p.v, p.n, sizeof(*p.v), by_time);
	*out = p;
	return 0;
}

struct part partition_at(const struct partition *p, int64_t mono_ns)
{
	struct part between = {.from_ns = INT64_MIN, .to_ns = INT64_MAX};
	size_t lo = 0; /* the parts before it begin at or before the moment */
	size_t hi = p->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (p->v[mid].from_ns <= mono_ns)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo > 0 && mono_ns < p->v[lo - 1].to_ns)
		return p->v[lo - 1];
	if (lo > 0)
		between.from_ns = p->v[lo - 1].to_ns;
	if (lo < p->n)
		between.to_ns = p->v[lo].from_ns;
	return between;
}

void partition_clear(struct partition *p)
{
	free(p->v);
	*p = (struct partition){0};
}
