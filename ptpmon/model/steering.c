/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/model/steering.h"

#include <stdlib.h>

#include "ptpmon/base/nsec.h"

enum { TOLERANCE_PPB = 2, STRANGE_LOOKS = 2, SERVO_JUMP = 1, SLEW_S = 2 };

#define EXPLAIN_NS (3 * NSEC_PER_SEC) /* our own step may be told before or after it is seen */

void steering_line(struct steering *s, int64_t printed_ppb, unsigned servo, int64_t mono_ns)
{
	s->printed_ppb[s->n_printed++ % STEERING_PRINTED] = -printed_ppb;
	if (servo == SERVO_JUMP)
		s->own_step_mono_ns = mono_ns;
}

bool steering_explains(const struct steering *s, int64_t moved_ns)
{
	unsigned n = s->n_printed < STEERING_PRINTED ? s->n_printed : STEERING_PRINTED;
	int64_t most_ppb = 0;

	for (unsigned i = 0; i < n; i++)
		if (llabs(s->printed_ppb[i]) > most_ppb)
			most_ppb = llabs(s->printed_ppb[i]);
	return llabs(moved_ns) <= SLEW_S * most_ppb;
}

void steering_step(struct steering *s, int64_t step_ns, int64_t mono_ns)
{
	if (!s->step_mono_ns && !steering_explains(s, step_ns))
		s->step_mono_ns = mono_ns;
}

void steering_began(struct steering *s, int64_t mono_ns)
{
	s->n_printed = s->n_looked = s->strange_looks = 0;
	s->own_step_mono_ns = mono_ns;
}

static bool is_ours(const struct steering *s, int64_t freq_ppb)
{
	unsigned n = s->n_printed < STEERING_PRINTED ? s->n_printed : STEERING_PRINTED;

	for (unsigned i = 0; i < n; i++)
		if (llabs(freq_ppb - s->printed_ppb[i]) <= TOLERANCE_PPB)
			return true;
	return false;
}

/* Something new was printed since the last look, and the clock has none of it. */
static bool frequency_is_strange(struct steering *s, int64_t freq_ppb)
{
	bool spoke = s->n_printed != s->n_looked && s->n_printed > 1;

	s->n_looked = s->n_printed;
	if (!spoke)
		return false;
	if (is_ours(s, freq_ppb)) {
		s->strange_looks = 0;
		s->disturbed = false;
		return false;
	}
	if (++s->strange_looks < STRANGE_LOOKS || s->disturbed)
		return false;
	return s->disturbed = true;
}

static bool step_is_strange(struct steering *s, int64_t mono_ns)
{
	int64_t at_ns = s->step_mono_ns;

	if (!at_ns || mono_ns - at_ns < EXPLAIN_NS)
		return false;
	s->step_mono_ns = 0;
	return !s->own_step_mono_ns || llabs(s->own_step_mono_ns - at_ns) > EXPLAIN_NS;
}

enum steering_news steering_look(struct steering *s, const struct steering_reading *now,
				 int64_t mono_ns)
{
	bool pll = now->kernel_pll && !s->locked;

	if (step_is_strange(s, mono_ns))
		return STEERING_STEP; /* the rest is still so at the next look */
	s->locked = now->kernel_pll;
	if (pll)
		return STEERING_PLL;
	return frequency_is_strange(s, now->freq_ppb) ? STEERING_FREQUENCY : STEERING_NOTHING;
}
