// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Decides what is asked, and when; what answers mean is follow.c's. Two things compete for the one
 * request at a time: a poll that must not be late, and everything else, which keeps away from it.
 */
#include "pmc-client/follower.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "pmc-client/follow.h"

#define SEC_NS     INT64_C(1000000000)
#define TIMEOUT_NS SEC_NS
#define ROOM_NS    INT64_C(1000000) /* other questions keep this far from the next poll */
#define IDLE_NS    INT64_C(100000000)
#define BUSY_NS    INT64_C(250000000) /* ptp4l's queue is full: it is busy, or stopped */
#define NEVER      INT64_MAX

enum { EVENTS_S = 10 }; /* a subscription to events that have no rate */

enum question {
	ASK_STATUS,
	ASK_COUNT,
	ASK_PORTS,
	ASK_DELAY,
	ASK_VERSION, /* an id that came with pushes of updates */
	ASK_SUBSCRIBE,
	ASK_SUBSCRIPTION, /* whether ptp4l still has it */
	QUESTIONS
};

/* clang-format off */
static const struct {
	uint16_t id;
	bool first;       /* asked from the beginning */
	int64_t again_ns; /* how soon after it was asked, if its answer does not say better */
} questions[QUESTIONS] = {
	[ASK_STATUS]       = { PTP_ID_TIME_STATUS_NP,      true,  IDLE_NS },
	[ASK_COUNT]        = { PTP_ID_PORT_STATS_NP,       true,  ROOM_NS },
	[ASK_PORTS]        = { PTP_ID_PORT_DATA_SET,       true,  SEC_NS },
	[ASK_DELAY]        = { PTP_ID_CURRENT_DATA_SET,    true,  SEC_NS },
	[ASK_VERSION]      = { PTP_ID_PORT_HWCLOCK_NP,     true,  SEC_NS },
	[ASK_SUBSCRIBE]    = { PTP_ID_SUBSCRIBE_EVENTS_NP, false, NEVER },
	[ASK_SUBSCRIPTION] = { PTP_ID_SUBSCRIBE_EVENTS_NP, false, NEVER },
};
/* clang-format on */

struct pmc_follower {
	struct pmc_follower_options options;
	struct pmc_client *client;
	struct pmc_follow follow;
	uint16_t port;   /* the slave's; 0: none is */
	bool locked;     /* it is SLAVE */
	bool end_to_end; /* its delay mechanism: where the path delay stands */
	int64_t delay_ns;
	int64_t due_ns[QUESTIONS];
	bool refused[QUESTIONS];

	bool one_step;         /* the master */
	uint64_t follow_ups;   /* received */
	uint64_t seen_by_then; /* updates, when these last rose */

	bool can_push;                /* this ptp4l, at this socket */
	bool subscribed;              /* to each update */
	uint16_t push_sequence_id;    /* of the last push */
	bool hole;                    /* in the sequence, since the last update */
	uint32_t ordered_events;      /* of the subscription that was asked for last */
	int64_t ordered_mono_ns;      /* when */
	int64_t subscription_ends_ns; /* of .subscribed */
};

static void begin(struct pmc_follower *f, int64_t now_mono_ns)
{
	f->port = 0;
	f->locked = false;
	f->end_to_end = true;
	f->delay_ns = PMC_DELAY_UNKNOWN;
	f->one_step = false;
	f->follow_ups = 0;
	f->seen_by_then = f->follow.seen;
	f->can_push = false;
	f->subscribed = false;
	f->ordered_events = 0;
	f->ordered_mono_ns = INT64_MIN / 2;
	for (enum question q = 0; q < QUESTIONS; q++) {
		f->due_ns[q] = questions[q].first ? now_mono_ns : NEVER;
		f->refused[q] = false;
	}
	if (f->options.never_push)
		f->due_ns[ASK_VERSION] = NEVER;
	if (f->options.events)
		f->due_ns[ASK_SUBSCRIBE] = now_mono_ns;
}

int pmc_follower_new(struct pmc_follower **out, struct pmc_client *client,
		     const struct pmc_follower_options *options)
{
	const struct pmc_follow_options follow = {
		.real_time_stamps = options->real_time_stamps,
		.not_before_mono_ns = options->not_before_mono_ns,
	};
	struct pmc_follower *f;

	if (options->events & (PMC_EVENT_TIME_SYNC | PMC_EVENT_CMLDS))
		return -EINVAL;
	f = calloc(1, sizeof(*f));
	if (!f)
		return -ENOMEM;
	f->options = *options;
	f->client = client;
	pmc_follow_init(&f->follow, &follow);
	begin(f, 0);
	*out = f;
	return 0;
}

struct pmc_follower *pmc_follower_free(struct pmc_follower *f)
{
	free(f);
	return NULL;
}

uint32_t pmc_follower_restart(struct pmc_follower *f, int64_t now_mono_ns)
{
	begin(f, now_mono_ns);
	return pmc_follow_restart(&f->follow, now_mono_ns);
}

/* The shorter of what counts and what ingress times say; 0: don't push. */
static int64_t push_interval_ns(const struct pmc_follower *f)
{
	int64_t client_ns = pmc_client_sync_interval_ns(f->client);

	if (!f->can_push || f->port == 0)
		return 0;
	return client_ns != 0 && client_ns < f->follow.steady_ns ? client_ns : f->follow.steady_ns;
}

/* How long updates may be pushed from now on, in seconds; 0: poll. */
static uint16_t push_max_s(const struct pmc_follower *f)
{
	uint16_t max_s = pmc_subscription_max_s(push_interval_ns(f));
	uint16_t client_s = pmc_client_subscription_max_s(f->client);

	return max_s < client_s ? max_s : client_s;
}

/* Soon, but not in a loop with a ptp4l that grants nothing or a rate on the edge. */
static void order_soon(struct pmc_follower *f, int64_t now_mono_ns)
{
	int64_t again_ns = f->ordered_mono_ns + SEC_NS;

	f->due_ns[ASK_SUBSCRIBE] = again_ns > now_mono_ns ? again_ns : now_mono_ns;
}

static void pushes_stopped(struct pmc_follower *f, int64_t now_mono_ns)
{
	pmc_follow_pushes_end(&f->follow, false);
	f->subscribed = false;
	order_soon(f, now_mono_ns);
}

/*
 * Updates come faster or slower than before, or can be pushed at last. A subscription that has
 * become too long for its rate is replaced at once: if this program is stopped now, ptp4l must not
 * have more to push than it survives. A quarter over half of that is no hurry.
 */
static void adapt_subscription(struct pmc_follower *f, int64_t now_mono_ns)
{
	int64_t interval_ns = push_interval_ns(f);

	if (f->subscribed) {
		int64_t allowed_ns = pmc_subscription_max_s(interval_ns + interval_ns / 4) * SEC_NS;

		if (f->subscription_ends_ns - now_mono_ns > allowed_ns)
			f->due_ns[ASK_SUBSCRIBE] = now_mono_ns;
	} else if (!(f->ordered_events & PMC_EVENT_TIME_SYNC) && push_max_s(f) > 0) {
		order_soon(f, now_mono_ns);
	}
}

/* What a message says */

static void count_anew(struct pmc_follower *f)
{
	f->follow.anchored = false;
	f->follow.span_begun = false;
}

static void take_port(struct pmc_follower *f, const struct pmc_message *m)
{
	const struct ptp_port_ds *ds = &m->data->port_ds;
	uint16_t port = ds->port_identity.port;
	bool slave = ds->port_state == PTP_SLAVE || ds->port_state == PTP_UNCALIBRATED;

	if (!slave && port != f->port)
		return;
	if (!slave) {
		f->port = 0;
		f->locked = false;
		f->due_ns[ASK_STATUS] = m->received_mono_ns; /* to see that the master is lost */
		return;
	}
	if (port != f->port) {
		count_anew(f); /* that was another port's */
		pmc_follow_expect(&f->follow, m->received_mono_ns);
		f->due_ns[ASK_STATUS] = m->received_mono_ns;
	}
	f->port = port;
	f->locked = ds->port_state == PTP_SLAVE;
	f->end_to_end = ds->delay_mechanism == PTP_E2E;
	if (!f->end_to_end && ds->peer_mean_path_delay_ns != 0)
		f->delay_ns = ds->peer_mean_path_delay_ns;
}

/*
 * A one-step master sends no Follow_Up; but they may have come from another one before. Updates
 * that come without are a one-step master's, and its Syncs count.
 */
static uint64_t count_of(struct pmc_follower *f, const uint64_t rx[static PTP_MSG_MAX])
{
	uint64_t follow_ups = rx[PTP_MSG_FOLLOW_UP];
	bool one_step = follow_ups == 0 || (follow_ups == f->follow_ups &&
					    (f->one_step || f->follow.seen - f->seen_by_then > 1));

	if (one_step != f->one_step)
		count_anew(f);
	f->one_step = one_step;
	if (follow_ups != f->follow_ups)
		f->seen_by_then = f->follow.seen;
	f->follow_ups = follow_ups;
	return one_step ? rx[PTP_MSG_SYNC] : follow_ups;
}

static void take_count(struct pmc_follower *f, const struct pmc_message *m)
{
	const uint64_t *rx = m->data->port_stats_np.rx;

	pmc_follow_count(&f->follow, count_of(f, rx), rx[PTP_MSG_SYNC]);
	if (f->follow.count_waits && !f->follow.pushed)
		f->due_ns[ASK_STATUS] = m->received_mono_ns;
}

static void take_subscription(struct pmc_follower *f, const struct pmc_message *m)
{
	bool ordered = f->ordered_events & PMC_EVENT_TIME_SYNC;

	if (m->data->subscribe_events_np.events[0] & PMC_EVENT_TIME_SYNC) {
		f->subscribed = ordered;
	} else if (ordered) {
		pushes_stopped(f, m->received_mono_ns);
	} else {
		pmc_follow_pushes_end(&f->follow, true);
		f->subscribed = false;
	}
}

static int64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	(void)clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * SEC_NS + t.tv_nsec;
}

/* What an update has from elsewhere. */
static enum pmc_follow_outcome finish_update(struct pmc_follower *f, int64_t now_mono_ns,
					     struct pmc_update *u, enum pmc_follow_outcome outcome)
{
	if (outcome != PMC_FOLLOW_UPDATE)
		return outcome;
	u->delay_ns = f->delay_ns;
	if (!f->locked)
		u->flags |= PMC_UPDATE_UNLOCKED;
	if (f->delay_ns == PMC_DELAY_UNKNOWN) /* it has just been measured */
		f->due_ns[ASK_DELAY] = now_mono_ns;
	return outcome;
}

enum pmc_follow_outcome pmc_follower_release(struct pmc_follower *f, struct pmc_update *out)
{
	return finish_update(f, 0, out, pmc_follow_release(&f->follow, out));
}

static enum pmc_follow_outcome take_status(struct pmc_follower *f, const struct pmc_message *m,
					   struct pmc_update *out)
{
	const struct ptp_time_status_np *ds = &m->data->time_status_np;
	struct pmc_follow_status status = {
		.pushed = m->push,
		.after_hole = m->push && f->hole,
		.ingress_ns = ds->ingress_time_ns,
		.offset_ns = ds->master_offset_ns,
		.seen_mono_ns = m->received_mono_ns,
		.mean_path_delay_ns = f->delay_ns == PMC_DELAY_UNKNOWN ? 0 : f->delay_ns,
	};
	bool pushed = f->follow.pushed;
	enum pmc_follow_outcome outcome;

	if (f->options.real_time_stamps)
		status.real_minus_mono_ns = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC);
	f->hole = f->hole && !m->push;
	outcome = finish_update(f, m->received_mono_ns, out,
				pmc_follow_status(&f->follow, &status, out));
	if (pushed && !f->follow.pushed)
		pushes_stopped(f, m->received_mono_ns);
	else if (pushed && f->follow.fruitless == 1 && !m->push)
		f->due_ns[ASK_SUBSCRIPTION] = m->received_mono_ns; /* silence: why? */
	f->due_ns[ASK_STATUS] = pmc_follow_next_poll(&f->follow, m->received_mono_ns);
	return outcome;
}

static void take_refusal(struct pmc_follower *f, const struct pmc_message *m)
{
	for (enum question q = 0; q < QUESTIONS; q++)
		if (questions[q].id == m->id)
			f->refused[q] = true;
}

enum pmc_follow_outcome pmc_follower_message(struct pmc_follower *f, const struct pmc_message *m,
					     struct pmc_update *out)
{
	enum pmc_follow_outcome outcome = PMC_FOLLOW_NOTHING;

	if (m->push) {
		if ((uint16_t)(m->sequence_id - f->push_sequence_id) != 1)
			f->hole = true;
		f->push_sequence_id = m->sequence_id;
	}
	if (m->outcome == PMC_TIMED_OUT || m->outcome == PMC_DISCONNECTED)
		return PMC_FOLLOW_NOTHING;
	if (m->outcome != PMC_OK) {
		take_refusal(f, m);
		return PMC_FOLLOW_NOTHING;
	}
	switch (m->id) {
	case PTP_ID_TIME_STATUS_NP:
		outcome = take_status(f, m, out);
		break;
	case PTP_ID_PORT_STATS_NP:
		if (m->source.port == f->port)
			take_count(f, m);
		break;
	case PTP_ID_PORT_DATA_SET:
		take_port(f, m);
		break;
	case PTP_ID_CURRENT_DATA_SET: /* 0 is not a delay: none was measured yet */
		if (f->end_to_end && m->data->current_ds.mean_path_delay_ns != 0)
			f->delay_ns = m->data->current_ds.mean_path_delay_ns;
		break;
	case PTP_ID_PORT_HWCLOCK_NP:
		f->can_push = true;
		f->due_ns[ASK_VERSION] = NEVER;
		break;
	case PTP_ID_SUBSCRIBE_EVENTS_NP:
		take_subscription(f, m);
		break;
	default:
		return PMC_FOLLOW_NOTHING;
	}
	adapt_subscription(f, m->received_mono_ns);
	return outcome;
}

/* Asking */

/* A clock that is no slave has no updates; one whose master went has one more answer to give. */
static bool has_updates(const struct pmc_follower *f)
{
	return f->port != 0 || (f->follow.started && f->follow.ingress_ns != 0);
}

static int64_t due_of(const struct pmc_follower *f, enum question q)
{
	bool needed = true;

	if (q == ASK_STATUS)
		needed = has_updates(f);
	else if (q == ASK_COUNT)
		needed = f->port != 0 && f->follow.want_count && !f->follow.count_waits &&
			 f->follow.ingress_ns != 0; /* an update to count by */
	else if (q == ASK_DELAY)
		needed = f->port != 0;
	return needed && !f->refused[q] ? f->due_ns[q] : NEVER;
}

/* The question to ask now, or QUESTIONS if there is none yet. */
static enum question next_question(struct pmc_follower *f, int64_t now_mono_ns)
{
	int64_t status_ns = due_of(f, ASK_STATUS);
	enum question oldest = QUESTIONS;

	if (due_of(f, ASK_COUNT) <= now_mono_ns)
		return ASK_COUNT;
	if (status_ns <= now_mono_ns)
		return ASK_STATUS;
	for (enum question q = ASK_PORTS; q < QUESTIONS; q++) {
		if (due_of(f, q) > now_mono_ns)
			continue;
		if (status_ns < now_mono_ns + ROOM_NS)
			f->due_ns[q] = status_ns;
		else if (oldest == QUESTIONS || f->due_ns[q] < f->due_ns[oldest])
			oldest = q;
	}
	return oldest;
}

int64_t pmc_follower_due_ns(const struct pmc_follower *f)
{
	int64_t due_ns = NEVER;

	for (enum question q = 0; q < QUESTIONS; q++)
		if (due_of(f, q) < due_ns)
			due_ns = due_of(f, q);
	return due_ns;
}

/* Ordered again at half its time; an empty one cancels. */
static int subscribe(struct pmc_follower *f, int64_t now_mono_ns)
{
	uint16_t push_s = push_max_s(f);
	uint32_t events = f->options.events | (push_s > 0 ? PMC_EVENT_TIME_SYNC : 0U);
	uint16_t duration_s = push_s > 0 ? push_s : EVENTS_S;
	int64_t duration_ns = duration_s * SEC_NS;
	int r = pmc_client_subscribe(f->client, events, events ? duration_s : 0, now_mono_ns,
				     TIMEOUT_NS);

	if (r < 0)
		return r;
	f->ordered_events = events;
	f->ordered_mono_ns = now_mono_ns;
	f->subscription_ends_ns = now_mono_ns + duration_ns;
	f->due_ns[ASK_SUBSCRIBE] = events ? now_mono_ns + duration_ns / 2 : NEVER;
	return 0;
}

int pmc_follower_ask(struct pmc_follower *f, int64_t now_mono_ns)
{
	enum question q;
	uint16_t port = f->port ? f->port : PTP_PORT_ALL;
	int r;

	if (f->subscribed && now_mono_ns >= f->subscription_ends_ns)
		pushes_stopped(f, now_mono_ns);
	q = next_question(f, now_mono_ns);
	if (q == QUESTIONS)
		return 0;
	if (pmc_client_busy(f->client))
		return -EBUSY;
	if (q == ASK_SUBSCRIBE) {
		r = subscribe(f, now_mono_ns);
	} else {
		if (q == ASK_PORTS || q == ASK_VERSION)
			port = PTP_PORT_ALL;
		r = pmc_client_get(f->client, questions[q].id, port, now_mono_ns, TIMEOUT_NS);
	}
	if (r == -EAGAIN)
		f->due_ns[q] = now_mono_ns + BUSY_NS;
	else if (q != ASK_SUBSCRIBE)
		f->due_ns[q] = questions[q].again_ns == NEVER ? NEVER
							      : now_mono_ns + questions[q].again_ns;
	return r;
}

struct pmc_follower_state pmc_follower_state(const struct pmc_follower *f)
{
	return (struct pmc_follower_state){
		.port = f->port,
		.pushed = f->follow.pushed,
		.interval_ns = f->follow.interval_ns,
		.delay_ns = f->delay_ns,
		.yielded = f->follow.seen,
		.missed = f->follow.missed,
		.unused = f->follow.unused,
	};
}
