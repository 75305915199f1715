// SPDX-License-Identifier: LGPL-2.1-or-later
/* The client against a scripted server: a socket that the test reads and answers from itself. */
#include "pmc-client/client.h"

#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

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

static void on_message(void *userdata, const struct pmc_message *m)
{
	struct fixture *f = userdata;

	assert_true(f->n_seen < SEEN_MAX);
	f->seen[f->n_seen++] = *m;
	if (m->data)
		f->data = *m->data;
	if (m->raw)
		memcpy(f->raw, m->raw, m->raw_len < sizeof(f->raw) ? m->raw_len : sizeof(f->raw));
}

static const struct pmc_message *last(const struct fixture *f)
{
	assert_true(f->n_seen > 0);
	return &f->seen[f->n_seen - 1];
}

/* --- the server --- */

static void server_open(struct fixture *f)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	memcpy(address.sun_path, f->path, strlen(f->path) + 1);
	f->server = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	assert_true(f->server >= 0);
	assert_int_equal(bind(f->server, (struct sockaddr *)&address, sizeof(address)), 0);
}

static void server_close(struct fixture *f)
{
	(void)close(f->server);
	(void)unlink(f->path);
	f->server = -1;
}

/* The next request, which must have come. Its body is in static memory. */
static struct ptp_message server_receive(struct fixture *f)
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

static void server_send_raw(struct fixture *f, const uint8_t *datagram, size_t len)
{
	assert_int_equal(
		sendto(f->server, datagram, len, 0, (struct sockaddr *)&f->from, f->from_len), len);
}

static void server_send(struct fixture *f, const struct ptp_message *m)
{
	uint8_t datagram[PTP_MESSAGE_MAX];
	size_t len;

	assert_int_equal(ptp_message_build(m, datagram, sizeof(datagram), &len), 0);
	server_send_raw(f, datagram, len);
}

/* The answer to a request, still without a body. */
static struct ptp_message answer_to(const struct ptp_message *request, uint16_t port)
{
	struct ptp_message m = *request;

	m.target = request->source;
	m.source = (struct ptp_port_identity){.clock = clock_a, .port = port};
	m.action = request->action == PTP_COMMAND ? PTP_ACKNOWLEDGE : PTP_RESPONSE;
	m.body_len = 0;
	return m;
}

static void with_data(struct ptp_message *m, const union ptp_data *data)
{
	static uint8_t body[PTP_MESSAGE_MAX];
	const struct dataset *ds = pmc_dataset_find(m->id);

	assert_int_equal(
		pmc_dataset_encode(ds, data, ds->n_fields, body, sizeof(body), &m->body_len), 0);
	m->body = body;
}

static struct ptp_message current_ds_to(const struct ptp_message *request, int64_t offset_ns)
{
	struct ptp_message m = answer_to(request, 0);

	with_data(&m, &(union ptp_data){.current_ds.offset_ns = offset_ns});
	return m;
}

static struct ptp_message port_ds_to(const struct ptp_message *request, uint16_t port)
{
	struct ptp_message m = answer_to(request, port);

	with_data(&m, &(union ptp_data){.port_ds.port_identity.port = port});
	return m;
}

/* Expects the question for the number of ports and answers it. */
static void teach_ports(struct fixture *f, uint16_t number_ports)
{
	struct ptp_message request = server_receive(f), m;

	assert_int_equal(request.id, PTP_ID_DEFAULT_DATA_SET);
	m = answer_to(&request, 0);
	with_data(&m, &(union ptp_data){.default_ds.number_ports = number_ports});
	server_send(f, &m);
	assert_int_equal(pmc_client_receive(f->client, 1), 0);
}

/* --- setting up --- */

static struct pmc_client_options options_for(struct fixture *f)
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

static int set_up(void **state)
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

static int tear_down(void **state)
{
	struct fixture *f = *state;

	f->client = pmc_client_free(f->client);
	server_close(f);
	/* Fails if a client has left its socket file. */
	assert_int_equal(rmdir(f->dir), 0);
	free(f);
	return 0;
}

static void receive(struct fixture *f)
{
	assert_int_equal(pmc_client_receive(f->client, 7), 0);
}

static void get(struct fixture *f, uint16_t id, uint16_t port)
{
	assert_int_equal(pmc_client_get(f->client, id, port, 0, TIMEOUT_NS), 0);
}

/* --- the cases --- */

static void answer_ends_a_request(void **state)
{
	struct fixture *f = *state;
	const struct pmc_client_counters *counters = pmc_client_counters(f->client);
	struct ptp_message request, answer;

	assert_false(pmc_client_busy(f->client));
	assert_true(pmc_client_deadline_ns(f->client) == INT64_MAX);
	get(f, PTP_ID_CURRENT_DATA_SET, PTP_PORT_ALL);
	assert_true(pmc_client_busy(f->client));
	assert_int_equal(pmc_client_deadline_ns(f->client), TIMEOUT_NS);
	assert_int_equal(pmc_client_get(f->client, PTP_ID_PRIORITY1, 0, 0, TIMEOUT_NS), -EBUSY);

	request = server_receive(f);
	assert_int_equal(request.action, PTP_GET);
	assert_int_equal(request.id, PTP_ID_CURRENT_DATA_SET);
	assert_int_equal(request.domain, 24);
	assert_int_equal(request.transport_specific, 1);
	assert_int_equal(request.body_len, 0);
	assert_true(request.sequence_id >= 0x8000);
	assert_int_equal(request.target.port, PTP_PORT_ALL);
	answer = current_ds_to(&request, -475);
	server_send(f, &answer);
	receive(f);

	assert_int_equal(f->n_seen, 1);
	assert_int_equal(last(f)->outcome, PMC_OK);
	assert_true(last(f)->last && last(f)->complete);
	assert_false(last(f)->push);
	assert_int_equal(last(f)->received_mono_ns, 7);
	assert_int_equal(f->data.current_ds.offset_ns, -475);
	assert_true(ptp_clock_identity_equal(&last(f)->source.clock, &clock_a));
	assert_false(pmc_client_busy(f->client));
	assert_int_equal(counters->sent, 1);
	assert_int_equal(counters->received, 1);
	assert_int_equal(counters->foreign + counters->malformed + counters->timeouts, 0);
}

static void foreign_messages_are_ignored(void **state)
{
	struct fixture *f = *state;
	struct ptp_message request, good;
	struct {
		const char *name;
		struct ptp_message m;
	} rows[8];

	get(f, PTP_ID_CURRENT_DATA_SET, 0); /* teaches the server's identity */
	request = server_receive(f);
	good = current_ds_to(&request, 1);
	server_send(f, &good);
	receive(f);
	get(f, PTP_ID_CURRENT_DATA_SET, 0);
	request = server_receive(f);
	good = current_ds_to(&request, 2);

	for (size_t i = 0; i < 8; i++)
		rows[i].m = good;
	rows[0].name = "earlier sequence";
	rows[0].m.sequence_id--;
	rows[1].name = "target of another client";
	rows[1].m.target.clock = clock_b;
	rows[2].name = "another port of the client";
	rows[2].m.target.port = 9;
	rows[3].name = "other clock";
	rows[3].m.source.clock = clock_b;
	rows[4].name = "other domain";
	rows[4].m.domain = 0;
	rows[5].name = "other transportSpecific";
	rows[5].m.transport_specific = 0;
	rows[6].name = "other id";
	rows[6].m.id = PTP_ID_PRIORITY1;
	rows[7].name = "a request";
	rows[7].m.action = PTP_GET;
	for (size_t i = 0; i < 8; i++) {
		server_send(f, &rows[i].m);
		receive(f);
		if (f->n_seen != 1 || pmc_client_counters(f->client)->foreign != i + 1)
			fail_msg("%s: not ignored", rows[i].name);
	}
	server_send(f, &good);
	receive(f);
	assert_int_equal(f->n_seen, 2);
	assert_int_equal(f->data.current_ds.offset_ns, 2);
}

static void malformed_messages_are_counted(void **state)
{
	struct fixture *f = *state;
	struct ptp_message request, good, cut;
	uint8_t junk[PTP_MESSAGE_MAX + 100] = {0};

	get(f, PTP_ID_CURRENT_DATA_SET, 0);
	request = server_receive(f);
	good = current_ds_to(&request, 2);
	cut = good;
	cut.body_len = 4; /* in the middle of offsetFromMaster */
	server_send_raw(f, junk, 0);
	server_send_raw(f, junk, 60);
	server_send_raw(f, junk, sizeof(junk));
	server_send(f, &cut);
	receive(f);
	assert_int_equal(f->n_seen, 0);
	assert_int_equal(pmc_client_counters(f->client)->malformed, 4);
	server_send(f, &good);
	receive(f);
	assert_int_equal(last(f)->outcome, PMC_OK);
}

static void outcomes(void **state)
{
	static const uint8_t body[18] = {0, 1};
	static const struct {
		const char *name;
		uint16_t id, error_id;
		size_t body_len;
		enum pmc_outcome outcome;
		size_t n_fields;
	} rows[] = {
		{"no such id", PTP_ID_CURRENT_DATA_SET, PTP_NO_SUCH_ID, 0, PMC_NOT_SUPPORTED, 0},
		{"refused", PTP_ID_CURRENT_DATA_SET, PTP_NOT_SUPPORTED, 0, PMC_NOT_SUPPORTED, 0},
		{"error", PTP_ID_CURRENT_DATA_SET, PTP_WRONG_VALUE, 0, PMC_ERROR_STATUS, 0},
		{"unnamed error", PTP_ID_CURRENT_DATA_SET, 0x1234, 0, PMC_ERROR_STATUS, 0},
		{"empty", PTP_ID_CURRENT_DATA_SET, 0, 0, PMC_EMPTY, 0},
		{"short", PTP_ID_CURRENT_DATA_SET, 0, 10, PMC_SHORT, 2},
		{"whole", PTP_ID_CURRENT_DATA_SET, 0, 18, PMC_OK, 3},
		{"unknown id", 0xBEEF, 0, 18, PMC_OK, 0},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ptp_message request, m;

		get(f, rows[i].id, 1);
		request = server_receive(f);
		m = answer_to(&request, 1);
		m.error_id = rows[i].error_id;
		m.body = body;
		m.body_len = rows[i].body_len;
		server_send(f, &m);
		receive(f);
		if (f->n_seen != i + 1 || last(f)->outcome != rows[i].outcome ||
		    last(f)->n_fields != rows[i].n_fields || last(f)->id != rows[i].id ||
		    last(f)->error_id != rows[i].error_id || !last(f)->last)
			fail_msg("%s: %s", rows[i].name, pmc_outcome_name(last(f)->outcome));
		assert_int_equal(last(f)->raw_len, rows[i].body_len);
		assert_true(!last(f)->dataset == (rows[i].id == 0xBEEF));
	}
}

static void deadline_ends_a_request(void **state)
{
	struct fixture *f = *state;
	struct ptp_message request, late;

	get(f, PTP_ID_CURRENT_DATA_SET, 0);
	pmc_client_expire(f->client, TIMEOUT_NS - 1);
	assert_int_equal(f->n_seen, 0);
	pmc_client_expire(f->client, TIMEOUT_NS);
	assert_int_equal(f->n_seen, 1);
	assert_int_equal(last(f)->outcome, PMC_TIMED_OUT);
	assert_int_equal(last(f)->id, PTP_ID_CURRENT_DATA_SET);
	assert_true(last(f)->last);
	assert_false(last(f)->complete);
	assert_int_equal(pmc_client_counters(f->client)->timeouts, 1);
	pmc_client_expire(f->client, TIMEOUT_NS + 1);
	assert_int_equal(f->n_seen, 1);

	request = server_receive(f);
	get(f, PTP_ID_CURRENT_DATA_SET, 0);
	late = current_ds_to(&request, 1);
	server_send(f, &late);
	receive(f);
	assert_int_equal(f->n_seen, 1);
	assert_int_equal(pmc_client_counters(f->client)->foreign, 1);
}

static void a_far_deadline_does_not_overflow(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(pmc_client_get(f->client, PTP_ID_PRIORITY1, 0, -1, 1), 0);
	pmc_client_expire(f->client, 0);
	assert_int_equal(pmc_client_get(f->client, PTP_ID_PRIORITY1, 0, INT64_MAX - 1, INT64_MAX),
			 0);
	assert_true(pmc_client_deadline_ns(f->client) == INT64_MAX);
	assert_int_equal(pmc_client_get(f->client, PTP_ID_PRIORITY1, 0, 0, -1), -EBUSY);
}

/* killed: the socket file stays. */
static void lose_server(struct fixture *f, bool killed)
{
	get(f, PTP_ID_CURRENT_DATA_SET, 0);
	if (killed)
		(void)close(f->server);
	else
		server_close(f);
	assert_int_equal(pmc_client_receive(f->client, 1), 0);
	pmc_client_expire(f->client, TIMEOUT_NS);
	assert_int_equal(last(f)->outcome, PMC_DISCONNECTED);
	assert_true(last(f)->last);
	assert_false(pmc_client_connected(f->client));
	assert_int_equal(pmc_client_fd(f->client), -ENOTCONN);
	assert_int_equal(pmc_client_receive(f->client, 1), -ENOTCONN);
	assert_int_equal(pmc_client_get(f->client, PTP_ID_PRIORITY1, 0, 0, 1), -ENOTCONN);
	assert_int_equal(pmc_client_connect(f->client), killed ? -ECONNREFUSED : -ENOENT);
}

static void loss_and_return_of_the_server(void **state)
{
	struct fixture *f = *state;
	struct ptp_message request, answer;

	lose_server(f, false);
	server_open(f);
	assert_int_equal(pmc_client_connect(f->client), 0);
	lose_server(f, true);
	(void)unlink(f->path);
	server_open(f);
	assert_int_equal(pmc_client_connect(f->client), 0);

	/* It may be another clock now. */
	get(f, PTP_ID_CURRENT_DATA_SET, 0);
	request = server_receive(f);
	answer = current_ds_to(&request, 3);
	answer.source.clock = clock_b;
	server_send(f, &answer);
	receive(f);
	assert_int_equal(last(f)->outcome, PMC_OK);
}

static void a_send_tells_that_the_server_has_gone(void **state)
{
	struct fixture *f = *state;

	server_close(f);
	assert_int_equal(pmc_client_get(f->client, PTP_ID_PRIORITY1, 0, 0, 1), -ECONNREFUSED);
	assert_false(pmc_client_connected(f->client));
	assert_int_equal(f->n_seen, 0);
	server_open(f);
}

static void a_restarted_server_is_another_one(void **state)
{
	struct fixture *f = *state;

	get(f, PTP_ID_PRIORITY1, 0);
	server_close(f);
	server_open(f);
	pmc_client_expire(f->client, TIMEOUT_NS);
	assert_int_equal(last(f)->outcome, PMC_DISCONNECTED);
}

static void reconnecting_ends_a_request(void **state)
{
	struct fixture *f = *state;

	get(f, PTP_ID_PRIORITY1, 0);
	assert_int_equal(pmc_client_connect(f->client), 0);
	assert_int_equal(f->n_seen, 1);
	assert_int_equal(last(f)->outcome, PMC_DISCONNECTED);
	assert_false(pmc_client_busy(f->client));
}

static void all_ports_are_waited_for(void **state)
{
	struct fixture *f = *state;
	struct ptp_message request, m;

	for (int round = 0; round < 2; round++) {
		get(f, PTP_ID_PORT_DATA_SET, PTP_PORT_ALL);
		if (round == 0) /* once a connection */
			teach_ports(f, 3);
		request = server_receive(f);
		assert_int_equal(request.id, PTP_ID_PORT_DATA_SET);
		assert_int_equal(request.target.port, PTP_PORT_ALL);
		for (uint16_t port = 1; port <= 3; port++) {
			m = port_ds_to(&request, port);
			server_send(f, &m);
			receive(f);
			assert_int_equal(last(f)->source.port, port);
			assert_int_equal(last(f)->last, port == 3);
			assert_int_equal(last(f)->complete, port == 3);
		}
		assert_int_equal(f->n_seen, 3 * (round + 1));
	}

	get(f, PTP_ID_PORT_DATA_SET, PTP_PORT_ALL);
	request = server_receive(f);
	m = port_ds_to(&request, 1);
	server_send(f, &m);
	receive(f);
	pmc_client_expire(f->client, TIMEOUT_NS);
	assert_int_equal(last(f)->outcome, PMC_TIMED_OUT);
	assert_false(last(f)->complete);

	get(f, PTP_ID_PORT_DATA_SET, 2); /* one port: one answer */
	request = server_receive(f);
	m = port_ds_to(&request, 2);
	server_send(f, &m);
	receive(f);
	assert_true(last(f)->last && last(f)->complete);
}

static void one_error_may_answer_for_all_ports(void **state)
{
	static const struct {
		const char *name;
		uint16_t port, error_id;
		bool last;
	} rows[] = {
		{"an unknown id, from the first port", 1, PTP_NO_SUCH_ID, true},
		{"the read-only socket, from port 0", 0, PTP_NOT_SUPPORTED, true},
		{"no such port, from port 0", 0, PTP_WRONG_VALUE, true},
		{"what ports don't support, from each", 1, PTP_NOT_SUPPORTED, false},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ptp_message request, m;

		get(f, PTP_ID_PORT_HWCLOCK_NP, PTP_PORT_ALL);
		if (i == 0)
			teach_ports(f, 3);
		request = server_receive(f);
		m = answer_to(&request, rows[i].port);
		m.error_id = rows[i].error_id;
		server_send(f, &m);
		receive(f);
		if (f->n_seen != i + 1 || last(f)->last != rows[i].last)
			fail_msg("%s", rows[i].name);
	}
}

static void many_ports_are_asked_one_by_one(void **state)
{
	struct fixture *f = *state;

	get(f, PTP_ID_PORT_DATA_SET, PTP_PORT_ALL);
	teach_ports(f, 12);
	for (uint16_t port = 1; port <= 12; port++) {
		struct ptp_message request = server_receive(f), m;

		assert_int_equal(request.target.port, port);
		m = port_ds_to(&request, port);
		server_send(f, &m);
		receive(f);
		assert_int_equal(last(f)->last, port == 12);
	}
	assert_int_equal(f->n_seen, 12);
}

static void unknown_number_of_ports_waits_for_the_deadline(void **state)
{
	struct fixture *f = *state;
	struct ptp_message request, m;

	get(f, PTP_ID_PORT_DATA_SET, PTP_PORT_ALL);
	request = server_receive(f);
	m = answer_to(&request, 0);
	m.error_id = PTP_GENERAL_ERROR;
	server_send(f, &m);
	receive(f);
	request = server_receive(f);
	m = port_ds_to(&request, 1);
	server_send(f, &m);
	receive(f);
	assert_int_equal(f->n_seen, 1);
	assert_false(last(f)->last);
	pmc_client_expire(f->client, TIMEOUT_NS);
	assert_int_equal(last(f)->outcome, PMC_TIMED_OUT);
}

static void clocks_further_away(void **state)
{
	struct fixture *f = *state;
	struct pmc_request request = {
		.id = PTP_ID_CURRENT_DATA_SET, .port = PTP_PORT_ALL, .boundary_hops = 2};
	struct ptp_message sent, m;

	get(f, PTP_ID_CURRENT_DATA_SET, 0);
	sent = server_receive(f);
	m = current_ds_to(&sent, 0);
	server_send(f, &m);
	receive(f);

	assert_int_equal(pmc_client_request(f->client, &request, 0, TIMEOUT_NS), 0);
	sent = server_receive(f);
	assert_int_equal(sent.starting_boundary_hops, 2);
	assert_int_equal(sent.boundary_hops, 2);
	m = current_ds_to(&sent, 1);
	server_send(f, &m);
	m.source.clock = clock_b;
	server_send(f, &m);
	receive(f);
	assert_int_equal(f->n_seen, 3);
	assert_true(ptp_clock_identity_equal(&last(f)->source.clock, &clock_b));
	assert_false(last(f)->last);
	pmc_client_expire(f->client, TIMEOUT_NS);
	assert_true(last(f)->last);
}

static void sets_and_commands(void **state)
{
	struct fixture *f = *state;
	union ptp_data data = {.octet.value = 77};
	struct pmc_request request = {
		.action = PTP_SET, .id = PTP_ID_PRIORITY1, .port = PTP_PORT_ALL, .data = &data};
	struct ptp_message sent, m;

	assert_int_equal(pmc_client_request(f->client, &request, 0, TIMEOUT_NS), 0);
	sent = server_receive(f);
	assert_int_equal(sent.action, PTP_SET);
	assert_int_equal(sent.body_len, 2);
	assert_int_equal(sent.body[0], 77);
	m = answer_to(&sent, 0);
	with_data(&m, &data);
	server_send(f, &m);
	receive(f);
	assert_int_equal(last(f)->outcome, PMC_OK);

	request = (struct pmc_request){.action = PTP_COMMAND, .id = PTP_ID_DISABLE_PORT, .port = 1};
	assert_int_equal(pmc_client_request(f->client, &request, 0, TIMEOUT_NS), 0);
	sent = server_receive(f);
	assert_int_equal(sent.action, PTP_COMMAND);
	m = answer_to(&sent, 1);
	m.action = PTP_RESPONSE; /* not what answers a command */
	server_send(f, &m);
	m.action = PTP_ACKNOWLEDGE;
	server_send(f, &m);
	receive(f);
	assert_int_equal(f->n_seen, 2);
	assert_int_equal(last(f)->outcome, PMC_EMPTY);
	assert_int_equal(pmc_client_counters(f->client)->foreign, 1);
}

static void a_get_may_carry_the_key(void **state)
{
	struct fixture *f = *state;
	union ptp_data data = {.alternate_properties.key = 3};
	struct pmc_request request = {.id = PTP_ID_ALTERNATE_TIME_OFFSET_PROPERTIES, .data = &data};
	struct ptp_message sent;

	assert_int_equal(pmc_client_request(f->client, &request, 0, TIMEOUT_NS), 0);
	sent = server_receive(f);
	assert_int_equal(sent.body_len, 2);
	assert_int_equal(sent.body[0], 3);
}

static void requests_that_are_refused(void **state)
{
	struct fixture *f = *state;
	struct pmc_client_options options = options_for(f);
	struct pmc_request request = {.action = PTP_SET, .id = PTP_ID_PRIORITY1};
	union ptp_data data = {0};
	struct pmc_client *c = NULL;

	options.allow_set = false;
	assert_int_equal(pmc_client_new(&c, &options), 0);
	assert_int_equal(pmc_client_request(c, &request, 0, 1), -EPERM);
	request.action = PTP_COMMAND;
	assert_int_equal(pmc_client_request(c, &request, 0, 1), -EPERM);
	request.action = PTP_RESPONSE;
	assert_int_equal(pmc_client_request(c, &request, 0, 1), -EINVAL);
	request.action = PTP_GET;
	assert_int_equal(pmc_client_request(c, &request, 0, 1), -ENOTCONN);
	assert_int_equal(pmc_client_connect(c), 0);
	request = (struct pmc_request){.id = 0xBEEF, .data = &data};
	assert_int_equal(pmc_client_request(c, &request, 0, 1), -EOPNOTSUPP);
	assert_int_equal(pmc_client_get(c, PTP_ID_PRIORITY1, 0, 0, -1), -EINVAL);
	assert_false(pmc_client_busy(c));
	pmc_client_free(c);
}

static void pushes_are_not_answers(void **state)
{
	struct fixture *f = *state;
	const struct pmc_client_counters *counters = pmc_client_counters(f->client);
	struct ptp_message subscribe, request, m;

	assert_int_equal(pmc_client_subscribe(f->client, PMC_EVENT_PORT_STATE | PMC_EVENT_TIME_SYNC,
					      2, 0, TIMEOUT_NS),
			 0);
	subscribe = server_receive(f);
	assert_int_equal(subscribe.action, PTP_SET);
	assert_int_equal(subscribe.id, PTP_ID_SUBSCRIBE_EVENTS_NP);
	assert_int_equal(subscribe.body_len, 66);
	assert_int_equal(subscribe.body[1], 2);
	assert_int_equal(subscribe.body[2], 3);
	m = answer_to(&subscribe, 0);
	with_data(&m, &(union ptp_data){.subscribe_events_np = {.duration_s = 2, .events = {3}}});
	server_send(f, &m);
	receive(f);
	assert_int_equal(last(f)->outcome, PMC_OK);
	assert_false(last(f)->push);

	/* A push of the very id and sequence number that is being waited for. */
	get(f, PTP_ID_TIME_STATUS_NP, 0);
	request = server_receive(f);
	assert_false(ptp_port_identity_equal(&request.source, &subscribe.source));
	m.id = PTP_ID_TIME_STATUS_NP;
	m.sequence_id = request.sequence_id;
	with_data(&m, &(union ptp_data){.time_status_np.master_offset_ns = 5});
	server_send(f, &m);
	receive(f);
	assert_true(last(f)->push);
	assert_false(last(f)->last);
	assert_true(pmc_client_busy(f->client));
	m.target = request.source;
	server_send(f, &m);
	receive(f);
	assert_false(last(f)->push);
	assert_true(last(f)->last);

	/* Holes are counted; a new subscription starts at 0 again. */
	m.target = subscribe.source;
	for (size_t i = 0; i < 5; i++) {
		static const uint16_t sequence[] = {0, 1, 4, 5, 0};

		m.sequence_id = sequence[i];
		server_send(f, &m);
		receive(f);
	}
	assert_int_equal(counters->pushes, 6);
	assert_int_equal(counters->pushes_lost, 2);
	m.source.clock = clock_b;
	server_send(f, &m);
	receive(f);
	assert_int_equal(counters->pushes, 6);
	assert_int_equal(counters->foreign, 1);
}

static void subscriptions_leave_room(void **state)
{
	static const struct {
		int64_t interval_ns;
		uint16_t max_s;
	} rows[] = {
		{0, 0},           {7812500, 0}, /* 128 a second: 139 pushes are 1.09 s */
		{15625000, 2},                  /* 64 a second */
		{31250000, 4},                  /* 32 a second */
		{125000000, 17},                /* 8 a second */
		{1000000000, 60}, {INT64_MAX, 60},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(pmc_subscription_max_s(rows[i].interval_ns), rows[i].max_s);
}

/* One answer with that ingress time. */
static void hear_ingress(struct fixture *f, int64_t ingress_time_ns)
{
	struct ptp_message request, m;

	get(f, PTP_ID_TIME_STATUS_NP, 0);
	request = server_receive(f);
	m = answer_to(&request, 0);
	with_data(&m, &(union ptp_data){.time_status_np.ingress_time_ns = ingress_time_ns});
	server_send(f, &m);
	receive(f);
}

static int try_subscribe(struct fixture *f, uint32_t events, uint16_t duration_s)
{
	int r = pmc_client_subscribe(f->client, events, duration_s, 0, TIMEOUT_NS);

	if (r == 0)
		(void)server_receive(f);
	pmc_client_expire(f->client, TIMEOUT_NS);
	return r;
}

static void subscriptions_keep_to_the_learnt_rate(void **state)
{
	struct fixture *f = *state;
	const int64_t second_ns = 1000000000;

	assert_int_equal(pmc_client_sync_interval_ns(f->client), 0);
	assert_int_equal(try_subscribe(f, PMC_EVENT_TIME_SYNC, 2), 0);
	assert_int_equal(try_subscribe(f, PMC_EVENT_TIME_SYNC, 3), -ERANGE);
	assert_int_equal(try_subscribe(f, PMC_EVENT_CMLDS, 3), -ERANGE);
	assert_int_equal(try_subscribe(f, PMC_EVENT_PORT_STATE, 60), 0);

	hear_ingress(f, 5 * second_ns);
	hear_ingress(f, 5 * second_ns + second_ns / 4);
	hear_ingress(f, 5 * second_ns + second_ns / 4); /* asked twice between two Syncs */
	hear_ingress(f, 0);                             /* a step */
	hear_ingress(f, 2 * second_ns);                 /* back in time */
	hear_ingress(f, 2 * second_ns + second_ns / 8);
	assert_int_equal(pmc_client_sync_interval_ns(f->client), second_ns / 8);
	assert_int_equal(pmc_client_subscription_max_s(f->client), 17);
	assert_int_equal(try_subscribe(f, PMC_EVENT_TIME_SYNC, 17), 0);
	assert_int_equal(try_subscribe(f, PMC_EVENT_TIME_SYNC | PMC_EVENT_PORT_STATE, 18), -ERANGE);

	hear_ingress(f, 2 * second_ns + second_ns / 8 + second_ns / 128);
	assert_int_equal(pmc_client_subscription_max_s(f->client), 0);
	assert_int_equal(try_subscribe(f, PMC_EVENT_TIME_SYNC, 2), -ERANGE);
	assert_int_equal(try_subscribe(f, 0, 0), 0); /* cancels */

	/* Early and late Syncs, one of which was not seen, have the rate that they have. */
	for (int i = 0; i < 12; i++)
		if (i != 6)
			hear_ingress(f, 5 * second_ns + i * second_ns / 64 + i % 2 * 4000000);
	assert_in_range(pmc_client_sync_interval_ns(f->client), 15000000, 16200000);
	assert_int_equal(pmc_client_subscription_max_s(f->client), 2);

	/* What is old is forgotten, and so is everything with the connection. */
	for (int i = 0; i < 8; i++)
		hear_ingress(f, (10 + i) * second_ns);
	assert_int_equal(pmc_client_sync_interval_ns(f->client), second_ns);
	assert_int_equal(pmc_client_connect(f->client), 0);
	assert_int_equal(pmc_client_sync_interval_ns(f->client), 0);
}

static void a_full_queue_sends_nothing(void **state)
{
	struct fixture *f = *state;
	int r = 0, sent = 0;

	while (sent < 1000 && (r = pmc_client_get(f->client, PTP_ID_PRIORITY1, 0, 0, 0)) == 0) {
		pmc_client_expire(f->client, 0);
		sent++;
	}
	assert_int_equal(r, -EAGAIN);
	assert_false(pmc_client_busy(f->client));
	assert_int_equal(pmc_client_counters(f->client)->sent, sent);
	(void)server_receive(f);
	get(f, PTP_ID_PRIORITY1, 0);
}

static void a_call_reads_a_bounded_number(void **state)
{
	struct fixture *f = *state;
	const struct pmc_client_counters *counters = pmc_client_counters(f->client);
	uint8_t junk[60] = {0};

	get(f, PTP_ID_PRIORITY1, 0);
	(void)server_receive(f);
	/* The queue of an unconnected sender's peer is short, so this connects. */
	assert_int_equal(connect(f->server, (struct sockaddr *)&f->from, f->from_len), 0);
	for (int i = 0; i < 100; i++)
		if (send(f->server, junk, sizeof(junk), 0) < 0)
			receive(f);
	receive(f);
	assert_in_range(counters->received, 1, 100);
	while (counters->received < 100) {
		uint64_t before = counters->received;

		receive(f);
		assert_in_range(counters->received - before, 1, 64);
	}
	assert_int_equal(counters->malformed, 100);
}

/* Names of sockets in the directory but the server's. */
static size_t count_own(const struct fixture *f)
{
	DIR *dir = opendir(f->dir);
	const struct dirent *entry;
	size_t n = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir)))
		n += entry->d_type == DT_SOCK && strcmp(entry->d_name, "server") != 0;
	(void)closedir(dir);
	return n;
}

static void own_sockets_come_and_go(void **state)
{
	struct fixture *f = *state;
	struct pmc_client_options options = options_for(f);
	struct sockaddr_un dead = {.sun_family = AF_UNIX};
	struct pmc_client *c;
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	/* what a killed client leaves */
	(void)snprintf(dead.sun_path, sizeof(dead.sun_path), "%s/pmc-client.1.0", f->dir);
	assert_int_equal(bind(fd, (struct sockaddr *)&dead, sizeof(dead)), 0);
	(void)close(fd);
	assert_int_equal(count_own(f), 2);
	assert_int_equal(pmc_client_new(&c, &options), 0);
	assert_int_equal(count_own(f), 2);
	assert_int_equal(pmc_client_connect(c), 0);
	assert_int_equal(count_own(f), 2); /* the dead one has gone, the other client's is there */
	pmc_client_free(c);
	assert_int_equal(count_own(f), 1);
	assert_null(pmc_client_free(NULL));
}

static void own_path_is_respected(void **state)
{
	struct fixture *f = *state;
	struct pmc_client_options options = options_for(f);
	struct pmc_client *c = NULL;
	char path[100], text[8] = "";
	FILE *file;

	(void)snprintf(path, sizeof(path), "%s/mine", f->dir);
	options.own_path = path;
	assert_int_equal(pmc_client_new(&c, &options), 0);
	file = fopen(path, "we"); /* not a socket: not ours to remove */
	assert_non_null(file);
	(void)fputs("kept", file);
	(void)fclose(file);
	assert_int_equal(pmc_client_connect(c), -EADDRINUSE);
	file = fopen(path, "re");
	assert_non_null(fgets(text, sizeof(text), file));
	(void)fclose(file);
	assert_string_equal(text, "kept");
	(void)unlink(path);
	assert_int_equal(pmc_client_connect(c), 0);
	assert_int_equal(access(path, F_OK), 0);
	pmc_client_free(c);
	assert_int_equal(access(path, F_OK), -1);
}

static void a_server_path_must_be_a_socket(void **state)
{
	struct fixture *f = *state;
	struct pmc_client_options options = options_for(f);
	struct pmc_client *c;

	options.server_path = f->dir;
	assert_int_equal(pmc_client_new(&c, &options), 0);
	assert_int_equal(pmc_client_connect(c), -ENOTSOCK);
	pmc_client_free(c);
}

static void bad_options(void **state)
{
	struct fixture *f = *state;
	char longest[200];
	struct pmc_client *c = NULL;
	struct {
		const char *name;
		struct pmc_client_options o;
		int result;
	} rows[] = {
		{"no server", options_for(f), -EINVAL},
		{"empty server", options_for(f), -EINVAL},
		{"no callback", options_for(f), -EINVAL},
		{"transportSpecific", options_for(f), -EINVAL},
		{"relative own path", options_for(f), -EINVAL},
		{"long server path", options_for(f), -ENAMETOOLONG},
		{"long own path", options_for(f), -ENAMETOOLONG},
	};

	memset(longest, 'x', sizeof(longest));
	longest[0] = '/';
	longest[108] = '\0';
	rows[0].o.server_path = NULL;
	rows[1].o.server_path = "";
	rows[2].o.on_message = NULL;
	rows[3].o.transport_specific = 16;
	rows[4].o.own_path = "here";
	rows[5].o.server_path = longest;
	rows[6].o.own_path = longest;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (pmc_client_new(&c, &rows[i].o) != rows[i].result || c)
			fail_msg("%s", rows[i].name);
}

/* Where no file can be made beside the server's, here because its path is relative. */
static void abstract_names_work(void **state)
{
	struct fixture *f = *state;
	struct pmc_client_options options = options_for(f);
	char before[4096];
	struct ptp_message request, m;
	struct pmc_client *c;

	assert_non_null(getcwd(before, sizeof(before)));
	assert_int_equal(chdir(f->dir), 0);
	options.server_path = "server";
	assert_int_equal(pmc_client_new(&c, &options), 0);
	assert_int_equal(pmc_client_connect(c), 0);
	assert_int_equal(pmc_client_get(c, PTP_ID_CURRENT_DATA_SET, 0, 0, TIMEOUT_NS), 0);
	request = server_receive(f);
	assert_int_equal(f->from.sun_path[0], '\0');
	m = current_ds_to(&request, 9);
	server_send(f, &m);
	assert_int_equal(pmc_client_receive(c, 1), 0);
	assert_int_equal(f->data.current_ds.offset_ns, 9);
	pmc_client_free(c);
	assert_int_equal(chdir(before), 0);
}

static void clients_differ(void **state)
{
	struct fixture *f = *state;
	struct pmc_client_options options = options_for(f);
	struct ptp_message first, second;
	struct pmc_client *c;

	assert_int_equal(pmc_client_new(&c, &options), 0);
	assert_int_equal(pmc_client_connect(c), 0);
	get(f, PTP_ID_PRIORITY1, 0);
	first = server_receive(f);
	assert_int_equal(pmc_client_get(c, PTP_ID_PRIORITY1, 0, 0, 1), 0);
	second = server_receive(f);
	assert_false(ptp_clock_identity_equal(&first.source.clock, &second.source.clock));
	pmc_client_free(c);
}

static void sequence_stays_in_the_upper_half(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < 0x8001; i++) {
		get(f, PTP_ID_PRIORITY1, 0);
		assert_true(server_receive(f).sequence_id >= 0x8000);
		pmc_client_expire(f->client, TIMEOUT_NS);
		f->n_seen = 0;
	}
}

static void domain_can_be_changed(void **state)
{
	struct fixture *f = *state;

	get(f, PTP_ID_PRIORITY1, 0);
	(void)server_receive(f);
	assert_int_equal(pmc_client_set_domain(f->client, 3, 2), -EBUSY);
	pmc_client_expire(f->client, TIMEOUT_NS);
	assert_int_equal(pmc_client_set_domain(f->client, 3, 16), -EINVAL);
	assert_int_equal(pmc_client_set_domain(f->client, 3, 2), 0);
	get(f, PTP_ID_PRIORITY1, 0);
	assert_int_equal(server_receive(f).domain, 3);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(answer_ends_a_request),
		CASE(foreign_messages_are_ignored),
		CASE(malformed_messages_are_counted),
		CASE(outcomes),
		CASE(deadline_ends_a_request),
		CASE(a_far_deadline_does_not_overflow),
		CASE(loss_and_return_of_the_server),
		CASE(a_send_tells_that_the_server_has_gone),
		CASE(a_restarted_server_is_another_one),
		CASE(reconnecting_ends_a_request),
		CASE(all_ports_are_waited_for),
		CASE(one_error_may_answer_for_all_ports),
		CASE(many_ports_are_asked_one_by_one),
		CASE(unknown_number_of_ports_waits_for_the_deadline),
		CASE(clocks_further_away),
		CASE(sets_and_commands),
		CASE(a_get_may_carry_the_key),
		CASE(requests_that_are_refused),
		CASE(pushes_are_not_answers),
		CASE(subscriptions_leave_room),
		CASE(subscriptions_keep_to_the_learnt_rate),
		CASE(a_full_queue_sends_nothing),
		CASE(a_call_reads_a_bounded_number),
		CASE(own_sockets_come_and_go),
		CASE(own_path_is_respected),
		CASE(a_server_path_must_be_a_socket),
		CASE(bad_options),
		CASE(abstract_names_work),
		CASE(clients_differ),
		CASE(sequence_stays_in_the_upper_half),
		CASE(domain_can_be_changed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
