#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# alone
#
# Real time is proven, and what keeps from it is named: who is above ptp4l, what was changed behind
# our back, each way to be refused, and the kernel threads of a port.
# timeout: 420
# shellcheck source=../lab/lib.sh
. "$(dirname "$0")/../lab/lib.sh"

sql() {
	ptpmon_sql slave "$1" 2>/dev/null
}

# Is there an event of that code whose text is like the pattern?
happened() { # happened CODE LIKE
	[ "$(sql "select count(*) > 0 from events where code = '$1' and text like '$2'")" = 1 ]
}

status() {
	ptpmon slave status --json | jq -r "$1"
}

start() { # start LINE...: the service on the slave, until its ptp4l has started
	start_ptpmon slave slave -3 '[store]' 'flush_interval = 1 s' "$@"
	wait_for 10 '[ -n "$(ptp4l_pid)" ]'
}

ptp4l_pid() {
	ptpmon_pids slave '^[^ ]*ptp4l '
}

# --- the audit ---

# A program of its own name, at SCHED_FIFO 99 on CPU 1, which leaves most of the CPU to others.
outrank() {
	cp "$(command -v bash)" "$LAB_WORK/outranker"
	mkfifo "$LAB_WORK/nothing"
	chrt -f 99 taskset -c 1 "$LAB_WORK/outranker" -c 'exec 3<>"$0"
		while :; do
			for ((i = 0; i < 3000; i++)); do :; done
			read -r -t 0.1 -u 3 || :
		done' "$LAB_WORK/nothing" >/dev/null 2>&1 &
	lab_pid[outranker]=$!
}

finding() { # finding NAME MEMBER [PID]: of the audit in status
	status "[.audit.findings[] | select((.name | startswith(\"$1\")) and .pid == ${3:-.pid})][0].$2"
}

# Whoever else is above on this machine at the moment, such as the sampler of another lab, stays.
is_clean() {
	happened priority-audit-clean % ||
		[ "$(status '[.audit.findings[] | select(.kind == "above")] | length')" -gt 0 ]
}

audit() {
	local sampler

	outrank
	start '[ptp4l]' 'cpus = 1'
	check "a thread above ptp4l on its CPU is told of, with name, priority and CPU" wait_for 15 \
		"happened priority-audit '%above ptp4l (SCHED_FIFO 70, CPUs 1): outranker/${lab_pid[outranker]} SCHED_FIFO 99 on CPU 1%'"
	check "... and stands in status --json" \
		[ "$(finding outranker kind) $(finding outranker tid) $(finding outranker priority) $(finding outranker cpus)" = \
		"above ${lab_pid[outranker]} 99 1" ]
	check "... and on the screen" \
		grep -q "^audit  *outranker/${lab_pid[outranker]} SCHED_FIFO 99 on CPU 1 is above ptp4l" \
		<<<"$(ptpmon slave status || true)"
	sampler=$(ptpmon_pids slave ptpmon-sampler)
	check "our own sampler is marked as ours" \
		wait_for 10 "[ \"\$(finding sampler/1 kind $sampler)\" = ours ]"
	check "the sampler of another CPU is not listed" [ "$(finding sampler/0 kind "$sampler")" = null ]
	check "what is the kernel's own is explained" \
		grep -q "kernel.*moves tasks" <<<"$(finding migration/1 kind) $(finding migration/1 text)"
	check "ksoftirqd is pooled" [ "$(finding ksoftirqd/1 kind)" = pooled ]
	check "the limit of real-time threads is reported" \
		[ "$(status '.rt_throttling | "\(.runtime_us) \(.period_us)"')" = \
		"$(cat /proc/sys/kernel/sched_rt_runtime_us) $(cat /proc/sys/kernel/sched_rt_period_us)" ]
	check "whether it fired is known, or why not" \
		[ "$(status '.rt_throttling | (.fired != null) != (.problem != null)')" = true ]
	check "a scan costs less than 50 ms of CPU time" [ "$(status '.audit.cost_ns < 50000000')" = true ]
	echo "# a scan of $(printf '%s\n' /proc/[0-9]* | wc -l) processes cost $(status .audit.cost_ns) ns"
	stop outranker
	kill -KILL "$(ptp4l_pid)" # its next start brings the next audit forward
	check "... until it is gone" wait_for 20 '[ "$(finding outranker kind)" = null ]'
	check "... which is told of" wait_for 5 is_clean
}

# Below ptp4l, so that PTP goes on, but above every kernel worker: 1.4 of 2 seconds on CPU 1.
hog() {
	cp "$(command -v bash)" "$LAB_WORK/hog"
	chrt -f 60 taskset -c 1 "$LAB_WORK/hog" -c 'exec 3<>"$0"
		while :; do
			end=$((${EPOCHREALTIME/./} + 1400000))
			while [ "${EPOCHREALTIME/./}" -lt "$end" ]; do :; done
			read -r -t 0.6 -u 3 || :
		done' "$LAB_WORK/nothing" >/dev/null 2>&1 &
	lab_pid[hog]=$!
}

scanned() { # when the newest audit ended
	status .audit.mono_ns
}

# Starts of ptp4l bring audits forward: two of them, ten seconds apart.
starvation() {
	local before

	hog
	before=$(scanned)
	kill -KILL "$(ptp4l_pid)"
	wait_for 15 "[ \"\$(scanned)\" != '$before' ]"
	pause 8
	before=$(scanned)
	kill -KILL "$(ptp4l_pid)"
	wait_for 15 "[ \"\$(scanned)\" != '$before' ]"
	stop hog
	check "a kernel worker that a busy thread keeps waiting is named, with that thread" \
		[ "$(status "[.audit.findings[] | select(.kind == \"starved\" and (.name | startswith(\"kworker/1:\")) and
			(.text | contains(\"hog/${lab_pid[hog]} (SCHED_FIFO 60)\")))] | length > 0")" = true ]
	status '.audit.findings[] | select(.kind == "starved") | "# \(.name) \(.text)"'
}

# --- changed behind our back ---

behind_our_back() {
	local sampler

	check "ptp4l is proven" wait_for 10 'happened schedule-proven "ptp4l: runs SCHED_FIFO 70 on CPUs 1, as asked%"'
	check "the sampler's threads are proven" wait_for 15 \
		'happened schedule-proven "latency: 2 threads run SCHED_FIFO 98 on CPUs 0-1, as asked%MiB of memory locked"'
	check "locked memory is in status: the sampler's" \
		[ "$(status '[.children[] | select(.name == "latency")][0].locked_bytes > 0')" = true ]
	check "... and that ptp4l locks none" \
		[ "$(status '[.children[] | select(.name == "ptp4l")][0] | "\(.locked_bytes) \(.threads)"')" = "0 1" ]
	chrt -f -p 30 "$(ptp4l_pid)"
	check "a priority that somebody changed is told of within ten seconds" wait_for 15 \
		"happened schedule-mismatch 'ptp4l: thread $(ptp4l_pid) runs SCHED_FIFO 30, asked SCHED_FIFO 70: changed by%'"
	check "... and stands in status" \
		[ "$(status '[.children[] | select(.name == "ptp4l")][0].schedule_ok')" = false ]
	chrt -f -p 70 "$(ptp4l_pid)"
	taskset -p -c 0 "$(ptp4l_pid)" >/dev/null
	check "CPUs that somebody changed, too" wait_for 15 \
		'happened schedule-mismatch "ptp4l: thread % runs on CPUs 0, asked 1: changed by%"'
	taskset -p -c 1 "$(ptp4l_pid)" >/dev/null
	check "... until they are as asked again" \
		wait_for 15 '[ "$(status "[.children[] | select(.name == \"ptp4l\")][0].schedule_ok")" = true ]'
	sampler=$(ps -L -o tid=,comm= -p "$(ptpmon_pids slave ptpmon-sampler)" | awk '$2 == "sampler/1" { print $1 }')
	chrt -f -p 10 "$sampler"
	check "one of the sampler's threads, too" \
		wait_for 15 'happened schedule-mismatch "latency: 1 of 2 threads run SCHED_FIFO 98%"'
	stop slave-ptpmon
}

# --- refusals ---

# The service must not run: status 2, and one line that says why.
refused() { # refused NAME TEXT COMMAND...: COMMAND runs the service in its place
	local name=$1 text=$2 status=0 said

	shift 2
	said=$("$@" 2>&1 >/dev/null) || status=$?
	check "$name: status 2" [ "$status" = 2 ]
	if [ "$(wc -l <<<"$said") $(grep -cF -- "$text" <<<"$said")" = "1 1" ]; then
		ok "... and one line that names it"
	else
		not_ok "... and one line that names it" "$said"
	fi
}

run_with() { # run_with COMMAND...: the service, started by COMMAND
	board_exec slave timeout 20 "$@" "$LAB_BUILD/ptpmon/ptpmon" run --config "$LAB_WORK/slave.conf"
}

# The service in a control group of its own, which is made and removed.
in_group() { # in_group CONTROLLER SETUP: SETUP is evaluated in the group's directory
	local group=/sys/fs/cgroup/$1/ptpmon-realtime-$$ status=0

	mkdir "$group"
	(cd "$group" && eval "$2")
	# not through `ip netns exec`, which hides the control groups behind a /sys of its own
	timeout 20 nsenter --net="/run/netns/ptpmon-$$-slave" \
		setpriv --bounding-set -sys_time --inh-caps -sys_time \
		sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" \
		"$LAB_BUILD/ptpmon/ptpmon" run --config "$LAB_WORK/slave.conf" || status=$?
	wait_for 5 "rmdir '$group' 2>/dev/null"
	return "$status"
}

configure() { # configure LINE...
	ptpmon_configure slave slave -3 '[realtime]' 'on_refusal = fail' '[latency]' 'on = no' "$@"
}

without_nice=(setpriv --bounding-set -sys_nice --inh-caps -sys_nice)

refusals() {
	local cpus

	cpus=$(cat /sys/devices/system/cpu/present)
	configure
	refused "no CAP_SYS_NICE" "no CAP_SYS_NICE, and RLIMIT_RTPRIO is 0: run as root" \
		run_with "${without_nice[@]}" prlimit --rtprio=0
	if prlimit --rtprio=50 true 2>/dev/null; then
		refused "a low RLIMIT_RTPRIO" "RLIMIT_RTPRIO allows priority 50 at most" \
			run_with prlimit --rtprio=50 "${without_nice[@]}"
	else
		echo "# RLIMIT_RTPRIO cannot be raised here (no CAP_SYS_RESOURCE): left to the unit test"
	fi
	if [ -e /sys/fs/cgroup/cpu/cpu.rt_runtime_us ]; then
		refused "a control group without real-time time" \
			"RT group scheduling gives this cgroup no real-time time: write 950000 to /sys/fs/cgroup/cpu/ptpmon-realtime-$$/cpu.rt_runtime_us" \
			in_group cpu :
	fi
	configure '[ptp4l]' 'cpus = 900'
	refused "an absent CPU" "no such CPU: 900: this machine has $cpus" run_with env
	configure '[ptp4l]' 'cpus = 0,900'
	refused "one absent CPU among others" "no such CPU: 900: this machine has $cpus" run_with env
	if [ -e /sys/fs/cgroup/cpuset/cpuset.effective_cpus ]; then
		configure '[ptp4l]' 'cpus = 1'
		refused "a CPU that the cpuset has not" \
			"CPU 1 not in cpuset /sys/fs/cgroup/cpuset/ptpmon-realtime-$$, which allows 0" \
			in_group cpuset 'echo 0 >cpuset.cpus && echo 0 >cpuset.mems'
	fi

	# With on_refusal = warn it goes on, and says why it is not what was asked.
	ptpmon_configure slave slave -3 '[store]' 'flush_interval = 1 s'
	board_start slave slave-ptpmon "${without_nice[@]}" \
		"$LAB_BUILD/ptpmon/ptpmon" run --config "$LAB_WORK/slave.conf"
	check "with on_refusal = warn it runs, and the cause is told" wait_for 15 \
		'happened schedule-mismatch "ptp4l: thread % runs SCHED_OTHER 0, asked SCHED_FIFO 70: no CAP_SYS_NICE%"'
	stop slave-ptpmon
	check "... and it ends in order" [ "$lab_status" = 0 ]
}

# --- throttling ---

# Uses up the real-time time of a control group of its own, a thousandth of a CPU.
use_up_a_budget() {
	local group=/sys/fs/cgroup/cpu/ptpmon-realtime-$$

	mkdir "$group" && echo 1000 >"$group/cpu.rt_runtime_us"
	sh -c 'echo $$ >"$0/cgroup.procs" && exec chrt -f 5 timeout 1 sh -c "while :; do :; done"' "$group" || true
	wait_for 5 "rmdir '$group' 2>/dev/null"
}

throttling() {
	local since_us

	if [ -e /sys/fs/cgroup/cpu/cpu.rt_runtime_us ]; then
		use_up_a_budget
		start
		check "that the kernel throttled since boot is in status" \
			wait_for 10 '[ "$(status .rt_throttling.fired)" = true ]'
		check "... and on the screen" grep -q '^throttled' <<<"$(ptpmon slave status || true)"
		check "... and no event if it was before the start" \
			[ "$(sql "select count(*) from events where code = 'rt-throttled'")" = 0 ]
		stop slave-ptpmon
	fi

	# The kernel says it once since boot: a file in the place of its log says it again. In the
	# mount namespace of the board, that is.
	since_us=$((($(uptime_cs) + 3000) * 10000))
	printf '4,700,%s,-;sched: RT throttling activated\n' "$since_us" >"$LAB_WORK/kmsg"
	ptpmon_configure slave slave -3 '[store]' 'flush_interval = 1 s'
	# shellcheck disable=SC2016 # the inner shell's
	board_start slave slave-ptpmon sh -c 'mount --bind "$0" /dev/kmsg && exec "$@"' "$LAB_WORK/kmsg" \
		"$LAB_BUILD/ptpmon/ptpmon" run --config "$LAB_WORK/slave.conf"
	check "throttling while it runs is an event" wait_for 15 'happened rt-throttled "kernel: real-time threads%"'
	stop slave-ptpmon

	# Without CAP_SYSLOG, where the kernel's log is closed to others.
	if [ "$(cat /proc/sys/kernel/dmesg_restrict)" = 1 ]; then
		board_start slave slave-ptpmon setpriv --bounding-set -syslog,-sys_admin --inh-caps -syslog,-sys_admin \
			"$LAB_BUILD/ptpmon/ptpmon" run --config "$LAB_WORK/slave.conf"
		check "who may not read the kernel's log says so" \
			wait_for 10 'grep -q CAP_SYSLOG <<<"$(status .rt_throttling.problem)"'
		stop slave-ptpmon
	fi
}

# --- the port's kernel threads ---

foreign_napi= # the other board's: a port of the same name in another network namespace

napi_threads() {
	ps -eo pid=,comm= | awk -v foreign="$foreign_napi" '$2 ~ /^napi\/eth0-/ && $1 != foreign { print $1 }'
}

napi_schedules() {
	local tid

	for tid in $(napi_threads); do
		chrt -p "$tid" | sed 's/.*: //' | xargs
	done | sort -u
}

# A veth has NAPI once it has GRO, and the kernel makes threads of it when told: real ones.
thread_napi() { # thread_napi BOARD
	ip netns exec "ptpmon-$$-$1" sh -c 'ethtool -K eth0 gro on && echo 1 >/sys/class/net/eth0/threaded' \
		2>/dev/null && [ -n "$(napi_threads)" ]
}

configure_running() { # configure_running LINE...: another configuration for the running service
	ptpmon_configure slave slave -3 '[store]' 'flush_interval = 1 s' "$@"
	kill -HUP "${lab_pid[slave-ptpmon]}"
}

port_threads() {
	local pid wanted=('[realtime]' 'napi_priority = 61' 'irq_priority = 62')

	if [ -n "$(napi_threads)" ] || ! thread_napi gm; then
		echo "# no threaded NAPI here: its part is left out"
		return
	fi
	foreign_napi=$(napi_threads)
	thread_napi slave
	start "${wanted[@]}"
	check "threaded NAPI has the priority asked" wait_for 5 '[ "$(napi_schedules)" = "SCHED_FIFO 61" ]'
	check "... but not that of the other board's eth0, if the kernel tells them apart" \
		sh -c 'chrt -p "$1" | grep -q SCHED_OTHER || [ "$(printf "6.8\n%s\n" "$(uname -r)" | sort -V | head -n 1)" != 6.8 ]' - "$foreign_napi"
	check "... which is told as read back" \
		wait_for 10 'happened port-threads-set "napi/eth0-% (was SCHED_OTHER 0)%SCHED_FIFO 61, as read back"'
	check "a priority for threads that are not there is told of" \
		wait_for 10 'happened port-threads-absent "eth0: irq_priority has nothing to set%"'
	check "the audit lists it as the port's" wait_for 15 '[ "$(finding napi/eth0 kind)" = port ]'
	pid=$(ptp4l_pid)
	configure_running '[realtime]' 'napi_priority = 55'
	check "SIGHUP sets another priority" wait_for 10 '[ "$(napi_schedules)" = "SCHED_FIFO 55" ]'
	configure_running
	check "... and gives back what is no longer asked for" wait_for 10 '[ "$(napi_schedules)" = "SCHED_OTHER 0" ]'
	configure_running "${wanted[@]}"
	check "... and sets it again" wait_for 10 '[ "$(napi_schedules)" = "SCHED_FIFO 61" ]'
	check "... all without a new ptp4l" [ "$(ptp4l_pid)" = "$pid" ]
	stop slave-ptpmon
	check "it is given back at the end" [ "$(napi_schedules)" = "SCHED_OTHER 0" ]
	check "... which is recorded" happened port-threads-restored "napi/eth0-%"

	start "${wanted[@]}"
	check "after a SIGKILL nothing is given back" wait_for 5 '[ "$(napi_schedules)" = "SCHED_FIFO 61" ]'
	stop slave-ptpmon KILL
	check "... yet" [ "$(napi_schedules)" = "SCHED_FIFO 61" ]
	wait_for 10 '[ -z "$(ptpmon_pids slave ptpmon)" ]'
	start
	check "the next start knows what it was, and gives it back" \
		wait_for 10 '[ "$(napi_schedules)" = "SCHED_OTHER 0" ]'
	stop slave-ptpmon
	check "nothing is left to remember" [ ! -e "$LAB_WORK/slave.run/kernel-threads" ]

	start "${wanted[@]}"
	ip -n "ptpmon-$$-slave" link del dev eth0
	wait_for 5 '[ -z "$(napi_threads)" ]'
	lab_link "ptpmon-$$-gm" eth0 "ptpmon-$$-slave" eth0
	foreign_napi=
	thread_napi slave
	check "the threads of an interface that came back are set, too" \
		wait_for 25 '[ "$(napi_schedules)" = "SCHED_FIFO 61" ]'
	chrt -o -p 0 "$(napi_threads | head -n 1)"
	check "what somebody else changes is told of" \
		wait_for 15 'happened port-threads-changed "napi/eth0-%: runs SCHED_OTHER 0, was set to SCHED_FIFO 61%"'
	check "... and left so" grep -q "SCHED_OTHER" <<<"$(napi_schedules)"
	stop slave-ptpmon

	configure '[realtime]' 'napi_priority = 61' '[ptp4l]' 'fifo_priority = 0'
	refused "a kernel thread without CAP_SYS_NICE" "stays at SCHED_OTHER 0, asked SCHED_FIFO 61: no CAP_SYS_NICE" \
		run_with "${without_nice[@]}"
}

lab_open
rmdir /sys/fs/cgroup/*/ptpmon-realtime-* 2>/dev/null || true # of a run that was killed
[ "$(nproc)" -ge 2 ] || skip "needs two CPUs"
lab_board gm
lab_board slave
lab_join gm slave
start_ptp4l gm gm -3
audit
starvation
behind_our_back
refusals
throttling
port_threads
lab_finish
