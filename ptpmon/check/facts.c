/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/check/facts.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/procstat.h"
#include "ptpmon/check/impl.h"

void list_add(char *list, size_t size, const char *fmt, ...)
{
	static const char more[] = ", ...";
	size_t len = strlen(list);
	char words[CHECK_TEXT_MAX];
	va_list ap;

	if (len >= sizeof(more) && strcmp(list + len - (sizeof(more) - 1), more) == 0)
		return;
	va_start(ap, fmt);
	(void)vsnprintf(words, sizeof(words), fmt, ap);
	va_end(ap);
	if (len + strlen(words) + sizeof(more) + 2 > size)
		(void)snprintf(list + len, size - len, "%s", more);
	else
		(void)snprintf(list + len, size - len, "%s%s", len ? ", " : "", words);
}

int64_t number_in(const char *root, int64_t otherwise, const char *path, ...)
{
	char name[PATH_MAX];
	char text[64];
	char *end;
	va_list ap;
	int64_t value;

	va_start(ap, path);
	(void)vsnprintf(name, sizeof(name), path, ap);
	va_end(ap);
	if (procstat_text(root, text, sizeof(text), "%s", name) <= 0)
		return otherwise;
	value = strtoll(text, &end, 10);
	return end == text ? otherwise : value;
}

bool link_name(const char *root, char *out, size_t size, const char *path, ...)
{
	char name[PATH_MAX];
	char target[PATH_MAX];
	const char *slash;
	size_t at;
	ssize_t n;
	va_list ap;

	at = (size_t)snprintf(name, sizeof(name), "%s", root);
	if (at >= sizeof(name))
		return false;
	va_start(ap, path);
	(void)vsnprintf(name + at, sizeof(name) - at, path, ap);
	va_end(ap);
	n = readlink(name, target, sizeof(target) - 1);
	if (n <= 0)
		return false;
	target[n] = '\0';
	slash = strrchr(target, '/');
	(void)snprintf(out, size, "%s", slash ? slash + 1 : target);
	return true;
}

void each_entry(const char *root, const char *directory, const char *pattern, each_fn *visit,
		void *userdata)
{
	char path[PATH_MAX];
	struct dirent **entries = NULL;
	int n;

	(void)snprintf(path, sizeof(path), "%s%s", root, directory);
	n = scandir(path, &entries, NULL, versionsort);
	for (int i = 0; i < n; i++) {
		if (entries[i]->d_name[0] != '.' && fnmatch(pattern, entries[i]->d_name, 0) == 0)
			visit(userdata, root, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
}

struct check_facts *check_facts_read(const struct check_request *rq)
{
	struct check_facts *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	refusal_read(&f->cpus.limits, rq->root);
	facts_read_kernel(f, rq->root);
	facts_read_cpus(f, rq->root);
	facts_read_tasks(f, rq);
	facts_read_ports(f, rq);
	facts_read_software(f, rq);
	facts_read_system(f, rq->root);
	return f;
}

void check_facts_ask(struct check_facts *f, const struct check_request *rq)
{
	for (size_t i = 0; i < f->n_ports; i++)
		facts_ask_port(&f->ports[i]);
	for (size_t i = 0; rq->probe && i < f->n_ports; i++)
		facts_probe_port(f, &f->ports[i]);
	facts_ask_software(f, rq);
	facts_ask_system(f);
}
