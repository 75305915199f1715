/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/conf/reading.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/conf/file.h"
#include "ptpmon/conf/ini.h"

#define INSTANCE "ptp4l "

void *reading_member(struct reading *rd, size_t i, struct instance_reading *instance)
{
	char *base = config_rows[i].instance ? (char *)&instance->values : (char *)&rd->config;

	return base + config_rows[i].offset;
}

__attribute__((format(printf, 2, 3))) static int wrong(char *why, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(why, INI_ERROR_MAX, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

/* Edit distance, cut off: good enough to offer the key that was meant. */
static size_t distance(const char *a, const char *b)
{
	size_t row[64];
	size_t n = strlen(b);

	if (n >= 64 || strlen(a) >= 64)
		return 64;
	for (size_t j = 0; j <= n; j++)
		row[j] = j;
	for (size_t i = 0; a[i]; i++) {
		size_t diagonal = row[0];

		row[0] = i + 1;
		for (size_t j = 0; j < n; j++) {
			size_t best = diagonal + (a[i] != b[j]);

			diagonal = row[j + 1];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j + 1] + 1 < best)
				best = row[j + 1] + 1;
			row[j + 1] = best;
		}
	}
	return row[n];
}

static int unknown_section(const char *section, char *why)
{
	const char *nearest = config_rows[0].section;

	for (size_t i = 1; i < config_n_rows; i++)
		if (distance(section, config_rows[i].section) < distance(section, nearest))
			nearest = config_rows[i].section;
	if (distance(section, nearest) <= 3)
		return wrong(why, "no such section; is [%s] meant?", nearest);
	return wrong(why, "no such section");
}

/* The row's section as it is said to people. */
static const char *proper_section(const struct config_row *row)
{
	return row->named ? "ptp4l NAME" : row->section;
}

static int unknown_key(const char *section, const char *key, char *why)
{
	const char *nearest = NULL;
	const struct config_row *elsewhere = NULL;

	for (size_t i = 0; i < config_n_rows; i++) {
		const struct config_row *row = &config_rows[i];

		if (!elsewhere && strcmp(row->key, key) == 0)
			elsewhere = row;
		if (strcmp(row->section, section) == 0 &&
		    (!nearest || distance(key, row->key) < distance(key, nearest)))
			nearest = row->key;
	}
	if (elsewhere)
		return wrong(why, "no such key here; it belongs to [%s]",
			     proper_section(elsewhere));
	if (nearest && distance(key, nearest) <= 3)
		return wrong(why, "no such key; is %s meant?", nearest);
	return wrong(why, "no such key");
}

static bool section_exists(const char *section)
{
	for (size_t i = 0; i < config_n_rows; i++)
		if (strcmp(config_rows[i].section, section) == 0)
			return true;
	return false;
}

/* It becomes part of paths and of process names. */
static bool is_instance_name(const char *name)
{
	for (const char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("._-", *c))
			return false;
	return *name && strlen(name) < CONFIG_NAME_MAX && *name != '.' && *name != '-';
}

/* [ptp4l NAME] begins, for the first time or in one more file. */
static int enter_instance(struct reading *rd, const char *section, unsigned line, char *why)
{
	const char *name = section + strlen(INSTANCE);
	struct instance_reading *instance = rd->instances + 1;

	while (instance < rd->instances + rd->n_instances &&
	       strcmp(instance->values.name, name) != 0)
		instance++;
	if (!is_instance_name(name))
		return wrong(why, "a name is of at most %d letters, digits and . _ -",
			     CONFIG_NAME_MAX - 1);
	if (instance == rd->instances + rd->n_instances) {
		if (rd->n_instances > CONFIG_PTP4L_MAX)
			return wrong(why, "more than %d of them", CONFIG_PTP4L_MAX);
		rd->n_instances++;
		(void)strcpy(instance->values.name, name);
		(void)snprintf(instance->values.child, CONFIG_CHILD_MAX, "%s", section);
	}
	if (instance->header_line)
		return wrong(why, "given twice, first in line %u", instance->header_line);
	instance->header_line = line;
	rd->section = instance;
	return 0;
}

static int enter_section(struct reading *rd, const struct ini_place *place, char *why)
{
	rd->section = NULL;
	if (strncmp(place->section, INSTANCE, strlen(INSTANCE)) == 0)
		return enter_instance(rd, place->section, place->line, why);
	if (!section_exists(place->section))
		return unknown_section(place->section, why);
	if (strcmp(place->section, rd->instances[0].values.child) == 0)
		rd->section = &rd->instances[0];
	return 0;
}

static int set_value(struct reading *rd, size_t i, const struct ini_place *place, char *why)
{
	const struct config_row *row = &config_rows[i];
	struct origin *origin = row->instance ? &rd->section->origins[i] : &rd->origins[i];
	char problem[KIND_ERROR_MAX];

	if (origin->in_this_file)
		return wrong(why, "given twice, first in line %u", origin->line);
	if (row->kind->parse(row, place->value, reading_member(rd, i, rd->section), problem) < 0)
		return wrong(why, "%s", problem);
	(void)snprintf(origin->file, sizeof(origin->file), "%s", rd->file);
	origin->line = place->line;
	origin->in_this_file = true;
	return 0;
}

static int take_key(struct reading *rd, const struct ini_place *place, char *why)
{
	const char *section = rd->section ? rd->instances[0].values.child : place->section;

	for (size_t i = 0; i < config_n_rows; i++)
		if (strcmp(config_rows[i].section, section) == 0 &&
		    strcmp(config_rows[i].key, place->key) == 0 &&
		    (!config_rows[i].named || rd->section != &rd->instances[0]))
			return set_value(rd, i, place, why);
	return unknown_key(section, place->key, why);
}

static int on_line(void *userdata, const struct ini_place *place, char *why)
{
	struct reading *rd = userdata;
	char what[INI_ERROR_MAX] = "";
	int r;

	if (place->key && !*place->section)
		return wrong(why, "%.40s: a key before the first [section]", place->key);
	r = place->key ? take_key(rd, place, what) : enter_section(rd, place, what);
	if (r < 0)
		(void)snprintf(why, INI_ERROR_MAX, "[%.32s]%s%.40s: %.160s", place->section,
			       place->key ? " " : "", place->key ? place->key : "", what);
	return r;
}

int reading_take_text(struct reading *rd, const char *name, const char *text, size_t len,
		      char error[static CONFIG_ERROR_MAX])
{
	char why[INI_ERROR_MAX] = "out of memory";
	unsigned line;
	int r;

	rd->file = name;
	rd->section = NULL;
	for (size_t i = 0; i < config_n_rows; i++) {
		rd->origins[i].in_this_file = false;
		for (size_t j = 0; j < rd->n_instances; j++)
			rd->instances[j].origins[i].in_this_file = false;
	}
	for (size_t j = 0; j < rd->n_instances; j++)
		rd->instances[j].header_line = 0;
	r = ini_read(text, len, on_line, rd, &line, why);
	if (r < 0)
		(void)snprintf(error, CONFIG_ERROR_MAX, "%s:%u: %s", name, line, why);
	return r;
}

int reading_take_file(struct reading *rd, const char *path, char error[static CONFIG_ERROR_MAX])
{
	CLEANUP(freep) char *text = NULL;
	size_t len;
	int r = file_read_text(path, &text, &len);

	if (r == 0)
		return reading_take_text(rd, path, text, len, error);
	(void)snprintf(error, CONFIG_ERROR_MAX, "%s: %s", path, file_read_why(r));
	return r;
}

struct reading *reading_new(void)
{
	struct reading *rd = calloc(1, sizeof(*rd));
	char why[KIND_ERROR_MAX];

	if (!rd)
		return NULL;
	rd->n_instances = 1;
	(void)strcpy(rd->instances[0].values.child, "ptp4l");
	for (size_t i = 0; i < config_n_rows; i++)
		if (config_rows[i].fallback)
			(void)config_rows[i].kind->parse(&config_rows[i], config_rows[i].fallback,
							 reading_member(rd, i, &rd->instances[0]),
							 why);
	return rd;
}
