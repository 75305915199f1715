// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pmc-client/message.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/vectors.h"

static struct vector *vectors;
static size_t n_vectors;

static int load(void **state)
{
	vectors = vectors_load(&n_vectors);
	return 0;
}

static int unload(void **state)
{
	vectors_free(vectors, n_vectors);
	return 0;
}

static bool is_management(const struct vector *v)
{
	return !vector_is(v, "CORRUPT") && !vector_is(v, "SIGNALING");
}

/* AUTHENTICATION is skipped, so such a message can't be built again. */
static bool is_authenticated(const struct vector *v)
{
	return strncmp(v->file, "v440_auth", strlen("v440_auth")) == 0;
}

static void recorded_messages_parse_and_build_again(void **state)
{
	for (size_t i = 0; i < n_vectors; i++) {
		const struct vector *v = &vectors[i];
		uint8_t again[PTP_MESSAGE_MAX];
		struct ptp_message m;
		size_t len = 0;

		if (!is_management(v))
			continue;
		if (ptp_message_parse(v->message, v->message_len, &m) != 0)
			fail_msg("%s: does not parse", v->file);
		if (is_authenticated(v))
			continue;
		if (ptp_message_build(&m, again, sizeof(again), &len) != 0 ||
		    len != v->message_len || memcmp(again, v->message, len) != 0)
			fail_msg("%s: not the same octets when built again", v->file);
	}
}

static unsigned int error_id_in(const char *kind)
{
	static const char *const names[] = {"NO_SUCH_ID", "WRONG_LENGTH", "WRONG_VALUE",
					    "NOT_SUPPORTED"};
	static const unsigned int ids[] = {PTP_NO_SUCH_ID, PTP_WRONG_LENGTH, PTP_WRONG_VALUE,
					   PTP_NOT_SUPPORTED};

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		if (strstr(kind, names[i]))
			return ids[i];
	return 0;
}

static void recorded_errors_are_what_the_manifest_says(void **state)
{
	size_t errors = 0;

	for (size_t i = 0; i < n_vectors; i++) {
		const struct vector *v = &vectors[i];
		struct ptp_message m;

		if (!is_management(v))
			continue;
		assert_int_equal(ptp_message_parse(v->message, v->message_len, &m), 0);
		if (m.error_id != error_id_in(v->kind))
			fail_msg("%s: error %u", v->file, m.error_id);
		errors += m.error_id != 0;
	}
	assert_true(errors > 40);
}

/* What ptp4l's neighbours might send, and what is to become of it. */
static void corrupt_messages(void **state)
{
	static const struct {
		const char *file;
		int result;
	} rows[] = {
		{"corrupt_action_7.hex", 0},
		{"corrupt_empty.hex", -EBADMSG},
		{"corrupt_empty_data.hex", 0},
		{"corrupt_err_short.hex", -EBADMSG},
		{"corrupt_err_text_overrun.hex", 0},
		{"corrupt_err_with_text.hex", 0},
		{"corrupt_minor_15.hex", 0},
		{"corrupt_mlen_ffff.hex", -EBADMSG},
		{"corrupt_mlen_large.hex", -EBADMSG},
		{"corrupt_mlen_small.hex", -EBADMSG},
		{"corrupt_no_tlv.hex", -EPROTO},
		{"corrupt_random_64.hex", -EPROTO},
		{"corrupt_random_header_ok.hex", -EBADMSG},
		{"corrupt_tlv_type_3.hex", -EPROTO},
		{"corrupt_tlvlen_0.hex", -EBADMSG},
		{"corrupt_tlvlen_ffff.hex", -EBADMSG},
		{"corrupt_tlvlen_large.hex", -EBADMSG},
		{"corrupt_tlvlen_odd.hex", -EBADMSG},
		{"corrupt_trailing_2.hex", 0},
		{"corrupt_trailing_4.hex", -EBADMSG},
		{"corrupt_trunc_20.hex", -EBADMSG},
		{"corrupt_trunc_34.hex", -EBADMSG},
		{"corrupt_trunc_47.hex", -EBADMSG},
		{"corrupt_trunc_50.hex", -EBADMSG},
		{"corrupt_trunc_port_stats.hex", -EBADMSG},
		{"corrupt_trunc_time_status.hex", -EBADMSG},
		{"corrupt_trunc_tlv.hex", -EBADMSG},
		{"corrupt_two_tlvs.hex", -EPROTO},
		{"corrupt_type_announce.hex", -EPROTO},
		{"corrupt_type_reserved.hex", -EPROTO},
		{"corrupt_unknown_id.hex", 0},
		{"corrupt_version_1.hex", -EPROTO},
		{"corrupt_version_3.hex", -EPROTO},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct vector *v = vectors;
		struct ptp_message m;
		int r;

		while (strcmp(v->file, rows[i].file) != 0)
			assert_true(++v < vectors + n_vectors);
		r = ptp_message_parse(v->message, v->message_len, &m);
		if (r != rows[i].result)
			fail_msg("%s: %d instead of %d", v->file, r, rows[i].result);
	}
}

/* Each in memory of its own size, so that a sanitizer sees a read past the end. */
static void every_truncation_is_refused(void **state)
{
	for (size_t i = 0; i < n_vectors; i++) {
		const struct vector *v = &vectors[i];

		if (!is_management(v))
			continue;
		for (size_t len = 0; len < v->message_len; len++) {
			uint8_t *cut = malloc(len ? len : 1);
			struct ptp_message m;

			assert_non_null(cut);
			memcpy(cut, v->message, len);
			if (ptp_message_parse(cut, len, &m) != -EBADMSG)
				fail_msg("%s: accepted when cut to %zu", v->file, len);
			free(cut);
		}
	}
}

static void builds_within_bounds(void **state)
{
	static const uint8_t body[PTP_MESSAGE_MAX];
	struct ptp_message m = {.version = PTP_VERSION, .body = body};
	uint8_t datagram[PTP_MESSAGE_MAX + 2];
	size_t len = 7;

	m.body_len = 3;
	assert_int_equal(ptp_message_build(&m, datagram, sizeof(datagram), &len), -EINVAL);
	m.body_len = 4;
	assert_int_equal(ptp_message_build(&m, datagram, 57, &len), -EMSGSIZE);
	m.body_len = PTP_MESSAGE_MAX - PTP_MESSAGE_HEADER + 2;
	assert_int_equal(ptp_message_build(&m, datagram, sizeof(datagram), &len), -EMSGSIZE);
	assert_int_equal(len, 7);
	m.body_len = PTP_MESSAGE_MAX - PTP_MESSAGE_HEADER;
	assert_int_equal(ptp_message_build(&m, datagram, sizeof(datagram), &len), 0);
	assert_int_equal(len, PTP_MESSAGE_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recorded_messages_parse_and_build_again),
		cmocka_unit_test(recorded_errors_are_what_the_manifest_says),
		cmocka_unit_test(corrupt_messages),
		cmocka_unit_test(every_truncation_is_refused),
		cmocka_unit_test(builds_within_bounds),
	};

	return cmocka_run_group_tests(tests, load, unload);
}
