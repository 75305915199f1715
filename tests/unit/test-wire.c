// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pmc-client/wire.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static const uint8_t octets[] = {0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0xF8};

static void reads_both_orders(void **state)
{
	static const struct {
		size_t n;
		uint64_t big, little;
	} rows[] = {
		{1, 0x01, 0x01},
		{2, 0x0102, 0x0201},
		{4, 0x01020304, 0x04030201},
		{6, 0x010203040506, 0x060504030201},
		{8, 0x01020304050607F8, 0xF807060504030201},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct wire_in big = wire_in(octets, sizeof(octets));
		struct wire_in little = wire_in(octets, sizeof(octets));

		assert_int_equal(wire_get(&big, rows[i].n), rows[i].big);
		assert_int_equal(wire_get_le(&little, rows[i].n), rows[i].little);
		assert_int_equal(wire_left(&big), sizeof(octets) - rows[i].n);
		assert_false(big.bad || little.bad);
	}
}

static void reading_past_the_end_sticks(void **state)
{
	struct wire_in in = wire_in(octets, 3);
	uint8_t kept = 0x55;

	assert_int_equal(wire_get(&in, 2), 0x0102);
	assert_int_equal(wire_get(&in, 2), 0);
	assert_true(in.bad);
	assert_int_equal(wire_left(&in), 0);
	assert_int_equal(wire_get(&in, 1), 0);
	assert_null(wire_take(&in, 1));
	wire_get_octets(&in, &kept, 1);
	assert_int_equal(kept, 0x55);
	assert_true(in.bad);
}

static void writes_both_orders(void **state)
{
	uint8_t buf[14];
	static const uint8_t expected[] = {0x12, 0x34, 0x34, 0x12, 0x01, 0x02, 0x03,
					   0x04, 0x05, 0x06, 0x07, 0xF8, 0xFF, 0xFE};
	struct wire_out out = wire_out(buf, sizeof(buf));

	wire_put(&out, 0x1234, 2);
	wire_put_le(&out, 0x1234, 2);
	wire_put_octets(&out, octets, sizeof(octets));
	wire_put(&out, (uint64_t)-2, 2);
	assert_false(out.bad);
	assert_ptr_equal(out.at, buf + sizeof(buf));
	assert_memory_equal(buf, expected, sizeof(expected));
}

static void writing_past_the_end_sticks(void **state)
{
	uint8_t buf[3] = {0xAA, 0xAA, 0xAA};
	struct wire_out out = wire_out(buf, 2);

	wire_put(&out, 0, 1);
	wire_put(&out, 0, 2);
	assert_true(out.bad);
	wire_put(&out, 0, 1); /* would fit */
	assert_true(out.bad);
	assert_int_equal(buf[1], 0xAA);
	assert_int_equal(buf[2], 0xAA);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_both_orders),
		cmocka_unit_test(reading_past_the_end_sticks),
		cmocka_unit_test(writes_both_orders),
		cmocka_unit_test(writing_past_the_end_sticks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
