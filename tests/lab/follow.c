// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * follow SOCKET [poll]: each update of the ptp4l behind SOCKET, which has software timestamps, as
 * a line "SECONDS OFFSET MISSED UNUSED push|poll GAP", with the moment of CLOCK_MONOTONIC, the
 * updates missed before it, what ptp4l made none of, and since when pushes had stopped (0: they had
 * not). With `poll`, pushes are not used where they could be. Goes on through restarts of ptp4l;
 * ends with SIGTERM.
 */
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "pmc-client/pmc-client.h"

#define CONNECT_EVERY_NS INT64_C(100000000)

struct follow {
	struct pmc_client *client;
	struct pmc_follower *follower;
};

static volatile sig_atomic_t ended;

static void on_signal(int signal)
{
	ended = 1;
}

static int64_t now_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void print_update(const struct pmc_update *u)
{
	printf("%.9f %" PRId64 " %u %u %s %.9f\n", (double)u->mono_ns / 1e9, u->offset_ns,
	       u->missed, u->unused, u->flags & PMC_UPDATE_PUSHED ? "push" : "poll",
	       (double)u->pushes_stopped_mono_ns / 1e9);
}

static void on_message(void *userdata, const struct pmc_message *m)
{
	struct follow *f = userdata;
	struct pmc_update u;

	switch (pmc_follower_message(f->follower, m, &u)) {
	case PMC_FOLLOW_NOTHING:
		break;
	case PMC_FOLLOW_UPDATE:
		print_update(&u);
		break;
	case PMC_FOLLOW_LOST:
		printf("# %.9f no master any more\n", (double)m->received_mono_ns / 1e9);
		break;
	}
}

static void print_held(const struct follow *f)
{
	struct pmc_update u;

	if (pmc_follower_release(f->follower, &u) == PMC_FOLLOW_UPDATE)
		print_update(&u);
}

static void wait_readable(const struct follow *f)
{
	int64_t due_ns = pmc_client_busy(f->client) ? pmc_client_deadline_ns(f->client)
						    : pmc_follower_due_ns(f->follower);
	int64_t left_ns = due_ns - now_ns();
	const struct timespec left = {
		.tv_sec = left_ns < 0 ? 0 : left_ns / 1000000000,
		.tv_nsec = left_ns < 0 ? 0 : left_ns % 1000000000,
	};

	(void)ppoll(&(struct pollfd){pmc_client_fd(f->client), POLLIN, 0}, 1, &left, NULL);
}

static void connect_again(const struct follow *f)
{
	uint32_t missed;

	if (pmc_client_connect(f->client) < 0) {
		(void)poll(NULL, 0, CONNECT_EVERY_NS / 1000000);
		return;
	}
	print_held(f);
	missed = pmc_follower_restart(f->follower, now_ns());
	if (missed > 0)
		printf("# %" PRIu32 " missed of the ptp4l before\n", missed);
}

static void run(const struct follow *f)
{
	while (!ended) {
		if (!pmc_client_connected(f->client)) {
			connect_again(f);
			continue;
		}
		wait_readable(f);
		(void)pmc_client_receive(f->client, now_ns());
		pmc_client_expire(f->client, now_ns());
		if (pmc_client_connected(f->client))
			(void)pmc_follower_ask(f->follower, now_ns());
	}
}

int main(int argc, char **argv)
{
	struct follow f = {0};
	const struct pmc_client_options client = {
		.server_path = argc > 1 ? argv[1] : "",
		.on_message = on_message,
		.userdata = &f,
	};
	const struct pmc_follower_options options = {
		.real_time_stamps = true,
		.never_push = argc > 2 && strcmp(argv[2], "poll") == 0,
		.not_before_mono_ns = INT64_MIN,
		.events = PMC_EVENT_PORT_STATE,
	};
	int r = pmc_client_new(&f.client, &client);

	if (r == 0)
		r = pmc_follower_new(&f.follower, f.client, &options);
	if (r < 0) {
		(void)fprintf(stderr, "follow: %s: %s\n", client.server_path, strerror(-r));
		return 2;
	}
	(void)setvbuf(stdout, NULL, _IOLBF, 0);
	(void)signal(SIGTERM, on_signal);
	(void)signal(SIGINT, on_signal);
	run(&f);
	print_held(&f);
	(void)pmc_follower_free(f.follower);
	(void)pmc_client_free(f.client);
	return 0;
}
