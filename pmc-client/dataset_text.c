// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Field values as text: written in the form that linuxptp's pmc has for each, and read back for
 * SETs.
 */
#include "pmc-client/dataset.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "pmc-client/field.h"

/* clang-format off */
static const char *const truths[][2] = { /* index: enum field_style */
	[STYLE_TRUE_FALSE] = { "false", "true" },
	[STYLE_ON_OFF]     = { "off",   "on" },
	[STYLE_YES_NO]     = { "no",    "yes" },
	[STYLE_RATE]       = { NULL,    NULL },
};
/* clang-format on */

static bool is_number(const struct field *f)
{
	return field_layout(f->kind)->octets > 0;
}

static void format_number(const struct field *f, uint64_t value, char *buf, size_t size)
{
	const struct field_layout *l = field_layout(f->kind);
	const char *name =
		f->style == STYLE_NAME ? ptp_name_of(f->names, (unsigned int)value) : NULL;

	if (name)
		(void)snprintf(buf, size, "%s", name);
	else if (truths[f->style][0])
		(void)snprintf(buf, size, "%s", truths[f->style][value != 0]);
	else if (f->style == STYLE_HEX)
		(void)snprintf(buf, size, "0x%0*" PRIx64, 2 * l->octets, value);
	else if (f->style == STYLE_RATE)
		(void)snprintf(buf, size, "%+.9f", (double)(int64_t)value / 0x1p41);
	else if (l->is_signed)
		(void)snprintf(buf, size, "%" PRId64 "%s", (int64_t)value,
			       f->style == STYLE_TENTHS ? ".0" : "");
	else
		(void)snprintf(buf, size, "%" PRIu64, value);
}

/* How many octets the UTF-8 character of two octets or more at *in has; 0: it is none. */
static size_t utf8_len(const unsigned char *in, size_t left, uint32_t *out)
{
	static const uint32_t least[] = {[2] = 0x80, [3] = 0x800, [4] = 0x10000};
	size_t len = in[0] >= 0xF0 ? 4 : in[0] >= 0xE0 ? 3 : 2;

	if (in[0] < 0xC0 || in[0] >= 0xF8 || len > left)
		return 0;
	*out = in[0] & (0x7FU >> len);
	for (size_t i = 1; i < len; i++) {
		if ((in[i] & 0xC0) != 0x80)
			return 0;
		*out = *out << 6 | (in[i] & 0x3F);
	}
	return *out >= least[len] ? len : 0;
}

/* C0, DEL and C1, the latter as one octet for terminals of eight bits */
static bool is_control(uint32_t character)
{
	return character < 0x20 || (character >= 0x7F && character < 0xA0);
}

/* The text comes from whoever answers: what could steer a terminal is shown as '?'. */
static void format_text(const struct ptp_text *text, char *buf, size_t size)
{
	const unsigned char *in = (const unsigned char *)text->text;
	size_t n = text->length < size ? text->length : size - 1, at = 0;

	for (size_t i = 0, len; i < n; i += len) {
		uint32_t character = 0;

		len = utf8_len(in + i, n - i, &character);
		if (len == 0) {
			len = 1;
			character = in[i];
		}
		if (is_control(character)) {
			buf[at++] = '?';
		} else {
			memcpy(buf + at, in + i, len);
			at += len;
		}
	}
	buf[at] = '\0';
}

static void format_octets(const uint8_t *octets, size_t n, char *buf, size_t size)
{
	size_t at = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < n && at + 3 < size; i++)
		at += (size_t)snprintf(buf + at, size - at, "%s%02x", i ? ":" : "", octets[i]);
}

static void format_address(const struct ptp_address *a, char *buf, size_t size)
{
	if (a->protocol == PTP_UDP_IPV4 && a->length == 4 &&
	    inet_ntop(AF_INET, a->octet, buf, (socklen_t)size))
		return;
	if (a->protocol == PTP_UDP_IPV6 && a->length == 16 &&
	    inet_ntop(AF_INET6, a->octet, buf, (socklen_t)size))
		return;
	format_octets(a->octet, a->length, buf, size);
}

static void format_other(const struct field *f, const void *member, char *buf, size_t size)
{
	char text[64] = "";

	if (f->kind == FIELD_CLOCK_IDENTITY) {
		ptp_clock_identity_format(member, text);
	} else if (f->kind == FIELD_PORT_IDENTITY) {
		ptp_port_identity_format(member, text);
	} else if (f->kind == FIELD_SCALED_NS) {
		const struct ptp_scaled_ns *ns = member;

		(void)snprintf(text, sizeof(text), "0x%04x'%016" PRIx64 ".%04x",
			       (unsigned int)(uint16_t)ns->ns_high, ns->ns_low, ns->fraction);
	} else if (f->kind == FIELD_ADDRESS) {
		format_address(member, text, sizeof(text));
	} else if (f->kind == FIELD_PROTOCOL) {
		const struct ptp_address *address = member;
		int n = snprintf(text, sizeof(text), "%u ", address->protocol);

		format_address(address, text + n, sizeof(text) - (size_t)n);
	} else if (f->kind == FIELD_RECORDS) {
		uint16_t count;

		memcpy(&count, member, sizeof(count));
		(void)snprintf(text, sizeof(text), "%u", count);
	}
	(void)snprintf(buf, size, "%s", text);
}

char *pmc_field_format(const struct field *f, const void *data, char *buf, size_t size)
{
	const void *member = field_member_const(f, data);

	if (is_number(f))
		format_number(f, field_load(f, data), buf, size);
	else if (f->kind == FIELD_TEXT)
		format_text(member, buf, size);
	else if (f->kind == FIELD_OCTETS)
		format_octets(member, f->size, buf, size);
	else
		format_other(f, member, buf, size);
	return buf;
}

bool pmc_field_number(const struct field *f, const void *data, int64_t *out)
{
	uint64_t value;

	if (!is_number(f))
		return false;
	value = field_load(f, data);
	if (f->style == STYLE_NAME && ptp_name_of(f->names, (unsigned int)value))
		return false;
	if (!field_layout(f->kind)->is_signed && value > INT64_MAX)
		value = INT64_MAX;
	*out = (int64_t)value;
	return true;
}

/* Truth values may be written in any of the styles. */
static int parse_truth(const char *text, uint64_t *out)
{
	for (size_t i = 0; i < sizeof(truths) / sizeof(truths[0]); i++)
		for (unsigned int v = 0; v < 2; v++)
			if (truths[i][v] && strcasecmp(text, truths[i][v]) == 0) {
				*out = v;
				return 0;
			}
	return -EINVAL;
}

static int parse_digits(const char *text, const struct field_layout *l, uint64_t *out)
{
	char *end;

	errno = 0;
	if (l->is_signed) {
		long long value = strtoll(text, &end, 0);
		int64_t limit = INT64_MAX >> (64 - 8 * l->octets);

		if (end == text || *end)
			return -EINVAL;
		if (errno == ERANGE || value > limit || value < -limit - 1)
			return -ERANGE;
		*out = (uint64_t)value;
		return 0;
	}
	*out = strtoull(text, &end, 0);
	if (end == text || *end || strchr(text, '-'))
		return -EINVAL;
	if (errno == ERANGE || *out > UINT64_MAX >> (64 - 8 * l->octets))
		return -ERANGE;
	return 0;
}

static int parse_number(const struct field *f, const char *text, union ptp_data *data)
{
	bool truth = f->kind == FIELD_BIT || f->kind == FIELD_BOOL8 || f->kind == FIELD_BOOL32;
	unsigned int named;
	uint64_t value;
	int r;

	if (f->names && ptp_name_parse(f->names, text, &named) == 0) {
		field_store(f, data, named);
		return 0;
	}
	r = truth ? parse_truth(text, &value) : -EINVAL;
	if (r < 0)
		r = parse_digits(text, field_layout(f->kind), &value);
	if (r < 0)
		return r;
	if (truth && value > 1)
		return -ERANGE;
	field_store(f, data, value);
	return 0;
}

static int parse_text(const char *text, struct ptp_text *out)
{
	size_t n = strlen(text);

	if (n > UINT8_MAX)
		return -ERANGE;
	out->length = (uint8_t)n;
	memcpy(out->text, text, n + 1);
	return 0;
}

int pmc_field_parse(const struct field *f, const char *text, union ptp_data *data)
{
	void *member = field_member(f, data);

	if (is_number(f))
		return parse_number(f, text, data);
	if (f->kind == FIELD_TEXT)
		return parse_text(text, member);
	if (f->kind == FIELD_CLOCK_IDENTITY)
		return ptp_clock_identity_parse(text, member);
	if (f->kind == FIELD_PORT_IDENTITY)
		return ptp_port_identity_parse(text, member);
	return -EINVAL;
}
