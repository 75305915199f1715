/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ptpmon/report/clean.h: recorded text made fit for a terminal and for JSON. */
#pragma once
#include <stddef.h>

/*
 * Copies what fits of `from` (NULL: nothing) into `to`, which is terminated: whole characters of
 * UTF-8 as they are; each control character, and each octet that is part of no character, as '?'.
 */
void clean_copy(char *to, size_t size, const char *from);

/* Into an array. */
#define CLEAN(to, from) clean_copy((to), sizeof(to), (from))
