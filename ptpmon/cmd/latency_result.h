/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ptpmon/cmd/latency_result.h: what `ptpmon latency` has measured, and its text and JSON. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "ptpmon/base/cpulist.h"
#include "ptpmon/stats/latency_summary.h"
#include "ptpmon/stats/window.h"

struct latency_cpu {
	struct latency_conditions conditions; /* the newest */
	char problem[CONDITIONS_TEXT_MAX];    /* the first that there was, or "": it sticks */
	struct latency_summary summary;
};

/* {0} is empty; latency_result_clear() frees what it holds. */
struct latency_result {
	struct latency_cpu *cpus[CPULIST_MAX]; /* by number; NULL: not heard of */
	bool interrupted;                      /* ended before its time */
	uint64_t malformed;                    /* messages ignored */
	bool no_memory;
};

void latency_result_clear(struct latency_result *r);

void latency_result_add_window(struct latency_result *r, const struct latency_window *w);
void latency_result_add_conditions(struct latency_result *r, const struct latency_conditions *c);

/* Wake-ups of all CPUs; their largest latency and its CPU (untouched if there were none). */
uint64_t latency_result_worst(const struct latency_result *r, int64_t *max_ns, unsigned *cpu);

/* How it is measured: a line for the CPUs that have it the same, NOT REAL-TIME where it is so. */
void latency_result_print_conditions(const struct latency_result *r, FILE *out);

/* One row a CPU, under a line that says UNRELIABLE if many periods were missed. */
void latency_result_print_table(const struct latency_result *r, FILE *out);

/* The schema ptpmon.latency/1. 0, or -ENOMEM; whether it got out is the stream's to tell. */
int latency_result_print_json(const struct latency_result *r, FILE *out);
