/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is made once, before anything runs. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/parent/state.h"

enum { WINDOW_BYTES = 1 << 20 };

int parent_make_config_fd(struct parent *p)
{
	CLEANUP(freep) char *text = config_to_text(p->config);
	CLEANUP(close_fdp) int fd = memfd_create("ptpmon.conf", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	size_t len = text ? strlen(text) : 0;

	if (!text)
		return -ENOMEM;
	if (fd < 0 || write(fd, text, len) != (ssize_t)len ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) < 0)
		return -errno;
	close_fdp(&p->config_fd);
	p->config_fd = steal_fd(&fd);
	return 0;
}

/* Neither end ever blocks anybody: what does not fit is lost, and the reader sees the hole. */
static int make_window_channel(struct parent *p)
{
	int bytes = WINDOW_BYTES;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, p->window_fds) <
	    0)
		return -errno;
	(void)setsockopt(p->window_fds[1], SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof(bytes));
	return 0;
}

static int make_token(struct parent *p)
{
	uint8_t random[16];

	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return -errno;
	for (size_t i = 0; i < sizeof(random); i++)
		(void)snprintf(p->token + 2 * i, 3, "%02x", random[i]);
	return 0;
}

/* r: what finding the schedule out gave. */
static int try_schedule(const char *child, int r, const struct schedule *s, char *why)
{
	char cause[SCHEDULE_WHY_MAX];

	if (r == 0)
		r = schedule_try(s);
	if (r == 0)
		return 0;
	schedule_explain(s, -r, cause);
	(void)snprintf(why, RUNTIME_WHY_MAX,
		       "%s: cannot run %s %d%s: %s; [realtime] on_refusal = warn goes on without",
		       child, schedule_policy_name(s->policy), s->priority,
		       r == -EINVAL ? " on its CPUs" : "", cause);
	return r;
}

/* With on_refusal = fail a refused schedule is known before anything runs. */
static int try_schedules(const struct config *c, char *why)
{
	struct schedule s = {0};
	int r = 0;

	for (size_t i = 0; r == 0 && i < c->n_ptp4l; i++) {
		r = schedule_ptp4l(&c->ptp4l[i], &s);
		r = try_schedule(c->ptp4l[i].child, r, &s, why);
	}
	if (r == 0 && config_wants_phc2sys(c)) {
		r = schedule_phc2sys(c, &s);
		r = try_schedule("phc2sys", r, &s, why);
	}
	return r;
}

int parent_set_up(struct parent *p, char why[static RUNTIME_WHY_MAX])
{
	int r = 0;

	if (p->config->realtime.on_refusal == ON_REFUSAL_FAIL)
		r = try_schedules(p->config, why);
	if (r == 0)
		r = runtime_prepare(&p->runtime, p->config, why);
	if (r < 0)
		return r;
	r = make_token(p);
	if (r == 0)
		r = parent_make_config_fd(p);
	if (r == 0)
		r = make_window_channel(p);
	if (r == 0)
		r = parent_open_realtime(p);
	p->environment = spawn_environment();
	if (r == 0 && !p->environment)
		r = -ENOMEM;
	if (r < 0)
		(void)snprintf(why, RUNTIME_WHY_MAX, "cannot start: %s", strerror(-r));
	return r < 0 ? r : parent_set_priorities(p, why);
}
