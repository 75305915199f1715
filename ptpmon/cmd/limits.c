/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/cmd/limits.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/cmd/limits_presets.h"

enum { PRESETS = sizeof(presets) / sizeof(presets[0]), FILE_MAX = 65536 };

struct reading {
	struct limits limits;
	struct mask *mask; /* of the section; NULL in [preset] */
	bool has_quantity, has_filter;
};

static int wrong(char *why, const char *what)
{
	(void)snprintf(why, INI_ERROR_MAX, "%s", what);
	return -EINVAL;
}

static int copy(char to[static MASK_TEXT_MAX], const char *value, char *why)
{
	if (strlen(value) >= MASK_TEXT_MAX)
		return wrong(why, "too long");
	memcpy(to, value, strlen(value) + 1);
	return 0;
}

static int take_quantity(struct reading *r, const char *value, char *why)
{
	r->has_quantity = true;
	for (enum mask_quantity q = 0; q < MASK_QUANTITY_MAX; q++)
		if (strcmp(value, mask_quantity_name(q)) == 0) {
			r->mask->quantity = q;
			return 0;
		}
	return wrong(why, "quantity is none of max|TE|, |cTE|, pk-pk, MTIE, TDEV");
}

static int take_filter(struct reading *r, const char *value, char *why)
{
	r->has_filter = true;
	for (enum mask_filter f = 0; f < MASK_FILTER_MAX; f++)
		if (strcmp(value, mask_filter_name(f)) == 0) {
			r->mask->filter = f;
			return 0;
		}
	return wrong(why, "filter is none of none, low-pass, high-pass");
}

static int take_source(struct reading *r, const char *value, char *why)
{
	return copy(r->mask->source, value, why);
}

/* Skips a word and the blanks before it, if it comes next. */
static bool word(const char **at, const char *expected)
{
	const char *p = *at;

	while (isspace((unsigned char)*p))
		p++;
	if (strncmp(p, expected, strlen(expected)) != 0)
		return false;
	*at = p + strlen(expected);
	return true;
}

static bool number(const char **at, double *out)
{
	char *end;

	*out = strtod(*at, &end);
	if (end == *at || isnan(*out) || *out < 0)
		return false;
	*at = end;
	return true;
}

/* "100", "0.275 tau", "0.275 tau + 25" */
static bool read_line(const char **at, struct mask_piece *p)
{
	if (!number(at, &p->intercept_ns))
		return false;
	if (word(at, "tau")) {
		p->slope_ns_per_s = p->intercept_ns;
		p->intercept_ns = 0;
		if (word(at, "+") && !number(at, &p->intercept_ns))
			return false;
	}
	return isfinite(p->intercept_ns) && isfinite(p->slope_ns_per_s);
}

/* ", tau in (0.1, 273]" */
static bool read_interval(const char **at, struct mask_piece *p)
{
	if (!word(at, ",") || !word(at, "tau") || !word(at, "in"))
		return false;
	p->low_included = word(at, "[");
	if ((!p->low_included && !word(at, "(")) || !number(at, &p->low_s) || !word(at, ",") ||
	    !number(at, &p->high_s))
		return false;
	p->high_included = word(at, "]");
	return (p->high_included || word(at, ")")) && p->low_s < p->high_s;
}

static int take_limit(struct reading *r, const char *value, char *why)
{
	struct mask *m = r->mask;
	struct mask_piece piece = {.low_included = true, .high_s = INFINITY};
	bool of_tau = m->quantity == MASK_MTIE || m->quantity == MASK_TDEV;
	const char *at = value;

	if (!r->has_quantity)
		return wrong(why, "quantity comes before limit");
	if (!read_line(&at, &piece) || (of_tau && !read_interval(&at, &piece)) || *at)
		return wrong(why, of_tau ? "not a limit such as 0.275 tau + 25, tau in (0.1, 273]"
					 : "not a limit in ns");
	if (!of_tau && (m->n_pieces > 0 || piece.slope_ns_per_s > 0))
		return wrong(why, "this has one limit and it is one number");
	if (m->n_pieces == MASK_PIECES_MAX)
		return wrong(why, "too many pieces");
	m->pieces[m->n_pieces++] = piece;
	return 0;
}

static int take_about(struct reading *r, const char *value, char *why)
{
	return copy(r->limits.about, value, why);
}

static int take_edition(struct reading *r, const char *value, char *why)
{
	return copy(r->limits.edition, value, why);
}

static int take_provenance(struct reading *r, const char *value, char *why)
{
	return copy(r->limits.provenance, value, why);
}

static const struct {
	const char *key;
	bool of_mask;
	int (*take)(struct reading *r, const char *value, char *why);
} keys[] = {
	{"about", false, take_about},      {"edition", false, take_edition},
	{"quantity", true, take_quantity}, {"provenance", false, take_provenance},
	{"filter", true, take_filter},     {"source", true, take_source},
	{"limit", true, take_limit},
};

/* A section is complete when the next begins. */
static int finish_section(const struct reading *r, char *why)
{
	if (r->mask && (!r->has_quantity || !r->has_filter || !*r->mask->source))
		return wrong(why, "the section before lacks quantity, filter or source");
	if (r->mask && r->mask->n_pieces == 0)
		return wrong(why, "the section before lacks a limit");
	return 0;
}

static int begin_section(struct reading *r, const char *name, char *why)
{
	int ret = finish_section(r, why);

	r->mask = NULL;
	r->has_quantity = r->has_filter = false;
	if (ret < 0 || strcmp(name, "preset") == 0)
		return ret;
	if (r->limits.n_masks == MASKS_MAX)
		return wrong(why, "too many masks");
	r->mask = &r->limits.masks[r->limits.n_masks++];
	return copy(r->mask->label, name, why);
}

static int on_line(void *userdata, const struct ini_place *place, char *why)
{
	struct reading *r = userdata;

	if (!place->key)
		return begin_section(r, place->section, why);
	if (!*place->section)
		return wrong(why, "a key before the first section");
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (strcmp(keys[i].key, place->key) == 0 && keys[i].of_mask == !!r->mask)
			return keys[i].take(r, place->value, why);
	return wrong(why, "no such key in this section");
}

int limits_read(struct limits *out, const char *name, const char *text, size_t len,
		char why[static LIMITS_ERROR_MAX])
{
	CLEANUP(freep) struct reading *r = calloc(1, sizeof(*r));
	char what[INI_ERROR_MAX] = "out of memory";
	unsigned line = 0;
	int ret = r ? ini_read(text, len, on_line, r, &line, what) : -ENOMEM;

	if (ret == 0)
		ret = finish_section(r, what);
	if (ret == 0 && (r->limits.n_masks == 0 || !*r->limits.about || !*r->limits.edition ||
			 !*r->limits.provenance))
		ret = wrong(what, "about, edition, provenance or any mask is missing");
	if (ret < 0) {
		(void)snprintf(why, LIMITS_ERROR_MAX, "%.100s:%u: %s", name, line, what);
		return ret;
	}
	(void)snprintf(r->limits.name, sizeof(r->limits.name), "%s", name);
	*out = r->limits;
	return 0;
}

static int read_file(struct limits *out, const char *path, char why[static LIMITS_ERROR_MAX])
{
	CLEANUP(fclosep) FILE *f = fopen(path, "re");
	CLEANUP(freep) char *text = malloc(FILE_MAX);
	size_t len = f && text ? fread(text, 1, FILE_MAX, f) : 0;
	int r = 0;

	if (!f || !text || ferror(f))
		r = errno ? -errno : -EIO;
	else if (len == FILE_MAX)
		r = -EFBIG;
	if (r < 0) {
		(void)snprintf(why, LIMITS_ERROR_MAX, "%.200s: %s", path, strerror(-r));
		return r;
	}
	return limits_read(out, path, text, len, why);
}

static bool is_file(const char *name)
{
	const char *suffix = strrchr(name, '.');

	return strchr(name, '/') || (suffix && strcmp(suffix, ".ini") == 0);
}

int limits_find(struct limits *out, const char *name, char why[static LIMITS_ERROR_MAX])
{
	size_t used;

	if (is_file(name))
		return read_file(out, name, why);
	for (size_t i = 0; i < PRESETS; i++)
		if (strcmp(presets[i].name, name) == 0)
			return limits_read(out, name, presets[i].text, strlen(presets[i].text),
					   why);
	used = (size_t)snprintf(why, LIMITS_ERROR_MAX, "no preset is called \"%.40s\":", name);
	for (size_t i = 0; i < PRESETS && used < LIMITS_ERROR_MAX; i++)
		used += (size_t)snprintf(why + used, LIMITS_ERROR_MAX - used, " %s",
					 presets[i].name);
	return -ENOENT;
}

void limits_list(FILE *out)
{
	for (size_t i = 0; i < PRESETS; i++) {
		struct limits l;
		char why[LIMITS_ERROR_MAX];

		if (limits_find(&l, presets[i].name, why) == 0)
			(void)fprintf(out, "%-20s %s; %s\n", l.name, l.about, l.edition);
	}
}
