/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/model/sample.h: one number in a series at one moment.
 *
 * A source makes them, readers take them; neither knows the other. mono_ns is CLOCK_MONOTONIC of
 * the moment the value was true, not of when a late reader saw it. What is not known is
 * SAMPLE_UNKNOWN, never zero.
 */
#pragma once
#include <stdint.h>

#define SAMPLE_UNKNOWN INT64_MIN

enum sample_flag {
	SAMPLE_STEP = 1 << 0,         /* the servo stepped the clock with this very offset */
	SAMPLE_TIME_ASSUMED = 1 << 1, /* mono_ns is when it was read: its own moment is not known */
	SAMPLE_UNLOCKED = 1 << 2,     /* the port was not SLAVE when this was read */
	SAMPLE_SERVO = 1 << 3,        /* servo and freq_ppb are known */
};

/* What a series measures. The names are those of the table `series`, and of JSON. */
enum series_kind {
	SERIES_OFFSET,  /* offset from master, ns: local minus master */
	SERIES_LATENCY, /* wake-up latency of one CPU, ns; its windows are in the table `latency` */
	SERIES_OFFSET_RMS,    /* of the offsets that a summary line of a log stands for, ns */
	SERIES_OFFSET_MAX,    /* their largest magnitude, ns */
	SERIES_SYS_MINUS_PHC, /* CLOCK_REALTIME - (PHC - TAI-UTC), ns, as measured … */
	SERIES_PHC2SYS,       /* … and as phc2sys claims */
	SERIES_KIND_MAX
};

const char *series_kind_name(enum series_kind kind);

/* One measured quantity of a run: who measured what, of which subject, in which unit. */
struct series {
	enum series_kind kind;
	char source[16];  /* "pmc", "latency" */
	char subject[48]; /* the port ("eth0"), or "cpu 3" */
	char unit[8];     /* "ns" */
};

struct sample {
	unsigned series; /* index in the order in which the series were declared */
	uint32_t flags;  /* enum sample_flag */
	uint32_t missed; /* updates that were there between the sample before and this, unseen */
	int64_t mono_ns;
	int64_t value;    /* in the series' unit */
	int64_t delay_ns; /* mean path delay, or of a PHC what reading it took, or SAMPLE_UNKNOWN */
	double freq_ppb;  /* with the sign that ptp4l prints */
	uint8_t servo;    /* s0 … s3 as ptp4l prints it */
};
