/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/conf/ptp4l_file.h: what has to be known of a configuration file of ptp4l that is used as
 * it is.
 *
 * Its syntax is linuxptp's (config.c): [section], then lines of a key, blanks and a value; # begins
 * a comment; a section that is not one of a few words is an interface. Keys that are not looked for
 * are left to ptp4l.
 */
#pragma once
#include "ptpmon/conf/conf.h"

struct ptp4l_file {
	struct interface_list interfaces;
	char uds_address[CONFIG_SOCKET_MAX], uds_ro_address[CONFIG_SOCKET_MAX]; /* "": not said */
	int64_t domain, transport_specific;
	uint64_t hash; /* of the text */
	bool slave_only;
	enum timestamping timestamping;
};

/* 0, or -EINVAL with what is wrong, and in which line, in error. */
int ptp4l_file_parse(struct ptp4l_file *out, const char *text, const char *name,
		     char error[static CONFIG_ERROR_MAX]);

/* The same of a file; also -errno of reading it. */
int ptp4l_file_read(struct ptp4l_file *out, const char *path, char error[static CONFIG_ERROR_MAX]);
