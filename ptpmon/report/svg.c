/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/report/svg.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptpmon/base/cleanup.h"
#include "ptpmon/report/clean.h"

enum { TEXT_MAX = 1024 };

/*
 * Two hues alone, blue for what was measured and vermilion for limits and what is bad, a pair that
 * every kind of colour blindness tells apart; and each has a shape or a word beside its colour.
 */
const char svg_style[] =
	".c{--ink:#1c2126;--soft:#59636e;--rule:#e3e7eb;--band:#f2f5f8;--data:#0b62a8;--fill:#"
	"9cc4e4;"
	"--bad:#bf4a00;--gap:#c9ced4;--paper:#fff;font-family:system-ui,-apple-system,"
	"\"Segoe UI\",Roboto,\"Helvetica Neue\",Arial,sans-serif;font-size:12px;"
	"font-variant-numeric:tabular-nums}\n"
	"@media screen and "
	"(prefers-color-scheme:dark){.c{--ink:#e8ebee;--soft:#a3adb8;--rule:#2b3239;"
	"--band:#1b2026;--data:#7dbdf5;--fill:#27577f;--bad:#ff9557;--gap:#454d56;"
	"--paper:#12161a}}\n"
	".c text{fill:var(--soft)}.c .h{fill:var(--ink);font-weight:600;font-size:13px}"
	".c .k{fill:var(--ink)}.c .e{text-anchor:end}.c .m{text-anchor:middle}"
	".c .w{fill:var(--bad);font-weight:600}.c .d{fill:var(--data);font-weight:600}\n"
	".c .over{paint-order:stroke;stroke:var(--paper);stroke-width:3px;stroke-linejoin:round}\n"
	".c .paper{fill:var(--paper)}"
	".c .grid{stroke:var(--rule);stroke-width:1}.c .axis{stroke:var(--soft);stroke-width:1}"
	".c .band{fill:var(--band)}.c .gap{fill:var(--gap);fill-opacity:.55}\n"
	".c .env{fill:var(--fill);stroke:var(--data);stroke-width:.8;stroke-linejoin:bevel}"
	".c .mean{fill:none;stroke:var(--data);stroke-width:1.3;stroke-linejoin:round}"
	".c .bars{fill:var(--fill);stroke:var(--data);stroke-width:1;stroke-linejoin:bevel}"
	".c .dot{fill:var(--data)}.c .hollow{fill:var(--paper);stroke:var(--data);stroke-width:1.6}"
	".c .dash{fill:none;stroke:var(--data);stroke-width:1.4;stroke-dasharray:5 3}\n"
	".c .limit{fill:none;stroke:var(--bad);stroke-width:1.6}"
	".c .ring{fill:none;stroke:var(--bad);stroke-width:1.8}.c .bad{fill:var(--bad)}"
	".c .mark{stroke:var(--ink);stroke-width:1}"
	".c .event{stroke:var(--bad);stroke-width:1;stroke-opacity:.55;stroke-dasharray:2 3}"
	".c .notice{stroke:var(--soft);stroke-width:1}.c .pct{stroke:var(--ink);stroke-width:1;"
	"stroke-dasharray:3 2}\n";

static void add_escaped(struct strbuf *out, const char *text)
{
	for (;; text++) {
		size_t n = strcspn(text, "&<>\"'\xef");

		strbuf_add_bytes(out, text, n);
		text += n;
		switch (*text) {
		case '\0':
			return;
		case '&':
			strbuf_add(out, "&amp;");
			break;
		case '<':
			strbuf_add(out, "&lt;");
			break;
		case '>':
			strbuf_add(out, "&gt;");
			break;
		case '"':
			strbuf_add(out, "&quot;");
			break;
		case '\'':
			strbuf_add(out, "&#39;");
			break;
		default: /* U+FFFE and U+FFFF are characters of UTF-8 that XML does not have */
			if (memcmp(text, "\xef\xbf\xbe", 3) == 0 ||
			    memcmp(text, "\xef\xbf\xbf", 3) == 0) {
				strbuf_add(out, "?");
				text += 2;
			} else {
				strbuf_add_bytes(out, text, 1);
			}
		}
	}
}

void xml_text(struct strbuf *out, const char *text)
{
	size_t size = strlen(text) + 1;
	CLEANUP(freep) char *copy = malloc(size);

	if (!copy) {
		out->failed = true;
		return;
	}
	clean_copy(copy, size, text);
	add_escaped(out, copy);
}

void xml_textf(struct strbuf *out, const char *fmt, ...)
{
	char text[TEXT_MAX];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	xml_text(out, text);
}

void svg_open(struct strbuf *out, const char *id, double width, double height, const char *title,
	      const char *description, bool alone)
{
	if (alone)
		strbuf_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	strbuf_addf(out,
		    "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"c\" role=\"img\" "
		    "aria-labelledby=\"%s-t %s-d\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" "
		    "height=\"%.0f\">\n<title id=\"%s-t\">",
		    id, id, width, height, width, height, id);
	xml_text(out, title);
	strbuf_addf(out, "</title><desc id=\"%s-d\">", id);
	xml_text(out, description);
	strbuf_add(out, "</desc>\n");
	if (!alone)
		return;
	strbuf_addf(out, "<style>%s</style>\n", svg_style);
	svg_rect(out, 0, 0, width, height, "paper");
}

void svg_close(struct strbuf *out)
{
	strbuf_add(out, "</svg>\n");
}

void svg_begin(struct strbuf *out, const char *class, const char *title)
{
	strbuf_addf(out, "<g class=\"%s\">", class);
	if (!title)
		return;
	strbuf_add(out, "<title>");
	xml_text(out, title);
	strbuf_add(out, "</title>");
}

void svg_end(struct strbuf *out)
{
	strbuf_add(out, "</g>\n");
}

void svg_line(struct strbuf *out, double x1, double y1, double x2, double y2, const char *class)
{
	strbuf_addf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"%s\"/>\n",
		    x1, y1, x2, y2, class);
}

void svg_rect(struct strbuf *out, double x, double y, double width, double height,
	      const char *class)
{
	strbuf_addf(out,
		    "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" class=\"%s\"/>\n",
		    x, y, width, height, class);
}

void svg_circle(struct strbuf *out, double x, double y, double radius, const char *class)
{
	strbuf_addf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" class=\"%s\"/>\n", x, y,
		    radius, class);
}

void svg_diamond(struct strbuf *out, double x, double y, double radius, const char *class)
{
	svg_path_begin(out, class);
	svg_move(out, x - radius, y);
	svg_to(out, x, y - radius);
	svg_to(out, x + radius, y);
	svg_to(out, x, y + radius);
	svg_path_close(out);
	svg_path_end(out);
}

void svg_text(struct strbuf *out, double x, double y, const char *class, const char *fmt, ...)
{
	char text[TEXT_MAX];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	strbuf_addf(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x, y, class);
	xml_text(out, text);
	strbuf_add(out, "</text>\n");
}

void svg_path_begin(struct strbuf *out, const char *class)
{
	strbuf_addf(out, "<path class=\"%s\" d=\"", class);
}

void svg_move(struct strbuf *out, double x, double y)
{
	strbuf_addf(out, "M%.1f %.1f", x, y);
}

void svg_to(struct strbuf *out, double x, double y)
{
	strbuf_addf(out, "L%.1f %.1f", x, y);
}

void svg_path_close(struct strbuf *out)
{
	strbuf_add(out, "Z");
}

void svg_path_end(struct strbuf *out)
{
	strbuf_add(out, "\"/>\n");
}
