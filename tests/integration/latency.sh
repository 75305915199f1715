#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# alone
#
# `ptpmon latency` and its sampler on the real scheduler: what the loop does, what it says when it is
# refused, that a stall shows as what it was, and that nothing is lost or left behind.
# shellcheck source=../lab/lib.sh
. "$(dirname "$0")/../lab/lib.sh"

ptpmon=$LAB_BUILD/ptpmon/ptpmon

latency() { # latency OPTION...: JSON into $LAB_WORK/result.json, messages into latency.log
	"$ptpmon" latency --json "$@" >"$LAB_WORK/result.json" 2>"$LAB_WORK/latency.log"
}

result() { # result FILTER: whether it holds for what was measured
	jq -e "$1" "$LAB_WORK/result.json" >/dev/null
}

ends_with() { # ends_with STATUS COMMAND...
	local want=$1 status=0

	shift
	"$@" || status=$?
	[ "$status" = "$want" ]
}

# One line on stderr that has PATTERN in it, nothing on stdout, status 2.
refuses() { # refuses PATTERN OPTION...
	ends_with 2 latency "${@:2}" && [ ! -s "$LAB_WORK/result.json" ] &&
		[ "$(wc -l <"$LAB_WORK/latency.log")" = 1 ] && grep -q -- "$1" "$LAB_WORK/latency.log"
}

# SCHED_FIFO 99 on one CPU, spinning for 10 ms.
hog() { # hog CPU
	python3 - "$1" <<-'END'
		import os, sys, time
		os.sched_setaffinity(0, {int(sys.argv[1])})
		os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(99))
		end = time.monotonic_ns() + 10_000_000
		while time.monotonic_ns() < end:
		    pass
	END
}

measure_in_background() { # measure_in_background OPTION...
	"$ptpmon" latency --json "$@" >"$LAB_WORK/result.json" 2>"$LAB_WORK/latency.log" &
	latency_pid=$!
	wait_for 5 "pgrep -P $latency_pid ptpmon-sampler >/dev/null"
	sampler_pid=$(pgrep -P "$latency_pid" ptpmon-sampler)
}

reap_latency() {
	lab_status=0
	wait "$latency_pid" 2>/dev/null || lab_status=$?
}

plain_run() {
	check "a second on every CPU is measured" ends_with 0 latency -D 1s -a all
	check "... each period a wake-up or counted as missed" \
		result '[.cpus[] | .count + .missed == 1000] | all'
	check "... by real-time threads on their CPU, memory locked" \
		result '.realtime and ([.cpus[].conditions | .policy == "SCHED_FIFO" and
			.priority == 98 and .pinned and .memory_locked] | all)'
	check "... with as many rows as CPUs are online" \
		[ "$(jq '.cpus | length' "$LAB_WORK/result.json")" = "$(nproc --all)" ]
	check "... figures in order, a percentile without the samples for it is null" \
		result '[.cpus[] | .min_ns > 0 and .min_ns <= .p50_ns and .p50_ns <= .p99_ns and
			.p99_ns <= .max_ns and .p99_99_ns == null] | all'
}

stall() {
	local cpu

	cpu=$(jq '.cpus[-1].cpu' "$LAB_WORK/result.json")
	measure_in_background -D 2s -a "$cpu"
	pause 1
	hog "$cpu"
	reap_latency
	check "a CPU taken for 10 ms shows as a wake-up that late" \
		result '.cpus[0].max_ns | . > 9000000 and . < 40000000'
	check "... and as its missed periods, not as one sample" \
		result '.cpus[0] | .missed >= 8 and .count + .missed == 2000'
}

# Between its first and its last sleep a thread makes no system call but the sleep and, where the
# kernel cannot answer in user space, the reading of the clock.
loop_is_clean() {
	local trace threads=0 foreign

	mkdir "$LAB_WORK/trace"
	strace -ff -o "$LAB_WORK/trace/t" "$ptpmon" latency -D 1s -a all >"$LAB_WORK/strace.log" 2>&1
	for trace in "$LAB_WORK"/trace/t.*; do
		grep -q 'PR_SET_NAME, "sampler/' "$trace" || continue
		[ "$(grep -c '^clock_nanosleep' "$trace")" -gt 100 ] || continue
		threads=$((threads + 1))
		foreign=$(awk '/^clock_nanosleep/ { printf "%s", held; held = ""; sleeping = 1; next }
			sleeping && !/^clock_gettime\(CLOCK_MONOTONIC/ { held = held $0 "\n" }' "$trace")
		[ -z "$foreign" ] || echo "$foreign" >>"$LAB_WORK/foreign.log"
	done
	check "a thread a CPU was traced" [ "$threads" = "$(nproc --all)" ]
	check "... and its loop makes no system call but the sleep" [ ! -e "$LAB_WORK/foreign.log" ]
}

without_privileges() {
	# Nobody, who yet may walk to the programs: the tree can be in a directory of root's alone.
	local walk=-all,+dac_read_search
	local nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups "--inh-caps=$walk"
		"--ambient-caps=$walk" "--bounding-set=$walk")

	lab_status=0
	"${nobody[@]}" "$ptpmon" latency -D 200ms --idle-states hold >"$LAB_WORK/nobody.log" 2>&1 ||
		lab_status=$?
	check "without privileges it measures all the same" [ "$lab_status" = 0 ]
	check "... says NOT REAL-TIME and why" \
		grep -q 'NOT REAL-TIME: SCHED_FIFO refused: Operation not permitted' "$LAB_WORK/nobody.log"
	check "... and that idle states are not held off" \
		grep -q 'idle states NOT held off (Permission denied)' "$LAB_WORK/nobody.log"
	check "... or does not start where that was asked for" \
		ends_with 2 "${nobody[@]}" "$ptpmon" latency -D 200ms --on-refusal fail \
		2>"$LAB_WORK/nobody.log"
	check "... and names the priority" grep -q '^ptpmon latency: SCHED_FIFO 98: ' "$LAB_WORK/nobody.log"
	check "... in one line" [ "$(wc -l <"$LAB_WORK/nobody.log")" = 1 ]
}

to_full() {
	"$ptpmon" "$@" >/dev/full 2>"$LAB_WORK/full.log"
}

text_run() {
	"$ptpmon" latency -D 100ms -a 0 >"$LAB_WORK/text.log" 2>&1
	check "what too few wake-ups cannot support is named" \
		grep -q '^-: too few wake-ups: .*99.9 % .*1000, 99.99 % 10000$' "$LAB_WORK/text.log"
	"$ptpmon" latency -D 100ms -i 10us -a all >"$LAB_WORK/text.log" 2>&1
	check "an interval that is too short is told first" \
		grep -q '^UNRELIABLE: [0-9]* % of the periods missed' "$LAB_WORK/text.log"
	check "help fits a terminal" [ -z "$("$ptpmon" latency --help | awk 'length > 79')" ]
	check "output that does not get out is a failure" ends_with 2 to_full latency -D 10ms
	check "... help too" ends_with 2 to_full latency --help
}

closed_input() {
	(exec "$ptpmon" latency -D 1h >"$LAB_WORK/closed.log" 2>&1 <&-) &
	latency_pid=$!
	wait_for 5 "pgrep -P $latency_pid ptpmon-sampler >/dev/null"
	check "what was opened is no standard input that was closed" \
		[ "$(readlink "/proc/$latency_pid/fd/0")" = /dev/null ]
	kill -TERM "$latency_pid"
	reap_latency
}

# As in an image that is made on another machine, or a tarball: nothing is where it was configured.
moved_tree() {
	local root=$LAB_WORK/moved

	mkdir -p "$root/bin" "$root/libexec/ptpmon"
	cp "$ptpmon" "$root/bin/"
	lab_status=0
	"$root/bin/ptpmon" latency -D 10ms >"$LAB_WORK/moved.log" 2>&1 || lab_status=$?
	check "a sampler that is not there is named, with what to do" \
		eval "[ $lab_status = 2 ] && grep -q '^ptpmon latency: the sampler .*: install' '$LAB_WORK/moved.log'"
	cp "$LAB_BUILD/ptpmon/latency/ptpmon-sampler" "$root/libexec/ptpmon/"
	check "one beside a moved ptpmon is found" \
		eval "ends_with 0 '$root/bin/ptpmon' latency -D 10ms >'$LAB_WORK/moved.log'"
}

interrupted() {
	measure_in_background -D 1h
	pause 0.5
	kill -INT "$latency_pid"
	reap_latency
	check "an interrupt ends with status 4" [ "$lab_status" = 4 ]
	check "... what a long run does was told first" \
		grep -q '^ptpmon latency: cpu .* SCHED_FIFO 98 every 1 ms until 20' "$LAB_WORK/latency.log"
	check "... and what there was until then" \
		result '.interrupted and ([.cpus[] | .count + .missed > 300] | all)'
	check "... the sampler has ended" [ ! -e "/proc/$sampler_pid" ]
}

reader_trouble() {
	measure_in_background -D 4s
	kill -STOP "$latency_pid"
	pause 2.5
	kill -CONT "$latency_pid"
	reap_latency
	check "a reader that stops for a while loses nothing" \
		result '[.cpus[] | .count + .missed == 4000] | all'

	measure_in_background -D 1h
	kill -KILL "$latency_pid"
	reap_latency
	check "a sampler whose reader was killed ends" wait_for 3 "[ ! -e /proc/$sampler_pid ]"

	measure_in_background -D 1h
	pause 0.5
	kill -KILL "$sampler_pid"
	reap_latency
	check "a sampler that was killed is reported, with status 2" \
		eval "[ $lab_status = 2 ] && grep -q '^ptpmon latency: .*killed by signal 9' '$LAB_WORK/latency.log'"
}

wrong_options() {
	check "refuses a duration of 0" refuses '--duration 0' -D 0
	check "refuses an interval beyond its range" refuses '--interval 5' -i 5
	check "refuses a priority of 100" refuses '--priority 100' -p 100
	check "refuses a list that is none" refuses '--cpus 3-1' -a 3-1
	check "refuses a word that is none" refuses '--idle-states off' --idle-states off
	check "refuses an operand" refuses 'too much' 10
	check "refuses an option it does not know" refuses '--histogram' --histogram
	check "refuses only CPUs that are not there" \
		eval "ends_with 2 latency -D 1s -a 900 && grep -q 'cpu 900: not present' '$LAB_WORK/latency.log'"
	check "... and prints no result then" [ ! -s "$LAB_WORK/result.json" ]
	check "... but goes on with the others" \
		eval "latency -D 50ms -a 0,900 && result '[.cpus[].cpu] == [0]'"
	check "takes plain numbers as cyclictest does" \
		eval "latency -D 1 -i 2000 -a 0 && result '.cpus[0] | .count + .missed == 500'"
}

lab_open
plain_run
stall
loop_is_clean
without_privileges
interrupted
reader_trouble
wrong_options
text_run
closed_input
moved_tree
lab_finish
