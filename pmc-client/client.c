// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * One request at a time: what was asked is kept in struct pending until its last answer, its
 * deadline, or the loss of the server. A request to all ports is preceded by a question for the
 * number of ports, once a connection, so that the set of answers is known to be complete; a clock
 * with many ports is asked port by port, so that only a few answers are ever on their way.
 */
#include "pmc-client/client.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

#include "pmc-client/client_internal.h"

enum { FIRST_SEQUENCE = 0x8000 }; /* requests use the upper half; pushes count from 0 */

static const struct ptp_clock_identity any_clock = {
	{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}};

int pmc_client_new(struct pmc_client **out, const struct pmc_client_options *o)
{
	struct pmc_client *c;
	struct ptp_clock_identity id;
	uint32_t nonce;
	int r;

	if ((!o->server_path && !o->network) || !o->on_message || o->transport_specific > 15)
		return -EINVAL;
	c = calloc(1, sizeof(*c));
	if (!c)
		return -ENOMEM;
	/* Unique is enough: never wait for a young machine's entropy. */
	if (getrandom(&id, sizeof(id), GRND_INSECURE) != sizeof(id)) {
		r = -errno;
		goto fail;
	}
	memcpy(&nonce, id.octet + 4, sizeof(nonce));
	id.octet[0] = (uint8_t)((id.octet[0] & ~0x03) | 0x02); /* locally administered */
	r = transport_any_init(&c->transport, o->server_path, o->own_path, o->network, nonce);
	if (r < 0)
		goto fail;
	c->self = (struct ptp_port_identity){.clock = o->identity ? *o->identity : id,
					     .port = PORT_REQUESTS};
	c->domain = o->domain;
	c->transport_specific = o->transport_specific;
	c->allow_set = o->allow_set;
	c->allow_set_remote = o->allow_set_remote;
	c->on_message = o->on_message;
	c->userdata = o->userdata;
	c->sequence_id = FIRST_SEQUENCE;
	*out = c;
	return 0;
fail:
	free(c);
	return r;
}

struct pmc_client *pmc_client_free(struct pmc_client *c)
{
	if (c)
		transport_any_close(&c->transport);
	free(c);
	return NULL;
}

/* The end of a request that no answer ends. */
static void end_request(struct pmc_client *c, enum pmc_outcome outcome, int64_t now_mono_ns)
{
	struct pmc_message m = {
		.outcome = outcome,
		.id = c->pending.request.id,
		.last = true,
		.received_mono_ns = now_mono_ns,
		.dataset = c->pending.dataset,
	};

	c->pending.active = false;
	c->on_message(c->userdata, &m);
}

void client_disconnect(struct pmc_client *c, int64_t now_mono_ns)
{
	transport_any_close(&c->transport);
	if (c->pending.active)
		end_request(c, PMC_DISCONNECTED, now_mono_ns);
}

int pmc_client_connect(struct pmc_client *c)
{
	client_disconnect(c, 0);
	c->clock_known = false;
	c->number_ports = 0;
	c->push_seen = false;
	c->budget = (struct push_budget){0};
	return transport_any_open(&c->transport);
}

bool pmc_client_connected(const struct pmc_client *c)
{
	return transport_any_fd(&c->transport) >= 0;
}

int pmc_client_fd(const struct pmc_client *c)
{
	return pmc_client_connected(c) ? transport_any_fd(&c->transport) : -ENOTCONN;
}

int pmc_client_set_domain(struct pmc_client *c, uint8_t domain, uint8_t transport_specific)
{
	if (c->pending.active)
		return -EBUSY;
	if (transport_specific > 15)
		return -EINVAL;
	c->domain = domain;
	c->transport_specific = transport_specific;
	return 0;
}

static uint16_t next_sequence(struct pmc_client *c)
{
	uint16_t sequence_id = c->sequence_id++;

	if (c->sequence_id == 0)
		c->sequence_id = FIRST_SEQUENCE;
	return sequence_id;
}

/* Gives the message its sequence number and sends it. */
static int send_message(struct pmc_client *c, struct ptp_message *m)
{
	uint8_t datagram[PTP_MESSAGE_MAX];
	size_t len;
	int r;

	m->sequence_id = next_sequence(c);
	r = ptp_message_build(m, datagram, sizeof(datagram), &len);
	if (r < 0)
		return r;
	r = transport_any_send(&c->transport, datagram, len);
	if (r == 0)
		c->counters.sent++;
	return r;
}

static bool wants_all_ports(const struct pending *p)
{
	return p->request.target.port == PTP_PORT_ALL &&
	       (!p->dataset || p->dataset->flags & DATASET_PORT);
}

int client_send_request(struct pmc_client *c)
{
	struct pending *p = &c->pending;
	struct ptp_message m = p->request;
	int r;

	p->expected = wants_all_ports(p) ? c->number_ports : 1;
	if (p->collecting)
		p->expected = 0;
	if (client_asks_one_by_one(c))
		m.target.port = (uint16_t)(p->answered + 1);
	r = send_message(c, &m);
	p->request.sequence_id = m.sequence_id;
	return r;
}

static int send_learning(struct pmc_client *c)
{
	struct pending *p = &c->pending;
	struct ptp_message m = p->request;
	int r;

	m.action = PTP_GET;
	m.id = PTP_ID_DEFAULT_DATA_SET;
	m.body_len = 0;
	r = send_message(c, &m);
	p->request.sequence_id = m.sequence_id;
	return r;
}

/* Is the number of ports known of the one clock that will answer? */
static bool knows_ports(const struct pmc_client *c)
{
	const struct pending *p = &c->pending;

	if (c->number_ports == 0 || (!p->addressed && !c->clock_known))
		return false;
	return ptp_clock_identity_equal(&c->ports_of,
					p->addressed ? &p->request.target.clock : &c->clock);
}

static int64_t later(int64_t now_mono_ns, int64_t by_ns)
{
	return now_mono_ns > INT64_MAX - by_ns ? INT64_MAX : now_mono_ns + by_ns;
}

/* Start what has been put into pending. */
static int start(struct pmc_client *c, int64_t now_mono_ns, int64_t timeout_ns)
{
	struct pending *p = &c->pending;
	int r;

	if (c->transport.network && now_mono_ns < c->next_mono_ns)
		return -EAGAIN;
	p->addressed = !ptp_clock_identity_equal(&p->request.target.clock, &any_clock);
	p->collecting = client_goes_further(c) && !p->addressed;
	p->learning = wants_all_ports(p) && !p->collecting && !knows_ports(c);
	p->answered = 0;
	p->deadline_ns = later(now_mono_ns, timeout_ns);
	r = p->learning ? send_learning(c) : client_send_request(c);
	p->active = r == 0;
	if (r == 0)
		c->next_mono_ns = later(now_mono_ns, PMC_NETWORK_GAP_NS);
	if (client_server_gone(r))
		client_disconnect(c, now_mono_ns);
	return r;
}

static int encode_body(struct pending *p, const struct pmc_request *request)
{
	const struct dataset *ds = p->dataset;
	size_t n_fields;

	if (!request->data)
		return 0;
	if (!ds || ds->n_fields == 0)
		return -EOPNOTSUPP;
	n_fields = request->action == PTP_GET ? 1 : ds->n_fields;
	return pmc_dataset_encode(ds, request->data, n_fields, p->body, sizeof(p->body),
				  &p->request.body_len);
}

static int submit(struct pmc_client *c, const struct pmc_request *request, int64_t now_mono_ns,
		  int64_t timeout_ns)
{
	struct pending *p = &c->pending;
	int r;

	if (p->active)
		return -EBUSY;
	if (!pmc_client_connected(c))
		return -ENOTCONN;
	if (timeout_ns < 0)
		return -EINVAL;
	p->dataset = pmc_dataset_find(request->id);
	p->request = (struct ptp_message){
		.version = PTP_VERSION,
		.transport_specific = c->transport_specific,
		.domain = c->domain,
		.source = c->self,
		.target = {.clock = request->clock ? *request->clock : any_clock,
			   .port = request->port},
		.starting_boundary_hops = request->boundary_hops,
		.boundary_hops = request->boundary_hops,
		.action = (uint8_t)request->action,
		.id = request->id,
		.body = p->body,
	};
	if (request->id == PTP_ID_SUBSCRIBE_EVENTS_NP) /* ptp4l answers for the asking identity */
		p->request.source.port = PORT_EVENTS;
	r = encode_body(p, request);
	return r < 0 ? r : start(c, now_mono_ns, timeout_ns);
}

int pmc_client_request(struct pmc_client *c, const struct pmc_request *request, int64_t now_mono_ns,
		       int64_t timeout_ns)
{
	if (request->action != PTP_GET && request->action != PTP_SET &&
	    request->action != PTP_COMMAND)
		return -EINVAL;
	if (request->action != PTP_GET && !c->allow_set)
		return -EPERM;
	if (request->action != PTP_GET && !c->allow_set_remote &&
	    (c->transport.network || request->boundary_hops > 0))
		return -EPERM;
	return submit(c, request, now_mono_ns, timeout_ns);
}

int pmc_client_get(struct pmc_client *c, uint16_t id, uint16_t port, int64_t now_mono_ns,
		   int64_t timeout_ns)
{
	struct pmc_request request = {.action = PTP_GET, .id = id, .port = port};

	return submit(c, &request, now_mono_ns, timeout_ns);
}

int pmc_client_subscribe(struct pmc_client *c, uint32_t events_mask, uint16_t duration_s,
			 int64_t now_mono_ns, int64_t timeout_ns)
{
	const uint32_t with_a_rate = PMC_EVENT_TIME_SYNC | PMC_EVENT_CMLDS;
	union ptp_data data = {.subscribe_events_np = {.duration_s = duration_s}};
	const struct pmc_request request = {
		.action = PTP_SET,
		.id = PTP_ID_SUBSCRIBE_EVENTS_NP,
		.port = PTP_PORT_ALL,
		.data = &data,
	};

	if (c->transport.network)
		return -EOPNOTSUPP;
	if (events_mask & with_a_rate && duration_s > push_budget_max_s(&c->budget))
		return -ERANGE;
	for (size_t i = 0; i < sizeof(events_mask); i++)
		data.subscribe_events_np.events[i] = (uint8_t)(events_mask >> 8 * i);
	return submit(c, &request, now_mono_ns, timeout_ns);
}

uint16_t pmc_client_subscription_max_s(const struct pmc_client *c)
{
	return push_budget_max_s(&c->budget);
}

int64_t pmc_client_sync_interval_ns(const struct pmc_client *c)
{
	return push_budget_interval_ns(&c->budget);
}

int64_t pmc_client_deadline_ns(const struct pmc_client *c)
{
	return c->pending.active ? c->pending.deadline_ns : INT64_MAX;
}

void pmc_client_expire(struct pmc_client *c, int64_t now_mono_ns)
{
	if (!c->pending.active || now_mono_ns < c->pending.deadline_ns)
		return;
	/* A connected datagram socket doesn't tell that its peer has gone; look. */
	if (transport_any_check(&c->transport) < 0) {
		client_disconnect(c, now_mono_ns);
		return;
	}
	c->counters.timeouts++;
	end_request(c, PMC_TIMED_OUT, now_mono_ns);
}

void pmc_client_cancel(struct pmc_client *c)
{
	c->pending.active = false;
}

bool pmc_client_busy(const struct pmc_client *c)
{
	return c->pending.active;
}

const char *pmc_client_path(const struct pmc_client *c)
{
	return transport_any_name(&c->transport);
}

const struct pmc_client_counters *pmc_client_counters(const struct pmc_client *c)
{
	return &c->counters;
}

const char *pmc_outcome_name(enum pmc_outcome outcome)
{
	static const char *const names[] = {
		[PMC_OK] = "ok",
		[PMC_ERROR_STATUS] = "management error",
		[PMC_EMPTY] = "empty answer",
		[PMC_TIMED_OUT] = "timed out",
		[PMC_NOT_SUPPORTED] = "not supported",
		[PMC_DISCONNECTED] = "server went away",
		[PMC_SHORT] = "short answer",
	};

	return names[outcome];
}
