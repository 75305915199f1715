/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/report/parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Encodes the open part. 0 or -ENOMEM. */
static int close_part(struct parts *p)
{
	uint8_t encoded[HISTOGRAM_ENCODED_MAX];
	size_t len = histogram_encode(p->open, encoded, sizeof(encoded));
	uint8_t *v = malloc(len + 1);

	if (!v)
		return -ENOMEM;
	memcpy(v, encoded, len);
	free(p->closed[p->now].v);
	p->closed[p->now].v = v;
	p->closed[p->now].len = len;
	return 0;
}

static int open_part(struct parts *p, size_t part)
{
	int r = 0;

	if (!p->open)
		p->open = calloc(1, sizeof(*p->open));
	else if (part != p->now)
		r = close_part(p);
	if (!p->open)
		return -ENOMEM;
	if (r < 0 || part == p->now)
		return r;
	memset(p->open, 0, sizeof(*p->open));
	(void)histogram_decode_add(p->open, p->closed[part].v, p->closed[part].len);
	p->now = part;
	return 0;
}

int parts_add(struct parts *p, size_t part, const struct histogram_counts *counts)
{
	int r = p->open && part == p->now ? 0 : open_part(p, part);

	if (r == 0)
		histogram_add_counts(p->open, counts);
	return r;
}

void parts_get(const struct parts *p, size_t part, struct histogram *out)
{
	if (p->open && part == p->now) {
		*out = *p->open;
		return;
	}
	memset(out, 0, sizeof(*out));
	(void)histogram_decode_add(out, p->closed[part].v, p->closed[part].len);
}

void parts_sum(const struct parts *p, struct histogram *out)
{
	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < INTERVAL_BLOCKS; i++)
		if (!p->open || i != p->now)
			(void)histogram_decode_add(out, p->closed[i].v, p->closed[i].len);
	if (p->open)
		histogram_add(out, p->open);
}

void parts_clear(struct parts *p)
{
	free(p->open);
	for (size_t i = 0; i < INTERVAL_BLOCKS; i++)
		free(p->closed[i].v);
	*p = (struct parts){0};
}
