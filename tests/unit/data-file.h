/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tests/unit/data-file.h: the files of tests/data. */
#pragma once
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { DATA_PATH_MAX = 512 };

static inline const char *data_path(const char *name, char out[static DATA_PATH_MAX])
{
	(void)snprintf(out, DATA_PATH_MAX, "%s/%s", getenv("TEST_DATA"), name);
	return out;
}

/* Fails the test if it cannot be read. */
static inline FILE *data_open(const char *name)
{
	char path[DATA_PATH_MAX];
	FILE *f = fopen(data_path(name, path), "re");

	if (!f)
		fail_msg("%s cannot be opened", path);
	return f;
}
