/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/parent/port_locks.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "ptpmon/base/cleanup.h"

/* The length that bind() and connect() want. */
static socklen_t address_of(const char *interface, struct sockaddr_un *out)
{
	int n;

	*out = (struct sockaddr_un){.sun_family = AF_UNIX};
	n = snprintf(out->sun_path + 1, sizeof(out->sun_path) - 1, "ptpmon/port/%s", interface);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

/* Who has the name; pid 0: nobody any more. */
static struct ucred owner_of(const struct sockaddr_un *sa, socklen_t len)
{
	CLEANUP(close_fdp) int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct ucred owner = {0};
	socklen_t size = sizeof(owner);

	if (fd >= 0 && (connect(fd, (const struct sockaddr *)sa, len) == 0 || errno == EAGAIN))
		(void)getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &owner, &size);
	return owner;
}

/* *fd is -1 after 0 if the name is somebody's who has no say. */
static int take(int *fd, const char *interface, char *why)
{
	CLEANUP(close_fdp) int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct sockaddr_un sa;
	socklen_t len = address_of(interface, &sa);
	struct ucred owner;

	*fd = -1;
	if (s < 0)
		return -errno;
	if (bind(s, (struct sockaddr *)&sa, len) == 0)
		return listen(s, 1) < 0 ? -errno : (*fd = steal_fd(&s), 0);
	if (errno != EADDRINUSE)
		return -errno;
	owner = owner_of(&sa, len);
	if (owner.pid && owner.uid != 0 && owner.uid != geteuid())
		return 0;
	(void)snprintf(
		why, PORT_LOCKS_WHY_MAX,
		"%s: another ptpmon (pid %d) runs a ptp4l on this port: stop it, or give this "
		"one other interfaces",
		interface, (int)owner.pid);
	return -EBUSY;
}

static struct port_lock *find(struct port_locks *l, const char *interface)
{
	for (size_t i = 0; i < l->n; i++)
		if (strcmp(l->taken[i].interface, interface) == 0)
			return &l->taken[i];
	return NULL;
}

/* Moves it over if it is taken already. */
static int add(struct port_locks *next, struct port_locks *now, const char *interface, char *why)
{
	struct port_lock *was = find(now, interface);
	struct port_lock *lock = &next->taken[next->n];
	int r = 0;

	(void)snprintf(lock->interface, sizeof(lock->interface), "%s", interface);
	if (was)
		lock->fd = dup(was->fd);
	else
		r = take(&lock->fd, interface, why);
	if (r == 0)
		next->n++;
	return r;
}

int port_locks_move(struct port_locks *l, const struct config *config,
		    char why[static PORT_LOCKS_WHY_MAX])
{
	struct port_locks next = {0};
	int r = 0;

	for (size_t i = 0; r == 0 && i < config->n_ptp4l; i++)
		for (size_t j = 0;
		     r == 0 && config->ptp4l[i].manage && j < config->ptp4l[i].interfaces.n; j++)
			r = add(&next, l, config->ptp4l[i].interfaces.name[j], why);
	if (r < 0) {
		port_locks_release(&next);
		if (r != -EBUSY)
			(void)snprintf(why, PORT_LOCKS_WHY_MAX, "cannot take the ports: %s",
				       strerror(-r));
		return r;
	}
	port_locks_release(l);
	*l = next;
	return 0;
}

void port_locks_release(struct port_locks *l)
{
	for (size_t i = 0; i < l->n; i++)
		close_fdp(&l->taken[i].fd);
	l->n = 0;
}

static bool steers_phc(const struct config_ptp4l *p)
{
	return config_ptp4l_steers(p) && p->timestamping != TIMESTAMPING_SOFTWARE;
}

size_t phc_first_ports(const struct config_ptp4l *p, phc_index_fn *phc_index,
		       size_t out[static CONFIG_INTERFACES_MAX])
{
	int seen[CONFIG_INTERFACES_MAX];
	size_t n = 0;

	for (size_t i = 0; i < p->interfaces.n; i++) {
		int index = phc_index(p->interfaces.name[i]);
		bool is_new = true;

		for (size_t j = 0; j < n && index >= 0; j++)
			is_new = is_new && seen[j] != index;
		if (!is_new)
			continue;
		seen[n] = index;
		out[n++] = i;
	}
	return n;
}

bool phc_are_several(const struct config_ptp4l *p, phc_index_fn *phc_index)
{
	int first = -1;

	for (size_t i = 0; i < p->interfaces.n; i++) {
		int index = phc_index(p->interfaces.name[i]);

		if (index >= 0 && first >= 0 && index != first)
			return true;
		if (first < 0)
			first = index;
	}
	return false;
}

/* The first port of a that has a PHC of b's ports; NULL: none. */
static const char *port_on_phc_of(const struct config_ptp4l *a, const struct config_ptp4l *b,
				  phc_index_fn *phc_index, int *index)
{
	for (size_t i = 0; i < a->interfaces.n; i++) {
		*index = phc_index(a->interfaces.name[i]);
		for (size_t j = 0; *index >= 0 && j < b->interfaces.n; j++)
			if (phc_index(b->interfaces.name[j]) == *index)
				return a->interfaces.name[i];
	}
	return NULL;
}

int phc_is_shared(const struct config *config, size_t i, unsigned others, phc_index_fn *phc_index,
		  char why[static PORT_LOCKS_WHY_MAX])
{
	const struct config_ptp4l *p = &config->ptp4l[i];

	for (size_t j = 0; j < config->n_ptp4l && steers_phc(p); j++) {
		const struct config_ptp4l *other = &config->ptp4l[j];
		const char *port;
		int index;

		if (j == i || !(others & 1u << j) || !steers_phc(other))
			continue;
		port = port_on_phc_of(p, other, phc_index, &index);
		if (!port)
			continue;
		(void)snprintf(
			why, PORT_LOCKS_WHY_MAX,
			"[%s]: %s shares /dev/ptp%d with a port of [%s]: only one may steer it; "
			"make the other a grandmaster, or one boundary clock of both",
			p->child, port, index, other->child);
		return -EBUSY;
	}
	return 0;
}
