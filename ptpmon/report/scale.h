/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/report/scale.h: from values to places in a picture, and where an axis has its ticks.
 *
 * A symlog scale is linear to +-linear and logarithmic beyond, a decade as long as the linear half:
 * for noise and the spikes a thousand times as large upon it in one picture. Whoever uses one says
 * so.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum scale_kind { SCALE_LINEAR, SCALE_LOG, SCALE_SYMLOG };

struct scale {
	enum scale_kind kind;
	double low, high; /* values at its ends; of SCALE_LOG more than 0 */
	double linear;    /* of SCALE_SYMLOG */
	double from, to;  /* places of these ends */
	double step;      /* of the ticks of SCALE_LINEAR, by scale_round(); 0: not chosen yet */
};

enum { SCALE_TICKS_MAX = 40, SCALE_TEXT_MAX = 32 };

/* Values beyond the ends are placed at the ends. */
double scale_at(const struct scale *s, double value);

/* The ends moved outward to where ticks are, about `most` of them. */
void scale_round(struct scale *s, size_t most);

/* The values of about `most` ticks, rising. */
size_t scale_ticks(const struct scale *s, size_t most, double out[static SCALE_TICKS_MAX]);

/* For values that lie in low .. high, nearly all of them within +-usual: symlog if need be. */
struct scale scale_of_offsets(double low, double high, double usual);

/* "-200 ns", "1.5 us", "0"; "-18240"; "1", "10", "10k", "10M". */
const char *scale_text_ns(double value, char out[static SCALE_TEXT_MAX]);
const char *scale_text_number(double value, char out[static SCALE_TEXT_MAX]);
const char *scale_text_count(double value, char out[static SCALE_TEXT_MAX]);
const char *scale_text_s(double value, char out[static SCALE_TEXT_MAX]);

/* The distance of ticks on an axis of time of that length, at most `most` of them. */
int64_t scale_time_step(int64_t length_ns, size_t most);
