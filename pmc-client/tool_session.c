// SPDX-License-Identifier: LGPL-2.1-or-later
/* A conversation with one ptp4l, for a command that has nothing else to do than wait. */
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "pmc-client/tool.h"

static const int64_t discovery_ns = 2000000000;

int64_t tool_now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void tool_complain(const char *format, ...)
{
	va_list args;

	(void)fflush(stdout);
	va_start(args, format);
	(void)fputs("pmc-client: ", stderr);
	/* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): the checker overlooks va_start() */
	(void)vfprintf(stderr, format, args);
	(void)fputc('\n', stderr);
	va_end(args);
}

/* A question for fields that is answered with none got no data. */
static bool is_good(const struct session *s, const struct pmc_message *m)
{
	if (m->outcome == PMC_EMPTY)
		return s->action != PTP_GET || !m->dataset || m->dataset->n_fields == 0;
	return m->outcome == PMC_OK || m->outcome == PMC_SHORT;
}

void session_complain_gone(struct session *s)
{
	if (s->gone_told)
		return;
	s->gone_told = true;
	if (s->o->network.interface)
		tool_complain("%s: the interface has gone, or is not up any more",
			      s->o->network.interface);
	else
		tool_complain("%s: ptp4l went away", pmc_client_path(s->client));
}

void session_on_message(void *userdata, const struct pmc_message *m)
{
	struct session *s = userdata;
	bool ended_without = m->outcome == PMC_TIMED_OUT || m->outcome == PMC_DISCONNECTED;

	if (!ended_without)
		s->answers++;
	/* Nobody knows how many there were to come. */
	if (m->outcome == PMC_TIMED_OUT && s->collecting && s->answers > 0)
		return;
	if (!is_good(s, m))
		s->refused++;
	s->sink(s, m);
}

/* Until something comes, a signal, or deadline_ns. */
static void wait_input(struct session *s, int64_t deadline_ns)
{
	struct pollfd wait[] = {
		{.fd = pmc_client_fd(s->client), .events = POLLIN},
		{.fd = s->o->signals_fd, .events = POLLIN},
	};
	int64_t left_ns = deadline_ns - tool_now_ns();

	if (left_ns > 0 && poll(wait, 2, (int)(left_ns / 1000000) + 1) > 0 && wait[1].revents)
		s->interrupted = true;
}

bool session_wait(struct session *s, int64_t until_mono_ns)
{
	bool until_answered = until_mono_ns == INT64_MAX;

	/* What can't be printed needn't be waited for. */
	while (pmc_client_connected(s->client) && !s->interrupted && !ferror(stdout)) {
		int64_t deadline_ns = pmc_client_deadline_ns(s->client);

		if (until_answered ? !pmc_client_busy(s->client) : tool_now_ns() >= until_mono_ns)
			return true;
		wait_input(s, deadline_ns < until_mono_ns ? deadline_ns : until_mono_ns);
		(void)pmc_client_receive(s->client, tool_now_ns());
		pmc_client_expire(s->client, tool_now_ns());
	}
	return false;
}

static bool is_any_clock(const struct ptp_clock_identity *clock)
{
	for (size_t i = 0; i < sizeof(clock->octet); i++)
		if (clock->octet[i] != 0xFF)
			return false;
	return true;
}

bool may_change(const struct tool_options *o)
{
	if (!o->network.interface)
		return true;
	if (!o->allow_set || !o->allow_set_remote) {
		tool_complain("%s: changing a clock over a network wants --allow-set and "
			      "--allow-set-remote",
			      o->network.interface);
		return false;
	}
	if (is_any_clock(&o->clock)) {
		tool_complain("%s: changing a clock over a network wants its identity: --clock",
			      o->network.interface);
		return false;
	}
	return true;
}

void session_ask(struct session *s, const struct pmc_request *request)
{
	struct pollfd signals = {.fd = s->o->signals_fd, .events = POLLIN};
	int64_t give_up_ns = tool_now_ns() + s->o->timeout_ns;
	int r;

	if (s->interrupted)
		return;
	if (!pmc_client_connected(s->client)) { /* which has been said */
		s->refused++;
		return;
	}
	s->answers = 0;
	s->action = request->action;
	s->collecting = (s->o->network.interface || request->boundary_hops > 0) &&
			(!request->clock || is_any_clock(request->clock));
	/* Other clients may fill ptp4l's queue for a moment. */
	while ((r = pmc_client_request(s->client, request, tool_now_ns(), s->o->timeout_ns)) ==
		       -EAGAIN &&
	       tool_now_ns() < give_up_ns && !s->interrupted)
		s->interrupted = poll(&signals, 1, 1) > 0;
	if (s->interrupted) {
		pmc_client_cancel(s->client);
		return;
	}
	if (r < 0) {
		if (!pmc_client_connected(s->client))
			session_complain_gone(s);
		else
			tool_complain("%s: %s", pmc_client_path(s->client),
				      r == -EAGAIN
					      ? "ptp4l does not read: it is stopped or overloaded"
					      : strerror(-r));
		s->refused++;
		return;
	}
	(void)session_wait(s, INT64_MAX);
}

/* --- finding and opening --- */

static const char *why_not(int error)
{
	switch (error) {
	case ENOENT:
		return "no such socket: is ptp4l running, and with this uds_address?";
	case ECONNREFUSED:
		return "nobody listens: left behind by a ptp4l that was killed";
	case EACCES:
	case EPERM:
		return "permission denied: only root and the socket's group may use the read-write "
		       "socket; linuxptp 4.0 and later have a read-only one for everyone";
	case ENOTSOCK:
		return "not a socket";
	case EPROTOTYPE:
		return "a socket of another kind, not ptp4l's";
	case EINVAL:
		return "not a path for a socket";
	default:
		return strerror(error);
	}
}

static bool socket_address(const char *path, struct sockaddr_un *out)
{
	*out = (struct sockaddr_un){.sun_family = AF_UNIX};
	return snprintf(out->sun_path, sizeof(out->sun_path), "%s", path) <
	       (int)sizeof(out->sun_path);
}

/* Without a name of one's own, can it be connected to? Then that name is what is wrong. */
static bool is_reachable(const char *path)
{
	struct sockaddr_un address;
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool good = fd >= 0 && socket_address(path, &address) &&
		    connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0;

	if (fd >= 0)
		(void)close(fd);
	return good;
}

static const char *own_why_not(int error)
{
	switch (error) {
	case EADDRINUSE:
		return "in use, or a file that is not a socket";
	case EINVAL:
		return "must be an absolute path";
	default:
		return strerror(error);
	}
}

static void complain_open(const struct session *s, const char *path, int error)
{
	if (!*path)
		tool_complain("--socket: an empty path");
	else if (!is_reachable(path))
		tool_complain("%s: %s", path, why_not(error));
	else if (s->o->own_path)
		tool_complain("%s: own socket: %s", s->o->own_path, own_why_not(error));
	else
		tool_complain("%s: own socket, beside it: %s; --own-socket puts it elsewhere", path,
			      own_why_not(error));
}

/* 0 or -errno. */
static int open_path(struct session *s, const char *path)
{
	struct pmc_client_options options = {
		.server_path = path,
		.own_path = s->o->own_path,
		.domain = s->domain,
		.transport_specific = s->transport_specific,
		.allow_set = true, /* the words of the command line decide */
		.identity = s->o->own_identity_given ? &s->o->own_identity : NULL,
		.on_message = session_on_message,
		.userdata = s,
	};
	int r = pmc_client_new(&s->client, &options);

	if (r < 0)
		return r;
	r = pmc_client_connect(s->client);
	if (r < 0)
		s->client = pmc_client_free(s->client);
	return r;
}

/*
 * Sockets that other programs gave their ptp4l: ptpmon's are in a directory for each port. 1: there
 * are several, which has been said.
 */
static int open_found(struct session *s, bool read_write)
{
	const char *const patterns[] = {"/run/ptpmon/*/ptp4lro", "/run/ptpmon/*/ptp4l"};
	glob_t found = {0};
	int r = -ENOENT;

	for (size_t i = read_write ? 1 : 0; i < 2 && r == -ENOENT; i++) {
		if (glob(patterns[i], 0, NULL, &found) == 0 && found.gl_pathc > 1) {
			tool_complain("%s, %s%s: which of them? Give one with --socket",
				      found.gl_pathv[0], found.gl_pathv[1],
				      found.gl_pathc > 2 ? ", ..." : "");
			r = 1;
		} else if (found.gl_pathc == 1) {
			r = open_path(s, found.gl_pathv[0]);
		}
		globfree(&found);
		found = (glob_t){0};
	}
	return r;
}

/*
 * linuxptp's default places: after 4.4 in a directory of their own; the read-only one since 4.0.
 * Then what is found.
 */
static int open_default(struct session *s, bool read_write)
{
	static const char *const paths[] = {"/var/run/ptp/ptp4lro", "/var/run/ptp4lro",
					    "/var/run/ptp/ptp4l", "/var/run/ptp4l"};
	int worst = -ENOENT;
	const char *where = "/var/run/ptp4l";
	int r;

	for (size_t i = read_write ? 2 : 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		r = open_path(s, paths[i]);
		if (r == 0)
			return 0;
		if (r != -ENOENT) {
			worst = r;
			where = paths[i];
		}
	}
	r = open_found(s, read_write);
	if (r >= 0)
		return r == 0 ? 0 : EXIT_USAGE;
	complain_open(s, where, -worst);
	if (worst == -ENOENT)
		tool_complain("give ptp4l's uds_address with --socket");
	return EXIT_USAGE;
}

static int open_any(struct session *s, bool read_write)
{
	const struct tool_options *o = s->o;
	const char *path = o->socket ? o->socket : o->config_socket;
	int r;

	if (!o->socket && o->config_ro_socket && !read_write &&
	    open_path(s, o->config_ro_socket) == 0)
		return 0;
	if (!path)
		return open_default(s, read_write);
	r = open_path(s, path);
	if (r < 0)
		complain_open(s, path, -r);
	return r < 0 ? EXIT_USAGE : 0;
}

/* Does it speak our domain and transportSpecific? Learns the number of ports by the way. */
static bool answers(struct session *s)
{
	struct pmc_request request = {
		.action = PTP_GET, .id = PTP_ID_DEFAULT_DATA_SET, .port = PTP_PORT_ALL};
	tool_sink_fn *sink = s->sink;
	unsigned int refused = s->refused;

	s->sink = discard_message;
	session_ask(s, &request);
	s->sink = sink;
	s->refused = refused;
	return s->answers > 0;
}

/* The answers of a ptp4l elsewhere don't reach an abstract name, which is per network namespace. */
static bool has_abstract_name(const struct session *s, const char *path)
{
	const char *slash = strrchr(path, '/');
	char directory[PATH_MAX];

	(void)snprintf(directory, sizeof(directory), "%.*s", slash ? (int)(slash - path) + 1 : 0,
		       path);
	return !s->o->own_path && (path[0] != '/' || access(directory, W_OK | X_OK) < 0);
}

static int complain_silent(const struct session *s, const char *path, int error)
{
	if (error != ETIMEDOUT)
		complain_open(s, path, error);
	else
		tool_complain(
			"%s: ptp4l does not answer, in no domain: it is stopped or overloaded, "
			"or wants authenticated messages (spp)%s",
			path,
			has_abstract_name(s, path)
				? ", or is in another network namespace: give --own-socket a "
				  "path that it can reach"
				: "");
	return EXIT_BAD;
}

/* It doesn't. Was it asked for what it isn't, or will another domain do? */
static int adapt(struct session *s)
{
	char path[sizeof(((struct sockaddr_un *)NULL)->sun_path)];
	struct pmc_found found;
	int r;

	if (s->interrupted)
		return EXIT_INTERRUPTED;
	if (!pmc_client_connected(s->client)) {
		session_complain_gone(s);
		return EXIT_BAD;
	}
	/* The own socket may have a name that was chosen: there can't be a second one. */
	(void)snprintf(path, sizeof(path), "%s", pmc_client_path(s->client));
	s->client = pmc_client_free(s->client);
	r = pmc_find_domain(path, s->o->own_path, discovery_ns, &found);
	if (r < 0)
		return complain_silent(s, path, -r);
	if (s->o->domain >= 0 && s->o->domain != found.domain) {
		tool_complain("%s: wrong domain: this ptp4l has domain %u", path, found.domain);
		return EXIT_USAGE;
	}
	if (s->o->transport_specific >= 0 && s->o->transport_specific != found.transport_specific) {
		tool_complain("%s: wrong transportSpecific: this ptp4l has 0x%x", path,
			      found.transport_specific);
		return EXIT_USAGE;
	}
	s->domain = found.domain;
	s->transport_specific = found.transport_specific;
	r = open_path(s, path);
	if (r < 0) {
		complain_open(s, path, -r);
		return EXIT_USAGE;
	}
	return answers(s) ? 0 : EXIT_BAD;
}

int session_open(struct session *s, const struct tool_options *o, bool read_write)
{
	int r;

	*s = (struct session){
		.o = o,
		.sink = o->json ? collect_message : print_message,
		.domain = (uint8_t)(o->domain < 0 ? 0 : o->domain),
		.transport_specific =
			(uint8_t)(o->transport_specific < 0 ? 0 : o->transport_specific),
	};
	if (o->n_domains > 1) {
		tool_complain("several domains at once are for scan");
		return EXIT_USAGE;
	}
	if (o->network.interface)
		return session_open_network(s);
	if (o->kind_chosen) {
		tool_complain("which interface? Name it with --interface");
		return EXIT_USAGE;
	}
	r = open_any(s, read_write);
	if (r != 0)
		return r;
	return answers(s) ? 0 : adapt(s);
}

int session_status(const struct session *s)
{
	if (s->interrupted)
		return EXIT_INTERRUPTED;
	return s->refused > 0 || !pmc_client_connected(s->client) ? EXIT_BAD : EXIT_GOOD;
}

void session_close(struct session *s)
{
	s->client = pmc_client_free(s->client);
	json_decref(s->messages);
	s->messages = NULL;
}
