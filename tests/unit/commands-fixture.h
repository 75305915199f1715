/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/commands-fixture.h: commands against a service that notes what it is asked: a process
 * with the real control socket and made-up operations. Each command runs in a process of its own.
 */
#pragma once
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/cmd/cmd.h"
#include "ptpmon/report/status_json.h"
#include "ptpmon/serve/control.h"
#include "ptpmon/serve/listener.h"
#include "status-fixture.h"

enum { TEXT_MAX = 16384, PATIENCE_MS = 10000 };

struct fixture {
	char directory[64];
	char config[96], socket[96], notes[96], output[96];
	const struct status_fixture *status; /* what the service says next time it starts */
	pid_t service;
};

/* -- the service ------------------------------------------------------------------------- */

struct service {
	const struct fixture *fixture;
	bool in_phase;
};

static inline void note(const struct service *s, const char *what, const char *text)
{
	FILE *f = fopen(s->fixture->notes, "ae");

	fprintf(f, "%s %s\n", what, text);
	fclose(f);
}

static inline json_t *op_status(void *userdata)
{
	const struct service *s = userdata;
	struct status *status = status_fixture_new(s->fixture->status);
	json_t *json = status_to_json(status);

	free(status);
	return json;
}

static inline int op_mark(void *userdata, const char *text, const char *who)
{
	note(userdata, "mark", text);
	return strcmp(text, "full") == 0 ? -ENOSPC : 0;
}

static inline int op_begin_phase(void *userdata, const char *name, const char *who)
{
	struct service *s = userdata;

	note(s, "begin", name);
	s->in_phase = true;
	return 0;
}

static inline int op_end_phase(void *userdata, const char *who)
{
	struct service *s = userdata;

	note(s, "end", "");
	if (!s->in_phase)
		return -ENOENT;
	s->in_phase = false;
	return 0;
}

static inline size_t op_acknowledge(void *userdata, int64_t until_mono_ns, const char *who)
{
	char text[32];

	(void)snprintf(text, sizeof(text), "%" PRId64, until_mono_ns);
	note(userdata, "acknowledge", text);
	return 0;
}

static inline json_t *op_events(void *userdata, const struct control_filter *filter)
{
	return json_array();
}

static const struct control_ops ops = {
	.status = op_status,
	.events = op_events,
	.mark = op_mark,
	.begin_phase = op_begin_phase,
	.end_phase = op_end_phase,
	.acknowledge = op_acknowledge,
};

/* in_phase: as a recorder that was started again goes on in the phase of the one before. */
static inline void start_service(struct fixture *f, bool in_phase)
{
	struct service s = {.fixture = f, .in_phase = in_phase};
	struct listener listener = {.fd = -1};
	struct control *control;
	char why[LISTENER_WHY_MAX];
	sd_event *loop;

	assert_int_equal(listener_open(&listener, f->socket, 0660, why), 0);
	f->service = fork();
	assert_true(f->service >= 0);
	if (f->service > 0) {
		close(listener.fd);
		return;
	}
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (sd_event_new(&loop) < 0 || control_new(&control, loop, listener.fd, &ops, &s) < 0)
		_exit(1);
	_exit(sd_event_loop(loop) < 0);
}

static inline void stop_service(struct fixture *f)
{
	if (f->service <= 0)
		return;
	assert_int_equal(kill(f->service, SIGKILL), 0);
	assert_int_equal(waitpid(f->service, NULL, 0), f->service);
	f->service = 0;
}

/* -- commands ---------------------------------------------------------------------------- */

enum { ARGUMENTS_MAX = 16 };

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
} commands[] = {{"status", cmd_status},
		{"mark", cmd_mark},
		{"phase", cmd_phase},
		{"wait-sync", cmd_wait_sync}};

static inline pid_t start_command(const struct fixture *f, const char *const *arguments)
{
	char *argv[ARGUMENTS_MAX + 1] = {NULL};
	int argc = 0;
	pid_t pid;
	int fd;

	(void)fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (pid > 0)
		return pid;
	for (; arguments[argc]; argc++)
		argv[argc] = strcmp(arguments[argc], "CONFIG") == 0 ? strdup(f->config)
								    : strdup(arguments[argc]);
	fd = open(f->output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (dup2(fd, STDOUT_FILENO) < 0 || dup2(fd, STDERR_FILENO) < 0)
		_exit(126);
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (strcmp(argv[0], commands[i].name) == 0)
			exit(commands[i].run(argc, argv));
	_exit(126);
}

static inline int wait_command(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

#define RUN(f, ...) wait_command(start_command((f), (const char *const[]){__VA_ARGS__, NULL}))

static inline const char *read_file(const char *path, char out[static TEXT_MAX])
{
	CLEANUP(fclosep) FILE *f = fopen(path, "re");
	size_t n = f ? fread(out, 1, TEXT_MAX - 1, f) : 0;

	out[n] = '\0';
	return out;
}

static inline bool wait_for_text(const char *path, const char *text)
{
	char got[TEXT_MAX];

	for (int ms = 0; ms < PATIENCE_MS; ms += 10) {
		if (strstr(read_file(path, got), text))
			return true;
		(void)poll(NULL, 0, 10);
	}
	return false;
}

static inline bool is_one_line(const char *text)
{
	const char *end = strchr(text, '\n');

	return end && !end[1];
}

/* -- the fixture ------------------------------------------------------------------------- */

static inline int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	FILE *config;

	strcpy(f->directory, "/tmp/test-commands-XXXXXX");
	assert_non_null(mkdtemp(f->directory));
	snprintf(f->config, sizeof(f->config), "%s/ptpmon.conf", f->directory);
	snprintf(f->socket, sizeof(f->socket), "%s/control", f->directory);
	snprintf(f->notes, sizeof(f->notes), "%s/notes", f->directory);
	snprintf(f->output, sizeof(f->output), "%s/output", f->directory);
	config = fopen(f->config, "we");
	fprintf(config, "[ptpmon]\nrole = slave\ninterfaces = eth0\nruntime_directory = %s\n",
		f->directory);
	fclose(config);
	f->status = &status_fixtures[0];
	start_service(f, false);
	*state = f;
	return 0;
}

static inline int teardown(void **state)
{
	struct fixture *f = *state;

	stop_service(f);
	(void)unlink(f->config);
	(void)unlink(f->socket);
	(void)unlink(f->notes);
	(void)unlink(f->output);
	assert_int_equal(rmdir(f->directory), 0);
	free(f);
	return 0;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
