// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Setting is get, modify, set, read back: a SET replaces the whole data set, and ptp4l ignores some
 * of what it is sent without saying so.
 */
#include <errno.h>

#include "pmc-client/tool.h"

enum { VALUES_MAX = 32 };

struct assignment {
	const struct field *field;
	const char *text;
};

/* Keeps what comes, to be modified; the error of a refused GET is shown. */
static void keep_answer(struct session *s, const struct pmc_message *m)
{
	if (m->outcome == PMC_OK && m->data) {
		s->kept = *m->data;
		s->kept_of = m->dataset;
	} else if (m->outcome == PMC_EMPTY) {
		s->refused++;
		tool_complain("%s: %s", m->dataset->name, pmc_outcome_name(m->outcome));
	} else {
		print_message(s, m);
	}
}

static int parse_words(const struct dataset *ds, char **words, size_t n, struct assignment *out,
		       union ptp_data *scratch)
{
	if (n > VALUES_MAX)
		return -EINVAL;
	for (size_t i = 0; i < n; i++) {
		char *value = strchr(words[i], '=');
		int r;

		if (!value) {
			tool_complain("%s: not of the form FIELD=VALUE", words[i]);
			return -EINVAL;
		}
		*value++ = '\0';
		out[i] = (struct assignment){pmc_dataset_field(ds, words[i]), value};
		if (!out[i].field) {
			tool_complain("%s has no field %s; \"pmc-client list %s\" shows them",
				      ds->name, words[i], ds->name);
			return -EINVAL;
		}
		r = pmc_field_parse(out[i].field, value, scratch);
		if (r < 0) {
			tool_complain("%s: %s: %s", words[i], value,
				      r == -ERANGE ? "out of range" : "not such a value");
			return -EINVAL;
		}
	}
	return 0;
}

/* Read into s->kept. */
static bool read_back(struct session *s, const struct dataset *ds, const union ptp_data *key)
{
	struct pmc_request request = {
		.action = PTP_GET,
		.id = ds->id,
		.port = (uint16_t)s->o->port,
		.clock = &s->o->clock,
		.data = ds->flags & DATASET_KEYED ? key : NULL,
	};
	tool_sink_fn *sink = s->sink;

	s->kept_of = NULL;
	s->sink = keep_answer;
	session_ask(s, &request);
	s->sink = sink;
	return s->kept_of != NULL;
}

static void compare(struct session *s, const struct assignment *values, size_t n,
		    const union ptp_data *wanted)
{
	char want[300], have[300];

	for (size_t i = 0; i < n; i++) {
		const struct field *f = values[i].field;

		pmc_field_format(f, wanted, want, sizeof(want));
		pmc_field_format(f, &s->kept, have, sizeof(have));
		if (strcmp(want, have) == 0)
			continue;
		tool_complain("%s: still %s after setting %s", f->standard, have, want);
		s->refused++;
	}
}

int set_fields(struct session *s, const struct dataset *ds, char **words, size_t n_words)
{
	struct assignment values[VALUES_MAX];
	union ptp_data data = {0};
	struct pmc_request request = {
		.action = PTP_SET,
		.id = ds->id,
		.port = (uint16_t)s->o->port,
		.clock = &s->o->clock,
		.data = &data,
	};

	if (parse_words(ds, words, n_words, values, &data) < 0)
		return -EINVAL;
	if (!read_back(s, ds, &data)) /* data holds the key, if there is one */
		return 0;
	if (s->answers > 1) {
		tool_complain("%s: which port? Choose one with --port", ds->name);
		return -EINVAL;
	}
	data = s->kept;
	for (size_t i = 0; i < n_words; i++)
		(void)pmc_field_parse(values[i].field, values[i].text, &data);
	session_ask(s, &request);
	if (s->refused == 0 && read_back(s, ds, &data))
		compare(s, values, n_words, &data);
	return 0;
}
