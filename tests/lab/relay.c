// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * relay: a wire between two Ethernet interfaces whose faults are ordered while it runs.
 *
 *     relay run CONTROL IFACE_A IFACE_B     be the wire; A is the grandmaster's side
 *     relay tell CONTROL ORDER...           give one order, wait until it holds
 *
 * CONTROL is the path of a UNIX socket. Orders, all durations in ns:
 *
 *     delay-ab NS, delay-ba NS   hold every frame of one way
 *     shift NS                   the grandmaster's times seem so much ahead
 *     drift PPB                  ... and from now on more and more
 *     drop TYPE PERCENT          lose messages of a PTP type: 0 Sync, 1 Delay_Req, 8 Follow_Up,
 *                                9 Delay_Resp, 11 Announce
 *     blackout 1, blackout 0     nothing passes; everything does
 *     clear                      a good wire again
 *     count                      prints: frames passed A to B, B to A, frames lost, and of those
 *                                passed A to B the Syncs
 *
 * Frames of one way keep their order. Exit status: 0, 1 for a failure or an order that was
 * refused, 2 for wrong arguments.
 */
#include "tests/lab/relay-faults.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/nsec.h"

enum { FRAME_MAX = 2048, QUEUE_LEN = 4096, BURST = 64, ORDER_MAX = 128 };

struct frame {
	int64_t due_ns;
	size_t len;
	uint8_t octets[FRAME_MAX];
};

/* One way of the wire: a ring of frames that wait until they are due. */
struct way {
	int in, out;
	size_t first, count;
	uint64_t passed, syncs; /* frames, and the Syncs among them */
	struct frame *queue;
};

struct relay {
	struct relay_faults faults;
	struct way way[RELAY_WAYS];
	uint64_t lost; /* by order or because the queue was full */
	int control;
};

static int64_t now_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return nsec_from_timespec(&t);
}

static int open_interface(const char *name)
{
	struct sockaddr_ll address = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL)};
	struct packet_mreq all = {.mr_type = PACKET_MR_PROMISC};
	CLEANUP(close_fdp)
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	const int on = 1;

	if (fd < 0)
		return -errno;
	address.sll_ifindex = all.mr_ifindex = (int)if_nametoindex(name);
	if (address.sll_ifindex == 0)
		return -ENODEV;
	if (setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof(on)) < 0 ||
	    setsockopt(fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &all, sizeof(all)) < 0 ||
	    bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		return -errno;
	return steal_fd(&fd);
}

static int control_address(struct sockaddr_un *out, const char *path)
{
	*out = (struct sockaddr_un){.sun_family = AF_UNIX};
	if (strlen(path) >= sizeof(out->sun_path))
		return -ENAMETOOLONG;
	memcpy(out->sun_path, path, strlen(path));
	return 0;
}

static void receive(struct relay *relay, struct way *w, int64_t delay_ns)
{
	for (int i = 0; i < BURST; i++) {
		struct frame *f = &w->queue[(w->first + w->count) % QUEUE_LEN];
		ssize_t n = recv(w->in, f->octets, sizeof(f->octets), 0);
		int64_t now = now_ns();

		if (n <= 0)
			return;
		if (w->count == QUEUE_LEN - 1 ||
		    !relay_faults_treat(&relay->faults, f->octets, (size_t)n, now,
					(int)(random() % 100))) {
			relay->lost++;
			continue;
		}
		f->len = (size_t)n;
		f->due_ns = now + delay_ns;
		w->count++;
	}
}

/* Send what is due; when the next one will be, or INT64_MAX. */
static int64_t send_due(struct way *w)
{
	while (w->count > 0) {
		const struct frame *f = &w->queue[w->first];

		if (f->due_ns > now_ns())
			return f->due_ns;
		if (send(w->out, f->octets, f->len, 0) >= 0) {
			w->passed++;
			w->syncs += relay_message_type(f->octets, f->len) == RELAY_SYNC;
		}
		w->first = (w->first + 1) % QUEUE_LEN;
		w->count--;
	}
	return INT64_MAX;
}

static void obey(struct relay *relay)
{
	struct sockaddr_un from;
	socklen_t from_len = sizeof(from);
	char order[ORDER_MAX], answer[ORDER_MAX];
	ssize_t n = recvfrom(relay->control, order, sizeof(order) - 1, MSG_DONTWAIT,
			     (struct sockaddr *)&from, &from_len);
	int len;

	if (n < 0)
		return;
	order[n] = '\0';
	if (strcmp(order, "count") == 0)
		len = snprintf(answer, sizeof(answer),
			       "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
			       relay->way[RELAY_AB].passed, relay->way[RELAY_BA].passed,
			       relay->lost, relay->way[RELAY_AB].syncs);
	else if (relay_faults_parse(&relay->faults, order, now_ns()) == 0)
		len = 0;
	else
		len = snprintf(answer, sizeof(answer), "?");
	(void)sendto(relay->control, answer, (size_t)len, MSG_DONTWAIT | MSG_NOSIGNAL,
		     (struct sockaddr *)&from, from_len);
}

static int loop(struct relay *relay)
{
	struct way *ab = &relay->way[RELAY_AB], *ba = &relay->way[RELAY_BA];

	for (;;) {
		int64_t due_ab = send_due(ab), due_ba = send_due(ba);
		int64_t due = due_ab < due_ba ? due_ab : due_ba, wait = due - now_ns();
		struct timespec t = {wait > 0 ? wait / NSEC_PER_SEC : 0,
				     wait > 0 ? wait % NSEC_PER_SEC : 0};
		struct pollfd p[] = {
			{.fd = ab->in, .events = POLLIN},
			{.fd = ba->in, .events = POLLIN},
			{.fd = relay->control, .events = POLLIN},
		};

		if (ppoll(p, 3, due == INT64_MAX ? NULL : &t, NULL) < 0)
			return -errno;
		if (p[0].revents)
			receive(relay, ab, relay->faults.delay_ns[RELAY_AB]);
		if (p[1].revents)
			receive(relay, ba, relay->faults.delay_ns[RELAY_BA]);
		if (p[2].revents)
			obey(relay);
	}
}

static int fail(const char *what, int r)
{
	(void)fprintf(stderr, "relay: %s: %s\n", what, strerror(-r));
	return 1;
}

static int run(char **argv)
{
	struct relay relay = {.faults = {.drift_since_ns = now_ns()}};
	struct way *ab = &relay.way[RELAY_AB], *ba = &relay.way[RELAY_BA];
	struct sockaddr_un address;
	int r = control_address(&address, argv[0]);

	if (r < 0)
		return fail(argv[0], r);
	ab->in = ba->out = open_interface(argv[1]);
	if (ab->in < 0)
		return fail(argv[1], ab->in);
	ba->in = ab->out = open_interface(argv[2]);
	if (ba->in < 0)
		return fail(argv[2], ba->in);
	ab->queue = calloc(QUEUE_LEN, sizeof(*ab->queue));
	ba->queue = calloc(QUEUE_LEN, sizeof(*ba->queue));
	if (!ab->queue || !ba->queue)
		return fail("queue", -ENOMEM);
	relay.control = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (relay.control < 0 ||
	    bind(relay.control, (struct sockaddr *)&address, sizeof(address)) < 0)
		return fail(argv[0], -errno);
	/* Ordinary threads are woken up to 50 us late, which would be the wire's jitter. */
	(void)prctl(PR_SET_TIMERSLACK, 1);
	return fail("poll", loop(&relay));
}

/* Send an order and wait for the answer. */
static int ask(int fd, const char *path, const char *own_path, const char *order,
	       char answer[ORDER_MAX])
{
	const struct timeval patience = {.tv_sec = 2};
	struct sockaddr_un address, own;
	ssize_t n;
	int r = control_address(&address, path);

	if (r == 0)
		r = control_address(&own, own_path);
	if (r < 0)
		return r;
	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) < 0 ||
	    bind(fd, (struct sockaddr *)&own, sizeof(own)) < 0 ||
	    connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0 ||
	    send(fd, order, strlen(order), MSG_NOSIGNAL) < 0)
		return -errno;
	n = recv(fd, answer, ORDER_MAX - 1, 0);
	if (n < 0)
		return -errno;
	answer[n] = '\0';
	return 0;
}

/* The wire may be in another network namespace, so the answer comes to a path, not an abstract
 * name. */
static int tell(int argc, char **argv)
{
	CLEANUP(close_fdp) int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	char order[ORDER_MAX] = "", answer[ORDER_MAX], own_path[PATH_MAX];
	int r;

	for (int i = 1; i < argc; i++) {
		size_t used = strlen(order);

		(void)snprintf(order + used, sizeof(order) - used, "%s%s", i > 1 ? " " : "",
			       argv[i]);
	}
	(void)snprintf(own_path, sizeof(own_path), "%s.%d", argv[0], (int)getpid());
	r = ask(fd, argv[0], own_path, order, answer);
	(void)unlink(own_path);
	if (r < 0)
		return fail(argv[0], r);
	if (strcmp(answer, "?") == 0) {
		(void)fprintf(stderr, "relay: no such order: %s\n", order);
		return 1;
	}
	(void)fputs(answer, stdout);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 5 && strcmp(argv[1], "run") == 0)
		return run(argv + 2);
	if (argc > 3 && strcmp(argv[1], "tell") == 0)
		return tell(argc - 2, argv + 2);
	(void)fprintf(stderr, "usage: relay run CONTROL IFACE_A IFACE_B\n"
			      "       relay tell CONTROL ORDER...\n");
	return 2;
}
