/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/collect/linuxptp_log.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ptpmon/base/nsec.h"
#include "ptpmon/model/sample.h"
#include "ptpmon/model/timemap.h"

/* No line of a form that is known is longer, with any prefix. */
enum { LINE_MAX_LEN = 1024, WORDS_MAX = 32 };

/* The line in words; a word that is not there is "". */
struct words {
	char buffer[LINE_MAX_LEN];
	const char *word[WORDS_MAX];
	size_t n;
};

static const char *word(const struct words *w, size_t i)
{
	return i < w->n ? w->word[i] : "";
}

static bool is(const struct words *w, size_t i, const char *text)
{
	return strcmp(word(w, i), text) == 0;
}

static void split(const char *text, struct words *out)
{
	char *state = NULL;

	out->n = 0;
	(void)snprintf(out->buffer, sizeof(out->buffer), "%s", text);
	for (char *at = strtok_r(out->buffer, " \t", &state); at && out->n < WORDS_MAX;
	     at = strtok_r(NULL, " \t", &state))
		out->word[out->n++] = at;
}

static bool parse_number(const char *text, int64_t *out)
{
	char *end;

	if (!isdigit((unsigned char)text[*text == '+' || *text == '-']))
		return false;
	errno = 0;
	*out = strtoll(text, &end, 10);
	return errno == 0 && *end == '\0' && *out != SAMPLE_UNKNOWN;
}

/* Seconds and milliseconds of CLOCK_MONOTONIC up to the bracket: "5130.492]". */
static const char *parse_stamp(const char *at, int64_t *mono_ns)
{
	int64_t seconds = 0;
	int digits = 0;

	for (; isdigit((unsigned char)*at) && digits < 9; at++, digits++)
		seconds = seconds * 10 + (*at - '0');
	if (digits == 0 || *at++ != '.')
		return NULL;
	*mono_ns = seconds * NSEC_PER_SEC;
	for (int64_t unit = 100 * NSEC_PER_MSEC; unit >= NSEC_PER_MSEC; unit /= 10, at++) {
		if (!isdigit((unsigned char)*at))
			return NULL;
		*mono_ns += (*at - '0') * unit;
	}
	return *at == ']' ? at + 1 : NULL;
}

static const char *const programs[] = {"ptp4l", "phc2sys", "ts2phc"};

static bool copy_program(const char *name, struct linuxptp_line *out)
{
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		if (strncmp(name, programs[i], strlen(programs[i])) == 0) {
			(void)strcpy(out->program, programs[i]);
			return true;
		}
	return false;
}

/* Behind the name: "[SEC.mmm]: ", as with -m, or ": [SEC.mmm] " or "[PID]: [SEC.mmm] ". */
static const char *parse_frame(const char *at, int64_t *mono_ns)
{
	const char *end = *at == '[' ? parse_stamp(at + 1, mono_ns) : NULL;

	if (end)
		return *end == ':' ? end + 1 : NULL;
	if (*at == '[') {
		at++;
		at += strspn(at, "0123456789");
		if (*at++ != ']')
			return NULL;
	}
	if (*at++ != ':')
		return NULL;
	at += strspn(at, " ");
	return *at == '[' ? parse_stamp(at + 1, mono_ns) : NULL;
}

/* The text behind name and time; *prefix_len is what stands before the name. NULL: no frame. */
static const char *find_frame(const char *line, struct linuxptp_line *out, size_t *prefix_len)
{
	const char *text;

	for (const char *at = line; *at; at++) {
		if ((at > line && !isspace((unsigned char)at[-1])) || !copy_program(at, out))
			continue;
		text = parse_frame(at + strlen(out->program), &out->mono_ns);
		*prefix_len = (size_t)(at - line);
		if (text)
			return text;
	}
	out->program[0] = '\0';
	*prefix_len = 0;
	return *line == '[' ? parse_stamp(line + 1, &out->mono_ns) : NULL; /* journalctl -o cat */
}

/* "Z", "+00:00", "+0100": ahead of UTC; false without a zone. */
static bool parse_zone(const char *at, int64_t *ahead_ns)
{
	unsigned hours;
	unsigned minutes;
	char sign;

	*ahead_ns = 0;
	if (*at == 'Z')
		return at[1] == '\0' || isspace((unsigned char)at[1]);
	if (sscanf(at, "%c%2u:%2u", &sign, &hours, &minutes) != 3 &&
	    sscanf(at, "%c%2u%2u", &sign, &hours, &minutes) != 3)
		return false;
	if ((sign != '+' && sign != '-') || hours > 14 || minutes > 59)
		return false;
	*ahead_ns = (sign == '-' ? -1 : 1) * (int64_t)(hours * 3600 + minutes * 60) * NSEC_PER_SEC;
	return true;
}

/* RFC 3339 at the start of the line; a syslog date without a year says too little. */
static void parse_utc(const char *line, size_t prefix_len, struct linuxptp_line *out)
{
	struct tm tm = {0};
	const char *at = prefix_len > 0 ? strptime(line, "%Y-%m-%dT%H:%M:%S", &tm) : NULL;
	int64_t unit_ns = NSEC_PER_SEC;
	int64_t fraction_ns = 0;
	int64_t ahead_ns;

	if (!at || tm.tm_year < 70 || tm.tm_year > 300)
		return;
	if (*at == '.' || *at == ',')
		for (at++; isdigit((unsigned char)*at); at++) {
			unit_ns /= 10;
			fraction_ns += (*at - '0') * unit_ns;
		}
	if (!parse_zone(at, &ahead_ns))
		return;
	out->utc_ns = (int64_t)timegm(&tm) * NSEC_PER_SEC + fraction_ns - ahead_ns;
	out->utc_resolution_ns = unit_ns > 0 ? unit_ns : 1;
}

/* Words before the form: a tag, in brackets or not, and for phc2sys and ts2phc a clock. */
static bool take_names(const struct words *w, size_t n, bool has_clock, struct linuxptp_line *out)
{
	size_t tags = n;

	if (has_clock && n > 0 && *w->word[n - 1] != '[') {
		(void)snprintf(out->clock, sizeof(out->clock), "%s", w->word[n - 1]);
		tags--;
	}
	if (tags > 1)
		return false;
	if (tags == 1) {
		const char *from = w->word[0] + (*w->word[0] == '[');
		size_t len = strcspn(from, "]");

		(void)snprintf(out->tag, sizeof(out->tag), "%.*s", (int)len, from);
	}
	return true;
}

static size_t find_word(const struct words *w, const char *text)
{
	size_t i = 0;

	while (i < w->n && !is(w, i, text))
		i++;
	return i;
}

/* … [path] delay N, or nothing where that may be: the rest of the line from that word on. */
static bool take_delay(const struct words *w, size_t at, bool spread, bool may_lack,
		       struct linuxptp_line *out)
{
	int64_t ignored;

	if (at == w->n)
		return may_lack;
	at += !spread && is(w, at, "path");
	if (!is(w, at, "delay") || !parse_number(word(w, at + 1), &out->delay_ns))
		return false;
	if (!spread)
		return w->n == at + 2;
	return is(w, at + 2, "+/-") && parse_number(word(w, at + 3), &ignored) && w->n == at + 4;
}

/* What the programs compare with. A word that none has stands for none, which only ts2phc may do.
 */
static const struct {
	const char *program, *source;
	bool has_delay;
} sources[] = {
	{"ptp4l", "master", true}, {"phc2sys", "phc", true},    {"phc2sys", "sys", true},
	{"phc2sys", "pps", false}, {"ts2phc", "master", false}, {"ts2phc", "", false},
};

enum { N_SOURCES = sizeof(sources) / sizeof(sources[0]) };

static bool is_source(const char *text)
{
	size_t i = 0;

	while (i < N_SOURCES && strcmp(sources[i].source, text) != 0)
		i++;
	return i < N_SOURCES;
}

/* Whether the program compares with that; a line without a program is of the first that does. */
static bool find_source(struct linuxptp_line *out, bool *has_delay)
{
	for (size_t i = 0; i < N_SOURCES; i++) {
		if (strcmp(sources[i].source, out->source) != 0 ||
		    (*out->program && strcmp(sources[i].program, out->program) != 0))
			continue;
		(void)strcpy(out->program, sources[i].program);
		*has_delay = sources[i].has_delay;
		return true;
	}
	return false;
}

/* [TAG] [CLOCK] [SOURCE] offset N sN freq N [[path] delay N] */
static bool parse_sample(const struct words *w, struct linuxptp_line *out)
{
	size_t at = find_word(w, "offset");
	size_t names = at;
	const char *servo = word(w, at + 2);
	bool has_delay;

	if (at == w->n || !parse_number(word(w, at + 1), &out->offset_ns))
		return false;
	if (servo[0] != 's' || servo[1] < '0' || servo[1] > '3' || servo[2] != '\0' ||
	    !is(w, at + 3, "freq") || !parse_number(word(w, at + 4), &out->freq_ppb))
		return false;
	out->servo = (unsigned)(servo[1] - '0');
	if (at > 0 && is_source(w->word[at - 1]))
		(void)strcpy(out->source, w->word[--names]);
	return find_source(out, &has_delay) &&
	       take_names(w, names, strcmp(out->program, "ptp4l") != 0, out) &&
	       take_delay(w, at + 5, false, !has_delay, out);
}

/* [TAG] [CLOCK] rms N max N freq N +/- N [delay N +/- N] */
static bool parse_summary(const struct words *w, struct linuxptp_line *out)
{
	size_t at = find_word(w, "rms");
	int64_t ignored;

	if (at == w->n || !parse_number(word(w, at + 1), &out->rms_ns) || !is(w, at + 2, "max") ||
	    !parse_number(word(w, at + 3), &out->max_ns) || !is(w, at + 4, "freq") ||
	    !parse_number(word(w, at + 5), &out->freq_ppb) || !is(w, at + 6, "+/-") ||
	    !parse_number(word(w, at + 7), &ignored))
		return false;
	if (!*out->program)
		return false; /* ptp4l's or phc2sys's: the line alone does not say */
	return take_names(w, at, strcmp(out->program, "ptp4l") != 0, out) &&
	       take_delay(w, at + 8, true, true, out);
}

static bool is_state(const char *text)
{
	static const char *const states[] = {
		"INITIALIZING", "FAULTY",  "DISABLED",     "LISTENING", "PRE_MASTER",
		"MASTER",       "PASSIVE", "UNCALIBRATED", "SLAVE",     "GRAND_MASTER",
	};

	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		if (strcmp(text, states[i]) == 0)
			return true;
	return false;
}

/* [TAG] port N [(NAME)]: STATE to STATE on EVENT [(FAULT)] */
static bool parse_port_state(const struct words *w, struct linuxptp_line *out)
{
	size_t at = find_word(w, "port");
	const char *name = word(w, at + 2);
	size_t name_len = strlen(name);
	int64_t port;
	char number[24];
	size_t len;

	(void)snprintf(number, sizeof(number), "%s", word(w, at + 1));
	len = strlen(number);
	if (len > 0 && number[len - 1] == ':') {
		number[len - 1] = '\0';
		at += 2;
	} else if (name_len > 3 && name[0] == '(' && strcmp(name + name_len - 2, "):") == 0) {
		(void)snprintf(out->port_name, sizeof(out->port_name), "%.*s", (int)name_len - 3,
			       name + 1);
		at += 3;
	} else {
		return false;
	}
	if (!parse_number(number, &port) || port < 0 || port > 65535 || !is_state(word(w, at)) ||
	    !is(w, at + 1, "to") || !is_state(word(w, at + 2)) || !is(w, at + 3, "on") ||
	    w->n < at + 5 || w->n > at + 6)
		return false;
	out->port = (unsigned)port;
	(void)strcpy(out->was, w->word[at]);
	(void)strcpy(out->is, w->word[at + 2]);
	return true;
}

struct text_row {
	const char *part; /* of the text */
	enum linuxptp_kind kind;
};

/* clang-format off */
static const struct text_row texts[] = {
	{ "clockcheck: ",                                  LINUXPTP_NOTICE },
	{ "selected best master clock ",                   LINUXPTP_NOTICE },
	{ "selected local clock ",                         LINUXPTP_NOTICE },
	{ "new foreign master ",                           LINUXPTP_NOTICE },
	{ "assuming the grand master role",                LINUXPTP_NOTICE },
	{ "link up",                                       LINUXPTP_NOTICE },
	{ "link down",                                     LINUXPTP_NOTICE },
	{ "updating UTC offset to ",                       LINUXPTP_NOTICE },
	{ "foreign master not using PTP timescale",        LINUXPTP_NOTICE },
	{ "running in a temporal vortex",                  LINUXPTP_NOTICE },
	{ "timed out while polling for tx timestamp",      LINUXPTP_NOTICE },
	{ "increasing tx_timestamp_timeout",               LINUXPTP_NOTICE },
	{ "received SYNC without timestamp",               LINUXPTP_NOTICE },
	{ "bad message",                                   LINUXPTP_NOTICE },
	{ "rogue peer delay response",                     LINUXPTP_NOTICE },
	{ "multiple peer responses",                       LINUXPTP_NOTICE },
	{ "delay response timeout",                        LINUXPTP_NOTICE },
	{ "unexpected socket error",                       LINUXPTP_NOTICE },
	{ "error on fda[",                                 LINUXPTP_NOTICE },
	{ "master state recommended in slave only mode",   LINUXPTP_NOTICE },
	{ "defaultDS.priority1 probably misconfigured",    LINUXPTP_NOTICE },
	{ "no suitable ports available",                   LINUXPTP_NOTICE },
	{ "Lost connection to ptp4l",                      LINUXPTP_NOTICE },
	{ "nothing to synchronize",                        LINUXPTP_NOTICE },
	{ "reconfiguring after port state change",         LINUXPTP_NOTICE },
	{ "selecting ",                                    LINUXPTP_NOTICE },
	{ "changed state",                                 LINUXPTP_NOTICE },
	{ "Waiting for ptp4l...",                          LINUXPTP_CHATTER },
	{ "clock not ready, waiting...",                   LINUXPTP_CHATTER },
	{ "as PTP clock",                                  LINUXPTP_CHATTER },
	{ "received data for unknown port ",               LINUXPTP_CHATTER },
	{ "skipping ",                                     LINUXPTP_CHATTER },
	{ "subscriber ",                                   LINUXPTP_CHATTER },
	{ "uds: removed existing ",                        LINUXPTP_CHATTER },
	{ "nmea sentence: ",                               LINUXPTP_CHATTER },
	{ "nmea delay: ",                                  LINUXPTP_CHATTER },
	{ " extts index ",                                 LINUXPTP_CHATTER },
};
/* clang-format on */

static enum linuxptp_kind find_text(const char *text)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (strstr(text, texts[i].part))
			return texts[i].kind;
	return LINUXPTP_STRANGE;
}

static void forget_pieces(struct linuxptp_line *out)
{
	out->tag[0] = out->clock[0] = out->source[0] = out->port_name[0] = '\0';
	out->offset_ns = out->rms_ns = out->max_ns = out->delay_ns = SAMPLE_UNKNOWN;
	out->freq_ppb = 0;
}

/* What it says, behind the frame. */
static enum linuxptp_kind parse_text(const char *text, struct linuxptp_line *out)
{
	static const struct {
		enum linuxptp_kind kind;
		bool (*parse)(const struct words *w, struct linuxptp_line *out);
	} forms[] = {
		{LINUXPTP_SAMPLE, parse_sample},
		{LINUXPTP_SUMMARY, parse_summary},
		{LINUXPTP_PORT_STATE, parse_port_state},
	};
	struct words w;

	split(text, &w);
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		forget_pieces(out);
		if (forms[i].parse(&w, out))
			return forms[i].kind;
	}
	forget_pieces(out);
	return find_text(text);
}

/* The line as text: what is not printable, and half a character at most, becomes '?'. */
static void make_text(const char *line, size_t len, char out[static LINE_MAX_LEN])
{
	size_t n = 0;

	while (n < len && n < LINE_MAX_LEN - 1) {
		unsigned char c = (unsigned char)line[n];

		out[n++] = c == '\t' ? ' ' : c < 0x20 || c >= 0x7f ? '?' : (char)c;
	}
	while (n > 0 && out[n - 1] == ' ')
		n--;
	out[n] = '\0';
}

enum linuxptp_kind linuxptp_parse(const char *line, size_t len, struct linuxptp_line *out)
{
	char copy[LINE_MAX_LEN];
	size_t prefix_len = 0;
	const char *text;

	if (len > 0 && line[len - 1] == '\r')
		len--;
	make_text(line, len, copy);
	*out = (struct linuxptp_line){.mono_ns = TIME_UNKNOWN, .utc_ns = TIME_UNKNOWN};
	forget_pieces(out);
	text = len < LINE_MAX_LEN ? find_frame(copy, out, &prefix_len) : NULL;
	if (!text) {
		out->mono_ns = TIME_UNKNOWN;
		(void)snprintf(out->text, sizeof(out->text), "%.*s", LINUXPTP_TEXT_MAX - 1, copy);
		return out->kind = LINUXPTP_STRANGE;
	}
	text += strspn(text, " ");
	(void)snprintf(out->text, sizeof(out->text), "%.*s", LINUXPTP_TEXT_MAX - 1, text);
	parse_utc(copy, prefix_len, out);
	return out->kind = parse_text(text, out);
}
