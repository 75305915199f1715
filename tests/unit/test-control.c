// SPDX-License-Identifier: GPL-2.0-or-later
/* The interface io.ptpmon: what reaches the operations, what is refused, and who is said to ask. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/serve/control.h"
#include "ptpmon/serve/listener.h"

struct fixture {
	char directory[64];
	sd_event *loop;
	struct listener listener;
	struct control *control;
	int client;
	int result; /* of the next operation */
	char happened[2048];
	char who[CONTROL_WHO_MAX];
};

static json_t *op_status(void *userdata)
{
	const struct fixture *f = userdata;

	return f->result ? NULL : json_pack("{ss}", "schema", "ptpmon.status/1");
}

static int note(struct fixture *f, const char *what, const char *text, const char *who)
{
	snprintf(f->happened, sizeof(f->happened), "%s %s", what, text);
	snprintf(f->who, sizeof(f->who), "%s", who);
	return f->result;
}

static int op_mark(void *userdata, const char *text, const char *who)
{
	return note(userdata, "mark", text, who);
}

static int op_begin_phase(void *userdata, const char *name, const char *who)
{
	return note(userdata, "begin", name, who);
}

static int op_end_phase(void *userdata, const char *who)
{
	return note(userdata, "end", "", who);
}

static const struct control_ops ops = {op_status, op_mark, op_begin_phase, op_end_phase};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	char why[LISTENER_WHY_MAX];

	strcpy(f->directory, "/tmp/test-control-XXXXXX");
	assert_non_null(mkdtemp(f->directory));
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/control", f->directory);
	assert_true(sd_event_new(&f->loop) >= 0);
	assert_int_equal(listener_open(&f->listener, address.sun_path, 0660, why), 0);
	assert_int_equal(control_new(&f->control, f->loop, f->listener.fd, &ops, f), 0);
	f->client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(connect(f->client, (struct sockaddr *)&address, sizeof(address)), 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	close(f->client);
	f->control = control_free(f->control);
	listener_close(&f->listener);
	sd_event_unref(f->loop);
	assert_int_equal(rmdir(f->directory), 0);
	free(f);
	return 0;
}

/* Calls a method; its answer as text. */
static const char *call(struct fixture *f, const char *method, const char *parameters,
			char answer[static 4096])
{
	char request[8192];
	int n = snprintf(request, sizeof(request), "{\"method\":\"%s\",\"parameters\":%s}", method,
			 parameters);
	ssize_t got;

	f->happened[0] = '\0';
	assert_int_equal(send(f->client, request, (size_t)n + 1, MSG_NOSIGNAL), n + 1);
	while (sd_event_run(f->loop, 0) > 0)
		;
	got = recv(f->client, answer, 4095, MSG_DONTWAIT);
	answer[got > 0 ? got : 0] = '\0';
	return answer;
}

#define INVALID(p)                                                                                 \
	"{\"parameters\":{\"parameter\":\"" p                                                      \
	"\"},\"error\":\"org.varlink.service.InvalidParameter\"}"
#define DONE "{\"parameters\":{}}"

static const struct row {
	const char *name, *method, *parameters, *answer, *happened;
	int result;
} rows[] = {
	{"status", "GetStatus", "{}",
	 "{\"parameters\":{\"status\":{\"schema\":\"ptpmon.status/1\"}}}", "", 0},
	{"status with a parameter", "GetStatus", "{\"x\":1}", INVALID("x"), "", 0},
	{"no status", "GetStatus", "{}",
	 "{\"parameters\":{\"reason\":\"Cannot allocate memory\"},"
	 "\"error\":\"io.ptpmon.Failed\"}",
	 "", 1},
	{"mark", "Mark", "{\"text\":\"door open\"}", DONE, "mark door open", 0},
	{"mark in UTF-8", "Mark", "{\"text\":\"T\xc3\xbcr \\u00e4\"}", DONE,
	 "mark T\xc3\xbcr \xc3\xa4", 0},
	{"mark without text", "Mark", "{}", INVALID("text"), "", 0},
	{"mark with a number", "Mark", "{\"text\":5}", INVALID("text"), "", 0},
	{"mark with null", "Mark", "{\"text\":null}", INVALID("text"), "", 0},
	{"empty mark", "Mark", "{\"text\":\"\"}", INVALID("text"), "", 0},
	{"blank mark", "Mark", "{\"text\":\"  \"}", INVALID("text"), "", 0},
	{"mark with a line end", "Mark", "{\"text\":\"a\\nb\"}", INVALID("text"), "", 0},
	{"mark with an escape", "Mark", "{\"text\":\"\\u001b[2J\"}", INVALID("text"), "", 0},
	{"mark with DEL", "Mark", "{\"text\":\"\\u007f\"}", INVALID("text"), "", 0},
	{"mark with C1", "Mark", "{\"text\":\"\\u009b2J\"}", INVALID("text"), "", 0},
	{"mark and more", "Mark", "{\"text\":\"a\",\"who\":\"root\"}", INVALID("who"), "", 0},
	{"mark not recorded", "Mark", "{\"text\":\"a\"}",
	 "{\"parameters\":{\"reason\":\"No space left on device\"},"
	 "\"error\":\"io.ptpmon.Failed\"}",
	 "mark a", -ENOSPC},
	{"phase", "BeginPhase", "{\"name\":\"load\"}", DONE, "begin load", 0},
	{"phase without a name", "BeginPhase", "{\"text\":\"load\"}", INVALID("text"), "", 0},
	{"end", "EndPhase", "{}", DONE, "end ", 0},
	{"end of none", "EndPhase", "{}", "{\"parameters\":{},\"error\":\"io.ptpmon.NoPhase\"}",
	 "end ", -ENOENT},
	{"end with a name", "EndPhase", "{\"name\":\"load\"}", INVALID("name"), "", 0},
};

static void test_methods(void **state)
{
	struct fixture *f = *state;
	char method[64];
	char answer[4096];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		f->result = rows[i].result;
		snprintf(method, sizeof(method), "io.ptpmon.%s", rows[i].method);
		call(f, method, rows[i].parameters, answer);
		if (strcmp(answer, rows[i].answer) != 0)
			fail_msg("%s: answered %s", rows[i].name, answer);
		if (strcmp(f->happened, rows[i].happened) != 0)
			fail_msg("%s: did '%s'", rows[i].name, f->happened);
	}
}

static void test_lengths(void **state)
{
	static const struct {
		const char *name, *method, *key;
		size_t octets;
		bool fits;
	} lengths[] = {
		{"longest mark", "io.ptpmon.Mark", "text", CONTROL_MARK_MAX, true},
		{"longer mark", "io.ptpmon.Mark", "text", CONTROL_MARK_MAX + 1, false},
		{"longest phase", "io.ptpmon.BeginPhase", "name", CONTROL_PHASE_MAX, true},
		{"longer phase", "io.ptpmon.BeginPhase", "name", CONTROL_PHASE_MAX + 1, false},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		char parameters[4096];
		char answer[4096];
		char text[2048] = "";

		memset(text, 'x', lengths[i].octets);
		snprintf(parameters, sizeof(parameters), "{\"%s\":\"%s\"}", lengths[i].key, text);
		call(f, lengths[i].method, parameters, answer);
		if ((strcmp(answer, DONE) == 0) != lengths[i].fits)
			fail_msg("%s: answered %.200s", lengths[i].name, answer);
	}
}

static void test_who(void **state)
{
	struct fixture *f = *state;
	const struct passwd *user = getpwuid(getuid());
	char expected[128];
	char answer[4096];

	assert_non_null(user);
	call(f, "io.ptpmon.Mark", "{\"text\":\"a\"}", answer);
	snprintf(expected, sizeof(expected), "%s (pid %d)", user->pw_name, (int)getpid());
	assert_string_equal(f->who, expected);
}

/* The description names every method and error, in Varlink's language. */
static void test_description(void **state)
{
	static const char *const lines[] = {
		"\\ninterface io.ptpmon\\n",
		"\\nmethod GetStatus() -> (status: object)\\n",
		"\\nmethod Mark(text: string) -> ()\\n",
		"\\nmethod BeginPhase(name: string) -> ()\\n",
		"\\nmethod EndPhase() -> ()\\n",
		"\\nerror NoPhase ()\\n",
		"\\nerror Failed (reason: string)\\n",
	};
	struct fixture *f = *state;
	char answer[4096];

	call(f, "org.varlink.service.GetInterfaceDescription", "{\"interface\":\"io.ptpmon\"}",
	     answer);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (!strstr(answer, lines[i]))
			fail_msg("no %s in %s", lines[i], answer);
}

static void test_text_problem(void **state)
{
	assert_null(control_text_problem("idle", 4));
	assert_string_equal(control_text_problem("idle", 3), "is too long");
	assert_string_equal(control_text_problem("", 3), "is empty");
	assert_string_equal(control_text_problem("\xff", 3), "is not UTF-8");
	assert_string_equal(control_text_problem("a\tb", 3), "has control characters");
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_methods),
		TEST(test_lengths),
		TEST(test_who),
		TEST(test_description),
		cmocka_unit_test(test_text_problem),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
