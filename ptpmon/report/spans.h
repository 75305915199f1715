/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ptpmon/report/spans.h: stretches of the time axis, rising and apart from one another. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ptpmon/report/result.h"

struct spans {
	struct report_span *v;
	size_t n, size;
};

/*
 * Appends [from, to), which begins no earlier than the end of the last one; what begins earlier is
 * cut, what touches becomes one with it, what is empty is left out. 0 or -ENOMEM.
 */
int spans_add(struct spans *s, int64_t from_ns, int64_t to_ns);

/* Frees what it holds; for CLEANUP(). */
void spans_clear(struct spans *s);

/* n spans in rising order: is the moment in one of them, all of [from, to) in one of them, and how
 * much of [from, to) is in any. */
bool spans_contain(const struct report_span *v, size_t n, int64_t mono_ns);
bool spans_cover(const struct report_span *v, size_t n, int64_t from_ns, int64_t to_ns);
int64_t spans_overlap(const struct report_span *v, size_t n, int64_t from_ns, int64_t to_ns);
