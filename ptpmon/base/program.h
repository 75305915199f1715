/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ptpmon/base/program.h: where ptpmon's own helper programs are. */
#pragma once
#include <stddef.h>

/*
 * The path of a program that is installed in PTPMON_LIBEXECDIR. For a process that runs from the
 * build tree it is the one built there, in build_subdir ("ptpmon/latency"), so that a tree works
 * without being installed and never starts an older installed program. Else it is the one in
 * ../libexec/ptpmon beside the directory of this process's own program, so that a tree that was
 * installed under DESTDIR or moved works where it stands; else the one in PTPMON_LIBEXECDIR.
 *
 * 0, or -errno of why it cannot be executed (out then holds the path that was tried last), or
 * -ENAMETOOLONG.
 */
int program_find(const char *name, const char *build_subdir, char *out, size_t size);
