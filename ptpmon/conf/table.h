/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ptpmon/conf/table.h: the option table, for the files of conf/ only. */
#pragma once
#include "ptpmon/conf/conf.h"
#include "ptpmon/conf/kind.h"

enum { CONFIG_ROWS_MAX = 128 };

/* Rows of one section stand together. */
extern const struct config_row config_rows[];
extern const size_t config_n_rows;
