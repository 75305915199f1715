/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The probe of a port, with a port played here: what is sent, and that the old setting comes back.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <linux/net_tstamp.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ptpmon/base/nsec.h"
#include "ptpmon/check/probe.h"

/* The port: its setting, what it does with it, and the other end of its wire. */
static struct {
	struct hwtstamp_config setting;
	int get_error, set_error;
	bool sticks; /* takes the first change and no other */
	bool cut;    /* has no other end */
	unsigned sets;
	int wire;
} port;

static const uint8_t address[6] = {2, 0, 0, 0, 0, 7};

/* These stand before the C library's for what is linked here. */
int ioctl(int fd, unsigned long request, ...)
{
	struct ifreq *r;
	va_list ap;
	int error = request == SIOCGHWTSTAMP   ? port.get_error
		    : request == SIOCSHWTSTAMP ? port.set_error
					       : 0;

	va_start(ap, request);
	r = va_arg(ap, struct ifreq *);
	va_end(ap);
	if (error) {
		errno = error;
		return -1;
	}
	if (request == SIOCGIFHWADDR)
		memcpy(r->ifr_hwaddr.sa_data, address, sizeof(address));
	else if (request == SIOCGHWTSTAMP)
		memcpy(r->ifr_data, &port.setting, sizeof(port.setting));
	else if (request == SIOCSHWTSTAMP && !(port.sets++ && port.sticks))
		memcpy(&port.setting, r->ifr_data, sizeof(port.setting));
	return 0;
}

int socket(int domain, int type, int protocol)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends) < 0)
		return -1;
	port.wire = ends[1];
	if (port.cut)
		(void)close(port.wire);
	return ends[0];
}

int bind(int fd, const struct sockaddr *at, socklen_t len)
{
	return 0;
}

static void plug(void)
{
	memset(&port, 0, sizeof(port));
	port.wire = -1;
	port.setting.rx_filter = HWTSTAMP_FILTER_PTP_V2_L2_EVENT;
}

#define TIMEOUT_NS (20 * NSEC_PER_MSEC)

static void sends_and_restores(void **state)
{
	uint8_t frame[256];
	struct probe_result r = {0};

	plug();
	assert_int_equal(probe_port("lo", TIMEOUT_NS, &r), 0);
	assert_true(r.changed);
	assert_false(r.stamped[0] || r.stamped[1]);
	assert_int_equal(port.sets, 2);
	assert_int_equal(port.setting.tx_type, HWTSTAMP_TX_OFF);
	assert_int_equal(port.setting.rx_filter, HWTSTAMP_FILTER_PTP_V2_L2_EVENT);
	for (unsigned minor = 0; minor < PROBE_KINDS; minor++) {
		assert_int_equal(recv(port.wire, frame, sizeof(frame), MSG_DONTWAIT),
				 PROBE_FRAME_OCTETS);
		assert_memory_equal(frame, "\x01\x1b\x19\0\0\0\x02\0\0\0\0\x07\x88\xf7\x01", 15);
		assert_int_equal(frame[15], minor << 4 | 2);
		assert_int_equal(frame[16] << 8 | frame[17], 44);
		assert_int_equal(frame[18], PROBE_DOMAIN);
		assert_int_equal(frame[14 + 32], 1);
		assert_int_equal(frame[14 + 33], 0x7f);
	}
	assert_true(recv(port.wire, frame, sizeof(frame), MSG_DONTWAIT) < 0);
	(void)close(port.wire);
}

static void leaves_what_is_on(void **state)
{
	struct probe_result r = {0};

	plug();
	port.setting.tx_type = HWTSTAMP_TX_ONESTEP_SYNC;
	assert_int_equal(probe_port("lo", TIMEOUT_NS, &r), 0);
	assert_false(r.changed);
	assert_int_equal(port.sets, 0);
	(void)close(port.wire);
}

static void does_not_touch_what_it_cannot_restore(void **state)
{
	struct probe_result r = {.changed = true};
	uint8_t frame[256];

	plug();
	port.get_error = EOPNOTSUPP;
	assert_int_equal(probe_port("lo", TIMEOUT_NS, &r), -EOPNOTSUPP);
	assert_int_equal(port.sets, 0);
	assert_true(recv(port.wire, frame, sizeof(frame), MSG_DONTWAIT) < 0); /* nothing was sent */
	assert_true(r.changed);                                               /* as it was */
	(void)close(port.wire);
}

static void says_that_it_may_not(void **state)
{
	struct probe_result r;

	plug();
	port.set_error = EPERM;
	assert_int_equal(probe_port("lo", TIMEOUT_NS, &r), -EPERM);
	(void)close(port.wire);
}

static void says_that_it_could_not_restore(void **state)
{
	struct probe_result r;

	plug();
	port.sticks = true;
	assert_int_equal(probe_port("lo", TIMEOUT_NS, &r), -EREMCHG);
	(void)close(port.wire);
}

static void restores_although_it_cannot_send(void **state)
{
	struct probe_result r;

	plug();
	port.cut = true;
	assert_int_equal(probe_port("lo", TIMEOUT_NS, &r), -ECONNREFUSED);
	assert_int_equal(port.sets, 2);
	assert_int_equal(port.setting.tx_type, HWTSTAMP_TX_OFF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sends_and_restores),
		cmocka_unit_test(leaves_what_is_on),
		cmocka_unit_test(does_not_touch_what_it_cannot_restore),
		cmocka_unit_test(says_that_it_may_not),
		cmocka_unit_test(says_that_it_could_not_restore),
		cmocka_unit_test(restores_although_it_cannot_send),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
