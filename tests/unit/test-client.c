// SPDX-License-Identifier: LGPL-2.1-or-later
/* Requests, their answers and their ends, against a scripted server. */
#include "client-fixture.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(answer_ends_a_request),
		CASE(foreign_messages_are_ignored),
		CASE(malformed_messages_are_counted),
		CASE(outcomes),
		CASE(deadline_ends_a_request),
		CASE(a_far_deadline_does_not_overflow),
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
		CASE(sequence_stays_in_the_upper_half),
		CASE(domain_can_be_changed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
