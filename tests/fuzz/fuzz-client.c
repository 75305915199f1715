// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Any datagrams as a server's answers to a client. An input is a row of datagrams, each after two
 * octets: how many it has, and whether it shall look like an answer to what was asked last, so that
 * the fuzzer gets past the matching.
 */
#include "pmc-client/client.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "pmc-client/message.h"

int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t len);

enum {
	LIKE_ANSWER = 1,
	LIKE_PUSH = 2,
	TIMEOUT_NS = 1000,
};

struct harness {
	char dir[32];
	int server;
	struct sockaddr_un from;
	socklen_t from_len;
	struct ptp_message asked;
	struct pmc_client *client;
	unsigned int last; /* messages that ended a request */
};

static void require(bool condition)
{
	if (!condition)
		abort();
}

static void on_message(void *userdata, const struct pmc_message *m)
{
	struct harness *h = userdata;
	char text[300];

	h->last += m->last;
	require(!(m->push && m->last));
	require(!m->data == (m->n_fields == 0) || m->outcome == PMC_OK);
	for (size_t i = 0; i < m->n_fields; i++)
		(void)pmc_field_format(&m->dataset->fields[i], m->data, text, sizeof(text));
}

static void open_harness(struct harness *h)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct pmc_client_options options = {
		.server_path = address.sun_path, .on_message = on_message, .userdata = h};

	(void)snprintf(h->dir, sizeof(h->dir), "/tmp/fuzz-client.XXXXXX");
	require(mkdtemp(h->dir) != NULL);
	(void)snprintf(address.sun_path, sizeof(address.sun_path), "%s/server", h->dir);
	h->server = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	require(bind(h->server, (struct sockaddr *)&address, sizeof(address)) == 0);
	require(pmc_client_new(&h->client, &options) == 0);
	require(pmc_client_connect(h->client) == 0);
	(void)unlink(address.sun_path); /* the connection stays */
}

static void close_harness(struct harness *h)
{
	h->client = pmc_client_free(h->client);
	(void)close(h->server);
	require(rmdir(h->dir) == 0);
}

/* What the client asked last, if anything; it asks for ports by itself. */
static void read_requests(struct harness *h)
{
	static uint8_t datagram[PTP_MESSAGE_MAX];
	ssize_t n;

	for (;;) {
		h->from_len = sizeof(h->from);
		n = recvfrom(h->server, datagram, sizeof(datagram), 0, (struct sockaddr *)&h->from,
			     &h->from_len);
		if (n < 0)
			return;
		require(ptp_message_parse(datagram, (size_t)n, &h->asked) == 0);
	}
}

/* Offsets of IEEE 1588-2019 13.3 and 15.4.1 */
static void disguise(const struct harness *h, uint8_t *datagram, size_t len, unsigned int how)
{
	uint16_t port = how & LIKE_ANSWER ? h->asked.source.port : 2;

	if (len < 48 || !(how & (LIKE_ANSWER | LIKE_PUSH)))
		return;
	memcpy(datagram + 34, h->asked.source.clock.octet, 8);
	datagram[42] = (uint8_t)(port >> 8);
	datagram[43] = (uint8_t)port;
	if (!(how & LIKE_ANSWER))
		return;
	datagram[30] = (uint8_t)(h->asked.sequence_id >> 8);
	datagram[31] = (uint8_t)h->asked.sequence_id;
}

static void ask(struct harness *h, unsigned int choice, int64_t now_ns)
{
	static const uint16_t ids[] = {PTP_ID_PORT_DATA_SET, PTP_ID_TIME_STATUS_NP,
				       PTP_ID_DEFAULT_DATA_SET, 0xBEEF};

	if (choice % 8 == 7)
		(void)pmc_client_subscribe(h->client, 3, 2, now_ns, TIMEOUT_NS);
	else
		(void)pmc_client_get(h->client, ids[choice % 4], choice & 4 ? 1 : PTP_PORT_ALL,
				     now_ns, TIMEOUT_NS);
	read_requests(h);
}

int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t len)
{
	struct harness h = {0};
	int64_t now_ns = 0;

	open_harness(&h);
	while (len >= 2) {
		uint8_t datagram[2 * 255];
		size_t n = 2 * (size_t)octets[0];
		unsigned int how = octets[1];

		octets += 2;
		len -= 2;
		n = n < len ? n : len;
		ask(&h, how >> 2, now_ns);
		memcpy(datagram, octets, n);
		disguise(&h, datagram, n, how);
		(void)sendto(h.server, datagram, n, 0, (struct sockaddr *)&h.from, h.from_len);
		octets += n;
		len -= n;
		require(pmc_client_receive(h.client, ++now_ns) == 0);
		read_requests(&h);
	}
	/* Whatever was said, a request ends. */
	pmc_client_expire(h.client, now_ns + TIMEOUT_NS);
	require(!pmc_client_busy(h.client));
	close_harness(&h);
	return 0;
}
