/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/base/procstat.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ptpmon/base/cleanup.h"

enum { STAT_MAX = 1024, PF_KTHREAD = 0x00200000 }; /* linux/sched.h */

/* Fields of proc(5), counted from 1; those before FIELD_STATE hold the name, which may hold blanks.
 */
enum {
	FIELD_STATE = 3,
	FIELD_FLAGS = 9,
	FIELD_UTIME = 14,
	FIELD_STIME = 15,
	FIELD_THREADS = 20,
	FIELD_STARTED = 22,
	FIELD_LAST_CPU = 39,
	FIELD_RT_PRIORITY = 40,
	FIELD_POLICY = 41,
	FIELD_LAST_NEEDED = FIELD_POLICY
};

static int parse_fields(const char *text, uint64_t fields[static FIELD_LAST_NEEDED + 1])
{
	for (int i = FIELD_STATE + 1; i <= FIELD_LAST_NEEDED; i++) {
		char *end;

		errno = 0;
		fields[i] = (uint64_t)strtoll(text, &end, 10);
		if (errno == ERANGE) /* a limit of all ones, as rsslim is */
			fields[i] = UINT64_MAX;
		if (end == text)
			return -EBADMSG;
		text = end;
	}
	return 0;
}

int procstat_parse(const char *line, struct procstat *out)
{
	const char *open = strchr(line, '(');
	const char *close = strrchr(line, ')'); /* the last: a name may have its own */
	uint64_t fields[FIELD_LAST_NEEDED + 1];
	struct procstat s = {.tid = (pid_t)strtol(line, NULL, 10)};

	if (!open || !close || close < open || s.tid <= 0 || close[1] != ' ' || !close[2] ||
	    parse_fields(close + 3, fields) < 0)
		return -EBADMSG;
	(void)snprintf(s.name, sizeof(s.name), "%.*s", (int)(close - open - 1), open + 1);
	s.state = close[2];
	s.kernel = fields[FIELD_FLAGS] & PF_KTHREAD;
	s.threads = (int)fields[FIELD_THREADS];
	s.run_ticks = fields[FIELD_UTIME] + fields[FIELD_STIME];
	s.started_ticks = fields[FIELD_STARTED];
	s.last_cpu = (int)fields[FIELD_LAST_CPU];
	s.rt_priority = (int)fields[FIELD_RT_PRIORITY];
	s.policy = (int)fields[FIELD_POLICY];
	*out = s;
	return 0;
}

int procstat_read(const char *root, pid_t pid, pid_t tid, struct procstat *out)
{
	char line[STAT_MAX];
	ssize_t n = tid ? procstat_text(root, line, sizeof(line), "/proc/%d/task/%d/stat", (int)pid,
					(int)tid)
			: procstat_text(root, line, sizeof(line), "/proc/%d/stat", (int)pid);

	return n < 0 ? (int)n : procstat_parse(line, out);
}

const char *procstat_value(const char *text, const char *key)
{
	size_t len = strlen(key);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, len) == 0 && line[len] == ':')
			return line + len + 1;
	}
	return NULL;
}

ssize_t procstat_text(const char *root, char *text, size_t size, const char *path, ...)
{
	CLEANUP(close_fdp) int fd = -1;
	char full[PATH_MAX];
	size_t len = 0;
	ssize_t n = 0;
	va_list ap;
	int at;

	text[0] = '\0';
	at = snprintf(full, sizeof(full), "%s", root);
	if (at < 0 || (size_t)at >= sizeof(full))
		return -ENAMETOOLONG;
	va_start(ap, path);
	n = vsnprintf(full + at, sizeof(full) - (size_t)at, path, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof(full) - (size_t)at)
		return -ENAMETOOLONG;
	fd = open(full, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	while (len < size - 1 && (n = read(fd, text + len, size - 1 - len)) > 0)
		len += (size_t)n;
	if (n < 0)
		return -errno;
	while (len > 0 && text[len - 1] == '\n')
		len--;
	text[len] = '\0';
	return (ssize_t)len;
}
