// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * tests/unit/client-fixture.h: a client against a scripted server, which is a socket that the test
 * reads and answers from itself.
 */
#pragma once
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "pmc-client/client.h"
#include "pmc-client/message.h"

enum {
	SEEN_MAX = 128,
	TIMEOUT_NS = 1000,
};

struct fixture {
	char dir[64];
	char path[80];
	int server;
	struct sockaddr_un from; /* of the last request */
	socklen_t from_len;
	struct pmc_client *client;
	size_t n_seen;
	struct pmc_message seen[SEEN_MAX];
	union ptp_data data; /* of the last message */
	uint8_t raw[64];
};

static const struct ptp_clock_identity clock_a = {{2, 0, 0, 0xFF, 0xFE, 0, 0, 0xA}};
static const struct ptp_clock_identity clock_b = {{2, 0, 0, 0xFF, 0xFE, 0, 0, 0xB}};

static inline void on_message(void *userdata, const struct pmc_message *m)
{
	struct fixture *f = userdata;

	assert_true(f->n_seen < SEEN_MAX);
	f->seen[f->n_seen++] = *m;
	if (m->data)
		f->data = *m->data;
	if (m->raw)
		memcpy(f->raw, m->raw, m->raw_len < sizeof(f->raw) ? m->raw_len : sizeof(f->raw));
}

static inline const struct pmc_message *last(const struct fixture *f)
{
	assert_true(f->n_seen > 0);
	return &f->seen[f->n_seen - 1];
}

/* --- the server --- */

static inline void server_open(struct fixture *f)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	memcpy(address.sun_path, f->path, strlen(f->path) + 1);
	f->server = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	assert_true(f->server >= 0);
	assert_int_equal(bind(f->server, (struct sockaddr *)&address, sizeof(address)), 0);
}

static inline void server_close(struct fixture *f)
{
	(void)close(f->server);
	(void)unlink(f->path);
	f->server = -1;
}

/* The next request, which must have come. Its body is in static memory. */
static inline struct ptp_message server_receive(struct fixture *f)
{
	static uint8_t datagram[PTP_MESSAGE_MAX];
	struct ptp_message m;
	ssize_t n;

	f->from_len = sizeof(f->from);
	n = recvfrom(f->server, datagram, sizeof(datagram), 0, (struct sockaddr *)&f->from,
		     &f->from_len);
	assert_true(n > 0);
	assert_int_equal(ptp_message_parse(datagram, (size_t)n, &m), 0);
	return m;
}

static inline void server_send_raw(struct fixture *f, const uint8_t *datagram, size_t len)
{
	assert_int_equal(
		sendto(f->server, datagram, len, 0, (struct sockaddr *)&f->from, f->from_len), len);
}

static inline void server_send(struct fixture *f, const struct ptp_message *m)
{
	uint8_t datagram[PTP_MESSAGE_MAX];
	size_t len;

	assert_int_equal(ptp_message_build(m, datagram, sizeof(datagram), &len), 0);
	server_send_raw(f, datagram, len);
}

/* The answer to a request, still without a body. */
static inline struct ptp_message answer_to(const struct ptp_message *request, uint16_t port)
{
	struct ptp_message m = *request;

	m.target = request->source;
	m.source = (struct ptp_port_identity){.clock = clock_a, .port = port};
	m.action = request->action == PTP_COMMAND ? PTP_ACKNOWLEDGE : PTP_RESPONSE;
	m.body_len = 0;
	return m;
}

static inline void with_data(struct ptp_message *m, const union ptp_data *data)
{
	static uint8_t body[PTP_MESSAGE_MAX];
	const struct dataset *ds = pmc_dataset_find(m->id);

	assert_int_equal(
		pmc_dataset_encode(ds, data, ds->n_fields, body, sizeof(body), &m->body_len), 0);
	m->body = body;
}

static inline struct ptp_message current_ds_to(const struct ptp_message *request, int64_t offset_ns)
{
	struct ptp_message m = answer_to(request, 0);

	with_data(&m, &(union ptp_data){.current_ds.offset_ns = offset_ns});
	return m;
}

static inline struct ptp_message port_ds_to(const struct ptp_message *request, uint16_t port)
{
	struct ptp_message m = answer_to(request, port);

	with_data(&m, &(union ptp_data){.port_ds.port_identity.port = port});
	return m;
}

/* Expects the question for the number of ports and answers it. */
static inline void teach_ports(struct fixture *f, uint16_t number_ports)
{
	struct ptp_message request = server_receive(f), m;

	assert_int_equal(request.id, PTP_ID_DEFAULT_DATA_SET);
	m = answer_to(&request, 0);
	with_data(&m, &(union ptp_data){.default_ds.number_ports = number_ports});
	server_send(f, &m);
	assert_int_equal(pmc_client_receive(f->client, 1), 0);
}

/* --- setting up --- */

static inline struct pmc_client_options options_for(struct fixture *f)
{
	return (struct pmc_client_options){
		.server_path = f->path,
		.domain = 24,
		.transport_specific = 1,
		.allow_set = true,
		.on_message = on_message,
		.userdata = f,
	};
}

static inline int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct pmc_client_options options;

	assert_non_null(f);
	(void)snprintf(f->dir, sizeof(f->dir), "/tmp/test-client.XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	(void)snprintf(f->path, sizeof(f->path), "%s/server", f->dir);
	server_open(f);
	options = options_for(f);
	assert_int_equal(pmc_client_new(&f->client, &options), 0);
	assert_int_equal(pmc_client_connect(f->client), 0);
	*state = f;
	return 0;
}

static inline int tear_down(void **state)
{
	struct fixture *f = *state;

	f->client = pmc_client_free(f->client);
	server_close(f);
	/* Fails if a client has left its socket file. */
	assert_int_equal(rmdir(f->dir), 0);
	free(f);
	return 0;
}

static inline void receive(struct fixture *f)
{
	assert_int_equal(pmc_client_receive(f->client, 7), 0);
}

static inline void get(struct fixture *f, uint16_t id, uint16_t port)
{
	assert_int_equal(pmc_client_get(f->client, id, port, 0, TIMEOUT_NS), 0);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
