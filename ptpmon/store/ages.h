/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/store/ages.h: how old what is recorded is, in recorded time.
 *
 * The age of a moment is how much has been recorded since: the rest of its run, and the runs after
 * it. No wall clock is asked, so none that is not set, or was set wrongly, makes anything old.
 */
#pragma once
#include <sqlite3.h>
#include <stdint.h>

struct ages;

/* Of all runs; current is the one that is being recorded, the newest. 0, or -errno. */
int ages_new(struct ages **out, sqlite3 *db, int64_t current);
struct ages *ages_free(struct ages *a);

/*
 * The moment of a run, in its own time, before which everything is older than age_ns: INT64_MAX if
 * all of the run is (or there is no such run), INT64_MIN if age_ns is 0, which is for ever.
 */
int64_t ages_older_before(const struct ages *a, int64_t run, int64_t now_mono_ns, int64_t age_ns);
