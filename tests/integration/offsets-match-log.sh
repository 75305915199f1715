#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# alone
#
# The record against ptp4l's own log, which has one line for each servo update: every recorded
# offset is one of them, in order, none twice; and what is not recorded is declared as missed.
# shellcheck source=../lab/lib.sh
. "$(dirname "$0")/../lab/lib.sh"
# shellcheck source=../lab/updates.sh
. "$(dirname "$0")/../lab/updates.sh"

# ptp4l as ptpmon starts it, but with a copy of its output in LOG.
logged_ptp4l() { # logged_ptp4l LOG: prints the program's path
	cat >"$1.program" <<-EOF
		#!/bin/bash
		exec ptp4l "\$@" > >(exec tee -a "$1")
	EOF
	chmod +x "$1.program"
	echo "$1.program"
}

recorded_updates() { # recorded_updates NAME
	ptpmon_sql "$1" "select printf('%.9f', mono_ns / 1e9), value_ns, missed from sample order by id" |
		tr '|' ' '
}

# Of the samples with a frequency: how many, and how many of them the log has in order with that.
servo_found() { # servo_found NAME LOG
	ptpmon_sql "$1" "select value_ns, cast(freq_ppb as integer) from sample
		where freq_ppb is not null order by id" | awk -F '|' -v log_file="$2" '
		BEGIN {
			while ((getline line <log_file) > 0)
				if (line ~ /master offset/) {
					split(line, word, /[][ :]+/)
					said[++lines] = word[5] "|" word[8] + 0
				}
		}
		{ for (i = at + 1; i <= lines; i++) if (said[i] == $1 "|" $2) { at = i; found++; break } }
		END { print NR, found + 0 }'
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
	read -r recorded found lines declared < <(recorded_updates "$name" | compare_updates "$log")
	echo "# $1/s: $recorded recorded, $found found, in $lines lines, $declared declared missed"
}

lab_open

record 8 -3 20
check "8/s: the record has what was sent" [ "$recorded" -ge 150 ]
check "8/s: every recorded offset is in the log, in order, none twice" [ "$found" = "$recorded" ]
check "8/s, idle: all of them are recorded" [ "$found" = "$lines" ]
check "8/s, idle: none is declared missed" [ "$declared" = 0 ]
read -r joined matching < <(servo_found slave8 "$log")
echo "# 8/s: $joined with a frequency, $matching of them as in the log"
check "8/s, idle: nearly all have the frequency that ptp4l printed" [ "$((100 * joined))" -ge "$((95 * recorded))" ]
check "8/s: each its own" [ "$matching" = "$joined" ]

record 128 -7 5 stress-ng --quiet --cpu 4 --vm 2 --vm-bytes 64M --timeout 15
check "128/s, load: the record has what was sent" [ "$recorded" -ge 1500 ]
check "128/s, load: every recorded offset is in the log, in order, none twice" \
	[ "$found" = "$recorded" ]
# The missing equal the declared; but what a ptp4l of before 4.0 received, Sync and Follow_Up, and made
# no update of (it was late, or they did not match) nobody can tell from an update that was not seen.
unused=$((declared - (lines - found)))
check "128/s, load: all that is missing is declared" [ "$unused" -ge 0 ]
check "128/s, load: ... and hardly more" [ "$unused" -le $((lines / 200)) ]

lab_finish
