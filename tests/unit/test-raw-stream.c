// SPDX-License-Identifier: LGPL-2.1-or-later
/* The raw stream: recorded messages, hostile ones, and a socket that plays ptp4l. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "pmc-client/raw_stream.h"
#include "pmc-client/wire.h"
#include "tests/unit/vectors.h"

#define S INT64_C(1000000000)

enum { SAMPLES_MAX = 512, TLV_SYNC = 0x8004, TLV_DELAY = 0x7F00 };

/* The value after a name in what linuxptp's pmc printed; a time stamp has nine digits. */
static int64_t printed(const struct vector *v, const char *name)
{
	const char *at = strstr(v->decoded, name);
	long long whole = 0;
	long long fraction = 0;

	if (!at)
		fail_msg("%s: no %s", v->file, name);
	return sscanf(at + strlen(name), " %lld.%9lld", &whole, &fraction) == 2
		       ? whole * S + fraction
		       : whole;
}

static int parse(const uint8_t *message, size_t len, struct pmc_raw_record *first, size_t *n)
{
	struct pmc_raw_record records[PMC_RAW_RECORDS_MAX] = {0};
	uint8_t domain;
	uint8_t transport_specific;
	int r = pmc_raw_parse(message, len, &domain, &transport_specific, records, n);

	*first = records[0];
	return r;
}

static void check_vector(const struct vector *v)
{
	bool sync = strcmp(v->id, "SLAVE_RX_SYNC_TIMING_DATA") == 0;
	struct pmc_raw_record record;
	char master[PTP_PORT_IDENTITY_TEXT];
	size_t n = 0;

	if (parse(v->message, v->message_len, &record, &n) != 0 || n != 1)
		fail_msg("%s: refused", v->file);
	assert_int_equal(record.kind, sync ? PMC_RAW_SYNC : PMC_RAW_DELAY);
	assert_int_equal(record.stream_id, printed(v, " seq"));
	assert_int_equal(record.sequence_id, printed(v, "sequenceId"));
	assert_int_equal(record.sent_ns,
			 printed(v, sync ? "syncOriginTimestamp" : "delayOriginTimestamp"));
	assert_int_equal(record.received_ns,
			 printed(v, sync ? "syncEventIngressTimestamp" : "delayResponseTimestamp"));
	assert_int_equal(record.correction_ns, printed(v, "totalCorrectionField"));
	(void)ptp_port_identity_format(&record.master, master);
	assert_non_null(strstr(v->decoded, master));
	for (size_t len = 0; len < v->message_len; len++)
		if (parse(v->message, len, &record, &n) != -EBADMSG)
			fail_msg("%s: accepted when cut to %zu", v->file, len);
}

static void recorded_messages_have_the_values_of_pmc(void **state)
{
	size_t n_vectors;
	struct vector *vectors = vectors_load(&n_vectors);
	int checked = 0;

	for (size_t i = 0; i < n_vectors; i++)
		if (vector_is(&vectors[i], "SIGNALING")) {
			check_vector(&vectors[i]);
			checked++;
		}
	assert_int_equal(checked, 4);
	vectors_free(vectors, n_vectors);
}

static void what_is_not_of_the_stream_is_refused(void **state)
{
	size_t n_vectors;
	struct vector *vectors = vectors_load(&n_vectors);

	for (size_t i = 0; i < n_vectors; i++) {
		const struct vector *v = &vectors[i];
		struct pmc_raw_record record;
		size_t n = 7;
		int r = parse(v->message, v->message_len, &record, &n);

		if (strcmp(v->file, "corrupt_mon_no_record.hex") == 0) {
			assert_int_equal(r, 0);
			assert_int_equal(n, 0);
		} else if (strcmp(v->file, "corrupt_mon_half_record.hex") == 0) {
			assert_int_equal(r, -EBADMSG);
		} else if (!vector_is(v, "SIGNALING") && (r == 0 || n != 7)) {
			fail_msg("%s: taken for a message of the stream", v->file);
		}
	}
	vectors_free(vectors, n_vectors);
}

/* A message with one record, as ptp4l builds it. */
struct message {
	unsigned int tlv;
	uint16_t stream_id;
	int64_t sent_ns, received_ns;
	int64_t correction_ns;
	uint8_t domain;
};

static void put_timestamp(struct wire_out *out, int64_t ns)
{
	wire_put(out, (uint64_t)(ns / S), 6);
	wire_put(out, (uint64_t)(ns % S), 4);
}

static size_t build(const struct message *m, uint8_t octets[static 128])
{
	static const uint8_t clocks[2][8] = {{2, 0, 0, 0xff, 0xfe, 0, 0, 2},
					     {2, 0, 0, 0xff, 0xfe, 0, 0, 1}};
	struct wire_out out = wire_out(octets, 128);
	unsigned int record = m->tlv == TLV_SYNC ? 34 : 30;

	wire_put(&out, 0x0c02, 2);
	wire_put(&out, 58 + record, 2);
	wire_put(&out, m->domain, 1);
	for (int i = 0; i < 15; i++)
		wire_put(&out, 0, 1);
	wire_put_octets(&out, clocks[0], 8);
	wire_put(&out, 0, 2);
	wire_put(&out, m->stream_id, 2);
	wire_put(&out, 0x057f, 2);
	for (int i = 0; i < 10; i++)
		wire_put(&out, 0xff, 1);
	wire_put(&out, m->tlv, 2);
	wire_put(&out, 10 + record, 2);
	wire_put_octets(&out, clocks[1], 8);
	wire_put(&out, 1, 2);
	wire_put(&out, m->stream_id, 2);
	put_timestamp(&out, m->sent_ns);
	wire_put(&out, (uint64_t)(m->correction_ns * 65536), 8);
	if (m->tlv == TLV_SYNC)
		wire_put(&out, 0, 4);
	put_timestamp(&out, m->received_ns);
	assert_false(out.bad);
	return (size_t)(out.at - octets);
}

static void mutations_do_no_harm(void **state)
{
	const struct message m = {TLV_DELAY, 5, 3 * S, 4 * S, 17, 0};
	unsigned int random = 1;
	uint8_t octets[128];
	size_t len = build(&m, octets);

	for (int i = 0; i < 200000; i++) {
		struct pmc_raw_record record;
		uint8_t mutated[128];
		size_t n;

		memcpy(mutated, octets, len);
		for (int k = 0; k < 3; k++) {
			random = random * 1103515245 + 12345;
			mutated[(random >> 16) % len] = (uint8_t)(random >> 8);
		}
		n = 0;
		if (parse(mutated, len, &record, &n) == 0 && n > 0)
			assert_in_range(record.sent_ns, 0, INT64_MAX);
	}
}

/* A ptp4l, and a reader of its stream. */
struct fixture {
	char directory[64], server_path[96], monitor_path[96];
	int server;
	struct pmc_raw_stream *stream;
	struct pmc_raw_sample samples[SAMPLES_MAX];
	size_t n;
};

static void on_sample(void *userdata, const struct pmc_raw_sample *sample)
{
	struct fixture *f = userdata;

	assert_true(f->n < SAMPLES_MAX);
	f->samples[f->n++] = *sample;
}

static struct sockaddr_un address_of(const char *path)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};

	(void)snprintf(a.sun_path, sizeof(a.sun_path), "%s", path);
	return a;
}

static int bind_to(const char *path)
{
	const struct sockaddr_un a = address_of(path);
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (const struct sockaddr *)&a, sizeof(a)), 0);
	return fd;
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct pmc_raw_options o = {
		.sync_interval_ns = S / 8,
		.delay_interval_ns = S / 8,
		.on_sample = on_sample,
		.userdata = f,
	};

	if (!f)
		return -1;
	(void)strcpy(f->directory, "/tmp/test-raw-stream.XXXXXX");
	if (!mkdtemp(f->directory))
		return -1;
	(void)snprintf(f->server_path, sizeof(f->server_path), "%s/ptp4l", f->directory);
	(void)snprintf(f->monitor_path, sizeof(f->monitor_path), "%s/monitor", f->directory);
	f->server = bind_to(f->server_path);
	o.server_path = f->server_path;
	o.monitor_path = f->monitor_path;
	assert_int_equal(pmc_raw_stream_new(&f->stream, &o), 0);
	assert_int_equal(pmc_raw_stream_open(f->stream), 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	(void)pmc_raw_stream_free(f->stream);
	assert_int_equal(access(f->monitor_path, F_OK), -1);
	(void)close(f->server);
	(void)unlink(f->server_path);
	assert_int_equal(rmdir(f->directory), 0);
	free(f);
	return 0;
}

static int send_to_monitor(const struct fixture *f, int fd, const struct message *m)
{
	const struct sockaddr_un a = address_of(f->monitor_path);
	uint8_t octets[128];
	size_t len = build(m, octets);

	return sendto(fd, octets, len, 0, (const struct sockaddr *)&a, sizeof(a)) < 0 ? -errno : 0;
}

static const struct pmc_raw_sample *hear(struct fixture *f, const struct message *m)
{
	size_t n = f->n;

	assert_int_equal(send_to_monitor(f, f->server, m), 0);
	assert_int_equal(pmc_raw_stream_receive(f->stream, 42), 0);
	assert_int_equal(f->n, n + 1);
	assert_int_equal(f->samples[n].read_mono_ns, 42);
	return &f->samples[n];
}

/* The slave is 500 ns ahead; 700 ns there, 900 ns back, of which 60 and 40 are residence times. */
static void offset_and_delay_follow_from_four_stamps(void **state)
{
	struct fixture *f = *state;
	const struct message first = {TLV_SYNC, 1, 100 * S, 100 * S + 700 + 500, 60, 0};
	const struct message exchange = {TLV_DELAY, 1, 101 * S + 500, 101 * S + 900, 40, 0};
	const struct message late = {TLV_SYNC, 2, 102 * S, 102 * S + 700 + 500 + 77, 60, 0};
	const struct pmc_raw_sample *s = hear(f, &exchange); /* of which the Sync was not heard */

	assert_int_equal(s->delay_ns, PMC_RAW_UNKNOWN);
	s = hear(f, &first);
	assert_int_equal(s->transit_ns, 1140);
	assert_int_equal(s->delay_ns, PMC_RAW_UNKNOWN);
	assert_int_equal(s->offset_ns, PMC_RAW_UNKNOWN);
	s = hear(f, &exchange);
	assert_int_equal(s->record.kind, PMC_RAW_DELAY);
	assert_int_equal(s->transit_ns, 360);
	assert_int_equal(s->delay_ns, 750);
	s = hear(f, &late);
	assert_int_equal(s->delay_ns, 750);
	assert_int_equal(s->offset_ns, 1140 + 77 - 750);
}

static void what_does_not_fit_is_not_computed(void **state)
{
	struct fixture *f = *state;
	const int64_t end_ns = (INT64_MAX / S - 1) * S;
	const struct message never = {TLV_SYNC, 1, end_ns, 0, INT64_MAX / 65536, 0};

	assert_int_equal(send_to_monitor(f, f->server, &never), 0);
	assert_int_equal(pmc_raw_stream_receive(f->stream, 42), 0);
	assert_int_equal(f->n, 0);
	assert_int_equal(pmc_raw_stream_counters(f->stream)->malformed, 1);
	(void)hear(f, &(struct message){TLV_SYNC, 2, end_ns, 0, 0, 0});
	assert_int_equal(hear(f, &(struct message){TLV_DELAY, 1, end_ns, 0, 0, 0})->delay_ns,
			 -end_ns);
	assert_int_equal(hear(f, &(struct message){TLV_SYNC, 3, 0, end_ns, 0, 0})->offset_ns,
			 PMC_RAW_UNKNOWN);
}

static void missing_messages_are_declared(void **state)
{
	struct fixture *f = *state;

	(void)hear(f, &(struct message){TLV_SYNC, 0xfffe, 100 * S, 100 * S, 0, 0});
	(void)hear(f, &(struct message){TLV_DELAY, 7, 100 * S, 100 * S, 0, 0});
	assert_int_equal(
		hear(f, &(struct message){TLV_SYNC, 0xffff, 101 * S, 101 * S, 0, 0})->missed, 0);
	assert_int_equal(hear(f, &(struct message){TLV_SYNC, 2, 102 * S, 102 * S, 0, 0})->missed,
			 2);
	assert_int_equal(hear(f, &(struct message){TLV_DELAY, 8, 102 * S, 102 * S, 0, 0})->missed,
			 0);
	assert_int_equal(pmc_raw_stream_counters(f->stream)->missed, 2);
}

static void others_are_not_heard(void **state)
{
	struct fixture *f = *state;
	const struct message m = {TLV_SYNC, 1, 100 * S, 100 * S, 0, 0};
	struct message other_domain = m;
	int stranger = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	assert_int_equal(send_to_monitor(f, stranger, &m), -EPERM);
	(void)close(stranger);
	other_domain.domain = 3;
	assert_int_equal(send_to_monitor(f, f->server, &other_domain), 0);
	assert_int_equal(send(f->server, "", 0, 0), -1);
	assert_int_equal(pmc_raw_stream_receive(f->stream, 42), 0);
	assert_int_equal(f->n, 0);
	assert_int_equal(pmc_raw_stream_counters(f->stream)->foreign, 1);
}

static void a_rate_that_leaves_too_little_is_refused(void **state)
{
	static const struct {
		int64_t sync_ns, delay_ns, survival_s;
		int r;
	} rows[] = {
		{S / 8, S / 8, 17, 0},
		{S / 8, 0, 34, 0},
		{S, S, 139, 0},
		{S / 13, S / 13, 10, 0},
		{S / 16, S / 16, 8, -ERANGE},
		{S / 128, S / 128, 1, -ERANGE},
		{0, S, 278, -EINVAL},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct pmc_raw_options o = {
			.server_path = "/nowhere/ptp4l",
			.monitor_path = "/nowhere/monitor",
			.sync_interval_ns = rows[i].sync_ns,
			.delay_interval_ns = rows[i].delay_ns,
			.on_sample = on_sample,
		};
		struct pmc_raw_stream *s = NULL;

		assert_int_equal(pmc_raw_survival_ns(rows[i].sync_ns, rows[i].delay_ns) / S,
				 rows[i].survival_s);
		assert_int_equal(pmc_raw_stream_new(&s, &o), rows[i].r);
		if (s)
			assert_int_equal(pmc_raw_stream_open(s), -ENOENT);
		s = pmc_raw_stream_free(s);
	}
	assert_int_equal(pmc_raw_survival_ns(0, 0), INT64_MAX);
}

/* Messages at that many Syncs a second until it is enough: the last result. */
static int stream_at(struct fixture *f, int rate)
{
	int r = 0;

	for (int i = 0; r == 0 && i < 10 * rate; i++) {
		const int64_t at_ns = 100 * S + i * S / rate;
		const struct message m = {TLV_SYNC, (uint16_t)i, at_ns, at_ns, 0, 0};

		assert_int_equal(send_to_monitor(f, f->server, &m), 0);
		r = pmc_raw_stream_receive(f->stream, 42);
	}
	return r;
}

static void a_stream_that_becomes_too_fast_is_left(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(stream_at(f, 16), 0);
	assert_int_equal(pmc_raw_stream_survival_ns(f->stream) / S, 17);
	assert_int_equal(stream_at(f, 32), -ERANGE);
	assert_int_equal(pmc_raw_stream_survival_ns(f->stream) / S, 8);
	assert_int_equal(access(f->monitor_path, F_OK), -1);
	assert_int_equal(pmc_raw_stream_receive(f->stream, 42), -ENOTCONN);
}

static void a_restart_is_seen_by_asking(void **state)
{
	struct fixture *f = *state;
	const struct message m = {TLV_SYNC, 1, 100 * S, 100 * S, 0, 0};

	assert_int_equal(pmc_raw_stream_check(f->stream), 0);
	(void)close(f->server);
	assert_int_equal(pmc_raw_stream_check(f->stream), -ECONNREFUSED);
	(void)unlink(f->server_path);
	assert_int_equal(pmc_raw_stream_check(f->stream), -ENOENT);
	f->server = bind_to(f->server_path);
	assert_int_equal(pmc_raw_stream_check(f->stream), -ECONNREFUSED);
	assert_int_equal(send_to_monitor(f, f->server, &m), -EPERM);
	assert_int_equal(pmc_raw_stream_open(f->stream), 0);
	(void)hear(f, &m);
}

static void a_second_reader_leaves_the_first_alone(void **state)
{
	struct fixture *f = *state;
	const struct pmc_raw_options o = {
		.server_path = f->server_path,
		.monitor_path = f->monitor_path,
		.sync_interval_ns = S,
		.on_sample = on_sample,
	};
	struct pmc_raw_stream *second = NULL;

	assert_int_equal(pmc_raw_stream_new(&second, &o), 0);
	assert_int_equal(pmc_raw_stream_open(second), -EADDRINUSE);
	second = pmc_raw_stream_free(second);
	(void)hear(f, &(struct message){TLV_SYNC, 1, 100 * S, 100 * S, 0, 0});
}

#define TEST_STREAM(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recorded_messages_have_the_values_of_pmc),
		cmocka_unit_test(what_is_not_of_the_stream_is_refused),
		cmocka_unit_test(mutations_do_no_harm),
		cmocka_unit_test(a_rate_that_leaves_too_little_is_refused),
		TEST_STREAM(offset_and_delay_follow_from_four_stamps),
		TEST_STREAM(what_does_not_fit_is_not_computed),
		TEST_STREAM(missing_messages_are_declared),
		TEST_STREAM(others_are_not_heard),
		TEST_STREAM(a_stream_that_becomes_too_fast_is_left),
		TEST_STREAM(a_restart_is_seen_by_asking),
		TEST_STREAM(a_second_reader_leaves_the_first_alone),
	};

	return cmocka_run_group_tests_name("raw-stream", tests, NULL, NULL);
}
