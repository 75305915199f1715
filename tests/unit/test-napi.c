/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The number of a NAPI instance in the kernel's answer. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ptpmon/collect/napi.h"

/* genlmsghdr, then attributes in the order of octets of this machine. */
struct reply {
	uint8_t command, version;
	uint16_t reserved;
	struct {
		uint16_t len, type;
		uint32_t value;
	} attributes[2];
};

static struct reply reply(uint16_t len, uint16_t type)
{
	return (struct reply){
		.command = 11,
		.version = 1,
		.attributes = {{8, 1, 3}, {len, type, 8193}},
	};
}

static void the_number_is_found(void **state)
{
	const struct reply r = reply(8, 2);
	uint32_t id = 0;

	assert_int_equal(napi_id_parse(&r, sizeof(r), &id), 0);
	assert_int_equal(id, 8193);
}

static void what_has_none_is_refused(void **state)
{
	const struct reply other = reply(8, 3);
	const struct reply shorter = reply(6, 2);
	const struct reply whole = reply(8, 2);
	uint32_t id = 7;

	assert_int_equal(napi_id_parse(&other, sizeof(other), &id), -EBADMSG);
	assert_int_equal(napi_id_parse(&shorter, sizeof(shorter), &id), -EBADMSG);
	for (size_t len = 0; len < sizeof(whole); len++)
		assert_int_equal(napi_id_parse(&whole, len, &id), -EBADMSG);
	assert_int_equal(id, 7);
}

static void this_kernel_answers_or_does_not_know(void **state)
{
	uint32_t ids[4];
	int n = napi_ids_get(1, ids, 4); /* the loopback interface has none */

	if (n != 0 && n != -EOPNOTSUPP)
		fail_msg("%d", n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_number_is_found),
		cmocka_unit_test(what_has_none_is_refused),
		cmocka_unit_test(this_kernel_answers_or_does_not_know),
	};

	return cmocka_run_group_tests_name("napi", tests, NULL, NULL);
}
