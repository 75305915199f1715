/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/conf/kind.h: the kinds of value an option can have, each read and written in one place.
 *
 * Internal to conf/. A kind parses a value into the member that a row names, and
 * formats it so that parsing gives the same member again.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strbuf;

/* One key. */
struct config_row {
	const char *section, *key;
	const struct kind *kind;
	bool instance;         /* its section is that of one ptp4l, [ptp4l] or [ptp4l NAME] … */
	bool own;              /* … which does not have it from [ptp4l] … */
	bool named;            /* … where it may not even stand */
	size_t offset, size;   /* of the member in struct config, or struct config_ptp4l */
	const char *min, *max; /* in the kind's own text form; NULL: no bound */
	const char *fallback;  /* the default; NULL: must be given */
	const char *help;
};

enum { KIND_ERROR_MAX = 160 };

struct kind {
	const char *name; /* for the manual: "duration", "number" … */
	/* 0, or -EINVAL with what is wrong in why (KIND_ERROR_MAX octets). */
	int (*parse)(const struct config_row *row, const char *text, void *member, char *why);
	void (*format)(const struct config_row *row, const void *member, struct strbuf *out);
};

extern const struct kind kind_number;      /* int64_t */
extern const struct kind kind_auto_number; /* int64_t; "auto" is INT64_MIN */
extern const struct kind kind_duration;    /* int64_t, ns */
extern const struct kind kind_size;        /* int64_t, octets; 0, below any least, is none */
extern const struct kind kind_bool;        /* bool */
extern const struct kind kind_text;        /* char[] */
extern const struct kind kind_path;        /* char[], absolute or empty */
extern const struct kind kind_interfaces;  /* struct interface_list */
extern const struct kind kind_cpus;        /* struct cpu_choice */
extern const struct kind kind_role;        /* enum role, and so on */
extern const struct kind kind_profile;
extern const struct kind kind_timestamping;
extern const struct kind kind_transport;
extern const struct kind kind_on_refusal;
extern const struct kind kind_on_useless;
extern const struct kind kind_on_rivals;
extern const struct kind kind_phc;               /* char[] */
extern const struct kind kind_ptp4l_arguments;   /* char[] */
extern const struct kind kind_phc2sys_arguments; /* char[] */
extern const struct kind kind_on_loss;
extern const struct kind kind_config_when;
extern const struct kind kind_idle_states;
extern const struct kind kind_feed;
extern const struct kind kind_epoch;
