// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pmc-client/discover.h"

#include <poll.h>
#include <sys/random.h>
#include <time.h>

#include "pmc-client/client.h"
#include "pmc-client/message.h"
#include "pmc-client/transport_any.h"

enum {
	DOMAINS = 256,
	PROBES = 16 * DOMAINS, /* transportSpecific is a nibble */
	NETWORK_PROBES = 2 * DOMAINS,
	BATCH = 64, /* datagrams before the deadline is looked at again */
};

struct search {
	struct transport_any transport;
	struct ptp_port_identity self;
	unsigned int probe, n_probes; /* the next one, and how many there are */
	int64_t next_mono_ns;         /* when it may be sent */
	int stop_fd;                  /* ends the search once it is readable; negative: none */
};

static int64_t now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The answer's sequence number doesn't matter: domain and transportSpecific are in its header. */
static int send_probe(struct search *s)
{
	struct ptp_message m = {
		.version = PTP_VERSION,
		.transport_specific = (uint8_t)(s->probe / DOMAINS),
		.domain = (uint8_t)(s->probe % DOMAINS),
		.source = s->self,
		.action = PTP_GET,
		.id = PTP_ID_PRIORITY1,
	};
	uint8_t datagram[PTP_MESSAGE_HEADER];
	size_t len;
	int r;

	memset(&m.target.clock, 0xFF, sizeof(m.target.clock));
	m.target.port = PTP_PORT_ALL;
	r = ptp_message_build(&m, datagram, sizeof(datagram), &len);
	if (r == 0)
		r = transport_any_send(&s->transport, datagram, len);
	if (r == 0)
		s->probe++;
	return r;
}

/* True once an answer has come. */
static bool receive_answer(const struct search *s, struct pmc_found *out)
{
	uint8_t datagram[PTP_MESSAGE_MAX];
	ssize_t n;

	for (int i = 0; i < BATCH; i++) {
		struct ptp_message m;

		n = transport_any_receive(&s->transport, datagram, sizeof(datagram));
		if (n < 0)
			return false;
		if ((size_t)n > sizeof(datagram) ||
		    ptp_message_parse(datagram, (size_t)n, &m) < 0 || m.action != PTP_RESPONSE ||
		    !ptp_port_identity_equal(&m.target, &s->self))
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

/* Sends what may be sent now: to a server until its queue is full, to a network one by one. */
static int send_probes(struct search *s, int64_t now_mono_ns)
{
	int r = 0;

	while (r == 0 && s->probe < s->n_probes && now_mono_ns >= s->next_mono_ns) {
		r = send_probe(s);
		if (s->transport.network)
			s->next_mono_ns = now_mono_ns + PMC_NETWORK_GAP_NS;
	}
	return r == -EAGAIN ? 0 : r;
}

static int probe_all(struct search *s, int64_t deadline_ns, struct pmc_found *out)
{
	for (;;) {
		struct pollfd wait[] = {
			{.fd = transport_any_fd(&s->transport), .events = POLLIN},
			{.fd = s->stop_fd, .events = POLLIN},
		};
		int64_t now_mono_ns = now_ns(), until_ns = deadline_ns;
		int r = send_probes(s, now_mono_ns);

		if (r < 0)
			return r;
		if (receive_answer(s, out))
			return 0;
		if (now_mono_ns >= deadline_ns)
			return -ETIMEDOUT;
		if (s->probe < s->n_probes && !s->transport.network)
			wait[0].events |= POLLOUT;
		else if (s->probe < s->n_probes && s->next_mono_ns < until_ns)
			until_ns = s->next_mono_ns;
		if (poll(wait, 2, (int)((until_ns - now_mono_ns) / 1000000) + 1) < 0 &&
		    errno != EINTR)
			return -errno;
		if (wait[1].revents)
			return -ECANCELED;
	}
}

static int find(const char *server_path, const char *own_path, const struct pmc_network *network,
		int64_t timeout_ns, int stop_fd, struct pmc_found *out)
{
	int64_t deadline_ns = now_ns() + timeout_ns;
	struct search s = {
		.self.port = 1,
		.n_probes = network ? NETWORK_PROBES : PROBES,
		.stop_fd = stop_fd,
	};
	uint32_t nonce;
	int r;

	if (getrandom(&s.self.clock, sizeof(s.self.clock), GRND_INSECURE) != sizeof(s.self.clock))
		return -errno;
	s.self.clock.octet[0] = (uint8_t)((s.self.clock.octet[0] & ~0x03) | 0x02);
	memcpy(&nonce, s.self.clock.octet + 4, sizeof(nonce));
	r = transport_any_init(&s.transport, server_path, own_path, network, nonce);
	if (r == 0)
		r = transport_any_open(&s.transport);
	if (r < 0)
		return r;
	r = probe_all(&s, deadline_ns, out);
	transport_any_close(&s.transport);
	return r;
}

int pmc_find_domain(const char *server_path, const char *own_path, int64_t timeout_ns, int stop_fd,
		    struct pmc_found *out)
{
	return find(server_path, own_path, NULL, timeout_ns, stop_fd, out);
}

int pmc_find_network_domain(const struct pmc_network *network, int64_t timeout_ns, int stop_fd,
			    struct pmc_found *out)
{
	return find(NULL, NULL, network, timeout_ns, stop_fd, out);
}
