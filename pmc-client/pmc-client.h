/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libpmc-client: PTP management over ptp4l's UNIX socket, raw Ethernet and UDP.
 *
 *   ptp_types.h  identities, enumerations and their names
 *   dataset.h    the data sets of all management ids, and rows that describe their fields
 *   message.h    single messages, for a transport of your own
 *   client.h     requests, answers, deadlines and subscriptions
 *   network.h    how to reach the clocks of a network
 *   follower.h   each update of a slave's clock once, what was missed declared
 *   raw_stream.h the time stamps behind each offset
 *   discover.h   which domain a ptp4l is in
 */
#pragma once

#include "pmc-client/client.h"
#include "pmc-client/dataset.h"
#include "pmc-client/discover.h"
#include "pmc-client/follower.h"
#include "pmc-client/message.h"
#include "pmc-client/network.h"
#include "pmc-client/ptp_types.h"
#include "pmc-client/raw_stream.h"
