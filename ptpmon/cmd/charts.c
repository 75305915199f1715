/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/cmd/charts.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/exit_status.h"
#include "ptpmon/base/strbuf.h"
#include "ptpmon/cmd/options.h"
#include "ptpmon/report/chart.h"

/* 0 or -errno. */
static int write_file(const char *path, const char *text)
{
	CLEANUP(fclosep) FILE *file = fopen(path, "we");

	if (!file)
		return -errno;
	if (fputs(text, file) == EOF || fflush(file) == EOF)
		return -errno;
	return 0;
}

static int write_chart(const char *command, const struct chart *chart, const char *directory)
{
	CLEANUP(strbuf_clear) struct strbuf text = {0};
	char name[CHART_NAME_MAX];
	char path[PATH_MAX];
	int r = -ENAMETOOLONG;

	chart_draw(chart, true, true, &text);
	if (snprintf(path, sizeof(path), "%s/%s.svg", directory, chart_name(chart, name)) <
	    (int)sizeof(path))
		r = strbuf_text(&text) ? write_file(path, strbuf_text(&text)) : -ENOMEM;
	if (r < 0)
		return options_complain(command, "%.200s/%s.svg: %s", directory, name,
					strerror(-r));
	return EXIT_GOOD;
}

int charts_write(const char *command, const struct report *r, const char *directory)
{
	int status = EXIT_GOOD;

	if (mkdir(directory, 0777) < 0 && errno != EEXIST)
		return options_complain(command, "%.200s: %s", directory, strerror(errno));
	for (enum chart_kind kind = 0; kind < CHART_KIND_MAX; kind++)
		for (size_t i = 0; i == 0 || i < r->n_offsets; i++) {
			struct chart chart = {.report = r, .kind = kind, .series = i};

			if (i > 0 && kind == CHART_LATENCY)
				break;
			if (status == EXIT_GOOD && chart_exists(&chart))
				status = write_chart(command, &chart, directory);
		}
	return status;
}
