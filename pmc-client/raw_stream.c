// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pmc-client/raw_stream.h"

#include <errno.h>
#include <stdlib.h>

#include "pmc-client/transport_unix.h"

#define SEC_NS     INT64_C(1000000000)
#define MEASURE_NS (4 * SEC_NS) /* of Syncs, for a rate */

enum {
	QUEUE_MAX = 278, /* messages of this size that ptp4l can send to a connected socket */
	RECEIVE_BATCH = 64,
	MESSAGE_MAX = 1500,
};

/* What is known from one master. */
struct exchange {
	bool sync_known, delay_known;
	int64_t sync_transit_ns; /* of the newest */
	int64_t delay_ns;
};

struct pmc_raw_stream {
	struct transport_unix transport;
	uint8_t domain;
	uint8_t transport_specific;
	pmc_raw_fn *on_sample;
	void *userdata;

	int64_t survival_ns;
	int64_t measured_from_ns; /* by the slave's clock; 0: from the next Sync on */
	int64_t measured;         /* messages since */

	bool started[PMC_RAW_KIND_MAX];
	uint16_t stream_id[PMC_RAW_KIND_MAX]; /* of the last message */
	struct ptp_port_identity master;
	struct exchange exchange; /* with that master */

	struct pmc_raw_counters counters;
	uint8_t datagram[MESSAGE_MAX];
	struct pmc_raw_record records[PMC_RAW_RECORDS_MAX];
};

int64_t pmc_raw_survival_ns(int64_t sync_interval_ns, int64_t delay_interval_ns)
{
	double per_ns = (sync_interval_ns > 0 ? 1.0 / (double)sync_interval_ns : 0) +
			(delay_interval_ns > 0 ? 1.0 / (double)delay_interval_ns : 0);

	return per_ns > (double)QUEUE_MAX / 9e18 ? (int64_t)(QUEUE_MAX / per_ns) : INT64_MAX;
}

int pmc_raw_stream_new(struct pmc_raw_stream **out, const struct pmc_raw_options *o)
{
	int64_t survival_ns = pmc_raw_survival_ns(o->sync_interval_ns, o->delay_interval_ns);
	struct pmc_raw_stream *s;
	int r;

	if (!o->server_path || !o->monitor_path || !o->on_sample || o->sync_interval_ns <= 0 ||
	    o->delay_interval_ns < 0 || o->transport_specific > 15)
		return -EINVAL;
	if (survival_ns < PMC_RAW_SURVIVAL_MIN_NS)
		return -ERANGE;
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	r = transport_unix_init(&s->transport, o->server_path, o->monitor_path, 0);
	if (r < 0) {
		free(s);
		return r;
	}
	s->domain = o->domain;
	s->transport_specific = o->transport_specific;
	s->on_sample = o->on_sample;
	s->userdata = o->userdata;
	s->survival_ns = survival_ns;
	*out = s;
	return 0;
}

struct pmc_raw_stream *pmc_raw_stream_free(struct pmc_raw_stream *s)
{
	if (s)
		pmc_raw_stream_close(s);
	free(s);
	return NULL;
}

int pmc_raw_stream_open(struct pmc_raw_stream *s)
{
	pmc_raw_stream_close(s);
	s->measured_from_ns = 0;
	s->exchange = (struct exchange){0};
	for (enum pmc_raw_kind kind = 0; kind < PMC_RAW_KIND_MAX; kind++)
		s->started[kind] = false;
	return transport_unix_open(&s->transport);
}

void pmc_raw_stream_close(struct pmc_raw_stream *s)
{
	transport_unix_close(&s->transport);
}

int pmc_raw_stream_fd(const struct pmc_raw_stream *s)
{
	return s->transport.fd >= 0 ? s->transport.fd : -ENOTCONN;
}

/*
 * How fast the stream is, by the time that its Syncs came in: that of reading says nothing after a
 * stall. A clock that is stepped begins the measurement anew.
 */
static void measure(struct pmc_raw_stream *s, const struct pmc_raw_record *record)
{
	int64_t since_ns = record->received_ns - s->measured_from_ns;

	s->measured++;
	if (record->kind != PMC_RAW_SYNC)
		return;
	if (s->measured_from_ns != 0 && since_ns >= 0 && since_ns < MEASURE_NS)
		return;
	if (s->measured_from_ns != 0 && since_ns >= 0 && since_ns < 2 * MEASURE_NS)
		s->survival_ns = since_ns / s->measured * QUEUE_MAX;
	s->measured_from_ns = record->received_ns;
	s->measured = 0;
}

static uint32_t count_missed(struct pmc_raw_stream *s, const struct pmc_raw_record *record)
{
	uint16_t step = (uint16_t)(record->stream_id - s->stream_id[record->kind]);
	uint32_t missed = s->started[record->kind] && step > 1 ? step - 1U : 0;

	s->started[record->kind] = true;
	s->stream_id[record->kind] = record->stream_id;
	s->counters.missed += missed;
	return missed;
}

static bool is_overflow(const struct pmc_raw_record *record, int64_t *transit_ns)
{
	return __builtin_sub_overflow(record->received_ns, record->sent_ns, transit_ns) ||
	       __builtin_sub_overflow(*transit_ns, record->correction_ns, transit_ns);
}

/* Rounded down; the sum itself may not fit. */
static int64_t mean(int64_t a, int64_t b)
{
	return (a & b) + ((a ^ b) >> 1);
}

/*
 * A Sync takes delay + offset, a Delay_Req delay - offset (IEEE 1588-2019 11.3): their mean is the
 * delay of the exchange.
 */
static void compute(struct exchange *e, struct pmc_raw_sample *sample)
{
	bool sync = sample->record.kind == PMC_RAW_SYNC;

	if (sync) {
		e->sync_known = true;
		e->sync_transit_ns = sample->transit_ns;
	} else if (e->sync_known) {
		e->delay_known = true;
		e->delay_ns = mean(e->sync_transit_ns, sample->transit_ns);
	}
	sample->delay_ns = e->delay_known ? e->delay_ns : PMC_RAW_UNKNOWN;
	if (!sync || !e->delay_known ||
	    __builtin_sub_overflow(sample->transit_ns, e->delay_ns, &sample->offset_ns))
		sample->offset_ns = PMC_RAW_UNKNOWN;
}

static void take_record(struct pmc_raw_stream *s, const struct pmc_raw_record *record,
			int64_t now_mono_ns)
{
	struct pmc_raw_sample sample = {.record = *record, .read_mono_ns = now_mono_ns};

	if (is_overflow(record, &sample.transit_ns)) {
		s->counters.malformed++;
		return;
	}
	sample.missed = count_missed(s, record);
	if (!ptp_port_identity_equal(&record->master, &s->master))
		s->exchange = (struct exchange){0};
	s->master = record->master;
	compute(&s->exchange, &sample);
	measure(s, record);
	s->on_sample(s->userdata, &sample);
}

static void take_datagram(struct pmc_raw_stream *s, size_t len, int64_t now_mono_ns)
{
	uint8_t domain = 0;
	uint8_t transport_specific = 0;
	size_t n = 0;
	int r = len > sizeof(s->datagram) ? -EBADMSG
					  : pmc_raw_parse(s->datagram, len, &domain,
							  &transport_specific, s->records, &n);

	s->counters.received++;
	if (r == -EBADMSG)
		s->counters.malformed++;
	else if (r < 0 || n == 0 || domain != s->domain ||
		 transport_specific != s->transport_specific)
		s->counters.foreign++;
	else
		for (size_t i = 0; i < n; i++)
			take_record(s, &s->records[i], now_mono_ns);
}

int pmc_raw_stream_receive(struct pmc_raw_stream *s, int64_t now_mono_ns)
{
	for (int i = 0; i < RECEIVE_BATCH; i++) {
		ssize_t n;

		if (s->transport.fd < 0)
			return -ENOTCONN;
		n = transport_receive(s->transport.fd, s->datagram, sizeof(s->datagram));
		if (n == -EAGAIN)
			return 0;
		if (n == -EINTR)
			continue;
		if (n < 0) {
			pmc_raw_stream_close(s);
			return (int)n;
		}
		take_datagram(s, (size_t)n, now_mono_ns);
		if (s->survival_ns < PMC_RAW_SURVIVAL_MIN_NS) {
			pmc_raw_stream_close(s);
			return -ERANGE;
		}
	}
	return 0;
}

int pmc_raw_stream_check(const struct pmc_raw_stream *s)
{
	return s->transport.fd < 0 ? -ENOTCONN : transport_unix_check(&s->transport);
}

int64_t pmc_raw_stream_survival_ns(const struct pmc_raw_stream *s)
{
	return s->survival_ns;
}

const struct pmc_raw_counters *pmc_raw_stream_counters(const struct pmc_raw_stream *s)
{
	return &s->counters;
}
