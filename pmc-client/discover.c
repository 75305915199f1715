// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pmc-client/discover.h"

#include <poll.h>
#include <sys/random.h>
#include <time.h>

#include "pmc-client/dataset.h"
#include "pmc-client/message.h"
#include "pmc-client/transport_unix.h"

enum {
	DOMAINS = 256,
	PROBES = 16 * DOMAINS, /* transportSpecific is a nibble */
};

static int64_t now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The answer's sequence number doesn't matter: domain and transportSpecific are in its header. */
static int send_probe(int fd, const struct ptp_port_identity *self, unsigned int probe)
{
	struct ptp_message m = {
		.version = PTP_VERSION,
		.transport_specific = (uint8_t)(probe / DOMAINS),
		.domain = (uint8_t)(probe % DOMAINS),
		.source = *self,
		.action = PTP_GET,
		.id = PTP_ID_PRIORITY1,
	};
	uint8_t datagram[PTP_MESSAGE_HEADER];
	size_t len;
	int r;

	memset(&m.target.clock, 0xFF, sizeof(m.target.clock));
	m.target.port = PTP_PORT_ALL;
	r = ptp_message_build(&m, datagram, sizeof(datagram), &len);
	return r < 0 ? r : transport_send(fd, datagram, len);
}

/* True once an answer has come. */
static bool receive_answer(int fd, const struct ptp_port_identity *self, struct pmc_found *out)
{
	uint8_t datagram[PTP_MESSAGE_MAX];
	ssize_t n;

	while ((n = transport_receive(fd, datagram, sizeof(datagram))) >= 0) {
		struct ptp_message m;

		if ((size_t)n > sizeof(datagram) ||
		    ptp_message_parse(datagram, (size_t)n, &m) < 0 || m.action != PTP_RESPONSE ||
		    !ptp_port_identity_equal(&m.target, self))
			continue;
		*out = (struct pmc_found){
			.domain = m.domain,
			.transport_specific = m.transport_specific,
			.clock = m.source.clock,
		};
		return true;
	}
	return false;
}

static int probe_all(int fd, const struct ptp_port_identity *self, int64_t deadline_ns,
		     struct pmc_found *out)
{
	unsigned int probe = 0;

	for (;;) {
		struct pollfd wait = {.fd = fd, .events = POLLIN};
		int64_t left_ns = deadline_ns - now_ns();
		int r = 0;

		while (probe < PROBES && (r = send_probe(fd, self, probe)) == 0)
			probe++;
		if (r < 0 && r != -EAGAIN)
			return r;
		if (receive_answer(fd, self, out))
			return 0;
		if (left_ns <= 0)
			return -ETIMEDOUT;
		if (probe < PROBES)
			wait.events |= POLLOUT;
		if (poll(&wait, 1, (int)(left_ns / 1000000) + 1) < 0 && errno != EINTR)
			return -errno;
	}
}

int pmc_find_domain(const char *server_path, const char *own_path, int64_t timeout_ns,
		    struct pmc_found *out)
{
	int64_t deadline_ns = now_ns() + timeout_ns;
	struct ptp_port_identity self = {.port = 1};
	struct transport_unix transport;
	uint32_t nonce;
	int r;

	if (getrandom(&self.clock, sizeof(self.clock), GRND_INSECURE) != sizeof(self.clock))
		return -errno;
	memcpy(&nonce, self.clock.octet, sizeof(nonce));
	r = transport_unix_init(&transport, server_path, own_path, nonce);
	if (r == 0)
		r = transport_unix_open(&transport);
	if (r < 0)
		return r;
	r = probe_all(transport.fd, &self, deadline_ns, out);
	transport_unix_close(&transport);
	return r;
}
