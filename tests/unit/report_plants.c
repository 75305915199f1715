/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report_plants.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

int64_t plant_shuffled(int64_t i)
{
	int64_t v = (i * 7 + 1918) % PLANT_PHASE_SAMPLES + 1;

	return i % 2 ? -v : v;
}

/* Offsets of the night: `factor` times 1 .. 1920 in a phase of a minute from `phase` on. */
static void plant_offsets(struct fixture *f, unsigned offset, int64_t from, int64_t to,
			  int64_t factor)
{
	for (int64_t i = 0; from + i * S / PLANT_RATE < to; i++)
		fixture_sample(f, offset, from + i * S / PLANT_RATE,
			       factor ? factor * plant_shuffled(i) : 3, 0);
}

void plant_night(struct fixture *f)
{
	unsigned offset = fixture_offset_series(f, "eth0");
	unsigned cpus[] = {fixture_latency_series(f, "cpu 0"), fixture_latency_series(f, "cpu 1")};

	fixture_event(f, EVENT_CHILD_STARTED, S / 10, "ptp4l", "ptp4l: started, pid=4711", "");
	for (size_t cpu = 0; cpu < 2; cpu++)
		fixture_event(f, EVENT_SAMPLER_CONDITIONS, S / 5, cpu ? "cpu 1" : "cpu 0",
			      "SCHED_FIFO 98", "{\"idle_states_held\": false}");
	fixture_state(f, 1 * S, "eth0", "LISTENING");
	fixture_state(f, 3 * S, "eth0", "UNCALIBRATED");
	fixture_sample(f, offset, 4 * S, -37000000000, SAMPLE_STEP | SAMPLE_UNLOCKED);
	fixture_sample(f, offset, 4500 * NSEC_PER_MSEC, 123456, SAMPLE_UNLOCKED);
	fixture_state(f, 5 * S, "eth0", "SLAVE");
	fixture_phase(f, "idle", 10 * S, 70 * S);
	fixture_phase(f, "load", 75 * S, 135 * S);
	plant_offsets(f, offset, 5 * S, 10 * S, 0);
	plant_offsets(f, offset, 10 * S, 70 * S, 1);
	plant_offsets(f, offset, 70 * S, 75 * S, 0);
	plant_offsets(f, offset, 75 * S, 135 * S, 2);
	plant_offsets(f, offset, 135 * S, 137 * S + 1, 0);
	fixture_put(f, offset,
		    &(struct sample){.flags = SAMPLE_TIME_ASSUMED,
				     .missed = 7,
				     .mono_ns = 139 * S,
				     .value = 3,
				     .delay_ns = SAMPLE_UNKNOWN});
	for (int64_t second = 5; second < 140; second++)
		for (size_t cpu = 0; cpu < 2; cpu++)
			fixture_window(f, cpus[cpu], second * S, 999, 5000,
				       second == 100 && cpu == 1 ? 118203 : 9000 + second);
	fixture_event(f, EVENT_LINK_DOWN, 100 * S + 400 * NSEC_PER_MSEC, "eth0", "eth0: no carrier",
		      "");
	fixture_event(f, EVENT_LINK_UP, 100 * S + 500 * NSEC_PER_MSEC, "eth0", "eth0: carrier", "");
	assert_true(store_put_mark(f->store, START_MONO + 80 * S, "fan off", "root"));
	fixture_event(f, EVENT_RUN_ENDED, 140 * S, "", "run: ended", "");
	fixture_close(f, 140 * S, "stopped", NULL);
}

void plant_nothing(struct fixture *f)
{
	fixture_event(f, EVENT_RUN_STARTED, 0, "", "run: started", "");
	fixture_close(f, 10 * S, "stopped", NULL);
}

void plant_killed(struct fixture *f)
{
	unsigned offset = fixture_offset_series(f, "eth0");

	fixture_state(f, 0, "eth0", "SLAVE");
	fixture_phase(f, "load", 10 * S, 20 * S);
	for (int64_t i = 0; i <= 30; i++)
		fixture_sample(f, offset, i * S, i, 0);
	fixture_close(f, 0, NULL, "UPDATE phase SET end_mono_ns = NULL");
}

void plant_one_sample(struct fixture *f)
{
	fixture_sample(f, fixture_offset_series(f, "eth0"), 5 * S, -12, 0);
	fixture_close(f, 5500 * NSEC_PER_MSEC, "stopped", NULL);
}

void plant_never_locked(struct fixture *f)
{
	unsigned offset = fixture_offset_series(f, "eth0");

	fixture_state(f, S, "eth0", "UNCALIBRATED");
	for (int64_t i = 0; i < 20; i++)
		fixture_put(f, offset,
			    &(struct sample){.flags = SAMPLE_UNLOCKED,
					     .missed = 3,
					     .mono_ns = 2 * S + i * S / 8,
					     .value = SAMPLE_UNKNOWN + (i > 0 ? 1 + i : 0),
					     .delay_ns = SAMPLE_UNKNOWN});
	fixture_close(f, 5 * S, "stopped", NULL);
}

void plant_37_seconds(struct fixture *f)
{
	unsigned offset = fixture_offset_series(f, "eth0");

	fixture_state(f, 0, "eth0", "SLAVE");
	for (int64_t i = 0; i < 1000; i++)
		fixture_sample(f, offset, i * S / 8, -37000000000 + (i % 2 ? 3 : -3), 0);
	fixture_close(f, 125 * S, "stopped", NULL);
}

void plant_many_columns(struct fixture *f)
{
	static const char *const names[] = {"idle", "load", "a phase with a long name",
					    "load", "cold", "hot"};
	unsigned eth0 = fixture_offset_series(f, "eth0");
	unsigned eth1 = fixture_offset_series(f, "eth1");
	unsigned cpu = fixture_latency_series(f, "cpu 3");

	fixture_state(f, 0, "eth0", "SLAVE");
	fixture_state(f, 0, "eth1", "SLAVE");
	fixture_event(f, EVENT_NOT_REALTIME, 0, "",
		      "latency: SCHED_FIFO refused (Operation not permitted)", "{\"errno\": 1}");
	fixture_event(f, EVENT_SAMPLER_CONDITIONS, 0, "cpu 3", "cpu 3: SCHED_OTHER",
		      "{\"idle_states_held\": true}");
	for (int64_t i = 0; i < 6; i++)
		fixture_phase(f, names[i], i * 10 * S + S, (i + 1) * 10 * S);
	for (int64_t i = 0; i < 60; i++) {
		fixture_sample(f, eth0, i * S, i - 30, 0);
		fixture_sample(f, eth1, i * S + S / 2, 10 * (i - 30), 0);
		fixture_window(f, cpu, i * S, 99, 5000, i == 42 ? 1500 * NSEC_PER_MSEC : 6000);
	}
	fixture_event(f, EVENT_GAP, 33 * S, "", "nothing was recorded",
		      "{\"from_mono_ns\": \"1030000000000\", \"to_mono_ns\": \"1030500000000\"}");
	fixture_close(f, 60 * S, "stopped", NULL);
}

void plant_wall_clock_step(struct fixture *f)
{
	unsigned offset = fixture_offset_series(f, "eth0");

	fixture_state(f, 0, "eth0", "SLAVE");
	for (int64_t i = 0; i < 120; i++)
		fixture_sample(f, offset, i * S, i == 59 ? 1000 : i == 61 ? 2000 : 1, 0);
	fixture_event(f, EVENT_CLOCK_STEPPED, 60 * S, "", "CLOCK_REALTIME: stepped by 3600 s", "");
	fixture_anchor(f, 60 * S, START_UTC + 3660 * S);
	fixture_close(f, 120 * S, "stopped", NULL);
}

void plant_summaries(struct fixture *f)
{
	unsigned rms = fixture_series(f, SERIES_OFFSET_RMS, "ptp4l", "eth0");
	unsigned max = fixture_series(f, SERIES_OFFSET_MAX, "ptp4l", "eth0");

	fixture_phase(f, "idle", 0, 9 * S);
	fixture_phase(f, "load", 9 * S, 18 * S);
	for (int64_t i = 0; i < 18; i++) {
		fixture_sample(f, rms, i * S, i == 0 ? INT64_C(1580914543017209856) : 100 + i, 0);
		fixture_sample(f, max, i * S, i == 0 ? INT64_C(1580914543017209900) : 200 + 3 * i,
			       0);
	}
	fixture_close(f, 18 * S, "imported", NULL);
}

void plant_phcs(struct fixture *f)
{
	unsigned own = fixture_series(f, SERIES_SYS_MINUS_PHC, "phc", "ptp0");
	unsigned claim = fixture_series(f, SERIES_PHC2SYS, "phc2sys", "CLOCK_REALTIME");

	fixture_phase(f, "idle", 0, 100 * S);
	fixture_phase(f, "load", 100 * S, 200 * S);
	for (int64_t i = 0; i < 200; i++) {
		const struct sample s = {
			.flags = i < 2 ? SAMPLE_UNLOCKED : 0,
			.mono_ns = i * S,
			.value = i < 2 ? -37 * S : (i % 2 ? 1 : -1) * (i < 100 ? 10 : i),
			.delay_ns = i < 100 ? 2560 : 7000,
		};

		fixture_put(f, own, &s);
		fixture_sample(f, claim, i * S, s.value - 3, s.flags);
	}
	fixture_close(f, 200 * S, "stopped", NULL);
}
