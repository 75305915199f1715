/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ptpmon/report/boards.h: the part of a comparison that is about the boards; for compare.c. */
#pragma once
#include "ptpmon/report/compare.h"

/* Fills differences and alerts. 0 or -ENOMEM. */
int compare_boards(struct compare *c);
