/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/stats/mtie.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/base/cleanup.h"

enum {
	BLOCK = 64,
	CHUNK_BLOCKS = 4, /* window starts that are looked at together while m < BLOCK */
	CHUNK = CHUNK_BLOCKS * BLOCK,
	CHUNK_VALUES = CHUNK + BLOCK, /* that their windows reach */
	LINE_VALUES = 8,              /* of a cache line */
	AHEAD = 2 * BLOCK,            /* of what is looked at, values are fetched */
};

struct extremes {
	int64_t low, high;
};

static const struct extremes none = {.low = INT64_MAX, .high = INT64_MIN};

static inline void extend(struct extremes *e, int64_t low, int64_t high)
{
	e->low = low < e->low ? low : e->low;
	e->high = high > e->high ? high : e->high;
}

static inline uint64_t range_of(const struct extremes *e)
{
	return (uint64_t)e->high - (uint64_t)e->low;
}

/* Indices whose values never rise (or never fall): the first is the extreme of all added. */
struct queue {
	uint32_t *at;
	size_t head, end;
};

static inline void queue_leave(struct queue *q, size_t before)
{
	while (q->head < q->end && q->at[q->head] < before)
		q->head++;
}

struct mtie {
	const int64_t *x;
	size_t n, n_blocks;
	size_t known_m; /* the result for it is at least that for all smaller m */
	uint64_t known;
	struct queue lowest, highest;
	struct extremes *blocks;
};

DEFINE_FREEP(struct mtie, mtie_free)

struct mtie *mtie_free(struct mtie *t)
{
	if (!t)
		return NULL;
	free(t->lowest.at);
	free(t->highest.at);
	free(t->blocks);
	free(t);
	return NULL;
}

int mtie_new(struct mtie **out, const int64_t *x, size_t n)
{
	CLEANUP(mtie_freep) struct mtie *t = calloc(1, sizeof(*t));

	if (!t)
		return -ENOMEM;
	t->x = x;
	t->n = n;
	t->n_blocks = n / BLOCK + (n % BLOCK > 0);
	assert(t->n_blocks <= UINT32_MAX);
	t->blocks = calloc(t->n_blocks + 1, sizeof(*t->blocks));
	t->lowest.at = calloc(t->n_blocks + 1, sizeof(*t->lowest.at));
	t->highest.at = calloc(t->n_blocks + 1, sizeof(*t->highest.at));
	if (!t->blocks || !t->lowest.at || !t->highest.at)
		return -ENOMEM;
	for (size_t b = 0; b < t->n_blocks; b++) {
		struct extremes e = none;

		for (size_t i = b * BLOCK; i < (b + 1) * BLOCK && i < n; i++)
			extend(&e, x[i], x[i]);
		t->blocks[b] = e;
	}
	*out = steal(&t);
	return 0;
}

static struct extremes blocks_from(const struct mtie *t, size_t first, size_t n)
{
	struct extremes e = none;

	for (size_t b = first; b < first + n && b < t->n_blocks; b++)
		extend(&e, t->blocks[b].low, t->blocks[b].high);
	return e;
}

/*
 * For values so far apart that their differences take more than 31 bits. In runs of m + 1 values: a
 * window that starts in one is what follows there, and as much of the next as it still reaches.
 */
static uint64_t largest_apart(const struct mtie *t, size_t first, size_t m, uint64_t largest)
{
	const int64_t *x = t->x + first;
	size_t starts = t->n - first - m < CHUNK ? t->n - first - m : CHUNK;

	for (size_t run = 0; run < starts; run += m + 1) {
		struct extremes from[BLOCK]; /* each value to the end of the run */
		struct extremes next = none;
		struct extremes e = none;

		for (size_t k = m + 1; k-- > 0;) {
			extend(&e, x[run + k], x[run + k]);
			from[k] = e;
		}
		for (size_t k = 0; k <= m && run + k < starts; k++) {
			if (k > 0)
				extend(&next, x[run + k + m], x[run + k + m]);
			e = from[k];
			extend(&e, next.low, next.high);
			largest = range_of(&e) > largest ? range_of(&e) : largest;
		}
	}
	return largest;
}

/* Values of a chunk, about the lowest of them: narrow, so that several fit into a register. */
struct chunk {
	int32_t low[CHUNK_VALUES + BLOCK], high[CHUNK_VALUES + BLOCK];
};

/*
 * Extremes of `wide` values become those of wide + step <= 2 wide. At the end of a chunk they
 * reach beyond it, into what does not matter: windows end within CHUNK_VALUES.
 */
static void widen(struct chunk *restrict to, const struct chunk *restrict from, size_t step)
{
	for (size_t i = 0; i < CHUNK_VALUES; i++) {
		int32_t low = from->low[i + step];
		int32_t high = from->high[i + step];

		to->low[i] = low < from->low[i] ? low : from->low[i];
		to->high[i] = high > from->high[i] ? high : from->high[i];
	}
}

/* At the end of all, the last value is repeated: a window there is no larger than a whole one. */
static void load_chunk(struct chunk *c, const struct mtie *t, size_t first, int64_t base)
{
	const int64_t *x = t->x + first;
	size_t n = t->n - first < CHUNK_VALUES ? t->n - first : CHUNK_VALUES;

	if (n == CHUNK_VALUES)
		for (size_t i = 0; i < CHUNK_VALUES; i++)
			c->low[i] = (int32_t)(x[i] - base);
	else
		for (size_t i = 0; i < CHUNK_VALUES; i++)
			c->low[i] = (int32_t)(x[i < n ? i : n - 1] - base);
	memcpy(c->high, c->low, sizeof(c->high));
}

static uint64_t largest_in_chunk(struct chunk chunks[static 2], size_t m)
{
	struct chunk *c = &chunks[0];
	struct chunk *wider = &chunks[1];
	int32_t largest = 0;

	for (size_t wide = 1, step; wide < m + 1; wide += step) {
		struct chunk *before = c;

		step = wide < m + 1 - wide ? wide : m + 1 - wide;
		widen(wider, c, step);
		c = wider;
		wider = before;
	}
	for (size_t i = 0; i < CHUNK; i++) {
		int32_t range = c->high[i] - c->low[i];

		largest = range > largest ? range : largest;
	}
	return (uint64_t)largest;
}

static uint64_t short_windows(const struct mtie *t, size_t m, uint64_t largest)
{
	struct chunk chunks[2] = {0};

	for (size_t b = 0; b < t->n_blocks && b * BLOCK + m < t->n; b += CHUNK_BLOCKS) {
		struct extremes e = blocks_from(t, b, CHUNK_BLOCKS + 1);
		uint64_t found;

		if (range_of(&e) <= largest)
			continue;
		if (range_of(&e) > INT32_MAX) {
			largest = largest_apart(t, b * BLOCK, m, largest);
			continue;
		}
		load_chunk(&chunks[0], t, b * BLOCK, e.low);
		found = largest_in_chunk(chunks, m);
		largest = found > largest ? found : largest;
	}
	return largest;
}

static void enter(struct mtie *t, size_t b)
{
	struct queue *lowest = &t->lowest;
	struct queue *highest = &t->highest;

	while (lowest->end > lowest->head &&
	       t->blocks[lowest->at[lowest->end - 1]].low >= t->blocks[b].low)
		lowest->end--;
	lowest->at[lowest->end++] = (uint32_t)b;
	while (highest->end > highest->head &&
	       t->blocks[highest->at[highest->end - 1]].high <= t->blocks[b].high)
		highest->end--;
	highest->at[highest->end++] = (uint32_t)b;
}

/* The largest range of n blocks that follow one another. */
static uint64_t largest_of_blocks(struct mtie *t, size_t n, uint64_t largest)
{
	t->lowest.head = t->lowest.end = t->highest.head = t->highest.end = 0;
	for (size_t b = 0; b < t->n_blocks; b++) {
		struct extremes e;

		enter(t, b);
		queue_leave(&t->lowest, b < n ? 0 : b - n + 1);
		queue_leave(&t->highest, b < n ? 0 : b - n + 1);
		e.low = t->blocks[t->lowest.at[t->lowest.head]].low;
		e.high = t->blocks[t->highest.at[t->highest.head]].high;
		largest = range_of(&e) > largest ? range_of(&e) : largest;
	}
	return largest;
}

/*
 * The largest rise from a value of block b to one that is at most m later and in the block in
 * which a window ends that starts with b, or the next; of complements, which is the largest fall.
 */
static uint64_t largest_rise(const struct mtie *t, size_t b, size_t m, int64_t complement,
			     uint64_t largest)
{
	const int64_t *x = t->x + b * BLOCK;
	size_t starts = t->n - m - b * BLOCK < BLOCK ? t->n - m - b * BLOCK : BLOCK;
	int64_t lowest[BLOCK]; /* of the values of the block from each on */
	int64_t low = INT64_MAX;
	int64_t high = INT64_MIN;

	/* a processor foresees values read in order, not two places, one of them read backward */
	for (size_t i = AHEAD; i < AHEAD + BLOCK && i + m < t->n - b * BLOCK; i += LINE_VALUES) {
		__builtin_prefetch(&x[i]);
		__builtin_prefetch(&x[i + m]);
	}
	for (size_t i = BLOCK; i-- > 0;) {
		int64_t v = x[i] ^ complement;

		low = v < low ? v : low;
		lowest[i] = low;
	}
	for (size_t i = m / BLOCK * BLOCK; i < m; i++)
		high = (x[i] ^ complement) > high ? x[i] ^ complement : high;
	for (size_t i = 0; i < starts; i++) {
		int64_t v = x[i + m] ^ complement;
		uint64_t rise;

		high = v > high ? v : high;
		rise = high > lowest[i] ? (uint64_t)high - (uint64_t)lowest[i] : 0;
		largest = rise > largest ? rise : largest;
	}
	return largest;
}

/*
 * The range of a window is the largest difference of two values at most m apart. All that lie in
 * as many blocks as a window surely holds are; what is left are those of a block and of the one or
 * two in which its windows end, and they are looked at one by one only if even the extremes of
 * these differ by more than the largest found.
 */
static uint64_t long_windows(struct mtie *t, size_t m, uint64_t largest)
{
	size_t whole = m / BLOCK;

	largest = largest_of_blocks(t, whole, largest);
	for (size_t b = 0; b + whole < t->n_blocks; b++) {
		const struct extremes *from = &t->blocks[b];
		struct extremes to = blocks_from(t, b + whole, m % BLOCK ? 2 : 1);
		struct extremes rise = {.low = from->low, .high = to.high};
		struct extremes fall = {.low = to.low, .high = from->high};
		bool all = b * BLOCK + m >= t->n; /* are at most m apart */

		if (rise.high > rise.low && range_of(&rise) > largest)
			largest = all ? range_of(&rise) : largest_rise(t, b, m, 0, largest);
		if (fall.high > fall.low && range_of(&fall) > largest)
			largest = all ? range_of(&fall) : largest_rise(t, b, m, -1, largest);
	}
	return largest;
}

bool mtie_at(struct mtie *t, size_t m, uint64_t *out)
{
	uint64_t largest = m >= t->known_m ? t->known : 0;

	if (m >= t->n)
		return false;
	largest = m < BLOCK ? short_windows(t, m, largest) : long_windows(t, m, largest);
	t->known_m = m;
	t->known = largest;
	*out = largest;
	return true;
}

static void queue_clear(struct queue *q)
{
	free(q->at);
}

int mtie_by_time(const int64_t *times_ns, const int64_t *x, size_t n, int64_t tau_ns, uint64_t *out)
{
	CLEANUP(queue_clear) struct queue lowest = {.at = calloc(n, sizeof(*lowest.at))};
	CLEANUP(queue_clear) struct queue highest = {.at = calloc(n, sizeof(*highest.at))};
	uint64_t largest = 0;
	size_t first = 0;

	assert(n <= UINT32_MAX);
	if (n == 0 || times_ns[n - 1] - times_ns[0] < tau_ns)
		return -ENODATA;
	if (!lowest.at || !highest.at)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		struct extremes e;

		while (lowest.end > lowest.head && x[lowest.at[lowest.end - 1]] >= x[i])
			lowest.end--;
		lowest.at[lowest.end++] = (uint32_t)i;
		while (highest.end > highest.head && x[highest.at[highest.end - 1]] <= x[i])
			highest.end--;
		highest.at[highest.end++] = (uint32_t)i;
		while (times_ns[i] - times_ns[first] > tau_ns)
			first++;
		queue_leave(&lowest, first);
		queue_leave(&highest, first);
		e.low = x[lowest.at[lowest.head]];
		e.high = x[highest.at[highest.head]];
		largest = range_of(&e) > largest ? range_of(&e) : largest;
	}
	*out = largest;
	return 0;
}
