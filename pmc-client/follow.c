// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pmc-client/follow.h"

#define USEC_NS         INT64_C(1000)
#define MSEC_NS         INT64_C(1000000)
#define SEC_NS          INT64_C(1000000000)
#define HURRY_NS        (2 * SEC_NS)  /* long enough for a few updates at one a second */
#define HURRY_STEP_NS   (4 * MSEC_NS) /* twice per update at 128 a second */
#define IDLE_STEP_NS    (100 * MSEC_NS)
#define LAG_MIN_NS      (500 * USEC_NS)
#define LAG_MAX_NS      (2 * MSEC_NS)
#define COUNT_EVERY_NS  SEC_NS
#define SPAN_NS         SEC_NS          /* the least over which a rate is believed */
#define SILENCE_NS      (20 * MSEC_NS)  /* pushes may be as late as that */
#define OLD_NS          (10 * SEC_NS)   /* no update is this old when it is first seen */
#define HOLD_NS         (100 * MSEC_NS) /* as long as an update waits for a count */
#define AHEAD_NS        SEC_NS          /* no poll is further ahead: an interval may be wrong */
#define INTERVAL_MIN_NS MSEC_NS         /* logSyncInterval -10 … */
#define INTERVAL_MAX_NS (256 * SEC_NS)  /* … to 8; what is outside was not learnt from Syncs */

enum { FRUITLESS_MAX = 16 }; /* then the update that was expected will not come */

static int64_t clamp(int64_t v, int64_t least, int64_t most)
{
	return v < least ? least : v > most ? most : v;
}

void pmc_follow_init(struct pmc_follow *f, const struct pmc_follow_options *options)
{
	*f = (struct pmc_follow){
		.options = *options,
		.update_mono_ns = INT64_MIN,
	};
}

uint32_t pmc_follow_restart(struct pmc_follow *f, int64_t now_mono_ns)
{
	uint32_t missed = f->more_missed;
	struct pmc_follow fresh;

	pmc_follow_init(&fresh, &f->options);
	fresh.seen = f->seen;
	fresh.missed = f->missed + missed;
	fresh.unused = f->unused + f->more_unused;
	fresh.floor_mono_ns = f->floor_mono_ns;
	fresh.hurry_until_mono_ns = now_mono_ns + HURRY_NS;
	fresh.stopped_mono_ns = f->pushed ? f->update_mono_ns : f->stopped_mono_ns;
	*f = fresh;
	return missed;
}

void pmc_follow_expect(struct pmc_follow *f, int64_t now_mono_ns)
{
	f->hurry_until_mono_ns = now_mono_ns + HURRY_NS;
}

void pmc_follow_pushes_end(struct pmc_follow *f, bool cancelled)
{
	if (!f->pushed)
		return;
	f->pushed = false;
	f->stopped_mono_ns = cancelled ? 0 : f->update_mono_ns;
}

/* See below; INT64_MAX if the stamp is beyond all clocks. */
static int64_t by_arrival(struct pmc_follow *f, const struct pmc_follow_status *s)
{
	unsigned n = f->n_arrivals < PMC_FOLLOW_ARRIVALS ? f->n_arrivals : PMC_FOLLOW_ARRIVALS;
	int64_t best_ns;
	int64_t mono_ns;

	if (__builtin_sub_overflow(s->seen_mono_ns, s->ingress_ns, &best_ns))
		return INT64_MAX;
	f->arrivals_ns[f->n_arrivals++ % PMC_FOLLOW_ARRIVALS] = best_ns;
	for (unsigned i = 0; i < n; i++)
		if (f->arrivals_ns[i] < best_ns)
			best_ns = f->arrivals_ns[i];
	return __builtin_add_overflow(s->ingress_ns, best_ns, &mono_ns) ? INT64_MAX : mono_ns;
}

/*
 * The moment of an ingress time on the axis. Stamps of CLOCK_REALTIME map directly. Those of a
 * PHC nobody has read map by the quickest of the last arrivals, which is late by less than a poll.
 */
static int64_t to_mono(struct pmc_follow *f, const struct pmc_follow_status *s, uint32_t *flags)
{
	int64_t mono_ns;

	if (f->options.real_time_stamps) {
		if (__builtin_sub_overflow(s->ingress_ns, s->real_minus_mono_ns, &mono_ns))
			mono_ns = INT64_MAX;
	} else {
		mono_ns = by_arrival(f, s);
		*flags |= PMC_UPDATE_TIME_ASSUMED;
	}
	/* the clock was stepped between the stamp and now, or the stamp is of another clock */
	if (mono_ns > s->seen_mono_ns || mono_ns < s->seen_mono_ns - OLD_NS) {
		f->n_arrivals = 0;
		*flags |= PMC_UPDATE_TIME_ASSUMED;
		mono_ns = s->seen_mono_ns;
	}
	return mono_ns;
}

static uint64_t known_updates(const struct pmc_follow *f)
{
	return f->seen + f->missed + f->unused + f->more_missed + f->more_unused;
}

/* How many of the Follow_Ups received since the anchor came without their Sync. */
static uint64_t without_sync(const struct pmc_follow *f, uint64_t received)
{
	int64_t before = f->excess_before[0] < f->excess_before[1] ? f->excess_before[0]
								   : f->excess_before[1];
	uint64_t lost = f->excess < before ? (uint64_t)before - (uint64_t)f->excess : 0;

	return lost < received ? lost : received;
}

/* What the count says of the time since the anchor: the interval, and what was not seen. */
static void account(struct pmc_follow *f, uint64_t received, uint64_t known, bool unbroken)
{
	int64_t passed_ns = f->count_update_ns - f->anchor_update_ns;
	int64_t interval_ns = received > 0 && passed_ns > 0 ? passed_ns / (int64_t)received : 0;
	uint64_t usable = received - without_sync(f, received);
	uint32_t missed;

	if (f->interval_ns != 0 && interval_ns / 2 > f->interval_ns) { /* slower, or a pause? */
		f->interval_ns = 0;
		f->hurry_until_mono_ns = f->count_update_ns + HURRY_NS;
	} else if (interval_ns >= INTERVAL_MIN_NS && interval_ns <= INTERVAL_MAX_NS) {
		f->interval_ns = interval_ns;
	}
	if (received - known > UINT32_MAX)
		return;
	missed = !unbroken && usable > known ? (uint32_t)(usable - known) : 0;
	f->more_missed += missed;
	f->more_unused += (uint32_t)(received - known) - missed;
}

/* Within a quarter. */
static bool alike(int64_t a_ns, int64_t b_ns)
{
	return a_ns < b_ns + b_ns / 4 && b_ns < a_ns + a_ns / 4;
}

/*
 * The rate that pushes are ordered by. The interval that is polled at may be the mean of two rates
 * just after a change; so two spans have to agree. What is slower once was a pause.
 */
static void measure_span(struct pmc_follow *f)
{
	int64_t interval_ns = 0;

	if (f->span_begun && f->count > f->span_count) {
		int64_t passed_ns = f->count_update_ns - f->span_update_ns;

		if (passed_ns < SPAN_NS)
			return;
		interval_ns = passed_ns / (int64_t)(f->count - f->span_count);
	}
	if (alike(interval_ns, f->span_interval_ns))
		f->steady_ns = interval_ns;
	else if (interval_ns < f->steady_ns - f->steady_ns / 4)
		f->steady_ns = 0;
	f->span_begun = true;
	f->span_interval_ns = interval_ns;
	f->span_count = f->count;
	f->span_update_ns = f->count_update_ns;
}

static void apply_count(struct pmc_follow *f, const struct pmc_follow_status *next)
{
	bool unbroken = f->unbroken && !next->after_hole;
	uint64_t received = f->count - f->anchor_count;
	uint64_t known = known_updates(f) - f->anchor_known;
	int64_t passed_ns = f->count_update_ns - f->anchor_update_ns;

	f->want_count = false;
	f->counted_mono_ns = next->seen_mono_ns;
	measure_span(f);
	/* a count that no Syncs can have made is another ptp4l's, or nonsense */
	if (f->anchored && f->count >= f->anchor_count &&
	    received <= known + (uint64_t)passed_ns / INTERVAL_MIN_NS + 1) {
		if (received < known)
			return; /* an older anchor says more */
		account(f, received, known, unbroken);
	}
	f->excess_before[1] = f->anchored ? f->excess_before[0] : f->excess;
	f->excess_before[0] = f->excess;
	f->anchored = true;
	f->unbroken = f->pushed;
	f->anchor_known = known_updates(f);
	f->anchor_count = f->count;
	f->anchor_update_ns = f->count_update_ns;
}

static bool new_update(const struct pmc_follow *f, const struct pmc_follow_status *s)
{
	if (!f->started)
		return s->ingress_ns != 0 || s->pushed;
	if (s->ingress_ns == 0)
		return s->pushed || s->offset_ns != f->offset_ns; /* the step */
	return s->ingress_ns != f->ingress_ns;
}

/*
 * Does the count that waits belong to the update before s? Without a master, and before the first
 * offset, ptp4l counts what it hears without using it.
 */
static bool count_belongs(const struct pmc_follow *f, const struct pmc_follow_status *s)
{
	return f->count_waits && f->count_ingress_ns == f->ingress_ns &&
	       (s->pushed || s->ingress_ns == f->ingress_ns) && f->update_mono_ns != INT64_MIN &&
	       !f->lost;
}

/* Resumed pushes are told with the first of them that is an update. */
static int64_t pushes_resumed(struct pmc_follow *f, const struct pmc_follow_status *s)
{
	int64_t stopped_mono_ns = f->stopped_mono_ns;

	if (!s->pushed)
		return 0;
	f->stopped_mono_ns = 0;
	return stopped_mono_ns;
}

/*
 * A Sync came in, but it made no offset: before the first path delay of a master there is only the
 * offset from before, which is 0 at the start (clock.c, clock_synchronize()). It is not pushed.
 */
static bool not_measured(struct pmc_follow *f, const struct pmc_follow_status *s,
			 int64_t offset_before_ns)
{
	if (s->offset_ns == INT64_MIN) /* no clock is that far away */
		return true;
	if (f->lost && !s->pushed && s->offset_ns == offset_before_ns)
		return true;
	f->lost = false;
	return !s->pushed && s->offset_ns == 0 && s->mean_path_delay_ns == 0;
}

/* Is it time to count? True if updates seem to be missing before this one. */
static bool look_for_holes(struct pmc_follow *f, int64_t mono_ns)
{
	bool hole = false;

	if (f->update_mono_ns == INT64_MIN || f->interval_ns == 0 ||
	    mono_ns - f->counted_mono_ns >= COUNT_EVERY_NS)
		f->want_count = true;
	if (f->update_mono_ns != INT64_MIN && f->interval_ns != 0) {
		int64_t since_ns = mono_ns - f->update_mono_ns;

		hole = since_ns > f->interval_ns + f->interval_ns / 2;
		if (hole || since_ns < f->interval_ns / 2)
			f->want_count = true;
	}
	return hole && f->anchored;
}

static void hold(struct pmc_follow *f, const struct pmc_update *u, int64_t now_mono_ns)
{
	f->held = true;
	f->held_until_mono_ns = now_mono_ns + HOLD_NS;
	f->held_update = *u;
}

/* It goes, with what is to be declared by now. */
static enum pmc_follow_outcome yield(struct pmc_follow *f, const struct pmc_update *u,
				     struct pmc_update *out)
{
	*out = *u;
	out->missed = f->more_missed;
	out->unused = f->more_unused;
	f->missed += f->more_missed;
	f->unused += f->more_unused;
	f->more_missed = f->more_unused = 0;
	return PMC_FOLLOW_UPDATE;
}

enum pmc_follow_outcome pmc_follow_release(struct pmc_follow *f, struct pmc_update *out)
{
	if (!f->held)
		return PMC_FOLLOW_NOTHING;
	f->held = false;
	return yield(f, &f->held_update, out);
}

static int64_t lag_ns(const struct pmc_follow *f)
{
	return clamp(f->interval_ns / 8, LAG_MIN_NS, LAG_MAX_NS);
}

/*
 * An update that the first poll finds may have been there for long: polls by arrival would come
 * later and later, until one is missed. So the next poll is earlier, until one finds nothing.
 */
static void poll_earlier(struct pmc_follow *f)
{
	if (f->options.real_time_stamps || f->fruitless > 0)
		f->early_ns = 0;
	else if (f->early_ns < f->interval_ns / 2)
		f->early_ns += lag_ns(f) / 4;
}

/* False if it is no offset, or known already. *hole: updates seem to be missing before it. */
static bool take_update(struct pmc_follow *f, const struct pmc_follow_status *s,
			struct pmc_update *out, bool *hole)
{
	uint32_t flags = s->pushed ? PMC_UPDATE_PUSHED : 0;
	int64_t mono_ns = s->seen_mono_ns;
	int64_t offset_before_ns = f->offset_ns;

	if (s->ingress_ns == 0)
		flags |= PMC_UPDATE_STEP | PMC_UPDATE_TIME_ASSUMED;
	else
		mono_ns = to_mono(f, s, &flags);
	if (mono_ns <= f->floor_mono_ns) /* readers count on the order */
		mono_ns = f->floor_mono_ns + 1;
	f->floor_mono_ns = mono_ns;
	f->ingress_ns = s->ingress_ns;
	f->offset_ns = s->offset_ns;
	poll_earlier(f);
	f->fruitless = 0;
	f->pushed = f->pushed || s->pushed;
	f->unbroken = f->unbroken && s->pushed && !s->after_hole;
	if (not_measured(f, s, offset_before_ns) || mono_ns <= f->options.not_before_mono_ns)
		return false;
	*hole = look_for_holes(f, mono_ns);
	f->update_mono_ns = mono_ns;
	f->seen++;
	*out = (struct pmc_update){
		.flags = flags,
		.mono_ns = mono_ns,
		.offset_ns = s->offset_ns,
		.pushes_stopped_mono_ns = pushes_resumed(f, s),
	};
	return true;
}

/* One update out for each that comes in, but for one that may be held in between. */
static enum pmc_follow_outcome pass_update(struct pmc_follow *f, const struct pmc_follow_status *s,
					   struct pmc_update *out)
{
	struct pmc_update held = f->held_update;
	bool was_held = f->held;
	struct pmc_update update;
	bool hole = false;

	f->held = false;
	if (!take_update(f, s, &update, &hole))
		return was_held ? yield(f, &held, out) : PMC_FOLLOW_NOTHING;
	if (was_held || hole)
		hold(f, &update, s->seen_mono_ns);
	if (was_held)
		return yield(f, &held, out);
	return hole ? PMC_FOLLOW_NOTHING : yield(f, &update, out);
}

enum pmc_follow_outcome pmc_follow_status(struct pmc_follow *f, const struct pmc_follow_status *s,
					  struct pmc_update *out)
{
	bool lost = f->started && s->ingress_ns == 0 && f->ingress_ns != 0 &&
		    s->offset_ns == f->offset_ns;
	bool is_new = new_update(f, s);

	if (count_belongs(f, s))
		apply_count(f, s);
	f->count_waits = false;
	if (!f->started) {
		f->started = true;
		f->offset_ns = s->offset_ns;
	}
	if (is_new && !s->pushed)
		pmc_follow_pushes_end(f, false);
	if (is_new)
		return pass_update(f, s, out);
	if (f->held && (!f->want_count || lost || s->seen_mono_ns >= f->held_until_mono_ns))
		return pmc_follow_release(f, out);
	f->fruitless++;
	if (!lost)
		return PMC_FOLLOW_NOTHING;
	f->lost = true;
	f->ingress_ns = 0;
	f->interval_ns = f->steady_ns = f->span_interval_ns = 0;
	f->span_begun = false;
	f->anchored = false; /* ptp4l counts what it hears without using it */
	return PMC_FOLLOW_LOST;
}

void pmc_follow_count(struct pmc_follow *f, uint64_t count, uint64_t syncs)
{
	f->count_waits = f->ingress_ns != 0;
	f->count = count;
	f->excess = (int64_t)(syncs - count);
	f->count_ingress_ns = f->ingress_ns;
	f->count_update_ns = f->update_mono_ns;
}

static int64_t silent_step_ns(const struct pmc_follow *f)
{
	return clamp(f->interval_ns / 4, HURRY_STEP_NS, IDLE_STEP_NS);
}

static int64_t next_poll_ns(const struct pmc_follow *f, int64_t now_mono_ns)
{
	int64_t due_ns;

	if (f->interval_ns == 0 || f->update_mono_ns == INT64_MIN)
		return now_mono_ns +
		       (now_mono_ns < f->hurry_until_mono_ns ? HURRY_STEP_NS : IDLE_STEP_NS);
	if (f->fruitless > FRUITLESS_MAX)
		return now_mono_ns + silent_step_ns(f);
	if (f->pushed) { /* only to see why none comes */
		due_ns = f->update_mono_ns + 2 * f->interval_ns + SILENCE_NS;
		return due_ns > now_mono_ns ? due_ns : now_mono_ns + silent_step_ns(f);
	}
	/* just after the next update is expected, then again until it is there */
	due_ns = f->update_mono_ns + f->interval_ns + lag_ns(f) - f->early_ns;
	return due_ns > now_mono_ns ? due_ns : now_mono_ns + lag_ns(f);
}

int64_t pmc_follow_next_poll(const struct pmc_follow *f, int64_t now_mono_ns)
{
	int64_t due_ns = next_poll_ns(f, now_mono_ns);

	if (f->count_waits && !f->pushed)
		return now_mono_ns;
	if (f->held && due_ns > f->held_until_mono_ns)
		due_ns = f->held_until_mono_ns;
	return due_ns < now_mono_ns + AHEAD_NS ? due_ns : now_mono_ns + AHEAD_NS;
}
