/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/collect/log.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK = 4096, CHUNKS_MAX = 16 };

/* The length of a frame "name[123.456]: " that begins here, or 0. */
static size_t frame_length(const char *s)
{
	const char *at = s;

	while (isalnum((unsigned char)*at) || *at == '-')
		at++;
	if (at == s || *at != '[')
		return 0;
	at++;
	if (!isdigit((unsigned char)*at))
		return 0;
	while (isdigit((unsigned char)*at) || *at == '.')
		at++;
	if (strncmp(at, "]: ", 3) != 0)
		return 0;
	return (size_t)(at + 3 - s);
}

/* A second frame inside a line: what was between them was lost. */
static const char *frame_inside(const char *text)
{
	static const char *const programs[] = {"ptp4l[", "phc2sys["};

	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		for (const char *at = strstr(text, programs[i]); at;
		     at = strstr(at + 1, programs[i]))
			if (frame_length(at))
				return at;
	return NULL;
}

bool log_servo(const char *text, struct log_servo *out)
{
	const char *at = strstr(text, " offset ");
	long long offset_ns;
	long long freq_ppb;
	unsigned servo;

	if (!at)
		at = strncmp(text, "offset ", 7) == 0 ? text - 1 : NULL;
	if (!at || sscanf(at + 8, "%lld s%1u freq %lld", &offset_ns, &servo, &freq_ppb) != 3)
		return false;
	*out = (struct log_servo){offset_ns, freq_ppb, servo};
	return true;
}

/* A summary: "rms N max N …", with a clock's name before it in phc2sys's. */
static bool is_summary(const char *text)
{
	const char *at = strstr(text, "rms ");

	return at && (at == text || at[-1] == ' ') && strstr(at, " max ");
}

static enum log_kind kind_of(const char *text)
{
	struct log_servo servo;

	return log_servo(text, &servo) || is_summary(text) ? LOG_SAMPLE : LOG_NEWS;
}

static void finish_line(struct log_source *s)
{
	const char *text = s->line;
	const char *second;

	s->line[s->len] = '\0';
	s->len = 0;
	text += frame_length(text);
	second = frame_inside(text);
	if (second) {
		s->holes++;
		text = second + frame_length(second);
	}
	if (!*text)
		return;
	s->lines++;
	s->on_line(s->userdata, kind_of(text), text);
}

static void take(struct log_source *s, const char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (bytes[i] == '\n') {
			if (!s->skipping)
				finish_line(s);
			s->skipping = false;
			s->len = 0;
		} else if (s->len == LOG_LINE_MAX - 1) {
			if (!s->skipping)
				finish_line(s);
			s->skipping = true;
		} else if (!s->skipping) {
			s->line[s->len++] = (char)(bytes[i] ? bytes[i] : ' ');
		}
	}
}

int log_source_receive(struct log_source *s)
{
	char chunk[CHUNK];

	for (int i = 0; i < CHUNKS_MAX; i++) {
		ssize_t n = read(s->fd, chunk, sizeof(chunk));

		if (n < 0)
			return errno == EAGAIN ? 0 : -errno;
		if (n == 0)
			return 0; /* the parent keeps a writer open: it comes again with the next
				     child */
		take(s, chunk, (size_t)n);
	}
	return 0;
}
