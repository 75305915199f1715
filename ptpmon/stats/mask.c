/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/stats/mask.h"

static const char *const quantity_names[MASK_QUANTITY_MAX] = {
	[MASK_MAX_TE] = "max|TE|", [MASK_CTE] = "|cTE|", [MASK_PEAK_TO_PEAK] = "pk-pk",
	[MASK_MTIE] = "MTIE",      [MASK_TDEV] = "TDEV",
};

static const char *const filter_names[MASK_FILTER_MAX] = {
	[MASK_UNFILTERED] = "none",
	[MASK_LOW_PASS] = "low-pass",
	[MASK_HIGH_PASS] = "high-pass",
};

const char *mask_quantity_name(enum mask_quantity quantity)
{
	return quantity_names[quantity];
}

const char *mask_filter_name(enum mask_filter filter)
{
	return filter_names[filter];
}

static bool includes(const struct mask_piece *p, double tau_s)
{
	bool above = p->low_included ? tau_s >= p->low_s : tau_s > p->low_s;
	bool below = p->high_included ? tau_s <= p->high_s : tau_s < p->high_s;

	return above && below;
}

bool mask_limit(const struct mask *m, double tau_s, double *out_ns)
{
	for (size_t i = 0; i < m->n_pieces; i++)
		if (includes(&m->pieces[i], tau_s)) {
			*out_ns = m->pieces[i].slope_ns_per_s * tau_s + m->pieces[i].intercept_ns;
			return true;
		}
	return false;
}
