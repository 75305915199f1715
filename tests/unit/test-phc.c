/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The PHC source on a device of our own: this file's ioctl() plays the driver. */
#include "ptpmon/collect/phc.h"

#include <errno.h>
#include <linux/ptp_clock.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

#include <cmocka.h>

#include "ptpmon/base/nsec.h"

#define TAI_S 37

/* How the driver behaves; a thread of the source looks. */
static struct {
	atomic_int error[PHC_METHOD_MAX];
	_Atomic int64_t ahead_ns; /* of CLOCK_REALTIME */
	_Atomic int64_t frozen_ns;
	_Atomic int64_t sleep_ns;
	atomic_int calls;
} driver;

static struct ptp_clock_time at(int64_t ns)
{
	return (struct ptp_clock_time){.sec = ns / NSEC_PER_SEC,
				       .nsec = (uint32_t)(ns % NSEC_PER_SEC)};
}

static int64_t shown(int64_t system_ns)
{
	int64_t frozen_ns = driver.frozen_ns;

	return frozen_ns ? frozen_ns : system_ns + driver.ahead_ns;
}

/* The i-th reading takes long for all but the third; its middle is exact. */
static void play(unsigned i, int64_t now_ns, struct ptp_clock_time *before,
		 struct ptp_clock_time *phc, struct ptp_clock_time *after)
{
	int64_t half_ns = i == 2 ? 500 : 4000;
	int64_t middle_ns = now_ns + i * 20000;

	*before = at(middle_ns - half_ns);
	*phc = at(shown(middle_ns));
	*after = at(middle_ns + half_ns);
}

static int answer(int error)
{
	errno = error;
	return error ? -1 : 0;
}

int ioctl(int fd, unsigned long request, ...)
{
	const struct timespec sleep = nsec_to_timespec(driver.sleep_ns);
	int64_t now_ns = nsec_now(CLOCK_REALTIME);
	struct ptp_sys_offset_precise *precise;
	struct ptp_sys_offset_extended *extended;
	struct ptp_sys_offset *plain;
	va_list ap;

	driver.calls++;
	(void)nanosleep(&sleep, NULL);
	va_start(ap, request);
	precise = va_arg(ap, void *);
	va_end(ap);
	extended = (void *)precise;
	plain = (void *)precise;
	switch (request) {
	case PTP_SYS_OFFSET_PRECISE:
		precise->sys_realtime = at(now_ns);
		precise->device = at(shown(now_ns));
		return answer(driver.error[PHC_METHOD_PRECISE]);
	case PTP_SYS_OFFSET_EXTENDED:
		for (unsigned i = 0; i < extended->n_samples; i++)
			play(i, now_ns, &extended->ts[i][0], &extended->ts[i][1],
			     &extended->ts[i][2]);
		return answer(driver.error[PHC_METHOD_EXTENDED]);
	case PTP_SYS_OFFSET:
		plain->ts[0] = at(now_ns);
		for (unsigned i = 0; i < plain->n_samples; i++) {
			int64_t half_ns = i == 2 ? 500 : 4000;

			plain->ts[2 * i + 1] = at(shown(now_ns + half_ns));
			now_ns += 2 * half_ns;
			plain->ts[2 * i + 2] = at(now_ns);
		}
		return answer(driver.error[PHC_METHOD_PLAIN]);
	default:
		return answer(ENOTTY);
	}
}

/* The readings themselves */

static int forget(void **state)
{
	for (size_t i = 0; i < PHC_METHOD_MAX; i++)
		driver.error[i] = 0;
	driver.ahead_ns = TAI_S * NSEC_PER_SEC;
	driver.frozen_ns = driver.sleep_ns = 0;
	driver.calls = 0;
	return 0;
}

static void the_best_that_the_driver_has_is_used(void **state)
{
	static const struct {
		const char *name;
		int error[PHC_METHOD_MAX];
		int result;
		enum phc_method method;
		int64_t delay_ns;
	} rows[] = {
		/* clang-format off */
		{ "all", { 0, 0, 0 }, 0, PHC_METHOD_PRECISE, 0 },
		{ "no cross timestamps", { EOPNOTSUPP, 0, 0 }, 0, PHC_METHOD_EXTENDED, 1000 },
		{ "an old kernel", { ENOTTY, ENOTTY, 0 }, 0, PHC_METHOD_PLAIN, 1000 },
		{ "none", { EOPNOTSUPP, EOPNOTSUPP, EINVAL }, -EOPNOTSUPP, 0, 0 },
		{ "a broken bus is no missing method", { EOPNOTSUPP, EIO, 0 }, -EIO, 0, 0 },
		{ "taken away", { ENODEV, 0, 0 }, -ENODEV, 0, 0 },
		/* clang-format on */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		enum phc_method method = PHC_METHOD_PRECISE;
		struct phc_reading r = {0};
		int result;

		for (size_t m = 0; m < PHC_METHOD_MAX; m++)
			driver.error[m] = rows[i].error[m];
		result = phc_device_read(0, 5, &method, &r);
		if (result != rows[i].result)
			fail_msg("%s: %d", rows[i].name, result);
		if (result < 0)
			continue;
		if (method != rows[i].method || r.method != method ||
		    r.delay_ns != rows[i].delay_ns ||
		    r.phc_ns - r.system_ns != TAI_S * NSEC_PER_SEC)
			fail_msg("%s: by %s, delay %jd ns, ahead %jd ns", rows[i].name,
				 phc_method_name(method), (intmax_t)r.delay_ns,
				 (intmax_t)(r.phc_ns - r.system_ns));
	}
}

static void the_moment_is_on_the_axis(void **state)
{
	enum phc_method method = PHC_METHOD_EXTENDED;
	struct phc_reading r;
	int64_t before_ns = nsec_now(CLOCK_MONOTONIC);

	assert_int_equal(phc_device_read(0, 3, &method, &r), 0);
	assert_true(r.mono_ns >= before_ns);
	assert_true(r.mono_ns <= nsec_now(CLOCK_MONOTONIC));
	assert_false(r.frozen);
	driver.frozen_ns = 5;
	assert_int_equal(phc_device_read(0, 3, &method, &r), 0);
	assert_true(r.frozen);
	assert_int_equal(r.phc_ns, 5);
}

/* The source */

struct heard {
	struct phc_source *source;
	unsigned n_samples, n_events;
	struct sample sample;
	struct event events[8];
};

static void on_sample(void *userdata, const struct sample *s)
{
	struct heard *h = userdata;

	h->sample = *s;
	h->n_samples++;
}

static void on_event(void *userdata, const struct event *e)
{
	struct heard *h = userdata;

	assert_true(h->n_events < 8);
	h->events[h->n_events++] = *e;
}

static void listen_to(struct heard *h, const char *device)
{
	*h = (struct heard){0};
	assert_int_equal(phc_source_new(&h->source,
					&(struct phc_source_options){
						.device = device,
						.interval_ns = 5 * NSEC_PER_MSEC,
						.readings = 5,
						.on_sample = on_sample,
						.on_event = on_event,
						.userdata = h,
					}),
			 0);
	phc_source_set_utc_offset(h->source, TAI_S);
}

static void hear_one(struct heard *h)
{
	struct pollfd p = {.fd = phc_source_fd(h->source), .events = POLLIN};

	assert_int_equal(poll(&p, 1, 5000), 1);
	phc_source_receive(h->source);
}

static void hear(struct heard *h, enum event_code code)
{
	for (int i = 0; i < 400; i++) {
		if (h->n_events > 0 && h->events[h->n_events - 1].code == code)
			return;
		hear_one(h);
	}
	fail_msg("no %s; the last: %s", event_code_name(code),
		 h->n_events ? h->events[h->n_events - 1].text : "-");
}

static void samples_come_at_the_interval(void **state)
{
	struct heard h;

	driver.error[PHC_METHOD_PRECISE] = EOPNOTSUPP;
	driver.ahead_ns = TAI_S * NSEC_PER_SEC - 250;
	listen_to(&h, "/dev/null");
	while (h.n_samples < 3)
		hear_one(&h);
	assert_int_equal(h.sample.value, 250); /* the system clock is ahead */
	assert_int_equal(h.sample.delay_ns, 1000);
	assert_int_equal(h.n_events, 1);
	assert_int_equal(h.events[0].code, EVENT_PHC_METHOD);
	assert_int_equal(phc_source_facts(h.source).reading.method, PHC_METHOD_EXTENDED);
	phc_source_set_utc_offset(h.source, 0);
	hear_one(&h);
	assert_true(h.sample.value < -36 * NSEC_PER_SEC);
	phc_source_free(h.source);
}

static void faults_are_told_by_name_and_once(void **state)
{
	struct heard h;

	listen_to(&h, "/dev/null");
	hear(&h, EVENT_PHC_METHOD);
	driver.error[PHC_METHOD_PRECISE] = EIO;
	hear(&h, EVENT_PHC_FAILED);
	assert_non_null(strstr(h.events[h.n_events - 1].text, "EIO"));
	for (int i = 0; i < 3; i++)
		hear_one(&h);
	assert_int_equal(h.n_events, 2);
	assert_int_equal(phc_source_facts(h.source).error, EIO);
	driver.error[PHC_METHOD_PRECISE] = 0;
	hear(&h, EVENT_PHC_BACK);
	driver.ahead_ns += NSEC_PER_SEC;
	hear(&h, EVENT_PHC_JUMPED);
	assert_non_null(strstr(h.events[h.n_events - 1].text, "+1.00"));
	driver.frozen_ns = nsec_now(CLOCK_REALTIME) + driver.ahead_ns;
	hear(&h, EVENT_PHC_STUCK);
	driver.frozen_ns = 0;
	hear(&h, EVENT_PHC_BACK);
	phc_source_free(h.source);
}

/* Whether that is heard before or after the jump is seen. */
static void what_we_set_ourselves_is_no_jump(void **state)
{
	for (int heard_after = 0; heard_after < 2; heard_after++) {
		struct heard h;
		int64_t until_ns;

		driver.ahead_ns = 0;
		listen_to(&h, "/dev/null");
		hear(&h, EVENT_PHC_METHOD);
		hear_one(&h);
		driver.ahead_ns = 37 * NSEC_PER_SEC;
		if (!heard_after)
			phc_source_was_set(h.source, nsec_now(CLOCK_MONOTONIC));
		while (llabs(h.sample.value) > 30 * NSEC_PER_SEC)
			hear_one(&h);
		if (heard_after)
			phc_source_was_set(h.source, nsec_now(CLOCK_MONOTONIC));
		until_ns = nsec_now(CLOCK_MONOTONIC) + NSEC_PER_SEC;
		while (nsec_now(CLOCK_MONOTONIC) < until_ns)
			hear_one(&h);
		assert_int_equal(phc_source_facts(h.source).jumps, 0);
		driver.ahead_ns += NSEC_PER_SEC; /* and this one is somebody else's */
		hear(&h, EVENT_PHC_JUMPED);
		phc_source_free(h.source);
	}
}

static void a_device_that_is_not_there_is_waited_for(void **state)
{
	struct heard h;

	listen_to(&h, "/nonexistent/ptp0");
	hear(&h, EVENT_PHC_FAILED);
	assert_non_null(strstr(h.events[0].text, "ptp0: cannot be read: ENOENT"));
	assert_int_equal(h.n_samples, 0);
	phc_source_free(h.source);
}

static void a_slow_one_holds_up_only_itself(void **state)
{
	struct heard h;
	int64_t from_ns;
	int calls;

	driver.sleep_ns = 150 * NSEC_PER_MSEC;
	listen_to(&h, "/dev/null");
	while (!driver.calls)
		(void)poll(NULL, 0, 1);
	from_ns = nsec_now(CLOCK_MONOTONIC);
	phc_source_receive(h.source);
	phc_source_tick(h.source, from_ns + 2 * NSEC_PER_SEC);
	assert_int_equal(h.n_events, 0);
	phc_source_tick(h.source, from_ns + 4 * NSEC_PER_SEC); /* as if it had hung so long */
	assert_true(nsec_now(CLOCK_MONOTONIC) - from_ns < 100 * NSEC_PER_MSEC);
	assert_int_equal(h.n_events, 1);
	assert_int_equal(h.events[0].code, EVENT_PHC_SLOW);
	hear(&h, EVENT_PHC_METHOD);
	assert_int_equal(h.n_samples, 1);
	calls = driver.calls;
	(void)poll(NULL, 0, 300); /* ten times what it took, not the interval */
	assert_int_equal(driver.calls, calls);
	phc_source_free(h.source);
}

static void one_that_hangs_can_be_left(void **state)
{
	struct heard h;
	int64_t from_ns;

	driver.sleep_ns = NSEC_PER_SEC;
	listen_to(&h, "/dev/null");
	from_ns = nsec_now(CLOCK_MONOTONIC);
	while (!driver.calls)
		(void)poll(NULL, 0, 1);
	phc_source_free(h.source);
	assert_true(nsec_now(CLOCK_MONOTONIC) - from_ns < 800 * NSEC_PER_MSEC);
	(void)poll(NULL, 0, 1500); /* the thread sees that it is alone, and ends */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_best_that_the_driver_has_is_used, forget),
		cmocka_unit_test_setup(the_moment_is_on_the_axis, forget),
		cmocka_unit_test_setup(samples_come_at_the_interval, forget),
		cmocka_unit_test_setup(faults_are_told_by_name_and_once, forget),
		cmocka_unit_test_setup(what_we_set_ourselves_is_no_jump, forget),
		cmocka_unit_test_setup(a_device_that_is_not_there_is_waited_for, forget),
		cmocka_unit_test_setup(a_slow_one_holds_up_only_itself, forget),
		cmocka_unit_test_setup(one_that_hangs_can_be_left, forget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
