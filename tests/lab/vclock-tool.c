// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * vclock: makes, shows and disturbs the private clock of a board.
 *
 *     vclock FILE create [OFFSET_NS [DRIFT_PPB]]
 *     vclock FILE                     prints: error_ns freq_ppb steps
 *     vclock FILE step NS             as if somebody had set it
 *     vclock FILE drift PPB           the oscillator is now this much too fast
 *     vclock FILE vouch MAXERROR_US   as if a time service disciplined it to within that
 *     vclock FILE tai SECONDS         the kernel's TAI - UTC; 0: not set
 *
 * error_ns is what the clock is ahead of the machine's, freq_ppb how much faster than nominal its
 * servo makes it run (opposite to the "freq" that ptp4l prints), steps how often it was set by
 * the programs of the board; "step" is not counted. Exit status: 0, 1 for a file that cannot be
 * used, 2 for wrong arguments.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timex.h>
#include <time.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/nsec.h"
#include "tests/lab/vclock.h"

DEFINE_FREEP(struct vclock, vclock_close)

static int64_t real_now_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_REALTIME, &t);
	return nsec_from_timespec(&t);
}

static int create(const char *path, const int64_t *number)
{
	return vclock_create(path, number[0], number[1], real_now_ns());
}

static int show(const char *path, const int64_t *number)
{
	CLEANUP(vclock_closep) struct vclock *c = NULL;
	struct vclock_state s;
	int64_t real_ns;
	int r = vclock_open(&c, path);

	if (r < 0)
		return r;
	vclock_read(c, &s);
	real_ns = real_now_ns();
	printf("%" PRId64 " %.0f %" PRId64 "\n", vclock_time_ns(&s, real_ns) - real_ns,
	       vclock_freq_ppb(&s), s.steps);
	return 0;
}

/* A writer's state; commit is owed after 0. */
static int begin(struct vclock **c, const char *path, struct vclock_state *s)
{
	int r = vclock_open(c, path);

	return r < 0 ? r : vclock_begin(*c, s);
}

static int disturb(const char *path, int64_t step_ns, const int64_t *drift_ppb)
{
	CLEANUP(vclock_closep) struct vclock *c = NULL;
	struct vclock_state s;
	int r = begin(&c, path, &s);

	if (r < 0)
		return r;
	vclock_anchor(&s, real_now_ns());
	s.virt0_ns += step_ns;
	if (drift_ppb)
		s.drift_ppb = *drift_ppb;
	vclock_commit(c, &s);
	return 0;
}

static int step(const char *path, const int64_t *number)
{
	return disturb(path, number[0], NULL);
}

static int drift(const char *path, const int64_t *number)
{
	return disturb(path, 0, number);
}

static int vouch(const char *path, const int64_t *number)
{
	CLEANUP(vclock_closep) struct vclock *c = NULL;
	struct vclock_state s;
	int r = begin(&c, path, &s);

	if (r < 0)
		return r;
	s.status &= ~(int64_t)STA_UNSYNC;
	s.maxerror_us = number[0];
	vclock_commit(c, &s);
	return 0;
}

static int set_tai(const char *path, const int64_t *number)
{
	CLEANUP(vclock_closep) struct vclock *c = NULL;
	struct vclock_state s;
	int r = begin(&c, path, &s);

	if (r < 0)
		return r;
	s.tai_s = number[0];
	vclock_commit(c, &s);
	return 0;
}

/* clang-format off */
static const struct command {
	const char *name;
	int min_numbers, max_numbers;
	int (*run)(const char *path, const int64_t *number);
} commands[] = {
	{"show", 0, 0, show},
	{"create", 0, 2, create},
	{"step", 1, 1, step},
	{"drift", 1, 1, drift},
	{"vouch", 1, 1, vouch},
	{"tai", 1, 1, set_tai},
};
/* clang-format on */

static int parse_number(const char *text, int64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoll(text, &end, 10);
	return errno != 0 || end == text || *end != '\0' ? -EINVAL : 0;
}

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}

int main(int argc, char **argv)
{
	const struct command *c = argc < 2 ? NULL : find_command(argc == 2 ? "show" : argv[2]);
	int64_t number[2] = {0, 0};
	int numbers = argc > 3 ? argc - 3 : 0;
	bool good = c && numbers >= c->min_numbers && numbers <= c->max_numbers;
	int r;

	for (int i = 0; good && i < numbers; i++)
		good = parse_number(argv[3 + i], &number[i]) == 0;
	if (!good) {
		(void)fprintf(stderr,
			      "usage: vclock FILE [create [OFFSET_NS [DRIFT_PPB]] | step NS | "
			      "drift PPB | vouch MAXERROR_US | tai SECONDS]\n");
		return 2;
	}
	r = c->run(argv[1], number);
	if (r < 0) {
		(void)fprintf(stderr, "vclock: %s: %s\n", argv[1], strerror(-r));
		return 1;
	}
	return 0;
}
