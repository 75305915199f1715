/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ptpmon/supervise/probe.h: asks a program something that it answers in one line, and no longer. */
#pragma once
#include <stddef.h>
#include <stdint.h>

/*
 * Runs argv and takes the first line of its stdout, without the newline. It is killed when it has
 * not ended by timeout_ns; what it wrote until then counts. 0, or -errno (-ENODATA: it wrote
 * nothing). Blocks: only for before the event loop.
 */
int probe_first_line(char *const *argv, int64_t timeout_ns, char *out, size_t size);

/* The same of whatever it writes, also to stderr. */
int probe_first_output(char *const *argv, int64_t timeout_ns, char *out, size_t size);
