/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A configuration as text, and the option table as the manual has it. */
#include "ptpmon/conf/print.h"

#include <string.h>

#include "ptpmon/base/strbuf.h"

static void print_row(const struct config_row *row, const void *base, const struct origin *origin,
		      struct strbuf *out)
{
	const void *member = (const char *)base + row->offset;

	if (row->kind == &kind_interfaces && ((const struct interface_list *)member)->n == 0)
		return; /* there is no such value to write */
	if (origin && origin->line)
		strbuf_addf(out, "# %s:%u\n", origin->file, origin->line);
	else if (origin)
		strbuf_add(out, "# default\n");
	strbuf_addf(out, "%s = ", row->key);
	row->kind->format(row, member, out);
	strbuf_add(out, "\n");
}

/* Rows [first, end) are one section. */
static void print_section(const struct config *c, const struct reading *rd, size_t first,
			  size_t end, struct strbuf *out)
{
	strbuf_addf(out, "%s[%s]\n", first ? "\n" : "", config_rows[first].section);
	for (size_t i = first; i < end; i++)
		print_row(&config_rows[i], c, rd ? &rd->origins[i] : NULL, out);
}

static void print_instances(const struct config *c, const struct reading *rd, size_t first,
			    size_t end, struct strbuf *out)
{
	for (size_t n = 0; n < c->n_ptp4l; n++) {
		const struct config_ptp4l *p = &c->ptp4l[n];
		bool named = strcmp(p->child, config_rows[first].section) != 0;

		strbuf_addf(out, "\n[%s]\n", p->child);
		for (size_t i = first; i < end; i++)
			if (named || !config_rows[i].named)
				print_row(&config_rows[i], p,
					  rd ? &rd->instances[n].origins[i] : NULL, out);
	}
}

static size_t section_end(size_t first)
{
	size_t end = first;

	while (end < config_n_rows &&
	       strcmp(config_rows[end].section, config_rows[first].section) == 0)
		end++;
	return end;
}

void config_print(const struct config *c, const struct reading *rd, struct strbuf *out)
{
	for (size_t first = 0, end; first < config_n_rows; first = end) {
		end = section_end(first);
		if (config_rows[first].instance)
			print_instances(c, rd, first, end, out);
		else
			print_section(c, rd, first, end, out);
	}
}

char *config_to_text(const struct config *c)
{
	struct strbuf text = {0};

	config_print(c, NULL, &text);
	return strbuf_steal(&text);
}

void config_print_manual(FILE *out)
{
	for (size_t i = 0; i < config_n_rows; i++) {
		const struct config_row *row = &config_rows[i];

		if (i == 0 || strcmp(row->section, row[-1].section) != 0)
			(void)fprintf(out, "## [%s]%s\n\n", row->section,
				      row->instance ? ", [ptp4l NAME]" : "");
		(void)fprintf(out, "*%s* = _%s_\n", row->key, row->kind->name);
		(void)fprintf(out, "\t%s.", row->help);
		if (row->min || row->max)
			(void)fprintf(out, " From %s to %s.", row->min, row->max);
		if (!row->fallback && !row->named)
			(void)fprintf(out, " Must be given.");
		else if (row->fallback && *row->fallback)
			(void)fprintf(out, " Default: %s.", row->fallback);
		(void)fprintf(out, "\n\n");
	}
}
