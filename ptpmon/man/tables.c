/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints the parts of the manual that are tables of the program: for the build only. */
#include <stdio.h>
#include <string.h>

#include "ptpmon/check/check.h"
#include "ptpmon/conf/conf.h"
#include "ptpmon/model/alarm.h"
#include "ptpmon/model/event.h"

static void print_events(void)
{
	for (enum event_code code = 0; code < EVENT_CODE_MAX; code++)
		(void)printf("*%s* (%s)\n\t%s.\n\n", event_code_name(code),
			     severity_name(event_code_severity(code)), event_code_meaning(code));
}

static void print_alarms(void)
{
	for (enum alarm_code code = 0; code < ALARM_CODE_MAX; code++)
		(void)printf("*%s* (%s)\n\t%s.\n\n", alarm_code_name(code),
			     severity_name(alarm_code_severity(code)), alarm_code_meaning(code));
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "options") == 0)
		config_print_manual(stdout);
	else if (argc == 2 && strcmp(argv[1], "events") == 0)
		print_events();
	else if (argc == 2 && strcmp(argv[1], "alarms") == 0)
		print_alarms();
	else if (argc == 2 && strcmp(argv[1], "checks") == 0)
		check_print_manual(stdout);
	else
		return 2;
	return 0;
}
