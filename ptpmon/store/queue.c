/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/store/queue.h"

#include <errno.h>
#include <stdlib.h>

enum { BLOCK_BYTES = 32768 };

struct queue_block {
	struct queue_block *next;
	size_t used, size, records;
	_Alignas(8) uint8_t bytes[];
};

static size_t record_bytes(size_t payload)
{
	return (sizeof(struct record) + payload + 7) & ~(size_t)7;
}

static struct queue_block *block_for(struct queue *q, size_t bytes)
{
	size_t size = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
	struct queue_block *b = q->last;

	if (b && b->size - b->used >= bytes)
		return b;
	b = malloc(sizeof(*b) + size);
	if (!b)
		return NULL;
	*b = (struct queue_block){.size = size};
	if (q->last)
		q->last->next = b;
	else
		q->first = b;
	q->last = b;
	return b;
}

void *queue_put(struct queue *q, enum record_kind kind, int64_t mono_ns, size_t size)
{
	size_t bytes = record_bytes(size);
	struct queue_block *b = size <= UINT32_MAX ? block_for(q, bytes) : NULL;
	struct record *record;

	if (!b)
		return NULL;
	record = (struct record *)(void *)(b->bytes + b->used);
	record->mono_ns = mono_ns;
	record->size = (uint32_t)size;
	record->kind = kind;
	b->used += bytes;
	b->records++;
	q->records++;
	q->bytes += bytes;
	return record->payload;
}

void queue_take(struct queue *q, struct queue *from, size_t enough_bytes)
{
	while (from->first && q->bytes < enough_bytes) {
		struct queue_block *b = from->first;

		from->first = b->next;
		if (!from->first)
			from->last = NULL;
		from->records -= b->records;
		from->bytes -= b->used;
		b->next = NULL;
		if (q->last)
			q->last->next = b;
		else
			q->first = b;
		q->last = b;
		q->records += b->records;
		q->bytes += b->used;
	}
}

void queue_clear(struct queue *q)
{
	struct queue_block *next;

	for (struct queue_block *b = q->first; b; b = next) {
		next = b->next;
		free(b);
	}
	*q = (struct queue){0};
}

static int compare(const void *a, const void *b)
{
	const struct queue_entry *x = a;
	const struct queue_entry *y = b;

	if (x->record->mono_ns != y->record->mono_ns)
		return x->record->mono_ns < y->record->mono_ns ? -1 : 1;
	return (x->put > y->put) - (x->put < y->put);
}

static size_t list_records(const struct queue *q, struct queue_entry *entries, size_t n)
{
	for (const struct queue_block *b = q->first; b; b = b->next)
		for (size_t at = 0; at < b->used;) {
			const struct record *record =
				(const struct record *)(const void *)(b->bytes + at);

			entries[n] = (struct queue_entry){record, n};
			n++;
			at += record_bytes(record->size);
		}
	return n;
}

int queue_sorted(const struct queue *a, const struct queue *b, struct queue_entry **out)
{
	struct queue_entry *entries = calloc(a->records + b->records + 1, sizeof(*entries));
	size_t n;

	if (!entries)
		return -ENOMEM;
	n = list_records(b, entries, list_records(a, entries, 0));
	qsort(entries, n, sizeof(*entries), compare);
	*out = entries;
	return 0;
}
