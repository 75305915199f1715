/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ptpmon/conf/print.h: a configuration as text, for the files of conf/ only. */
#pragma once
#include "ptpmon/conf/reading.h"

struct strbuf;

/* Sections and keys with their values; with the reading they came from, its lines as comments. */
void config_print(const struct config *c, const struct reading *rd, struct strbuf *out);
