// SPDX-License-Identifier: LGPL-2.1-or-later
/* pmc-client list: what can be asked for. The tables know it all. */
#include <stdio.h>

#include "pmc-client/tool.h"

static const char *actions(const struct dataset *ds, char buf[32])
{
	(void)snprintf(buf, 32, "%s%s%s", ds->flags & DATASET_GET ? "get " : "",
		       ds->flags & DATASET_SET ? "set " : "",
		       ds->flags & DATASET_COMMAND ? "command " : "");
	return buf;
}

static void print_dataset(const struct dataset *ds, bool fields)
{
	char buf[32];

	printf("0x%04X  %-35s %-5s  %-8s %-10s%s\n", ds->id, ds->name,
	       ds->flags & DATASET_PORT ? "port" : "clock", actions(ds, buf),
	       ds->since ? ds->since : "3.1.1",
	       ds->flags & DATASET_READ_WRITE ? " read-write socket" : "");
	if (fields && ds->layout)
		printf("        as in %s\n", ds->layout);
	for (size_t i = 0; fields && i < ds->n_fields; i++) {
		const struct field *f = &ds->fields[i];

		if (f->name)
			printf("        %-42s %-40s %s\n", f->name, f->standard,
			       f->unit ? f->unit : "");
	}
}

static json_t *json_dataset(const struct dataset *ds)
{
	json_t *fields = json_array();

	for (size_t i = 0; i < ds->n_fields; i++) {
		const struct field *f = &ds->fields[i];

		if (f->name)
			(void)json_array_append_new(
				fields, json_pack("{s:s, s:s, s:s?}", "name", f->name, "standard",
						  f->standard, "unit", f->unit));
	}
	return json_pack("{s:i, s:s, s:s, s:b, s:b, s:b, s:b, s:s, s:s?, s:o}", "number", ds->id,
			 "id", ds->name, "scope", ds->flags & DATASET_PORT ? "port" : "clock",
			 "get", ds->flags & DATASET_GET, "set", ds->flags & DATASET_SET, "command",
			 ds->flags & DATASET_COMMAND, "read_write_socket",
			 ds->flags & DATASET_READ_WRITE, "since", ds->since ? ds->since : "3.1.1",
			 "layout", ds->layout, "fields", fields);
}

/* Without words every id that some version answers. */
static bool is_listed(const struct dataset *ds, char **words)
{
	if (!words[0])
		return (ds->flags & (DATASET_GET | DATASET_SET | DATASET_COMMAND)) != 0;
	for (char **word = words; *word; word++) {
		const struct dataset *named;
		uint16_t id;

		if (parse_id(*word, &id, &named) && named == ds)
			return true;
	}
	return false;
}

static bool are_listed(char **words)
{
	for (; *words; words++) {
		const struct dataset *named;
		uint16_t id;

		if (!parse_id(*words, &id, &named))
			return false;
		if (!named) {
			tool_complain("%s: an id that nobody described", *words);
			return false;
		}
	}
	return true;
}

int run_list(const struct tool_options *o, char **words)
{
	json_t *ids, *object;
	const struct dataset *ds;

	if (!are_listed(words))
		return EXIT_USAGE;
	ids = json_array();
	for (size_t i = 0; (ds = pmc_dataset_at(i)); i++) {
		if (!is_listed(ds, words))
			continue;
		if (o->json)
			(void)json_array_append_new(ids, json_dataset(ds));
		else
			print_dataset(ds, o->fields || words[0]);
	}
	if (o->json) {
		object = json_pack("{s:s, s:O}", "schema", "pmc-client.list/1", "ids", ids);
		(void)json_dumpf(object, stdout, JSON_INDENT(2));
		(void)putchar('\n');
		json_decref(object);
	}
	json_decref(ids);
	return EXIT_GOOD;
}
