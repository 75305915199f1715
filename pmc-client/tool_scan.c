// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * scan: every clock that answers on an interface. In each domain one question to all clocks, over
 * each transport at once, finds them; then they are asked one after the other, by their identity,
 * so that nobody else has to answer. A clock that is silent once isn't asked again, and asking ends
 * after a while however many there are: this is bounded whatever the network does.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include "pmc-client/tool.h"

enum {
	CLOCKS_MAX = 256,
	PORTS_MAX = 64, /* of one clock */
	SPECIFICS = 2,  /* transportSpecific 0, and 1 of IEEE 802.1AS */
	SESSIONS_MAX = PMC_NETWORK_KIND_MAX * SPECIFICS,
	TEXT_MAX = 260,
};

static const int64_t asking_ns = 30000000000; /* at most, all clocks together */

struct scan_port {
	uint16_t number;
	uint8_t state;
	int64_t peer_delay_ns; /* P2P only */
	bool peer_to_peer;
};

struct scan_clock {
	struct ptp_clock_identity id;
	const struct scan_session *session; /* through which it was found */
	uint8_t domain;
	uint16_t number_ports;
	uint16_t asked_port; /* the one that hears us */
	bool complete;       /* it was asked everything, and answered */
	bool has_current, has_parent;
	struct ptp_current_ds current;
	struct ptp_clock_identity grandmaster;
	unsigned int n_ports;
	struct scan_port ports[PORTS_MAX];
	char product[TEXT_MAX], revision[TEXT_MAX], user[TEXT_MAX], address[TEXT_MAX];
};

struct scan_session {
	struct session session; /* the first member, so that a sink finds the rest */
	struct scan *scan;
	enum pmc_network_kind kind;
};

struct scan {
	const struct tool_options *o;
	struct scan_session sessions[SESSIONS_MAX];
	size_t n_sessions;
	struct scan_clock *clocks; /* CLOCKS_MAX */
	size_t n_clocks;
	bool complete;
	bool interrupted;
};

/* --- what the clocks say --- */

static struct scan_clock *find_clock(struct scan_session *ss, const struct ptp_clock_identity *id)
{
	struct scan *scan = ss->scan;

	for (size_t i = 0; i < scan->n_clocks; i++) {
		struct scan_clock *c = &scan->clocks[i];

		if (c->session == ss && c->domain == ss->session.domain &&
		    ptp_clock_identity_equal(&c->id, id))
			return c;
	}
	return NULL;
}

static void add_clock(struct scan_session *ss, const struct pmc_message *m)
{
	struct scan *scan = ss->scan;

	if (m->outcome != PMC_OK || find_clock(ss, &m->source.clock))
		return;
	if (scan->n_clocks == CLOCKS_MAX) {
		scan->complete = false;
		return;
	}
	scan->clocks[scan->n_clocks++] = (struct scan_clock){
		.id = m->source.clock,
		.session = ss,
		.domain = ss->session.domain,
		.number_ports = m->data->default_ds.number_ports,
		.asked_port = m->source.port,
	};
}

static void add_port(struct scan_clock *c, const struct ptp_port_ds *ds)
{
	if (c->n_ports == PORTS_MAX)
		return;
	c->ports[c->n_ports++] = (struct scan_port){
		.number = ds->port_identity.port,
		.state = ds->port_state,
		.peer_delay_ns = ds->peer_mean_path_delay_ns,
		.peer_to_peer = ds->delay_mechanism == PTP_P2P,
	};
}

static void add_description(struct scan_clock *c, const struct pmc_message *m)
{
	const struct {
		const char *field;
		char *text;
	} texts[] = {
		{"product_description", c->product},
		{"revision_data", c->revision},
		{"user_description", c->user},
		{"physical_address", c->address},
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		pmc_field_format(pmc_dataset_field(m->dataset, texts[i].field), m->data,
				 texts[i].text, TEXT_MAX);
}

static void take_message(struct session *s, const struct pmc_message *m)
{
	struct scan_session *ss = (struct scan_session *)s;
	struct scan_clock *c = find_clock(ss, &m->source.clock);

	if (m->outcome != PMC_OK || !m->data)
		return;
	if (m->id == PTP_ID_DEFAULT_DATA_SET) {
		add_clock(ss, m);
	} else if (!c) {
		return;
	} else if (m->id == PTP_ID_PORT_DATA_SET) {
		add_port(c, &m->data->port_ds);
	} else if (m->id == PTP_ID_CURRENT_DATA_SET) {
		c->current = m->data->current_ds;
		c->has_current = true;
	} else if (m->id == PTP_ID_PARENT_DATA_SET) {
		c->grandmaster = m->data->parent_ds.grandmaster_identity;
		c->has_parent = true;
	} else if (m->id == PTP_ID_CLOCK_DESCRIPTION) {
		add_description(c, m);
	}
}

/* --- asking --- */

static void wait_all(struct scan *scan, int64_t deadline_ns)
{
	struct pollfd wait[SESSIONS_MAX + 1] = {{.fd = scan->o->signals_fd, .events = POLLIN}};

	while (!scan->interrupted && tool_now_ns() < deadline_ns) {
		int64_t left_ns = deadline_ns - tool_now_ns();

		for (size_t i = 0; i < scan->n_sessions; i++)
			wait[i + 1] = (struct pollfd){
				.fd = pmc_client_fd(scan->sessions[i].session.client),
				.events = POLLIN,
			};
		if (poll(wait, scan->n_sessions + 1, (int)(left_ns / 1000000) + 1) > 0 &&
		    wait[0].revents)
			scan->interrupted = true;
		for (size_t i = 0; i < scan->n_sessions; i++) {
			struct pmc_client *client = scan->sessions[i].session.client;

			(void)pmc_client_receive(client, tool_now_ns());
			pmc_client_expire(client, tool_now_ns());
		}
	}
}

/* One question over each transport, and all answers that come in time. */
static void find_clocks(struct scan *scan, uint8_t domain)
{
	const struct pmc_request request = {
		.action = PTP_GET,
		.id = PTP_ID_DEFAULT_DATA_SET,
		.boundary_hops = scan->o->boundary_hops,
	};

	for (size_t i = 0; i < scan->n_sessions; i++) {
		struct session *s = &scan->sessions[i].session;

		s->domain = domain;
		(void)pmc_client_set_domain(s->client, domain, s->transport_specific);
		/* One that can't send finds nobody. */
		(void)pmc_client_request(s->client, &request, tool_now_ns(), scan->o->timeout_ns);
		wait_all(scan, tool_now_ns() + PMC_NETWORK_GAP_NS);
	}
	wait_all(scan, tool_now_ns() + scan->o->timeout_ns);
}

static void ask_clock(struct scan *scan, struct scan_clock *c)
{
	static const uint16_t ids[] = {PTP_ID_PORT_DATA_SET, PTP_ID_CURRENT_DATA_SET,
				       PTP_ID_PARENT_DATA_SET, PTP_ID_CLOCK_DESCRIPTION};
	struct session *s = (struct session *)&c->session->session;

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		struct pmc_request request = {
			.action = PTP_GET,
			.id = ids[i],
			.port = ids[i] == PTP_ID_CLOCK_DESCRIPTION ? c->asked_port : PTP_PORT_ALL,
			.clock = &c->id,
			.boundary_hops = scan->o->boundary_hops,
		};

		session_ask(s, &request);
		if (s->answers == 0 || s->interrupted)
			break;
		c->complete = i + 1 == sizeof(ids) / sizeof(ids[0]);
	}
	c->complete &= c->n_ports == c->number_ports;
	scan->complete &= c->complete;
	scan->interrupted |= s->interrupted;
}

static void scan_domain(struct scan *scan, uint8_t domain, int64_t *left_ns)
{
	size_t first = scan->n_clocks;
	int64_t start_ns;

	find_clocks(scan, domain);
	start_ns = tool_now_ns();
	for (size_t i = first; i < scan->n_clocks && !scan->interrupted; i++) {
		if (tool_now_ns() - start_ns < *left_ns)
			ask_clock(scan, &scan->clocks[i]);
		else
			scan->complete = false;
	}
	*left_ns -= tool_now_ns() - start_ns;
}

/* --- showing --- */

/*
 * CURRENT_DATA_SET keeps its values when the master has gone, and a grandmaster has none: they are
 * good while a port follows a master.
 */
static const struct scan_port *following_port(const struct scan_clock *c)
{
	for (unsigned int i = 0; c->has_current && i < c->n_ports; i++)
		if (c->ports[i].state == PTP_SLAVE || c->ports[i].state == PTP_UNCALIBRATED)
			return &c->ports[i];
	return NULL;
}

static int64_t delay_ns(const struct scan_clock *c, const struct scan_port *following)
{
	return following->peer_to_peer ? following->peer_delay_ns : c->current.mean_path_delay_ns;
}

/* "1:MASTER 2:SLAVE" */
static const char *ports_text(const struct scan_clock *c, char *buf, size_t size)
{
	size_t at = 0;

	(void)snprintf(buf, size, "-");
	for (unsigned int i = 0; i < c->n_ports && at < size; i++)
		at += (size_t)snprintf(buf + at, size - at, "%s%u:%s", i ? " " : "",
				       c->ports[i].number, ptp_port_state_name(c->ports[i].state));
	return buf;
}

static void print_clock(const struct scan_clock *c)
{
	const struct scan_port *following = following_port(c);
	char id[PTP_CLOCK_IDENTITY_TEXT], grandmaster[PTP_CLOCK_IDENTITY_TEXT] = "-";
	char offset[24] = "-", delay[24] = "-", ports[PORTS_MAX * 24];

	if (c->has_parent)
		ptp_clock_identity_format(&c->grandmaster, grandmaster);
	if (following) {
		(void)snprintf(offset, sizeof(offset), "%lld", (long long)c->current.offset_ns);
		(void)snprintf(delay, sizeof(delay), "%lld", (long long)delay_ns(c, following));
	}
	printf("%-18s %-5s %6u %11s %9s %-18s %s%s%s\n", ptp_clock_identity_format(&c->id, id),
	       pmc_network_kind_name(c->session->kind), c->domain, offset, delay, grandmaster,
	       ports_text(c, ports, sizeof(ports)), c->user[0] ? "  " : "", c->user);
}

static void print_table(const struct scan *scan)
{
	if (scan->n_clocks > 0)
		printf("%-18s %-5s %6s %11s %9s %-18s %s\n", "CLOCK", "OVER", "DOMAIN", "OFFSET ns",
		       "DELAY ns", "GRANDMASTER", "PORTS AND DESCRIPTION");
	for (size_t i = 0; i < scan->n_clocks; i++)
		print_clock(&scan->clocks[i]);
}

static json_t *json_ports(const struct scan_clock *c)
{
	json_t *ports = json_array();

	for (unsigned int i = 0; i < c->n_ports; i++)
		(void)json_array_append_new(
			ports, json_pack("{s:i, s:s}", "port", c->ports[i].number, "port_state",
					 ptp_port_state_name(c->ports[i].state)));
	return ports;
}

/* What isn't known is null. */
static json_t *json_clock(const struct scan_clock *c)
{
	const struct scan_port *following = following_port(c);
	char id[PTP_CLOCK_IDENTITY_TEXT], grandmaster[PTP_CLOCK_IDENTITY_TEXT];
	json_t *object =
		json_pack("{s:s, s:s, s:i, s:i, s:b, s:i, s:o}", "clock_identity",
			  ptp_clock_identity_format(&c->id, id), "transport",
			  pmc_network_kind_name(c->session->kind), "domain", c->domain,
			  "transport_specific", c->session->session.transport_specific, "complete",
			  c->complete, "number_ports", c->number_ports, "ports", json_ports(c));
	const struct {
		const char *key;
		json_t *value;
	} rest[] = {
		{"offset_ns", following ? json_integer(c->current.offset_ns) : json_null()},
		{"mean_path_delay_ns",
		 following ? json_integer(delay_ns(c, following)) : json_null()},
		{"steps_removed",
		 c->has_current ? json_integer(c->current.steps_removed) : json_null()},
		{"grandmaster_identity", c->has_parent ? json_string(ptp_clock_identity_format(
								 &c->grandmaster, grandmaster))
						       : json_null()},
		{"product_description", json_foreign_text(c->product)},
		{"revision_data", json_foreign_text(c->revision)},
		{"user_description", json_foreign_text(c->user)},
		{"physical_address", json_foreign_text(c->address)},
	};

	for (size_t i = 0; i < sizeof(rest) / sizeof(rest[0]); i++)
		(void)json_object_set_new(object, rest[i].key, rest[i].value);
	return object;
}

static void print_json(const struct scan *scan)
{
	json_t *clocks = json_array(), *object;

	for (size_t i = 0; i < scan->n_clocks; i++)
		(void)json_array_append_new(clocks, json_clock(&scan->clocks[i]));
	object = json_pack("{s:s, s:o, s:b, s:o}", "schema", "pmc-client.scan/1", "interface",
			   json_foreign_text(scan->o->network.interface), "complete",
			   scan->complete, "clocks", clocks);
	(void)json_dumpf(object, stdout, JSON_INDENT(2));
	(void)putchar('\n');
	json_decref(object);
}

/* --- the command --- */

/* 0 or -errno. */
static int open_session(struct scan *scan, enum pmc_network_kind kind, int specific)
{
	struct scan_session *ss = &scan->sessions[scan->n_sessions];
	int r;

	*ss = (struct scan_session){
		.scan = scan,
		.kind = kind,
		.session = {.o = scan->o,
			    .sink = take_message,
			    .transport_specific = (uint8_t)specific},
	};
	r = session_connect_network(&ss->session, kind);
	if (r == 0)
		scan->n_sessions++;
	return r;
}

/* Every transport and transportSpecific that wasn't ruled out. 0, or the exit status. */
static int open_sessions(struct scan *scan)
{
	const struct tool_options *o = scan->o;
	const char *why_not = NULL;

	for (enum pmc_network_kind kind = 0; kind < PMC_NETWORK_KIND_MAX; kind++)
		for (int specific = 0; specific < 16; specific++) {
			bool wanted = o->transport_specific < 0 ? specific < SPECIFICS
								: specific == o->transport_specific;
			int r;

			if (!wanted || (o->kind_chosen && o->network.kind != kind))
				continue;
			r = open_session(scan, kind, specific);
			if (r < 0 && !why_not)
				why_not = network_why_not(-r, kind);
		}
	if (scan->n_sessions > 0)
		return 0;
	tool_complain("%s: %s", o->network.interface, why_not);
	return EXIT_USAGE;
}

static int report(struct scan *scan)
{
	const char *interface = scan->o->network.interface;

	if (scan->o->json)
		print_json(scan);
	else
		print_table(scan);
	if (scan->interrupted)
		return EXIT_INTERRUPTED;
	for (size_t i = 0; i < scan->n_sessions; i++)
		if (!pmc_client_connected(scan->sessions[i].session.client)) {
			session_complain_gone(&scan->sessions[i].session);
			return EXIT_BAD;
		}
	if (scan->n_clocks == 0)
		tool_complain("%s: no clock answers%s", interface,
			      scan->o->n_domains > 0 ? "" : " in domain 0; name others with -d");
	else if (!scan->complete)
		tool_complain("%s: not every clock answered everything", interface);
	return scan->n_clocks > 0 ? EXIT_GOOD : EXIT_BAD;
}

static int run(struct scan *scan)
{
	const struct tool_options *o = scan->o;
	int64_t left_ns = asking_ns;
	int r = open_sessions(scan);

	if (r != 0)
		return r;
	for (unsigned int domain = 0; domain < sizeof(o->domains); domain++)
		if ((o->domains[domain] || (o->n_domains == 0 && domain == 0)) &&
		    !scan->interrupted)
			scan_domain(scan, (uint8_t)domain, &left_ns);
	return report(scan);
}

int run_scan(const struct tool_options *o, char **words)
{
	struct scan scan = {.o = o, .complete = true};
	int r;

	if (!o->network.interface || words[0]) {
		tool_complain(words[0] ? "scan takes options only"
				       : "which interface? Name it with --interface");
		return EXIT_USAGE;
	}
	scan.clocks = calloc(CLOCKS_MAX, sizeof(*scan.clocks));
	if (!scan.clocks) {
		tool_complain("%s", strerror(ENOMEM));
		return EXIT_USAGE;
	}
	r = run(&scan);
	for (size_t i = 0; i < scan.n_sessions; i++)
		session_close(&scan.sessions[i].session);
	free(scan.clocks);
	return r;
}
