// SPDX-License-Identifier: LGPL-2.1-or-later
/* A conversation with the clocks of a network: opening it, and what silence may mean there. */
#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "pmc-client/tool.h"

#include <net/if.h>

static const int64_t discovery_ns = 5500000000; /* every domain, and half a second to answer */

const char *network_why_not(int error, enum pmc_network_kind kind)
{
	switch (error) {
	case ENODEV:
		return "no such interface";
	case ENETDOWN:
		return "the interface is not up";
	case EPERM:
	case EACCES:
		return kind == PMC_L2 ? "permission denied: raw Ethernet needs CAP_NET_RAW"
				      : "permission denied: port 320 needs CAP_NET_BIND_SERVICE";
	case EOPNOTSUPP:
		return "the interface is not an Ethernet";
	case EADDRNOTAVAIL:
		return "the interface has no address to send from";
	default:
		return strerror(error);
	}
}

int session_connect_network(struct session *s, enum pmc_network_kind kind)
{
	struct pmc_network network = s->o->network;
	struct pmc_client_options options = {
		.network = &network,
		.identity = s->o->own_identity_given ? &s->o->own_identity : NULL,
		.domain = s->domain,
		.transport_specific = s->transport_specific,
		.allow_set = s->o->allow_set,
		.allow_set_remote = s->o->allow_set_remote,
		.on_message = session_on_message,
		.userdata = s,
	};
	int r;

	network.kind = kind;
	r = pmc_client_new(&s->client, &options);
	if (r < 0)
		return r;
	r = pmc_client_connect(s->client);
	if (r < 0)
		s->client = pmc_client_free(s->client);
	return r;
}

/* Until the first answer of the domain that is tried. */
static bool anyone_answers(struct session *s)
{
	const struct pmc_request request = {
		.action = PTP_GET,
		.id = PTP_ID_PRIORITY1,
		.boundary_hops = s->o->boundary_hops,
	};
	int64_t until_ns = tool_now_ns() + s->o->timeout_ns;
	tool_sink_fn *sink = s->sink;
	int r;

	s->sink = discard_message;
	s->answers = 0;
	r = pmc_client_request(s->client, &request, tool_now_ns(), s->o->timeout_ns);
	while (r == 0 && s->answers == 0 && tool_now_ns() < until_ns &&
	       session_wait(s, tool_now_ns() + PMC_NETWORK_GAP_NS))
		;
	pmc_client_cancel(s->client);
	(void)session_wait(s, tool_now_ns() + PMC_NETWORK_GAP_NS); /* before the next request */
	s->sink = sink;
	s->refused = 0;
	return s->answers > 0;
}

/* A cable that isn't plugged in is the usual reason for silence. */
static bool has_link(const char *interface)
{
	struct ifreq request = {0};
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool link = false;

	if (fd < 0)
		return true;
	memcpy(request.ifr_name, interface, strlen(interface) + 1);
	if (ioctl(fd, SIOCGIFFLAGS, &request) == 0)
		link = request.ifr_flags & IFF_RUNNING;
	(void)close(fd);
	return link;
}

/* Nobody answers in the domain tried first. Will another one do? */
static int adapt(struct session *s)
{
	const struct pmc_network *network = &s->o->network;
	const char *kind = pmc_network_kind_name(network->kind);
	struct pmc_found found;
	int r;

	if (s->interrupted)
		return EXIT_INTERRUPTED;
	if (!pmc_client_connected(s->client)) {
		session_complain_gone(s);
		return EXIT_BAD;
	}
	if (!has_link(network->interface)) {
		tool_complain("%s: no clock answers: no link", network->interface);
		return EXIT_BAD;
	}
	r = pmc_find_network_domain(network, discovery_ns, s->o->signals_fd, &found);
	if (r == -ECANCELED) {
		s->interrupted = true;
		return EXIT_INTERRUPTED;
	}
	if (r < 0) {
		tool_complain("%s: no clock answers over %s, in no domain; \"scan\" tries every "
			      "transport; a ptp4l of this host answers on its socket only",
			      network->interface, kind);
		return EXIT_BAD;
	}
	if (s->o->domain >= 0 && s->o->domain != found.domain) {
		tool_complain("%s: wrong domain: a clock answers over %s in domain %u",
			      network->interface, kind, found.domain);
		return EXIT_USAGE;
	}
	if (s->o->transport_specific >= 0 && s->o->transport_specific != found.transport_specific) {
		tool_complain("%s: wrong transportSpecific: a clock answers over %s with 0x%x",
			      network->interface, kind, found.transport_specific);
		return EXIT_USAGE;
	}
	s->domain = found.domain;
	s->transport_specific = found.transport_specific;
	return pmc_client_set_domain(s->client, found.domain, found.transport_specific) == 0
		       ? 0
		       : EXIT_BAD;
}

int session_open_network(struct session *s)
{
	const struct tool_options *o = s->o;
	int r = session_connect_network(s, o->network.kind);

	if (r < 0) {
		tool_complain("%s: %s", o->network.interface, network_why_not(-r, o->network.kind));
		return EXIT_USAGE;
	}
	/* Who knows both is to be answered by whoever there is, or by nobody. */
	if (o->domain >= 0 && o->transport_specific >= 0)
		return 0;
	return anyone_answers(s) ? 0 : adapt(s);
}
