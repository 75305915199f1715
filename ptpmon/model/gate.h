/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/model/gate.h: whether phc2sys may steer its clock, as a table of conditions. Pure.
 *
 * phc2sys is never left to find out by itself (-a, -w) when its PHC is worth following: it waits
 * for ever where it cannot tell, and follows where it should not. It runs while every condition
 * holds; one that is lost for a moment is forgiven, and one for longer ends it unless the policy is
 * to hold.
 *
 * The clock is CLOCK_REALTIME; or, where the ports of one ptp4l have several PHCs, one of those
 * that ptp4l does not steer itself. Two programs never steer one PHC, whatever the policy.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum gate_on_loss {
	GATE_LOSS_STOP, /* the system clock runs free at its last frequency */
	GATE_LOSS_HOLD, /* it follows the PHC, which runs free at its own */
	GATE_LOSS_MAX
};

struct gate_policy {
	enum gate_on_loss on_loss;
	int64_t max_offset_ns; /* |offset| of the PHC from its master, beyond which it is not
				  followed */
	int64_t loss_ns;       /* a loss has to last for so long */
};

struct gate_input {
	bool wanted;
	bool sink_missing; /* the PHC to be steered is not there */
	bool sink_taken;   /* ptp4l steers it, or another phc2sys does */
	int sink_index;    /* of that PHC; any for CLOCK_REALTIME */
	int phc_index;     /* of the port that is SLAVE, or -1 */
	bool source_busy;  /* a phc2sys that steered that one has not ended yet */
	bool phc_failed, phc_stuck;
	bool epoch_ok;     /* the PHC shows a time that can be right */
	bool slave;        /* now, and not as far as was known a while ago */
	bool offset_known; /* … likewise */
	int64_t offset_ns;
	bool utc_known; /* how far the PHC is ahead of UTC, in seconds: */
	int64_t utc_offset_s;
};

enum gate_reason { /* the first that applies; names by gate_reason_text() */
		   GATE_OPEN,
		   GATE_NOT_WANTED,
		   GATE_NO_SINK,
		   GATE_SINK_TAKEN,
		   GATE_NO_SLAVE,
		   GATE_NO_PHC,
		   GATE_SOURCE_BUSY,
		   GATE_PHC_FAILED,
		   GATE_PHC_STUCK,
		   GATE_EPOCH,
		   GATE_NO_OFFSET,
		   GATE_OFFSET_LARGE,
		   GATE_NO_UTC_OFFSET,
		   GATE_REASON_MAX
};

/* "the port is not SLAVE" and so on. */
const char *gate_reason_text(enum gate_reason reason);

enum gate_action { GATE_DO_NOTHING, GATE_DO_START, GATE_DO_STOP, GATE_DO_RESTART };

/* Begins as {.reason = GATE_NOT_WANTED}. */
struct gate {
	bool open;
	enum gate_reason reason; /* why not; while it is open, what is being forgiven or held */
	int phc_index;           /* what phc2sys was started with */
	int sink_index;
	int64_t utc_offset_s;
	int64_t lost_mono_ns; /* a condition is not met since then; 0: all are */
};

/* Call it about once a second. */
enum gate_action gate_feed(struct gate *g, const struct gate_policy *policy,
			   const struct gate_input *in, int64_t now_mono_ns);
