/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tests/unit/report_plants.h: what is planted for reports: a night in small, and odd cases. */
#pragma once
#include <stdint.h>

#include "report_fixture.h"

enum { PLANT_RATE = 32, PLANT_PHASE_S = 60, PLANT_PHASE_SAMPLES = PLANT_RATE * PLANT_PHASE_S };

/*
 * 1 .. 1920 in a shuffled order (7 and 1920 have no common divisor), the signs alternating; the
 * largest is the 823rd, after 25.7 s.
 */
int64_t plant_shuffled(int64_t i);

/*
 * A night in small: locked after 5 s, idle from 10 s and load from 75 s for a minute each, a hole
 * from 137 to 139 s. Under load one wake-up of 118.203 us while the link was down.
 */
void plant_night(struct fixture *f);

void plant_nothing(struct fixture *f);
void plant_killed(struct fixture *f);
void plant_one_sample(struct fixture *f);
/* ptp4l was there and never locked: samples, and none that counts. */
void plant_never_locked(struct fixture *f);

/* A grandmaster that feeds TAI as UTC: 37 s, and small noise upon it that must not drown. */
void plant_37_seconds(struct fixture *f);

/* Two ports; a phase that came twice, five more than a line holds; a sampler that is not one. */
void plant_many_columns(struct fixture *f);

/* At 60 s the wall clock, an hour late until then, is set right. */
void plant_wall_clock_step(struct fixture *f);

/* Lines of a log with rms and max alone: 9 in each of two phases, the first before it locked. */
void plant_summaries(struct fixture *f);

/* The system clock against a PHC, idle and under load, and as phc2sys claims. */
void plant_phcs(struct fixture *f);
