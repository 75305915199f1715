/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The results for people and for programs. */
#include <string.h>

#include "ptpmon/check/check.h"
#include "ptpmon/report/wrap.h"

enum { CODE_COLUMNS = 21 };

static const char *section_name(enum check_section section)
{
	static const char *const names[SECTION_MAX] = {
		[SECTION_KERNEL] = "kernel", [SECTION_CPUS] = "cpus",
		[SECTION_PORT] = "port",     [SECTION_SOFTWARE] = "software",
		[SECTION_SYSTEM] = "system",
	};

	return names[section];
}

static bool needs_fix(const struct check_result *r)
{
	return r->finding.verdict == CHECK_WARN || r->finding.verdict == CHECK_FAIL;
}

static bool begins_section(const struct check_results *r, size_t i)
{
	const struct check_result *a = &r->result[i];

	return i == 0 || a->check->section != a[-1].check->section ||
	       strcmp(a->subject, a[-1].subject) != 0;
}

static void add_result(const struct check_result *r, struct strbuf *out)
{
	static const char next[] = "                             ";
	char indent[sizeof(next)];

	(void)snprintf(indent, sizeof(indent), "  %s  %-*s", check_verdict_name(r->finding.verdict),
		       CODE_COLUMNS, r->check->code);
	wrap_add(out, indent, next, r->finding.value);
	if (needs_fix(r))
		wrap_add(out, "        -> ", "           ", r->check->fix);
}

void check_to_text(const struct check_results *r, struct strbuf *out)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct check_result *a = &r->result[i];

		if (begins_section(r, i))
			strbuf_addf(out, "%s%s%s%s\n", i ? "\n" : "",
				    section_name(a->check->section), *a->subject ? " " : "",
				    a->subject);
		add_result(a, out);
	}
	strbuf_addf(out, "%s%zu passed, %zu warned, %zu failed, %zu skipped\n", r->n ? "\n" : "",
		    r->of[CHECK_PASS], r->of[CHECK_WARN], r->of[CHECK_FAIL], r->of[CHECK_SKIP]);
}

static json_t *result_to_json(const struct check_result *r)
{
	return json_pack("{s:s, s:s, s:s*, s:s, s:s, s:s*}", "code", r->check->code, "section",
			 section_name(r->check->section), "port", *r->subject ? r->subject : NULL,
			 "verdict", check_verdict_name(r->finding.verdict), "value",
			 r->finding.value, "fix", needs_fix(r) ? r->check->fix : NULL);
}

json_t *check_to_json(const struct check_results *r)
{
	json_t *checks = json_array();

	for (size_t i = 0; i < r->n; i++)
		if (json_array_append_new(checks, result_to_json(&r->result[i])) < 0) {
			json_decref(checks);
			return NULL;
		}
	return json_pack("{s:s, s:o, s:I, s:I, s:I, s:I}", "schema", "ptpmon.check/1", "checks",
			 checks, "passed", (json_int_t)r->of[CHECK_PASS], "warned",
			 (json_int_t)r->of[CHECK_WARN], "failed", (json_int_t)r->of[CHECK_FAIL],
			 "skipped", (json_int_t)r->of[CHECK_SKIP]);
}
