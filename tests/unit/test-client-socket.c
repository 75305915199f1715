// SPDX-License-Identifier: LGPL-2.1-or-later
/* The client's sockets: a server that goes and comes back, and the paths of both ends. */
#include "client-fixture.h"

#include <dirent.h>

/* killed: the socket file stays. */
static void lose_server(struct fixture *f, bool killed)
{
	get(f, PTP_ID_CURRENT_DATA_SET, 0);
	if (killed)
		(void)close(f->server);
	else
		server_close(f);
	assert_int_equal(pmc_client_receive(f->client, 1), 0);
	pmc_client_expire(f->client, TIMEOUT_NS);
	assert_int_equal(last(f)->outcome, PMC_DISCONNECTED);
	assert_true(last(f)->last);
	assert_false(pmc_client_connected(f->client));
	assert_int_equal(pmc_client_fd(f->client), -ENOTCONN);
	assert_int_equal(pmc_client_receive(f->client, 1), -ENOTCONN);
	assert_int_equal(pmc_client_get(f->client, PTP_ID_PRIORITY1, 0, 0, 1), -ENOTCONN);
	assert_int_equal(pmc_client_connect(f->client), killed ? -ECONNREFUSED : -ENOENT);
}

static void loss_and_return_of_the_server(void **state)
{
	struct fixture *f = *state;
	struct ptp_message request, answer;

	lose_server(f, false);
	server_open(f);
	assert_int_equal(pmc_client_connect(f->client), 0);
	lose_server(f, true);
	(void)unlink(f->path);
	server_open(f);
	assert_int_equal(pmc_client_connect(f->client), 0);

	/* It may be another clock now. */
	get(f, PTP_ID_CURRENT_DATA_SET, 0);
	request = server_receive(f);
	answer = current_ds_to(&request, 3);
	answer.source.clock = clock_b;
	server_send(f, &answer);
	receive(f);
	assert_int_equal(last(f)->outcome, PMC_OK);
}

static void a_send_tells_that_the_server_has_gone(void **state)
{
	struct fixture *f = *state;

	server_close(f);
	assert_int_equal(pmc_client_get(f->client, PTP_ID_PRIORITY1, 0, 0, 1), -ECONNREFUSED);
	assert_false(pmc_client_connected(f->client));
	assert_int_equal(f->n_seen, 0);
	server_open(f);
}

static void a_restarted_server_is_another_one(void **state)
{
	struct fixture *f = *state;

	get(f, PTP_ID_PRIORITY1, 0);
	server_close(f);
	server_open(f);
	pmc_client_expire(f->client, TIMEOUT_NS);
	assert_int_equal(last(f)->outcome, PMC_DISCONNECTED);
}

static void reconnecting_ends_a_request(void **state)
{
	struct fixture *f = *state;

	get(f, PTP_ID_PRIORITY1, 0);
	assert_int_equal(pmc_client_connect(f->client), 0);
	assert_int_equal(f->n_seen, 1);
	assert_int_equal(last(f)->outcome, PMC_DISCONNECTED);
	assert_false(pmc_client_busy(f->client));
}

/* Names of sockets in the directory but the server's. */
static size_t count_own(const struct fixture *f)
{
	DIR *dir = opendir(f->dir);
	const struct dirent *entry;
	size_t n = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir)))
		n += entry->d_type == DT_SOCK && strcmp(entry->d_name, "server") != 0;
	(void)closedir(dir);
	return n;
}

static void own_sockets_come_and_go(void **state)
{
	struct fixture *f = *state;
	struct pmc_client_options options = options_for(f);
	struct sockaddr_un dead = {.sun_family = AF_UNIX};
	struct pmc_client *c;
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	/* what a killed client leaves */
	(void)snprintf(dead.sun_path, sizeof(dead.sun_path), "%s/pmc-client.1.0", f->dir);
	assert_int_equal(bind(fd, (struct sockaddr *)&dead, sizeof(dead)), 0);
	(void)close(fd);
	assert_int_equal(count_own(f), 2);
	assert_int_equal(pmc_client_new(&c, &options), 0);
	assert_int_equal(count_own(f), 2);
	assert_int_equal(pmc_client_connect(c), 0);
	assert_int_equal(count_own(f), 2); /* the dead one has gone, the other client's is there */
	pmc_client_free(c);
	assert_int_equal(count_own(f), 1);
	assert_null(pmc_client_free(NULL));
}

static void own_path_is_respected(void **state)
{
	struct fixture *f = *state;
	struct pmc_client_options options = options_for(f);
	struct pmc_client *c = NULL;
	char path[100], text[8] = "";
	FILE *file;

	(void)snprintf(path, sizeof(path), "%s/mine", f->dir);
	options.own_path = path;
	assert_int_equal(pmc_client_new(&c, &options), 0);
	file = fopen(path, "we"); /* not a socket: not ours to remove */
	assert_non_null(file);
	(void)fputs("kept", file);
	(void)fclose(file);
	assert_int_equal(pmc_client_connect(c), -EADDRINUSE);
	file = fopen(path, "re");
	assert_non_null(fgets(text, sizeof(text), file));
	(void)fclose(file);
	assert_string_equal(text, "kept");
	(void)unlink(path);
	assert_int_equal(pmc_client_connect(c), 0);
	assert_int_equal(access(path, F_OK), 0);
	pmc_client_free(c);
	assert_int_equal(access(path, F_OK), -1);
}

static void a_server_path_must_be_a_socket(void **state)
{
	struct fixture *f = *state;
	struct pmc_client_options options = options_for(f);
	struct pmc_client *c;

	options.server_path = f->dir;
	assert_int_equal(pmc_client_new(&c, &options), 0);
	assert_int_equal(pmc_client_connect(c), -ENOTSOCK);
	pmc_client_free(c);
}

static void bad_options(void **state)
{
	struct fixture *f = *state;
	char longest[200];
	struct pmc_client *c = NULL;
	struct {
		const char *name;
		struct pmc_client_options o;
		int result;
	} rows[] = {
		{"no server", options_for(f), -EINVAL},
		{"empty server", options_for(f), -EINVAL},
		{"no callback", options_for(f), -EINVAL},
		{"transportSpecific", options_for(f), -EINVAL},
		{"relative own path", options_for(f), -EINVAL},
		{"long server path", options_for(f), -ENAMETOOLONG},
		{"long own path", options_for(f), -ENAMETOOLONG},
	};

	memset(longest, 'x', sizeof(longest));
	longest[0] = '/';
	longest[108] = '\0';
	rows[0].o.server_path = NULL;
	rows[1].o.server_path = "";
	rows[2].o.on_message = NULL;
	rows[3].o.transport_specific = 16;
	rows[4].o.own_path = "here";
	rows[5].o.server_path = longest;
	rows[6].o.own_path = longest;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (pmc_client_new(&c, &rows[i].o) != rows[i].result || c)
			fail_msg("%s", rows[i].name);
}

/* Where no file can be made beside the server's, here because its path is relative. */
static void abstract_names_work(void **state)
{
	struct fixture *f = *state;
	struct pmc_client_options options = options_for(f);
	char before[4096];
	struct ptp_message request, m;
	struct pmc_client *c;

	assert_non_null(getcwd(before, sizeof(before)));
	assert_int_equal(chdir(f->dir), 0);
	options.server_path = "server";
	assert_int_equal(pmc_client_new(&c, &options), 0);
	assert_int_equal(pmc_client_connect(c), 0);
	assert_int_equal(pmc_client_get(c, PTP_ID_CURRENT_DATA_SET, 0, 0, TIMEOUT_NS), 0);
	request = server_receive(f);
	assert_int_equal(f->from.sun_path[0], '\0');
	m = current_ds_to(&request, 9);
	server_send(f, &m);
	assert_int_equal(pmc_client_receive(c, 1), 0);
	assert_int_equal(f->data.current_ds.offset_ns, 9);
	pmc_client_free(c);
	assert_int_equal(chdir(before), 0);
}

static void clients_differ(void **state)
{
	struct fixture *f = *state;
	struct pmc_client_options options = options_for(f);
	struct ptp_message first, second;
	struct pmc_client *c;

	assert_int_equal(pmc_client_new(&c, &options), 0);
	assert_int_equal(pmc_client_connect(c), 0);
	get(f, PTP_ID_PRIORITY1, 0);
	first = server_receive(f);
	assert_int_equal(pmc_client_get(c, PTP_ID_PRIORITY1, 0, 0, 1), 0);
	second = server_receive(f);
	assert_false(ptp_clock_identity_equal(&first.source.clock, &second.source.clock));
	pmc_client_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(loss_and_return_of_the_server),
		CASE(a_send_tells_that_the_server_has_gone),
		CASE(a_restarted_server_is_another_one),
		CASE(reconnecting_ends_a_request),
		CASE(own_sockets_come_and_go),
		CASE(own_path_is_respected),
		CASE(a_server_path_must_be_a_socket),
		CASE(bad_options),
		CASE(abstract_names_work),
		CASE(clients_differ),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
