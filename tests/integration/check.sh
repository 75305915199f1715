#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# ptpmon check on a live board: what is asked of the machine, before and while ptpmon runs, compared
# with its record; and it changes nothing.
# shellcheck source=../lab/lib.sh
. "$(dirname "$0")/../lab/lib.sh"

verdict() { # verdict CODE [OPTION...]: "PASS value"; those of several ports in a line each
	board_exec slave "$LAB_BUILD/ptpmon/ptpmon" check --json -c "$LAB_WORK/slave.conf" --only "$1" "${@:2}" |
		jq -r '.checks[] | .verdict + " " + .value'
}

is() { # is VERDICT CODE TEXT [OPTION...]: with that in its value
	local line

	line=$(verdict "$2" "${@:4}") || true
	echo "# $2: $line"
	[[ $line == "$1 "*"$3"* ]]
}

exits() { # exits STATUS OPTION...
	local status=0

	board_exec slave "$LAB_BUILD/ptpmon/ptpmon" check "${@:2}" >"$LAB_WORK/check.out" 2>&1 || status=$?
	[ "$status" = "$1" ]
}

state() { # what a check must leave as it is
	board_exec slave ip -o link show dev eth0
	board_exec slave ip -o address show dev eth0
	board_exec slave tc qdisc show dev eth0
	find "$LAB_WORK/slave.run" 2>/dev/null | sort
	cat /proc/sys/kernel/sched_rt_runtime_us /proc/sys/kernel/printk
}

lab_open
lab_board gm
lab_board slave
lab_phc gm 37000000000
lab_phc slave 37000000000
lab_join gm slave
ptpmon_configure slave slave -3 '[ptp4l]' 'timestamping = hardware' '[latency]' 'on = no'

before=$(state)
check "a link" is PASS port-link carrier
check "a veth has no device behind it" is WARN port-driver virtual
check "hardware time stamps" is PASS port-timestamping "hardware: transmit, receive, raw clock"
check "filters" is PASS port-filters ""
check "a PHC" is PASS port-phc "/dev/ptp0, readable and writable"
check "... that shows TAI" is PASS port-phc-epoch TAI
check "... and is read quickly" is PASS port-phc-delay PTP_SYS_OFFSET
check "queueing" is PASS port-qdisc noqueue
check "linuxptp" is PASS sw-linuxptp .
check "room for the record" is PASS sw-disk "$LAB_WORK"
check "nothing recorded: nothing to compare with" is SKIP kernel-changed ""
check "nothing recorded: no database" is SKIP sw-database "nothing is recorded"
check "nobody else steers" is PASS sw-rivals ""

check "a packet is not sent unasked" is SKIP port-probe "only with --probe"
check "a packet's time stamp comes back" is PASS port-probe "stamps back in" --probe

board_start slave named "$LAB_BUILD/tests/lab/rival" chronyd
check "a chronyd is told" is FAIL sw-rivals "chronyd (pid ${lab_pid[named]})"
stop named
board_exec slave tc qdisc replace dev eth0 root htb
check "a shaper is told" is WARN port-qdisc htb
board_exec slave tc qdisc del dev eth0 root
if board_exec slave ip link add br0 type bridge 2>/dev/null; then
	board_exec slave ip link set eth0 master br0
	check "a bridge is told" is FAIL port-stack "part of bridge br0"
	board_exec slave ip link set eth0 nomaster
	board_exec slave ip link del br0
fi
phc slave jump -1800000000000000000
check "a PHC in the past is told" is FAIL port-phc-epoch "before ptpmon was built"
phc slave jump 1800000000000000000

check "1: one failed" exits 1 -c "$LAB_WORK/slave.conf" -i eth9 --only port-link
check "0: none failed" exits 0 -c "$LAB_WORK/slave.conf" --only port-link
check "2: no such check" exits 2 --only no-such-thing
check "... in one line" [ "$(wc -l <"$LAB_WORK/check.out")" = 1 ]
check "2: no such file" exits 2 -c "$LAB_WORK/no-such.conf"
check "kept in a folder" exits 0 -i eth0 --only port-link -o "$LAB_WORK/kept"
check "... with its text" grep -q "PASS  port-link" "$LAB_WORK"/kept/*Z/check.txt
check "... and its JSON" [ "$(jq -r '.checks[0].verdict' "$LAB_WORK"/kept/*Z/check.json)" = PASS ]
check "2: no such folder" exits 2 -i eth0 --only port-link -o "$LAB_WORK/none/kept"
check "without a configuration" exits 0 -i eth0 --only port-link
check "it changed nothing" [ "$(state)" = "$before" ]

start_ptp4l gm gm -3 "time_stamping hardware"
start_ptp4l slave slave -3 "time_stamping hardware"
check "nothing is sent beside a ptp4l" is SKIP port-probe "ptp4l or ptpmon runs here" --probe
check "... which is a rival" is FAIL sw-rivals "ptp4l (pid ${lab_pid[slave-ptp4l]}) runs PTP on a port of ours"
stop slave-ptp4l
start_ptpmon slave slave -3 '[ptp4l]' 'timestamping = hardware' '[store]' 'flush_interval = 1 s' '[latency]' 'on = no'
check "the slave locks" wait_for 30 '[ "$(port_state slave)" = SLAVE ]'
check "its programs are no rivals" is PASS sw-rivals ""
check "its sockets are in use" is PASS sw-stale-sockets ""
check "the rights of the service" is FAIL sw-privileges "the service is without CAP_SYS_TIME"
check "nor beside ptpmon, whose record is judged" is PASS port-probe "0 complaints" --probe
check "the record opens" is PASS sw-database "newest run is 1"
check "the kernel of this boot is no news" is SKIP kernel-changed "only this boot is recorded"
stop slave-ptpmon
sqlite3 "$LAB_WORK/slave.db/ptpmon.db" "update run set boot_id = 'another'"
check "another boot's is compared" is PASS kernel-changed "as in run 1"
sqlite3 "$LAB_WORK/slave.db/ptpmon.db" "update run set kernel = '6.12.3-rt3 #1 SMP PREEMPT_RT'"
check "a kernel that was real-time and is not" is FAIL kernel-changed "run 1 had one, 6.12.3-rt3"
lab_finish
