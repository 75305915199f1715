// SPDX-License-Identifier: GPL-2.0-or-later
/* The interface io.ptpmon: what reaches the operations, what is refused, and who is said to ask. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <grp.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/serve/control.h"
#include "ptpmon/serve/listener.h"
#include "ptpmon/serve/parameter.h"
#include "ptpmon/serve/watchers.h"

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

static int op_put_verdict(void *userdata, const struct verdict *v, const char *who)
{
	char text[1024];

	(void)snprintf(text, sizeof(text), "%s/%s/%s %g %g %d %s", v->plan,
		       v->phase ? v->phase : "-", v->criterion, v->limit, v->measured, v->pass,
		       v->reason ? v->reason : "-");
	return note(userdata, "verdict", text, who);
}

static size_t op_acknowledge(void *userdata, int64_t until_mono_ns, const char *who)
{
	char text[32];

	(void)snprintf(text, sizeof(text), "%" PRId64, until_mono_ns);
	(void)note(userdata, "acknowledge", text, who);
	return 3;
}

/* As many as the limit, each of its number; the rest of the filter is noted. */
static json_t *op_events(void *userdata, const struct control_filter *filter)
{
	json_t *list = json_array();
	char text[128];

	(void)snprintf(text, sizeof(text), "%" PRId64 " %" PRId64 " %s",
		       filter->since_utc_ns == INT64_MIN ? -1 : filter->since_utc_ns,
		       filter->until_utc_ns == INT64_MAX ? -1 : filter->until_utc_ns,
		       severity_name(filter->severity));
	(void)note(userdata, "events", text, "");
	for (size_t i = 0; i < filter->limit; i++)
		(void)json_array_append_new(list, json_integer((json_int_t)i));
	return list;
}

static const struct control_ops ops = {.status = op_status,
				       .mark = op_mark,
				       .begin_phase = op_begin_phase,
				       .end_phase = op_end_phase,
				       .events = op_events,
				       .put_verdict = op_put_verdict,
				       .acknowledge = op_acknowledge};

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
	{"events", "ListEvents", "{\"limit\":2}", "{\"parameters\":{\"events\":[0,1]}}",
	 "events -1 -1 info", 0},
	{"events of a time", "ListEvents",
	 "{\"since\":\"1970-01-01T00:00:01Z\",\"until\":\"1970-01-01T00:00:02.5Z\","
	 "\"severity\":\"warning\",\"limit\":0}",
	 "{\"parameters\":{\"events\":[]}}", "events 1000000000 2500000000 warning", 0},
	{"events since null", "ListEvents", "{\"since\":null,\"limit\":1}",
	 "{\"parameters\":{\"events\":[0]}}", "events -1 -1 info", 0},
	{"events since some time", "ListEvents", "{\"since\":\"yesterday\"}", INVALID("since"), "",
	 0},
	{"events since a number", "ListEvents", "{\"since\":1}", INVALID("since"), "", 0},
	{"events of no severity", "ListEvents", "{\"severity\":\"grave\"}", INVALID("severity"), "",
	 0},
	{"fewer events than none", "ListEvents", "{\"limit\":-1}", INVALID("limit"), "", 0},
	{"half an event", "ListEvents", "{\"limit\":0.5}", INVALID("limit"), "", 0},
	{"watch once", "Watch", "{}",
	 "{\"parameters\":{},\"error\":\"org.varlink.service.ExpectedMore\"}", "", 0},
	{"verdict", "PutVerdict",
	 "{\"plan\":\"night\",\"phase\":\"load\",\"criterion\":\"offset p99\",\"limit\":100,"
	 "\"measured\":35.5,\"pass\":true,\"reason\":\"within\"}",
	 DONE, "verdict night/load/offset p99 100 35.5 1 within", 0},
	{"verdict that is none", "PutVerdict", "{\"plan\":\"n\",\"criterion\":\"c\",\"pass\":null}",
	 DONE, "verdict n/-/c nan nan 2 -", 0},
	{"verdict of no plan", "PutVerdict", "{\"criterion\":\"c\"}", INVALID("plan"), "", 0},
	{"verdict with a text for a number", "PutVerdict",
	 "{\"plan\":\"n\",\"criterion\":\"c\",\"limit\":\"1\"}", INVALID("limit"), "", 0},
	{"verdict that passes a little", "PutVerdict",
	 "{\"plan\":\"n\",\"criterion\":\"c\",\"pass\":1}", INVALID("pass"), "", 0},
	{"verdict not recorded", "PutVerdict", "{\"plan\":\"n\",\"criterion\":\"c\"}",
	 "{\"parameters\":{\"reason\":\"No buffer space available\"},"
	 "\"error\":\"io.ptpmon.Failed\"}",
	 "verdict n/-/c nan nan 2 -", -ENOBUFS},
	{"acknowledge", "AcknowledgeAlarms", "{\"until\":\"5000\"}",
	 "{\"parameters\":{\"acknowledged\":3}}", "acknowledge 5000", 0},
	{"acknowledge all", "AcknowledgeAlarms", "{}", "{\"parameters\":{\"acknowledged\":3}}",
	 "acknowledge 9223372036854775807", 0},
	{"acknowledge a number", "AcknowledgeAlarms", "{\"until\":5000}", INVALID("until"), "", 0},
	{"acknowledge no number", "AcknowledgeAlarms", "{\"until\":\"5x\"}", INVALID("until"), "",
	 0},
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
		"\\nmethod Watch(status: ?bool, events: ?bool, recent: ?int)\\n",
		"\\nmethod ListEvents(since: ?string, until: ?string, severity: ?string,",
		"\\nmethod PutVerdict(\\n",
		"\\nmethod AcknowledgeAlarms(until: ?string) -> (acknowledged: int)\\n",
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

/* Sends a request with `more`; what there is to read now, NULs as '|'. */
static const char *call_more(struct fixture *f, int fd, const char *method, const char *parameters,
			     char answer[static 16384])
{
	char request[1024];
	int n = snprintf(request, sizeof(request),
			 "{\"method\":\"io.ptpmon.%s\",\"parameters\":%s,\"more\":true}", method,
			 parameters);
	ssize_t got;

	assert_int_equal(send(fd, request, (size_t)n + 1, MSG_NOSIGNAL), n + 1);
	while (sd_event_run(f->loop, 0) > 0)
		;
	got = recv(fd, answer, 16383, MSG_DONTWAIT);
	answer[got > 0 ? got : 0] = '\0';
	for (ssize_t i = 0; i < got; i++)
		if (!answer[i])
			answer[i] = '|';
	return answer;
}

static const char *next(struct fixture *f, int fd, char answer[static 16384])
{
	ssize_t got;

	while (sd_event_run(f->loop, 0) > 0)
		;
	got = recv(fd, answer, 16383, MSG_DONTWAIT);
	answer[got > 0 ? got : 0] = '\0';
	return answer;
}

static void test_pages(void **state)
{
	struct fixture *f = *state;
	char answer[16384];
	size_t pages = 0;

	call_more(f, f->client, "ListEvents", "{}", answer);
	for (const char *p = answer; (p = strchr(p, '|')); p++)
		pages++;
	assert_int_equal(pages, CONTROL_EVENTS_MAX / CONTROL_PAGE);
	assert_non_null(
		strstr(answer, ",23]},\"continues\":true}|{\"parameters\":{\"events\":[24,"));
	assert_non_null(strstr(answer, ",191]}}|"));
}

static void test_watch(void **state)
{
#define STATUS "{\"schema\":\"ptpmon.status/1\"}"
	struct fixture *f = *state;
	char answer[16384];

	assert_false(control_is_watched(f->control));
	assert_string_equal(call_more(f, f->client, "Watch", "{\"recent\":2}", answer),
			    "{\"parameters\":{\"status\":" STATUS
			    ",\"events\":[0,1]},\"continues\":true}|");
	assert_true(control_is_watched(f->control));
	control_tell_status(f->control);
	assert_string_equal(next(f, f->client, answer),
			    "{\"parameters\":{\"status\":" STATUS "},\"continues\":true}");
	control_tell_event(f->control, json_integer(7));
	assert_string_equal(next(f, f->client, answer),
			    "{\"parameters\":{\"events\":[7]},\"continues\":true}");
	/* what it asks meanwhile has to wait; who goes is forgotten */
	(void)shutdown(f->client, SHUT_RDWR);
	assert_string_equal(next(f, f->client, answer), "");
	assert_false(control_is_watched(f->control));
	control_tell_event(f->control, json_integer(8));
	control_tell_status(f->control);
}

static int connect_again(struct fixture *f)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)snprintf(address.sun_path, sizeof(address.sun_path), "%s/control", f->directory);
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	while (sd_event_run(f->loop, 1000) > 0)
		;
	return fd;
}

static void test_watch_parts(void **state)
{
	struct fixture *f = *state;
	CLEANUP(close_fdp) int events = connect_again(f);
	char answer[16384];

	assert_string_equal(call_more(f, f->client, "Watch", "{\"events\":false}", answer),
			    "{\"parameters\":{\"status\":" STATUS "},\"continues\":true}|");
	assert_false(control_is_watched(f->control));
	assert_string_equal(call_more(f, events, "Watch", "{\"status\":false}", answer),
			    "{\"parameters\":{\"events\":[]},\"continues\":true}|");
	control_tell_event(f->control, json_integer(7));
	assert_string_equal(next(f, f->client, answer), "");
	assert_string_equal(next(f, events, answer),
			    "{\"parameters\":{\"events\":[7]},\"continues\":true}");
	control_tell_status(f->control);
	assert_string_equal(next(f, events, answer), "");
	assert_string_equal(next(f, f->client, answer),
			    "{\"parameters\":{\"status\":" STATUS "},\"continues\":true}");
	assert_non_null(strstr(call_more(f, connect_again(f), "Watch",
					 "{\"status\":false,\"events\":false}", answer),
			       "InvalidParameter"));
}

/* However many watch, there is room for who asks. */
static void test_too_many_watch(void **state)
{
	struct fixture *f = *state;
	int watchers[WATCHERS_MAX];
	char answer[16384];

	for (size_t i = 0; i < WATCHERS_MAX; i++) {
		watchers[i] = connect_again(f);
		assert_non_null(
			strstr(call_more(f, watchers[i], "Watch", "{}", answer), "continues"));
	}
	assert_string_equal(call_more(f, f->client, "Watch", "{}", answer),
			    "{\"parameters\":{\"reason\":\"too many watch already\"},"
			    "\"error\":\"io.ptpmon.Failed\"}|");
	assert_string_equal(call(f, "io.ptpmon.EndPhase", "{}", answer), DONE);
	for (size_t i = 0; i < WATCHERS_MAX; i++)
		close(watchers[i]);
}

/* Connects as somebody who is neither root, nor this user, nor in its group. */
static int connect_as_stranger(struct fixture *f, bool with_group)
{
	const gid_t ours[] = {getegid()};
	gid_t group = getegid();
	gid_t saved[64];
	int n = getgroups(64, saved);
	int fd;

	assert_true(n >= 0);
	assert_int_equal(setgroups(with_group, ours), 0);
	assert_int_equal(setegid(65534), 0);
	assert_int_equal(seteuid(65534), 0);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	{
		struct sockaddr_un address = {.sun_family = AF_UNIX};

		(void)snprintf(address.sun_path, sizeof(address.sun_path), "%s/control",
			       f->directory);
		assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	}
	assert_int_equal(seteuid(0), 0);
	assert_int_equal(setegid(group), 0);
	assert_int_equal(setgroups((size_t)n, saved), 0);
	while (sd_event_run(f->loop, 1000) > 0)
		;
	return fd;
}

static void test_rights(void **state)
{
	static const struct {
		const char *name, *method, *parameters;
		bool writes;
	} methods[] = {
		{"status", "GetStatus", "{}", false},
		{"events", "ListEvents", "{\"limit\":0}", false},
		{"mark", "Mark", "{\"text\":\"a\"}", true},
		{"phase", "BeginPhase", "{\"name\":\"a\"}", true},
		{"end", "EndPhase", "{}", true},
		{"verdict", "PutVerdict", "{\"plan\":\"a\",\"criterion\":\"b\"}", true},
		{"acknowledge", "AcknowledgeAlarms", "{}", true},
	};
	struct fixture *f = *state;
	char path[128];
	int ours = f->client;

	if (geteuid() != 0)
		return; /* cannot be anybody else */
	(void)snprintf(path, sizeof(path), "%s/control", f->directory);
	assert_int_equal(chmod(f->directory, 0755), 0);
	assert_int_equal(chmod(path, 0666), 0);
	for (int with_group = 0; with_group <= 1; with_group++) {
		f->client = connect_as_stranger(f, with_group);
		for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
			bool denied;
			char method[64];
			char answer[4096];

			(void)snprintf(method, sizeof(method), "io.ptpmon.%s", methods[i].method);
			call(f, method, methods[i].parameters, answer);
			denied = strstr(answer, "org.varlink.service.PermissionDenied");
			if (denied != (methods[i].writes && !with_group) ||
			    (denied && f->happened[0]))
				fail_msg("%s, %s the group: %s", methods[i].name,
					 with_group ? "in" : "not in", answer);
		}
		close(f->client);
	}
	f->client = ours;
}

static void test_text_problem(void **state)
{
	assert_null(parameter_text_problem("idle", 4));
	assert_string_equal(parameter_text_problem("idle", 3), "is too long");
	assert_string_equal(parameter_text_problem("", 3), "is empty");
	assert_string_equal(parameter_text_problem("\xff", 3), "is not UTF-8");
	assert_string_equal(parameter_text_problem("a\tb", 3), "has control characters");
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_methods),     TEST(test_lengths),
		TEST(test_who),         TEST(test_description),
		TEST(test_pages),       TEST(test_watch),
		TEST(test_watch_parts), TEST(test_too_many_watch),
		TEST(test_rights),      cmocka_unit_test(test_text_problem),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
