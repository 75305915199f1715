// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pmc-client/ptp_types.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void names_of_values(void **state)
{
	assert_string_equal(ptp_port_state_name(PTP_SLAVE), "SLAVE");
	assert_string_equal(ptp_port_state_name(PTP_PRE_MASTER), "PRE_MASTER");
	assert_string_equal(ptp_port_state_name(0), "UNKNOWN");
	assert_string_equal(ptp_port_state_name(10), "UNKNOWN");
	assert_string_equal(ptp_delay_mechanism_name(PTP_NO_MECHANISM), "NO_MECHANISM");
	assert_string_equal(ptp_time_source_name(0xA0), "INTERNAL_OSCILLATOR");
	assert_string_equal(ptp_clock_accuracy_name(0x21), "100 ns");
	assert_string_equal(ptp_clock_accuracy_name(0xFE), "UNKNOWN");
	assert_string_equal(ptp_timestamping_name(4), "P2P1STEP");
	assert_string_equal(ptp_network_protocol_name(3), "IEEE_802_3");
	assert_string_equal(ptp_unicast_state_name(3), "HAVE_SYDY");
	assert_string_equal(ptp_error_name(6), "NOT_SUPPORTED");
	assert_string_equal(ptp_error_name(0xFFFE), "GENERAL_ERROR");
}

static void values_of_names(void **state)
{
	enum ptp_port_state port_state = PTP_FAULTY;

	assert_int_equal(ptp_port_state_parse("uncalibrated", &port_state), 0);
	assert_int_equal(port_state, PTP_UNCALIBRATED);
	assert_int_equal(ptp_port_state_parse("UNKNOWN", &port_state), -EINVAL);
	assert_int_equal(ptp_port_state_parse("", &port_state), -EINVAL);
	assert_int_equal(port_state, PTP_UNCALIBRATED);
}

static void identities_as_text(void **state)
{
	struct ptp_port_identity id = {{{0x02, 0, 0, 0xFF, 0xFE, 0, 0, 0x01}}, 65535}, back = {0};
	char text[PTP_PORT_IDENTITY_TEXT];

	assert_string_equal(ptp_clock_identity_format(&id.clock, text), "020000.fffe.000001");
	assert_int_equal(ptp_clock_identity_parse(text, &back.clock), 0);
	assert_string_equal(ptp_port_identity_format(&id, text), "020000.fffe.000001-65535");
	assert_int_equal(ptp_port_identity_parse(text, &back), 0);
	assert_true(ptp_port_identity_equal(&id, &back));
	assert_int_equal(ptp_port_identity_parse("ABCDEF.fffe.000001-1", &back), 0);
	assert_int_equal(back.clock.octet[2], 0xEF);
	assert_int_equal(back.port, 1);
}

static void wrong_identities_are_refused(void **state)
{
	static const char *const rows[] = {
		"",
		"020000",
		"020000.fffe.00000",
		"020000.fffe.0000011",
		"020000.fffe.000001",
		"020000.fffe.000001-",
		"020000.fffe.000001-65536",
		"020000.fffe.000001-99999999999999999999",
		"020000.fffe.000001-1 ",
		"020000.fffe.000001--1",
		"02000g.fffe.000001-1",
		"020000-fffe.000001-1",
		"020000.fffe000001-1",
		"\0200\022000.fffe.000001-1", /* like digits but for a bit */
	};
	struct ptp_port_identity id = {.port = 7};
	struct ptp_clock_identity clock;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (ptp_port_identity_parse(rows[i], &id) != -EINVAL)
			fail_msg("accepted: %s", rows[i]);
	assert_int_equal(id.port, 7);
	assert_int_equal(ptp_clock_identity_parse("020000.fffe.000001-1", &clock), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_values),
		cmocka_unit_test(values_of_names),
		cmocka_unit_test(identities_as_text),
		cmocka_unit_test(wrong_identities_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
