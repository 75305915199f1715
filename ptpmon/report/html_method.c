/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The style of the page, and how its figures were computed. */
#include "ptpmon/report/html_parts.h"
#include "ptpmon/report/svg.h"

const char html_style[] =
	":root{color-scheme:light dark;--ink:#1c2126;--soft:#59636e;--rule:#d8dee4;--paper:#fff;"
	"--well:#f5f7f9;--good:#0b62a8;--bad:#bf4a00}\n"
	"@media screen and (prefers-color-scheme:dark){:root{--ink:#e8ebee;--soft:#a3adb8;"
	"--rule:#2f373f;--paper:#12161a;--well:#1b2026;--good:#7dbdf5;--bad:#ff9557}}\n"
	"*{box-sizing:border-box}html{-webkit-text-size-adjust:100%}\n"
	"body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 "
	"system-ui,-apple-system,"
	"\"Segoe UI\",Roboto,\"Helvetica Neue\",Arial,sans-serif}\n"
	"main{max-width:992px;margin:0 auto;padding:24px 16px 64px}\n"
	"h1{font-size:1.05rem;font-weight:600;color:var(--soft);margin:0 0 12px;"
	"overflow-wrap:anywhere}\n"
	"h2{font-size:1.3rem;line-height:1.25;margin:56px 0 12px;padding-top:16px;"
	"border-top:2px solid var(--ink);overflow-wrap:anywhere}\n"
	".verdict{display:inline-block;margin:0;padding:4px 12px;border:2px solid var(--soft);"
	"border-radius:4px}.verdict b{margin-right:6px}"
	".verdict.good{border-color:var(--good)}.verdict.good b{color:var(--good)}"
	".verdict.bad{border-color:var(--bad)}.verdict.bad b,td.bad{color:var(--bad);"
	"font-weight:600}\n"
	".headline{font-size:1.35rem;line-height:1.35;margin:16px 0 20px;max-width:44em}\n"
	".keys{display:flex;flex-wrap:wrap;margin:0 0 16px;border-top:1px solid var(--rule);"
	"border-bottom:1px solid var(--rule)}.keys div{flex:1 1 8.5em;padding:10px 12px 10px 0}"
	".keys dt{color:var(--soft);font-size:.82rem}.keys dd{margin:0;font-size:1.3rem;"
	"font-weight:600;white-space:nowrap;font-variant-numeric:tabular-nums}\n"
	".caution,p{max-width:46em}.caution{color:var(--soft);font-size:.92rem}\n"
	"figure{margin:20px 0 28px;break-inside:avoid}figcaption{font-weight:600;margin:0 0 6px}\n"
	"figure svg{display:block;width:100%;height:auto}.narrow{display:none}\n"
	".scroll{overflow-x:auto;margin:0 0 24px}"
	"table{border-collapse:collapse;font-size:.88rem;font-variant-numeric:tabular-nums}"
	"caption{text-align:left;font-weight:600;padding:4px 0 6px}\n"
	"th,td{padding:3px 14px 3px 0;border-bottom:1px solid var(--rule);vertical-align:top}"
	"thead th{font-weight:600;text-align:right;border-bottom:1px solid var(--ink)}"
	"thead th:first-child,thead th.text,tbody th{text-align:left}"
	"tbody th{font-weight:400;color:var(--soft);white-space:nowrap}"
	"td{text-align:right;white-space:nowrap}\n"
	".abreast{display:flex;flex-wrap:wrap;gap:0 40px}.abreast .scroll{max-width:100%}\n"
	"tr.deeper th{padding-left:1.4em}tr.deeper td{color:var(--soft)}"
	"td.text,.facts td{text-align:left;white-space:normal;overflow-wrap:anywhere}"
	"td.text{min-width:14em}.facts{margin-bottom:20px;max-width:100%}"
	".facts td{min-width:0}\n"
	"dl.method dt{font-weight:600;margin-top:10px}dl.method dd{margin:0;max-width:46em}\n"
	"@media (max-width:640px){.wide{display:none}.narrow{display:block}main{padding:16px 12px "
	"48px}.headline{font-size:1.15rem}.keys div{flex-basis:40%}h2{margin-top:40px}"
	".facts th{white-space:normal}}\n"
	"@media print{:root{color-scheme:light}body{font-size:10pt}main{max-width:none;padding:0}"
	".wide{display:block}.narrow{display:none}.scroll{overflow:visible;break-inside:avoid}h2{"
	"break-after:avoid;"
	"margin-top:28px}tr{break-inside:avoid}caption{break-after:avoid}table{font-size:8pt}"
	"td.text{min-width:0}}\n";

struct figure_method {
	const char *name, *how;
};

static const struct figure_method methods[] = {
	{"Offset",
	 "Local clock minus reference, as the program's own servo saw it: positive is ahead. "
	 "A servo drives what it sees to zero whatever the asymmetry of the path is, so only "
	 "an external reference gives time error."},
	{"Samples",
	 "Those taken while the port was SLAVE. One with which the servo stepped the clock, "
	 "and one taken in another state, is counted beside them with the largest, and is in "
	 "no statistic and in no chart."},
	{"Percentiles",
	 "Of magnitudes, by nearest rank: always a value that was seen. One beyond which "
	 "no sample would lie is refused: - (10000) means that 10000 samples are needed. "
	 "Of wake-ups, and of hours whose rows have aged out, they are told from "
	 "histograms: at most 1.6 % too high."},
	{"Between",
	 "Where the percentile above is with 95 % confidence. Neighbours are alike, so many "
	 "count for few: 64 blocks of the time are compared with what independent values "
	 "would differ by."},
	{"Gaps",
	 "What the service declared as not recorded, and distances of two samples longer than "
	 "three times the median and than 1 s. Updates missed are the servo's that ptpmon did "
	 "not see."},
	{"MTIE",
	 "The largest range within any window of length tau. The samples are cut where two are "
	 "further apart than 1.5 times the usual; no window reaches across a cut."},
	{"TDEV",
	 "The time deviation over windows of tau, of the same pieces, up to a twelfth of the "
	 "longest."},
	{"Limits",
	 "Of a function of tau, the largest part of the limit is judged. All verdicts are "
	 "indicative, since offsets are a servo's own input."},
	{"Frequency and path delay",
	 "Of the same samples: the correction as ptp4l prints it, and the "
	 "mean path delay it used. Neither is averaged further."},
	{"PHC to system",
	 "CLOCK_REALTIME minus the PHC. Measuring and steering use the same call, so it "
	 "tells how well the one follows the other, and no time error."},
	{"Latency",
	 "How late each CPU's real-time thread woke up. Minimum, average and maximum are "
	 "exact. A window of a second counts for a phase if all of it lies within."},
	{"Charts over time",
	 "Each column of pixels shows the least and the greatest value in its time, "
	 "so that no spike is lost, and the mean. A window of latencies is drawn in "
	 "every column that it touches."},
	{"Bars",
	 "Samples within the width of the bar, from bins at most 1.6 % wide; one that reaches "
	 "over several bars is spread over them, and a bar with anything in it is drawn as one "
	 "sample at least."},
	{"Times",
	 "In UTC, mapped from the monotonic clock as it was then; a step of the wall clock "
	 "neither reorders nor loses anything."},
};

void html_method(const struct report *r, struct strbuf *out)
{
	strbuf_add(out,
		   "<section>\n<h2>How the figures were computed</h2>\n<dl class=\"method\">\n");
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
		strbuf_add(out, "<dt>");
		xml_text(out, methods[i].name);
		strbuf_add(out, "</dt><dd>");
		xml_text(out, methods[i].how);
		strbuf_add(out, "</dd>\n");
	}
	strbuf_add(out, "</dl>\n<p class=\"caution\">");
	xml_textf(out, "Made by ptpmon of %s. All of it is in ptpmon-report(1).", r->run.database);
	strbuf_add(out, "</p>\n</section>\n");
}
