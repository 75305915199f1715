#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# alone
#
# The demo: it shows what it promises, and takes away what it made, also when it is interrupted.
# shellcheck source=../lab/lib.sh
. "$(dirname "$0")/../lab/lib.sh"

# Start the demo, with its process id in $demo_pid.
start_demo() { # start_demo SECONDS
	TMPDIR=$LAB_WORK env --default-signal=INT "$LAB_TOP/tests/lab/demo" --seconds "$1" \
		>"$LAB_WORK/demo.out" 2>&1 </dev/null &
	demo_pid=$!
}

end_demo() { # end_demo: wait for it; its exit status is then in $status
	status=0
	wait "$demo_pid" || status=$?
}

# No namespace, no file and no process of it: they all have its TMPDIR in their environment.
left_nothing() {
	! ip netns list | grep "^ptpmon-$demo_pid-" &&
		! find "$LAB_WORK" -mindepth 1 -name 'ptpmon-lab*' | grep . &&
		! grep -lsa "TMPDIR=$LAB_WORK" /proc/[0-9]*/environ
}

shows() {
	grep -qE -- "$1" "$LAB_WORK/demo.out"
}

# What bash says of a process that was killed.
says_nothing_of_jobs() {
	! shows 'Killed|Terminated'
}

lab_open
start_demo 6
end_demo
check "the demo ends well" [ "$status" = 0 ]
check "it says how long a phase will take" shows 'phase load \(6 s, until [0-9:]{8}\)'
check "it shows idle and load side by side" shows '\<idle\>.*\<load\>'
check "it shows offset percentiles" shows '99(\.0)? ?%'
check "it shows every CPU" [ "$(grep -c '^Wake-up latency: cpu' "$LAB_WORK/demo.out")" = "$(nproc)" ]
check "it leaves nothing behind" left_nothing

for moment in 'two boards' 'phase idle' 'phase load'; do
	start_demo 10
	wait_for 60 "shows '$moment'"
	pause 1.5
	kill -INT "$demo_pid"
	end_demo
	check "interrupted at '$moment': it ends with 130" [ "$status" = 130 ]
	check "interrupted at '$moment': it says nothing of jobs" says_nothing_of_jobs
	check "interrupted at '$moment': it leaves nothing behind" left_nothing
done

# A step that fails: a ptp4l that does not start.
mkdir "$LAB_WORK/bin"
printf '#!/bin/sh\nexit 1\n' >"$LAB_WORK/bin/ptp4l"
chmod +x "$LAB_WORK/bin/ptp4l"
PATH=$LAB_WORK/bin:$PATH start_demo 5
end_demo
check "a step that fails: it ends with 1" [ "$status" = 1 ]
check "a step that fails: it leaves nothing behind" left_nothing
lab_finish
