/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/collect/log.h: a child's output, line by line, from the pipe that never blocks it.
 *
 * The write end is non-blocking: what does not fit is lost in the middle of a line. The reader
 * takes up again at the next newline and counts the hole. It knows linuxptp's line frame,
 * "ptp4l[5374.170]: text" (print.c, 3.1.1 to 4.4), to find a hole and to tell samples from news;
 * it takes no figure from a text.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LOG_LINE_MAX = 512 };

enum log_kind {
	LOG_SAMPLE, /* one a Sync or a summary of them: never forwarded */
	LOG_NEWS,
};

struct log_servo {
	int64_t offset_ns, freq_ppb;
	unsigned servo;
};

/*
 * What a sample line says of the servo, as linuxptp prints it: "… offset N sN freq N …". False if
 * it is none, or a summary of several.
 */
bool log_servo(const char *text, struct log_servo *out);

/* text is without the frame, NUL-terminated, and valid during the call; log_source.line is all of
 * it. */
typedef void log_line_fn(void *userdata, enum log_kind kind, const char *text);

struct log_source {
	int fd; /* the caller's: non-blocking */
	log_line_fn *on_line;
	void *userdata;
	uint64_t lines, holes;
	size_t len;
	bool skipping; /* the rest of a line that was too long */
	char line[LOG_LINE_MAX];
};

/* Takes what is waiting, a bounded amount. 0, or -errno. */
int log_source_receive(struct log_source *s);
