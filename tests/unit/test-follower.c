// SPDX-License-Identifier: LGPL-2.1-or-later
/* A follower and its client against a simulated ptp4l behind a real socket, in simulated time. */
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

#include "pmc-client/follower.h"
#include "pmc-client/message.h"

#define US     INT64_C(1000)
#define MS     INT64_C(1000000)
#define S      INT64_C(1000000000)
#define TICK   (500 * US)
#define PHC_AT (1000 * S) /* what the PHC shows when the simulation begins, at 0 */

enum { BUDGET = 139 };

static const struct ptp_clock_identity clock_a = {{2, 0, 0, 0xFF, 0xFE, 0, 0, 0xA}};

/* What a test decides about the ptp4l. */
struct script {
	int64_t interval_ns;
	bool old;       /* 3.1.1 */
	bool read_only; /* its other socket */
	bool one_step;
};

struct server {
	struct script script;
	int fd;
	struct sockaddr_un from;
	socklen_t from_len;

	enum ptp_port_state state;
	int64_t next_update_ns;
	int64_t rate_known_ns; /* nobody can know of a change before */
	int64_t updates;
	uint64_t syncs, follow_ups; /* received */
	struct ptp_time_status_np status;

	struct ptp_port_identity subscriber;
	struct sockaddr_un subscriber_address;
	uint8_t events;
	int64_t subscription_ends_ns;
	uint16_t push_id;
	int subscriptions; /* to updates */
	int64_t pushes, queued_most;
};

struct fixture {
	char dir[64], path[80];
	int64_t now;
	struct server server;
	struct pmc_client *client;
	struct pmc_follower *follower;

	/* what was yielded */
	int64_t first, last; /* the updates' numbers */
	int64_t yielded, polled, missed, unused, gaps, lost;
	struct pmc_update gap; /* the last update that ended one */
	int64_t before_gap_ns;
};

/* --- the server --- */

static int bind_to(const char *path)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	(void)snprintf(a.sun_path, sizeof(a.sun_path), "%s", path);
	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	return fd;
}

static void send_data(const struct server *s, const struct ptp_message *m,
		      const union ptp_data *data, const struct sockaddr_un *to)
{
	const struct dataset *ds = pmc_dataset_find(m->id);
	struct ptp_message whole = *m;
	uint8_t body[PTP_MESSAGE_MAX];
	uint8_t datagram[PTP_MESSAGE_MAX];
	size_t len;

	if (!m->error_id)
		assert_int_equal(pmc_dataset_encode(ds, data, ds->n_fields, body, sizeof(body),
						    &whole.body_len),
				 0);
	whole.body = body;
	assert_int_equal(ptp_message_build(&whole, datagram, sizeof(datagram), &len), 0);
	assert_int_equal(sendto(s->fd, datagram, len, 0, (const struct sockaddr *)to, sizeof(*to)),
			 len);
}

static void push(struct server *s, uint16_t id, uint16_t port, const union ptp_data *data)
{
	struct ptp_message m = {
		.version = PTP_VERSION,
		.source = {.clock = clock_a, .port = port},
		.target = s->subscriber,
		.action = PTP_RESPONSE,
		.id = id,
		.sequence_id = s->push_id++,
	};

	s->pushes++;
	send_data(s, &m, data, &s->subscriber_address);
}

static union ptp_data port_ds(const struct server *s)
{
	return (union ptp_data){.port_ds = {
					.port_identity = {.clock = clock_a, .port = 1},
					.port_state = (uint8_t)s->state,
					.delay_mechanism = PTP_E2E,
				}};
}

static void change_state(struct server *s, enum ptp_port_state state)
{
	union ptp_data data;

	s->state = state;
	data = port_ds(s);
	if (s->events & PMC_EVENT_PORT_STATE)
		push(s, PTP_ID_PORT_DATA_SET, 1, &data);
}

static void make_update(struct server *s)
{
	s->updates++;
	s->syncs++;
	s->follow_ups += !s->script.one_step;
	s->status.ingress_time_ns = PHC_AT + s->next_update_ns;
	s->status.master_offset_ns = s->updates * 7 - 1000;
	if (s->events & PMC_EVENT_TIME_SYNC)
		push(s, PTP_ID_TIME_STATUS_NP, 0, &(union ptp_data){.time_status_np = s->status});
}

/* A ptp4l that doesn't know an event takes it all the same. */
static void subscribe(struct server *s, const struct ptp_message *m, union ptp_data *data,
		      int64_t now)
{
	const struct dataset *ds = pmc_dataset_find(m->id);
	size_t n;

	if (m->action == PTP_SET) {
		assert_int_equal(pmc_dataset_decode(ds, m->body, m->body_len, data, &n), 0);
		if (!s->events)
			s->push_id = 0;
		s->events = data->subscribe_events_np.events[0];
		s->subscriber = m->source;
		s->subscriber_address = s->from;
		s->subscription_ends_ns = now + data->subscribe_events_np.duration_s * S;
		if (s->events & PMC_EVENT_TIME_SYNC) {
			assert_false(s->script.old);
			assert_true(data->subscribe_events_np.duration_s >= 2);
			if (now >= s->rate_known_ns)
				assert_true(data->subscribe_events_np.duration_s * S /
						    s->script.interval_ns <=
					    BUDGET);
			s->subscriptions++;
		}
	}
	data->subscribe_events_np.events[0] = s->events;
}

/* False: there is no answer but an empty one. */
static bool fill(struct server *s, struct ptp_message *m, union ptp_data *data, int64_t now)
{
	struct ptp_port_stats_np *stats = &data->port_stats_np;

	switch (m->id) {
	case PTP_ID_TIME_STATUS_NP:
		data->time_status_np = s->status;
		return true;
	case PTP_ID_PORT_STATS_NP:
		m->source.port = 1;
		stats->rx[PTP_MSG_SYNC] = s->syncs;
		stats->rx[PTP_MSG_FOLLOW_UP] = s->follow_ups;
		return true;
	case PTP_ID_PORT_DATA_SET:
		m->source.port = 1;
		*data = port_ds(s);
		return true;
	case PTP_ID_CURRENT_DATA_SET:
		data->current_ds.mean_path_delay_ns = s->updates ? 700 : 0;
		return true;
	case PTP_ID_DEFAULT_DATA_SET:
		data->default_ds.number_ports = 1;
		return true;
	case PTP_ID_PORT_HWCLOCK_NP:
		m->source.port = s->script.read_only ? 0 : 1;
		if (s->script.old || s->script.read_only)
			m->error_id = s->script.old ? PTP_NO_SUCH_ID : PTP_NOT_SUPPORTED;
		return true;
	case PTP_ID_SUBSCRIBE_EVENTS_NP:
		if (s->script.read_only)
			m->error_id = PTP_NOT_SUPPORTED;
		else
			subscribe(s, m, data, now);
		return true;
	default:
		return false;
	}
}

static void answer(struct server *s, int64_t now)
{
	uint8_t datagram[PTP_MESSAGE_MAX];
	struct ptp_message m;
	ssize_t n;

	for (;;) {
		union ptp_data data = {0};
		struct ptp_port_identity requester;

		s->from_len = sizeof(s->from);
		n = recvfrom(s->fd, datagram, sizeof(datagram), 0, (struct sockaddr *)&s->from,
			     &s->from_len);
		if (n < 0)
			return;
		assert_int_equal(ptp_message_parse(datagram, (size_t)n, &m), 0);
		requester = m.source;
		m.source = (struct ptp_port_identity){.clock = clock_a};
		if (m.id == PTP_ID_SUBSCRIBE_EVENTS_NP)
			m.source = requester;
		if (!fill(s, &m, &data, now))
			fail_msg("asked for 0x%04x", m.id);
		m.source.clock = clock_a;
		if (m.id == PTP_ID_SUBSCRIBE_EVENTS_NP)
			m.source.port = 0;
		m.target = requester;
		m.action = PTP_RESPONSE;
		send_data(s, &m, &data, &s->from);
	}
}

static void serve(struct server *s, int64_t now)
{
	if (s->subscription_ends_ns <= now)
		s->events = 0;
	if ((s->state == PTP_SLAVE || s->state == PTP_UNCALIBRATED) && s->next_update_ns <= now) {
		make_update(s);
		s->next_update_ns += s->script.interval_ns;
	}
	answer(s, now);
}

/* --- the follower --- */

static void on_message(void *userdata, const struct pmc_message *m)
{
	struct fixture *f = userdata;
	struct pmc_update u;
	int64_t number;

	switch (pmc_follower_message(f->follower, m, &u)) {
	case PMC_FOLLOW_NOTHING:
		return;
	case PMC_FOLLOW_LOST:
		f->lost++;
		return;
	case PMC_FOLLOW_UPDATE:
		break;
	}
	number = (u.offset_ns + 1000) / 7;
	if (number <= f->last)
		fail_msg("update %lld after %lld", (long long)number, (long long)f->last);
	if (u.pushes_stopped_mono_ns) {
		f->gaps++;
		f->gap = u;
	}
	if (!f->first)
		f->first = number;
	f->last = number;
	f->yielded++;
	f->polled += !(u.flags & PMC_UPDATE_PUSHED);
	f->missed += u.missed;
	f->unused += u.unused;
}

static void live(struct fixture *f)
{
	(void)pmc_client_receive(f->client, f->now);
	pmc_client_expire(f->client, f->now);
	if (pmc_follower_due_ns(f->follower) <= f->now && !pmc_client_busy(f->client))
		(void)pmc_follower_ask(f->follower, f->now);
}

static void run(struct fixture *f, int64_t until)
{
	for (; f->now < until; f->now += TICK) {
		serve(&f->server, f->now);
		live(f);
	}
}

/* The program is stopped: only ptp4l goes on. */
static void stop(struct fixture *f, int64_t until)
{
	int64_t before = f->server.pushes;

	for (; f->now < until; f->now += TICK)
		serve(&f->server, f->now);
	f->server.queued_most = f->server.pushes - before;
}

/* What was yielded and declared is all that there was, from the first to the last. */
static void assert_accounted(const struct fixture *f)
{
	assert_int_equal(f->yielded + f->missed, f->last - f->first + 1);
}

static void begin(struct fixture *f, const struct script *script)
{
	const struct pmc_client_options client = {
		.server_path = f->path,
		.on_message = on_message,
		.userdata = f,
	};
	const struct pmc_follower_options options = {
		.not_before_mono_ns = INT64_MIN,
		.events = PMC_EVENT_PORT_STATE,
	};

	f->server.script = *script;
	f->server.state = PTP_SLAVE;
	f->server.syncs = 1000;
	f->server.follow_ups = script->one_step ? 0 : 1000;
	f->server.next_update_ns = 100 * MS;
	f->server.fd = bind_to(f->path);
	assert_int_equal(pmc_client_new(&f->client, &client), 0);
	assert_int_equal(pmc_follower_new(&f->follower, f->client, &options), 0);
	assert_int_equal(pmc_client_connect(f->client), 0);
	assert_int_equal(pmc_follower_restart(f->follower, f->now), 0);
}

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	(void)snprintf(f->dir, sizeof(f->dir), "/tmp/test-follower.XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	(void)snprintf(f->path, sizeof(f->path), "%s/ptp4l", f->dir);
	*state = f;
	return 0;
}

static void end(struct fixture *f)
{
	f->follower = pmc_follower_free(f->follower);
	f->client = pmc_client_free(f->client);
	(void)close(f->server.fd);
	(void)unlink(f->path);
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(rmdir(f->dir), 0);
	free(f);
	return 0;
}

/* --- tests --- */

static void each_update_is_yielded_once(void **state)
{
	static const struct {
		const char *name;
		struct script script;
		bool pushed;
	} rows[] = {
		{"1/s", {.interval_ns = S}, true},
		{"8/s", {.interval_ns = S / 8}, true},
		{"64/s", {.interval_ns = S / 64}, true},
		{"64/s, one-step", {.interval_ns = S / 64, .one_step = true}, true},
		{"128/s: too fast for pushes", {.interval_ns = S / 128}, false},
		{"3.1.1", {.interval_ns = S / 8, .old = true}, false},
		{"read-only socket", {.interval_ns = S / 8, .read_only = true}, false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fixture *f = *state;
		struct fixture fresh = {0};
		struct pmc_follower_state now;

		(void)strcpy(fresh.dir, f->dir);
		(void)strcpy(fresh.path, f->path);
		*f = fresh;
		begin(f, &rows[i].script);
		run(f, 30 * S);
		now = pmc_follower_state(f->follower);
		print_message("# %s: %lld of %lld, %lld polled\n", rows[i].name,
			      (long long)f->yielded, (long long)f->server.updates,
			      (long long)f->polled);
		assert_int_equal(now.pushed, rows[i].pushed);
		assert_int_equal(now.port, 1);
		assert_int_equal(now.delay_ns, 700);
		assert_in_range(now.interval_ns, rows[i].script.interval_ns * 99 / 100,
				rows[i].script.interval_ns * 101 / 100);
		assert_int_equal(now.yielded, f->yielded);
		assert_int_equal(f->missed, 0);
		assert_int_equal(f->unused, 0);
		assert_int_equal(f->gaps, 0);
		assert_accounted(f);
		assert_true(f->yielded >= f->server.updates - 3);
		if (rows[i].pushed) /* and renewed at half its time, not more often */
			assert_in_range(f->server.subscriptions, 1, 31);
		else
			assert_int_equal(f->polled, f->yielded);
		end(f);
	}
}

static void lost_pushes_are_noticed_and_ordered_again(void **state)
{
	struct fixture *f = *state;
	int64_t lost_ns;

	begin(f, &(struct script){.interval_ns = S / 8});
	run(f, 10 * S);
	assert_true(pmc_follower_state(f->follower).pushed);
	f->server.events = 0;
	lost_ns = f->now;
	run(f, 13 * S);
	assert_true(pmc_follower_state(f->follower).pushed);
	assert_int_equal(f->gaps, 1);
	assert_in_range(f->gap.pushes_stopped_mono_ns, lost_ns - S / 8, lost_ns);
	assert_in_range(f->gap.mono_ns, lost_ns, lost_ns + S);
	assert_true(f->missed <= 2);
	assert_accounted(f);
	end(f);
}

static void a_master_that_becomes_too_fast_is_polled(void **state)
{
	struct fixture *f = *state;
	int64_t pushes;

	begin(f, &(struct script){.interval_ns = S / 8});
	run(f, 10 * S);
	pushes = f->server.pushes;
	f->server.script.interval_ns = S / 128;
	f->server.rate_known_ns = f->now + S;
	run(f, 12 * S);
	assert_false(pmc_follower_state(f->follower).pushed);
	assert_true(f->server.pushes - pushes < BUDGET / 2);
	assert_int_equal(f->gaps, 0); /* they did not stop by themselves */
	run(f, 20 * S);
	assert_accounted(f);
	f->server.script.interval_ns = S / 16;
	run(f, 30 * S);
	assert_true(pmc_follower_state(f->follower).pushed);
	assert_accounted(f);
	end(f);
}

static void a_stopped_follower_leaves_room_and_declares(void **state)
{
	static const int64_t intervals_ns[] = {S / 8, S / 64, S / 128};

	for (size_t i = 0; i < sizeof(intervals_ns) / sizeof(intervals_ns[0]); i++) {
		struct fixture *f = *state;
		struct fixture fresh = {0};

		(void)strcpy(fresh.dir, f->dir);
		(void)strcpy(fresh.path, f->path);
		*f = fresh;
		begin(f, &(struct script){.interval_ns = intervals_ns[i]});
		run(f, 20 * S);
		stop(f, 80 * S);
		assert_true(f->server.queued_most <= BUDGET);
		run(f, 100 * S);
		assert_accounted(f);
		assert_true(f->missed >= 20 * S / intervals_ns[i]);
		assert_int_equal(f->gaps, intervals_ns[i] == S / 128 ? 0 : 1);
		end(f);
	}
}

static void what_ptp4l_did_not_use_is_not_missed(void **state)
{
	struct fixture *f = *state;

	begin(f, &(struct script){.interval_ns = S / 16});
	run(f, 10 * S);
	f->server.follow_ups += 5; /* Follow_Ups without their Syncs */
	run(f, 13 * S);
	assert_int_equal(f->unused, 5);
	assert_int_equal(f->missed, 0);
	assert_int_equal(pmc_follower_state(f->follower).unused, 5);
	assert_accounted(f);
	/* after a hole in the sequence of pushes only the Syncs that are lacking tell */
	f->server.push_id += 3;
	f->server.follow_ups += 3;
	f->server.syncs += 3;
	run(f, 16 * S);
	assert_int_equal(f->missed, 3);
	assert_int_equal(f->unused, 5);
	end(f);
}

static void a_lost_master_is_told_once(void **state)
{
	struct fixture *f = *state;

	begin(f, &(struct script){.interval_ns = S / 8});
	run(f, 10 * S);
	change_state(&f->server, PTP_LISTENING);
	f->server.status.ingress_time_ns = 0;
	run(f, 20 * S);
	assert_int_equal(f->lost, 1);
	assert_int_equal(pmc_follower_state(f->follower).port, 0);
	change_state(&f->server, PTP_UNCALIBRATED);
	f->server.next_update_ns = f->now;
	run(f, 30 * S);
	assert_int_equal(f->lost, 1);
	assert_int_equal(f->gaps, 0);
	assert_true(pmc_follower_state(f->follower).pushed);
	assert_accounted(f);
	end(f);
}

static void a_restarted_ptp4l_is_followed_on(void **state)
{
	struct fixture *f = *state;

	begin(f, &(struct script){.interval_ns = S / 8});
	run(f, 10 * S);
	(void)close(f->server.fd);
	(void)unlink(f->path);
	f->server.fd = bind_to(f->path);
	f->server.events = 0;
	f->server.syncs = f->server.follow_ups = 0;
	run(f, 12 * S); /* until a request is met with an error */
	assert_false(pmc_client_connected(f->client));
	assert_int_equal(pmc_client_connect(f->client), 0);
	assert_int_equal(pmc_follower_restart(f->follower, f->now), 0);
	run(f, 20 * S);
	assert_true(pmc_follower_state(f->follower).pushed);
	assert_int_equal(f->gaps, 1);
	assert_in_range(f->gap.pushes_stopped_mono_ns, 9 * S, 10 * S);
	assert_in_range(f->gap.mono_ns, 12 * S, 15 * S);
	end(f);
}

static void a_one_step_master_may_come_after_another(void **state)
{
	struct fixture *f = *state;

	begin(f, &(struct script){.interval_ns = S / 128}); /* polled: there is something to miss */
	run(f, 10 * S);
	f->server.script.one_step = true;
	run(f, 15 * S);
	stop(f, 16 * S);
	run(f, 20 * S);
	assert_true(f->missed >= 120);
	assert_accounted(f);
	f->server.script.one_step = false;
	run(f, 25 * S);
	stop(f, 26 * S);
	run(f, 30 * S);
	assert_true(f->missed >= 240);
	assert_accounted(f);
	end(f);
}

static void follow_ups_that_do_not_come_are_not_missed(void **state)
{
	struct fixture *f = *state;

	begin(f, &(struct script){.interval_ns = S / 128});
	run(f, 10 * S);
	f->server.next_update_ns = 15 * S; /* Syncs go on, without partners */
	for (int i = 0; i < 5; i++) {
		f->server.syncs += 128;
		run(f, f->now + S);
	}
	run(f, 20 * S);
	assert_int_equal(f->missed, 0);
	assert_accounted(f);
	end(f);
}

static void events_with_a_rate_are_the_followers(void **state)
{
	struct pmc_follower *f = NULL;
	const struct pmc_follower_options options = {
		.events = PMC_EVENT_PORT_STATE | PMC_EVENT_TIME_SYNC,
	};

	assert_int_equal(pmc_follower_new(&f, NULL, &options), -EINVAL);
	assert_null(f);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_update_is_yielded_once),
		TEST(lost_pushes_are_noticed_and_ordered_again),
		TEST(a_master_that_becomes_too_fast_is_polled),
		TEST(a_stopped_follower_leaves_room_and_declares),
		TEST(what_ptp4l_did_not_use_is_not_missed),
		TEST(a_lost_master_is_told_once),
		TEST(a_restarted_ptp4l_is_followed_on),
		TEST(follow_ups_that_do_not_come_are_not_missed),
		TEST(a_one_step_master_may_come_after_another),
		cmocka_unit_test(events_with_a_rate_are_the_followers),
	};

	return cmocka_run_group_tests_name("follower", tests, NULL, NULL);
}
