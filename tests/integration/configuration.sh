#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A configuration is found bad before anything is started, by `run --check-config` and by `run`, also
# for the ptp4l that is installed; one that only ptp4l can find bad ends in no loop.
# shellcheck source=../lab/lib.sh
. "$(dirname "$0")/../lab/lib.sh"

status() { # status FILTER: a value of the slave's status
	{ ptpmon slave status --json || true; } | jq -r "$1"
}

pid_of() { # pid_of CHILD
	status ".children[] | select(.name == \"$1\") | .pid"
}

sql() {
	ptpmon_sql slave "$1"
}

# With LINEs: exit status, and what was printed, in $LAB_WORK/check.
checked() { # checked EXIT_STATUS PATTERN [LINE...]
	local status=0

	ptpmon_configure slave slave -3 "${@:3}"
	ptpmon slave run --check-config >"$LAB_WORK/check" 2>&1 || status=$?
	[ "$status" = "$1" ] && [ "$(wc -l <"$LAB_WORK/check")" = 1 ] && grep -qE -- "$2" "$LAB_WORK/check"
}

lab_open
lab_board gm
lab_board slave 1000000000
lab_join gm slave
start_ptp4l gm gm -3

check "a good configuration is said to be good" checked 0 "good: slave, 1 ptp4l, linuxptp [0-9]"
check "a bad key is named" checked 2 'more.conf:2: \[ptp4l\] nonsense' '[ptp4l]' 'nonsense = 1'
check "an option that the installed ptp4l does not know is named" \
	checked 2 "\[ptp4l\]: ptp4l .* does not take it: .*nosuch" '[ptp4l]' 'extra_arguments = --nosuch=1'
check "... or a value" \
	checked 2 "does not take it: .*logAnnounceInterval" '[ptp4l]' 'extra_arguments = --logAnnounceInterval=1000'
check "a program that is no ptp4l is doubted" \
	checked 0 "of an unknown version: is this a ptp4l\? /bin/true" '[ptp4l]' 'program = /bin/true'
printf '[global]\ntime_stamping software\n[eth0]\n' >"$LAB_WORK/good.cfg"
printf '[global]\ntime_stamping software\nnosuch 1\n[eth0]\n' >"$LAB_WORK/bad.cfg"
sed -i '/^timestamping\|^tx_timestamp\|^log_sync\|^extra/d' "$LAB_WORK/slave.conf"
file_checked() { # file_checked EXIT_STATUS PATTERN FILE
	local status=0

	printf '[ptpmon]\nrole = slave\nruntime_directory = %s\n[ptp4l]\nconfig_file = %s\n' \
		"$LAB_WORK/slave.run" "$3" >"$LAB_WORK/slave.conf"
	rm -rf "$LAB_WORK/slave.conf.d"
	ptpmon slave run --check-config >"$LAB_WORK/check" 2>&1 || status=$?
	[ "$status" = "$1" ] && grep -qE -- "$2" "$LAB_WORK/check"
}
check "a file of ptp4l's own is good" file_checked 0 'good: slave' "$LAB_WORK/good.cfg"
check "... or has an option that it does not know" file_checked 2 'unknown option nosuch at line 3' "$LAB_WORK/bad.cfg"
check "... or is not there" file_checked 2 'none.cfg: No such file' "$LAB_WORK/none.cfg"
check "... or is none" file_checked 2 '/dev/zero: not a regular file: config_file names it' /dev/zero
check "... or is no text" file_checked 2 'vclock: has a NUL in it' "$LAB_BUILD/tests/lab/vclock"
check "nothing was started" [ -z "$(ip netns pids "ptpmon-$$-slave")" ]

# What only shows when it runs: ptp4l takes no slaveOnly beside gmCapable 0.
start_ptpmon slave slave -3 '[ptp4l]' 'profile = gptp' 'extra_arguments = --slaveOnly=1'
check "ptp4l that ends at once is told from one that crashed" \
	wait_for 15 '[ "$(sql "select count(*) from event where code = '\''child-misconfigured'\''")" = 1 ]'
check "... with its last words" \
	[ "$(sql "select text like '%Cannot mix%' or text like '%failed to create a clock%' from event where code = 'child-misconfigured'")" = 1 ]
starts=$(sql "select count(*) from event where code = 'child-started' and subject = 'ptp4l'")
check "... after a few starts" [ "$starts" -le 3 ]
check "... and status shows it" [ "$(status '.children[] | select(.name == "ptp4l") | .state')" = failed ]
check "... and is bad" [ "$(status .verdict)" = bad ]
pause 3
check "... and no more of them" \
	[ "$(sql "select count(*) from event where code = 'child-started' and subject = 'ptp4l'")" = "$starts" ]
stop slave-ptpmon
check "the exit status says that one was given up" [ "$lab_status" = 1 ]
lab_finish
