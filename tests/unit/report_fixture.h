/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tests/unit/report_fixture.h: runs whose every figure is planted, recorded through store.h. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "ptpmon/base/nsec.h"
#include "ptpmon/model/event.h"
#include "ptpmon/report/build.h"
#include "ptpmon/store/store.h"

#define S NSEC_PER_SEC

/* The run begins here on both clocks: at 2026-03-01T22:00:00Z. */
#define START_MONO (1000 * S)
#define START_UTC  (INT64_C(1772402400) * S)

struct fixture {
	char directory[64];
	char path[96];
	struct store *store;
	unsigned n_series;
};

/* Opens a record with one anchor at the start; everything fails the test that fails. */
void fixture_open(struct fixture *f, const char *label);

/* Declares a series; its index. */
unsigned fixture_series(struct fixture *f, enum series_kind kind, const char *source,
			const char *subject);
unsigned fixture_offset_series(struct fixture *f, const char *port);
unsigned fixture_latency_series(struct fixture *f, const char *cpu);

/* All times are ns since the start of the run. */
void fixture_sample(struct fixture *f, unsigned series, int64_t at, int64_t value, uint32_t flags);
void fixture_put(struct fixture *f, unsigned series,
		 const struct sample *sample); /* full control */
void fixture_event(struct fixture *f, enum event_code code, int64_t at, const char *subject,
		   const char *text, const char *detail);
void fixture_state(struct fixture *f, int64_t at, const char *port, const char *state);
void fixture_anchor(struct fixture *f, int64_t at, int64_t utc_ns);
void fixture_phase(struct fixture *f, const char *name, int64_t from, int64_t to);

/* A window of a second in which `usual` wake-ups took usual_ns each, and one took worst_ns. */
void fixture_window(struct fixture *f, unsigned series, int64_t from, uint32_t usual,
		    int64_t usual_ns, int64_t worst_ns);

/* Ends the record: `how` NULL as a killed one. Then other statements on the file, or NULL. */
void fixture_close(struct fixture *f, int64_t end, const char *how, const char *sql);

/* The report of it; its database is called "ptpmon.db" in it. Frees nothing of the fixture. */
struct report *fixture_report(const struct fixture *f, const struct report_request *request);

/* Removes the files. */
void fixture_remove(struct fixture *f);
