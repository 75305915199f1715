/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ptpmon/check/impl.h: what the files of this directory share. */
#pragma once
#include <sys/types.h>

#include "ptpmon/check/check.h"

struct check_table {
	const struct check *rows;
	size_t n;
};

extern const struct check_table checks_kernel, checks_cpus, checks_port, checks_software,
	checks_system;

#define CHECK_TABLE(name, array)                                                                   \
	const struct check_table name = {(array), sizeof(array) / sizeof((array)[0])}

/* The finding, and what was measured. */
__attribute__((format(printf, 3, 4))) void found(struct check_finding *out, enum check_verdict v,
						 const char *fmt, ...);

/* -- gathering --------------------------------------------------------------------------- */

/* Appends ", " and the words, and "..." once they do not fit. */
__attribute__((format(printf, 3, 4))) void list_add(char *list, size_t size, const char *fmt, ...);

/* The whole number in a file below root; otherwise when there is none. */
__attribute__((format(printf, 3, 4))) int64_t number_in(const char *root, int64_t otherwise,
							const char *path, ...);

/* What a link below root points to, without its directories; false: no such link. */
__attribute__((format(printf, 4, 5))) bool link_name(const char *root, char *out, size_t size,
						     const char *path, ...);

/* Calls for each entry of a directory below root that fnmatch() takes, in alphabetical order. */
typedef void each_fn(void *userdata, const char *root, const char *name);
void each_entry(const char *root, const char *directory, const char *pattern, each_fn *visit,
		void *userdata);

void facts_read_kernel(struct check_facts *f, const char *root);
void facts_read_cpus(struct check_facts *f, const char *root);
void facts_read_tasks(struct check_facts *f, const struct check_request *rq);
void facts_read_ports(struct check_facts *f, const struct check_request *rq);
void facts_read_rights(struct check_facts *f, const char *root, const char *pid);
void facts_read_software(struct check_facts *f, const struct check_request *rq);
void facts_read_system(struct check_facts *f, const char *root);

void facts_ask_port(struct check_port *p);
void facts_probe_port(struct check_facts *f, struct check_port *p);
void facts_ask_software(struct check_facts *f, const struct check_request *rq);
void facts_ask_system(struct check_facts *f);
