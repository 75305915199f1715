/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/collect/time_scale.h: the time scale of one ptp4l: as a grandmaster, what it is to
 * announce; as a slave, what it is told. A part of collect/pmc, which has the client.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "pmc-client/client.h"
#include "ptpmon/model/announcer.h"
#include "ptpmon/model/event.h"

struct time_scale {
	const char *name; /* what events are about: the first port */
	void (*on_event)(void *userdata, const struct event *event);
	void *userdata;
	struct announcer announcer;
	struct utc_offset ours;
	bool ours_known;
	enum received_scale received, received_told;
	bool received_known;
};

/* Sends what is due, if anything. False: nothing was sent. */
bool time_scale_ask(struct time_scale *t, struct pmc_client *client, int64_t now_mono_ns,
		    int64_t timeout_ns);

/* An answer, or a failure, that is about GRANDMASTER_SETTINGS_NP. True: there is news of them. */
bool time_scale_answered(struct time_scale *t, const struct pmc_message *m);

/* TIME_PROPERTIES_DATA_SET. is_slave: they are a master's. True: ask again soon, to be sure. */
bool time_scale_properties(struct time_scale *t, const struct ptp_time_properties_ds *ds,
			   bool is_slave, int64_t mono_ns);

/* Another ptp4l. */
void time_scale_restarted(struct time_scale *t, int64_t now_mono_ns);
