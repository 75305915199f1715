/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two configurations, key by key. */
#include <string.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/strbuf.h"
#include "ptpmon/conf/table.h"

static void *member_of(struct config *c, const struct config_row *row)
{
	return (char *)c + row->offset;
}

static char *value_of(const struct config_row *row, const struct config *c)
{
	struct strbuf text = {0};

	row->kind->format(row, (const char *)c + row->offset, &text);
	return strbuf_steal(&text);
}

static bool row_differs(const struct config_row *row, const struct config *a,
			const struct config *b)
{
	CLEANUP(freep) char *of_a = value_of(row, a);
	CLEANUP(freep) char *of_b = value_of(row, b);

	return strcmp(of_a ?: "", of_b ?: "") != 0;
}

bool config_section_differs(const struct config *a, const struct config *b, const char *section)
{
	for (size_t i = 0; i < config_n_rows; i++)
		if (!config_rows[i].instance && strcmp(config_rows[i].section, section) == 0 &&
		    row_differs(&config_rows[i], a, b))
			return true;
	return false;
}

bool config_keep(struct config *next, const struct config *now, const char *section,
		 const char *key)
{
	bool differed = false;

	for (size_t i = 0; i < config_n_rows; i++) {
		const struct config_row *row = &config_rows[i];

		if (row->instance || strcmp(row->section, section) != 0 ||
		    (key && strcmp(row->key, key) != 0) || !row_differs(row, next, now))
			continue;
		differed = true;
		memcpy(member_of(next, row), (const char *)now + row->offset, row->size);
	}
	return differed;
}
