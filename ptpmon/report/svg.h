/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptpmon/report/svg.h: a small writer of SVG, and of whatever else is XML.
 *
 * Coordinates are in CSS pixels, written with one decimal. Colours and fonts are those of classes
 * (svg_style), so that a picture follows the light or dark scheme of who looks at it. What comes
 * from outside goes through xml_text(): text and attributes stay well-formed whatever it is.
 */
#pragma once
#include <stdbool.h>

#include "ptpmon/base/strbuf.h"

/*
 * Escapes & < > " and ', and replaces what XML does not allow (controls, what is no UTF-8) by '?'.
 */
void xml_text(struct strbuf *out, const char *text);
__attribute__((format(printf, 2, 3))) void xml_textf(struct strbuf *out, const char *fmt, ...);

/* The rules of all classes used in charts, for a <style> element. */
extern const char svg_style[];

/*
 * Opens a picture with its text alternatives. id is unique in the document; alone: the picture is
 * a document of its own, with the style inside.
 */
void svg_open(struct strbuf *out, const char *id, double width, double height, const char *title,
	      const char *description, bool alone);
void svg_close(struct strbuf *out);

/* A group; the title, where it is not NULL, is what a pointer over it is told. */
void svg_begin(struct strbuf *out, const char *class, const char *title);
void svg_end(struct strbuf *out);

void svg_line(struct strbuf *out, double x1, double y1, double x2, double y2, const char *class);
void svg_rect(struct strbuf *out, double x, double y, double width, double height,
	      const char *class);
void svg_circle(struct strbuf *out, double x, double y, double radius, const char *class);
void svg_diamond(struct strbuf *out, double x, double y, double radius, const char *class);
__attribute__((format(printf, 5, 6))) void svg_text(struct strbuf *out, double x, double y,
						    const char *class, const char *fmt, ...);

/* A path: begin, points, end. The first point of a stroke is a move, the others are lines. */
void svg_path_begin(struct strbuf *out, const char *class);
void svg_move(struct strbuf *out, double x, double y);
void svg_to(struct strbuf *out, double x, double y);
void svg_path_close(struct strbuf *out); /* back to the last move */
void svg_path_end(struct strbuf *out);
