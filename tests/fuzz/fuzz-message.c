// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Any octets as a management datagram: parsed, decoded, shown; and what was understood is built and
 * decoded again to the same.
 */
#include "pmc-client/message.h"

#include <stdlib.h>

#include "pmc-client/dataset.h"

int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t len);

static void require(bool condition)
{
	if (!condition)
		abort();
}

/* Every value can be shown, also in little room. */
static void show(const struct dataset *ds, const union ptp_data *data)
{
	char text[300], small[5];
	int64_t number;

	for (size_t i = 0; i < ds->n_fields; i++) {
		const struct field *f = &ds->fields[i];

		(void)pmc_field_format(f, data, text, sizeof(text));
		(void)pmc_field_format(f, data, small, sizeof(small));
		require(strlen(text) < sizeof(text) && strlen(small) < sizeof(small));
		(void)pmc_field_number(f, data, &number);
	}
}

/* Encoding what was decoded is stable: once fractions and pads have gone, nothing else changes. */
static void encode_again(const struct dataset *ds, const union ptp_data *data)
{
	static uint8_t first[PTP_MESSAGE_MAX], second[PTP_MESSAGE_MAX];
	static union ptp_data again;
	size_t first_len = 0, second_len = 0, n_fields;

	require(pmc_dataset_encode(ds, data, ds->n_fields, first, sizeof(first), &first_len) == 0);
	require(pmc_dataset_decode(ds, first, first_len, &again, &n_fields) == 0);
	require(n_fields == ds->n_fields);
	require(pmc_dataset_encode(ds, &again, n_fields, second, sizeof(second), &second_len) == 0);
	if (ds->id == PTP_ID_PORT_CORRECTIONS_NP)
		return; /* its byte order is guessed from the values */
	require(first_len == second_len && memcmp(first, second, first_len) == 0);
}

static void build_again(const struct ptp_message *m)
{
	static uint8_t datagram[PTP_MESSAGE_MAX];
	struct ptp_message again;
	size_t len;
	int r = ptp_message_build(m, datagram, sizeof(datagram), &len);

	if (r < 0)
		return; /* longer than what is ever sent */
	require(ptp_message_parse(datagram, len, &again) == 0);
	require(again.id == m->id && again.error_id == m->error_id && again.action == m->action &&
		again.sequence_id == m->sequence_id && again.body_len == m->body_len &&
		ptp_port_identity_equal(&again.source, &m->source) &&
		ptp_port_identity_equal(&again.target, &m->target));
}

int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t len)
{
	const struct dataset *ds;
	static union ptp_data data;
	struct ptp_message m;
	size_t n_fields = 0;

	if (ptp_message_parse(octets, len, &m) < 0)
		return 0;
	build_again(&m);
	ds = m.error_id ? NULL : pmc_dataset_find(m.id);
	if (!ds || pmc_dataset_decode(ds, m.body, m.body_len, &data, &n_fields) < 0)
		return 0;
	require(n_fields <= ds->n_fields);
	show(ds, &data);
	if (n_fields == ds->n_fields && n_fields > 0)
		encode_again(ds, &data);
	return 0;
}
