/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The presets against the table that they were made from, and texts that are no limits. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "data-file.h"
#include "ptpmon/cmd/limits.h"

enum { LINE_SIZE = 256, FIELDS_MAX = 8 };

/* The next line that is no comment, in its fields; how many. */
static size_t read_fields(FILE *f, char line[static LINE_SIZE], char *fields[static FIELDS_MAX])
{
	char *rest = line;
	size_t n = 0;

	do
		if (!fgets(line, LINE_SIZE, f))
			return 0;
	while (line[0] == '#' || strncmp(line, "preset", 6) == 0);
	line[strcspn(line, "\n")] = '\0';
	while (n < FIELDS_MAX && rest)
		fields[n++] = strsep(&rest, "\t");
	return n;
}

/* A quantity as the table calls it. */
static bool is_called(const struct mask *m, const char *quantity)
{
	char name[MASK_TEXT_MAX];
	char *at;

	(void)snprintf(name, sizeof(name), "%s", quantity);
	at = strstr(name, " const temp");
	if (!at)
		at = strstr(name, " var temp");
	if (at) {
		bool constant = at[1] == 'c';

		*at = '\0';
		(void)snprintf(name + strlen(name), sizeof(name) - strlen(name), ", %s temperature",
			       constant ? "constant" : "variable");
	}
	return strcmp(m->label, name) == 0;
}

static const char *filter_of(const struct mask *m)
{
	return m->filter == MASK_LOW_PASS    ? "0.1 Hz LP"
	       : m->filter == MASK_HIGH_PASS ? "0.1 Hz HP"
	       : m->quantity == MASK_CTE     ? "1000 s mean"
					     : "none";
}

/* The interval as the table writes it. */
static bool has_interval(const struct mask_piece *p, const char *interval)
{
	double low;
	double high;
	char open;
	char close;
	const char *comma = strchr(interval, ',');

	if (strcmp(interval, "-") == 0)
		return p->low_s == 0 && isinf(p->high_s);
	assert_non_null(comma);
	open = interval[0];
	close = interval[strlen(interval) - 1];
	low = strtod(interval + 1, NULL);
	high = strtod(comma + 1, NULL);
	return p->low_s == low && p->high_s == high && p->low_included == (open == '[') &&
	       p->high_included == (close == ']');
}

static bool has_piece(const struct limits *l, char *const *fields)
{
	for (size_t i = 0; i < l->n_masks; i++) {
		const struct mask *m = &l->masks[i];

		if (!is_called(m, fields[1]) || strcmp(filter_of(m), fields[2]) != 0)
			continue;
		for (size_t k = 0; k < m->n_pieces; k++)
			if (has_interval(&m->pieces[k], fields[3]) &&
			    m->pieces[k].slope_ns_per_s == strtod(fields[4], NULL) &&
			    m->pieces[k].intercept_ns == strtod(fields[5], NULL))
				return true;
	}
	return false;
}

static void every_row_of_the_table_is_there(void **state)
{
	FILE *f = data_open("golden/masks.tsv");
	char line[LINE_SIZE];
	char *fields[FIELDS_MAX];
	size_t rows = 0;
	size_t pieces = 0;
	char preset[MASK_TEXT_MAX] = "";

	while (read_fields(f, line, fields) >= 7) {
		struct limits l;
		char why[LIMITS_ERROR_MAX];

		if (limits_find(&l, fields[0], why) < 0)
			fail_msg("%s", why);
		if (!has_piece(&l, fields))
			fail_msg("%s: no %s over %s", fields[0], fields[1], fields[3]);
		for (size_t i = 0; i < l.n_masks && strcmp(preset, fields[0]) != 0; i++)
			pieces += l.masks[i].n_pieces;
		(void)snprintf(preset, sizeof(preset), "%s", fields[0]);
		rows++;
	}
	assert_int_equal(rows, 57);
	assert_int_equal(pieces, rows); /* and no other */
	(void)fclose(f);
}

static void points_are_as_published(void **state)
{
	FILE *f = data_open("golden/mask_points.tsv");
	char line[LINE_SIZE];
	char *fields[FIELDS_MAX];
	size_t rows = 0;

	while (read_fields(f, line, fields) >= 4) {
		struct limits l;
		char why[LIMITS_ERROR_MAX];
		const struct mask *mask = NULL;
		double limit_ns = -1;
		bool has;

		assert_int_equal(limits_find(&l, fields[0], why), 0);
		for (size_t i = 0; i < l.n_masks; i++)
			if (strcmp(mask_quantity_name(l.masks[i].quantity), fields[1]) == 0)
				mask = &l.masks[i];
		assert_non_null(mask);
		has = mask_limit(mask, strtod(fields[2], NULL), &limit_ns);
		if (has != (strcmp(fields[3], "none") != 0) ||
		    (has && fabs(limit_ns - strtod(fields[3], NULL)) > 1e-9))
			fail_msg("%s %s at %s s: %.10g, not %s", fields[0], fields[1], fields[2],
				 limit_ns, fields[3]);
		rows++;
	}
	assert_int_equal(rows, 35);
	(void)fclose(f);
}

static void presets_of_one_number_are_there(void **state)
{
	static const struct {
		const char *name;
		double limit_ns;
	} rows[] = {
		{"ran-sys", 100},  {"gptp", 500},    {"avnu-80ns", 80},   {"power-gm", 250},
		{"power-bc", 200}, {"power-tc", 50}, {"power-end", 1000},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct limits l;
		char why[LIMITS_ERROR_MAX];
		double limit_ns;

		assert_int_equal(limits_find(&l, rows[i].name, why), 0);
		assert_int_equal(l.n_masks, 1);
		assert_int_equal(l.masks[0].quantity, MASK_MAX_TE);
		assert_true(mask_limit(&l.masks[0], 0, &limit_ns));
		assert_true(limit_ns == rows[i].limit_ns);
		assert_true(*l.about && *l.edition && *l.provenance && *l.masks[0].source);
	}
}

#define PRESET "[preset]\nabout = a\nedition = e\nprovenance = p\n"
#define MASK   "[m]\nquantity = MTIE\nfilter = none\nsource = s\n"

static const struct {
	const char *text, *why;
} wrong[] = {
	{"", "t:1: about, edition, provenance or any mask is missing"},
	{PRESET, "t:5: about, edition, provenance or any mask is missing"},
	{"about = a\n", "t:1: a key before the first section"},
	{PRESET "limit = 3\n", "t:5: no such key in this section"},
	{PRESET "[m]\nabout = a\n", "t:6: no such key in this section"},
	{PRESET "[m]\nquantity = ADEV\n",
	 "t:6: quantity is none of max|TE|, |cTE|, pk-pk, MTIE, TDEV"},
	{PRESET "[m]\nfilter = 1 Hz\n", "t:6: filter is none of none, low-pass, high-pass"},
	{PRESET "[m]\nlimit = 3\n", "t:6: quantity comes before limit"},
	{PRESET MASK, "t:9: the section before lacks a limit"},
	{PRESET "[m]\nquantity = MTIE\n",
	 "t:7: the section before lacks quantity, filter or source"},
	{PRESET MASK "limit = 3\n", "t:9: not a limit such as 0.275 tau + 25, tau in (0.1, 273]"},
	{PRESET MASK "limit = 3, tau in (5, 5]\n",
	 "t:9: not a limit such as 0.275 tau + 25, tau in (0.1, 273]"},
	{PRESET MASK "limit = -3, tau in (4, 5]\n",
	 "t:9: not a limit such as 0.275 tau + 25, tau in (0.1, 273]"},
	{PRESET MASK "limit = inf, tau in (4, 5]\n",
	 "t:9: not a limit such as 0.275 tau + 25, tau in (0.1, 273]"},
	{PRESET MASK "limit = 3, tau in (4, 5] s\n",
	 "t:9: not a limit such as 0.275 tau + 25, tau in (0.1, 273]"},
	{PRESET "[m]\nquantity = pk-pk\nfilter = none\nsource = s\nlimit = 3\nlimit = 4\n",
	 "t:10: this has one limit and it is one number"},
	{PRESET "[m]\nquantity = |cTE|\nfilter = none\nsource = s\nlimit = 3 tau\n",
	 "t:9: this has one limit and it is one number"},
};

static void what_is_wrong_is_named(void **state)
{
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct limits l = {.n_masks = 77};
		char why[LIMITS_ERROR_MAX] = "nothing";

		assert_int_equal(limits_read(&l, "t", wrong[i].text, strlen(wrong[i].text), why),
				 -EINVAL);
		assert_string_equal(why, wrong[i].why);
		assert_int_equal(l.n_masks, 77);
	}
}

static void one_s_own_are_read(void **state)
{
	static const char text[] = PRESET MASK "limit = 1.5 tau, tau in [1, inf)\n";
	struct limits l;
	char why[LIMITS_ERROR_MAX];
	double limit_ns;

	assert_int_equal(limits_read(&l, "mine", text, strlen(text), why), 0);
	assert_string_equal(l.name, "mine");
	assert_true(mask_limit(&l.masks[0], 1, &limit_ns));
	assert_true(limit_ns == 1.5);
	assert_false(mask_limit(&l.masks[0], 0.5, &limit_ns));
	assert_int_equal(limits_find(&l, "/nonexistent.ini", why), -ENOENT);
	assert_string_equal(why, "/nonexistent.ini: No such file or directory");
	assert_int_equal(limits_find(&l, "tbc-z", why), -ENOENT);
	assert_non_null(strstr(why, " tbc-d"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row_of_the_table_is_there),
		cmocka_unit_test(points_are_as_published),
		cmocka_unit_test(presets_of_one_number_are_there),
		cmocka_unit_test(what_is_wrong_is_named),
		cmocka_unit_test(one_s_own_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
