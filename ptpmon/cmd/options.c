// SPDX-License-Identifier: GPL-2.0-or-later
#include "ptpmon/cmd/options.h"

#include <assert.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/base/log.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/cmd/cmd.h"

enum {
	ROWS_MAX = 32,
	HELP_VALUE = 256, /* what getopt returns for --help; row i is HELP_VALUE + 1 + i */
	HELP_COLUMN = 26,
	HELP_WIDTH = 79,
};

int options_complain(const char *name, const char *fmt, ...)
{
	char text[CONFIG_ERROR_MAX];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	log_error("ptpmon %s: %s", name, text);
	return EXIT_USAGE;
}

int take_flag(const struct option_row *row, const char *text, char why[static OPTION_WHY_MAX])
{
	*(bool *)row->into = true;
	return 0;
}

int take_text(const struct option_row *row, const char *text, char why[static OPTION_WHY_MAX])
{
	*(const char **)row->into = text;
	return 0;
}

int take_integer(const struct option_row *row, const char *text, char why[static OPTION_WHY_MAX])
{
	char *end;
	long long value;

	errno = 0;
	value = strtoll(text, &end, 10);
	if (end == text || *end || errno || value < row->min || value > row->max) {
		(void)snprintf(why, OPTION_WHY_MAX, "not a number from %" PRId64 " to %" PRId64,
			       row->min, row->max);
		return -EINVAL;
	}
	*(int64_t *)row->into = value;
	return 0;
}

/* "from 10 us to 1 s" */
static const char *format_range(const struct option_row *row, char *out, size_t size)
{
	char low[NSEC_TEXT_MAX];
	char high[NSEC_TEXT_MAX];

	if (row->max == INT64_MAX)
		(void)snprintf(out, size, "at least %s", nsec_format_duration(row->min, low));
	else
		(void)snprintf(out, size, "from %s to %s", nsec_format_duration(row->min, low),
			       nsec_format_duration(row->max, high));
	return out;
}

int take_duration(const struct option_row *row, const char *text, char why[static OPTION_WHY_MAX])
{
	char range[OPTION_WHY_MAX / 2];
	int64_t ns = 0;
	int r = nsec_parse_duration(text, &ns);

	if (r == 0 && ns >= row->min && ns <= row->max) {
		*(int64_t *)row->into = ns;
		return 0;
	}
	if (r == -EINVAL && *text && !text[strspn(text, "0123456789")])
		(void)snprintf(why, OPTION_WHY_MAX, "needs a unit, such as %.20ss", text);
	else
		(void)snprintf(why, OPTION_WHY_MAX, "%s %s",
			       r == -EINVAL ? "not a duration such as 250ms, 10s, 8h," : "not",
			       format_range(row, range, sizeof(range)));
	return -EINVAL;
}

/*
 * Text in lines that fit a terminal, each but the first behind indent blanks; at is the column that
 * the first begins in. A line feed in the text is a blank, two of them an empty line.
 */
static void print_wrapped(const char *text, size_t at, size_t indent)
{
	while (*text) {
		size_t len = strcspn(text, " \n");
		size_t gap = strspn(text + len, " \n");
		bool paragraph = gap >= 2 && strncmp(text + len, "\n\n", 2) == 0;

		if (at > indent && at + 1 + len > HELP_WIDTH) {
			printf("\n%*s", (int)indent, "");
			at = indent;
		} else if (at > indent) {
			putchar(' ');
			at++;
		}
		printf("%.*s", (int)len, text);
		at += len;
		text += len + gap;
		if (paragraph) {
			printf("\n\n%*s", (int)indent, "");
			at = indent;
		}
	}
	putchar('\n');
}

/* One entry of --help; its text begins at HELP_COLUMN, on a line of its own if need be. */
static void print_row(const struct option_row *row)
{
	char left[128];
	int n = snprintf(left, sizeof(left), "  %c%c%s --%s%s%s", row->letter ? '-' : ' ',
			 row->letter ? row->letter : ' ', row->letter ? "," : " ", row->name,
			 row->argument ? "=" : "", row->argument ? row->argument : "");

	if (n > HELP_COLUMN - 2)
		printf("%s\n%*s", left, HELP_COLUMN, "");
	else
		printf("%-*s", HELP_COLUMN, left);
	print_wrapped(row->help, HELP_COLUMN, HELP_COLUMN);
}

static void print_help(const struct usage *usage)
{
	const struct option_row help = {"help", 'h', NULL, "print this", NULL, NULL, 0, 0};

	printf("usage: ptpmon %s\n\n", usage->synopsis);
	print_wrapped(usage->about, 0, 0);
	putchar('\n');
	for (size_t i = 0; i < usage->n_rows; i++)
		print_row(&usage->rows[i]);
	print_row(&help);
	if (usage->epilogue) {
		putchar('\n');
		print_wrapped(usage->epilogue, 0, 0);
	}
}

/* The two forms in which getopt_long() wants the rows. */
struct getopt_tables {
	char letters[2 * ROWS_MAX + 3];
	struct option names[ROWS_MAX + 2];
};

static void build_tables(struct getopt_tables *t, const struct usage *usage)
{
	char *letter = t->letters;

	assert(usage->n_rows <= ROWS_MAX);
	*letter++ = ':'; /* a missing value is told apart from an unknown option */
	*letter++ = 'h';
	for (size_t i = 0; i < usage->n_rows; i++) {
		const struct option_row *row = &usage->rows[i];

		t->names[i] =
			(struct option){row->name, row->argument ? required_argument : no_argument,
					NULL, HELP_VALUE + 1 + (int)i};
		if (!row->letter)
			continue;
		*letter++ = row->letter;
		if (row->argument)
			*letter++ = ':';
	}
	*letter = '\0';
	t->names[usage->n_rows] = (struct option){"help", no_argument, NULL, HELP_VALUE};
	t->names[usage->n_rows + 1] = (struct option){0};
}

static const struct option_row *row_of(const struct usage *usage, int value)
{
	if (value > HELP_VALUE)
		return &usage->rows[value - HELP_VALUE - 1];
	for (size_t i = 0; i < usage->n_rows; i++)
		if (usage->rows[i].letter == value)
			return &usage->rows[i];
	return NULL;
}

/* getopt gave ':' or '?': the line that says so. */
static int complain_usage(const char *name, int value, char **argv)
{
	const char *what = value == ':' ? "needs a value" : "unknown option";

	/* of a cluster of letters getopt names the bad one; of long options it shows only argv */
	if (optopt > 0 && optopt < HELP_VALUE)
		return options_complain(name, "-%c: %s (see ptpmon %s --help)", optopt, what, name);
	if (value == '?' && optopt >= HELP_VALUE)
		what = "takes no value";
	return options_complain(name, "%s: %s (see ptpmon %s --help)", argv[optind - 1], what,
				name);
}

static int check_operands(const struct usage *usage, const char *name, int n)
{
	if (n < usage->min_operands)
		return options_complain(name, "too little: usage: ptpmon %s", usage->synopsis);
	if (usage->max_operands >= 0 && n > usage->max_operands)
		return options_complain(name, "too much: usage: ptpmon %s", usage->synopsis);
	return EXIT_GOOD;
}

bool options_parse(const struct usage *usage, int argc, char **argv, int *first, int *status)
{
	struct getopt_tables tables;
	int value;

	build_tables(&tables, usage);
	optind = 0; /* a fresh scan, whoever used getopt before */
	opterr = 0;
	while ((value = getopt_long(argc, argv, tables.letters, tables.names, NULL)) != -1) {
		const struct option_row *row;
		char why[OPTION_WHY_MAX];

		if (value == 'h' || value == HELP_VALUE) {
			print_help(usage);
			*status = options_flush(argv[0]);
			return false;
		}
		row = row_of(usage, value);
		if (!row) {
			*status = complain_usage(argv[0], value, argv);
			return false;
		}
		if (row->take(row, optarg, why) < 0) {
			*status = options_complain(argv[0], "--%s %s: %s", row->name,
						   optarg ? optarg : "", why);
			return false;
		}
	}
	*first = optind;
	*status = check_operands(usage, argv[0], argc - optind);
	return *status == EXIT_GOOD;
}

int options_complain_config(const char *name, int result, const char *error)
{
	return options_complain(name, "%s%s", error,
				result == -ENOENT ? ": write one (ptpmon.conf(5)) or give --config"
						  : "");
}

bool options_load_config(struct config *out, const char *name, const char *path)
{
	char error[CONFIG_ERROR_MAX];
	int r = config_load(out, path, error);

	if (r < 0)
		(void)options_complain_config(name, r, error);
	return r == 0;
}

int options_flush(const char *name)
{
	/* an earlier write may have failed, and left nothing to flush: its errno has stayed */
	bool failed = ferror(stdout) != 0;

	if (!failed)
		errno = 0;
	if (fflush(stdout) != 0 || failed)
		return options_complain(name, "cannot print: %s", strerror(errno ?: EIO));
	return EXIT_GOOD;
}
