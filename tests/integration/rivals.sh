#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Other programs that steer the clock of a board: found by name and by effect on a slave, no matter on
# a grandmaster, refused where the configuration says so.
# shellcheck source=../lab/lib.sh
. "$(dirname "$0")/../lab/lib.sh"

events() { # events BOARD CODE [CONDITION]: how many were recorded
	ptpmon_sql "$1" "select count(*) from event where code = '$2' and ${3:-1}"
}

rival() { # rival BOARD LABEL NAME [ARGUMENT...]
	board_start "$1" "$2" "$LAB_BUILD/tests/lab/rival" "${@:3}"
}

start() { # start BOARD ROLE [LINE...]
	start_ptpmon "$1" "$2" -3 '[store]' 'flush_interval = 1 s' '[latency]' 'on = no' "${@:3}"
}

lab_open
lab_board gm
lab_board slave
lab_join gm slave
rival gm gm-source chronyd
start gm grandmaster
rival slave named chronyd
rival slave waits phc2sys '' '' -w -n 5
start slave slave
check "the slave locks" wait_for 20 '[ "$(port_state slave)" = SLAVE ]'
check "by name: told, with its pid" wait_for 15 \
	'[ "$(events slave rival "subject = '\''chronyd'\'' and
		json_extract(detail, '\''\$.pid'\'') = ${lab_pid[named]}")" = 1 ]'
check "a phc2sys that asks elsewhere: told that it waits in vain" \
	[ "$(events slave clock-waits "subject = 'phc2sys'")" = 1 ]
check "neither the other board's programs nor our own are rivals" \
	[ "$(events slave rival "subject <> 'phc2sys'")" = 1 ]
pause 3
check "alone on its clock: no disturbance" [ "$(events slave clock-disturbed)" = 0 ]
stop named

rival slave steers nothing-known freq 50000
check "by effect: another frequency is told" wait_for 15 \
	'[ "$(events slave clock-disturbed "text like '\''%frequency%'\''")" = 1 ]'
stop steers
pause 4
rival slave disciplines nothing-known pll
check "by effect: the kernel's PLL is told" wait_for 15 \
	'[ "$(events slave clock-disturbed "text like '\''%PLL%'\''")" -ge 1 ]'
stop disciplines
rival slave steps nothing-known step 1000000000
check "by effect: a step is told" wait_for 15 \
	'[ "$(events slave clock-disturbed "text like '\''%stepped%'\''")" = 1 ]'
stop steps
check "a rival that ended: told" wait_for 40 '[ "$(events slave rival-gone)" = 1 ]'
check "a grandmaster's source is no rival" [ "$(events gm rival) $(events gm clock-disturbed)" = "0 0" ]
stop slave-ptpmon
stop gm-ptpmon
stop waits

rival slave named systemd-timesyn
ptpmon_configure slave slave -3 '[monitor]' 'rivals = refuse'
status=0
line=$(board_exec slave timeout 20 "$LAB_BUILD/ptpmon/ptpmon" run --config "$LAB_WORK/slave.conf" 2>&1) ||
	status=$?
echo "$line" | sed 's/^/# /'
check "refused: it does not start beside one" [ "$status" = 2 ]
check "refused: one line says who and what to do" \
	[ "$(grep -c "systemd-timesyn (pid ${lab_pid[named]}) steers CLOCK_REALTIME as well: stop it" <<<"$line")" = 1 ]
check "refused: the record has no run of it" [ "$(ptpmon_sql slave "select count(*) from run")" = 1 ]
check "refused: nothing is left" [ -z "$(ptpmon_pids slave 'ptp4l|recorder')" ]
lab_finish
