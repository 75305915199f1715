/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ptpmon/cmd/service.h: how a command talks to the running service over its control socket. */
#pragma once
#include <jansson.h>
#include <stdbool.h>

#include "ptpmon/conf/conf.h"
#include "ptpmon/serve/varlink_client.h"

struct service {
	const char *command;                  /* who asks, for messages: "status" */
	char path[CONFIG_PATH_MAX];           /* of the control socket */
	char directory[CONFIG_DIRECTORY_MAX]; /* which a running service has locked */
};

/* Where the configuration says it is; false after a line that says what is wrong with it. */
bool service_find(struct service *out, const char *command, const char *config_path);

/*
 * varlink_call() of io.ptpmon.METHOD within a few seconds, which takes parameters over. reply may
 * be NULL. Where it is an error whose reason is known, that stands in why behind its name. While
 * nobody listens although the service runs (its recorder is being started), it tries for a while.
 */
int service_ask(const struct service *s, const char *method, json_t *parameters, json_t **reply,
		char why[static VARLINK_WHY_MAX]);

/* The same with `more`, once: the answers to come. */
int service_watch(const struct service *s, const char *method, json_t *parameters,
		  struct varlink_stream **out, char why[static VARLINK_WHY_MAX]);

/* Nobody listens there, whether a service runs or not. */
bool service_is_absent(int result);

/* True for a result that leaves open whether the service has done, or will do, what was asked. */
bool service_in_doubt(int result);

/* True for a result that means that no service runs: its run, and what was in it, has ended. */
bool service_is_gone(const struct service *s, int result);

/* The one line for a negative result or an error of service_ask(). Returns EXIT_USAGE. */
int service_complain(const struct service *s, int result, const char *why);
