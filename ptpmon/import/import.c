/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/import/import.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "config.h"
#include "ptpmon/base/cleanup.h"
#include "ptpmon/base/nsec.h"
#include "ptpmon/collect/cyclictest.h"
#include "ptpmon/import/impl.h"

enum {
	WRITE_EVERY = 8192, /* rows: well below what the queue holds */
	HISTOGRAM_FILE_MAX = 64 << 20,
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

int import_begin_run(struct import *im, int64_t start_ns, const char *kernel, const char *machine)
{
	char token[64];
	struct store_run run = {
		.token = token,
		.boot_id = "elsewhere",
		.kernel = *kernel ? kernel : NULL,
		.machine = *machine ? machine : NULL,
		.version = PTPMON_VERSION,
		.label = im->options->label ?: base_name(im->path),
		.start_mono_ns = start_ns > 0 ? start_ns : 1,
	};
	int r;

	(void)snprintf(token, sizeof(token), "import-%" PRId64 "-%u", nsec_now(CLOCK_REALTIME),
		       im->runs++);
	r = store_open_file(&im->store, im->options->database, &run, im->why);
	if (r < 0)
		return r;
	im->newest_ns = start_ns;
	im->result->last_run = store_run_id(im->store);
	if (im->result->first_run == 0)
		im->result->first_run = im->result->last_run;
	return 0;
}

int import_end_run(struct import *im)
{
	int r;

	if (!im->store)
		return 0;
	r = store_end(im->store, "imported", im->newest_ns, im->why);
	im->store = NULL;
	im->unwritten = 0;
	return r;
}

int import_count_row(struct import *im)
{
	if (++im->unwritten < WRITE_EVERY)
		return 0;
	im->unwritten = 0;
	return store_write(im->store, im->why);
}

int import_put_event(struct import *im, const struct event *e)
{
	(void)store_put_event(im->store, e);
	return import_count_row(im);
}

/*
 * All of a file, or so much of its end as a histogram can be: the display of a night may stand
 * before it. 0, or -errno.
 */
static int read_end(FILE *f, int64_t file_size, char **out, size_t *len)
{
	CLEANUP(freep) char *text = NULL;
	size_t size = 0;

	*len = 0;
	if (file_size >= HISTOGRAM_FILE_MAX &&
	    fseeko(f, file_size - HISTOGRAM_FILE_MAX + 1, SEEK_SET) < 0)
		return -errno;
	do {
		char *larger = realloc(text, size += 1 << 20);

		if (!larger)
			return -ENOMEM;
		text = larger;
		*len += fread(text + *len, 1, size - *len, f);
	} while (*len == size && size < HISTOGRAM_FILE_MAX);
	if (ferror(f))
		return -EIO;
	*out = steal(&text);
	return *len == HISTOGRAM_FILE_MAX ? -EFBIG : 0;
}

/* By what it begins with: cyclictest's lines of comment may stand before the histogram. */
static bool is_cyclictest(FILE *f)
{
	char head[4096];
	size_t len = fread(head, 1, sizeof(head), f);

	rewind(f);
	return cyclictest_recognise(head, len);
}

int import_file(const struct import_options *options, const char *path, struct import_result *out,
		char why[static STORE_ERROR_MAX])
{
	/* not blocking: a pipe that nobody writes to is to be refused, not waited for */
	CLEANUP(close_fdp) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	CLEANUP(fclosep) FILE *f = NULL;
	CLEANUP(freep) char *text = NULL;
	CLEANUP(freep) struct import *im = calloc(1, sizeof(*im));
	struct stat st;
	size_t len;
	int r;

	*out = (struct import_result){0};
	if (fd < 0 || fstat(fd, &st) < 0 || !im) {
		r = -errno;
		(void)snprintf(why, STORE_ERROR_MAX, "%.200s: %s", path, strerror(-r));
		return r;
	}
	if (!S_ISREG(st.st_mode)) {
		(void)snprintf(why, STORE_ERROR_MAX,
			       "%.180s: not a regular file: save it as one, and name that", path);
		return -EINVAL;
	}
	f = fdopen(fd, "r");
	if (!f)
		return -ENOMEM;
	fd = -1; /* it is f's now */
	*im = (struct import){.options = options, .path = path, .result = out, .why = why};
	if (!is_cyclictest(f))
		return import_log(im, f);
	out->kind = IMPORT_CYCLICTEST;
	r = read_end(f, st.st_size, &text, &len);
	if (r < 0) {
		(void)snprintf(why, STORE_ERROR_MAX, "%.200s: %s", path, strerror(-r));
		return r;
	}
	return import_histogram(im, text, len);
}
