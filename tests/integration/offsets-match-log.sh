#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The record against ptp4l's own log, which has one line for each servo update: every recorded
# offset is one of them, in order, none twice; and what is not recorded is declared as missed.
# shellcheck source=../lab/lib.sh
. "$(dirname "$0")/../lab/lib.sh"

# ptp4l as ptpmon starts it, but with a copy of its output in LOG.
logged_ptp4l() { # logged_ptp4l LOG: prints the program's path
	cat >"$1.program" <<-EOF
		#!/bin/bash
		exec ptp4l "\$@" > >(exec tee -a "$1")
	EOF
	chmod +x "$1.program"
	echo "$1.program"
}

# Prints: samples recorded, those found in the log, lines from the first found to the last, missed
# updates declared after the first. A sample is found in the next line with its offset that was
# written within a second of it.
compare() { # compare LOG NAME
	ptpmon_sql "$2" "select mono_ns / 1e9, value_ns, missed from sample order by id" |
		awk -F '[][|: ]+' -v log_file="$1" '
		BEGIN {
			while ((getline line <log_file) > 0)
				if (split(line, word, /[][ :]+/) && line ~ /master offset/) {
					at[++lines] = word[2]
					offset[lines] = word[5]
				}
		}
		{
			recorded++
			for (i = last + 1; i <= lines && at[i] < $1 + 1; i++)
				if (offset[i] == $2 && at[i] > $1 - 1)
					break
			if (i > lines || offset[i] != $2 || at[i] >= $1 + 1)
				next
			if (found++)
				declared += $3
			else
				first = i
			last = i
		}
		END { print recorded + 0, found + 0, found ? last - first + 1 : 0, declared + 0 }'
}

# A grandmaster and a slave at one rate, recorded for some seconds, with COMMAND beside it.
record() { # record RATE LOG_SYNC_INTERVAL SECONDS [COMMAND...]
	local name="slave$1"

	log=$LAB_WORK/$name.ptp4l-log
	lab_board "gm$1"
	lab_board "$name"
	lab_join "gm$1" "$name"
	start_ptp4l "gm$1" gm "$2"
	start_ptpmon "$name" slave "$2" '[ptp4l]' "program = $(logged_ptp4l "$log")" \
		'[latency]' 'on = no'
	check "$1/s: the slave locks" wait_for 20 "[ \"\$(port_state $name)\" = SLAVE ]"
	[ $# -le 3 ] || "${@:4}" >/dev/null 2>&1
	pause "$3"
	stop "$name-ptpmon"
	stop "gm$1-ptp4l"
	read -r recorded found lines declared < <(compare "$log" "$name")
	echo "# $1/s: $recorded recorded, $found found, in $lines lines, $declared declared missed"
}

lab_open

record 8 -3 20
check "8/s: the record has what was sent" [ "$recorded" -ge 150 ]
check "8/s: every recorded offset is in the log, in order, none twice" [ "$found" = "$recorded" ]
check "8/s, idle: all of them are recorded" [ "$found" = "$lines" ]
check "8/s, idle: none is declared missed" [ "$declared" = 0 ]

record 128 -7 5 stress-ng --quiet --cpu 4 --vm 2 --vm-bytes 64M --timeout 15
check "128/s, load: the record has what was sent" [ "$recorded" -ge 1500 ]
check "128/s, load: every recorded offset is in the log, in order, none twice" \
	[ "$found" = "$recorded" ]
check "128/s, load: the missing equal the declared" [ $((lines - found)) = "$declared" ]

lab_finish
