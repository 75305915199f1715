/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/stats/mask.h: limits as data, of one number each or as a function of tau.
 *
 * A mask is pieces of straight lines, each over an interval of tau that includes its ends or not.
 * Where no piece is, there is no limit, which is not the same as having passed.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

enum mask_quantity {
	MASK_MAX_TE,       /* the largest |offset| */
	MASK_CTE,          /* the largest |mean over 1000 s| */
	MASK_PEAK_TO_PEAK, /* largest minus smallest */
	MASK_MTIE,         /* of tau */
	MASK_TDEV,         /* of tau */
	MASK_QUANTITY_MAX
};

enum mask_filter { MASK_UNFILTERED, MASK_LOW_PASS, MASK_HIGH_PASS, MASK_FILTER_MAX }; /* 0.1 Hz */

/* "max|TE|", "|cTE|", "pk-pk", "MTIE", "TDEV"; "none", "low-pass", "high-pass". */
const char *mask_quantity_name(enum mask_quantity quantity);
const char *mask_filter_name(enum mask_filter filter);

/* limit = slope tau + intercept; of what is no function of tau, from 0 to infinity. */
struct mask_piece {
	double low_s, high_s;
	bool low_included, high_included;
	double slope_ns_per_s, intercept_ns;
};

enum { MASK_PIECES_MAX = 8, MASK_TEXT_MAX = 96, MASKS_MAX = 16 };

struct mask {
	enum mask_quantity quantity;
	enum mask_filter filter;
	char label[MASK_TEXT_MAX];  /* "dTE_L MTIE, constant temperature" */
	char source[MASK_TEXT_MAX]; /* "G.8273.2 Table 7-4" */
	size_t n_pieces;
	struct mask_piece pieces[MASK_PIECES_MAX];
};

/* A named set of them. */
struct limits {
	char name[MASK_TEXT_MAX], about[MASK_TEXT_MAX];
	char edition[MASK_TEXT_MAX];    /* "ITU-T G.8273.2 (2023) Amd.2 (11/2025)" */
	char provenance[MASK_TEXT_MAX]; /* how the figures got here: "public transcription" */
	size_t n_masks;
	struct mask masks[MASKS_MAX];
};

/* The limit at tau; false, and *out_ns untouched, where there is none. */
bool mask_limit(const struct mask *m, double tau_s, double *out_ns);
