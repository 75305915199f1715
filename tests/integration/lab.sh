#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The lab itself: what every other script here rests on. Boards lock, their true error is known, a
# wire does what it is told, and the machine's clock cannot be set.
# shellcheck source=../lab/lib.sh
. "$(dirname "$0")/../lab/lib.sh"

# 8, 32 and 128 Syncs a second, from a clock 3 s off and 40 ppm too fast.
locks_at() { # locks_at LOG_SYNC_INTERVAL
	local rate=$((1 << -$1)) error

	lab_board "gm$rate"
	lab_board "slave$rate" 3000000000 40000
	lab_join "gm$rate" "slave$rate"
	start_ptp4l "gm$rate" gm "$1"
	start_ptp4l "slave$rate" slave "$1"
	check "a slave locks at $rate Syncs a second" \
		wait_for 10 "[ \"\$(port_state slave$rate)\" = SLAVE ]"
	pause 2
	error=$(clock_error_ns "slave$rate")
	check "... its clock is true within 0.5 ms" [ "${error#-}" -lt 500000 ]
	stop "slave$rate-ptp4l"
	stop "gm$rate-ptp4l"
}

last_offset_ns() {
	awk '/master offset/ { offset = $4 } END { print offset }' "$LAB_WORK/slave-ptp4l.log"
}

offset_within() { # offset_within EXPECTED_NS: by 0.4 ms, what software timestamps are good for
	local off=$(($(last_offset_ns) - $1))

	[ "${off#-}" -lt 400000 ]
}

# A slave that only looks, so that an offset stays what the wire makes of it.
wire_makes() { # wire_makes OFFSET_NS ORDER...
	wire clear
	wire "${@:2}"
	check "the order '${*:2}' shows as $1 ns" wait_for 10 "offset_within $1"
}

board_is_set_alone() {
	local before=$EPOCHSECONDS

	board_exec gm date -s 2000-01-01 >"$LAB_WORK/date.log" 2>&1 &&
		[ "$(clock_error_ns gm)" -lt -800000000000000000 ] &&
		[ $((EPOCHSECONDS - before)) -lt 10 ]
}

machine_cannot_be_set() {
	! board_exec slave env -u LD_PRELOAD date -s 2030-01-01 >"$LAB_WORK/date.log" 2>&1 &&
		grep -q 'not permitted' "$LAB_WORK/date.log"
}

lab_open
locks_at -3
locks_at -5
locks_at -7

lab_board gm
lab_board slave
lab_join gm slave relay
start_ptp4l gm gm -3
start_ptp4l slave slave -3 'free_running 1' 'freq_est_interval 0' 'delay_filter_length 3'
check "a slave that only looks hears its grandmaster" \
	wait_for 10 '[ -n "$(last_offset_ns)" ]'
wire_makes 0 clear
wire_makes -5000000 shift 5000000
wire_makes 2000000 delay-ab 4000000
wire_makes -2000000 delay-ba 4000000
wire clear
wire blackout 1
check "a blackout ends in LISTENING or MASTER" \
	wait_for 10 '[[ "$(port_state slave)" =~ LISTENING|MASTER ]]'
wire blackout 0
check "... and is over when it is told" \
	wait_for 10 '[ "$(port_state slave)" = UNCALIBRATED ]'
check "an order that makes no sense is refused" bash -c '! "$@" 2>/dev/null' - \
	"$LAB_BUILD/tests/lab/relay" tell "$LAB_WORK/wire" drop 16 1

check "setting a board's clock sets it alone" board_is_set_alone
check "the machine's own clock cannot be set" machine_cannot_be_set
lab_finish
