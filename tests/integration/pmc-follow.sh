#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# alone
# timeout: 3000
#
# No update is lost: clients of ordinary priority follow a slave while stress-ng takes both CPUs, and
# ptp4l's own log, one line for each servo update, says what there was. With linuxptp 3.1.1 (polls
# only) and 4 (pushes within the budget, where the rate allows them), and the raw stream of either.
# Fifteen seconds each; five minutes in a full run.
# shellcheck source=../lab/lib.sh
. "$(dirname "$0")/../lab/lib.sh"
# shellcheck source=../lab/updates.sh
. "$(dirname "$0")/../lab/updates.sh"

seconds=15
[ -z "${TEST_FULL:-}" ] || seconds=300

# A grandmaster and a slave of their own for each rate; both at real-time priority, as in the field,
# where that is not refused.
start_pair() { # start_pair LABEL LOG_SYNC_INTERVAL
	local label=$1 name

	lab_board "gm$label"
	lab_board "$label"
	lab_join "gm$label" "$label"
	start_ptp4l "gm$label" gm "$2"
	start_ptp4l "$label" slave "$2" "slave_event_monitor $LAB_WORK/$label-monitor" \
		'delay_filter_length 1'
	for name in "gm$label" "$label"; do
		chrt -f -p 50 "${lab_pid[$name-ptp4l]}" 2>/dev/null || true
	done
	check "$label: the slave locks" wait_for 20 "[ \"\$(port_state $label)\" = SLAVE ]"
}

follow() { # follow LABEL poll|push: starts a client
	board_start "$1" "$1-$2" "$LAB_BUILD/tests/lab/follow" "$LAB_WORK/$1-ptp4l" "$2"
}

read_raw() { # read_raw LABEL LOG_SYNC_INTERVAL: starts a reader of the raw stream
	board_start "$1" "$1-raw" "$LAB_BUILD/tests/lab/raw" "$LAB_WORK/$1-ptp4l" \
		"$LAB_WORK/$1-monitor" "$2" "$2"
}

# In a session of its own, as load has a scope of its own in the field: the kernel shares time
# between sessions first.
under_load() {
	pause 5 # they have learnt the rate, and ordered pushes
	setsid stress-ng --quiet --cpu 4 --vm 2 --vm-bytes 64M --timeout "$seconds" >/dev/null 2>&1 &
	wait $!
	pause 1
}

# Sets yielded, found, lines, declared and lost of a client; all of it is over by then.
result_of() { # result_of LABEL poll|push|raw
	stop "$1-$2"
	read -r yielded found lines declared < <(grep -v '^#' "$LAB_WORK/$1-$2.log" |
		compare_updates "$LAB_WORK/$1-ptp4l.log" "${3:-0}")
	lost=$((lines - found))
	echo "# $1, $2: $yielded yielded, $found found, $lost of $lines lost, $declared declared"
}

has_enough() { # has_enough LABEL RATE
	check "$1: it yielded what was sent" [ "$yielded" -ge $((seconds * $2 * 9 / 10)) ]
	check "$1: everything yielded is in the log, in order, none twice" [ "$found" = "$yielded" ]
}

loses_nothing() { # loses_nothing LABEL poll|push RATE
	result_of "$1" "$2"
	has_enough "$1, $2" "$3"
	check "$1, $2: none was lost" [ "$lost" = 0 ]
}

# What ptp4l received without making an update of it may be declared missed as well, if it was
# polled: then nobody can tell.
declares_all() { # declares_all LABEL poll RATE
	local received

	received=$(ptp4l_field "$1" PORT_STATS_NP rx_Follow_Up)
	result_of "$1" "$2"
	has_enough "$1, $2" "$3"
	check "$1, $2: at most 5 % were lost" [ $((lost * 20)) -le "$lines" ]
	check "$1, $2: each of them is declared" [ "$declared" -ge "$lost" ]
	check "$1, $2: nothing else is" \
		[ $((declared - lost)) -le $((received - $(grep -c 'master offset' "$LAB_WORK/$1-ptp4l.log"))) ]
}

is_pushed() { # is_pushed LABEL: once the rate is known
	local begun

	begun=$(awk '!/^#/ { print $1; exit }' "$LAB_WORK/$1-push.log")
	check "$1, push: updates were pushed all the time" \
		[ "$(awk -v begun="$begun" '!/^#/ && $1 > begun + 5 { print $5 }' \
			"$LAB_WORK/$1-push.log" | sort -u)" = push ]
}

# The servo's own offset, to the nanosecond that rounding takes.
agrees_raw() { # agrees_raw LABEL RATE
	result_of "$1" raw 1
	has_enough "$1, raw" "$2"
	check "$1, raw: none was lost" [ "$lost,$declared" = 0,0 ]
}

refuses_raw() { # refuses_raw LABEL LOG_SYNC_INTERVAL
	read_raw "$1" "$2"
	wait_for 5 "! is_running $1-raw" || true
	stop "$1-raw"
	check "$1, raw: it is refused, and why is said" \
		[ "$lab_status,$(grep -c '^# refused: too fast' "$LAB_WORK/$1-raw.log")" = 1,1 ]
}

follow_all() { # follow_all VERSION push|poll: whether this linuxptp can push
	local v=$1

	start_pair "$v-8" -3
	follow "$v-8" poll
	follow "$v-8" push
	read_raw "$v-8" -3
	start_pair "$v-16" -4
	follow "$v-16" poll
	under_load
	loses_nothing "$v-8" poll 8
	loses_nothing "$v-8" push 8
	agrees_raw "$v-8" 8
	loses_nothing "$v-16" poll 16
	[ "$2" = poll ] || is_pushed "$v-8"
	stop "$v-8-ptp4l"
	stop "gm$v-8-ptp4l"
	stop "$v-16-ptp4l"
	stop "gm$v-16-ptp4l"

	if [ "$2" = push ]; then
		start_pair "$v-64" -6
		follow "$v-64" push
		under_load
		loses_nothing "$v-64" push 64
		is_pushed "$v-64"
		stop "$v-64-ptp4l"
		stop "gm$v-64-ptp4l"
	fi

	start_pair "$v-128" -7
	follow "$v-128" push
	refuses_raw "$v-128" -7
	under_load
	declares_all "$v-128" push 128
	stop "$v-128-ptp4l"
	stop "gm$v-128-ptp4l"
}

lab_open
version=$(ptp4l -v 2>&1)
if ptp4l_is_new; then
	follow_all "$version" push
	lab_finish
fi
follow_all "$version" poll
if programs=$("$LAB_TOP/tests/lab/linuxptp-4"); then
	PATH=$programs:$PATH
	follow_all "$(ptp4l -v 2>&1)" push
else
	echo "ok - linuxptp 4 # SKIP it cannot be fetched"
fi
lab_finish
