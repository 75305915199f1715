/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ptpmon/cmd/charts.h: the charts of a report as files. */
#pragma once
#include "ptpmon/report/result.h"

/*
 * Writes each chart of the report as DIRECTORY/NAME.svg; the directory is made if it is not there.
 * EXIT_GOOD, or EXIT_USAGE after a line in the name of the command.
 */
int charts_write(const char *command, const struct report *r, const char *directory);
