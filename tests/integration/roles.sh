#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The sample configurations as they stand: a grandmaster, a boundary clock behind it and an auto
# behind that agree on time; what auto becomes when it is alone; a monitor that touches nothing. A
# conf.d says only where the lab is and that its ports have no clocks.
# shellcheck source=../lab/lib.sh
. "$(dirname "$0")/../lab/lib.sh"

# start_sample BOARD SAMPLE [LINE...]: ptpmon on that board with config/SAMPLE.conf.
start_sample() {
	local board=$1

	cp "$LAB_TOP/config/$2.conf" "$LAB_WORK/$board.conf"
	mkdir -p "$LAB_WORK/$board.conf.d"
	printf '%s\n' '[ptpmon]' "runtime_directory = $LAB_WORK/$board.run" '[store]' \
		"directory = $LAB_WORK/$board.db" '[ptp4l]' 'timestamping = software' \
		'tx_timestamp_timeout = 200 ms' 'log_sync_interval = -3' \
		'extra_arguments = --summary_interval=-3 --logMinDelayReqInterval=-3 --logAnnounceInterval=-2 --pi_proportional_const=0.7 --pi_integral_const=0.3' \
		"${@:3}" >"$LAB_WORK/$board.conf.d/lab.conf"
	board_start "$board" "$board-ptpmon" "$LAB_BUILD/ptpmon/ptpmon" run --config "$LAB_WORK/$board.conf"
	wait_for 10 "[ -S '$LAB_WORK/$board.run/control' ] || ! is_running $board-ptpmon"
	is_running "$board-ptpmon"
}

status() { # status BOARD FILTER: a value of a status
	{ ptpmon "$1" status --json || true; } | jq -r "$2"
}

states() { # states BOARD: of all its ports
	status "$1" '[.ports[].state.value] | join(" ")'
}

good() {
	[ "$(status "$1" .verdict)" = good ] || { status "$1" .reason >"$LAB_WORK/$1.reason" && false; }
}

lab_open
lab_board gm
lab_board middle 1000000000 20000
lab_board leaf 2000000000 -20000
lab_join gm middle
lab_join middle leaf
check "a grandmaster starts" start_sample gm grandmaster
check "a boundary clock starts" start_sample middle boundary
check "an auto starts" start_sample leaf auto
check "the grandmaster is MASTER" wait_for 20 '[ "$(states gm)" = MASTER ]'
check "the boundary clock is SLAVE and MASTER" wait_for 20 '[ "$(states middle)" = "SLAVE MASTER" ]'
check "the auto has a better one, and is SLAVE" wait_for 20 '[ "$(states leaf)" = SLAVE ]'
check "the leaf's clock is true within 1 ms" \
	wait_for 15 'e=$(clock_error_ns leaf); [ "${e#-}" -lt 1000000 ]'
for board in gm middle leaf; do
	check "$board is good" wait_for 15 "good $board"
done
check "the auto is two steps away" wait_for 10 '[ "$(status leaf ".ports[0].steps_removed.value")" = 2 ]'

# The boundary clock's other port.
ip -n "ptpmon-$$-gm" link set dev eth0 down
check "without a grandmaster a boundary clock is not good" wait_for 30 '! good middle'
ip -n "ptpmon-$$-gm" link set dev eth0 up
check "... and with it again it is" wait_for 30 'good middle'

# Alone.
stop middle-ptpmon
check "a boundary clock ends in order" [ "$lab_status" = 0 ]
check "its offsets are those of its slave's port" [ "$(ptpmon_sql middle \
	"select group_concat(distinct subject) from sample join series on series.id = sample.series where kind = 'offset'")" = eth0 ]
check "an auto that is alone is MASTER" wait_for 30 '[ "$(states leaf)" = MASTER ]'
check "... and good" wait_for 15 'good leaf'
stop leaf-ptpmon

# A monitor.
explains() { # explains TEXT: why nothing is known of the port
	status middle .reason | grep -qF "port state unknown: $LAB_WORK/middle-ptp4l: $1"
}

check "a monitor starts" start_sample middle monitor "socket = $LAB_WORK/middle-ptp4l"
check "... says that its ptp4l is not there" wait_for 15 'explains "no such socket: start ptp4l"'
start_ptp4l middle slave -3
stop middle-ptp4l KILL
check "... that it has gone" wait_for 15 'explains "nobody listens there any more"'
chmod 0 "$LAB_WORK/middle-ptp4l"
check "... that it may not ask" wait_for 15 'explains "permission denied: let this user write to it"'
rm "$LAB_WORK/middle-ptp4l"
start_ptp4l middle slave -3
start_ptp4l leaf gm -3
check "... sees the ptp4l that is there" wait_for 20 '[ "$(states middle)" = UNCALIBRATED ] ||
	[ "$(states middle)" = SLAVE ] || [ "$(states middle)" = MASTER ]'
check "... and launches none" [ -z "$(status middle '.children[].name' | grep ptp4l)" ]
check "... and records its offsets" wait_for 20 '[ "$(ptpmon_sql middle "select count(*) > 10 from sample
	join series on series.id = sample.series where run = (select max(id) from run)")" = 1 ]'
stop middle-ptpmon
check "it ends in order" [ "$lab_status" = 0 ]
check "... and the ptp4l goes on" eval 'is_running middle-ptp4l && [ -S "$LAB_WORK/middle-ptp4l" ] &&
	[ -n "$(port_state middle)" ]'
stop middle-ptp4l

# A slave.
stop leaf-ptp4l
stop gm-ptpmon
check "a slave starts" start_sample middle slave
check "... waits for a grandmaster" wait_for 10 '[ "$(states middle)" = LISTENING ]'
check "... and follows it" eval 'start_sample gm grandmaster && wait_for 20 "good middle"'
lab_finish
