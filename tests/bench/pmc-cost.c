// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pmc-cost SOCKET CPU_US TIME_US: what asking the ptp4l behind SOCKET costs, as ratios within this
 * run: a poll by the client against a bare loop of send, poll and recv, and a poll of five data
 * sets against one run of linuxptp's pmc for the same, which has just taken CPU_US and TIME_US.
 * Fails where a ratio is worse than it may be.
 */
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "pmc-client/pmc-client.h"

#define SEC_NS INT64_C(1000000000)

enum {
	ROUNDS = 100, /* of which the best counts: others use this machine, too */
	POLLS = 100,
	ID_COUNT = 5,
};

struct cost {
	double cpu_ns, wall_ns;
};

static const struct {
	uint16_t id, port;
} asked[ID_COUNT] = {
	{PTP_ID_TIME_STATUS_NP, PTP_PORT_ALL},
	{PTP_ID_CURRENT_DATA_SET, PTP_PORT_ALL},
	{PTP_ID_PARENT_DATA_SET, PTP_PORT_ALL},
	{PTP_ID_PORT_DATA_SET, 1},
	{PTP_ID_PORT_STATS_NP, 1},
};

static _Noreturn void die(const char *what, int error)
{
	(void)fprintf(stderr, "pmc-cost: %s: %s\n", what, strerror(error));
	exit(2);
}

static int64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	(void)clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * SEC_NS + t.tv_nsec;
}

static struct cost cost_since(const struct cost *begin, int n)
{
	return (struct cost){
		.cpu_ns = ((double)clock_ns(CLOCK_PROCESS_CPUTIME_ID) - begin->cpu_ns) / n,
		.wall_ns = ((double)clock_ns(CLOCK_MONOTONIC) - begin->wall_ns) / n,
	};
}

static struct cost cost_now(void)
{
	return cost_since(&(struct cost){0}, 1);
}

static void keep_best(struct cost *best, const struct cost *c)
{
	if (best->cpu_ns == 0 || c->cpu_ns < best->cpu_ns)
		best->cpu_ns = c->cpu_ns;
	if (best->wall_ns == 0 || c->wall_ns < best->wall_ns)
		best->wall_ns = c->wall_ns;
}

/* The least that there is to do. */
static struct cost poll_bare(int fd, const uint8_t *request, size_t len)
{
	const struct cost begin = cost_now();

	for (int i = 0; i < POLLS; i++) {
		uint8_t answer[PTP_MESSAGE_MAX];

		if (send(fd, request, len, 0) < 0)
			die("send", errno);
		if (poll(&(struct pollfd){fd, POLLIN, 0}, 1, 1000) != 1)
			die("poll", ETIMEDOUT);
		if (recv(fd, answer, sizeof(answer), 0) < 0)
			die("recv", errno);
	}
	return cost_since(&begin, POLLS);
}

static int open_bare(const char *server, uint8_t *request, size_t size, size_t *len)
{
	const struct ptp_message m = {
		.version = PTP_VERSION,
		.source = {.clock = {{2, 0xBA, 0xCE}}, .port = 1},
		.target = {.clock = {{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}},
			   .port = PTP_PORT_ALL},
		.action = PTP_GET,
		.id = PTP_ID_TIME_STATUS_NP,
	};
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	(void)snprintf(to.sun_path, sizeof(to.sun_path), "%s", server);
	/* bound to a name that the kernel chooses */
	if (fd < 0 || bind(fd, &(struct sockaddr){.sa_family = AF_UNIX}, sizeof(sa_family_t)) < 0 ||
	    connect(fd, (const struct sockaddr *)&to, sizeof(to)) < 0)
		die(server, errno);
	if (ptp_message_build(&m, request, size, len) < 0)
		die("build", EINVAL);
	return fd;
}

static void on_message(void *userdata, const struct pmc_message *m)
{
	int *answers = userdata;

	*answers += m->outcome == PMC_OK;
}

static void ask(struct pmc_client *c, uint16_t id, uint16_t port)
{
	if (pmc_client_get(c, id, port, clock_ns(CLOCK_MONOTONIC), SEC_NS) < 0)
		die("get", EIO);
	while (pmc_client_busy(c)) {
		(void)poll(&(struct pollfd){pmc_client_fd(c), POLLIN, 0}, 1, 1000);
		(void)pmc_client_receive(c, clock_ns(CLOCK_MONOTONIC));
		pmc_client_expire(c, clock_ns(CLOCK_MONOTONIC));
	}
}

static struct cost poll_client(struct pmc_client *c, int n_ids)
{
	const struct cost begin = cost_now();

	for (int i = 0; i < POLLS; i++)
		for (int k = 0; k < n_ids; k++)
			ask(c, asked[k].id, asked[k].port);
	return cost_since(&begin, POLLS);
}

static bool report(const char *what, double ratio, double bar, bool at_most)
{
	bool good = at_most ? ratio <= bar : ratio >= bar;

	printf("%s - %s: %.2f times, %s %.2f\n", good ? "ok" : "not ok", what, ratio,
	       at_most ? "at most" : "at least", bar);
	return good;
}

int main(int argc, char **argv)
{
	int answers = 0;
	struct pmc_client_options options = {.on_message = on_message, .userdata = &answers};
	struct cost bare = {0}, one = {0}, five = {0}, pmc, c;
	uint8_t request[PTP_MESSAGE_MAX];
	struct pmc_client *client;
	size_t len;
	bool good;
	int fd;

	if (argc != 4)
		return 2;
	pmc = (struct cost){atof(argv[2]) * 1e3, atof(argv[3]) * 1e3};
	options.server_path = argv[1];
	fd = open_bare(argv[1], request, sizeof(request), &len);
	if (pmc_client_new(&client, &options) < 0 || pmc_client_connect(client) < 0)
		die(argv[1], ENOTCONN);
	for (int i = 0; i < ROUNDS; i++) {
		c = poll_bare(fd, request, len);
		keep_best(&bare, &c);
		c = poll_client(client, 1);
		keep_best(&one, &c);
		c = poll_client(client, ID_COUNT);
		keep_best(&five, &c);
	}
	(void)pmc_client_free(client);
	(void)close(fd);
	if (answers != ROUNDS * POLLS * (1 + ID_COUNT))
		die("answers are missing", EIO);
	printf("# us of CPU and of time: a bare poll %.1f, %.1f; the client's %.1f, %.1f; of five "
	       "data "
	       "sets %.1f, %.1f; pmc %.0f, %.0f\n",
	       bare.cpu_ns / 1e3, bare.wall_ns / 1e3, one.cpu_ns / 1e3, one.wall_ns / 1e3,
	       five.cpu_ns / 1e3, five.wall_ns / 1e3, pmc.cpu_ns / 1e3, pmc.wall_ns / 1e3);
	good = report("CPU of a poll, to a bare one", one.cpu_ns / bare.cpu_ns, 1.5, true);
	good &= report("CPU of pmc, to a poll of five", pmc.cpu_ns / five.cpu_ns, 50, false);
	good &= report("time of pmc, to a poll of five", pmc.wall_ns / five.wall_ns, 500, false);
	return !good;
}
