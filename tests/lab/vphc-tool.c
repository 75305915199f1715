// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * vphc: makes, shows and disturbs the hardware clock of a board (tests/lab/vphc.h).
 *
 *     vphc DIRECTORY/ptpN create [OFFSET_NS [DRIFT_PPB]]
 *     vphc DIRECTORY/ptpN                     prints: error_ns freq_ppb steps
 *     vphc DIRECTORY/ptpN port INTERFACE      stamps the packets of INTERFACE
 *     vphc DIRECTORY/ptpN jump NS
 *     vphc DIRECTORY/ptpN drift PPB           the oscillator is now this much too fast
 *     vphc DIRECTORY/ptpN stick               shows the same for ever …
 *     vphc DIRECTORY/ptpN free                … and goes on from there
 *     vphc DIRECTORY/ptpN refuse WHAT ERROR
 *     vphc DIRECTORY/ptpN slow NS             each reading takes this much longer
 *     vphc DIRECTORY/ptpN window NS           from the system's time before to that behind it
 *
 * WHAT is precise, extended, plain, read, set or open, ERROR is EIO, ENODEV, EOPNOTSUPP, EBUSY,
 * EACCES or none.
 *
 * error_ns is what it shows ahead of the machine's CLOCK_REALTIME, freq_ppb how much faster its
 * servo makes it run, steps how often programs set it. Exit status: 0, 1 for a clock that cannot be
 * used, 2 for wrong arguments.
 */
#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/nsec.h"
#include "tests/lab/vphc.h"

DEFINE_FREEP(struct vphc, vphc_close)

struct call {
	const char *directory, *name;
	struct vphc *phc; /* NULL for create */
	int n;
	char **argument;
};

static int usage(void)
{
	(void)fprintf(stderr, "usage: vphc DIRECTORY/ptpN [create [OFFSET_NS [DRIFT_PPB]] | port "
			      "INTERFACE | jump NS | drift PPB | stick | free | refuse WHAT ERROR "
			      "| slow NS | window NS]\n");
	return 2;
}

static int parse_number(const char *text, int64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoll(text, &end, 10);
	return errno != 0 || end == text || *end != '\0' ? -EINVAL : 0;
}

static int create(const struct call *c)
{
	int64_t number[2] = {0, 0};

	for (int i = 0; i < c->n; i++)
		if (parse_number(c->argument[i], &number[i]) < 0)
			return -EINVAL;
	return vphc_create(c->directory, c->name, number[0], number[1], nsec_now(CLOCK_REALTIME));
}

static int show(const struct call *c)
{
	int64_t real_ns = nsec_now(CLOCK_REALTIME);
	struct vclock_state s;

	vclock_read(vphc_clock(c->phc), &s);
	printf("%" PRId64 " %.0f %" PRId64 "\n", vphc_time_ns(c->phc, real_ns) - real_ns,
	       vclock_freq_ppb(&s), s.steps);
	return 0;
}

static int port(const struct call *c)
{
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/%s", c->directory, c->argument[0]);
	(void)unlink(path);
	return symlink(c->name, path) < 0 ? -errno : 0;
}

static int move(const struct call *c, int64_t jump_ns, const int64_t *drift_ppb)
{
	struct vclock *clock = vphc_clock(c->phc);
	struct vclock_state s;
	int r = vclock_begin(clock, &s);

	if (r < 0)
		return r;
	vclock_anchor(&s, nsec_now(CLOCK_REALTIME));
	s.virt0_ns += jump_ns;
	if (drift_ppb)
		s.drift_ppb = *drift_ppb;
	vclock_commit(clock, &s);
	return 0;
}

static int jump(const struct call *c)
{
	int64_t ns;

	return parse_number(c->argument[0], &ns) < 0 ? -EINVAL : move(c, ns, NULL);
}

static int drift(const struct call *c)
{
	int64_t ppb;

	return parse_number(c->argument[0], &ppb) < 0 ? -EINVAL : move(c, 0, &ppb);
}

static int stick(const struct call *c)
{
	int r = vphc_tell(c->phc, VPHC_STUCK_NS, vphc_time_ns(c->phc, nsec_now(CLOCK_REALTIME)));

	return r < 0 ? r : vphc_tell(c->phc, VPHC_STUCK, 1);
}

static int set_free(const struct call *c)
{
	int64_t stuck_ns = vphc_order(c->phc, VPHC_STUCK_NS);
	int64_t real_ns = nsec_now(CLOCK_REALTIME);
	int r;

	if (!vphc_order(c->phc, VPHC_STUCK))
		return 0;
	r = vphc_tell(c->phc, VPHC_STUCK, 0);
	return r < 0 ? r : move(c, stuck_ns - vphc_time_ns(c->phc, real_ns), NULL);
}

static int refuse(const struct call *c)
{
	static const struct {
		const char *name;
		enum vphc_order order;
	} whats[] = {
		{"precise", VPHC_PRECISE}, {"extended", VPHC_EXTENDED}, {"plain", VPHC_PLAIN},
		{"read", VPHC_READ},       {"set", VPHC_SET},           {"open", VPHC_OPEN},
	};
	static const struct {
		const char *name;
		int64_t error;
	} errors[] = {
		{"none", 0},        {"EIO", EIO},
		{"ENODEV", ENODEV}, {"EOPNOTSUPP", EOPNOTSUPP},
		{"EBUSY", EBUSY},   {"EACCES", EACCES},
	};
	size_t what = 0;
	size_t error = 0;

	while (what < sizeof(whats) / sizeof(whats[0]) &&
	       strcmp(whats[what].name, c->argument[0]) != 0)
		what++;
	while (error < sizeof(errors) / sizeof(errors[0]) &&
	       strcmp(errors[error].name, c->argument[1]) != 0)
		error++;
	if (what == sizeof(whats) / sizeof(whats[0]) || error == sizeof(errors) / sizeof(errors[0]))
		return -EINVAL;
	return vphc_tell(c->phc, whats[what].order, errors[error].error);
}

static int tell_number(const struct call *c, enum vphc_order order)
{
	int64_t ns;

	return parse_number(c->argument[0], &ns) < 0 ? -EINVAL : vphc_tell(c->phc, order, ns);
}

static int slow(const struct call *c)
{
	return tell_number(c, VPHC_SLOW_NS);
}

static int window(const struct call *c)
{
	return tell_number(c, VPHC_WINDOW_NS);
}

static const struct command {
	const char *name;
	int least, most; /* arguments */
	int (*run)(const struct call *c);
} commands[] = {
	{"show", 0, 0, show},     {"create", 0, 2, create}, {"port", 1, 1, port},
	{"jump", 1, 1, jump},     {"drift", 1, 1, drift},   {"stick", 0, 0, stick},
	{"free", 0, 0, set_free}, {"refuse", 2, 2, refuse}, {"slow", 1, 1, slow},
	{"window", 1, 1, window},
};

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}

int main(int argc, char **argv)
{
	const struct command *command =
		argc < 2 ? NULL : find_command(argc == 2 ? "show" : argv[2]);
	CLEANUP(vphc_closep) struct vphc *phc = NULL;
	char directory[PATH_MAX];
	char name[PATH_MAX];
	struct call c = {.n = argc > 3 ? argc - 3 : 0, .argument = argv + 3};
	int r = 0;

	if (!command || c.n < command->least || c.n > command->most)
		return usage();
	(void)snprintf(directory, sizeof(directory), "%s", argv[1]);
	(void)snprintf(name, sizeof(name), "%s", argv[1]);
	c.directory = dirname(directory);
	c.name = basename(name);
	if (command->run != create)
		r = vphc_open(&phc, c.directory, c.name);
	c.phc = phc;
	if (r == 0)
		r = command->run(&c);
	if (r == -EINVAL)
		return usage();
	if (r < 0)
		(void)fprintf(stderr, "vphc: %s: %s\n", argv[1], strerror(-r));
	return r < 0;
}
