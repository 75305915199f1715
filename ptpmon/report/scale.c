/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/report/scale.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ptpmon/base/nsec.h"

#define MINUTE_NS (60 * NSEC_PER_SEC)
#define HOUR_NS   (60 * MINUTE_NS)
#define DAY_NS    (24 * HOUR_NS)

/* So much larger than what is usual is a spike that would flatten the rest. */
#define SPIKE 8.0

/* As long as it is in the picture, but for a factor. */
static double stretch(const struct scale *s, double value)
{
	double size = fabs(value);

	switch (s->kind) {
	case SCALE_LOG:
		return log10(value > s->low ? value : s->low);
	case SCALE_SYMLOG:
		if (size > s->linear)
			return copysign(1 + log10(size / s->linear), value);
		return value / s->linear;
	case SCALE_LINEAR:
		break;
	}
	return value;
}

double scale_at(const struct scale *s, double value)
{
	double low = stretch(s, s->low);
	double high = stretch(s, s->high);
	double share = high > low ? (stretch(s, value) - low) / (high - low) : 0.5;

	return s->from + (s->to - s->from) * fmin(fmax(share, 0), 1);
}

/* 1, 2 or 5 times a power of ten, at least that. */
static double round_up(double value)
{
	double power = pow(10, floor(log10(value)));
	double digit = value / power;

	return power * (digit <= 1.0000001   ? 1
			: digit <= 2.0000001 ? 2
			: digit <= 5.0000001 ? 5
					     : 10);
}

static double step_of(const struct scale *s, size_t most)
{
	return round_up((s->high - s->low) / (double)most);
}

void scale_round(struct scale *s, size_t most)
{
	double step;

	switch (s->kind) {
	case SCALE_LINEAR:
		if (!(s->high > s->low)) {
			double size = fmax(fabs(s->high) * 0.1, 1);

			s->low -= size;
			s->high += size;
		}
		s->step = step = step_of(s, most);
		s->low = floor(s->low / step + 1e-9) * step;
		s->high = ceil(s->high / step - 1e-9) * step;
		break;
	case SCALE_LOG:
		s->low = pow(10, floor(log10(s->low) + 1e-9));
		s->high = pow(10, ceil(log10(s->high) - 1e-9));
		if (!(s->high > s->low))
			s->high = s->low * 10;
		break;
	case SCALE_SYMLOG:
		break;
	}
}

static size_t linear_ticks(const struct scale *s, size_t most, double *out)
{
	double step = s->step > 0 ? s->step : step_of(s, most);
	double first = ceil(s->low / step - 1e-9);
	size_t n = 0;

	for (; n < SCALE_TICKS_MAX && (first + (double)n) * step <= s->high + step * 1e-9; n++)
		out[n] = (first + (double)n) * step;
	return n;
}

/* Every k-th decade of first * 10^i up to high. */
static size_t decades(double first, double high, size_t most, double *out)
{
	double count = floor(log10(high / first) + 1e-9) + 1;
	double skip = fmax(1, ceil(count / (double)(most > 0 ? most : 1)));
	size_t n = 0;

	for (; n < SCALE_TICKS_MAX && (double)n * skip < count; n++)
		out[n] = first * pow(10, (double)n * skip);
	return n;
}

static size_t symlog_ticks(const struct scale *s, size_t most, double *out)
{
	double up[SCALE_TICKS_MAX] = {0};
	double down[SCALE_TICKS_MAX] = {0};
	size_t half = most > 5 ? most / 2 : 2;
	size_t n_up = decades(s->linear, fmax(s->high, s->linear), half, up);
	size_t n_down = decades(s->linear, fmax(-s->low, s->linear), half, down);
	size_t n = 0;

	while (n_down > 0 && n < SCALE_TICKS_MAX / 2)
		if (down[--n_down] <= -s->low)
			out[n++] = -down[n_down];
	out[n++] = 0;
	for (size_t i = 0; i < n_up && n < SCALE_TICKS_MAX; i++)
		if (up[i] <= s->high)
			out[n++] = up[i];
	return n;
}

size_t scale_ticks(const struct scale *s, size_t most, double out[static SCALE_TICKS_MAX])
{
	if (s->kind == SCALE_LINEAR)
		return linear_ticks(s, most, out);
	if (s->kind == SCALE_LOG)
		return decades(pow(10, ceil(log10(s->low) - 1e-9)), s->high, most, out);
	return symlog_ticks(s, most, out);
}

struct scale scale_of_offsets(double low, double high, double usual)
{
	struct scale s = {.kind = SCALE_LINEAR, .low = fmin(low, 0), .high = fmax(high, 0)};
	double largest = fmax(-s.low, s.high);

	if (usual > 0 && largest > SPIKE * usual) {
		s.kind = SCALE_SYMLOG;
		s.linear = round_up(usual);
		s.low = fmin(s.low, -s.linear) * 1.05;
		s.high = fmax(s.high, s.linear) * 1.05;
	}
	return s;
}

struct unit {
	double size;
	const char *name;
};

/* The largest of the units that the value has; "0" alone needs none. */
static const char *write_in(double value, const struct unit *units, size_t n, char *out)
{
	double size = fabs(value);

	if (size < 1e-12)
		return strcpy(out, "0");
	while (n > 1 && size < units[n - 1].size * 0.9999999)
		n--;
	(void)snprintf(out, SCALE_TEXT_MAX, "%s%.6g%s", value < 0 ? "\xe2\x88\x92" : "",
		       size / units[n - 1].size, units[n - 1].name);
	return out;
}

const char *scale_text_ns(double value, char out[static SCALE_TEXT_MAX])
{
	static const struct unit units[] = {{1, " ns"}, {1e3, " us"}, {1e6, " ms"}, {1e9, " s"}};

	return write_in(value, units, 4, out);
}

const char *scale_text_number(double value, char out[static SCALE_TEXT_MAX])
{
	static const struct unit units[] = {{1, ""}};

	return write_in(value, units, 1, out);
}

const char *scale_text_count(double value, char out[static SCALE_TEXT_MAX])
{
	static const struct unit units[] = {{1, ""}, {1e3, "k"}, {1e6, "M"}, {1e9, "G"}};

	return write_in(value, units, 4, out);
}

const char *scale_text_s(double value, char out[static SCALE_TEXT_MAX])
{
	static const struct unit units[] = {{1e-3, " ms"}, {1, " s"}};

	return write_in(value, units, 2, out);
}

int64_t scale_time_step(int64_t length_ns, size_t most)
{
	static const int64_t steps[] = {
		NSEC_PER_SEC,      2 * NSEC_PER_SEC,  5 * NSEC_PER_SEC,
		10 * NSEC_PER_SEC, 15 * NSEC_PER_SEC, 30 * NSEC_PER_SEC,
		MINUTE_NS,         2 * MINUTE_NS,     5 * MINUTE_NS,
		10 * MINUTE_NS,    15 * MINUTE_NS,    30 * MINUTE_NS,
		HOUR_NS,           2 * HOUR_NS,       3 * HOUR_NS,
		6 * HOUR_NS,       12 * HOUR_NS,      DAY_NS,
		2 * DAY_NS,        7 * DAY_NS,        30 * DAY_NS,
	};
	size_t n = sizeof(steps) / sizeof(steps[0]);

	for (size_t i = 0; i < n; i++)
		if (length_ns / steps[i] <= (int64_t)most)
			return steps[i];
	return length_ns / (int64_t)most + 1;
}
