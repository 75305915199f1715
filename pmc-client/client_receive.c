// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What comes in: malformed and foreign datagrams are counted, answers are matched with the pending
 * request, pushes with the subscription.
 */
#include <errno.h>

#include "pmc-client/client_internal.h"

enum { RECEIVE_BATCH = 64 }; /* datagrams a call */

/* Fill in outcome and data from what came. 0, or -EBADMSG if the body does not decode. */
static int decode(struct pmc_client *c, const struct ptp_message *in, struct pmc_message *m)
{
	const struct dataset *ds = m->dataset;
	int r;

	if (in->error_id) {
		m->error_id = in->error_id;
		m->outcome = in->error_id == PTP_NOT_SUPPORTED || in->error_id == PTP_NO_SUCH_ID
				     ? PMC_NOT_SUPPORTED
				     : PMC_ERROR_STATUS;
		return 0;
	}
	m->raw = in->body;
	m->raw_len = in->body_len;
	if (in->body_len == 0) {
		m->outcome = PMC_EMPTY;
		return 0;
	}
	m->outcome = PMC_OK;
	if (!ds)
		return 0;
	r = pmc_dataset_decode(ds, in->body, in->body_len, &c->data, &m->n_fields);
	if (r < 0)
		return r;
	m->data = &c->data;
	if (m->n_fields < ds->n_fields)
		m->outcome = PMC_SHORT;
	return 0;
}

/* Is this the answer, or one of the answers, to the outstanding request? */
static bool is_answer(const struct pmc_client *c, const struct ptp_message *in)
{
	const struct pending *p = &c->pending;
	uint16_t id = p->learning ? PTP_ID_DEFAULT_DATA_SET : p->request.id;
	uint8_t action = p->request.action == PTP_COMMAND ? PTP_ACKNOWLEDGE : PTP_RESPONSE;

	if (p->collecting && p->answered >= PMC_ANSWERS_MAX)
		return false;
	return p->active && in->id == id && in->sequence_id == p->request.sequence_id &&
	       in->action == (p->learning ? PTP_RESPONSE : action) &&
	       ptp_port_identity_equal(&in->target, &p->request.source);
}

static bool is_push(const struct pmc_client *c, const struct ptp_message *in)
{
	struct ptp_port_identity subscriber = {.clock = c->self.clock, .port = PORT_EVENTS};

	return in->action == PTP_RESPONSE && !in->error_id &&
	       in->id != PTP_ID_SUBSCRIBE_EVENTS_NP &&
	       ptp_port_identity_equal(&in->target, &subscriber);
}

/*
 * Anyone on the network can have ptp4l forward a RESPONSE to this socket, but not one with ptp4l's
 * own clock identity. So once that is known, nothing else is believed, unless others were asked.
 */
static bool is_from_asked(const struct pmc_client *c, const struct ptp_message *in, bool answer)
{
	const struct pending *p = &c->pending;

	if (answer && client_goes_further(c))
		return !p->addressed ||
		       ptp_clock_identity_equal(&in->source.clock, &p->request.target.clock);
	return !c->clock_known || ptp_clock_identity_equal(&in->source.clock, &c->clock);
}

static void learn(struct pmc_client *c, const struct pmc_message *m)
{
	if (!client_goes_further(c)) {
		c->clock = m->source.clock;
		c->clock_known = true;
	}
	if (m->id == PTP_ID_DEFAULT_DATA_SET && m->outcome == PMC_OK && m->data) {
		c->number_ports = m->data->default_ds.number_ports;
		c->ports_of = m->source.clock;
	}
}

/* Does this answer end the request? Sets .last and .complete. */
static void judge_completeness(const struct pmc_client *c, struct pmc_message *m)
{
	const struct pending *p = &c->pending;
	/*
	 * NOT_SUPPORTED comes from every port if they don't know the id, but once if it isn't for
	 * everyone: from port 0 of a read-only socket, from any port over a network. The other
	 * errors come once.
	 */
	bool not_for_us = m->source.port == 0 || (client_goes_further(c) && p->dataset &&
						  p->dataset->flags & DATASET_READ_WRITE);
	bool ends_series = m->error_id != 0 && (m->error_id != PTP_NOT_SUPPORTED || not_for_us);

	if (p->collecting)
		return;
	/* An id that nobody described is a clock's if it is answered by port 0. */
	if (!p->dataset && m->source.port == 0)
		ends_series = true;
	m->last = ends_series || p->answered == p->expected;
	m->complete = m->last;
}

static void take_answer(struct pmc_client *c, struct pmc_message *m)
{
	struct pending *p = &c->pending;

	if (!p->collecting)
		learn(c, m);
	if (p->learning) {
		p->learning = false;
		/* A full queue is not to be expected here; then the deadline ends the request. */
		if (client_server_gone(client_send_request(c)))
			client_disconnect(c, m->received_mono_ns);
		return;
	}
	p->answered++;
	judge_completeness(c, m);
	if (m->last)
		p->active = false;
	c->on_message(c->userdata, m); /* if that was the last one, pending may be another now */
	if (!m->last && client_asks_one_by_one(c) && client_server_gone(client_send_request(c)))
		client_disconnect(c, m->received_mono_ns);
}

static void take_push(struct pmc_client *c, struct pmc_message *m)
{
	uint16_t step = (uint16_t)(m->sequence_id - c->push_sequence_id);

	c->counters.pushes++;
	/* A new subscription starts at 0 again. */
	if (c->push_seen && m->sequence_id != 0 && step > 1)
		c->counters.pushes_lost += step - 1U;
	c->push_seen = true;
	c->push_sequence_id = m->sequence_id;
	m->push = true;
	c->on_message(c->userdata, m);
}

static void take_datagram(struct pmc_client *c, size_t len, int64_t now_mono_ns)
{
	struct ptp_message in;
	struct pmc_message m = {.received_mono_ns = now_mono_ns};
	bool answer;

	c->counters.received++;
	if (len > sizeof(c->datagram) || ptp_message_parse(c->datagram, len, &in) < 0) {
		c->counters.malformed++;
		return;
	}
	answer = is_answer(c, &in);
	if (in.domain != c->domain || in.transport_specific != c->transport_specific ||
	    (!answer && !is_push(c, &in)) || !is_from_asked(c, &in, answer)) {
		c->counters.foreign++;
		return;
	}
	m.id = in.id;
	m.source = in.source;
	m.sequence_id = in.sequence_id;
	m.dataset = pmc_dataset_find(in.id);
	if (decode(c, &in, &m) < 0) {
		c->counters.malformed++;
		return;
	}
	if (m.id == PTP_ID_TIME_STATUS_NP && m.outcome == PMC_OK && m.data &&
	    !(answer && client_goes_further(c)))
		push_budget_learn(&c->budget, m.data->time_status_np.ingress_time_ns);
	if (answer)
		take_answer(c, &m);
	else
		take_push(c, &m);
}

int pmc_client_receive(struct pmc_client *c, int64_t now_mono_ns)
{
	for (int i = 0; i < RECEIVE_BATCH; i++) {
		bool was_busy;
		ssize_t n;

		if (!pmc_client_connected(c))
			return -ENOTCONN;
		n = transport_any_receive(&c->transport, c->datagram, sizeof(c->datagram));
		if (n == -EAGAIN)
			return 0;
		if (n == -EINTR)
			continue;
		if (n < 0) {
			if (client_server_gone((int)n))
				client_disconnect(c, now_mono_ns);
			return (int)n;
		}
		was_busy = c->pending.active;
		take_datagram(c, (size_t)n, now_mono_ns);
		/* That was all that was to come, most likely: to look costs as much as to ask. */
		if (was_busy && !c->pending.active)
			return 0;
	}
	return 0;
}
