#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# alone
# timeout: 1200
#
# First, do no harm: with a client of ptp4l stopped, following by polls or by pushes at the limit of
# the budget, or reading the raw stream for as long as it says that it may be, ptp4l stays in SLAVE
# and receives every Sync that the wire delivers; and clients that are killed leave nothing behind
# that grows. Stopped for 12 s, a minute in a full run.
# shellcheck source=../lab/lib.sh
. "$(dirname "$0")/../lab/lib.sh"
# shellcheck source=../lab/syncs.sh
. "$(dirname "$0")/../lab/syncs.sh"

stopped_s=12
[ -z "${TEST_FULL:-}" ] || stopped_s=60

log_lines() {
	grep -c 'master offset' "$LAB_WORK/slave-ptp4l.log"
}

yielded() { # yielded LABEL
	grep -vc '^#' "$LAB_WORK/$1.log" || true
}

# Milliseconds between two updates in the log, the most after line LINE.
longest_pause_ms() { # longest_pause_ms LINE
	awk -F '[][]' -v from="$1" '/master offset/ && ++n > from {
		if (last && $2 - last > most)
			most = $2 - last
		last = $2
	}
	END { printf "%d\n", most * 1000 }' "$LAB_WORK/slave-ptp4l.log"
}

# ptp4l makes no update of a Sync without its Follow_Up, or the other way round: that happens where
# the wire is cut for the counters, and on a busy machine.
survives() { # survives WHAT LABEL SECONDS RATE
	local before_sent before_received before_lines before_yielded lines paused_ms

	read_counters
	before_sent=$sent
	before_received=$received
	before_lines=$(log_lines)
	kill -STOP "${lab_pid[$2]}"
	before_yielded=$(yielded "$2")
	watch_states "$3"
	check "$1 stopped: ptp4l is in SLAVE all the time" [ "$seen" = SLAVE ]
	paused_ms=$(longest_pause_ms $((before_lines + 1)))
	read_counters
	lines=$(($(log_lines) - before_lines))
	kill -CONT "${lab_pid[$2]}"
	sent=$((sent - before_sent))
	received=$((received - before_received))
	echo "# $1: $sent Syncs delivered, $received received, $lines updates in the log," \
		"$paused_ms ms the longest without one"
	check "$1 stopped: about $4 Syncs a second were sent" [ "$sent" -ge $(($3 * $4 * 9 / 10)) ]
	check "$1 stopped: none was missed" [ "$sent" = "$received" ]
	check "$1 stopped: the log shows them" [ $((sent - lines)) -le $((4 + sent / 100)) ]
	check "$1 stopped: the log shows no pause" [ "$paused_ms" -le 500 ]
	check "$1 goes on" wait_for 5 "[ \$(yielded $2) -gt $((before_yielded + $4)) ]"
}

start_boards() { # start_boards LOG_SYNC_INTERVAL
	start_ptp4l gm gm "$1"
	start_ptp4l slave slave "$1" "slave_event_monitor $LAB_WORK/monitor"
	check "$version: the slave locks" wait_for 20 '[ "$(port_state slave)" = SLAVE ]'
}

stop_boards() {
	stop slave-ptp4l
	stop gm-ptp4l
}

start_follower() { # start_follower poll|push
	board_start slave "$1" "$LAB_BUILD/tests/lab/follow" "$LAB_WORK/slave-ptp4l" "$1"
	pause 5 # the rate is known, and pushes are ordered
}

followed_by() { # followed_by LABEL: how the newest update came
	tail -n 1 "$LAB_WORK/$1.log" | awk '{ print $5 }'
}

stopped_poller() {
	start_boards -7
	start_follower poll
	survives "$version: a poller" poll "$stopped_s" 128
	stop poll
	stop_boards
}

stopped_subscriber() {
	start_boards -6
	start_follower push
	check "$version: it has pushes at the limit of the budget" [ "$(followed_by push)" = push ]
	survives "$version: a subscriber" push "$stopped_s" 64
	check "$version: the hole in its pushes is declared" \
		wait_for 5 'awk "\$3 > 100 { missed = 1 } \$6 > 0 { back = 1 } END { exit !(missed && back) }" \
			"$LAB_WORK/push.log"'
	stop push
	stop_boards
}

# All of what it states, less what it takes to look at the counters and the states meanwhile; whoever
# ends it at half of that, ends it in time.
stopped_reader() {
	local states

	start_boards -3
	board_start slave raw "$LAB_BUILD/tests/lab/raw" "$LAB_WORK/slave-ptp4l" "$LAB_WORK/monitor" \
		-3 -3
	wait_for 5 '[ "$(yielded raw)" -gt 8 ]'
	states=$(sed -n 's/^# survives a stall of \([0-9]*\).*/\1/p' "$LAB_WORK/raw.log" | tail -n 1)
	check "$version: the reader states 17 s" [ "$states" = 17 ]
	survives "$version: the raw reader" raw $((states - 3)) 8
	kill -STOP "${lab_pid[raw]}"
	pause $((states / 2))
	{ stop raw KILL; } 2>/dev/null
	read_counters
	pause 2
	check "$version: ptp4l goes on without the reader" \
		[ "$(ptp4l_field slave PORT_STATS_NP rx_Sync)" -gt $((received + 8)) ]
	stop_boards
}

resident_kb() { # resident_kb LABEL
	awk '$1 == "VmRSS:" { print $2 }' "/proc/${lab_pid[$1]}/status"
}

# Twenty clients are killed while they follow; the next one clears up after them.
killed_clients() {
	local i before

	start_boards -5
	start_follower push
	before=$(resident_kb slave-ptp4l)
	for ((i = 0; i < 20; i++)); do
		{ stop push KILL; } 2>/dev/null # without the word "Killed"
		board_start slave push "$LAB_BUILD/tests/lab/follow" "$LAB_WORK/slave-ptp4l"
		pause 0.3
	done
	check "$version: killed clients leave no sockets that pile up" \
		[ "$(find "$LAB_WORK" -name 'pmc-client.*' | wc -l)" -le 2 ]
	check "$version: ptp4l has not grown" [ $(($(resident_kb slave-ptp4l) - before)) -le 64 ]
	check "$version: the last client follows" wait_for 5 '[ "$(yielded push)" -gt 100 ]'
	stop push
	check "$version: nothing is left" [ "$(find "$LAB_WORK" -name 'pmc-client.*' | wc -l)" = 0 ]
	stop_boards
}

harm_nothing() {
	version=$(ptp4l -v 2>&1)
	stopped_poller
	! ptp4l_is_new || stopped_subscriber
	stopped_reader
	killed_clients
}

lab_open
lab_board gm
lab_board slave
lab_join gm slave relay
harm_nothing
if ! ptp4l_is_new; then
	if programs=$("$LAB_TOP/tests/lab/linuxptp-4"); then
		PATH=$programs:$PATH
		harm_nothing
	else
		echo "ok - linuxptp 4 # SKIP it cannot be fetched"
	fi
fi
lab_finish
