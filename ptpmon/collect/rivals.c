/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/collect/rivals.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/timex.h>
#include <unistd.h>

#include "ptpmon/base/cleanup.h"

enum {
	COMMAND_MAX = 2048,
	WORDS_MAX = 64,
	TICK_NORMAL = 10000,  /* microseconds, at 100 ticks a second */
	PPB_OF_TICK = 100000, /* one of these microseconds in that time */
	FREQ_UNIT_BITS = 16,  /* of adjtimex's freq: 2^-16 ppm */
};

/* What is in /proc/PID/NAME, NUL-terminated; its length, or -1. */
static ssize_t read_proc(int proc_fd, const char *pid, const char *name, char *out, size_t size)
{
	char path[64];
	CLEANUP(close_fdp) int fd = -1;
	ssize_t n;

	(void)snprintf(path, sizeof(path), "%s/%s", pid, name);
	fd = openat(proc_fd, path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, out, size - 1);
	if (n >= 0)
		out[n] = '\0';
	return n;
}

/* Each network namespace has files of its own there, which anybody may look at; ns/net asks for
 * rights that a recorder does not have. */
static bool is_elsewhere(int proc_fd, const char *pid)
{
	char path[64];
	struct stat own;
	struct stat its;

	(void)snprintf(path, sizeof(path), "%s/net/dev", pid);
	return fstatat(proc_fd, path, &its, 0) == 0 && stat("/proc/self/net/dev", &own) == 0 &&
	       its.st_ino != own.st_ino;
}

/* Parent and start of a process: fields 4 and 22 of its stat, behind a name in parentheses. */
static bool read_stat(int proc_fd, const char *pid, pid_t *parent, uint64_t *start_ticks)
{
	char text[1024];
	const char *at;

	if (read_proc(proc_fd, pid, "stat", text, sizeof(text)) <= 0)
		return false;
	at = strrchr(text, ')');
	return at && sscanf(at + 1,
			    " %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d "
			    "%*d %*d %" SCNu64,
			    parent, start_ticks) == 2;
}

static size_t split_words(char *command, ssize_t len, const char *words[static WORDS_MAX])
{
	size_t n = 0;

	for (char *at = command; at < command + len && n < WORDS_MAX; at += strlen(at) + 1)
		words[n++] = at;
	return n;
}

static void tell(struct rivals *r, enum event_code code, int64_t now_mono_ns,
		 const struct rival_found *f, const char *what)
{
	struct event e = event_make(code, now_mono_ns, f->comm, "%s (pid %d): %s", f->comm,
				    (int)f->pid, what);

	(void)snprintf(e.detail, sizeof(e.detail), "{\"pid\":%d}", (int)f->pid);
	r->on_event(r->userdata, &e);
}

static struct rival_found *known(struct rivals *r, pid_t pid, uint64_t start_ticks)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->found[i].pid == pid && r->found[i].start_ticks == start_ticks)
			return &r->found[i];
	return NULL;
}

static void examine(struct rivals *r, int proc_fd, const char *name, const char *comm,
		    int64_t now_mono_ns, char *why)
{
	char command[COMMAND_MAX];
	const char *words[WORDS_MAX];
	struct rival_found f = {.pid = (pid_t)strtol(name, NULL, 10), .seen = true};
	struct rival_found *before;
	enum event_code code = EVENT_RIVAL;
	pid_t parent;
	ssize_t len;
	size_t n;

	if (f.pid == r->parent || !read_stat(proc_fd, name, &parent, &f.start_ticks) ||
	    parent == r->parent || is_elsewhere(proc_fd, name))
		return;
	before = known(r, f.pid, f.start_ticks);
	if (before) {
		before->seen = true;
		return;
	}
	len = read_proc(proc_fd, name, "cmdline", command, sizeof(command));
	n = split_words(command, len, words);
	if (rival_waits_in_vain(comm, words, n, &r->ours, why))
		code = EVENT_CLOCK_WAITS;
	else if (rival_judge(comm, words, n, &r->ours, why) != RIVAL_RIVAL)
		return;
	if (r->n == RIVALS_MAX)
		return;
	(void)snprintf(f.comm, sizeof(f.comm), "%s", comm);
	r->found[r->n++] = f;
	tell(r, code, now_mono_ns, &f, why);
}

static void forget_gone(struct rivals *r, int64_t now_mono_ns)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->n; i++) {
		if (r->found[i].seen)
			r->found[kept++] = r->found[i];
		else
			tell(r, EVENT_RIVAL_GONE, now_mono_ns, &r->found[i], "has ended");
	}
	r->n = kept;
}

size_t rivals_look(struct rivals *r, int64_t now_mono_ns, char why[static RIVAL_WHY_MAX])
{
	char comm[32];
	DIR *d = opendir("/proc");

	if (!d)
		return r->n;
	for (size_t i = 0; i < r->n; i++)
		r->found[i].seen = false;
	for (const struct dirent *e = readdir(d); e; e = readdir(d)) {
		if (!isdigit((unsigned char)e->d_name[0]) ||
		    read_proc(dirfd(d), e->d_name, "comm", comm, sizeof(comm)) <= 0)
			continue;
		comm[strcspn(comm, "\n")] = '\0';
		if (rival_is_known(comm))
			examine(r, dirfd(d), e->d_name, comm, now_mono_ns, why);
	}
	(void)closedir(d);
	forget_gone(r, now_mono_ns);
	return r->n;
}

int steering_read(struct steering_reading *out)
{
	struct timex x = {0};

	if (adjtimex(&x) < 0)
		return -errno;
	*out = (struct steering_reading){
		.freq_ppb = (int64_t)x.freq * 1000 / (1 << FREQ_UNIT_BITS) +
			    (int64_t)(x.tick - TICK_NORMAL) * PPB_OF_TICK,
		.kernel_pll = (x.status & (STA_PLL | STA_FLL)) != 0,
	};
	return 0;
}
