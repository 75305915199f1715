/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/recorder/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <systemd/sd-journal.h>
#include <unistd.h>

#include "ptpmon/base/cleanup.h"

void journal_stream_open(struct journal_stream *j, const char *identifier)
{
	int flags;

	*j = (struct journal_stream){.fd = -1};
	if (!log_is_journal())
		return;
	j->fd = sd_journal_stream_fd(identifier, LOG_LEVEL_INFO, true);
	if (j->fd < 0)
		return;
	flags = fcntl(j->fd, F_GETFL);
	if (flags < 0 || fcntl(j->fd, F_SETFL, flags | O_NONBLOCK) < 0)
		close_fdp(&j->fd);
}

void journal_stream_close(struct journal_stream *j)
{
	close_fdp(&j->fd);
}

bool journal_stream_line(struct journal_stream *j, enum log_level level, const char *text)
{
	char line[1024];
	ssize_t written;
	int n;

	if (j->fd < 0)
		return false;
	n = snprintf(line, sizeof(line) - 1, "<%d>%s", (int)level, text);
	if (n > (int)sizeof(line) - 2)
		n = (int)sizeof(line) - 2;
	for (int i = 0; i < n; i++) /* one line is one entry */
		if ((unsigned char)line[i] < ' ' || line[i] == 0x7f)
			line[i] = ' ';
	line[n++] = '\n';
	written = write(j->fd, line, (size_t)n);
	if (written == n)
		return true;
	j->lost++;
	/* it is gone, or the next line would go on where this one broke off: our stderr still tells
	 */
	if (written >= 0 || errno != EAGAIN)
		close_fdp(&j->fd);
	return true;
}
