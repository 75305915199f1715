#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# SIGHUP: what changed is restarted, what did not is the same process; a broken file changes nothing;
# what only a restart can change is named. The record goes on in one run.
# shellcheck source=../lab/lib.sh
. "$(dirname "$0")/../lab/lib.sh"

status() { # status FILTER: a value of the slave's status
	{ ptpmon slave status --json || true; } 2>/dev/null | jq -r "$1"
}

pid_of() { # pid_of CHILD
	status ".children[] | select(.name == \"$1\") | .pid"
}

sql() {
	ptpmon_sql slave "$1"
}

events() { # events CODE: how many of them are recorded
	sql "select count(*) from event where code = '$1'" 2>/dev/null
}

# SIGHUP with these LINEs added, until its outcome is recorded once more.
reload() { # reload CODE [LINE...]
	local code=$1 before

	wait_for 5 'before=$(events "$code") && [ -n "$before" ]'
	printf '%s\n' "${@:2}" >"$LAB_WORK/slave.conf.d/more.conf"
	kill -HUP "${lab_pid[slave-ptpmon]}"
	wait_for 15 "[ \"\$(events $code || echo 0)\" -gt $before ]"
}

recorder_ticks() { # CPU time of the recorder, in hundredths of a second
	awk '{ print $14 + $15 }' "/proc/$(ptpmon_pids slave ' recorder')/stat"
}

locked() {
	wait_for 20 '[ "$(status ".ports[0].state.value")" = SLAVE ]'
}

lab_open
lab_board gm
lab_board slave 1000000000
lab_board leaf
lab_join gm slave
lab_join slave leaf
start_ptp4l gm gm -3
start_ptp4l leaf slave -3 'domainNumber 7'
start_ptpmon slave slave -3
check "a slave locks" locked
ptp4l=$(pid_of ptp4l)
sampler=$(pid_of latency)

check "the same again is no change" reload config-reloaded
check "... no process is another" [ "$(pid_of ptp4l) $(pid_of latency)" = "$ptp4l $sampler" ]

check "another sampler interval is taken over" reload config-reloaded '[latency]' 'interval = 2 ms'
check "... by another sampler" wait_for 10 '[[ "$(pid_of latency)" =~ ^[0-9]+$ ]] && [ "$(pid_of latency)" != "$sampler" ]'
check "... that has it" grep -q -- '--interval=2 ms' <(tr '\0' '\n' <"/proc/$(pid_of latency)/cmdline")
check "... under the same ptp4l" wait_for 10 '[ "$(pid_of ptp4l)" = "$ptp4l" ]'
check "... that is SLAVE as before" locked

check "one more ptp4l is started" reload config-reloaded '[latency]' 'interval = 2 ms' \
	'[ptp4l down]' 'interfaces = eth1' 'role = grandmaster' 'domain = 7'
check "... and is MASTER" wait_for 20 '[ "$(status ".ports[1].state.value")" = MASTER ]'
check "... and the first is the same" [ "$(pid_of ptp4l)" = "$ptp4l" ]
# shellcheck disable=SC2034 # read by wait_for
down=$(pid_of "ptp4l down")

check "a broken file is refused" reload config-refused '[ptp4l]' 'nonsense = 1'
check "... in one line that says why" \
	[ "$(grep -c 'stays in force: .*more.conf:2: \[ptp4l\] nonsense' "$LAB_WORK/slave-ptpmon.log")" = 1 ]
check "... and so is an option that ptp4l does not know" reload config-refused '[ptp4l]' 'extra_arguments = --nosuch=1'
check "... and changes nothing" wait_for 10 '[ "$(pid_of ptp4l) $(pid_of "ptp4l down")" = "$ptp4l $down" ]'

check "one that is no longer there is stopped" reload config-reloaded '[latency]' 'on = no'
check "... and the sampler with it" wait_for 10 \
	'[ "$(status "[.children[] | select(.state == \"up\") | .name] | sort | join(\",\")")" = ptp4l,recorder ]'
check "... and its place is empty" [ ! -e "$LAB_WORK/slave.run/down" ]
before=$(recorder_ticks)
pause 1
check "... and the recorder does not wait for it in vain" [ $(($(recorder_ticks) - before)) -lt 30 ]
check "... and the first is the same" [ "$(pid_of ptp4l)" = "$ptp4l" ]

check "another priority is another ptp4l" reload config-reloaded '[ptp4l]' 'fifo_priority = 60'
check "... that runs with it" wait_for 15 \
	'[ "$(status ".children[] | select(.name == \"ptp4l\") | .priority")" = 60 ] && [ "$(pid_of ptp4l)" != "$ptp4l" ]'
check "... and locks" locked

check "what only a restart changes is named" reload config-kept '[store]' "directory = $LAB_WORK/elsewhere"
check "... and not applied" [ ! -e "$LAB_WORK/elsewhere" ]
wait_for 10 '[ "$(pid_of recorder)" -gt 0 ]'
recorder=$(pid_of recorder)
kill -STOP "$recorder"
for _ in $(seq 90); do
	kill -HUP "${lab_pid[slave-ptpmon]}"
	pause 0.02
done
kill -CONT "$recorder"
check "what a stopped recorder did not take is counted in the record" wait_for 20 \
	'[ "$(sql "select count(*) from event where code = '\''samples-dropped'\'' and text like '\''%not recorded%'\''")" = 1 ]'
check "... and said once when it began" \
	[ "$(grep -c "takes no more of what happens" "$LAB_WORK/slave-ptpmon.log")" = 1 ]
check "the recorders went on in one run" [ "$(sql 'select count(*) from run')" = 1 ]
check "... and each offset is in it once" \
	[ "$(sql 'select count(*) - count(distinct mono_ns) from sample')" = 0 ]
stop slave-ptpmon
check "it ends in order" [ "$lab_status" = 0 ]
check "... and leaves nothing" eval '[ -z "$(ip netns pids "ptpmon-$$-slave")" ] && [ ! -e "$LAB_WORK/slave.run" ]'

# A terminal that goes away takes what it started with it; nohup leaves it alone.
ptpmon_configure slave slave -3
words=()
board_words slave "$LAB_BUILD/ptpmon/ptpmon" run --config "$LAB_WORK/slave.conf"
printf -v line '%q ' "${words[@]}"
script -qefc "$line" /dev/null >"$LAB_WORK/tty.log" 2>&1 </dev/null &
lab_pid[tty]=$!
check "it starts on a terminal" wait_for 10 '[ -S "$LAB_WORK/slave.run/control" ]'
kill -KILL "${lab_pid[tty]}"
check "... and ends with it" wait_for 15 '[ -z "$(ptpmon_pids slave "ptpmon run")" ] && [ ! -e "$LAB_WORK/slave.run" ]'
lab_finish
