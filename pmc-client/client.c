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

#include "pmc-client/message.h"
#include "pmc-client/transport_unix.h"

enum {
	FIRST_SEQUENCE = 0x8000, /* requests use the upper half; pushes count from 0 */
	PORT_REQUESTS = 1,       /* own port numbers: pushes go to an identity of their own, */
	PORT_EVENTS = 2,         /* so that they can't be mistaken for answers */
	ANSWERS_AT_ONCE = 10,    /* more ports than that are asked one by one */
	RECEIVE_BATCH = 64,      /* datagrams a call */
	BODY_MAX = PTP_MESSAGE_MAX - PTP_MESSAGE_HEADER,
	PUSH_BUDGET = 139, /* half of the 278 pushes that block ptp4l on a connected socket */
	SUBSCRIPTION_MIN_S = 2,
	SUBSCRIPTION_MAX_S = 60,
};

struct pending {
	bool active;
	bool learning;              /* it is DEFAULT_DATA_SET that is being waited for */
	struct ptp_message request; /* .sequence_id is that of what was sent last */
	uint8_t body[BODY_MAX];
	const struct dataset *dataset;
	unsigned int expected; /* answers; 0: not known */
	unsigned int answered;
	int64_t deadline_ns;
};

struct pmc_client {
	struct transport_unix transport;
	struct ptp_port_identity self; /* PORT_REQUESTS */
	uint8_t domain;
	uint8_t transport_specific;
	bool allow_set;
	pmc_message_fn *on_message;
	void *userdata;

	uint16_t sequence_id;
	struct pending pending;

	/* of the server, since connect */
	bool clock_known;
	struct ptp_clock_identity clock;
	unsigned int number_ports; /* 0: not known */
	bool push_seen;
	uint16_t push_sequence_id; /* of the last one */

	struct pmc_client_counters counters;
	uint8_t datagram[PTP_MESSAGE_MAX];
	union ptp_data data;
};

static const struct ptp_clock_identity any_clock = {
	{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}};

int pmc_client_new(struct pmc_client **out, const struct pmc_client_options *o)
{
	struct pmc_client *c;
	struct ptp_clock_identity id;
	uint32_t nonce;
	int r;

	if (!o->server_path || !o->on_message || o->transport_specific > 15)
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
	r = transport_unix_init(&c->transport, o->server_path, o->own_path, nonce);
	if (r < 0)
		goto fail;
	c->self = (struct ptp_port_identity){.clock = id, .port = PORT_REQUESTS};
	c->domain = o->domain;
	c->transport_specific = o->transport_specific;
	c->allow_set = o->allow_set;
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
		transport_unix_close(&c->transport);
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

static void disconnect(struct pmc_client *c, int64_t now_mono_ns)
{
	transport_unix_close(&c->transport);
	if (c->pending.active)
		end_request(c, PMC_DISCONNECTED, now_mono_ns);
}

static bool server_gone(int r)
{
	return r == -ECONNREFUSED || r == -ENOTCONN || r == -ECONNRESET || r == -EPIPE;
}

int pmc_client_connect(struct pmc_client *c)
{
	disconnect(c, 0);
	c->clock_known = false;
	c->number_ports = 0;
	c->push_seen = false;
	return transport_unix_open(&c->transport);
}

bool pmc_client_connected(const struct pmc_client *c)
{
	return c->transport.fd >= 0;
}

int pmc_client_fd(const struct pmc_client *c)
{
	return pmc_client_connected(c) ? c->transport.fd : -ENOTCONN;
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
	r = transport_send(c->transport.fd, datagram, len);
	if (r == 0)
		c->counters.sent++;
	return r;
}

static bool wants_all_ports(const struct pending *p)
{
	return p->request.target.port == PTP_PORT_ALL &&
	       (!p->dataset || p->dataset->flags & DATASET_PORT);
}

/* Answers are collected from more clocks than the one behind the socket. */
static bool goes_further(const struct pending *p)
{
	return p->request.starting_boundary_hops > 0;
}

/* Send the request itself, to the next port if the ports are asked one by one. */
static int send_request(struct pmc_client *c)
{
	struct pending *p = &c->pending;
	struct ptp_message m = p->request;
	int r;

	p->expected = wants_all_ports(p) ? c->number_ports : 1;
	if (goes_further(p))
		p->expected = 0;
	if (p->expected > ANSWERS_AT_ONCE)
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

/* Start what has been put into pending. */
static int start(struct pmc_client *c, int64_t now_mono_ns, int64_t timeout_ns)
{
	struct pending *p = &c->pending;
	int r;

	p->learning = wants_all_ports(p) && !goes_further(p) && c->number_ports == 0;
	p->answered = 0;
	p->deadline_ns =
		now_mono_ns > INT64_MAX - timeout_ns ? INT64_MAX : now_mono_ns + timeout_ns;
	r = p->learning ? send_learning(c) : send_request(c);
	p->active = r == 0;
	if (server_gone(r))
		disconnect(c, now_mono_ns);
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
	union ptp_data data = {.subscribe_events_np = {.duration_s = duration_s}};
	const struct pmc_request request = {
		.action = PTP_SET,
		.id = PTP_ID_SUBSCRIBE_EVENTS_NP,
		.port = PTP_PORT_ALL,
		.data = &data,
	};

	for (size_t i = 0; i < sizeof(events_mask); i++)
		data.subscribe_events_np.events[i] = (uint8_t)(events_mask >> 8 * i);
	return submit(c, &request, now_mono_ns, timeout_ns);
}

uint16_t pmc_subscription_max_s(int64_t interval_ns)
{
	const int64_t second_ns = 1000000000;
	int64_t max_s;

	if (interval_ns >= second_ns)
		return SUBSCRIPTION_MAX_S;
	max_s = PUSH_BUDGET * interval_ns / second_ns;
	if (max_s < SUBSCRIPTION_MIN_S)
		return 0;
	return (uint16_t)(max_s < SUBSCRIPTION_MAX_S ? max_s : SUBSCRIPTION_MAX_S);
}

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
 * own clock identity. So once that is known, nothing else is believed.
 */
static bool is_from_server(const struct pmc_client *c, const struct ptp_message *in)
{
	return !c->clock_known || ptp_clock_identity_equal(&in->source.clock, &c->clock);
}

static void learn(struct pmc_client *c, const struct pmc_message *m)
{
	c->clock = m->source.clock;
	c->clock_known = true;
	if (m->id == PTP_ID_DEFAULT_DATA_SET && m->outcome == PMC_OK && m->data)
		c->number_ports = m->data->default_ds.number_ports;
}

/* Does this answer end the request? Sets .last and .complete. */
static void judge_completeness(const struct pmc_client *c, struct pmc_message *m)
{
	const struct pending *p = &c->pending;
	/*
	 * NOT_SUPPORTED comes from every port if they don't know the id, but once, from port 0, if
	 * the socket is the read-only one. The other errors come once.
	 */
	bool ends_series =
		m->error_id != 0 && (m->error_id != PTP_NOT_SUPPORTED || m->source.port == 0);

	if (goes_further(p))
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

	if (!goes_further(p))
		learn(c, m);
	if (p->learning) {
		p->learning = false;
		/* A full queue is not to be expected here; then the deadline ends the request. */
		if (server_gone(send_request(c)))
			disconnect(c, m->received_mono_ns);
		return;
	}
	p->answered++;
	judge_completeness(c, m);
	if (m->last)
		p->active = false;
	c->on_message(c->userdata, m); /* if that was the last one, pending may be another now */
	if (!m->last && p->expected > ANSWERS_AT_ONCE && server_gone(send_request(c)))
		disconnect(c, m->received_mono_ns);
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
	    (!answer && !is_push(c, &in)) ||
	    (!is_from_server(c, &in) && !(answer && goes_further(&c->pending)))) {
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
	if (answer)
		take_answer(c, &m);
	else
		take_push(c, &m);
}

int pmc_client_receive(struct pmc_client *c, int64_t now_mono_ns)
{
	for (int i = 0; i < RECEIVE_BATCH; i++) {
		ssize_t n;

		if (!pmc_client_connected(c))
			return -ENOTCONN;
		n = transport_receive(c->transport.fd, c->datagram, sizeof(c->datagram));
		if (n == -EAGAIN)
			return 0;
		if (n == -EINTR)
			continue;
		if (n < 0) {
			if (server_gone((int)n))
				disconnect(c, now_mono_ns);
			return (int)n;
		}
		take_datagram(c, (size_t)n, now_mono_ns);
	}
	return 0;
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
	if (transport_unix_check(&c->transport) < 0) {
		disconnect(c, now_mono_ns);
		return;
	}
	c->counters.timeouts++;
	end_request(c, PMC_TIMED_OUT, now_mono_ns);
}

bool pmc_client_busy(const struct pmc_client *c)
{
	return c->pending.active;
}

const char *pmc_client_path(const struct pmc_client *c)
{
	return c->transport.server.sun_path;
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
