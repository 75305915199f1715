/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "golden.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "data-file.h"

enum { LINE_SIZE = 256, COLUMNS_MAX = 16 };

static FILE *open_data(const char *file)
{
	char name[128];

	(void)snprintf(name, sizeof(name), "golden/%s", file);
	return data_open(name);
}

/* Numbers of a file, lines that begin with none left out. */
static double *read_numbers(const char *file, size_t *n)
{
	FILE *f = open_data(file);
	double *v = NULL;
	char line[LINE_SIZE];

	*n = 0;
	while (fgets(line, sizeof(line), f)) {
		char *end;
		double number = strtod(line, &end);

		if (end == line)
			continue;
		v = reallocarray(v, *n + 1, sizeof(*v));
		assert_non_null(v);
		v[(*n)++] = number;
	}
	(void)fclose(f);
	assert_true(*n > 0);
	return v;
}

struct golden golden_phase(const char *file, double scale)
{
	struct golden g = {.scale = scale};
	double *v = read_numbers(file, &g.n);

	g.x = calloc(g.n, sizeof(*g.x));
	assert_non_null(g.x);
	for (size_t i = 0; i < g.n; i++)
		g.x[i] = llrint(v[i] * scale);
	free(v);
	return g;
}

struct golden golden_frequency(const char *file, double tau0_s, double scale)
{
	struct golden g = {.scale = scale};
	double *v = read_numbers(file, &g.n);
	double x = 0;

	g.x = calloc(g.n + 1, sizeof(*g.x));
	assert_non_null(g.x);
	for (size_t i = 0; i < g.n; i++) {
		x += v[i] * tau0_s;
		g.x[i + 1] = llrint(x * scale);
	}
	g.n++;
	free(v);
	return g;
}

void golden_free(struct golden *g)
{
	free(g->x);
}

size_t golden_table(const char *file, unsigned value_column, golden_row *check, void *userdata)
{
	FILE *f = open_data(file);
	char line[LINE_SIZE];
	size_t rows = 0;

	while (fgets(line, sizeof(line), f)) {
		double columns[COLUMNS_MAX];
		char *at = line;
		unsigned n = 0;

		for (char *end; n < COLUMNS_MAX; at = end, n++) {
			columns[n] = strtod(at, &end);
			if (end == at)
				break;
		}
		if (n <= value_column)
			continue;
		check(userdata, (size_t)columns[0], (size_t)columns[2], columns[value_column]);
		rows++;
	}
	(void)fclose(f);
	return rows;
}

size_t golden_expected(const char *dataset, const char *statistic, golden_expected_row *check,
		       void *userdata)
{
	FILE *f = open_data("sp1065/expected.tsv");
	char line[LINE_SIZE];
	size_t rows = 0;

	while (fgets(line, sizeof(line), f)) {
		char *rest = line;
		const char *set = strsep(&rest, "\t");
		const char *what = strsep(&rest, "\t");
		const char *m = strsep(&rest, "\t");
		const char *value = strsep(&rest, "\t");
		const char *terms = strsep(&rest, "\t");

		if (!rest || strcmp(set, dataset) != 0 || strcmp(what, statistic) != 0)
			continue;
		check(userdata, strtoul(m, NULL, 10), strtoul(terms, NULL, 10), strtod(value, NULL),
		      strlen(value) > strlen("2.922319e-01") ? 1e-9 : 1e-6);
		rows++;
	}
	(void)fclose(f);
	return rows;
}

bool golden_near(double value, double expected, double relative)
{
	return fabs(value - expected) <= relative * fabs(expected);
}
