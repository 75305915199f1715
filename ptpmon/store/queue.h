/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/store/queue.h: records on their way to the disk.
 *
 * A queue is a chain of blocks that are allocated as they are filled, so one that is nearly
 * always empty costs next to nothing. Putting a record is O(1), taking is for each block. It knows
 * neither locks nor bounds: whoever owns it does.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

enum record_kind {
	RECORD_SAMPLE,      /* struct sample */
	RECORD_WINDOW,      /* struct window_record */
	RECORD_EVENT,       /* struct event */
	RECORD_ANCHOR,      /* struct clock_anchor */
	RECORD_MARK,        /* two strings: text, who */
	RECORD_VERDICT,     /* struct verdict_record */
	RECORD_PHASE_BEGIN, /* a string: the name */
	RECORD_PHASE_END,   /* nothing */
	RECORD_RUN_END,     /* a string: how */
	RECORD_KIND_MAX
};

struct record {
	int64_t mono_ns;
	uint32_t size; /* of the payload */
	enum record_kind kind;
	_Alignas(8) uint8_t payload[];
};

struct queue_block;

struct queue { /* all zero is empty */
	struct queue_block *first, *last;
	size_t records;
	size_t bytes; /* payloads and headers */
};

/* Room for a record at the end, its payload to be filled in; NULL without memory. */
void *queue_put(struct queue *q, enum record_kind kind, int64_t mono_ns, size_t size);

/* Moves the first of from to the end of q, until q has enough or from nothing. */
void queue_take(struct queue *q, struct queue *from, size_t enough_bytes);

/* Frees all records. */
void queue_clear(struct queue *q);

struct queue_entry {
	const struct record *record;
	size_t put; /* how many were put before it */
};

/*
 * The records of a and of b in the order of mono_ns, and in the order in which they were put
 * where that is the same (a's before b's). The caller frees *out, not the records. 0, or -ENOMEM.
 */
int queue_sorted(const struct queue *a, const struct queue *b, struct queue_entry **out);
