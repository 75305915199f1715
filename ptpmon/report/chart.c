/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/report/chart.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/report/canvas.h"

enum { WIDE = 960, WIDE_LEFT = 78, NARROW = 400, NARROW_LEFT = 66, NARROW_COLUMNS = 320 };

static bool has_time(const struct report *r, size_t series)
{
	const struct plot_range *offset = r->n_offsets ? r->plot->offsets[series].offset : NULL;

	for (size_t i = 0; i < PLOT_COLUMNS; i++)
		if ((offset && offset[i].count) || r->plot->latency[i].count)
			return true;
	return false;
}

static bool has_offsets(const struct report *r, size_t series)
{
	return series < r->n_offsets && r->offsets[series].columns[0].count > 0;
}

static bool has_wander(const struct report *r, size_t series)
{
	return series < r->n_offsets && r->offsets[series].columns[0].wander.n_taus > 0;
}

static bool has_latency(const struct report *r, size_t series)
{
	for (size_t i = 0; i < r->n_latencies; i++)
		if (r->latencies[i].columns[0].count)
			return true;
	return false;
}

static const struct kind {
	const char *name;
	bool of_series; /* one for each offset series */
	bool (*exists)(const struct report *r, size_t series);
	void (*draw)(struct canvas *c);
} kinds[CHART_KIND_MAX] = {
	[CHART_TIME] = {"offset", true, has_time, chart_time_draw},
	[CHART_DISTRIBUTION] = {"distribution", true, has_offsets, chart_distribution_draw},
	[CHART_WANDER] = {"wander", true, has_wander, chart_wander_draw},
	[CHART_RATES] = {"rates", true, chart_rates_exist, chart_rates_draw},
	[CHART_LATENCY] = {"latency", false, has_latency, chart_latency_draw},
};

bool chart_exists(const struct chart *c)
{
	return kinds[c->kind].exists(c->report, c->series);
}

const char *chart_name(const struct chart *c, char out[static CHART_NAME_MAX])
{
	const struct kind *kind = &kinds[c->kind];
	const struct series *series =
		c->series < c->report->n_offsets ? &c->report->offsets[c->series].series : NULL;
	bool alike = false;
	int used;

	(void)snprintf(out, CHART_NAME_MAX, "%s", kind->name);
	if (!kind->of_series || !series)
		return out;
	used = snprintf(out, CHART_NAME_MAX, "%s-%s", kind->name, series->subject);
	for (char *at = out; *at; at++)
		if (!isalnum((unsigned char)*at) && *at != '-')
			*at = '_';
	for (size_t i = 0; i < c->report->n_offsets; i++)
		alike |= i != c->series;
	if (alike && used > 0) /* two that differ in other characters, or by their source */
		(void)snprintf(out + used, CHART_NAME_MAX - (size_t)used, "-%zu", c->series + 1);
	return out;
}

void chart_draw(const struct chart *c, bool wide, bool alone, struct strbuf *out)
{
	struct canvas canvas = {
		.report = c->report,
		.plot = c->report->plot,
		.series = c->series,
		.wide = wide,
		.left = wide ? WIDE_LEFT : NARROW_LEFT,
		.width = wide ? WIDE : NARROW,
	};
	char name[CHART_NAME_MAX];
	char id[CHART_NAME_MAX + 2];

	canvas.right = canvas.left + (wide ? PLOT_COLUMNS : NARROW_COLUMNS);
	kinds[c->kind].draw(&canvas);
	(void)snprintf(id, sizeof(id), "%s-%c", chart_name(c, name), wide ? 'w' : 'n');
	if (!strbuf_text(&canvas.body) || !strbuf_text(&canvas.description)) {
		out->failed = true;
	} else {
		svg_open(out, id, canvas.width, canvas.y, canvas.title,
			 strbuf_text(&canvas.description), alone);
		strbuf_add(out, strbuf_text(&canvas.body));
		svg_close(out);
	}
	strbuf_clear(&canvas.body);
	strbuf_clear(&canvas.description);
}
