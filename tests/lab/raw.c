// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * raw SERVER MONITOR LOG_SYNC_INTERVAL LOG_DELAY_INTERVAL: the raw stream of the ptp4l behind
 * SERVER, whose slave_event_monitor is MONITOR. Each Sync with an offset is a line "SECONDS
 * OFFSET MISSED DELAY", with CLOCK_MONOTONIC when it was read. First it says what stall it
 * survives; a rate that leaves too little is refused with status 1. Ends with SIGTERM.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "pmc-client/pmc-client.h"

static volatile sig_atomic_t ended;

static void on_signal(int signal)
{
	ended = 1;
}

static int64_t now_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void on_sample(void *userdata, const struct pmc_raw_sample *s)
{
	uint64_t *undeclared = userdata;

	*undeclared += s->missed;
	if (s->offset_ns == PMC_RAW_UNKNOWN)
		return;
	printf("%.9f %" PRId64 " %" PRIu64 " %" PRId64 "\n", (double)s->read_mono_ns / 1e9,
	       s->offset_ns, *undeclared, s->delay_ns);
	*undeclared = 0;
}

static int64_t interval_of(const char *log2_s)
{
	int log2 = atoi(log2_s);

	return log2 < 0 ? INT64_C(1000000000) >> -log2 : INT64_C(1000000000) << log2;
}

static int follow(struct pmc_raw_stream *s)
{
	int r = pmc_raw_stream_open(s);

	while (r == 0 && !ended) {
		(void)poll(&(struct pollfd){pmc_raw_stream_fd(s), POLLIN, 0}, 1, 1000);
		r = pmc_raw_stream_receive(s, now_ns());
	}
	return r;
}

int main(int argc, char **argv)
{
	uint64_t undeclared = 0;
	struct pmc_raw_options o = {.on_sample = on_sample, .userdata = &undeclared};
	struct pmc_raw_stream *s;
	int64_t survival_ns;
	int r;

	if (argc != 5)
		return 2;
	o.server_path = argv[1];
	o.monitor_path = argv[2];
	o.sync_interval_ns = interval_of(argv[3]);
	o.delay_interval_ns = interval_of(argv[4]);
	(void)setvbuf(stdout, NULL, _IOLBF, 0);
	(void)signal(SIGTERM, on_signal);
	survival_ns = pmc_raw_survival_ns(o.sync_interval_ns, o.delay_interval_ns);
	printf("# survives a stall of %.1f s\n", (double)survival_ns / 1e9);
	r = pmc_raw_stream_new(&s, &o);
	if (r == 0) {
		r = follow(s);
		(void)pmc_raw_stream_free(s);
	}
	if (r == -ERANGE)
		printf("# refused: too fast, a reader must survive a stall of %.0f s\n",
		       (double)PMC_RAW_SURVIVAL_MIN_NS / 1e9);
	else if (r < 0)
		printf("# %s\n", strerror(-r));
	return r < 0;
}
