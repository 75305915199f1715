// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Any answers at any times: a follower yields updates in order of their moments, accounts for each
 * once, and always asks again soon.
 */
#include "pmc-client/follow.h"

#include <stdlib.h>
#include <string.h>

#define SEC_NS INT64_C(1000000000)

int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t len);

static void require(bool condition)
{
	if (!condition)
		abort();
}

/* What happens next: 8 octets of how, 16 of values. */
struct step {
	uint8_t what;
	uint8_t pushed;
	uint16_t passed_ms;
	uint32_t small; /* instead of the values, if it is not 0 */
	int64_t values[2];
};

struct run {
	struct pmc_follow follow;
	int64_t now_ns;
	int64_t last_mono_ns;
	uint64_t yielded, missed, unused;
};

static void take(struct run *run, const struct pmc_update *u)
{
	require(u->mono_ns > run->last_mono_ns && u->mono_ns <= run->now_ns + SEC_NS);
	run->last_mono_ns = u->mono_ns;
	run->yielded++;
	run->missed += u->missed;
	run->unused += u->unused;
}

static void take_status(struct run *run, const struct step *step)
{
	const struct pmc_follow_status status = {
		.pushed = step->pushed & 1,
		.after_hole = (step->pushed & 3) == 3,
		.ingress_ns = step->small ? run->now_ns - step->small : step->values[0],
		.offset_ns = step->values[1],
		.seen_mono_ns = run->now_ns,
		.mean_path_delay_ns = step->pushed & 4,
	};
	struct pmc_update u;

	if (pmc_follow_status(&run->follow, &status, &u) == PMC_FOLLOW_UPDATE)
		take(run, &u);
}

static void begin_again(struct run *run)
{
	struct pmc_update u;

	if (pmc_follow_release(&run->follow, &u) == PMC_FOLLOW_UPDATE)
		take(run, &u);
	run->missed += pmc_follow_restart(&run->follow, run->now_ns);
}

static void take_step(struct run *run, const struct step *step)
{
	int64_t next_ns;

	run->now_ns += step->passed_ms * INT64_C(1000000);
	switch (step->what % 8) {
	case 0:
		pmc_follow_count(&run->follow,
				 step->small ? run->follow.count + step->small
					     : (uint64_t)step->values[0],
				 (uint64_t)step->values[0]);
		break;
	case 1:
		pmc_follow_pushes_end(&run->follow, step->pushed & 1);
		break;
	case 2:
		pmc_follow_expect(&run->follow, run->now_ns);
		break;
	case 3:
		begin_again(run);
		break;
	default:
		take_status(run, step);
		break;
	}
	next_ns = pmc_follow_next_poll(&run->follow, run->now_ns);
	require(next_ns <= run->now_ns + SEC_NS);
}

int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t len)
{
	struct run run = {.now_ns = 1000 * SEC_NS};
	struct pmc_update u;
	struct step step;

	pmc_follow_init(&run.follow, &(struct pmc_follow_options){.real_time_stamps = len % 2,
								  .not_before_mono_ns = INT64_MIN});
	for (; len >= sizeof(step); octets += sizeof(step), len -= sizeof(step)) {
		memcpy(&step, octets, sizeof(step));
		take_step(&run, &step);
	}
	if (pmc_follow_release(&run.follow, &u) == PMC_FOLLOW_UPDATE)
		take(&run, &u);
	require(run.yielded == run.follow.seen && run.missed == run.follow.missed);
	require(run.unused <= run.follow.unused);
	return 0;
}
