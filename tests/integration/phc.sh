#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The PHC of a slave, measured and followed: ptp4l steers it with hardware timestamps, ptpmon measures it
# against the system clock, and phc2sys steers that by it while ptpmon lets it.
# shellcheck source=../lab/lib.sh
. "$(dirname "$0")/../lab/lib.sh"

TAI_NS=37000000000

events() { # events CODE: how many the record has
	ptpmon_sql slave "select count(*) from event where code = '$1'"
}

event_text() { # event_text CODE: the newest one's
	ptpmon_sql slave "select text from event where code = '$1' order by mono_ns desc limit 1"
}

phc2sys_pid() {
	ptpmon_pids slave 'phc2sys -s'
}

system_true_within() { # system_true_within NS
	local off

	off=$(clock_error_ns slave)
	[ "${off#-}" -lt "$1" ]
}

status_of() { # status_of JQ-EXPRESSION
	ptpmon slave status --json | jq -r "$1"
}

lab_open
lab_board gm
lab_board slave 3000000000 40000
lab_phc gm "$TAI_NS"
lab_phc slave 36000000000 20000
lab_join gm slave
start_ptp4l gm gm -3 "time_stamping hardware"
start_ptpmon slave slave -3 "[ptp4l]" "timestamping = hardware" "[monitor]" "phc_interval = 250 ms" \
	"[store]" "flush_interval = 500 ms"

# the gate
check "phc2sys is held back before the port is SLAVE" [ -z "$(phc2sys_pid)" ]
check "the gate opens" wait_for 15 '[ "$(events gate-opened)" -ge 1 ]'
check "... with the UTC offset, and who says so" \
	grep -q "37 s ahead of UTC" <<<"$(event_text gate-opened)"
check "phc2sys is started with source, sink and offset named" \
	wait_for 5 '[ -n "$(phc2sys_pid)" ] && ptpmon_pids slave "-s /dev/ptp0 -c CLOCK_REALTIME -O -37" | grep -q .'
check "... and steps the system clock, 3 s off, to the truth" wait_for 10 "system_true_within 50000"
lab_finish
