/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "ptpmon/store/query.h"

enum { WRITE_TIMEOUT_S = 10 };

void fixture_open(struct fixture *f, const char *label)
{
	const struct store_run run = {
		.token = "token",
		.boot_id = "boot",
		.host = "board7",
		.kernel = "6.1.0-rt",
		.machine = "aarch64",
		.version = "0.1.0",
		.ptp4l_version = "3.1.1",
		.configuration = "[ptpmon]\nrole = slave\ninterfaces = eth0\n",
		.label = label,
	};
	char why[STORE_ERROR_MAX];
	int64_t resumed;

	*f = (struct fixture){.directory = "/tmp/ptpmon-test-report-XXXXXX"};
	assert_non_null(mkdtemp(f->directory));
	(void)snprintf(f->path, sizeof(f->path), "%s/ptpmon.db", f->directory);
	if (store_open(&f->store, f->directory, &run, &resumed, why) < 0)
		fail_msg("%s", why);
	assert_int_equal(store_start(f->store, 3600 * S, -1), 0);
	fixture_anchor(f, 0, START_UTC);
}

static unsigned declare(struct fixture *f, const struct series *series)
{
	assert_int_equal(store_put_series(f->store, series), 0);
	return f->n_series++;
}

unsigned fixture_series(struct fixture *f, enum series_kind kind, const char *source,
			const char *subject)
{
	struct series s = {.kind = kind, .unit = "ns"};

	(void)snprintf(s.source, sizeof(s.source), "%s", source);
	(void)snprintf(s.subject, sizeof(s.subject), "%s", subject);
	return declare(f, &s);
}

unsigned fixture_offset_series(struct fixture *f, const char *port)
{
	return fixture_series(f, SERIES_OFFSET, "pmc", port);
}

unsigned fixture_latency_series(struct fixture *f, const char *cpu)
{
	return fixture_series(f, SERIES_LATENCY, "latency", cpu);
}

void fixture_put(struct fixture *f, unsigned series, const struct sample *sample)
{
	struct sample s = *sample;

	s.series = series;
	s.mono_ns += START_MONO;
	assert_true(store_put_sample(f->store, &s));
}

void fixture_sample(struct fixture *f, unsigned series, int64_t at, int64_t value, uint32_t flags)
{
	fixture_put(
		f, series,
		&(struct sample){.flags = flags, .mono_ns = at, .value = value, .delay_ns = 540});
}

void fixture_event(struct fixture *f, enum event_code code, int64_t at, const char *subject,
		   const char *text, const char *detail)
{
	struct event e = event_make(code, START_MONO + at, subject, "%s", text);

	(void)snprintf(e.detail, sizeof(e.detail), "%s", detail);
	assert_true(store_put_event(f->store, &e));
}

void fixture_state(struct fixture *f, int64_t at, const char *port, const char *state)
{
	char text[128];
	char detail[128];

	(void)snprintf(text, sizeof(text), "port 1 (%s): %s", port, state);
	(void)snprintf(detail, sizeof(detail), "{\"state\": \"%s\"}", state);
	fixture_event(f, EVENT_PORT_STATE, at, port, text, detail);
}

void fixture_anchor(struct fixture *f, int64_t at, int64_t utc_ns)
{
	const struct clock_anchor a = {
		.mono_ns = START_MONO + at,
		.raw_ns = START_MONO + at,
		.utc_ns = utc_ns,
		.tai_offset_s = TIME_UNKNOWN,
		.reason = at == 0 ? ANCHOR_START : ANCHOR_STEP,
	};

	assert_true(store_put_anchor(f->store, &a));
}

void fixture_phase(struct fixture *f, const char *name, int64_t from, int64_t to)
{
	assert_true(store_begin_phase(f->store, START_MONO + from, name));
	assert_true(store_end_phase(f->store, START_MONO + to));
}

void fixture_window(struct fixture *f, unsigned series, int64_t from, uint32_t usual,
		    int64_t usual_ns, int64_t worst_ns)
{
	static struct histogram h;
	static struct latency_window w;
	bool over = worst_ns >> HISTOGRAM_MAX_BITS;

	memset(&h, 0, sizeof(h));
	h.bins[histogram_bin((uint64_t)usual_ns)] += usual;
	if (!over)
		h.bins[histogram_bin((uint64_t)worst_ns)]++;
	w = (struct latency_window){
		.start_mono_ns = START_MONO + from,
		.end_mono_ns = START_MONO + from + S,
		.count = usual + 1,
		.min_ns = usual_ns,
		.max_ns = worst_ns,
		.sum_ns = usual * usual_ns + worst_ns,
		.overflow = over,
		.missed = over ? (uint64_t)(worst_ns / NSEC_PER_MSEC) : 0,
	};
	w.bins_len = histogram_encode(&h, w.bins, sizeof(w.bins));
	assert_true(store_put_window(f->store, series, &w));
}

void fixture_close(struct fixture *f, int64_t end, const char *how, const char *sql)
{
	char *bounds;
	sqlite3 *db;

	f->store = store_close(f->store, how ? how : "", WRITE_TIMEOUT_S * S);
	assert_int_equal(sqlite3_open(f->path, &db), SQLITE_OK);
	/* the store took the moment of its opening and closing: these are planted, too */
	bounds =
		sqlite3_mprintf("UPDATE run SET start_mono_ns = %lld, end_mono_ns = %lld, how = %Q",
				(long long)START_MONO, (long long)(START_MONO + end), how);
	assert_int_equal(sqlite3_exec(db, bounds, NULL, NULL, NULL), SQLITE_OK);
	if (!how)
		assert_int_equal(
			sqlite3_exec(db, "UPDATE run SET end_mono_ns = NULL", NULL, NULL, NULL),
			SQLITE_OK);
	if (sql)
		assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_free(bounds);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

struct report *fixture_report(const struct fixture *f, const struct report_request *request)
{
	const struct report_request usual = {
		.since_mono_ns = TIME_UNKNOWN,
		.until_mono_ns = TIME_UNKNOWN,
		.role = "slave",
	};
	char why[QUERY_ERROR_MAX];
	struct report *r = NULL;
	struct query *q;

	if (query_open(&q, f->path, NULL, why) < 0)
		fail_msg("%s", why);
	assert_int_equal(report_build(&r, q, request ? request : &usual), 0);
	(void)query_free(q);
	(void)snprintf(r->run.database, sizeof(r->run.database), "ptpmon.db");
	return r;
}

void fixture_remove(struct fixture *f)
{
	static const char *const files[] = {"ptpmon.db", "ptpmon.db-wal", "ptpmon.db-shm"};
	char path[128];

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		(void)snprintf(path, sizeof(path), "%s/%s", f->directory, files[i]);
		(void)unlink(path);
	}
	assert_int_equal(rmdir(f->directory), 0);
}
