/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/base/leap_seconds.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ptpmon/base/cleanup.h"

#define NTP_TO_UNIX_S INT64_C(2208988800) /* from 1900 to 1970 */

enum {
	LINE_SIZE = 256,
	FILE_SIZE_MAX = 64 << 10,
	OFFSET_LEAST = 1, /* 10 s since 1972 */
	OFFSET_MOST = 255,
};

/* One number, and where it ends; NULL if there is none. */
static const char *read_number(const char *text, int64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoll(text, &end, 10);
	return end == text || errno ? NULL : end;
}

static int add_row(struct leap_table *t, const char *line)
{
	int64_t ntp_s;
	int64_t offset_s;
	const char *rest = read_number(line, &ntp_s);

	if (!rest || !read_number(rest, &offset_s) || t->n == LEAP_SECONDS_MAX)
		return -EBADMSG;
	if (ntp_s < 0 || ntp_s > UINT32_MAX || offset_s < OFFSET_LEAST || offset_s > OFFSET_MOST)
		return -EBADMSG;
	if (t->n && ntp_s - NTP_TO_UNIX_S <= t->row[t->n - 1].utc_s)
		return -EBADMSG;
	t->row[t->n].utc_s = ntp_s - NTP_TO_UNIX_S;
	t->row[t->n++].offset_s = offset_s;
	return 0;
}

static int take_line(struct leap_table *t, bool *expires, const char *line)
{
	int64_t ntp_s;

	line += strspn(line, " \t\r");
	if (strncmp(line, "#@", 2) == 0) {
		if (!read_number(line + 2, &ntp_s) || ntp_s < 0 || ntp_s > UINT32_MAX)
			return -EBADMSG;
		t->expires_utc_s = ntp_s - NTP_TO_UNIX_S;
		*expires = true;
		return 0;
	}
	return *line == '#' || *line == '\0' ? 0 : add_row(t, line);
}

int leap_table_parse(const char *text, size_t len, struct leap_table *out)
{
	struct leap_table t = {0};
	bool expires = false;

	while (len > 0) {
		const char *newline = memchr(text, '\n', len);
		size_t line_len = newline ? (size_t)(newline - text) : len;
		char line[LINE_SIZE];

		if (line_len >= sizeof(line))
			return -EBADMSG;
		memcpy(line, text, line_len);
		line[line_len] = '\0';
		if (take_line(&t, &expires, line) < 0)
			return -EBADMSG;
		line_len += newline ? 1 : 0;
		text += line_len;
		len -= line_len;
	}
	if (!t.n || !expires)
		return -EBADMSG;
	*out = t;
	return 0;
}

int leap_table_load(const char *path, struct leap_table *out)
{
	CLEANUP(close_fdp) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	CLEANUP(freep) char *text = malloc(FILE_SIZE_MAX + 1);
	size_t len = 0;
	ssize_t n;

	if (!text)
		return -ENOMEM;
	if (fd < 0)
		return -errno;
	while ((n = read(fd, text + len, FILE_SIZE_MAX + 1 - len)) > 0)
		len += (size_t)n;
	if (n < 0)
		return -errno;
	return len > FILE_SIZE_MAX ? -EFBIG : leap_table_parse(text, len, out);
}

int64_t leap_table_at(const struct leap_table *t, int64_t utc_s)
{
	int64_t offset_s = 0;

	for (size_t i = 0; i < t->n && t->row[i].utc_s <= utc_s; i++)
		offset_s = t->row[i].offset_s;
	return offset_s;
}
