/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs that run and are of no use, by numbers: what is known each second, what is told of it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "pmc-client/ptp_types.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/model/useless.h"

#define S NSEC_PER_SEC

/* What is true at second t, changed by a case. */
typedef void (*world_fn)(struct useless_facts *f, int64_t t);

/* A slave that is well since second 10, asked each second. */
static struct useless_facts well(int64_t t)
{
	return (struct useless_facts){
		.first_port = true,
		.slave = true,
		.up_mono_ns = 1 * S,
		.answered_mono_ns = t * S,
		.socket_there = true,
		.state = PTP_SLAVE,
		.state_since_mono_ns = 10 * S,
		.offset_mono_ns = t * S - S / 8,
		.stale_after_ns = 1 * S,
		.announce_timeout_ns = 6 * S,
		.present = true,
		.carrier = true,
		.link_mono_ns = 1 * S,
	};
}

/* "30 management-silent", "33 restart management-silent", "40 over management-silent 9.5" … */
static void tell(char *told, size_t size, const struct useless_news *news, int64_t t)
{
	static const char *const words[] = {
		[USELESS_NAMED] = "",
		[USELESS_RESTART] = "restart ",
		[USELESS_OVER] = "over ",
	};
	size_t len = strlen(told);

	len += (size_t)snprintf(told + len, size - len, "%s%lld %s%s", len ? ", " : "",
				(long long)t, words[news->what], event_code_name(news->code));
	if (news->what == USELESS_OVER)
		(void)snprintf(told + len, size - len, " %.1f", (double)news->recover_ns / 1e9);
}

static void run(world_fn world, bool restart, int64_t from, int64_t to, char told[static 1024])
{
	struct useless_policy policy = useless_default_policy;
	struct useless u = {0};

	policy.restart = restart;
	told[0] = '\0';
	for (int64_t t = from; t <= to; t++) {
		struct useless_facts f = well(t);
		struct useless_news news[USELESS_NEWS_MAX];
		size_t n;

		world(&f, t);
		n = useless_look(&u, &policy, &f, t * S, news);
		for (size_t i = 0; i < n; i++)
			tell(told, 1024, &news[i], t);
	}
}

static void nothing(struct useless_facts *f, int64_t t)
{
}

/* Stopped at 20; started again at 26, answers at 27, SLAVE at 30, offsets from then on. */
static void hangs(struct useless_facts *f, int64_t t)
{
	if (t < 20 || t >= 30)
		return;
	f->offset_mono_ns = 20 * S;
	f->answered_mono_ns = 20 * S;
	f->state = t < 23 ? PTP_SLAVE : 0;
	if (t >= 26)
		f->up_mono_ns = 26 * S;
	if (t >= 27)
		f->answered_mono_ns = t * S;
}

static void never_answers(struct useless_facts *f, int64_t t)
{
	f->answered_mono_ns = 0;
	f->state = 0;
	f->offset_mono_ns = 0;
	f->up_mono_ns = t - t % 6 ? (t - t % 6) * S : S; /* each start helps for nothing */
}

static void socket_deleted(struct useless_facts *f, int64_t t)
{
	if (t < 20 || t > 22)
		return;
	f->socket_there = false;
	if (t == 22) /* its own restart */
		f->up_mono_ns = f->answered_mono_ns = 0;
}

/* The master ends at 20: nothing new, SLAVE until the Announces time out at 26. */
static void master_gone(struct useless_facts *f, int64_t t)
{
	if (t < 20)
		return;
	f->offset_mono_ns = 20 * S;
	if (t >= 26) {
		f->state = PTP_LISTENING;
		f->state_since_mono_ns = 26 * S;
	}
}

static void master_back(struct useless_facts *f, int64_t t)
{
	master_gone(f, t);
	if (t < 500)
		return;
	*f = well(t);
	f->state_since_mono_ns = 499 * S;
}

/* Announces go on, Syncs do not come through any more. */
static void no_syncs(struct useless_facts *f, int64_t t)
{
	if (t >= 20)
		f->offset_mono_ns = 20 * S;
}

/* ptp4l missed the news of the link. */
static void stuck(struct useless_facts *f, int64_t t)
{
	if (t < 20)
		return;
	if (t >= 50) {
		f->state_since_mono_ns = 50 * S;
		return;
	}
	f->state = PTP_FAULTY;
	f->state_since_mono_ns = 20 * S;
	f->offset_mono_ns = 20 * S;
}

static void faulty_for_16_s(struct useless_facts *f, int64_t t)
{
	if (t < 36)
		stuck(f, t);
	else
		f->state_since_mono_ns = 36 * S;
}

static void faulty_without_link(struct useless_facts *f, int64_t t)
{
	stuck(f, t);
	if (t >= 20) {
		f->carrier = false;
		f->link_mono_ns = 20 * S;
	}
}

static void link_flaps(struct useless_facts *f, int64_t t)
{
	if (t < 20)
		return;
	f->link_mono_ns = t < 23 ? 20 * S : 23 * S;
	f->carrier = t >= 23;
	if (t < 27) {
		f->state = t < 24 ? PTP_FAULTY : PTP_UNCALIBRATED;
		f->state_since_mono_ns = t < 24 ? 20 * S : 24 * S;
		f->offset_mono_ns = 20 * S;
	} else {
		f->state_since_mono_ns = 26 * S;
	}
}

/* Down and up before ptp4l looked. */
static void flap_unnoticed(struct useless_facts *f, int64_t t)
{
	if (t >= 20)
		f->link_mono_ns = 20 * S;
}

static void lacks_a_master(struct useless_facts *f, int64_t t)
{
	f->state = PTP_LISTENING;
	f->state_since_mono_ns = 2 * S;
	f->offset_mono_ns = 0;
}

static void initializing(struct useless_facts *f, int64_t t)
{
	lacks_a_master(f, t);
	f->state = PTP_INITIALIZING;
}

static void killed(struct useless_facts *f, int64_t t)
{
	if (t < 20)
		return;
	f->ended_mono_ns = 20 * S;
	if (t < 25) {
		f->state = 0;
		f->offset_mono_ns = 20 * S - S / 2;
		f->answered_mono_ns = t < 22 ? 20 * S - S / 2 : t * S;
		f->up_mono_ns = t < 21 ? 0 : 21 * S;
	} else {
		f->up_mono_ns = 21 * S;
		f->state_since_mono_ns = 24 * S;
	}
}

static void interface_gone(struct useless_facts *f, int64_t t)
{
	if (t < 20)
		return;
	f->present = t >= 23;
	f->carrier = f->present;
	f->link_mono_ns = t < 23 ? 20 * S : 23 * S;
	if (t < 25)
		f->offset_mono_ns = 20 * S, f->state = PTP_FAULTY, f->state_since_mono_ns = 20 * S;
	else
		f->state_since_mono_ns = 24 * S;
}

static void phc2sys_hangs(struct useless_facts *f, int64_t t)
{
	f->phc2sys_up_mono_ns = 12 * S;
	f->phc2sys_interval_ns = S;
	f->phc2sys_said_mono_ns = t < 20 ? t * S : t < 30 ? 20 * S : t * S;
}

static void feeder_hangs(struct useless_facts *f, int64_t t)
{
	phc2sys_hangs(f, t);
	f->phc2sys_feeds = true;
	f->slave = false;
	f->state = PTP_MASTER;
	f->offset_mono_ns = 0;
}

static void phc2sys_while_no_slave(struct useless_facts *f, int64_t t)
{
	phc2sys_hangs(f, t < 20 ? t : 20);
	if (t >= 21)
		master_gone(f, 30);
}

static void a_grandmaster_is_well(struct useless_facts *f, int64_t t)
{
	f->slave = false;
	f->state = PTP_MASTER;
	f->offset_mono_ns = 0;
}

/* clang-format off */
static const struct {
	const char *name;
	world_fn world;
	bool restart;
	int64_t from, to;
	const char *told;
} rows[] = {
	{ "well", nothing, true, 11, 1000, "" },
	{ "a grandmaster has no offsets", a_grandmaster_is_well, true, 11, 1000, "" },
	{ "hangs", hangs, true, 11, 60,
	  "23 management-silent, 23 restart management-silent, 27 over management-silent 7.0" },
	{ "hangs, only named", hangs, false, 11, 60,
	  "23 management-silent, 27 over management-silent 7.0" },
	{ "never answers: the waits grow", never_answers, true, 11, 200,
	  "15 management-silent, 15 restart management-silent, 27 restart management-silent, "
	  "47 restart management-silent, 87 restart management-silent, 167 restart management-silent" },
	{ "its socket is deleted", socket_deleted, true, 11, 60,
	  "21 socket-gone, 21 restart socket-gone, 23 over socket-gone 3.0" },
	{ "master gone for good: never started again", master_gone, true, 11, 1000,
	  "21 sync-stale" },
	{ "master back after minutes", master_back, true, 11, 510,
	  "21 sync-stale, 500 over sync-stale 479.9" },
	{ "Syncs do not come through", no_syncs, true, 11, 32,
	  "21 sync-stale, 29 restart sync-stale" },
	{ "FAULTY with its link up", stuck, true, 11, 60,
	  "22 port-stuck, 40 restart port-stuck, 50 over port-stuck 30.0" },
	{ "FAULTY for its own 16 s", faulty_for_16_s, true, 11, 60,
	  "22 port-stuck, 36 over port-stuck 16.0" },
	{ "FAULTY without link", faulty_without_link, true, 11, 1000, "20 link-down" },
	{ "the link flaps", link_flaps, true, 11, 60,
	  "20 link-down, 27 over link-down 6.9" },
	{ "a flap that ptp4l does not notice", flap_unnoticed, true, 11, 1000, "" },
	{ "lacks a master: named, left alone", lacks_a_master, true, 11, 1000, "71 port-unsettled" },
	{ "INITIALIZING for ever", initializing, true, 11, 75,
	  "71 port-unsettled, 71 restart port-unsettled" },
	{ "killed", killed, true, 11, 60, "20 child-exited, 25 over child-exited 4.9" },
	{ "interface gone and back", interface_gone, true, 11, 60,
	  "20 link-gone, 25 over link-gone 4.9" },
	{ "phc2sys hangs", phc2sys_hangs, true, 11, 60,
	  "25 phc2sys-silent, 25 restart phc2sys-silent, 30 over phc2sys-silent 10.0" },
	{ "the phc2sys of a grandmaster hangs", feeder_hangs, true, 11, 60,
	  "25 phc2sys-silent, 25 restart phc2sys-silent, 30 over phc2sys-silent 10.0" },
	{ "phc2sys waits while there is nothing to follow", phc2sys_while_no_slave, true, 11, 60,
	  "" },
};
/* clang-format on */

static void each_kind_is_named_and_acted_on(void **state)
{
	char told[1024];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		run(rows[i].world, rows[i].restart, rows[i].from, rows[i].to, told);
		if (strcmp(told, rows[i].told) != 0)
			fail_msg("%s: %s", rows[i].name, told);
	}
}

/* Whoever did not look for a minute must not blame ptp4l for what it did not hear. */
static void a_pause_of_our_own_is_nobodys_fault(void **state)
{
	struct useless u = {0};
	struct useless_facts f = well(20);
	struct useless_news news[USELESS_NEWS_MAX];

	for (int64_t t = 11; t <= 20; t++)
		assert_int_equal(useless_look(&u, &useless_default_policy, &f, t * S, news), 0);
	/* everything known is from second 20 */
	for (int64_t t = 80; t < 83; t++)
		assert_int_equal(useless_look(&u, &useless_default_policy, &f, t * S, news), 0);
	assert_int_not_equal(useless_look(&u, &useless_default_policy, &f, 83 * S, news), 0);
	assert_int_equal(news[0].code, EVENT_MANAGEMENT_SILENT);
}

static void a_healthy_period_forgives(void **state)
{
	struct useless u = {0};
	struct useless_news news[USELESS_NEWS_MAX];

	for (int64_t t = 11; t < 400; t++) {
		struct useless_facts f = well(t);
		bool due;

		f.socket_there = t < 20 || (t > 21 && t < 300) || t > 301;
		due = t == 21 || t == 301;
		if ((useless_look(&u, &useless_default_policy, &f, t * S, news) == 2) != due)
			fail_msg("second %lld", (long long)t);
		assert_int_equal(u.wait_ns, t < 21 || (t > 30 && t < 301) || t > 310 ? 0 : 10 * S);
	}
}

static void events_say_everything(void **state)
{
	const struct useless_news named = {
		.what = USELESS_RESTART,
		.code = EVENT_MANAGEMENT_SILENT,
		.child = "ptp4l",
		.from_mono_ns = 20 * S,
		.detect_ns = 3 * S,
		.restarts = 1,
	};
	struct useless_news over = named;
	struct event e = useless_event(&named, "eth0", 23 * S);

	assert_string_equal(e.text, "eth0: ptp4l has not answered on its management "
				    "socket for 3.0 s: it is started again");
	assert_string_equal(e.detail,
			    "{\"cause\":\"management-silent\",\"from_mono_ns\":\"20000000000\","
			    "\"detect_ns\":3000000000,\"action\":\"restart\",\"restarts\":1}");
	over.what = USELESS_OVER;
	over.recover_ns = 7 * S;
	e = useless_event(&over, "eth0", 27 * S);
	assert_int_equal(e.code, EVENT_RECOVERED);
	assert_string_equal(e.text, "eth0: works again, 7.0 s after: ptp4l has not "
				    "answered on its management socket");
	assert_non_null(strstr(e.detail, ",\"recover_ns\":7000000000}"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_kind_is_named_and_acted_on),
		cmocka_unit_test(a_pause_of_our_own_is_nobodys_fault),
		cmocka_unit_test(a_healthy_period_forgives),
		cmocka_unit_test(events_say_everything),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
