/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/model/sample.h"

static const char *const kind_names[] = {
	[SERIES_OFFSET] = "offset",
	[SERIES_LATENCY] = "latency",
	[SERIES_OFFSET_RMS] = "offset_rms",
	[SERIES_OFFSET_MAX] = "offset_max",
	[SERIES_SYS_MINUS_PHC] = "sys_minus_phc",
	[SERIES_PHC2SYS] = "phc2sys",
};

const char *series_kind_name(enum series_kind kind)
{
	return kind_names[kind];
}
