// SPDX-License-Identifier: GPL-2.0-or-later
/* Any octets as a configuration file of ptp4l: what is taken from it is within bounds. */
#include "ptpmon/conf/ptp4l_file.h"

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
	char error[CONFIG_ERROR_MAX] = "";
	char *text = strndup((const char *)octets, len);
	struct ptp4l_file f;

	if (!text)
		return 0;
	if (ptp4l_file_parse(&f, text, "x", error) < 0) {
		require(*error && !strchr(error, '\n'));
	} else {
		require(f.domain >= 0 && f.domain <= 127);
		require(f.transport_specific >= 0 && f.transport_specific <= 15);
		require(f.timestamping < TIMESTAMPING_MAX);
		require(f.interfaces.n <= CONFIG_INTERFACES_MAX);
		for (size_t i = 0; i < f.interfaces.n; i++)
			require(*f.interfaces.name[i] &&
				strlen(f.interfaces.name[i]) < IF_NAMESIZE);
	}
	free(text);
	return 0;
}
