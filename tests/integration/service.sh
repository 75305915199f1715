#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The service as a whole: what it starts has the schedule and the rights that it should, status and
# the phases tell the truth, and it leaves nothing behind when it is told to end.
# shellcheck source=../lab/lib.sh
. "$(dirname "$0")/../lab/lib.sh"

status() { # status FILTER: a value of the slave's status
	ptpmon slave status --json | jq -r "$1"
}

sql() {
	ptpmon_sql slave "$1"
}

# A line of /proc/PID/status.
proc_status() { # proc_status PID KEY
	awk -v key="$2:" '$1 == key { print $2 }' "/proc/$1/status"
}

start() {
	start_ptpmon slave slave -3 '[ptp4l]' 'cpus = 1' '[store]' 'flush_interval = 1 s'
	wait_for 20 '[ "$(port_state slave)" = SLAVE ]'
}

leaves_nothing() {
	[ -z "$(ip netns pids "ptpmon-$$-slave")" ] && [ ! -e "$LAB_WORK/slave.run" ]
}

lab_open
lab_board gm
lab_board slave 2000000000
lab_join gm slave
start_ptpmon gm grandmaster -3
check "a grandmaster from a few lines is MASTER" wait_for 20 '[ "$(port_state gm)" = MASTER ]'
check "a slave locks to it" start
check "its clock is true within 0.5 ms" \
	wait_for 10 'e=$(clock_error_ns slave); [ "${e#-}" -lt 500000 ]'

# Schedule and rights, as the kernel has them.
ptp4l=$(ptpmon_pids slave '^[^ ]*ptp4l ')
recorder=$(ptpmon_pids slave ' recorder')
sampler=$(ptpmon_pids slave 'ptpmon-sampler')
check "ptp4l runs SCHED_FIFO 70" \
	[ "$(ps -o cls=,rtprio= -p "$ptp4l" | tr -s ' ' | sed 's/^ //')" = "FF 70" ]
check "ptp4l runs on the CPU that was asked for" [ "$(proc_status "$ptp4l" Cpus_allowed_list)" = 1 ]
check "the recorder is of ordinary priority" [ "$(ps -o cls= -p "$recorder" | tr -d ' ')" = TS ]
check "the recorder has no capabilities and cannot get any" \
	[ "$(for key in CapPrm CapEff CapBnd CapAmb NoNewPrivs; do proc_status "$recorder" $key; done | xargs)" = \
	"0000000000000000 0000000000000000 0000000000000000 0000000000000000 1" ]
check "a sampler thread for each CPU runs SCHED_FIFO 98" \
	[ "$(ps -L -o cls=,rtprio= -p "$sampler" | grep -c 'FF *98')" = "$(nproc)" ]
check "the sampler's memory is locked" \
	[ "$(proc_status "$sampler" VmLck)" -gt 0 ]

# Status.
check "status is a JSON object with a schema" [ "$(status .schema)" = ptpmon.status/1 ]
check "status knows an offset" wait_for 10 '[ "$(status ".ports[0].offset_ns.value")" != null ]'
check "status fits a screen" [ "$(ptpmon slave status | wc -l)" -le 24 ]
kill -STOP "$ptp4l"
check "what is stale is unknown" wait_for 5 '[ "$(status ".ports[0].offset_ns.value")" = null ]'
kill -CONT "$ptp4l"
check "... until there is news" wait_for 10 '[ "$(status ".ports[0].offset_ns.value")" != null ]'

# Marks and phases.
ptpmon slave mark "the lab's own mark" >/dev/null
check "a mark is recorded" wait_for 5 '[ "$(sql "select text from mark")" = "the lab'\''s own mark" ]'
status=0
ptpmon slave phase busy -- sh -c 'exit 7' || status=$?
check "a phase ends with the status of its command" [ "$status" = 7 ]
check "... and is recorded" \
	wait_for 5 '[ "$(sql "select end_mono_ns > start_mono_ns from phase where name = '\''busy'\''")" = 1 ]'
ptpmon slave phase quiet >/dev/null
check "status shows the phase that goes on" [ "$(status .phase)" = quiet ]
ptpmon slave phase --end >/dev/null
check "... and that it has ended" [ "$(status .phase)" = null ]

# A recorder that is killed comes back, and whoever asks meanwhile waits for it.
kill -KILL "$recorder"
status=0
ptpmon slave status --json >"$LAB_WORK/status.json" || status=$?
check "status waits for a recorder that is started again" [ "$status" != 2 ]
check "... and asks the new one" [ "$(ptpmon_pids slave ' recorder')" != "$recorder" ]
check "... which has news before long" wait_for 15 '[ "$(status .verdict)" = good ]'

# A parent that is stopped is missed: what it said of its children is not true for ever.
kill -STOP "${lab_pid[slave-ptpmon]}"
check "status is not good for long without word of the parent" \
	wait_for 45 '[ "$(status .verdict)" = unknown ]'
check "... and says why" grep -q '^the parent was last heard 3' <<<"$(status .reason)"
kill -CONT "${lab_pid[slave-ptpmon]}"
check "... until it speaks again" wait_for 15 '[ "$(status .verdict)" = good ]'

# The other end of the cable.
ip -n "ptpmon-$$-gm" link set dev eth0 down
check "a pulled cable is recorded" \
	wait_for 5 '[ "$(sql "select count(*) from events where code = '\''link-down'\''")" = 1 ]'
ip -n "ptpmon-$$-gm" link set dev eth0 up
check "... and that it is back" \
	wait_for 5 '[ "$(sql "select count(*) from events where code = '\''link-up'\''")" -ge 1 ]'
check "the slave locks again" wait_for 20 '[ "$(port_state slave)" = SLAVE ]'

# A step of the clock under observation.
clock_disturb slave step 3000000000
check "a step of the clock is recorded" \
	wait_for 10 '[ "$(sql "select count(*) from events where code = '\''clock-stepped'\''")" -ge 1 ]'
check "... and the time axis does not care" \
	[ "$(sql 'select count(*) from (select mono_ns - lag(mono_ns) over (order by id) as d from sample)
		where d < 0')" = 0 ]

stop slave-ptpmon TERM
check "SIGTERM: it ends with 0" [ "$lab_status" = 0 ]
check "SIGTERM: no process and no socket is left" leaves_nothing
check "SIGTERM: the run has ended in order" [ "$(sql 'select how from run')" = stopped ]
start
stop slave-ptpmon INT
check "SIGINT: it ends with 0" [ "$lab_status" = 0 ]
check "SIGINT: no process and no socket is left" leaves_nothing
check "without the service, status says so" bash -c '! "$@" 2>/dev/null >&2' - \
	"$LAB_BUILD/ptpmon/ptpmon" status --config "$LAB_WORK/slave.conf"
lab_finish
