/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * usage: rival NAME [freq PPB | pll | step NS]
 *
 * Runs under the name of another program that steers clocks, until it is ended; with an effect on
 * CLOCK_REALTIME a hundred times a second (step: once). For boards of the lab, whose clock is
 * private.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/timex.h>
#include <unistd.h>

enum { EVERY_US = 10000 };

static struct timex effect(const char *kind, long value)
{
	if (strcmp(kind, "freq") == 0)
		return (struct timex){.modes = ADJ_FREQUENCY, .freq = value * 65536 / 1000};
	if (strcmp(kind, "pll") == 0)
		return (struct timex){.modes = ADJ_STATUS, .status = STA_PLL};
	return (struct timex){
		.modes = ADJ_SETOFFSET | ADJ_NANO,
		.time = {.tv_sec = value / 1000000000, .tv_usec = value % 1000000000},
	};
}

int main(int argc, char **argv)
{
	const char *kind = argc > 2 ? argv[2] : "";
	long value = argc > 3 ? strtol(argv[3], NULL, 10) : 0;

	if (argc < 2)
		return 2;
	(void)prctl(PR_SET_NAME, argv[1], 0, 0, 0);
	while (*kind) {
		struct timex x = effect(kind, value);

		if (adjtimex(&x) < 0) {
			perror("rival: adjtimex");
			return 1;
		}
		if (strcmp(kind, "step") == 0)
			break;
		(void)usleep(EVERY_US);
	}
	for (;;)
		(void)pause();
}
