/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/base/nsec.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct unit {
	const char *name;
	int64_t ns;
} units[] = {
	{"ns", 1},
	{"us", NSEC_PER_USEC},
	{"ms", NSEC_PER_MSEC},
	{"s", NSEC_PER_SEC},
	{"min", 60 * NSEC_PER_SEC},
	{"m", 60 * NSEC_PER_SEC},
	{"h", 3600 * NSEC_PER_SEC},
	{"d", 86400 * NSEC_PER_SEC},
};

enum { N_UNITS = sizeof(units) / sizeof(units[0]) };

struct timespec nsec_to_timespec(int64_t ns)
{
	int64_t sec = ns / NSEC_PER_SEC;
	int64_t rest = ns % NSEC_PER_SEC;

	if (rest < 0) {
		rest += NSEC_PER_SEC;
		sec--;
	}
	return (struct timespec){.tv_sec = (time_t)sec, .tv_nsec = (long)rest};
}

int64_t nsec_now(clockid_t clock)
{
	struct timespec t;
	int r = clock_gettime(clock, &t);

	assert(r == 0);
	(void)r;
	return nsec_from_timespec(&t);
}

static int64_t unit_of(const char *name)
{
	for (size_t i = 0; i < N_UNITS; i++)
		if (strcmp(name, units[i].name) == 0)
			return units[i].ns;
	return 0;
}

static const char *skip_blanks(const char *s)
{
	while (*s == ' ' || *s == '\t')
		s++;
	return s;
}

/* Digits after a decimal point as a fraction of unit_ns; exact, or -EINVAL below one nanosecond. */
static int parse_fraction(const char **s, int64_t unit_ns, int64_t *out_ns)
{
	int64_t ns = 0;

	for (; isdigit((unsigned char)**s); (*s)++) {
		if (unit_ns % 10 != 0 && **s != '0')
			return -EINVAL;
		unit_ns /= 10;
		ns += (**s - '0') * unit_ns;
	}
	*out_ns = ns;
	return 0;
}

int nsec_parse_duration(const char *text, int64_t *out_ns)
{
	const char *s = skip_blanks(text);
	const char *digits = s;
	const char *fraction = NULL;
	int64_t whole = 0;
	int64_t part = 0;
	int64_t ns;

	for (; isdigit((unsigned char)*s); s++)
		if (__builtin_mul_overflow(whole, 10, &whole) ||
		    __builtin_add_overflow(whole, *s - '0', &whole))
			return -ERANGE;
	if (s == digits)
		return -EINVAL;
	if (*s == '.') {
		fraction = ++s;
		s += strspn(s, "0123456789");
		if (s == fraction)
			return -EINVAL;
	}
	s = skip_blanks(s);
	if (!*s && whole == 0 && !fraction) {
		*out_ns = 0;
		return 0;
	}
	ns = unit_of(s);
	if (!ns || (fraction && parse_fraction(&fraction, ns, &part) < 0))
		return -EINVAL;
	if (__builtin_mul_overflow(whole, ns, &whole) ||
	    __builtin_add_overflow(whole, part, &whole))
		return -ERANGE;
	*out_ns = whole;
	return 0;
}

const char *nsec_format_duration(int64_t ns, char out[static NSEC_TEXT_MAX])
{
	size_t best = 0;

	if (ns == 0)
		return strcpy(out, "0");
	for (size_t i = 0; i < N_UNITS; i++)
		if (ns % units[i].ns == 0 && units[i].ns > units[best].ns)
			best = i;
	/* "90 s" is easier than "1.5 min", and 120 s is usually said as 2 min: exact units only */
	(void)snprintf(out, NSEC_TEXT_MAX, "%" PRId64 " %s", ns / units[best].ns, units[best].name);
	return out;
}

const char *nsec_format_age(int64_t ns, char out[static NSEC_TEXT_MAX])
{
	int64_t s = ns / NSEC_PER_SEC;

	if (ns < 10 * NSEC_PER_SEC)
		(void)snprintf(out, NSEC_TEXT_MAX, "%.1f s", (double)ns / (double)NSEC_PER_SEC);
	else if (s < 60)
		(void)snprintf(out, NSEC_TEXT_MAX, "%" PRId64 " s", s);
	else if (s < 3600)
		(void)snprintf(out, NSEC_TEXT_MAX, "%" PRId64 " min %" PRId64 " s", s / 60, s % 60);
	else if (s < 86400)
		(void)snprintf(out, NSEC_TEXT_MAX, "%" PRId64 " h %" PRId64 " min", s / 3600,
			       s % 3600 / 60);
	else
		(void)snprintf(out, NSEC_TEXT_MAX, "%" PRId64 " d %" PRId64 " h", s / 86400,
			       s % 86400 / 3600);
	return out;
}

const char *nsec_format_offset(int64_t ns, char out[static NSEC_TEXT_MAX])
{
	static const struct {
		int64_t below_ns; /* in size */
		double unit_ns;
		int decimals;
		const char *unit;
	} forms[] = {
		{100 * NSEC_PER_USEC, 1, 0, "ns"},
		{10 * NSEC_PER_MSEC, 1e3, 1, "us"},
		{10 * NSEC_PER_SEC, 1e6, 3, "ms"},
		{INT64_MAX, 1e9, 6, "s"},
	};
	size_t i = 0;

	while (ns <= -forms[i].below_ns || ns >= forms[i].below_ns)
		if (++i == sizeof(forms) / sizeof(forms[0]) - 1)
			break;
	(void)snprintf(out, NSEC_TEXT_MAX, "%.*f %s", forms[i].decimals,
		       (double)ns / forms[i].unit_ns, forms[i].unit);
	return out;
}

const char *nsec_format_utc(int64_t utc_ns, char out[static NSEC_TEXT_MAX])
{
	struct timespec t = nsec_to_timespec(utc_ns);
	char date[32];
	struct tm tm;

	(void)gmtime_r(&t.tv_sec, &tm);
	(void)strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &tm);
	(void)snprintf(out, NSEC_TEXT_MAX, "%s.%09ldZ", date, t.tv_nsec);
	return out;
}

/* What UTC in int64_t ns has room for. */
enum { YEAR_MIN = 1970, YEAR_MAX = 2261 };

/* Up to nine digits after the point; the text behind them. */
static const char *skip_fraction(const char *text, int64_t *ns)
{
	int64_t unit_ns = NSEC_PER_SEC;

	*ns = 0;
	if (*text != '.')
		return text;
	for (text++; isdigit((unsigned char)*text) && unit_ns > 1; text++) {
		unit_ns /= 10;
		*ns += (*text - '0') * unit_ns;
	}
	return text;
}

int nsec_parse_utc(const char *text, int64_t *out_utc_ns)
{
	static const char *const formats[] = {"%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S",
					      "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M"};

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		struct tm tm = {0};
		int64_t fraction_ns;
		const char *rest = strptime(text, formats[i], &tm);

		if (!rest || tm.tm_year + 1900 < YEAR_MIN || tm.tm_year + 1900 > YEAR_MAX)
			continue;
		rest = skip_fraction(rest, &fraction_ns);
		if (strcmp(rest, "Z") != 0 && strcmp(rest, "") != 0)
			continue;
		*out_utc_ns = (int64_t)timegm(&tm) * NSEC_PER_SEC + fraction_ns;
		return 0;
	}
	return -EINVAL;
}
