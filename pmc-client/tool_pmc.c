// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * linuxptp's own command language, for scripts that were written for pmc: each word of the command
 * line is a command, "GET ID", "SET ID [FIELD] VALUE ...", "CMD ID", "TARGET *|CLOCK-PORT".
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

#include "pmc-client/tool.h"

enum { WORDS_MAX = 64 };

struct command {
	enum ptp_action action;
	bool is_target;
	struct ptp_port_identity target;
	uint16_t id;
	const struct dataset *dataset;
	size_t n_values;
	char *values[WORDS_MAX]; /* of a SET, as FIELD=VALUE, each allocated */
};

/* The verbs may be cut short, as long as a letter is left. */
static bool is_verb(const char *word, const char *verb)
{
	return word[0] && strncasecmp(word, verb, strlen(word)) == 0;
}

static const struct field *only_field(const struct dataset *ds)
{
	const struct field *only = NULL;

	for (size_t i = 0; i < ds->n_fields; i++) {
		if (!ds->fields[i].name)
			continue;
		if (only)
			return NULL;
		only = &ds->fields[i];
	}
	return only;
}

static bool add_value(struct command *c, const char *name, const char *value)
{
	char *pair = NULL;

	if (c->n_values == WORDS_MAX || asprintf(&pair, "%s=%s", name, value) < 0)
		return false;
	c->values[c->n_values++] = pair;
	return true;
}

/* One value for an id of one field, else names and values by turns. */
static bool parse_values(struct command *c, char **words, size_t n)
{
	const struct field *only = only_field(c->dataset);

	if (n == 1 && only)
		return add_value(c, only->name, words[0]);
	if (n == 0 || n % 2 != 0)
		return false;
	for (size_t i = 0; i < n; i += 2)
		if (!add_value(c, words[i], words[i + 1]))
			return false;
	return true;
}

static bool parse_target(struct command *c, const char *word)
{
	c->is_target = true;
	if (strcmp(word, "*") != 0)
		return ptp_port_identity_parse(word, &c->target) == 0;
	memset(&c->target, 0xFF, sizeof(c->target));
	return true;
}

/* The names may be cut short, too, as long as they can be told apart. */
static bool parse_short_id(const char *word, uint16_t *id, const struct dataset **out)
{
	const struct dataset *ds, *found = pmc_dataset_by_name(word);

	for (size_t i = 0; !pmc_dataset_by_name(word) && (ds = pmc_dataset_at(i)); i++) {
		if (strncasecmp(word, ds->name, strlen(word)) != 0)
			continue;
		if (found) {
			tool_complain("%s: %s or %s?", word, found->name, ds->name);
			return false;
		}
		found = ds;
	}
	return parse_id(found ? found->name : word, id, out);
}

static bool parse_words(struct command *c, char **words, size_t n)
{
	if (n < 2)
		return false;
	if (is_verb(words[0], "TARGET"))
		return n == 2 && parse_target(c, words[1]);
	if (!parse_short_id(words[1], &c->id, &c->dataset))
		return false;
	if (is_verb(words[0], "GET")) {
		c->action = PTP_GET;
		return n == 2;
	}
	if (is_verb(words[0], "CMD") || is_verb(words[0], "COMMAND")) {
		c->action = PTP_COMMAND;
		return n == 2;
	}
	if (!is_verb(words[0], "SET"))
		return false;
	c->action = PTP_SET;
	return c->dataset && c->dataset->flags & DATASET_SET && parse_values(c, words + 2, n - 2);
}

static bool parse_command(struct command *c, const char *text)
{
	char *copy = strdup(text), *rest = copy, *word;
	char *words[WORDS_MAX];
	size_t n = 0;
	bool good;

	*c = (struct command){0};
	while (copy && n < WORDS_MAX && (word = strtok_r(rest, " \t\n", &rest)))
		words[n++] = word;
	good = copy && parse_words(c, words, n);
	if (!good)
		tool_complain("bad command: %s", text);
	free(copy);
	return good;
}

static void forget_command(struct command *c)
{
	for (size_t i = 0; i < c->n_values; i++)
		free(c->values[i]);
}

/* Checks all of them before anything is sent. */
static int check_commands(char **texts, bool *read_write)
{
	*read_write = false;
	for (; *texts; texts++) {
		struct command c;
		bool good = parse_command(&c, *texts);

		*read_write |= c.action != PTP_GET;
		*read_write |= c.dataset && c.dataset->flags & DATASET_READ_WRITE;
		forget_command(&c);
		if (!good)
			return EXIT_USAGE;
	}
	return 0;
}

static int run_one(struct session *s, struct command *c, struct tool_options *o)
{
	static const char *const verbs[] = {
		[PTP_GET] = "GET", [PTP_SET] = "SET", [PTP_COMMAND] = "CMD"};
	struct pmc_request request = {
		.action = c->action,
		.id = c->id,
		.port = (uint16_t)o->port,
		.clock = &o->clock,
		.boundary_hops = o->boundary_hops,
	};

	if (c->action != PTP_GET && !may_change(o))
		return EXIT_USAGE;
	if (!o->json)
		printf("sending: %s %s\n", verbs[c->action],
		       c->dataset ? c->dataset->name : "unknown id");
	if (c->action == PTP_SET)
		return set_fields(s, c->dataset, c->values, c->n_values) < 0 ? EXIT_USAGE : 0;
	session_ask(s, &request);
	return 0;
}

static int run_all(struct session *s, char **texts, struct tool_options *o)
{
	int r = 0;

	for (; r == 0 && *texts; texts++) {
		struct command c;

		(void)parse_command(&c, *texts);
		if (c.is_target) {
			o->clock = c.target.clock;
			o->port = c.target.port;
		} else {
			r = run_one(s, &c, o);
		}
		forget_command(&c);
	}
	return r;
}

int run_pmc_syntax(const struct tool_options *options, char **texts)
{
	struct tool_options o = *options; /* TARGET changes some of it */
	struct session s;
	bool read_write;
	int r = check_commands(texts, &read_write);

	if (r != 0)
		return r;
	r = session_open(&s, &o, read_write);
	if (r == 0) {
		s.messages = o.json ? json_array() : NULL;
		r = run_all(&s, texts, &o);
		print_collected(&s, "pmc");
	}
	if (r == 0)
		r = session_status(&s);
	session_close(&s);
	return r;
}

enum { LINES_MAX = 4096 };

/* Lines that are not blank, as an array that ends with NULL. 0 or -errno. */
static int read_lines(FILE *in, char **lines)
{
	char *line = NULL;
	size_t size = 0, n = 0;
	int r = 0;

	while (r == 0 && (errno = 0, getline(&line, &size, in)) >= 0) {
		line[strcspn(line, "\n")] = '\0';
		if (line[strspn(line, " \t\r")] == '\0')
			continue;
		if (n == LINES_MAX)
			r = -E2BIG;
		else if (!(lines[n++] = strdup(line)))
			r = -ENOMEM;
	}
	if (r == 0 && ferror(in))
		r = -errno;
	free(line);
	return r;
}

int run_pmc_input(const struct tool_options *o)
{
	char **lines = isatty(STDIN_FILENO) ? NULL : calloc(LINES_MAX + 1, sizeof(*lines));
	int r = lines ? read_lines(stdin, lines) : 0;

	if (r < 0)
		tool_complain("standard input: %s", strerror(-r));
	else if (!lines || !lines[0])
		tool_complain("what? See --help");
	r = r == 0 && lines && lines[0] ? run_pmc_syntax(o, lines) : EXIT_USAGE;
	for (char **line = lines; line && *line; line++)
		free(*line);
	free(lines);
	return r;
}
