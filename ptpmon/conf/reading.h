/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/conf/reading.h: a configuration while it is read: values so far, and where each came
 * from. For the files of conf/ only.
 */
#pragma once
#include "ptpmon/conf/table.h"

/* Where a value came from. */
struct origin {
	char file[CONFIG_PATH_MAX];
	unsigned line; /* 0: the default */
	bool in_this_file;
};

/* One ptp4l; origins of its rows only. */
struct instance_reading {
	struct config_ptp4l values;
	struct origin origins[CONFIG_ROWS_MAX];
	unsigned header_line; /* in this file; 0: not met there */
};

struct reading {
	struct config config;
	struct origin origins[CONFIG_ROWS_MAX];
	const char *file; /* being read */
	/* [ptp4l], then each [ptp4l NAME]; reading_resolve() makes them what config has */
	struct instance_reading instances[CONFIG_PTP4L_MAX + 1];
	size_t n_instances;
	struct instance_reading *section; /* being read; NULL: none of these */
};

/* A reading of nothing but defaults; NULL without memory. To be freed with free(). */
struct reading *reading_new(void);

/* One more text or file, which overrules what came before. 0, or -errno and the line to print. */
int reading_take_text(struct reading *rd, const char *name, const char *text, size_t len,
		      char error[static CONFIG_ERROR_MAX]);
int reading_take_file(struct reading *rd, const char *path, char error[static CONFIG_ERROR_MAX]);

/*
 * The end: gives each instance what it has from [ptp4l], and finds what only the whole can tell.
 * rd->config is complete then, and instance i of it is rd->instances[i]. 0, or -EINVAL; the error
 * names the line that is wrong, or else name.
 */
int reading_finish(struct reading *rd, const char *name, char error[static CONFIG_ERROR_MAX]);

/*
 * What a person must not have written: a key that does not count beside another. For people's files
 * only, since a configuration in full (config_to_text()) has every key.
 */
int reading_check_given(const struct reading *rd, const char *name,
			char error[static CONFIG_ERROR_MAX]);

/* Two instances that cannot be together, and the lengths of paths; also after config_file is read.
 */
int reading_check_instances(const struct config *c, const struct reading *rd, const char *name,
			    char error[static CONFIG_ERROR_MAX]);

/* Row i's member in struct config, or in instance. */
void *reading_member(struct reading *rd, size_t i, struct instance_reading *instance);
