/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/check/check.h: is this board fit? A table of checks, each a pure function of the facts.
 *
 * A code never changes its meaning: scripts and baselines know it.
 */
#pragma once
#include <jansson.h>
#include <stdio.h>

#include "ptpmon/base/strbuf.h"
#include "ptpmon/check/facts.h"

enum check_verdict { CHECK_PASS, CHECK_WARN, CHECK_FAIL, CHECK_SKIP, CHECK_VERDICT_MAX };

/* "PASS", "WARN", "FAIL", "SKIP" */
const char *check_verdict_name(enum check_verdict v);

enum check_section {
	SECTION_KERNEL,
	SECTION_CPUS,
	SECTION_PORT, /* judged for each port */
	SECTION_SOFTWARE,
	SECTION_SYSTEM,
	SECTION_MAX
};

struct check_finding {
	enum check_verdict verdict;
	char value[2 * CHECK_TEXT_MAX]; /* what was measured */
};

struct check {
	const char *code;
	void (*judge)(const struct check_facts *f, const struct check_port *p,
		      struct check_finding *out);
	const char *about; /* for the manual: what passes */
	const char *fix;   /* one line, for what does not pass */
	enum check_section section;
};

struct check_result {
	const struct check *check;
	const char *subject; /* the port, or "" */
	struct check_finding finding;
};

struct check_results {
	size_t n, of[CHECK_VERDICT_MAX];
	struct check_result *result;
};

/* NULL: there is no such code. */
const struct check *check_find(const char *code);

/*
 * Judges by all checks, or by those whose codes are given. The results refer to the facts. 0, or
 * -ENOMEM.
 */
int check_all(struct check_results *out, const struct check_facts *f, const char *const *codes,
	      size_t n_codes);
void check_results_clear(struct check_results *r);

/* For a terminal of 80 columns. */
void check_to_text(const struct check_results *r, struct strbuf *out);

/* Schema ptpmon.check/1. NULL without memory. */
json_t *check_to_json(const struct check_results *r);

/* The table as it stands in ptpmon-check(1), in scdoc. */
void check_print_manual(FILE *out);
