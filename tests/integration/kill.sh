#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# SIGKILL of each part, and of everything at once: who must not notice does not, who ended comes
# back, and the record loses no more than one flush interval.
# shellcheck source=../lab/lib.sh
. "$(dirname "$0")/../lab/lib.sh"

flush_s=2

recorder_pid() {
	ptpmon_pids slave ' recorder'
}

ptp4l_pid() {
	ptpmon_pids slave '^[^ ]*ptp4l '
}

sql() {
	ptpmon_sql slave "$1"
}

events() { # events CODE [CONDITION]: how many were recorded
	sql "select count(*) from events where code = '$1' and ${2:-1}"
}

start() {
	start_ptpmon slave slave -3 '[store]' "flush_interval = $flush_s s"
	check "$1" wait_for 20 '[ "$(port_state slave)" = SLAVE ]'
	wait_for 10 '[ "$(sql "select count(*) from sample")" -gt 0 ]'
}

# The newest sample on disk is at most a flush interval (and the commit that ran) older than AT_CS.
lost_little() { # lost_little AT_CS
	local newest_cs

	newest_cs=$(sql 'select max(mono_ns) / 10000000 from sample')
	echo "# newest sample $(($1 - newest_cs)) cs before the end"
	[ $(($1 - newest_cs)) -le $((flush_s * 100 + 50)) ]
}

sound() {
	[ "$(sql 'pragma integrity_check')" = ok ]
}

lab_open
lab_board gm
lab_board slave
lab_join gm slave
start_ptp4l gm gm -3
start "the slave locks"

recorder=$(recorder_pid) ptp4l=$(ptp4l_pid) run=$(sql 'select max(id) from run')
kill -KILL "$recorder"
check "recorder killed: it is started again" \
	wait_for 10 '[ -n "$(recorder_pid)" ] && [ "$(recorder_pid)" != "$recorder" ]'
check "recorder killed: it goes on in the same run, and says so" \
	wait_for 15 '[ "$(events recorder-resumed)" = 1 ]'
check "recorder killed: the gap is declared" wait_for 5 '[ "$(events gap)" -ge 1 ]'
check "recorder killed: there is no other run" [ "$(sql 'select max(id) from run')" = "$run" ]
check "recorder killed: ptp4l did not notice" [ "$(ptp4l_pid) $(port_state slave)" = "$ptp4l SLAVE" ]
check "recorder killed: the record is sound" sound

kill -KILL "$ptp4l"
check "ptp4l killed: it is started again" \
	wait_for 10 '[ -n "$(ptp4l_pid)" ] && [ "$(ptp4l_pid)" != "$ptp4l" ]'
check "ptp4l killed: the slave locks again" wait_for 20 '[ "$(port_state slave)" = SLAVE ]'
check "ptp4l killed: its end and its starts are recorded" wait_for 10 \
	'[ "$(events child-exited "subject = '\''ptp4l'\''")" = 1 ] &&
	 [ "$(events child-started "subject = '\''ptp4l'\''")" -ge 2 ]'
newest=$(sql 'select max(mono_ns) from sample')
check "ptp4l killed: offsets are recorded again" \
	wait_for 10 "[ \"\$(sql 'select max(mono_ns) from sample')\" -gt $newest ]"

wait_for 20 'ptpmon slave wait-sync --timeout 1s >/dev/null 2>&1'
recorder=$(recorder_pid)
kill -STOP "$recorder"
pause 6
kill -CONT "$recorder"
check "recorder stopped: what it did not see counts as within no limits" eval \
	'ptpmon slave wait-sync --timeout 15s | tee "$LAB_WORK/ready" | grep -q "within limits for [2-5]\.[0-9] s"'
rm "$LAB_WORK/slave.run/control"
check "control socket removed: it is made again" wait_for 5 'ptpmon slave status >/dev/null 2>&1'
check "control socket removed: that is recorded" wait_for 5 '[ "$(events socket-trouble)" = 1 ]'
ptp4l=$(ptp4l_pid)
rm -r "$LAB_WORK/slave.run"
check "runtime directory removed: it is made again" \
	wait_for 5 '[ -S "$LAB_WORK/slave.run/control" ] && [ -d "$LAB_WORK/slave.run/eth0" ]'
check "runtime directory removed: ptp4l gets its socket by another start" \
	wait_for 15 '[ -S "$LAB_WORK/slave.run/eth0/ptp4l" ] && [ "$(ptp4l_pid)" != "$ptp4l" ]'
check "runtime directory removed: it has the lock of the new one" \
	eval '! ptpmon slave run 2>"$LAB_WORK/second" && grep -q "another ptpmon is running" "$LAB_WORK/second"'
check "runtime directory removed: status is good again" wait_for 25 'ptpmon slave status >/dev/null 2>&1'

kill -KILL "${lab_pid[slave-ptpmon]}"
at_cs=$(uptime_cs)
check "parent killed: everything ends" wait_for 5 '[ -z "$(ip netns pids ptpmon-$$-slave)" ]'
check "parent killed: the record is sound" sound
check "parent killed: at most a flush interval is lost" lost_little "$at_cs"

start "it starts over what was left behind"
check "it is another run" [ "$(sql 'select max(id) from run')" -gt "$run" ]
pause $((flush_s * 2))
# Stopped first: a recorder that outlives its parent by a moment would still end its run.
mapfile -t all < <(ip netns pids "ptpmon-$$-slave")
kill -STOP "${all[@]}"
kill -KILL "${all[@]}"
at_cs=$(uptime_cs)
wait_for 5 '[ -z "$(ip netns pids ptpmon-$$-slave)" ]'
check "all killed: the record is sound" sound
check "all killed: at most a flush interval is lost" lost_little "$at_cs"
start "and it starts again"
kill -TERM "${lab_pid[slave-ptpmon]}" # as timeout(1) does: the command, then its whole group
pause 0.01
stop slave-ptpmon
check "told twice at once, it ends in order" [ "$lab_status" = 0 ]
ends=$(sql "select group_concat(coalesce(how, 'cut')) from run")
check "how each run ended is told" [ "$ends" = parent-died,cut,stopped ]
echo "# they ended: $ends"
lab_finish
