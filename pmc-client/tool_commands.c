// SPDX-License-Identifier: LGPL-2.1-or-later
/* get, set, command: one conversation each. */
#include <stdlib.h>

#include "pmc-client/tool.h"

bool parse_id(const char *word, uint16_t *id, const struct dataset **out)
{
	const struct dataset *ds = pmc_dataset_by_name(word);
	unsigned long number;
	char *end;

	if (ds) {
		*id = ds->id;
		*out = ds;
		return true;
	}
	number = strtoul(word, &end, 0);
	if (end == word || *end || number > UINT16_MAX || word[0] == '-') {
		tool_complain("%s: no such id; \"pmc-client list\" shows them", word);
		return false;
	}
	*id = (uint16_t)number;
	*out = pmc_dataset_find(*id);
	return true;
}

static bool is_id(const char *word)
{
	return !strchr(word, '=');
}

/* The keyed ids want their key in the GET: "ID key=2". */
static bool take_key(char ***words, const struct dataset *ds, union ptp_data *key, bool *given)
{
	char *word = **words, *value;
	const struct field *f;

	*given = false;
	if (!word || is_id(word))
		return true;
	value = strchr(word, '=') + 1;
	f = ds && ds->flags & DATASET_KEYED ? &ds->fields[0] : NULL;
	if (!f || strncmp(word, f->name, strlen(f->name)) != 0 ||
	    value != word + strlen(f->name) + 1 || pmc_field_parse(f, value, key) < 0) {
		tool_complain("%s: not a value that a GET takes", word);
		return false;
	}
	*given = true;
	++*words;
	return true;
}

/* Checks all words before anything is sent. */
static int check_words(char **words, bool *read_write)
{
	*read_write = false;
	if (!*words) {
		tool_complain("an id is missing; \"pmc-client list\" shows them");
		return EXIT_USAGE;
	}
	while (*words) {
		const struct dataset *ds;
		union ptp_data key;
		uint16_t id;
		bool given;

		if (!parse_id(*words++, &id, &ds) || !take_key(&words, ds, &key, &given))
			return EXIT_USAGE;
		*read_write |= ds && ds->flags & DATASET_READ_WRITE;
	}
	return 0;
}

static void get_word(struct session *s, char ***words)
{
	struct pmc_request request = {
		.action = PTP_GET,
		.port = (uint16_t)s->o->port,
		.clock = &s->o->clock,
		.boundary_hops = s->o->boundary_hops,
	};
	const struct dataset *ds = NULL;
	union ptp_data key;
	bool given;

	(void)parse_id(*(*words)++, &request.id, &ds);
	(void)take_key(words, ds, &key, &given);
	if (given)
		request.data = &key;
	session_ask(s, &request);
}

static int finish(struct session *s, const char *what)
{
	int status = session_status(s);

	print_collected(s, what);
	session_close(s);
	return status;
}

int run_get(const struct tool_options *o, char **words)
{
	struct session s;
	bool read_write;
	int r = check_words(words, &read_write);

	if (r == 0)
		r = session_open(&s, o, read_write);
	else
		return r;
	if (r != 0) {
		session_close(&s);
		return r;
	}
	s.messages = o->json ? json_array() : NULL;
	while (*words)
		get_word(&s, &words);
	return finish(&s, "get");
}

static size_t count(char **words)
{
	size_t n = 0;

	while (words[n])
		n++;
	return n;
}

int run_set(const struct tool_options *o, char **words)
{
	const struct dataset *ds;
	struct session s;
	uint16_t id;
	int r;

	if (count(words) < 2) {
		tool_complain("set wants an id and FIELD=VALUE...");
		return EXIT_USAGE;
	}
	if (!parse_id(words[0], &id, &ds))
		return EXIT_USAGE;
	if (!ds || !(ds->flags & DATASET_SET)) {
		tool_complain("%s: no version of linuxptp lets this be set", words[0]);
		return EXIT_USAGE;
	}
	if (!may_change(o))
		return EXIT_USAGE;
	r = session_open(&s, o, true);
	if (r == 0) {
		s.messages = o->json ? json_array() : NULL;
		if (set_fields(&s, ds, words + 1, count(words + 1)) < 0)
			r = EXIT_USAGE;
	}
	if (r == 0)
		return finish(&s, "set");
	session_close(&s);
	return r;
}

int run_command(const struct tool_options *o, char **words)
{
	struct pmc_request request = {
		.action = PTP_COMMAND, .port = (uint16_t)o->port, .clock = &o->clock};
	const struct dataset *ds;
	struct session s;
	int r;

	if (count(words) != 1) {
		tool_complain("command wants one id");
		return EXIT_USAGE;
	}
	if (!parse_id(words[0], &request.id, &ds))
		return EXIT_USAGE;
	if (!may_change(o))
		return EXIT_USAGE;
	r = session_open(&s, o, true);
	if (r != 0) {
		session_close(&s);
		return r;
	}
	s.messages = o->json ? json_array() : NULL;
	session_ask(&s, &request);
	return finish(&s, "command");
}
