/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/stats/coincidence.h"

#include <errno.h>
#include <stdlib.h>

#include "ptpmon/base/cleanup.h"

/* The windows with a mark; returns how many. */
static size_t list(const uint8_t *marks, size_t n, enum coincidence_mark mark, size_t *out)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++)
		if (marks[i] & mark)
			out[found++] = i;
	return found;
}

int coincidence_count(struct coincidence *out, const uint8_t *marks, size_t n)
{
	CLEANUP(freep) size_t *a = calloc(n + 1, sizeof(*a));
	CLEANUP(freep) size_t *b = calloc(n + 1, sizeof(*b));
	CLEANUP(freep) size_t *meet = calloc(n + 1, sizeof(*meet)); /* for each turn */
	struct coincidence c = {.windows = n};
	size_t as_many = 0;

	if (!a || !b || !meet)
		return -ENOMEM;
	c.a = list(marks, n, COINCIDENCE_A, a);
	c.b = list(marks, n, COINCIDENCE_B, b);
	if (c.a == 0 || c.b == 0 || c.a == n || c.b == n)
		return -ENODATA;
	for (size_t i = 0; i < c.a; i++)
		for (size_t k = 0; k < c.b; k++)
			meet[b[k] >= a[i] ? b[k] - a[i] : b[k] + n - a[i]]++;
	c.both = meet[0];
	for (size_t turn = 1; turn < n; turn++)
		as_many += meet[turn] >= c.both;
	/* every pair meets at one turn: their number less those of none is spread over the others
	 */
	c.expected = ((double)c.a * (double)c.b - (double)c.both) / (double)(n - 1);
	c.chance = (double)(as_many + 1) / (double)n;
	*out = c;
	return 0;
}
