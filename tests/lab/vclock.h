// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests/lab/vclock.h: a private CLOCK_REALTIME, shared through a file by the programs of one board.
 *
 * Network namespaces do not separate clocks, so two boards on one machine would steer one clock.
 * Here each board has a clock of its own: a line through one point, relative to the machine's
 * CLOCK_REALTIME, which nobody touches and which therefore is the truth. The clock's true error
 * is vclock_time_ns(state, real) - real: positive means ahead.
 *
 * Any number of programs read and write at once. A reader never waits: it takes the one of two
 * copies that is not being written, and only repeats itself if a writer finished meanwhile; so a
 * writer that is stopped, killed or starved at any instruction holds nobody up but the next
 * writer, and that one for at most a second.
 */
#pragma once
#include <stdint.h>

struct vclock; /* one mapping of the file; safe in any number of threads */

/* Only int64_t members: they are exchanged as an array of words. */
struct vclock_state {
	int64_t real0_ns;    /* when the machine's CLOCK_REALTIME showed this ... */
	int64_t virt0_ns;    /* ... this clock showed that */
	int64_t drift_ppb;   /* the oscillator's own error, which a servo has to find */
	int64_t freq;        /* set by ADJ_FREQUENCY: 2^-16 ppm, positive is faster */
	int64_t tick_us;     /* set by ADJ_TICK: 10000 is nominal, one more is 100 ppm faster */
	int64_t status;      /* set by ADJ_STATUS: STA_ flags */
	int64_t maxerror_us; /* set by ADJ_MAXERROR; it does not grow */
	int64_t tai_s;       /* set by ADJ_TAI: TAI minus UTC */
	int64_t steps;       /* how often it was set rather than slewed */
};

/*
 * Make the file of a new clock, offset_ns ahead of real_ns (now, by the machine's CLOCK_REALTIME).
 * Nothing vouches for it, as for that of a machine that was just booted.
 * 0 or -errno; -EEXIST if there is such a file.
 */
int vclock_create(const char *path, int64_t offset_ns, int64_t drift_ppb, int64_t real_ns);

/*
 * Map an existing one; for reading only where the file cannot be written by this user.
 * 0, -EBADMSG if the file is not a clock, or -errno. *out changes only on success.
 */
int vclock_open(struct vclock **out, const char *path);
struct vclock *vclock_close(struct vclock *c);

void vclock_read(const struct vclock *c, struct vclock_state *out);

/*
 * Change it: begin, alter *state, commit. 0, -EACCES if it was opened for reading only, -ETIMEDOUT
 * if another writer has been in between its begin and its commit for a second. After 0, commit is
 * owed.
 */
int vclock_begin(struct vclock *c, struct vclock_state *state);
void vclock_commit(struct vclock *c, const struct vclock_state *state);

/* What the clock shows when the machine's CLOCK_REALTIME shows real_ns. */
int64_t vclock_time_ns(const struct vclock_state *s, int64_t real_ns);

/* How much faster than nominal the clock was set to run by those who steer it. */
double vclock_freq_ppb(const struct vclock_state *s);

/* STA_ flags as the kernel shows them: STA_UNSYNC whatever was set, from 16 s of error on. */
int64_t vclock_status(const struct vclock_state *s);

/* Move the line's point to real_ns without moving the line: what precedes a change of rate. */
void vclock_anchor(struct vclock_state *s, int64_t real_ns);
