/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/collect/board.h: what kind of board this is, for telling two nights apart later: what the
 * kernel was told, and how its CPUs are set. Read once, when a recording begins.
 */
#pragma once

/*
 * A JSON object of texts: "model", "command_line", "realtime_kernel", "online_cpus",
 * "isolated_cpus", "governor", "idle_states", "clocksource"; what this board does not have is left
 * out. root is "" or the top of a copied tree of /proc and /sys. To be freed; NULL without memory.
 */
char *board_facts(const char *root);
