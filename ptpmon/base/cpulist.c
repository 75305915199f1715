/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/base/cpulist.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/base/cleanup.h"

#define CPU_DIRECTORY "/sys/devices/system/cpu"

enum { LONG_BITS = sizeof(unsigned long) * CHAR_BIT };

bool cpulist_has(const struct cpulist *set, size_t cpu)
{
	return cpu < CPULIST_MAX && (set->bits[cpu / 64] >> cpu % 64 & 1);
}

void cpulist_add(struct cpulist *set, size_t cpu)
{
	if (cpu < CPULIST_MAX)
		set->bits[cpu / 64] |= UINT64_C(1) << cpu % 64;
}

size_t cpulist_count(const struct cpulist *set)
{
	size_t n = 0;

	for (size_t i = 0; i < CPULIST_WORDS; i++)
		n += (size_t)__builtin_popcountll(set->bits[i]);
	return n;
}

bool cpulist_equal(const struct cpulist *a, const struct cpulist *b)
{
	return memcmp(a->bits, b->bits, sizeof(a->bits)) == 0;
}

size_t cpulist_next(const struct cpulist *set, size_t cpu)
{
	while (cpu < CPULIST_MAX && !cpulist_has(set, cpu))
		cpu++;
	return cpu;
}

static int parse_cpu(const char **s, size_t *out)
{
	size_t cpu = 0;

	if (!isdigit((unsigned char)**s))
		return -EINVAL;
	for (; isdigit((unsigned char)**s); (*s)++) {
		cpu = cpu * 10 + (size_t)(**s - '0');
		if (cpu >= CPULIST_MAX)
			return -ERANGE;
	}
	*out = cpu;
	return 0;
}

static const char *skip_blanks(const char *s)
{
	while (isspace((unsigned char)*s))
		s++;
	return s;
}

int cpulist_parse(const char *text, struct cpulist *out)
{
	struct cpulist set = {0};
	const char *s = skip_blanks(text);

	for (;;) {
		size_t first;
		size_t last;
		int r = parse_cpu(&s, &first);

		if (r < 0)
			return r;
		last = first;
		if (*s == '-') {
			s++;
			r = parse_cpu(&s, &last);
			if (r < 0)
				return r;
		}
		if (last < first)
			return -EINVAL;
		for (size_t cpu = first; cpu <= last; cpu++)
			cpulist_add(&set, cpu);
		s = skip_blanks(s);
		if (!*s)
			break;
		if (*s != ',')
			return -EINVAL;
		s = skip_blanks(s + 1);
	}
	*out = set;
	return 0;
}

const char *cpulist_format(const struct cpulist *set, char out[static CPULIST_TEXT_MAX])
{
	size_t at = 0;
	size_t cpu = cpulist_next(set, 0);

	out[0] = '\0';
	while (cpu < CPULIST_MAX) {
		size_t last = cpu;
		char piece[32];
		size_t len;

		while (cpulist_has(set, last + 1))
			last++;
		if (last > cpu)
			(void)snprintf(piece, sizeof(piece), "%s%zu-%zu", at ? "," : "", cpu, last);
		else
			(void)snprintf(piece, sizeof(piece), "%s%zu", at ? "," : "", cpu);
		len = strlen(piece);
		if (at + len + sizeof("...") > CPULIST_TEXT_MAX) {
			memcpy(out + at, "...", sizeof("..."));
			break;
		}
		memcpy(out + at, piece, len + 1);
		at += len;
		cpu = cpulist_next(set, last + 1);
	}
	return out;
}

int cpulist_read(const char *path, struct cpulist *out)
{
	CLEANUP(fclosep) FILE *f = fopen(path, "re");
	CLEANUP(freep) char *line = NULL;
	size_t size = 0;

	if (!f)
		return -errno;
	if (getline(&line, &size, f) < 0)
		return ferror(f) ? -EIO : -EINVAL;
	if (!*skip_blanks(line)) { /* no CPU at all is an empty line, as in .../isolated */
		*out = (struct cpulist){0};
		return 0;
	}
	return cpulist_parse(line, out);
}

int cpulist_select(const char *text, struct cpulist *out)
{
	bool all = strcmp(text, "all") == 0;
	bool others = strcmp(text, "not-isolated") == 0;
	struct cpulist online = {0};
	struct cpulist isolated = {0};
	int r;

	if (!all && !others && strcmp(text, "isolated") != 0)
		return cpulist_parse(text, out);
	r = cpulist_read(CPU_DIRECTORY "/online", &online);
	if (r < 0)
		return r;
	if (!all)
		r = cpulist_read(CPU_DIRECTORY "/isolated", &isolated);
	if (r < 0 && r != -ENOENT) /* a kernel that cannot isolate has no such file */
		return r;
	for (size_t i = 0; i < CPULIST_WORDS; i++)
		online.bits[i] &= all || others ? ~isolated.bits[i] : isolated.bits[i];
	*out = online;
	return 0;
}

void cpulist_to_mask(const struct cpulist *set, unsigned long *mask, size_t bytes)
{
	memset(mask, 0, bytes);
	for (size_t cpu = cpulist_next(set, 0); cpu < CPULIST_MAX && cpu < bytes * CHAR_BIT;
	     cpu = cpulist_next(set, cpu + 1))
		mask[cpu / LONG_BITS] |= 1UL << cpu % LONG_BITS;
}

void cpulist_from_mask(struct cpulist *set, const unsigned long *mask, size_t bytes)
{
	*set = (struct cpulist){0};
	for (size_t cpu = 0; cpu < bytes * CHAR_BIT; cpu++)
		if (mask[cpu / LONG_BITS] >> cpu % LONG_BITS & 1)
			cpulist_add(set, cpu);
}
