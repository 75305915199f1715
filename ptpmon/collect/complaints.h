/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/collect/complaints.h: lines of linuxptp's programs that mean trouble, as events.
 *
 * A table names each by a part of its text (linuxptp 3.1.1 to 4.4) and says what it means and what
 * to do. Wording is no interface: a line that is not known is no complaint, and no figure is taken
 * from one. The first of its code is an event at once; those that follow are counted and told once
 * a minute. Pure: lines and times in, events out.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ptpmon/model/event.h"

/* One row of the table. */
struct complaint {
	const char *program; /* NULL: any */
	const char *part;    /* of the line … */
	const char *also;    /* … and this too; or NULL */
	enum event_code code;
	const char *hint; /* what to look at or to do */
};

/* The row that knows this line of that program, or NULL. */
const struct complaint *complaint_find(const char *program, const char *text);

/* Told at most so often of one code. */
#define COMPLAINTS_EVERY_NS INT64_C(60000000000)

struct complaint_count {
	enum event_code code;
	uint64_t count;  /* since the recorder began */
	uint64_t untold; /* of these, since the last event */
	int64_t mono_ns; /* of the newest */
	int64_t told_mono_ns;
	const char *hint;
};

enum { COMPLAINT_CODES_MAX = 24 };

/* One program's; initialise the first three. */
struct complaints {
	const char *program; /* of the table */
	const char *name;    /* what it is called in what is told */
	unsigned major;      /* of linuxptp; 0: not known */
	size_t n;
	struct complaint_count counts[COMPLAINT_CODES_MAX];
	/* waits for a transmit timestamp that failed, as far apart as a faulty port's new tries */
	unsigned tx_rounds;
	int64_t tx_round_mono_ns;
	bool minor_told;
};

/* One line, without its frame. True if there is something to tell: *out. */
bool complaints_feed(struct complaints *c, const char *text, int64_t now_mono_ns,
		     struct event *out);

/*
 * Once in a while: true, and an event, for one code whose complaints were counted and not told for
 * long enough; ask again until it is false. So is the suspicion that grows of several.
 */
bool complaints_due(struct complaints *c, int64_t now_mono_ns, struct event *out);
