/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/base/log.h"

#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINE_BYTES = 1024 };

static struct {
	const char *name;
	enum log_level level;
	bool journal;
} logger = {.level = LOG_LEVEL_NOTICE};

/* JOURNAL_STREAM is inherited by what has its stderr elsewhere: it names the journal's own file. */
static bool goes_to_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	char own[64];
	struct stat st;

	if (!stream || fstat(STDERR_FILENO, &st) < 0)
		return false;
	(void)snprintf(own, sizeof(own), "%ju:%ju", (uintmax_t)st.st_dev, (uintmax_t)st.st_ino);
	return strcmp(stream, own) == 0;
}

void log_setup(const char *name, enum log_level level)
{
	logger.name = name;
	logger.level = level;
	logger.journal = goes_to_journal();
}

enum log_level log_level(void)
{
	return logger.level;
}

bool log_is_journal(void)
{
	return logger.journal;
}

void log_line(enum log_level level, const char *fmt, ...)
{
	char line[LINE_BYTES];
	int at = 0;
	int n;
	va_list ap;

	if (level > logger.level)
		return;
	if (logger.journal)
		at = snprintf(line, sizeof(line), "<%d>", (int)level);
	else if (logger.name)
		at += snprintf(line + at, sizeof(line) - (size_t)at, "%s: ", logger.name);
	va_start(ap, fmt);
	n = vsnprintf(line + at, sizeof(line) - (size_t)at - 1, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	at += n;
	if (at > LINE_BYTES - 2)
		at = LINE_BYTES - 2;
	/* one line is one event: what came from outside must not forge a second one */
	for (int i = 0; i < at; i++)
		if ((unsigned char)line[i] < ' ' || line[i] == 0x7f)
			line[i] = ' ';
	line[at++] = '\n';
	if (poll(&(struct pollfd){.fd = STDERR_FILENO, .events = POLLOUT}, 1, 0) == 1)
		(void)!write(STDERR_FILENO, line, (size_t)at);
}
