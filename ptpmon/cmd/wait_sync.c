// SPDX-License-Identifier: GPL-2.0-or-later
/* ptpmon wait-sync: waits until the service says that all is within limits. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pmc-client/ptp_types.h"
#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/cmd/cmd.h"
#include "ptpmon/cmd/options.h"
#include "ptpmon/cmd/service.h"
#include "ptpmon/report/status_json.h"

DEFINE_FREEP(struct varlink_stream, varlink_stream_free)

#define FOR_EVER   0
#define DEFAULT_NS (60 * NSEC_PER_SEC)

enum { RETRY_MS = 200 };

struct waiting {
	struct service service;
	bool as_json;
	int64_t timeout_ns; /* FOR_EVER */
	int64_t began_mono_ns;
	json_t *newest;               /* status; NULL: none yet */
	struct status status;         /* the same */
	char reason[STATUS_TEXT_MAX]; /* what is still missing */
};

static int64_t left_ns(const struct waiting *w)
{
	int64_t passed_ns = nsec_now(CLOCK_MONOTONIC) - w->began_mono_ns;

	return w->timeout_ns == FOR_EVER ? INT64_MAX / 2 : w->timeout_ns - passed_ns;
}

/* "eth0 is SLAVE, offset -112 ns" */
static void print_ports(const struct status *s)
{
	char offset[NSEC_TEXT_MAX];

	for (size_t i = 0; i < s->n_ports; i++) {
		const struct status_port *p = &s->ports[i];

		(void)printf("%s%s is %s", i ? "; " : "", p->name,
			     ptp_port_state_name((unsigned)p->state.value));
		if (p->offset_ns.known)
			(void)printf(", offset %s", nsec_format_offset(p->offset_ns.value, offset));
	}
}

static int tell(const struct waiting *w, bool in_sync)
{
	int64_t waited_ns = nsec_now(CLOCK_MONOTONIC) - w->began_mono_ns;
	const struct status_readiness *r = &w->status.readiness;
	const char *command = w->service.command;
	json_auto_t *json = NULL;
	char age[NSEC_TEXT_MAX];

	if (w->as_json) {
		json = json_pack("{ss sb sI so sO?}", "schema", "ptpmon.wait-sync/1", "in_sync",
				 in_sync, "waited_ns", (json_int_t)waited_ns, "reason",
				 in_sync ? json_null() : json_string(w->reason), "status",
				 w->newest);
		if (!json || json_dumpf(json, stdout, JSON_INDENT(2)) < 0 || putchar('\n') == EOF)
			return options_complain(command, "cannot print");
	} else if (in_sync) {
		print_ports(&w->status);
		(void)printf("; within limits for %s\n",
			     nsec_format_age(w->status.taken_mono_ns - r->since_mono_ns, age));
	} else {
		(void)options_complain(command, "not synchronised after %s: %s",
				       nsec_format_age(waited_ns, age), w->reason);
	}
	if (options_flush(command) != EXIT_GOOD)
		return EXIT_USAGE;
	return in_sync ? EXIT_GOOD : EXIT_BAD;
}

/* One status. -EAGAIN: go on; else an exit status. */
static int look(struct waiting *w, const json_t *reply)
{
	json_t *status = json_object_get(reply, "status");

	if (status_from_json(&w->status, status) < 0)
		return options_complain(w->service.command,
					"%s: not a status that this version understands",
					w->service.path);
	json_decref(w->newest);
	w->newest = json_incref(status);
	if (w->status.readiness.ready)
		return tell(w, true);
	(void)snprintf(w->reason, sizeof(w->reason), "%s", w->status.readiness.reason);
	return -EAGAIN;
}

/* As long as one recorder answers. -EAGAIN: try again; else an exit status. */
static int watch(struct waiting *w)
{
	CLEANUP(varlink_stream_freep) struct varlink_stream *stream = NULL;
	char why[VARLINK_WHY_MAX];
	int r = service_watch(&w->service, "Watch", json_pack("{sb}", "events", false), &stream,
			      why);

	while (r == 0) {
		json_auto_t *reply = NULL;

		r = varlink_stream_next(stream, left_ns(w), &reply, why);
		if (r == 0) {
			r = look(w, reply);
			if (r != -EAGAIN)
				return r;
			r = 0;
		}
	}
	if (r == VARLINK_ERROR || r == -EACCES || r == -ENAMETOOLONG || r == -EBADMSG)
		return service_complain(&w->service, r, why);
	if (service_is_absent(r))
		(void)snprintf(w->reason, sizeof(w->reason), "%.200s: no service listens there",
			       w->service.path);
	return -EAGAIN;
}

static int wait_until_ready(struct waiting *w)
{
	int r = -EAGAIN;

	while (r == -EAGAIN && left_ns(w) > 0) {
		r = watch(w);
		if (r == -EAGAIN && left_ns(w) > 0)
			(void)poll(NULL, 0, RETRY_MS);
	}
	return r == -EAGAIN ? tell(w, false) : r;
}

int cmd_wait_sync(int argc, char **argv)
{
	CLEANUP(freep) struct waiting *w = calloc(1, sizeof(*w));
	const char *config = NULL;
	int64_t timeout_ns = DEFAULT_NS;
	bool as_json = false;
	const struct option_row rows[] = {
		{"timeout", 't', "TIME", "give up after so long (default 60 s); 0: never",
		 take_duration, &timeout_ns, 0, INT64_MAX / 4},
		OPTION_CONFIG(&config),
		OPTION_JSON(&as_json),
	};
	const struct usage usage = {
		.synopsis = "wait-sync [OPTION]...",
		.about = "Wait until the running service has been synchronised, within [limits] "
			 "ready_offset for ready_hold. A service that does not run yet is waited "
			 "for as well.",
		ROWS(rows),
		.epilogue = "Exit status: 0 synchronised, 1 not within the time, 2 usage or it "
			    "cannot be asked.",
	};
	int first;
	int status;

	if (!options_parse(&usage, argc, argv, &first, &status))
		return status;
	if (!w)
		return options_complain(argv[0], "%s", strerror(ENOMEM));
	if (!service_find(&w->service, argv[0], config))
		return EXIT_USAGE;
	w->as_json = as_json;
	w->timeout_ns = timeout_ns;
	w->began_mono_ns = nsec_now(CLOCK_MONOTONIC);
	(void)strcpy(w->reason, "no answer yet");
	status = wait_until_ready(w);
	json_decref(w->newest);
	return status;
}
