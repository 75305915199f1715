/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tests/unit/status-fixture.h: statuses as a service might fill them, by name. */
#pragma once
#include "ptpmon/model/status.h"

/* The moment they were taken, and when the service had started. */
#define FIXTURE_TAKEN_MONO_NS   INT64_C(8040500000000)
#define FIXTURE_STARTED_MONO_NS INT64_C(100000000)

struct status_fixture {
	const char *name;
	void (*change)(struct status *s); /* what differs from a good slave */
	enum status_verdict verdict;
};

extern const struct status_fixture status_fixtures[];
extern const size_t n_status_fixtures;

/* The status of that row, expired, to be freed. */
struct status *status_fixture_new(const struct status_fixture *f);
