// SPDX-License-Identifier: GPL-2.0-or-later
/* Any octets as a configuration: what is accepted, written out, is read back the same. */
#include "ptpmon/conf/conf.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t len);

static void require(bool condition)
{
	if (!condition)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t len)
{
	static struct config config;
	static struct config again;
	char error[CONFIG_ERROR_MAX] = "";
	char *text = strndup((const char *)octets, len);
	char *first;
	char *second;

	if (!text)
		return 0;
	if (config_parse(&config, text, "x", error) < 0) {
		require(*error && !strchr(error, '\n'));
		free(text);
		return 0;
	}
	first = config_to_text(&config);
	require(first && config_parse(&again, first, "first", error) == 0);
	second = config_to_text(&again);
	require(second && strcmp(first, second) == 0);
	free(second);
	free(first);
	free(text);
	return 0;
}
