/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The power is cut at any moment: what a commit that returned had covered is there, in order, and
 * the file is sound, whatever of the rest reached the disk.
 */
#include "store-fixture.h"
#include "vfs-shim.h"

enum { CUTS = 150, SAMPLES_A_FLUSH = 700, ROUNDS = 80 };

/* The moments at which the power is cut, and what was promised by then. */
struct power {
	struct fixture *f;
	struct store *store;
	unsigned operations, next, cuts;
	int64_t promised[CUTS];
};

static void image_name(const struct fixture *f, unsigned cut, char out[static 128])
{
	(void)snprintf(out, 128, "%s/cut-%u", f->top, cut);
}

static void cut_now_and_then(void *userdata)
{
	struct power *p = userdata;
	char image[128];

	if (++p->operations < p->next || p->cuts == CUTS || !p->store)
		return;
	p->next = p->operations + 1 + p->operations * 7919 % 13;
	image_name(p->f, p->cuts, image);
	assert_int_equal(mkdir(image, 0750), 0);
	p->promised[p->cuts] = (int64_t)store_health(p->store).samples;
	shim_cut(image, p->cuts++);
}

/* Flushes of rows that count up, more than a log holds between two checkpoints. */
static void record_with_cuts(struct power *p, int rounds)
{
	struct fixture *f = p->f;
	int64_t value = 0;
	int64_t resumed_from_mono_ns;

	shim_watch(cut_now_and_then, p);
	p->store = open_as(f, &fixture_run, &resumed_from_mono_ns);
	(void)store_put_series(p->store, &fixture_offset);
	assert_int_equal(store_start(p->store, 200 * NSEC_PER_USEC, -1), 0);
	for (int round = 0; round < rounds; round++) {
		for (int i = 0; i < SAMPLES_A_FLUSH; i++, value++) {
			struct sample sample = sample_at(value, value);

			assert_true(store_put_sample(p->store, &sample));
		}
		WAIT_FOR(store_health(p->store).samples == (uint64_t)value);
	}
	(void)store_close(p->store, "stopped", 10 * NSEC_PER_SEC);
	shim_watch(NULL, NULL);
}

static int count_up(void *userdata, const struct sample *sample)
{
	int64_t *next = userdata;

	return sample->value == (*next)++ ? 0 : 1;
}

/* How much of what was promised is in the image: all, or -1 for a file that is not sound. */
static int64_t found_in(const char *image)
{
	struct fixture f = {0};
	struct query *q = NULL;
	int64_t n = 0;
	int r;

	(void)snprintf(f.path, sizeof(f.path), "%.80s/ptpmon.db", image);
	if (query_open(&q, f.path, NULL, f.why) < 0)
		return strstr(f.why, "nothing recorded yet") ? 0 : -1;
	r = query_visit_samples(q, QUERY_ALL_SERIES, INT64_MIN, INT64_MAX, count_up, &n);
	(void)query_free(q);
	return r != 0 || strcmp(ask(f.path, "PRAGMA integrity_check"), "ok") != 0 ? -1 : n;
}

static unsigned count_broken(struct power *p)
{
	unsigned broken = 0;
	char image[128];

	for (unsigned cut = 0; cut < p->cuts; cut++) {
		image_name(p->f, cut, image);
		if (found_in(image) < p->promised[cut])
			broken++;
	}
	return broken;
}

static void test_every_promise_is_kept(void **state)
{
	struct power p = {.f = *state};
	char image[128];

	shim_install();
	record_with_cuts(&p, ROUNDS);
	shim_remove();
	assert_int_equal(p.cuts, CUTS);
	assert_true(p.promised[CUTS - 1] > 10 * SAMPLES_A_FLUSH);
	for (unsigned cut = 0; cut < p.cuts; cut++) {
		int64_t found;

		image_name(p.f, cut, image);
		found = found_in(image);
		if (found < p.promised[cut])
			fail_msg("cut %u: %jd of %jd", cut, (intmax_t)found,
				 (intmax_t)p.promised[cut]);
	}
}

/* The counter-test: on a disk that lies about syncing, the promise cannot be kept. */
static void test_the_test_can_fail(void **state)
{
	struct power p = {.f = *state};

	shim_install();
	shim_lie(true);
	record_with_cuts(&p, ROUNDS / 8); /* nothing is ever durable, so a cut looks at all of it */
	shim_remove();
	assert_true(p.cuts > 10);
	assert_true(count_broken(&p) > p.cuts / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(test_every_promise_is_kept),
		FIXTURE_TEST(test_the_test_can_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
