// SPDX-License-Identifier: LGPL-2.1-or-later
/* Messages and the list of ids, for people and for programs. */
#include <stdio.h>
#include <time.h>

#include "pmc-client/tool.h"

enum { TEXT_MAX = 300 }; /* the longest value: a PTPText */

static const char *action_name(const struct session *s, const struct pmc_message *m)
{
	return s->action == PTP_COMMAND && !m->push ? "ACKNOWLEDGE" : "RESPONSE";
}

static const char *id_name(const struct pmc_message *m, char *buf, size_t size)
{
	if (m->dataset)
		return m->dataset->name;
	(void)snprintf(buf, size, "0x%04X", m->id);
	return buf;
}

static bool has_answer(const struct pmc_message *m)
{
	return m->outcome != PMC_TIMED_OUT && m->outcome != PMC_DISCONNECTED;
}

/* Names are padded to the longest of their data set, as pmc does. */
static int name_width(const struct pmc_message *m)
{
	size_t width = 0;

	for (size_t i = 0; i < m->n_fields; i++) {
		const struct field *f = &m->dataset->fields[i];

		if (f->name && strlen(f->standard) > width)
			width = strlen(f->standard);
	}
	return (int)width;
}

static void print_hex(const uint8_t *octets, size_t n)
{
	for (size_t i = 0; i < n; i++)
		printf("%02x", octets[i]);
}

static const void *record_at(const struct field *f, const void *data, size_t i)
{
	return (const uint8_t *)data + f->records + i * f->stride;
}

static size_t record_count(const struct field *f, const void *data)
{
	uint16_t count;

	memcpy(&count, (const uint8_t *)data + f->offset, sizeof(count));
	return count;
}

static void print_records(const struct field *f, const void *data, const char *indent)
{
	char text[TEXT_MAX];

	for (size_t i = 0; i < record_count(f, data); i++) {
		printf("%s", indent);
		for (size_t k = 0; k < f->n_rows; k++)
			printf("%s%s %s", k ? "  " : "", f->rows[k].standard,
			       pmc_field_format(&f->rows[k], record_at(f, data, i), text,
						sizeof(text)));
	}
}

/* How many octets of the body the known fields account for; what is more, a newer version sent. */
static size_t known_len(const struct pmc_message *m)
{
	uint8_t body[PTP_MESSAGE_MAX];
	size_t len = 0;

	if (m->dataset && m->data)
		(void)pmc_dataset_encode(m->dataset, m->data, m->n_fields, body, sizeof(body),
					 &len);
	return len < m->raw_len ? len : m->raw_len;
}

static void print_extra(const struct pmc_message *m, const char *before)
{
	size_t known = known_len(m);

	if (known == m->raw_len)
		return;
	printf("%s", before);
	print_hex(m->raw + known, m->raw_len - known);
}

static void print_fields(const struct pmc_message *m)
{
	int width = name_width(m);
	char text[TEXT_MAX];

	for (size_t i = 0; i < m->n_fields; i++) {
		const struct field *f = &m->dataset->fields[i];

		if (!f->name)
			continue;
		printf("\n\t\t%-*s %s", width, f->standard,
		       pmc_field_format(f, m->data, text, sizeof(text)));
		if (f->kind == FIELD_RECORDS)
			print_records(f, m->data, "\n\t\t");
	}
	print_extra(m, "\n\t\tunknown octets ");
}

void print_message(struct session *s, const struct pmc_message *m)
{
	char source[PTP_PORT_IDENTITY_TEXT], id[8];
	const char *name = id_name(m, id, sizeof(id));

	if (m->outcome == PMC_DISCONNECTED) {
		session_complain_gone(s);
		return;
	}
	if (!has_answer(m)) {
		tool_complain("%s: %s%s", name, session_why_silent(s, m),
			      s->answers > 0 ? ", not every port answered" : "");
		return;
	}
	printf("\t%s seq %u %s ", ptp_port_identity_format(&m->source, source), m->sequence_id,
	       action_name(s, m));
	if (m->error_id)
		printf("MANAGEMENT_ERROR_STATUS \n\t\t%s %s", ptp_error_name(m->error_id), name);
	else
		printf("MANAGEMENT %s ", name);
	if (m->data)
		print_fields(m);
	else
		print_extra(m, "\n\t\tunknown octets ");
	(void)putchar('\n');
	(void)fflush(stdout);
}

const char *tool_time_of_day(char buf[TOOL_TIME_OF_DAY], int64_t ago_ns)
{
	struct timespec now;
	struct tm tm;
	int64_t ns;
	size_t n;

	(void)clock_gettime(CLOCK_REALTIME, &now);
	ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec - ago_ns;
	now = (struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
	(void)gmtime_r(&now.tv_sec, &tm);
	n = strftime(buf, TOOL_TIME_OF_DAY, "%Y-%m-%dT%H:%M:%S", &tm);
	(void)snprintf(buf + n, TOOL_TIME_OF_DAY - n, ".%09ldZ", now.tv_nsec);
	return buf;
}

void print_line(struct session *s, const struct pmc_message *m)
{
	char when[TOOL_TIME_OF_DAY], source[PTP_PORT_IDENTITY_TEXT], id[8], text[TEXT_MAX];

	printf("%s %s %s", tool_time_of_day(when, 0),
	       has_answer(m) ? ptp_port_identity_format(&m->source, source) : "-",
	       id_name(m, id, sizeof(id)));
	if (m->error_id)
		printf(" error=%s", ptp_error_name(m->error_id));
	else if (m->outcome != PMC_OK && m->outcome != PMC_SHORT)
		printf(" %s", session_why_silent(s, m));
	for (size_t i = 0; i < m->n_fields; i++) {
		const struct field *f = &m->dataset->fields[i];

		if (f->name)
			printf(" %s=%s", f->standard,
			       pmc_field_format(f, m->data, text, sizeof(text)));
	}
	print_extra(m, " unknown=");
	(void)putchar('\n');
	(void)fflush(stdout);
}

void discard_message(struct session *s, const struct pmc_message *m)
{
}

/* --- JSON --- */

json_t *json_foreign_text(const char *text)
{
	json_t *json = json_string(text);
	char ascii[TEXT_MAX];
	size_t n = 0;

	if (json)
		return json;
	for (; text[n] && n < sizeof(ascii) - 1; n++)
		ascii[n] = (unsigned char)text[n] >= 0x80 ? '?' : text[n];
	return json_stringn(ascii, n);
}

/* Nanoseconds since an epoch are beyond what a JSON number holds exactly, 2^53. */
static bool is_moment(const struct field *f)
{
	const char *end = strstr(f->name, "_time_ns");

	return f->kind == FIELD_I64 && end && end[strlen("_time_ns")] == '\0';
}

static json_t *json_value(const struct field *f, const void *data)
{
	char text[TEXT_MAX];
	int64_t number;

	if (!pmc_field_number(f, data, &number))
		return json_foreign_text(pmc_field_format(f, data, text, sizeof(text)));
	if (f->kind == FIELD_BIT || f->kind == FIELD_BOOL8 || f->kind == FIELD_BOOL32)
		return json_boolean(number);
	if (is_moment(f))
		return json_string(pmc_field_format(f, data, text, sizeof(text)));
	return json_integer(number);
}

static json_t *json_records(const struct field *f, const void *data)
{
	json_t *records = json_array();

	for (size_t i = 0; i < record_count(f, data); i++) {
		json_t *record = json_object();

		for (size_t k = 0; k < f->n_rows; k++)
			(void)json_object_set_new(record, f->rows[k].name,
						  json_value(&f->rows[k], record_at(f, data, i)));
		(void)json_array_append_new(records, record);
	}
	return records;
}

/* A field that the sender doesn't know is null. */
static json_t *json_fields(const struct pmc_message *m)
{
	json_t *object = json_object();

	for (size_t i = 0; i < m->dataset->n_fields; i++) {
		const struct field *f = &m->dataset->fields[i];
		json_t *value;

		if (!f->name)
			continue;
		if (i >= m->n_fields)
			value = json_null();
		else if (f->kind == FIELD_RECORDS)
			value = json_records(f, m->data);
		else
			value = json_value(f, m->data);
		(void)json_object_set_new(object, f->name, value);
	}
	return object;
}

static json_t *json_hex(const uint8_t *octets, size_t n)
{
	char hex[2 * PTP_MESSAGE_MAX + 1] = "";

	for (size_t i = 0; i < n && i < PTP_MESSAGE_MAX; i++)
		(void)snprintf(hex + 2 * i, 3, "%02x", octets[i]);
	return json_string(hex);
}

static json_t *json_message(const struct pmc_message *m)
{
	char source[PTP_PORT_IDENTITY_TEXT], id[8];
	json_t *object = json_object();
	size_t known = known_len(m);

	(void)json_object_set_new(object, "id", json_string(id_name(m, id, sizeof(id))));
	(void)json_object_set_new(object, "outcome", json_string(pmc_outcome_name(m->outcome)));
	if (has_answer(m))
		(void)json_object_set_new(
			object, "source",
			json_string(ptp_port_identity_format(&m->source, source)));
	if (m->push)
		(void)json_object_set_new(object, "push", json_true());
	if (m->error_id)
		(void)json_object_set_new(object, "error",
					  json_string(ptp_error_name(m->error_id)));
	if (m->data)
		(void)json_object_set_new(object, "data", json_fields(m));
	if (known < m->raw_len)
		(void)json_object_set_new(object, "unknown_octets",
					  json_hex(m->raw + known, m->raw_len - known));
	return object;
}

static void print_json(json_t *object, size_t flags)
{
	(void)json_dumpf(object, stdout, flags);
	(void)putchar('\n');
	(void)fflush(stdout);
	json_decref(object);
}

void collect_message(struct session *s, const struct pmc_message *m)
{
	json_t *object = json_message(m);
	char when[TOOL_TIME_OF_DAY];

	if (s->messages) {
		(void)json_array_append_new(s->messages, object);
		return;
	}
	(void)json_object_set_new(object, "schema", json_string("pmc-client.message/1"));
	(void)json_object_set_new(object, "time", json_string(tool_time_of_day(when, 0)));
	print_json(object, JSON_COMPACT);
}

/* One line that is no message. */
static json_t *json_note(const struct session *s, const char *schema)
{
	char when[TOOL_TIME_OF_DAY];

	return json_pack("{s:s, s:s, s:o}", "schema", schema, "time", tool_time_of_day(when, 0),
			 s->o->network.interface ? "interface" : "socket",
			 json_foreign_text(pmc_client_path(s->client)));
}

void print_connection(const struct session *s, bool connected, int64_t away_ns)
{
	json_t *object = json_note(s, "pmc-client.connection/1");

	(void)json_object_set_new(object, "connected", json_boolean(connected));
	if (connected)
		(void)json_object_set_new(object, "away_ns", json_integer(away_ns));
	print_json(object, JSON_COMPACT);
}

void print_gap(const struct session *s, const char *from, const char *to, const char *why)
{
	json_t *object = json_note(s, "pmc-client.gap/1");

	(void)json_object_set_new(object, "from", json_string(from));
	(void)json_object_set_new(object, "to", json_string(to));
	(void)json_object_set_new(object, "reason", json_string(why));
	print_json(object, JSON_COMPACT);
}

void print_collected(struct session *s, const char *what)
{
	const struct pmc_network *network = &s->o->network;
	const char *transport = network->interface ? pmc_network_kind_name(network->kind) : NULL;
	json_t *object;

	if (!s->messages)
		return;
	object = json_pack(
		"{s:o, s:o, s:s*, s:i, s:i, s:O}", "schema", json_sprintf("pmc-client.%s/1", what),
		network->interface ? "interface" : "socket",
		json_foreign_text(pmc_client_path(s->client)), "transport", transport, "domain",
		s->domain, "transport_specific", s->transport_specific, "messages", s->messages);
	print_json(object, JSON_INDENT(2));
}
