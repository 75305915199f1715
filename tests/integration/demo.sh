#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The demo: it shows what it promises, and takes away what it made, also when it is interrupted.
# shellcheck source=../lab/lib.sh
. "$(dirname "$0")/../lab/lib.sh"

demo=$LAB_TOP/tests/lab/demo
export TMPDIR # what the demo makes is counted in a directory of our own

left() { # how much it left behind: namespaces but ours, files, processes
	ip netns list | grep -v "^ptpmon-$$-" | wc -l
	find "$TMPDIR" -mindepth 1 -maxdepth 1 -name 'ptpmon-lab*' | wc -l
	ps -eo args= | grep -c '^[^ ]*\(ptp4l\|ptpmon\|stress-ng\|relay\) .*ptpmon-lab' || true
}

shows() {
	grep -qE -- "$1" "$LAB_WORK/demo.out"
}

lab_open
TMPDIR=$LAB_WORK
before=$(left)

check "the demo ends well" bash -c '"$@" --seconds 6 >"$0" 2>&1' "$LAB_WORK/demo.out" "$demo"
check "it shows idle and load side by side" shows '\<idle\>.*\<load\>'
check "it shows offset percentiles" shows '99(\.0)? ?%'
check "it shows every CPU" [ "$(grep -ciE '^ *cpu ?[0-9]+' "$LAB_WORK/demo.out")" -ge "$(nproc)" ]
check "it leaves nothing behind" [ "$(left)" = "$before" ]

for moment in 'two boards' 'phase idle' 'phase load'; do
	env --default-signal=INT "$demo" --seconds 10 >"$LAB_WORK/demo.out" 2>&1 &
	pid=$!
	wait_for 60 "shows '$moment'"
	pause 1.5
	kill -INT "$pid"
	status=0
	wait "$pid" || status=$?
	check "interrupted at '$moment': it says so" [ "$status" = 130 ]
	check "interrupted at '$moment': it leaves nothing behind" [ "$(left)" = "$before" ]
done

# A step that fails: a machine without ptp4l in its path.
mkdir "$LAB_WORK/bin"
printf '#!/bin/sh\nexit 1\n' >"$LAB_WORK/bin/ptp4l"
chmod +x "$LAB_WORK/bin/ptp4l"
status=0
PATH=$LAB_WORK/bin:$PATH "$demo" --seconds 5 >"$LAB_WORK/demo.out" 2>&1 || status=$?
check "a step that fails: it says so" [ "$status" = 1 ]
check "a step that fails: it leaves nothing behind" [ "$(left)" = "$before" ]
lab_finish
