// SPDX-License-Identifier: GPL-2.0-or-later
#include "ptpmon/serve/turns.h"

#include <time.h>

#include "ptpmon/base/nsec.h"

/* What the loop itself does for a wake-up, beside what the client's own work takes. */
static const int64_t wakeup_ns = 10 * NSEC_PER_USEC;

enum { TIMER_ACCURACY_US = 1000 };

static void arm(struct turns *t, int64_t now_mono_ns)
{
	int64_t wait_ns = t->paid_mono_ns - now_mono_ns;

	/* at least a moment: who was let in last may have been too late to need it */
	if (wait_ns < NSEC_PER_MSEC)
		wait_ns = NSEC_PER_MSEC;
	(void)sd_event_source_set_time_relative(t->timer, (uint64_t)(wait_ns / NSEC_PER_USEC));
	(void)sd_event_source_set_enabled(t->timer, SD_EVENT_ONESHOT);
}

static void let_in(struct turns *t, struct turn *turn)
{
	TAILQ_REMOVE(&t->line, turn, link);
	turn->waits = false;
	(void)sd_event_source_set_enabled(turn->io, SD_EVENT_ON);
}

static int on_timer(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct turns *t = userdata;
	struct turn *first = TAILQ_FIRST(&t->line);

	t->next = first;
	if (!first)
		return 0;
	let_in(t, first);
	arm(t, nsec_now(CLOCK_MONOTONIC));
	return 0;
}

int turns_init(struct turns *t, sd_event *loop)
{
	int r;

	*t = (struct turns){0};
	TAILQ_INIT(&t->line);
	r = sd_event_add_time_relative(loop, &t->timer, CLOCK_MONOTONIC, 0, TIMER_ACCURACY_US,
				       on_timer, t);
	if (r < 0)
		return r;
	(void)sd_event_source_set_enabled(t->timer, SD_EVENT_OFF);
	(void)sd_event_source_set_priority(t->timer, SD_EVENT_PRIORITY_IDLE);
	return 0;
}

void turns_clear(struct turns *t)
{
	t->timer = sd_event_source_disable_unref(t->timer);
}

bool turns_take(struct turns *t, struct turn *mine)
{
	int64_t now_mono_ns = nsec_now(CLOCK_MONOTONIC);
	bool first_in_line = mine == t->next || (!t->next && TAILQ_EMPTY(&t->line));

	if (t->paid_mono_ns <= now_mono_ns && first_in_line) {
		t->began_cpu_ns = nsec_now(CLOCK_THREAD_CPUTIME_ID);
		return true;
	}
	if (mine == t->next)
		t->next = NULL;
	if (TAILQ_EMPTY(&t->line))
		arm(t, now_mono_ns);
	TAILQ_INSERT_TAIL(&t->line, mine, link);
	mine->waits = true;
	(void)sd_event_source_set_enabled(mine->io, SD_EVENT_OFF);
	return false;
}

void turns_done(struct turns *t)
{
	int64_t now_mono_ns = nsec_now(CLOCK_MONOTONIC);
	int64_t spent_ns = nsec_now(CLOCK_THREAD_CPUTIME_ID) - t->began_cpu_ns + wakeup_ns;
	int64_t saved_since_ns = now_mono_ns - TURNS_SAVED_MS * NSEC_PER_MSEC;

	if (t->paid_mono_ns < saved_since_ns)
		t->paid_mono_ns = saved_since_ns;
	t->paid_mono_ns += spent_ns * TURNS_SHARE;
	t->next = NULL;
	if (!TAILQ_EMPTY(&t->line))
		arm(t, now_mono_ns);
}

void turns_leave(struct turns *t, struct turn *mine)
{
	if (mine->waits)
		TAILQ_REMOVE(&t->line, mine, link);
	mine->waits = false;
	if (t->next == mine)
		t->next = NULL;
}
