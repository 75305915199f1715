/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ptpmon/base/program.h: where ptpmon's own helper programs are. */
#pragma once
#include <stddef.h>

/*
 * The path of a program that is installed in PTPMON_LIBEXECDIR. For a process that runs from the
 * build tree it is the one built there, in build_subdir ("ptpmon/latency"), so that a tree works
 * without being installed and never starts an older installed program.
 *
 * 0, or -errno of why it cannot be executed (out then holds the path that was tried), or
 * -ENAMETOOLONG.
 */
int program_find(const char *name, const char *build_subdir, char *out, size_t size);
