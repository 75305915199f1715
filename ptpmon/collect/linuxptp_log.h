/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/collect/linuxptp_log.h: one line of what ptp4l, phc2sys and ts2phc print.
 *
 * Versions 2 to 4.4 and later, as printed with -m, as syslog or the journal prefix it, and in
 * streams that several daemons share. A line that does not end where its form ends is not
 * understood, whatever it begins with: a line that was cut off must not become a wrong number.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

enum linuxptp_kind {
	LINUXPTP_STRANGE,    /* not understood */
	LINUXPTP_SAMPLE,     /* an offset of one update */
	LINUXPTP_SUMMARY,    /* rms and max of several */
	LINUXPTP_PORT_STATE, /* a port went from one state to another */
	LINUXPTP_NOTICE,     /* one of the texts that are known and tell something */
	LINUXPTP_CHATTER,    /* one that is known and tells nothing worth keeping */
};

enum { LINUXPTP_NAME_MAX = 48, LINUXPTP_TEXT_MAX = 200 };

/* Pieces that a line does not have are "", and TIME_UNKNOWN or SAMPLE_UNKNOWN. */
struct linuxptp_line {
	enum linuxptp_kind kind;
	char program[12];            /* "ptp4l", "phc2sys", "ts2phc" */
	char tag[LINUXPTP_NAME_MAX]; /* message_tag, without brackets */
	int64_t mono_ns;             /* of the machine that printed it, to the millisecond */
	int64_t utc_ns;              /* as the prefix says, if that has date, year and zone */
	int64_t utc_resolution_ns;   /* what the prefix rounds to */

	/* a sample; a summary has no source and no servo */
	char clock[LINUXPTP_NAME_MAX]; /* the sink, as phc2sys and ts2phc name it */
	char source[8];                /* "master", "phc", "sys", "pps" */
	int64_t offset_ns;             /* the sink's, minus its source's */
	int64_t rms_ns, max_ns;        /* of a summary */
	int64_t freq_ppb, delay_ns;
	unsigned servo; /* 0 to 3 */

	/* a change of state */
	unsigned port;
	char port_name[LINUXPTP_NAME_MAX]; /* as linuxptp 4 and later prints it */
	char was[20], is[20];              /* as printed: SLAVE */

	char text[LINUXPTP_TEXT_MAX]; /* what it says behind time and tag, in printable characters
				       */
};

/* One line without its end; len may be anything, and the octets too. Returns out->kind. */
enum linuxptp_kind linuxptp_parse(const char *line, size_t len, struct linuxptp_line *out);
