// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The transports over a network, and the client on them: on a wire of its own, in a network
 * namespace that ends with this program. The other end of the wire is the test's, which plays
 * clocks there.
 */
#include "pmc-client/transport_net.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "pmc-client/client.h"
#include "pmc-client/message.h"
#include "pmc-client/transport_raw.h"

enum {
	SEEN_MAX = 8,
	PATIENCE_MS = 2000,
	TIMEOUT_NS = 1000,
	FIRST_NS = 1000000000,
};

static const struct ptp_clock_identity clock_a = {{2, 0, 0, 0xFF, 0xFE, 0, 0, 0xA}};
static const struct ptp_clock_identity clock_b = {{2, 0, 0, 0xFF, 0xFE, 0, 0, 0xB}};

struct fixture {
	enum pmc_network_kind kind;
	struct pmc_client *client;
	struct transport_net peer;
	int64_t now_ns;
	size_t n_seen;
	struct pmc_message seen[SEEN_MAX]; /* the latest ones */
	uint8_t datagram[PTP_MESSAGE_MAX + 64];
	size_t len;
};

static void on_message(void *userdata, const struct pmc_message *m)
{
	struct fixture *f = userdata;

	f->seen[f->n_seen++ % SEEN_MAX] = *m;
}

static const struct pmc_message *last(const struct fixture *f)
{
	assert_true(f->n_seen > 0);
	return &f->seen[(f->n_seen - 1) % SEEN_MAX];
}

/* --- the wire --- */

static void shell(const char *command)
{
	if (system(command) != 0) /* NOLINT(cert-env33-c): literals */
		fail_msg("%s", command);
}

static void open_wire(void)
{
	shell("ip link add name wire0 type veth peer name wire1");
	/* Its both ends are the same host's, which would not believe its own address. */
	shell("for of in all default wire0 wire1; do"
	      " echo 1 >/proc/sys/net/ipv4/conf/$of/accept_local;"
	      " echo 0 >/proc/sys/net/ipv4/conf/$of/rp_filter;"
	      " echo 0 >/proc/sys/net/ipv6/conf/$of/accept_dad; done");
	shell("ip addr add 10.0.0.1/24 dev wire0; ip addr add 10.0.0.2/24 dev wire1;"
	      " ip link set dev wire0 up; ip link set dev wire1 up");
	/* The kernel gives them their IPv6 addresses in its own time. */
	shell("for of in wire0 wire1; do n=0;"
	      " until ip -6 addr show dev $of scope link | grep inet6 | grep -qv tentative; do"
	      " n=$((n + 1)); [ $n -le 500 ] || exit 1; sleep 0.01; done; done");
}

/* Who isn't root becomes that, in a user namespace. */
static int become_root(void)
{
	uid_t uid = geteuid();
	FILE *map;

	if (unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0)
		return -1;
	map = fopen("/proc/self/uid_map", "we");
	if (!map)
		return -1;
	(void)fprintf(map, "0 %u 1", uid);
	return fclose(map) == 0 ? 0 : -1;
}

static int open_namespace(void **state)
{
	if (unshare(CLONE_NEWNET) < 0 && become_root() < 0)
		return -1;
	open_wire();
	return 0;
}

static bool is_readable(int fd, int timeout_ms)
{
	struct pollfd wait = {.fd = fd, .events = POLLIN};

	return poll(&wait, 1, timeout_ms) == 1;
}

/* --- the clocks --- */

/* The next request, whole in f->datagram. */
static struct ptp_message peer_receive(struct fixture *f)
{
	struct ptp_message m;
	size_t offset = 0;
	ssize_t n;

	assert_true(is_readable(f->peer.fd, PATIENCE_MS));
	n = recv(f->peer.fd, f->datagram, sizeof(f->datagram), 0);
	assert_true(n > 0);
	f->len = (size_t)n;
	if (f->kind == PMC_L2)
		assert_true(transport_raw_payload(f->datagram, f->len, &offset));
	assert_int_equal(ptp_message_parse(f->datagram + offset, f->len - offset, &m), 0);
	return m;
}

static void peer_send(struct fixture *f, const struct ptp_message *m)
{
	uint8_t datagram[PTP_MESSAGE_MAX];
	size_t len;

	assert_int_equal(ptp_message_build(m, datagram, sizeof(datagram), &len), 0);
	assert_int_equal(transport_net_send(&f->peer, datagram, len), 0);
}

static struct ptp_message answer_to(const struct ptp_message *request,
				    const struct ptp_clock_identity *clock, uint16_t port)
{
	static const uint8_t body[2] = {7, 0};
	struct ptp_message m = *request;

	m.target = request->source;
	m.source = (struct ptp_port_identity){.clock = *clock, .port = port};
	m.action = PTP_RESPONSE;
	m.body = body;
	m.body_len = sizeof(body);
	return m;
}

static struct ptp_message ports_of(const struct ptp_message *request,
				   const struct ptp_clock_identity *clock, uint16_t number_ports)
{
	static uint8_t body[PTP_MESSAGE_MAX];
	const union ptp_data data = {.default_ds.number_ports = number_ports};
	const struct dataset *ds = pmc_dataset_find(PTP_ID_DEFAULT_DATA_SET);
	struct ptp_message m = answer_to(request, clock, 1);

	assert_int_equal(
		pmc_dataset_encode(ds, &data, ds->n_fields, body, sizeof(body), &m.body_len), 0);
	m.body = body;
	return m;
}

/* --- the client --- */

static void start_with(struct fixture *f, enum pmc_network_kind kind, int fd, bool allow_set,
		       bool allow_set_remote)
{
	const struct pmc_network network = {.kind = kind, .interface = "wire0", .fd = fd};
	const struct pmc_network peer = {.kind = kind, .interface = "wire1"};
	const struct pmc_client_options options = {
		.network = &network,
		.allow_set = allow_set,
		.allow_set_remote = allow_set_remote,
		.on_message = on_message,
		.userdata = f,
	};

	*f = (struct fixture){.kind = kind, .now_ns = FIRST_NS};
	assert_int_equal(transport_net_init(&f->peer, &peer), 0);
	assert_int_equal(transport_net_open(&f->peer), 0);
	assert_int_equal(pmc_client_new(&f->client, &options), 0);
	assert_int_equal(pmc_client_connect(f->client), 0);
}

static void start(struct fixture *f, enum pmc_network_kind kind)
{
	start_with(f, kind, 0, false, false);
}

static void stop(struct fixture *f)
{
	f->client = pmc_client_free(f->client);
	transport_net_close(&f->peer);
}

/* Ask, as soon as that is allowed. */
static void ask(struct fixture *f, uint16_t id, uint16_t port,
		const struct ptp_clock_identity *clock)
{
	const struct pmc_request request = {
		.action = PTP_GET, .id = id, .port = port, .clock = clock};

	f->now_ns += PMC_NETWORK_GAP_NS;
	assert_int_equal(pmc_client_request(f->client, &request, f->now_ns, TIMEOUT_NS), 0);
}

/* Until so many datagrams have come in all. */
static void receive(struct fixture *f, uint64_t datagrams)
{
	const struct pmc_client_counters *counters = pmc_client_counters(f->client);

	while (counters->received < datagrams) {
		assert_true(is_readable(pmc_client_fd(f->client), PATIENCE_MS));
		assert_int_equal(pmc_client_receive(f->client, f->now_ns), 0);
	}
}

/* --- frames --- */

static void payload_is_found(void **state)
{
	static const struct {
		const char *name;
		size_t len, offset;
		bool good;
		uint8_t types[10]; /* behind the addresses */
	} rows[] = {
		{"untagged", 2, 14, true, {0x88, 0xF7}},
		{"802.1Q", 6, 18, true, {0x81, 0x00, 0xE0, 0x05, 0x88, 0xF7}},
		{"802.1ad", 6, 18, true, {0x88, 0xA8, 0x00, 0x05, 0x88, 0xF7}},
		{"IPv4", 2, 0, false, {0x08, 0x00}},
		{"IPv4 in 802.1Q", 6, 0, false, {0x81, 0x00, 0x00, 0x05, 0x08, 0x00}},
		{"two tags", 10, 0, false, {0x88, 0xA8, 0, 5, 0x81, 0, 0, 6, 0x88, 0xF7}},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t frame[12 + 10] = {0x01, 0x1B, 0x19};
		size_t len = 12 + rows[i].len, offset = 0;

		memcpy(frame + 12, rows[i].types, rows[i].len);
		if (transport_raw_payload(frame, len, &offset) != rows[i].good ||
		    offset != rows[i].offset)
			fail_msg("%s", rows[i].name);
		while (len-- > 0)
			if (transport_raw_payload(frame, len, &offset))
				fail_msg("%s, cut to %zu octets", rows[i].name, len);
	}
}

static void bad_networks_are_refused(void **state)
{
	static const struct {
		const char *name;
		struct pmc_network network;
		int error;
	} rows[] = {
		{"no interface", {.kind = PMC_L2}, -EINVAL},
		{"an empty name", {.kind = PMC_L2, .interface = ""}, -EINVAL},
		{"a long name", {.interface = "wire0wire0wire0x"}, -ENAMETOOLONG},
		{"no such kind", {.kind = PMC_NETWORK_KIND_MAX, .interface = "wire0"}, -EINVAL},
		{"a scope of five bits", {.interface = "wire0", .udp6_scope = 16}, -EINVAL},
		{"a descriptor below 0", {.interface = "wire0", .fd = -1}, -EINVAL},
		{"an interface that isn't there", {.interface = "wire9"}, -ENODEV},
		{"one that is down", {.interface = "lo"}, -ENETDOWN},
		{"a descriptor of something else", {.interface = "wire0", .fd = 1}, -EINVAL},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int fd = -1, r = pmc_network_open(&fd, &rows[i].network);

		/* Whatever standard output is, it's no such socket. */
		if (r == -ENOTSOCK)
			r = -EINVAL;
		if (r != rows[i].error || fd != -1)
			fail_msg("%s: %s", rows[i].name, strerror(-r));
	}
}

/* --- each kind --- */

static void check_framing(const struct fixture *f)
{
	static const uint8_t primary[] = {0x01, 0x1B, 0x19, 0, 0, 0};

	if (f->kind == PMC_L2) {
		assert_memory_equal(f->datagram, primary, sizeof(primary));
		assert_int_equal(f->datagram[12] << 8 | f->datagram[13], 0x88F7);
		assert_int_equal(f->len, ETHERNET_HEADER + PTP_MESSAGE_HEADER);
	} else {
		/* messageLength doesn't count the padding of UDP/IPv6 */
		assert_int_equal(f->len, PTP_MESSAGE_HEADER + (f->kind == PMC_UDP6 ? 2 : 0));
		assert_int_equal(f->datagram[3], PTP_MESSAGE_HEADER);
	}
}

static void answers_are_collected(enum pmc_network_kind kind)
{
	struct fixture f;
	struct ptp_message request, m;

	start(&f, kind);
	assert_true(fcntl(pmc_client_fd(f.client), F_GETFL) & O_NONBLOCK);
	assert_true(fcntl(pmc_client_fd(f.client), F_GETFD) & FD_CLOEXEC);
	ask(&f, PTP_ID_PRIORITY1, PTP_PORT_ALL, NULL);
	request = peer_receive(&f);
	check_framing(&f);
	assert_int_equal(request.source.clock.octet[0] & 0x03, 0x02); /* locally administered */
	assert_int_equal(request.boundary_hops, 0);
	m = answer_to(&request, &clock_a, 1);
	peer_send(&f, &m);
	m = answer_to(&request, &clock_b, 2);
	peer_send(&f, &m);
	receive(&f, 2);
	assert_int_equal(f.n_seen, 2);
	assert_true(ptp_clock_identity_equal(&f.seen[0].source.clock, &clock_a));
	assert_true(ptp_clock_identity_equal(&f.seen[1].source.clock, &clock_b));
	assert_int_equal(last(&f)->outcome, PMC_OK);
	assert_false(last(&f)->last);
	pmc_client_expire(f.client, f.now_ns + TIMEOUT_NS - 1);
	assert_true(pmc_client_busy(f.client));
	pmc_client_expire(f.client, f.now_ns + TIMEOUT_NS);
	assert_int_equal(last(&f)->outcome, PMC_TIMED_OUT);
	assert_true(last(&f)->last);
	assert_false(last(&f)->complete);
	stop(&f);
}

/* What isn't an answer to this request is counted, and what isn't management isn't even heard. */
static void others_are_ignored(enum pmc_network_kind kind)
{
	static const uint8_t garbage[] = {0x0D, 0x02, 0xFF, 0xFF}, sync[44] = {0x00, 0x12};
	struct fixture f;
	struct ptp_message request, good, m;

	start(&f, kind);
	ask(&f, PTP_ID_PRIORITY1, PTP_PORT_ALL, NULL);
	request = peer_receive(&f);
	good = answer_to(&request, &clock_a, 1);
	m = good, m.target.clock = clock_b;
	peer_send(&f, &m);
	m = good, m.sequence_id++;
	peer_send(&f, &m);
	m = good, m.domain = 1;
	peer_send(&f, &m);
	m = good, m.id = PTP_ID_PRIORITY2;
	peer_send(&f, &m);
	peer_send(&f, &request); /* somebody else asks */
	assert_int_equal(transport_net_send(&f.peer, garbage, sizeof(garbage)), 0);
	assert_int_equal(transport_net_send(&f.peer, sync, sizeof(sync)), 0);
	peer_send(&f, &good);
	receive(&f, 7);
	assert_int_equal(f.n_seen, 1);
	assert_int_equal(pmc_client_counters(f.client)->foreign, 5);
	assert_int_equal(pmc_client_counters(f.client)->malformed, 1);
	assert_false(is_readable(pmc_client_fd(f.client), 0)); /* no Sync */
	stop(&f);
}

static void named_clock_answers_alone(enum pmc_network_kind kind)
{
	struct fixture f;
	struct ptp_message request, m;

	start(&f, kind);
	ask(&f, PTP_ID_VERSION_NUMBER, PTP_PORT_ALL, &clock_a);
	request = peer_receive(&f);
	assert_int_equal(request.id, PTP_ID_DEFAULT_DATA_SET); /* how many ports has it? */
	m = ports_of(&request, &clock_b, 1);
	peer_send(&f, &m); /* not for clock_b to say */
	m = ports_of(&request, &clock_a, 2);
	peer_send(&f, &m);
	receive(&f, 2);
	request = peer_receive(&f);
	assert_int_equal(request.id, PTP_ID_VERSION_NUMBER);
	assert_true(ptp_clock_identity_equal(&request.target.clock, &clock_a));
	m = answer_to(&request, &clock_a, 1);
	peer_send(&f, &m);
	m = answer_to(&request, &clock_a, 2);
	peer_send(&f, &m);
	receive(&f, 4);
	assert_int_equal(f.n_seen, 2);
	assert_true(last(&f)->last);
	assert_true(last(&f)->complete);
	assert_int_equal(pmc_client_counters(f.client)->foreign, 1);
	/* Known by now; of another clock it is not. */
	ask(&f, PTP_ID_VERSION_NUMBER, PTP_PORT_ALL, &clock_a);
	assert_int_equal(peer_receive(&f).id, PTP_ID_VERSION_NUMBER);
	pmc_client_cancel(f.client);
	assert_false(pmc_client_busy(f.client));
	ask(&f, PTP_ID_VERSION_NUMBER, PTP_PORT_ALL, &clock_b);
	assert_int_equal(peer_receive(&f).id, PTP_ID_DEFAULT_DATA_SET);
	stop(&f);
}

static void socket_is_inherited(enum pmc_network_kind kind)
{
	const enum pmc_network_kind other = (kind + 1) % PMC_NETWORK_KIND_MAX;
	struct pmc_network network = {.kind = kind, .interface = "wire0"};
	struct pmc_client_options options = {.network = &network, .on_message = on_message};
	struct pmc_client *client;
	struct fixture f;
	struct ptp_message request, m;
	int fd;

	assert_int_equal(pmc_network_open(&fd, &network), 0);
	start_with(&f, kind, fd, false, false);
	assert_true(fcntl(pmc_client_fd(f.client), F_GETFD) & FD_CLOEXEC);
	ask(&f, PTP_ID_PRIORITY1, PTP_PORT_ALL, NULL);
	request = peer_receive(&f);
	m = answer_to(&request, &clock_a, 1);
	peer_send(&f, &m);
	receive(&f, 1);
	assert_int_equal(f.n_seen, 1);
	stop(&f);
	assert_true(fcntl(fd, F_GETFD) >= 0); /* still the caller's */
	network.fd = fd;
	network.kind = other;
	assert_int_equal(pmc_client_new(&client, &options), 0);
	assert_int_equal(pmc_client_connect(client), -EINVAL);
	pmc_client_free(client);
	network.kind = kind;
	network.interface = "wire1"; /* not the one it is bound to */
	assert_int_equal(pmc_client_new(&client, &options), 0);
	assert_int_equal(pmc_client_connect(client), -EINVAL);
	pmc_client_free(client);
	(void)close(fd);
}

static void interface_goes_away(enum pmc_network_kind kind)
{
	struct fixture f;

	start(&f, kind);
	ask(&f, PTP_ID_PRIORITY1, PTP_PORT_ALL, NULL);
	shell("ip link set dev wire0 down");
	(void)pmc_client_receive(f.client, f.now_ns);
	pmc_client_expire(f.client, f.now_ns + TIMEOUT_NS);
	assert_int_equal(last(&f)->outcome, PMC_DISCONNECTED);
	assert_false(pmc_client_connected(f.client));
	assert_int_equal(pmc_client_get(f.client, PTP_ID_PRIORITY1, 1, f.now_ns, TIMEOUT_NS),
			 -ENOTCONN);
	assert_int_equal(pmc_client_connect(f.client), -ENETDOWN);
	shell("ip link del dev wire0");
	assert_int_equal(pmc_client_connect(f.client), -ENODEV);
	open_wire();
	assert_int_equal(pmc_client_connect(f.client), 0);
	/* Another one of the same name is not what was opened. */
	ask(&f, PTP_ID_PRIORITY1, PTP_PORT_ALL, NULL);
	shell("ip link del dev wire0");
	open_wire();
	pmc_client_expire(f.client, f.now_ns + TIMEOUT_NS);
	assert_int_equal(last(&f)->outcome, PMC_DISCONNECTED);
	stop(&f);
}

static void each_kind(void (*test)(enum pmc_network_kind kind))
{
	for (enum pmc_network_kind kind = 0; kind < PMC_NETWORK_KIND_MAX; kind++) {
		print_message("# over %s\n", pmc_network_kind_name(kind));
		test(kind);
	}
}

static void answers_are_collected_over_each(void **state)
{
	each_kind(answers_are_collected);
}

static void others_are_ignored_over_each(void **state)
{
	each_kind(others_are_ignored);
}

static void named_clock_answers_alone_over_each(void **state)
{
	each_kind(named_clock_answers_alone);
}

static void socket_is_inherited_by_each(void **state)
{
	each_kind(socket_is_inherited);
}

static void interface_goes_away_under_each(void **state)
{
	each_kind(interface_goes_away);
}

/* --- what a network has to be spared --- */

static void requests_are_paced(void **state)
{
	struct fixture f;

	start(&f, PMC_L2);
	ask(&f, PTP_ID_PRIORITY1, PTP_PORT_ALL, NULL);
	pmc_client_cancel(f.client);
	assert_int_equal(pmc_client_get(f.client, PTP_ID_PRIORITY1, 1,
					f.now_ns + PMC_NETWORK_GAP_NS - 1, TIMEOUT_NS),
			 -EAGAIN);
	assert_int_equal(pmc_client_counters(f.client)->sent, 1);
	ask(&f, PTP_ID_PRIORITY1, PTP_PORT_ALL, NULL);
	assert_int_equal(pmc_client_counters(f.client)->sent, 2);
	stop(&f);
}

static void answers_are_bounded(void **state)
{
	enum { TOO_MANY = 10 };
	const struct pmc_client_counters *counters;
	struct fixture f;
	struct ptp_message request;

	start(&f, PMC_L2);
	counters = pmc_client_counters(f.client);
	ask(&f, PTP_ID_PRIORITY1, PTP_PORT_ALL, NULL);
	request = peer_receive(&f);
	for (unsigned int i = 0; i < PMC_ANSWERS_MAX + TOO_MANY; i++) {
		struct ptp_message m = answer_to(&request, &clock_a, (uint16_t)i);

		peer_send(&f, &m);
		receive(&f, i + 1);
	}
	assert_int_equal(f.n_seen, PMC_ANSWERS_MAX);
	assert_int_equal(counters->foreign, TOO_MANY);
	stop(&f);
}

static void changes_are_refused_unless_allowed_twice(void **state)
{
	static const struct {
		const char *name;
		bool allow_set, allow_set_remote;
		int result;
	} rows[] = {
		{"not allowed", false, false, -EPERM},
		{"allowed once", true, false, -EPERM},
		{"allowed the other time", false, true, -EPERM},
		{"allowed twice", true, true, 0},
	};
	static const enum ptp_action actions[] = {PTP_SET, PTP_COMMAND};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (size_t k = 0; k < 2; k++) {
			struct pmc_request request = {.action = actions[k], .id = PTP_ID_PRIORITY1};
			struct fixture f;
			int r;

			start_with(&f, PMC_L2, 0, rows[i].allow_set, rows[i].allow_set_remote);
			r = pmc_client_request(f.client, &request, f.now_ns, TIMEOUT_NS);
			if (r != rows[i].result ||
			    pmc_client_counters(f.client)->sent != (r == 0 ? 1 : 0))
				fail_msg("%s, action %u: %s", rows[i].name, actions[k],
					 strerror(-r));
			stop(&f);
		}
}

static void subscriptions_are_refused(void **state)
{
	struct fixture f;

	start_with(&f, PMC_UDP4, 0, true, true);
	assert_int_equal(
		pmc_client_subscribe(f.client, PMC_EVENT_PORT_STATE, 10, f.now_ns, TIMEOUT_NS),
		-EOPNOTSUPP);
	assert_int_equal(pmc_client_counters(f.client)->sent, 0);
	stop(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(payload_is_found),
		cmocka_unit_test(bad_networks_are_refused),
		cmocka_unit_test(answers_are_collected_over_each),
		cmocka_unit_test(others_are_ignored_over_each),
		cmocka_unit_test(named_clock_answers_alone_over_each),
		cmocka_unit_test(socket_is_inherited_by_each),
		cmocka_unit_test(interface_goes_away_under_each),
		cmocka_unit_test(requests_are_paced),
		cmocka_unit_test(answers_are_bounded),
		cmocka_unit_test(changes_are_refused_unless_allowed_twice),
		cmocka_unit_test(subscriptions_are_refused),
	};

	return cmocka_run_group_tests(tests, open_namespace, NULL);
}
