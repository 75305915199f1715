// SPDX-License-Identifier: LGPL-2.1-or-later
/* Each servo update once, from a simulated ptp4l that is polled well and badly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pmc-client/follow.h"

#define US INT64_C(1000)
#define MS INT64_C(1000000)
#define S  INT64_C(1000000000)

#define REAL_MINUS_MONO (INT64_C(1764547200) * S)

/* A ptp4l with an update each interval from first_ns on; its count began before it was watched. */
struct server {
	int64_t first_ns, interval_ns;
	uint64_t count_before;
};

static int64_t updates_at(const struct server *s, int64_t now)
{
	return now < s->first_ns ? 0 : (now - s->first_ns) / s->interval_ns + 1;
}

static int64_t offset_of(int64_t n)
{
	return n * 7 - 1000;
}

static struct pmc_follow_status ask(const struct server *s, int64_t now)
{
	int64_t n = updates_at(s, now);

	return (struct pmc_follow_status){
		.ingress_ns = n ? s->first_ns + (n - 1) * s->interval_ns + REAL_MINUS_MONO : 0,
		.offset_ns = n ? offset_of(n) : 0,
		.seen_mono_ns = now,
		.real_minus_mono_ns = REAL_MINUS_MONO,
		.mean_path_delay_ns = 700,
	};
}

static void init(struct pmc_follow *f)
{
	const struct pmc_follow_options options = {
		.real_time_stamps = true,
		.not_before_mono_ns = INT64_MIN,
	};

	pmc_follow_init(f, &options);
}

/* A Sync for each Follow_Up. */
static void count(struct pmc_follow *f, uint64_t n)
{
	pmc_follow_count(f, n, n);
}

struct tally {
	uint64_t samples, declared;
	int64_t first_n, last_n;
	bool in_place; /* what is missed must be declared right after */
};

/* Polls as pmc.c does until end; late says by how much each poll is late. */
static void follow_until(struct pmc_follow *f, const struct server *s, int64_t *now, int64_t end,
			 int64_t (*late)(int64_t now), struct tally *t)
{
	while (*now < end) {
		struct pmc_follow_status status = ask(s, *now);
		struct pmc_update out;

		if (pmc_follow_status(f, &status, &out) == PMC_FOLLOW_UPDATE) {
			int64_t n = (out.offset_ns + 1000) / 7;
			int64_t before_n;

			if (n == t->last_n)
				fail_msg("update %lld twice", (long long)n);
			assert_int_equal(out.offset_ns, offset_of(n));
			assert_int_equal(out.mono_ns, s->first_ns + (n - 1) * s->interval_ns);
			before_n = t->last_n;
			if (!t->first_n)
				t->first_n = n;
			t->last_n = n;
			/* what is declared was missed right before it */
			if (t->samples > 0 && t->in_place && out.missed > n - before_n - 1)
				fail_msg("%u missed before update %lld, after %lld", out.missed,
					 (long long)n, (long long)before_n);
			t->samples++;
			t->declared += out.missed;
		}
		if (f->want_count) {
			*now += 100 * US;
			count(f, s->count_before + (uint64_t)updates_at(s, *now));
			*now += 100 * US;
			continue;
		}
		*now = pmc_follow_next_poll(f, *now) + late(*now);
	}
}

static int64_t never_late(int64_t now)
{
	return 0;
}

/* Every 40th or so poll comes half a second late. */
static int64_t sometimes_late(int64_t now)
{
	return now / MS % 41 == 0 ? 500 * MS : 0;
}

static void nothing_is_missed_by_a_poller_in_time(void **state)
{
	static const int64_t intervals_ns[] = {S, S / 8, S / 16, S / 32, S / 128};

	for (size_t i = 0; i < sizeof(intervals_ns) / sizeof(intervals_ns[0]); i++) {
		const struct server s = {3 * S + 123456, intervals_ns[i], 1000};
		struct pmc_follow f;
		struct tally t = {0};
		int64_t now = 2 * S;

		init(&f);
		pmc_follow_expect(&f, now);
		follow_until(&f, &s, &now, 40 * S, never_late, &t);
		if ((int64_t)t.samples != updates_at(&s, now - 1) &&
		    (int64_t)t.samples + 1 != updates_at(&s, now - 1))
			fail_msg("interval %lld: %llu of %lld", (long long)intervals_ns[i],
				 (unsigned long long)t.samples, (long long)updates_at(&s, now));
		assert_int_equal(t.declared, 0);
		assert_int_equal(f.interval_ns, intervals_ns[i]);
	}
}

static void what_a_late_poller_misses_is_declared(void **state)
{
	const struct server s = {3 * S, S / 128, 77};
	struct pmc_follow f;
	struct tally t = {.in_place = true};
	int64_t now = 2 * S;
	int64_t there;

	init(&f);
	pmc_follow_expect(&f, now);
	follow_until(&f, &s, &now, 60 * S, sometimes_late, &t);
	follow_until(&f, &s, &now, 62 * S, never_late, &t); /* it recovers, and settles */
	there = updates_at(&s, now - 1) - t.first_n +
		1; /* a record begins with what is first seen */
	assert_true(t.declared > 100);
	assert_int_equal(t.samples, f.seen);
	assert_int_equal(t.declared, f.missed);
	assert_in_range(t.samples + t.declared, (uint64_t)there - 1, (uint64_t)there);
}

static void a_faster_master_is_learnt(void **state)
{
	struct server s = {3 * S, S, 0};
	struct pmc_follow f;
	struct tally t = {0};
	int64_t now = 2 * S;
	struct server fast;

	init(&f);
	follow_until(&f, &s, &now, 20 * S, never_late, &t);
	assert_int_equal(f.interval_ns, S);
	fast = (struct server){20 * S, S / 64, (uint64_t)updates_at(&s, 20 * S - 1)};
	t.last_n = 0;
	follow_until(&f, &fast, &now, 40 * S, never_late, &t);
	assert_int_equal(f.interval_ns, S / 64);
	assert_in_range(f.seen + f.missed, 18 + 1280 - 2, 18 + 1280);
}

/* A board without an RTC is stepped by half a century: polls go on as before. */
static void a_step_of_the_clock_stops_nothing(void **state)
{
	static const int64_t steps_ns[] = {INT64_C(1700000000) * S, -INT64_C(1700000000) * S,
					   3600 * S};

	for (size_t i = 0; i < sizeof(steps_ns) / sizeof(steps_ns[0]); i++) {
		struct pmc_follow f;
		struct pmc_update out;
		int64_t now = 10 * S;
		unsigned polls = 0;

		init(&f);
		for (int64_t n = 1; n <= 400; n++) {
			const struct pmc_follow_status s = {
				.ingress_ns =
					n == 100 ? 0 : n * S / 8 + (n > 100 ? steps_ns[i] : 0),
				.offset_ns = n,
				.seen_mono_ns = now,
				.real_minus_mono_ns = (n >= 100 ? steps_ns[i] : 0) - 10 * S,
				.mean_path_delay_ns = 500,
			};
			int64_t due = now + S / 8;

			assert_int_equal(pmc_follow_status(&f, &s, &out), PMC_FOLLOW_UPDATE);
			if (f.want_count) {
				count(&f, 50 + (uint64_t)n);
				(void)pmc_follow_status(&f, &s, &out);
			}
			assert_true(pmc_follow_next_poll(&f, now) <= now + S);
			now = due;
			polls++;
		}
		assert_int_equal(f.seen, polls);
		assert_int_equal(f.missed, 0);
		assert_in_range(f.interval_ns, S / 8 - 20 * MS, S / 8 + 20 * MS);
	}
}

static void what_a_hole_holds_stands_with_the_update_after_it(void **state)
{
	const struct server s = {S, S / 8, 0};
	struct pmc_follow f;
	struct pmc_update out = {0};
	struct tally t = {0};
	int64_t now = S;
	struct pmc_follow_status status;

	init(&f);
	follow_until(&f, &s, &now, 11 * S, never_late, &t);
	now = 20 * S + 30 * MS; /* nobody polled for nine seconds */
	status = ask(&s, now);
	assert_int_equal(pmc_follow_status(&f, &status, &out), PMC_FOLLOW_NOTHING);
	assert_true(f.want_count);
	count(&f, (uint64_t)updates_at(&s, now));
	status.seen_mono_ns += MS;
	assert_int_equal(pmc_follow_status(&f, &status, &out), PMC_FOLLOW_UPDATE);
	assert_int_equal(out.offset_ns, offset_of(updates_at(&s, now)));
	assert_int_equal(out.missed, updates_at(&s, now) - t.last_n - 1);

	/* without a count it goes after a while, and what it lacked with the next */
	now += 5 * S;
	status = ask(&s, now);
	assert_int_equal(pmc_follow_status(&f, &status, &out), PMC_FOLLOW_NOTHING);
	status.seen_mono_ns += 100 * MS;
	assert_int_equal(pmc_follow_status(&f, &status, &out), PMC_FOLLOW_UPDATE);
	assert_int_equal(out.missed, 0);
	/* and at the end at once */
	now += 5 * S;
	status = ask(&s, now);
	assert_int_equal(pmc_follow_status(&f, &status, &out), PMC_FOLLOW_NOTHING);
	assert_int_equal(pmc_follow_release(&f, &out), PMC_FOLLOW_UPDATE);
	assert_int_equal(pmc_follow_release(&f, &out), PMC_FOLLOW_NOTHING);
}

/*
 * A Follow_Up whose Sync was lost is no update that was missed; a Sync that waits for its Follow_Up
 * while it is counted changes nothing.
 */
static void a_follow_up_without_its_sync_is_not_missed(void **state)
{
	static const struct {
		const char *name;
		uint64_t updates, follow_ups, syncs; /* since the row before */
		uint32_t missed, unused;
	} rows[] = {
		{"all is well", 8, 8, 8, 0, 0},
		{"two missed", 6, 8, 8, 2, 0},
		{"a Sync lost, none missed", 8, 9, 8, 0, 1},
		{"a Sync lost, two missed", 6, 9, 8, 2, 1},
		{"a Follow_Up lost", 8, 8, 9, 0, 0},
		{"a Sync is under way", 8, 8, 9, 0, 0},
		{"it has its Follow_Up, one missed", 7, 8, 7, 1, 0},
	};
	struct pmc_follow f;
	struct pmc_update out;
	uint64_t follow_ups = 100;
	uint64_t syncs = 300;
	int64_t now = S;

	init(&f);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t missed = f.more_missed + (uint32_t)f.missed;
		uint32_t unused = f.more_unused + (uint32_t)f.unused;
		struct pmc_follow_status s = {0};

		for (uint64_t n = 0; n < rows[i].updates; n++) {
			now += S / 8;
			s = (struct pmc_follow_status){
				.ingress_ns = now + REAL_MINUS_MONO,
				.offset_ns = now % 1000 + 1,
				.seen_mono_ns = now + MS,
				.real_minus_mono_ns = REAL_MINUS_MONO,
				.mean_path_delay_ns = 500,
			};
			(void)pmc_follow_status(&f, &s, &out);
		}
		now += (int64_t)(rows[i].follow_ups - rows[i].updates) * S / 8;
		follow_ups += rows[i].follow_ups;
		syncs += rows[i].syncs;
		pmc_follow_count(&f, follow_ups, syncs);
		s.seen_mono_ns = now;
		(void)pmc_follow_status(&f, &s, &out);
		if (f.more_missed + f.missed - missed != rows[i].missed ||
		    f.more_unused + f.unused - unused != rows[i].unused)
			fail_msg("%s: %u missed, %u unused", rows[i].name,
				 (unsigned)(f.more_missed + f.missed - missed),
				 (unsigned)(f.more_unused + f.unused - unused));
	}
}

static void nonsense_is_survived(void **state)
{
	static const int64_t values[] = {INT64_MIN, INT64_MIN + 1, -1,       0,
					 1,         INT64_MAX - 1, INT64_MAX};
	enum { N = sizeof(values) / sizeof(values[0]) };

	for (int phc = 0; phc < 2; phc++) {
		const struct pmc_follow_options options = {.real_time_stamps = !phc,
							   .not_before_mono_ns = INT64_MIN};
		struct pmc_follow f;
		struct pmc_update out;
		int64_t now = S;

		pmc_follow_init(&f, &options);
		for (size_t i = 0; i < (size_t)N * N * N; i++) {
			const struct pmc_follow_status s = {
				.ingress_ns = values[i % N],
				.offset_ns = values[i / N % N],
				.seen_mono_ns = now,
				.real_minus_mono_ns = values[i / N / N % N],
				.mean_path_delay_ns = 1,
			};

			if (pmc_follow_status(&f, &s, &out) == PMC_FOLLOW_UPDATE)
				assert_int_not_equal(out.offset_ns, INT64_MIN);
			pmc_follow_count(&f, (uint64_t)values[(i + 3) % N],
					 (uint64_t)values[i % N]);
			assert_true(pmc_follow_next_poll(&f, now) <= now + S);
			now += MS;
		}
		assert_true(f.interval_ns >= 0 && f.interval_ns <= 256 * S);
	}
}

static enum pmc_follow_outcome feed(struct pmc_follow *f, int64_t now, int64_t ingress,
				    int64_t offset, struct pmc_update *out)
{
	const struct pmc_follow_status s = {
		.ingress_ns = ingress ? ingress + REAL_MINUS_MONO : 0,
		.offset_ns = offset,
		.seen_mono_ns = now,
		.real_minus_mono_ns = REAL_MINUS_MONO,
		.mean_path_delay_ns = 500,
	};

	return pmc_follow_status(f, &s, out);
}

static void the_step_sample_is_kept_and_the_loss_is_told_once(void **state)
{
	struct pmc_follow f;
	struct pmc_update out;

	init(&f);
	assert_int_equal(feed(&f, 1 * S, 0, 0, &out), PMC_FOLLOW_NOTHING);
	assert_int_equal(feed(&f, 2 * S, 2 * S - MS, 700000000, &out), PMC_FOLLOW_UPDATE);
	assert_int_equal(out.flags, 0);
	/* the servo jumps: ingress 0 with a new offset */
	assert_int_equal(feed(&f, 3 * S, 0, 699000000, &out), PMC_FOLLOW_UPDATE);
	assert_int_equal(out.flags, PMC_UPDATE_STEP | PMC_UPDATE_TIME_ASSUMED);
	assert_int_equal(out.offset_ns, 699000000);
	assert_int_equal(feed(&f, 3 * S + MS, 0, 699000000, &out), PMC_FOLLOW_NOTHING);
	assert_int_equal(feed(&f, 4 * S, 4 * S - MS, -12, &out), PMC_FOLLOW_UPDATE);
	/* the master goes: ingress 0 with the old offset */
	assert_int_equal(feed(&f, 5 * S, 0, -12, &out), PMC_FOLLOW_LOST);
	assert_int_equal(feed(&f, 6 * S, 0, -12, &out), PMC_FOLLOW_NOTHING);
	/* Syncs of the next one, before there is a path delay, bring the old offset again */
	assert_int_equal(feed(&f, 7 * S, 7 * S - MS, -12, &out), PMC_FOLLOW_NOTHING);
	assert_int_equal(feed(&f, 8 * S, 8 * S - MS, 31, &out), PMC_FOLLOW_UPDATE);
	assert_int_equal(feed(&f, 9 * S, 9 * S - MS, 31, &out), PMC_FOLLOW_UPDATE);
	assert_int_equal(f.seen, 5);
}

static void offset_zero_before_the_first_delay_is_no_offset(void **state)
{
	const struct pmc_follow_status before = {
		.ingress_ns = S + REAL_MINUS_MONO,
		.seen_mono_ns = S + MS,
		.real_minus_mono_ns = REAL_MINUS_MONO,
	};
	struct pmc_follow_status after = before;
	struct pmc_follow f;
	struct pmc_update out;

	init(&f);
	assert_int_equal(pmc_follow_status(&f, &before, &out), PMC_FOLLOW_NOTHING);
	after.ingress_ns += S;
	after.seen_mono_ns += S;
	after.mean_path_delay_ns = 300;
	assert_int_equal(pmc_follow_status(&f, &after, &out), PMC_FOLLOW_UPDATE);
}

static void what_is_recorded_already_is_not_taken_again(void **state)
{
	const struct pmc_follow_options options = {
		.real_time_stamps = true,
		.not_before_mono_ns = 5 * S,
	};
	struct pmc_follow f;
	struct pmc_update out;

	pmc_follow_init(&f, &options);
	assert_int_equal(feed(&f, 5 * S + MS, 5 * S - MS, 10, &out), PMC_FOLLOW_NOTHING);
	assert_int_equal(feed(&f, 6 * S + MS, 6 * S, 11, &out), PMC_FOLLOW_UPDATE);
	assert_int_equal(f.seen, 1);
}

static void stamps_of_an_unknown_clock_are_placed_by_arrival(void **state)
{
	const struct pmc_follow_options options = {.not_before_mono_ns = INT64_MIN};
	struct pmc_follow f;
	struct pmc_update out;

	pmc_follow_init(&f, &options);
	for (int64_t i = 1; i <= 20; i++) {
		/* a PHC that counts from zero; polls are late by 1 to 8 ms */
		const struct pmc_follow_status s = {
			.ingress_ns = i * S,
			.offset_ns = i,
			.seen_mono_ns = 1000 * S + i * S + (1 + i % 8) * MS,
			.mean_path_delay_ns = 1,
		};

		assert_int_equal(pmc_follow_status(&f, &s, &out), PMC_FOLLOW_UPDATE);
		assert_true(out.flags & PMC_UPDATE_TIME_ASSUMED);
		assert_true(out.mono_ns >= 1000 * S + i * S);
		assert_true(out.mono_ns <= s.seen_mono_ns);
		if (i > 8)
			assert_int_equal(out.mono_ns, 1000 * S + i * S + MS);
	}
}

static void a_stamp_from_before_a_step_is_not_believed(void **state)
{
	struct pmc_follow f;
	struct pmc_update out;

	init(&f);
	/* an hour ahead, an hour behind: the clock was stepped between the stamp and now */
	assert_int_equal(feed(&f, 10 * S, 3610 * S, 1, &out), PMC_FOLLOW_UPDATE);
	assert_int_equal(out.mono_ns, 10 * S);
	assert_true(out.flags & PMC_UPDATE_TIME_ASSUMED);
	assert_int_equal(feed(&f, 3700 * S, 100 * S, 1, &out), PMC_FOLLOW_UPDATE);
	assert_int_equal(out.mono_ns, 3700 * S);
	assert_true(out.flags & PMC_UPDATE_TIME_ASSUMED);
}

/* What the new ptp4l counts before its first offset is nobody's. */
static void after_a_restart_counts_wait_for_an_offset(void **state)
{
	struct pmc_follow f;
	struct pmc_update out;

	init(&f);
	assert_int_equal(feed(&f, 10 * S + MS, 10 * S, 5, &out), PMC_FOLLOW_UPDATE);
	assert_int_equal(pmc_follow_restart(&f, 11 * S), 0);
	assert_int_equal(feed(&f, 12 * S, 0, 0, &out), PMC_FOLLOW_NOTHING);
	for (int64_t i = 0; i < 3; i++) {
		const struct pmc_follow_status sync = {
			.ingress_ns = (13 + i) * S + REAL_MINUS_MONO,
			.seen_mono_ns = (13 + i) * S + MS,
			.real_minus_mono_ns = REAL_MINUS_MONO,
		};

		assert_int_equal(pmc_follow_status(&f, &sync, &out), PMC_FOLLOW_NOTHING);
		count(&f, 1 + (uint64_t)i);
		assert_int_equal(pmc_follow_status(&f, &sync, &out), PMC_FOLLOW_NOTHING);
	}
	assert_false(f.anchored);
	assert_int_equal(feed(&f, 16 * S + MS, 16 * S, 7, &out), PMC_FOLLOW_UPDATE);
	assert_int_equal(out.missed, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_missed_by_a_poller_in_time),
		cmocka_unit_test(what_a_late_poller_misses_is_declared),
		cmocka_unit_test(a_faster_master_is_learnt),
		cmocka_unit_test(a_step_of_the_clock_stops_nothing),
		cmocka_unit_test(what_a_hole_holds_stands_with_the_update_after_it),
		cmocka_unit_test(a_follow_up_without_its_sync_is_not_missed),
		cmocka_unit_test(nonsense_is_survived),
		cmocka_unit_test(the_step_sample_is_kept_and_the_loss_is_told_once),
		cmocka_unit_test(offset_zero_before_the_first_delay_is_no_offset),
		cmocka_unit_test(what_is_recorded_already_is_not_taken_again),
		cmocka_unit_test(stamps_of_an_unknown_clock_are_placed_by_arrival),
		cmocka_unit_test(a_stamp_from_before_a_step_is_not_believed),
		cmocka_unit_test(after_a_restart_counts_wait_for_an_offset),
	};

	return cmocka_run_group_tests_name("follow", tests, NULL, NULL);
}
