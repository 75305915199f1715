/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/collect/threads.h: the threads of this machine that the priority audit is about.
 *
 * A scan of /proc goes in steps, so that thousands of threads never hold up whoever asks; needs no
 * rights, and changes nothing. The scan before is kept, for what went on in between.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "ptpmon/model/audit.h"

enum { THREAD_SCAN_SUBJECTS_MAX = 16 };

struct thread_scan;

/* root: "" for this machine. 0, or -ENOMEM. */
int thread_scan_new(struct thread_scan **out, const char *root);
struct thread_scan *thread_scan_free(struct thread_scan *s);

/*
 * Begins anew for these main threads; what a scan that ended found becomes the one before. 0, or
 * -errno: no /proc.
 */
int thread_scan_begin(struct thread_scan *s, const int32_t *subjects, size_t n,
		      int64_t now_mono_ns);

/*
 * Looks at so many processes more. 1: that was the last; 0: go on, at any time; or -ENOMEM.
 * Whatever ends meanwhile is left out.
 */
int thread_scan_step(struct thread_scan *s, size_t processes);

/* A scan has begun and not ended. */
bool thread_scan_runs(const struct thread_scan *s);

/* What the scan that has ended found. */
const struct audit_thread *thread_scan_threads(const struct thread_scan *s, size_t *n);

/* Judges the scan that has ended; the context's subjects, scan before and time are filled in here.
 */
void thread_scan_judge(const struct thread_scan *s, const struct audit_context *context,
		       int64_t now_mono_ns, struct audit *out);
