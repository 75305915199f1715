/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/base/log.h: one event, one line, on stderr.
 *
 * Under systemd (stderr is the JOURNAL_STREAM) a line begins with the <N> prefix that the journal
 * takes as its priority, and the journal names the program itself; elsewhere its name begins the
 * line. The logger is the only global of the program.
 * Writing does not block: a line that stderr cannot take now (a held terminal, a full pipe) is
 * dropped.
 */
#pragma once
#include <stdbool.h>

enum log_level { /* syslog's numbers */
		 LOG_LEVEL_ERROR = 3,
		 LOG_LEVEL_WARNING = 4,
		 LOG_LEVEL_NOTICE = 5,
		 LOG_LEVEL_INFO = 6,
		 LOG_LEVEL_DEBUG = 7,
};

/* Name in front of each line but in the journal (a literal; NULL: none), and the least severe level
 * that is shown. */
void log_setup(const char *name, enum log_level level);
enum log_level log_level(void);

/* Our stderr is the journal's. */
bool log_is_journal(void);

__attribute__((format(printf, 2, 3))) void log_line(enum log_level level, const char *fmt, ...);

#define log_error(...)   log_line(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warning(...) log_line(LOG_LEVEL_WARNING, __VA_ARGS__)
#define log_notice(...)  log_line(LOG_LEVEL_NOTICE, __VA_ARGS__)
#define log_info(...)    log_line(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...)   log_line(LOG_LEVEL_DEBUG, __VA_ARGS__)
