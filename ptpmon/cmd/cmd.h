/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ptpmon/cmd/cmd.h: the subcommands, one file each; main.c has their table. */
#pragma once

#include "ptpmon/base/exit_status.h"

/* argv[0] is the subcommand's name. Returns an exit_status. */
int cmd_run(int argc, char **argv);
int cmd_recorder(int argc, char **argv); /* started by the parent; not for people */
int cmd_latency(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_runs(int argc, char **argv);
int cmd_events(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_import(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_status(int argc, char **argv);
int cmd_wait_sync(int argc, char **argv);
int cmd_mark(int argc, char **argv);
int cmd_phase(int argc, char **argv);
