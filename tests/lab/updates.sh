# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# tests/lab/updates.sh: what was yielded, against ptp4l's own log. To be sourced beside lib.sh.
#
#   compare_updates LOG [NS]
#                         reads lines "SECONDS OFFSET MISSED", in order; prints how many there are,
#                         how many of them the log has, the log's servo updates from the first found
#                         to the last, and the missed that were declared after the first
#
# ptp4l has one line for each servo update. An update is found in the next line with its offset (to
# NS, default 0) that was written within a second of it, so none is found twice or out of order.
compare_updates() {
	awk -v log_file="$1" -v rounding="${2:-0}" '
	function same(a, b) { return a - b <= rounding && b - a <= rounding }
	BEGIN {
		while ((getline line <log_file) > 0)
			if (line ~ /master offset/) {
				split(line, word, /[][ :]+/)
				at[++lines] = word[2]
				offset[lines] = word[5]
			}
	}
	{
		yielded++
		for (i = last + 1; i <= lines && at[i] < $1 + 1; i++)
			if (same(offset[i], $2) && at[i] > $1 - 1)
				break
		if (i > lines || !same(offset[i], $2) || at[i] >= $1 + 1)
			next
		if (found++)
			declared += $3
		else
			first = i
		last = i
	}
	END { print yielded + 0, found + 0, found ? last - first + 1 : 0, declared + 0 }'
}
