// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pmc-client/dataset.h"

#include <endian.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include <cmocka.h>

#include "pmc-client/message.h"
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

/* The body of a recorded message that has one; false if it has none. */
static bool body_of(const struct vector *v, struct ptp_message *m)
{
	return !vector_is(v, "CORRUPT") && !vector_is(v, "SIGNALING") &&
	       ptp_message_parse(v->message, v->message_len, m) == 0 && m->body_len > 0;
}

static void decode(const struct vector *v, const struct ptp_message *m, const struct dataset *ds,
		   union ptp_data *data)
{
	size_t n_fields = 0;

	if (!ds || pmc_dataset_decode(ds, m->body, m->body_len, data, &n_fields) != 0)
		fail_msg("%s: does not decode", v->file);
	/* A GET may carry the first field alone. */
	if (n_fields != ds->n_fields && !vector_is(v, "GET"))
		fail_msg("%s: %zu of %zu fields", v->file, n_fields, ds->n_fields);
}

/* linuxptp's pmc leaves what was in its memory in the pad octet of one-octet SETs. */
static bool pad_is_garbage(const struct vector *v, const struct ptp_message *m)
{
	return strstr(v->file, "pmcreq_set_") && m->body_len == 2;
}

/* What can be asked for cites the standard, or the program that made it up. */
static void layouts_have_an_origin(void **state)
{
	const struct dataset *ds;

	for (size_t i = 0; (ds = pmc_dataset_at(i)); i++) {
		const char *origin =
			ds->id < PTP_ID_TIME_STATUS_NP ? "IEEE 1588-2019 15.5.3." : "linuxptp ";

		if (!(ds->flags & (DATASET_GET | DATASET_SET | DATASET_COMMAND)))
			assert_null(ds->layout);
		else if (!ds->layout || strncmp(ds->layout, origin, strlen(origin)) != 0)
			fail_msg("%s: %s", ds->name, ds->layout ? ds->layout : "no origin");
	}
}

static void recorded_bodies_encode_to_the_same_octets(void **state)
{
	size_t checked = 0;

	for (size_t i = 0; i < n_vectors; i++) {
		const struct vector *v = &vectors[i];
		const struct dataset *ds;
		uint8_t body[PTP_MESSAGE_MAX];
		union ptp_data data;
		struct ptp_message m;
		size_t len = 0;

		if (!body_of(v, &m) || vector_is(v, "GET"))
			continue;
		ds = pmc_dataset_find(m.id);
		decode(v, &m, ds, &data);
		if (pmc_dataset_encode(ds, &data, ds->n_fields, body, sizeof(body), &len) != 0 ||
		    len != m.body_len || memcmp(body, m.body, pad_is_garbage(v, &m) ? 1 : len) != 0)
			fail_msg("%s: not the same octets", v->file);
		checked++;
	}
	assert_true(checked > 450);
}

/* One "name value" of pmc's output. */
static void compare_field(const struct vector *v, const struct dataset *ds,
			  const union ptp_data *data, char *line)
{
	const char *name = strsep(&line, " ");
	const struct field *f = pmc_dataset_field(ds, name);
	char text[300];

	if (!f)
		fail_msg("%s: no field %s", v->file, name);
	pmc_field_format(f, data, text, sizeof(text));
	if (strcmp(text, line ? line : "") != 0)
		fail_msg("%s: %s is %s, linuxptp has %s", v->file, name, text, line);
}

/* A row of pmc's table of unicast masters: the columns have an order of their own. */
static void compare_record(const struct vector *v, const struct field *table,
			   const struct ptp_unicast_master *record, char *line)
{
	static const char *const columns[] = {"BM",
					      "identity",
					      "address",
					      "state",
					      "clockClass",
					      "clockQuality",
					      "offsetScaledLogVariance",
					      "p1",
					      "p2"};

	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
		const char *value = strsep(&line, " ");
		const struct field *f = table->rows;
		char text[100];
		const char *shown = text;

		while (strcmp(f->standard, columns[i]) != 0)
			assert_true(++f < table->rows + table->n_rows);
		pmc_field_format(f, record, text, sizeof(text));
		if (f->kind == FIELD_PROTOCOL) /* without the protocol's number here */
			shown = strchr(text, ' ') + 1;
		if (!value || strcmp(shown, value) != 0)
			fail_msg("%s: %s is %s, linuxptp has %s", v->file, columns[i], shown,
				 value);
	}
}

static void compare_with_pmc(const struct vector *v, const struct dataset *ds,
			     const union ptp_data *data)
{
	char *copy = strdup(v->decoded), *rest = copy, *line = copy;
	size_t record = 0;

	assert_non_null(copy);
	for (bool first = true; line; line = rest) {
		rest = strstr(line, " | ");
		if (rest) {
			*rest = '\0';
			rest += strlen(" | ");
		}
		if (ds->id == PTP_ID_UNICAST_MASTER_TABLE_NP && strncmp(line, "BM ", 3) == 0)
			; /* the table's heading */
		else if (ds->id == PTP_ID_UNICAST_MASTER_TABLE_NP && !first &&
			 strncmp(line, "actual", 6) != 0)
			compare_record(v, &ds->fields[0],
				       &data->unicast_master_table_np.master[record++], line);
		else if (!first)
			compare_field(v, ds, data, line);
		first = false;
	}
	free(copy);
}

/* Where the manifest's last column is no measure. */
static bool pmc_is_wrong(const struct vector *v)
{
	/* 3.1.1 prints eight octets of lastGmPhaseChange in the wrong order. */
	return strcmp(v->file, "v311_fui_get_time_status_np_rsp.hex") == 0 ||
	       strstr(v->decoded, "with the key"); /* not pmc's own words */
}

static void recorded_values_are_what_pmc_prints(void **state)
{
	size_t checked = 0;

	for (size_t i = 0; i < n_vectors; i++) {
		const struct vector *v = &vectors[i];
		union ptp_data data;
		struct ptp_message m;

		if (!body_of(v, &m) || !v->decoded[0] || pmc_is_wrong(v))
			continue;
		decode(v, &m, pmc_dataset_find(m.id), &data);
		compare_with_pmc(v, pmc_dataset_find(m.id), &data);
		checked++;
	}
	assert_true(checked > 400);
}

/*
 * A body cut anywhere is malformed, or decodes with the fields that were there and says how many.
 * In memory of its own size, so that a sanitizer sees a read past the end.
 */
static void every_truncated_body_is_refused_or_short(void **state)
{
	for (size_t i = 0; i < n_vectors; i++) {
		const struct vector *v = &vectors[i];
		const struct dataset *ds;
		struct ptp_message m;

		if (!body_of(v, &m) || vector_is(v, "GET"))
			continue;
		ds = pmc_dataset_find(m.id);
		for (size_t len = 0; len + 1 < m.body_len; len++) {
			uint8_t *cut = malloc(len ? len : 1);
			union ptp_data data;
			size_t n_fields = ds->n_fields;
			int r;

			assert_non_null(cut);
			memcpy(cut, m.body, len);
			r = pmc_dataset_decode(ds, cut, len, &data, &n_fields);
			free(cut);
			if (r != -EBADMSG && !(r == 0 && n_fields < ds->n_fields))
				fail_msg("%s: complete when cut to %zu", v->file, len);
		}
	}
}

/* Bodies that lie about lengths inside. */
static void corrupt_bodies(void **state)
{
	static const struct {
		const char *file;
		int result;
		bool whole;
	} rows[] = {
		{"corrupt_clock_desc_cut.hex", -EBADMSG, false},
		{"corrupt_clock_desc_phy_255.hex", -EBADMSG, false},
		{"corrupt_clock_desc_phyaddr_ffff.hex", -EBADMSG, false},
		{"corrupt_port_props_len0.hex", 0, true},
		{"corrupt_port_props_len200.hex", -EBADMSG, false},
		{"corrupt_sub_short.hex", -EBADMSG, false},
		{"corrupt_tlvlen_long.hex", 0, true},
		{"corrupt_tlvlen_short.hex", 0, false},
		{"corrupt_umt_addrlen_0.hex", 0, true},
		{"corrupt_umt_addrlen_ffff.hex", -EBADMSG, false},
		{"corrupt_umt_size_50.hex", -EBADMSG, false},
		{"corrupt_user_desc_len255.hex", -EBADMSG, false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct vector *v = vectors;
		const struct dataset *ds;
		union ptp_data data;
		struct ptp_message m;
		size_t n_fields = 0;
		int r;

		while (strcmp(v->file, rows[i].file) != 0)
			assert_true(++v < vectors + n_vectors);
		r = ptp_message_parse(v->message, v->message_len, &m);
		ds = r == 0 ? pmc_dataset_find(m.id) : NULL;
		if (ds)
			r = pmc_dataset_decode(ds, m.body, m.body_len, &data, &n_fields);
		if (r != rows[i].result || (r == 0 && (n_fields == ds->n_fields) != rows[i].whole))
			fail_msg("%s: %d with %zu fields", v->file, r, n_fields);
	}
}

static void tables_are_in_order(void **state)
{
	const struct dataset *ds;

	for (size_t i = 0; (ds = pmc_dataset_at(i)); i++) {
		if (i > 0)
			assert_true(pmc_dataset_at(i - 1)->id < ds->id);
		assert_ptr_equal(pmc_dataset_find(ds->id), ds);
		assert_ptr_equal(pmc_dataset_by_name(ds->name), ds);
		assert_true(ds->size <= sizeof(union ptp_data));
		for (size_t k = 0; k < ds->n_fields; k++) {
			const struct field *f = &ds->fields[k];

			if (f->name && pmc_dataset_field(ds, f->name) != f)
				fail_msg("%s: two fields %s", ds->name, f->name);
		}
	}
	assert_null(pmc_dataset_find(0xBEEF));
	assert_null(pmc_dataset_by_name("NO_SUCH_NAME"));
	assert_non_null(pmc_dataset_by_name("time_status_np"));
}

static void intervals_are_nanoseconds(void **state)
{
	static const struct {
		const char *name;
		uint64_t wire;
		int64_t ns;
	} rows[] = {
		{"one ns", 0x10000, 1},
		{"a fraction", 0x1FFFF, 1},
		{"a negative fraction", (uint64_t)-0x1FFFF, -1},
		{"the largest", 0x7FFFFFFFFFFEFFFF, 140737488355326},
		{"out of range", 0x7FFFFFFFFFFFFFFF, INT64_MAX},
		{"out of range below", 0x8000000000000000, INT64_MIN},
	};
	const struct dataset *ds = pmc_dataset_find(PTP_ID_CURRENT_DATA_SET);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t body[18] = {0, 1};
		union ptp_data data;
		size_t n_fields;

		for (size_t k = 0; k < 8; k++)
			body[2 + k] = (uint8_t)(rows[i].wire >> 8 * (7 - k));
		assert_int_equal(pmc_dataset_decode(ds, body, sizeof(body), &data, &n_fields), 0);
		if (data.current_ds.offset_ns != rows[i].ns)
			fail_msg("%s: %lld", rows[i].name, (long long)data.current_ds.offset_ns);
	}
}

/* In either byte order, since linuxptp may mend its own. Written for a little-endian machine. */
static void port_corrections_are_plausible(void **state)
{
	static const struct {
		const char *name;
		uint8_t octets[8];
		int64_t ns;
	} rows[] = {
		{"1 ns, host order", {0, 0, 1, 0, 0, 0, 0, 0}, 1},
		{"1 ns, network order", {0, 0, 0, 0, 0, 1, 0, 0}, 1},
		{"-1 ns, host order", {0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}, -1},
		{"-1 ns, network order", {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0}, -1},
		{"4660 ns, host order", {0, 0, 0x34, 0x12, 0, 0, 0, 0}, 4660},
		{"4660 ns, network order", {0, 0, 0, 0, 0x12, 0x34, 0, 0}, 4660},
		{"65536 ns, host order", {0, 0, 0, 0, 1, 0, 0, 0}, 65536},
	};
	const struct dataset *ds = pmc_dataset_find(PTP_ID_PORT_CORRECTIONS_NP);

	assert_int_equal(htole16(1), 1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		union ptp_data data;
		size_t n_fields;

		assert_int_equal(pmc_dataset_decode(ds, rows[i].octets, 8, &data, &n_fields), 0);
		assert_int_equal(n_fields, 1);
		if (data.port_corrections_np.egress_latency_ns != rows[i].ns)
			fail_msg("%s: %lld", rows[i].name,
				 (long long)data.port_corrections_np.egress_latency_ns);
	}
}

static void values_are_parsed(void **state)
{
	static const struct {
		const char *id, *field, *text;
		int result;
		const char *shown;
	} rows[] = {
		{"PRIORITY1", "priority1", "17", 0, "17"},
		{"PRIORITY1", "priority1", "0x11", 0, "17"},
		{"PRIORITY1", "priority1", "256", -ERANGE, NULL},
		{"PRIORITY1", "priority1", "-1", -EINVAL, NULL},
		{"PRIORITY1", "priority1", "", -EINVAL, NULL},
		{"PRIORITY1", "priority1", "1x", -EINVAL, NULL},
		{"PRIORITY1", "priority1", "99999999999999999999", -ERANGE, NULL},
		{"GRANDMASTER_SETTINGS_NP", "clockAccuracy", "0x21", 0, "0x21"},
		{"GRANDMASTER_SETTINGS_NP", "currentUtcOffset", "-32768", 0, "-32768"},
		{"GRANDMASTER_SETTINGS_NP", "currentUtcOffset", "-32769", -ERANGE, NULL},
		{"GRANDMASTER_SETTINGS_NP", "currentUtcOffset", "32768", -ERANGE, NULL},
		{"GRANDMASTER_SETTINGS_NP", "ptpTimescale", "1", 0, "1"},
		{"GRANDMASTER_SETTINGS_NP", "ptp_timescale", "true", 0, "1"},
		{"GRANDMASTER_SETTINGS_NP", "ptpTimescale", "2", -ERANGE, NULL},
		{"GRANDMASTER_SETTINGS_NP", "ptpTimescale", "maybe", -EINVAL, NULL},
		{"SUBSCRIBE_EVENTS_NP", "NOTIFY_TIME_SYNC", "on", 0, "on"},
		{"SUBSCRIBE_EVENTS_NP", "NOTIFY_TIME_SYNC", "off", 0, "off"},
		{"ALTERNATE_TIME_OFFSET_NAME", "displayName", "CET", 0, "CET"},
		{"ALTERNATE_TIME_OFFSET_PROPERTIES", "timeOfNextJump", "281474976710655", 0,
		 "281474976710655"},
		{"ALTERNATE_TIME_OFFSET_PROPERTIES", "timeOfNextJump", "281474976710656", -ERANGE,
		 NULL},
		{"PORT_CORRECTIONS_NP", "egressLatency", "-5", 0, "-5"},
		{"PORT_DATA_SET", "portState", "slave", 0, "SLAVE"},
		{"PORT_DATA_SET", "portState", "9", 0, "SLAVE"},
		{"PORT_DATA_SET", "portState", "99", 0, "99"},
		{"EXTERNAL_GRANDMASTER_PROPERTIES_NP", "gmIdentity", "020000.fffe.000001", 0,
		 "020000.fffe.000001"},
		{"EXTERNAL_GRANDMASTER_PROPERTIES_NP", "gmIdentity", "2", -EINVAL, NULL},
		{"TIME_STATUS_NP", "lastGmPhaseChange", "0", -EINVAL, NULL},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct field *f =
			pmc_dataset_field(pmc_dataset_by_name(rows[i].id), rows[i].field);
		union ptp_data data, before;
		char text[64];
		int r;

		memset(&data, 0, sizeof(data));
		before = data;
		r = pmc_field_parse(f, rows[i].text, &data);
		if (r != rows[i].result)
			fail_msg("%s=%s: %d", rows[i].field, rows[i].text, r);
		if (r < 0)
			assert_memory_equal(&data, &before, sizeof(data));
		else if (strcmp(pmc_field_format(f, &data, text, sizeof(text)), rows[i].shown) != 0)
			fail_msg("%s=%s: shown as %s", rows[i].field, rows[i].text, text);
	}
}

static void texts_cannot_steer_a_terminal(void **state)
{
	static const struct {
		const char *from, *shown;
	} rows[] = {
		{"a\x1b[2J\n", "a?[2J?"},
		{"\x7f", "?"},
		{"\xc2\x9b"
		 "2J",
		 "?2J"}, /* U+009B: CSI */
		{"\xc2\x80\xc2\x9f\xc2\xa0",
		 "??\xc2\xa0"}, /* the first, the last, and no control */
		{"\x9b"
		 "2J\x85",
		 "?2J?"},                   /* the same in eight bits */
		{"\xe0\x82\x9b", "\xe0??"}, /* longer than it has to be */
		{"\xc2", "\xc2"},           /* cut off */
		{"\xc3\xa9\xe2\x82\xac\xf0\x9f\x95\x92", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x95\x92"},
	};
	const struct dataset *ds = pmc_dataset_by_name("USER_DESCRIPTION");

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		union ptp_data data = {0};
		char text[32];

		assert_int_equal(pmc_field_parse(&ds->fields[0], rows[i].from, &data), 0);
		assert_string_equal(pmc_field_format(&ds->fields[0], &data, text, sizeof(text)),
				    rows[i].shown);
		assert_in_range(strlen(pmc_field_format(&ds->fields[0], &data, text, 4)), 0, 3);
	}
}

static void numbers_for_machines(void **state)
{
	const struct dataset *stats = pmc_dataset_find(PTP_ID_PORT_STATS_NP);
	const struct dataset *port = pmc_dataset_find(PTP_ID_PORT_DATA_SET);
	union ptp_data data = {.port_stats_np.rx = {[PTP_MSG_SYNC] = UINT64_MAX}};
	int64_t value;

	assert_true(pmc_field_number(pmc_dataset_field(stats, "rx_sync"), &data, &value));
	assert_true(value == INT64_MAX);
	assert_false(pmc_field_number(pmc_dataset_field(stats, "portIdentity"), &data, &value));
	data.port_ds = (struct ptp_port_ds){.port_state = PTP_SLAVE, .log_sync_interval = -7};
	assert_false(pmc_field_number(pmc_dataset_field(port, "port_state"), &data, &value));
	assert_true(pmc_field_number(pmc_dataset_field(port, "log_sync_interval"), &data, &value));
	assert_int_equal(value, -7);
	data.port_ds.port_state = 77;
	assert_true(pmc_field_number(pmc_dataset_field(port, "port_state"), &data, &value));
	assert_int_equal(value, 77);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_are_in_order),
		cmocka_unit_test(layouts_have_an_origin),
		cmocka_unit_test(recorded_bodies_encode_to_the_same_octets),
		cmocka_unit_test(recorded_values_are_what_pmc_prints),
		cmocka_unit_test(every_truncated_body_is_refused_or_short),
		cmocka_unit_test(corrupt_bodies),
		cmocka_unit_test(intervals_are_nanoseconds),
		cmocka_unit_test(port_corrections_are_plausible),
		cmocka_unit_test(values_are_parsed),
		cmocka_unit_test(texts_cannot_steer_a_terminal),
		cmocka_unit_test(numbers_for_machines),
	};

	return cmocka_run_group_tests(tests, load, unload);
}
