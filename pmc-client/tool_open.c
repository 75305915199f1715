// SPDX-License-Identifier: LGPL-2.1-or-later
/* Finding the socket of a ptp4l, and how to talk to it; again once it has gone and come back. */
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "pmc-client/tool.h"

static const int64_t discovery_ns = 2000000000;

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

/* The client, not connected yet. 0 or -errno. */
static int make_client(struct session *s, const char *path)
{
	const struct pmc_client_options options = {
		.server_path = path,
		.own_path = s->o->own_path,
		.domain = s->domain,
		.transport_specific = s->transport_specific,
		.allow_set = true, /* the words of the command line decide */
		.identity = s->o->own_identity_given ? &s->o->own_identity : NULL,
		.on_message = session_on_message,
		.userdata = s,
	};

	return pmc_client_new(&s->client, &options);
}

/* 0 or -errno. */
static int open_path(struct session *s, const char *path)
{
	int r = make_client(s, path);

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

/*
 * Makes the client anew, not connected, for the domain and transportSpecific that are found. 0;
 * EXIT_USAGE if others were asked for, which has been said; or -errno: nothing makes it answer.
 */
static int find_domain(struct session *s)
{
	char path[sizeof(((struct sockaddr_un *)NULL)->sun_path)];
	struct pmc_found found;
	int r;

	/* The own socket may have a name that was chosen: there can't be a second one. */
	(void)snprintf(path, sizeof(path), "%s", pmc_client_path(s->client));
	s->client = pmc_client_free(s->client);
	r = pmc_find_domain(path, s->o->own_path, discovery_ns, s->o->signals_fd, &found);
	if (r == 0 && s->o->domain >= 0 && s->o->domain != found.domain) {
		tool_complain("%s: wrong domain: this ptp4l has domain %u", path, found.domain);
		return EXIT_USAGE;
	}
	if (r == 0 && s->o->transport_specific >= 0 &&
	    s->o->transport_specific != found.transport_specific) {
		tool_complain("%s: wrong transportSpecific: this ptp4l has 0x%x", path,
			      found.transport_specific);
		return EXIT_USAGE;
	}
	if (r == 0) {
		s->domain = found.domain;
		s->transport_specific = found.transport_specific;
	}
	s->interrupted |= r == -ECANCELED;
	return make_client(s, path) < 0 ? -ENOMEM : r;
}

/* It doesn't. Was it asked for what it isn't, or will another domain do? */
static int adapt(struct session *s)
{
	int r;

	if (s->interrupted)
		return EXIT_INTERRUPTED;
	if (!pmc_client_connected(s->client)) {
		session_complain_gone(s);
		return EXIT_BAD;
	}
	r = find_domain(s);
	if (s->interrupted)
		return EXIT_INTERRUPTED;
	if (r < 0)
		return complain_silent(s, s->client ? pmc_client_path(s->client) : "", -r);
	if (r > 0)
		return r;
	r = pmc_client_connect(s->client);
	if (r < 0) {
		complain_open(s, pmc_client_path(s->client), -r);
		return EXIT_USAGE;
	}
	return answers(s) ? 0 : EXIT_BAD;
}

/* --- gone, and back --- */

static const int64_t look_ns = 250000000; /* how often, for one that has gone */

/* False after a signal, or if nobody listens to what is printed any more. */
static bool sleep_until(const struct session *s, int64_t until_mono_ns)
{
	struct pollfd wait[] = {
		{.fd = s->o->signals_fd, .events = POLLIN},
		{.fd = STDOUT_FILENO}, /* only whether a pipe has lost its reader */
	};
	int64_t left_ns = until_mono_ns - tool_now_ns();

	return left_ns <= 0 || poll(wait, 2, (int)(left_ns / 1000000) + 1) == 0;
}

/* 1: not yet. */
static int look_for_return(struct session *s)
{
	int r;

	if (pmc_client_connect(s->client) < 0)
		return 1;
	if (s->o->network.interface || answers(s))
		return 0;
	/* It may have another configuration now. */
	r = !s->interrupted && pmc_client_connected(s->client) ? find_domain(s) : 1;
	if (r == 0 && pmc_client_connect(s->client) == 0 && answers(s))
		return 0;
	return r == EXIT_USAGE || r == -ENOMEM ? -1 : 1;
}

bool session_await_return(struct session *s)
{
	int64_t gone_mono_ns = tool_now_ns(), away_ns;
	int r;

	session_complain_gone(s);
	if (s->o->json)
		print_connection(s, false, 0);
	do {
		if (!sleep_until(s, tool_now_ns() + look_ns))
			s->interrupted = true;
		r = s->interrupted ? -1 : look_for_return(s);
	} while (r > 0 && !s->interrupted);
	if (r != 0)
		return false;
	away_ns = tool_now_ns() - gone_mono_ns;
	s->gone_told = false;
	tool_complain("%s: %s is back after %.1f s", pmc_client_path(s->client),
		      s->o->network.interface ? "the interface" : "ptp4l", (double)away_ns / 1e9);
	if (s->o->json)
		print_connection(s, true, away_ns);
	return true;
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
