/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/cmd/check_folder.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/exit_status.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/cmd/options.h"

enum { MOMENT_MAX = 32 };

char *check_draw(const struct check_results *r, bool json)
{
	CLEANUP(strbuf_clear) struct strbuf text = {0};
	CLEANUP(freep) char *dumped = NULL;
	json_auto_t *object = NULL;

	if (json) {
		object = check_to_json(r);
		dumped = object ? json_dumps(object, JSON_INDENT(2)) : NULL;
		if (!dumped)
			return NULL;
		strbuf_addf(&text, "%s\n", dumped);
	} else {
		check_to_text(r, &text);
	}
	return strbuf_steal(&text);
}

/* No colons: a folder may be copied to a stick whose file system has none. */
static const char *format_moment(char out[static MOMENT_MAX])
{
	struct timespec now = nsec_to_timespec(nsec_now(CLOCK_REALTIME));
	struct tm tm;

	(void)gmtime_r(&now.tv_sec, &tm);
	(void)strftime(out, MOMENT_MAX, "%Y%m%dT%H%M%SZ", &tm);
	return out;
}

static int write_file(const struct check_results *r, bool json, const char *folder)
{
	CLEANUP(freep) char *drawn = check_draw(r, json);
	char path[PATH_MAX];
	FILE *f;
	int error = 0;

	if (snprintf(path, sizeof(path), "%s/check.%s", folder, json ? "json" : "txt") >=
	    (int)sizeof(path))
		return options_complain("check", "%s: %s", folder, strerror(ENAMETOOLONG));
	f = drawn ? fopen(path, "wxe") : NULL;
	if (!f)
		return options_complain("check", "%s: %s", path, strerror(drawn ? errno : ENOMEM));
	if (fputs(drawn, f) == EOF)
		error = errno;
	if (fclose(f) == EOF && !error)
		error = errno;
	return error ? options_complain("check", "%s: %s", path, strerror(error)) : EXIT_GOOD;
}

int check_folder_write(const struct check_results *r, const char *directory)
{
	char folder[PATH_MAX];
	char moment[MOMENT_MAX];
	struct utsname u = {0};
	int status;

	(void)uname(&u);
	if (mkdir(directory, 0777) < 0 && errno != EEXIST)
		return options_complain("check", "%s: %s", directory, strerror(errno));
	if (snprintf(folder, sizeof(folder), "%s/%s-%s", directory, u.nodename,
		     format_moment(moment)) >= (int)sizeof(folder))
		return options_complain("check", "%s: %s", directory, strerror(ENAMETOOLONG));
	if (mkdir(folder, 0777) < 0)
		return options_complain("check", "%s: %s", folder, strerror(errno));
	status = write_file(r, false, folder);
	return status == EXIT_GOOD ? write_file(r, true, folder) : status;
}
