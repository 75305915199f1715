/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/base/cpulist.h: sets of CPUs as people and the kernel write them, "0-3,5".
 *
 * CPU numbers may have holes and go beyond 64; a set holds CPULIST_MAX of them.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CPULIST_MAX = 1024, CPULIST_WORDS = CPULIST_MAX / 64, CPULIST_TEXT_MAX = 256 };

struct cpulist {
	uint64_t bits[CPULIST_WORDS];
};

bool cpulist_has(const struct cpulist *set, size_t cpu);
void cpulist_add(struct cpulist *set, size_t cpu);
size_t cpulist_count(const struct cpulist *set);
bool cpulist_equal(const struct cpulist *a, const struct cpulist *b);

/* The first CPU of the set at or after cpu, or CPULIST_MAX. */
size_t cpulist_next(const struct cpulist *set, size_t cpu);

/* "0-3,5"; blanks around commas are taken. 0, -EINVAL, or -ERANGE for a CPU beyond the set. */
int cpulist_parse(const char *text, struct cpulist *out);

/* The kernel's form; a list too long for the buffer ends in "...". */
const char *cpulist_format(const struct cpulist *set, char out[static CPULIST_TEXT_MAX]);

/* A list in a file such as /sys/devices/system/cpu/online. 0, or -errno. */
int cpulist_read(const char *path, struct cpulist *out);

/*
 * What people write to choose among this board's CPUs: "all" (those online), "isolated" (from the
 * scheduler, as the kernel says), "not-isolated" (the others), or a list, which is taken as it is.
 * The words can lead to an empty set. 0, or what cpulist_parse() or cpulist_read() gave.
 */
int cpulist_select(const char *text, struct cpulist *out);

/* The set as sched_setaffinity() takes it (CPULIST_MAX bits), and back from sched_getaffinity(). */
void cpulist_to_mask(const struct cpulist *set, unsigned long *mask, size_t bytes);
void cpulist_from_mask(struct cpulist *set, const unsigned long *mask, size_t bytes);
