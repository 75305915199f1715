// SPDX-License-Identifier: LGPL-2.1-or-later
/* How libpmc-client is used: print the offset of the ptp4l behind a socket once a second. */
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "pmc-client/pmc-client.h"

static int64_t now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void on_message(void *unused, const struct pmc_message *m)
{
	(void)unused;
	if (m->outcome == PMC_OK)
		printf("offset_ns=%" PRId64 "\n", m->data->current_ds.offset_ns);
}

int main(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : "/var/run/ptp4l";
	struct pmc_client_options o = {.server_path = path, .on_message = on_message};
	struct pmc_client *c;
	int r = pmc_client_new(&c, &o);

	if (r == 0)
		r = pmc_client_connect(c);
	while (r == 0 && (r = pmc_client_get(c, PTP_ID_CURRENT_DATA_SET, PTP_PORT_ALL, now_ns(),
					     1000000000)) == 0) {
		while (pmc_client_busy(c)) {
			(void)poll(&(struct pollfd){pmc_client_fd(c), POLLIN, 0}, 1, 100);
			(void)pmc_client_receive(c, now_ns());
			pmc_client_expire(c, now_ns());
		}
		(void)poll(NULL, 0, 1000);
	}
	(void)fprintf(stderr, "%s: %s\n", path, strerror(-r));
	return 1;
}
