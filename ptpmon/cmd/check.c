/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ptpmon check: is this board fit? */
#include "ptpmon/check/check.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/cmd/check_folder.h"
#include "ptpmon/cmd/cmd.h"
#include "ptpmon/cmd/options.h"
#include "ptpmon/cmd/reporting.h"

enum { CODES_MAX = 64 };

struct settings {
	const char *config, *db, *folder;
	bool json;
	const char *codes[CODES_MAX];
	size_t n_codes;
	struct check_request request;
};

static int take_code(const struct option_row *row, const char *text,
		     char why[static OPTION_WHY_MAX])
{
	struct settings *s = row->into;

	if (!check_find(text) || s->n_codes == CODES_MAX) {
		(void)snprintf(why, OPTION_WHY_MAX, "%s",
			       s->n_codes == CODES_MAX
				       ? "too many codes"
				       : "no such check (man ptpmon-check has them)");
		return -EINVAL;
	}
	s->codes[s->n_codes++] = text;
	return 0;
}

static int take_interface(const struct option_row *row, const char *text,
			  char why[static OPTION_WHY_MAX])
{
	struct check_request *rq = row->into;
	size_t len = strlen(text);
	bool bad =
		len == 0 || len >= IF_NAMESIZE || strcmp(text, ".") == 0 || strcmp(text, "..") == 0;

	for (const char *at = text; *at; at++)
		bad |= !isgraph((unsigned char)*at) || *at == '/';
	if (bad || rq->n_ports == CHECK_PORTS_MAX) {
		(void)snprintf(why, OPTION_WHY_MAX, "%s",
			       bad ? "not a name of an interface" : "too many interfaces");
		return -EINVAL;
	}
	rq->ports[rq->n_ports++] = text;
	return 0;
}

static bool parse(int argc, char **argv, struct settings *s, int *status)
{
	/* clang-format off */
	const struct option_row rows[] = {
		{"interface", 'i', "IF", "judge this port; may be repeated (default: those of the configuration, "
		 "else all that have a device)", take_interface, &s->request, 0, 0},
		{"only", 0, "CODE", "only this check; may be repeated", take_code, s, 0, 0},
		{"probe", 0, NULL, "send two packets from each port, and see whether their time stamps come back",
		 take_flag, &s->request.probe, 0, 0},
		{"output", 'o', "DIR", "keep the results in a dated folder there as well", take_text, &s->folder, 0, 0},
		OPTION_JSON(&s->json),
		OPTION_CONFIG(&s->config),
		OPTION_DB(&s->db),
	};
	/* clang-format on */
	const struct usage usage = {
		.synopsis = "check [OPTION]...",
		.about =
			"Is this board fit for synchronised time and real time? Prints PASS, WARN, "
			"FAIL or\nSKIP for each check with what was measured, and what to do. "
			"Changes nothing,\nbut for what --probe restores.",
		ROWS(rows),
		.epilogue = "Exit status: 0 none failed, 1 one did, 2 usage.",
	};
	int first;

	return options_parse(&usage, argc, argv, &first, status);
}

/* A board is looked at before it has a configuration, too: then *c stays NULL. */
static int load(const struct settings *s, struct config **c)
{
	CLEANUP(freep) struct config *loaded = calloc(1, sizeof(*loaded));
	char error[CONFIG_ERROR_MAX];
	int r;

	if (!loaded)
		return options_complain("check", "%s", strerror(ENOMEM));
	r = config_load(loaded, s->config, error);
	if (r == -ENOENT && !s->config)
		return EXIT_GOOD;
	if (r < 0)
		return options_complain_config("check", r, error);
	*c = steal(&loaded);
	return EXIT_GOOD;
}

static int print(const struct check_results *r, const struct settings *s)
{
	CLEANUP(freep) char *drawn = check_draw(r, s->json);
	int status = reporting_print("check", drawn);

	if (status == EXIT_GOOD && s->folder)
		status = check_folder_write(r, s->folder);
	if (status != EXIT_GOOD)
		return status;
	return r->of[CHECK_FAIL] ? EXIT_BAD : EXIT_GOOD;
}

int cmd_check(int argc, char **argv)
{
	CLEANUP(check_results_clear) struct check_results results = {0};
	CLEANUP(freep) struct check_facts *facts = NULL;
	CLEANUP(freep) struct config *config = NULL;
	char database[CONFIG_PATH_MAX];
	struct settings s = {.request.root = ""};
	int status = EXIT_GOOD;

	if (!parse(argc, argv, &s, &status))
		return status;
	status = load(&s, &config);
	if (status != EXIT_GOOD)
		return status;
	s.request.config = config;
	s.request.database = s.db;
	if (!s.db && config)
		s.request.database = config_database_path(config, database);
	facts = check_facts_read(&s.request);
	if (facts)
		check_facts_ask(facts, &s.request);
	if (!facts || check_all(&results, facts, s.codes, s.n_codes) < 0)
		return options_complain("check", "%s", strerror(ENOMEM));
	return print(&results, &s);
}
