/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/check/check.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/check/impl.h"
#include "ptpmon/report/clean.h"

static const struct check_table *const tables[SECTION_MAX] = {
	[SECTION_KERNEL] = &checks_kernel, [SECTION_CPUS] = &checks_cpus,
	[SECTION_PORT] = &checks_port,     [SECTION_SOFTWARE] = &checks_software,
	[SECTION_SYSTEM] = &checks_system,
};

const char *check_verdict_name(enum check_verdict v)
{
	static const char *const names[CHECK_VERDICT_MAX] = {
		[CHECK_PASS] = "PASS",
		[CHECK_WARN] = "WARN",
		[CHECK_FAIL] = "FAIL",
		[CHECK_SKIP] = "SKIP",
	};

	return names[v];
}

/* Names come from files and programs: they must not drive the terminal. */
void found(struct check_finding *out, enum check_verdict v, const char *fmt, ...)
{
	char text[sizeof(out->value)];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	out->verdict = v;
	clean_copy(out->value, sizeof(out->value), text);
}

const struct check *check_find(const char *code)
{
	for (size_t s = 0; s < SECTION_MAX; s++)
		for (size_t i = 0; i < tables[s]->n; i++)
			if (strcmp(tables[s]->rows[i].code, code) == 0)
				return &tables[s]->rows[i];
	return NULL;
}

static bool is_wanted(const struct check *c, const char *const *codes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(codes[i], c->code) == 0)
			return true;
	return n == 0;
}

/* An interface that is not there says so once, and no more. */
static void judge(struct check_results *r, const struct check *c, const struct check_facts *f,
		  const struct check_port *p)
{
	struct check_result *result = &r->result[r->n++];

	*result = (struct check_result){.check = c, .subject = p ? p->name : ""};
	if (p && !p->present && c != checks_port.rows)
		found(&result->finding, CHECK_SKIP, "no such interface");
	else
		c->judge(f, p, &result->finding);
	r->of[result->finding.verdict]++;
}

static void judge_section(struct check_results *r, const struct check_table *t,
			  const struct check_facts *f, const struct check_port *p,
			  const char *const *codes, size_t n_codes)
{
	for (size_t i = 0; i < t->n; i++)
		if (is_wanted(&t->rows[i], codes, n_codes))
			judge(r, &t->rows[i], f, p);
}

int check_all(struct check_results *out, const struct check_facts *f, const char *const *codes,
	      size_t n_codes)
{
	struct check_results r = {0};
	size_t most = 0;

	for (size_t s = 0; s < SECTION_MAX; s++)
		most += tables[s]->n * (s == SECTION_PORT ? f->n_ports : 1);
	r.result = calloc(most, sizeof(*r.result));
	if (!r.result)
		return -ENOMEM;
	for (size_t s = 0; s < SECTION_MAX; s++) {
		if (s != SECTION_PORT)
			judge_section(&r, tables[s], f, NULL, codes, n_codes);
		for (size_t i = 0; s == SECTION_PORT && i < f->n_ports; i++)
			judge_section(&r, tables[s], f, &f->ports[i], codes, n_codes);
	}
	*out = r;
	return 0;
}

void check_results_clear(struct check_results *r)
{
	free(r->result);
	*r = (struct check_results){0};
}

void check_print_manual(FILE *out)
{
	for (size_t s = 0; s < SECTION_MAX; s++)
		for (size_t i = 0; i < tables[s]->n; i++) {
			const struct check *c = &tables[s]->rows[i];

			(void)fprintf(out, "*%s*\n\tPasses if %s. Otherwise: ", c->code, c->about);
			for (const char *at = c->fix; *at; at++)
				(void)fprintf(out, strchr("*_\\", *at) ? "\\%c" : "%c", *at);
			(void)fprintf(out, "\n\n");
		}
}
