#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# alone
# timeout: 400
#
# First, do no harm: with ptpmon's parent, then its recorder, stopped for a minute at 128 Syncs and
# 128 log lines a second, ptp4l stays in SLAVE and receives every Sync that the wire delivers.
# shellcheck source=../lab/lib.sh
. "$(dirname "$0")/../lab/lib.sh"
# shellcheck source=../lab/syncs.sh
. "$(dirname "$0")/../lab/syncs.sh"

stopped_s=60
[ -z "${TEST_FULL:-}" ] || stopped_s=85 # a recorder silent for 90 s is started again

newest_ns() {
	ptpmon_sql slave 'select max(mono_ns) from sample'
}

survives() { # survives WHAT PID
	local before_sent before_received newest

	read_counters
	before_sent=$sent
	before_received=$received
	kill -STOP "$2"
	watch_states "$stopped_s"
	check "$1 stopped: ptp4l is in SLAVE all the time" [ "$seen" = SLAVE ]
	read_counters
	newest=$(newest_ns)
	kill -CONT "$2"
	echo "# $1: $((sent - before_sent)) Syncs delivered, $((received - before_received)) received"
	check "$1 stopped: about 128 Syncs a second were sent" \
		[ $((sent - before_sent)) -ge $((stopped_s * 120)) ]
	check "$1 stopped: none was missed" \
		[ $((sent - before_sent)) = $((received - before_received)) ]
	check "$1 goes on: new offsets are recorded" wait_for 15 "[ \"\$(newest_ns)\" -gt $newest ]"
}

lab_open
lab_board gm
lab_board slave
lab_join gm slave relay
start_ptp4l gm gm -7
start_ptpmon slave slave -7 '[store]' 'flush_interval = 1 s'
check "the slave locks" wait_for 20 '[ "$(port_state slave)" = SLAVE ]'
recorder=$(ptpmon_pids slave ' recorder')
ptp4l=$(ptpmon_pids slave '^[^ ]*ptp4l ')
wait_for 10 '[ -n "$(newest_ns)" ]'

survives parent "${lab_pid[slave-ptpmon]}"
survives recorder "$recorder"
check "what was not recorded is declared" \
	[ "$(ptpmon_sql slave 'select sum(missed) > 0 or exists (select 1 from event where code = "gap")
		from sample')" = 1 ]
check "nothing was started again" \
	[ "$recorder $ptp4l" = "$(ptpmon_pids slave ' recorder') $(ptpmon_pids slave '^[^ ]*ptp4l ')" ]
stop slave-ptpmon
check "it ends in order" [ "$lab_status" = 0 ]
lab_finish
