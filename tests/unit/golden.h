/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tests/unit/golden.h: the data and expected values of tests/data/golden. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Phase as integers: `scale` of them are 1. */
struct golden {
	int64_t *x;
	size_t n;
	double scale;
};

/* From a file of phase or of frequency values, one a line; what is wrong fails the test. */
struct golden golden_phase(const char *file, double scale);
struct golden golden_frequency(const char *file, double tau0_s, double scale);
void golden_free(struct golden *g);

/*
 * Calls check for each row of a table as Stable32 prints it: averaging factor, number of terms,
 * and the value, which is the column of that number from 0. Returns how many there were.
 */
typedef void golden_row(void *userdata, size_t m, size_t terms, double value);
size_t golden_table(const char *file, unsigned value_column, golden_row *check, void *userdata);

/*
 * The same for the rows of sp1065/expected.tsv of one data set and statistic; terms is 0 where
 * none are given, relative what its digits allow: 1e-6 for seven, 1e-9 for more.
 */
typedef void golden_expected_row(void *userdata, size_t m, size_t terms, double value,
				 double relative);
size_t golden_expected(const char *dataset, const char *statistic, golden_expected_row *check,
		       void *userdata);

bool golden_near(double value, double expected, double relative);
