/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an interface says of its timestamps, from messages as the kernel makes them. */
#include "ptpmon/collect/ethtool.h"

#include <errno.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <linux/net_tstamp.h>
#include <linux/netlink.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { HARDWARE = 0x5f, SOFTWARE = 0x18 }; /* as an i210 and a veth say */

static size_t align(size_t len)
{
	return (len + NLA_ALIGNTO - 1) & ~(size_t)(NLA_ALIGNTO - 1);
}

/* A reply being made, in the order of the kernel's own. */
struct reply {
	_Alignas(NLMSG_ALIGNTO) unsigned char octets[512];
	size_t len;
};

static size_t open_attribute(struct reply *r, uint16_t type)
{
	const struct nlattr a = {.nla_type = type};
	size_t at = r->len;

	memcpy(r->octets + at, &a, sizeof(a));
	r->len += align(sizeof(a));
	return at;
}

static void close_attribute(struct reply *r, size_t at)
{
	uint16_t len = (uint16_t)(r->len - at);

	memcpy(r->octets + at, &len, sizeof(len));
	r->len = align(r->len);
}

static void add_u32(struct reply *r, uint16_t type, uint32_t value)
{
	size_t at = open_attribute(r, type);

	memcpy(r->octets + r->len, &value, sizeof(value));
	r->len += sizeof(value);
	close_attribute(r, at);
}

static void add_bits(struct reply *r, uint16_t type, uint32_t bits)
{
	size_t at = open_attribute(r, type | NLA_F_NESTED);

	add_u32(r, ETHTOOL_A_BITSET_NOMASK, 0);
	add_u32(r, ETHTOOL_A_BITSET_SIZE, 18);
	add_u32(r, ETHTOOL_A_BITSET_VALUE, bits);
	close_attribute(r, at);
}

static struct reply begin(void)
{
	struct reply r = {.len = GENL_HDRLEN};
	size_t at;

	r.octets[0] = ETHTOOL_MSG_TSINFO_GET_REPLY;
	at = open_attribute(&r, ETHTOOL_A_TSINFO_HEADER | NLA_F_NESTED);
	add_u32(&r, ETHTOOL_A_HEADER_DEV_INDEX, 2);
	close_attribute(&r, at);
	return r;
}

static void a_card_with_a_clock_is_understood(void **state)
{
	struct reply r = begin();
	struct ethtool_timestamping t;
	char device[ETHTOOL_DEVICE_MAX];

	add_bits(&r, ETHTOOL_A_TSINFO_TIMESTAMPING, HARDWARE);
	add_bits(&r, ETHTOOL_A_TSINFO_TX_TYPES, 1 << HWTSTAMP_TX_OFF | 1 << HWTSTAMP_TX_ON);
	add_bits(&r, ETHTOOL_A_TSINFO_RX_FILTERS, 1 << HWTSTAMP_FILTER_ALL);
	add_u32(&r, ETHTOOL_A_TSINFO_PHC_INDEX, 3);
	assert_int_equal(ethtool_timestamping_parse(r.octets, r.len, &t), 0);
	assert_int_equal(t.so_timestamping, HARDWARE);
	assert_int_equal(t.tx_types, 3);
	assert_int_equal(t.rx_filters, 2);
	assert_int_equal(t.phc_index, 3);
	assert_true(ethtool_has_hardware(&t));
	assert_string_equal(ethtool_phc_device(t.phc_index, device), "/dev/ptp3");
}

static void one_without_is_understood_too(void **state)
{
	struct reply r = begin();
	struct ethtool_timestamping t;

	add_bits(&r, ETHTOOL_A_TSINFO_TIMESTAMPING, SOFTWARE); /* a veth says no more */
	assert_int_equal(ethtool_timestamping_parse(r.octets, r.len, &t), 0);
	assert_int_equal(t.phc_index, ETHTOOL_NO_PHC);
	assert_int_equal(t.tx_types, 0);
	assert_false(ethtool_has_hardware(&t));

	/* stamps without a clock of its own, and a clock that stamps nothing */
	t = (struct ethtool_timestamping){.so_timestamping = HARDWARE, .phc_index = ETHTOOL_NO_PHC};
	assert_false(ethtool_has_hardware(&t));
	t = (struct ethtool_timestamping){.so_timestamping = SOFTWARE, .phc_index = 0};
	assert_false(ethtool_has_hardware(&t));
}

/* Everything cut short, and every octet changed: an answer or an error, and *out only with 0. */
static void a_damaged_message_is_refused_or_harmless(void **state)
{
	const struct ethtool_timestamping untouched = {.phc_index = 77};
	struct reply whole = begin();
	struct ethtool_timestamping t;

	add_bits(&whole, ETHTOOL_A_TSINFO_TIMESTAMPING, HARDWARE);
	add_u32(&whole, ETHTOOL_A_TSINFO_PHC_INDEX, 0);
	for (size_t len = 0; len < GENL_HDRLEN; len++) {
		t = untouched;
		assert_int_equal(ethtool_timestamping_parse(whole.octets, len, &t), -EBADMSG);
		assert_int_equal(t.phc_index, 77);
	}
	for (size_t len = GENL_HDRLEN; len <= whole.len; len++)
		(void)ethtool_timestamping_parse(whole.octets, len, &t);
	for (size_t i = 0; i < whole.len; i++) {
		struct reply r = whole;

		r.octets[i] ^= 0xff;
		(void)ethtool_timestamping_parse(r.octets, r.len, &t);
	}
}

static void short_values_are_refused(void **state)
{
	struct reply r = begin();
	struct ethtool_timestamping t;
	size_t set;
	size_t at;

	set = open_attribute(&r, ETHTOOL_A_TSINFO_TIMESTAMPING | NLA_F_NESTED);
	at = open_attribute(&r, ETHTOOL_A_BITSET_VALUE);
	r.len += 2;
	close_attribute(&r, at);
	close_attribute(&r, set);
	assert_int_equal(ethtool_timestamping_parse(r.octets, r.len, &t), -EBADMSG);

	r = begin();
	at = open_attribute(&r, ETHTOOL_A_TSINFO_PHC_INDEX);
	r.len += 2;
	close_attribute(&r, at);
	assert_int_equal(ethtool_timestamping_parse(r.octets, r.len, &t), -EBADMSG);
}

static void the_kernel_answers(void **state)
{
	struct ethtool_timestamping t;

	assert_int_equal(ethtool_timestamping_get("no-such-if0", &t), -ENODEV);
	assert_int_equal(ethtool_timestamping_get("a name that no interface has", &t), -ENODEV);
	assert_int_equal(ethtool_timestamping_get("lo", &t), 0);
	assert_int_equal(t.phc_index, ETHTOOL_NO_PHC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_card_with_a_clock_is_understood),
		cmocka_unit_test(one_without_is_understood_too),
		cmocka_unit_test(a_damaged_message_is_refused_or_harmless),
		cmocka_unit_test(short_values_are_refused),
		cmocka_unit_test(the_kernel_answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
