/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Why is a ptp4l silent? It drops messages of another domain or transportSpecific without a word,
 * so the only way to learn these two is to ask with each. For tools and set-up: this waits.
 */
#pragma once

#include "pmc-client/network.h"

struct pmc_found {
	uint8_t domain;
	uint8_t transport_specific;
	struct ptp_clock_identity clock;
};

/*
 * Ask the ptp4l at server_path in every domain with every transportSpecific, the usual ones first,
 * for at most timeout_ns. own_path as in struct pmc_client_options. stop_fd, unless it is negative,
 * ends the search once it is readable.
 *
 * 0; -ECANCELED: stop_fd; -ETIMEDOUT: nothing makes it answer: it is stopped, or wants
 * authenticated messages (linuxptp 4.3); or what pmc_client_connect() can return.
 */
PMC_EXPORT int pmc_find_domain(const char *server_path, const char *own_path, int64_t timeout_ns,
			       int stop_fd, struct pmc_found *out);

/*
 * The same over a network, until any clock answers: every domain with the transportSpecifics 0 and
 * 1 that there are in practice, at most 100 requests a second, so 5 s for all. Clocks of other
 * domains don't answer and nothing piles up.
 */
PMC_EXPORT int pmc_find_network_domain(const struct pmc_network *network, int64_t timeout_ns,
				       int stop_fd, struct pmc_found *out);
