#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Two ptp4l under one service, a slave on one wire and a grandmaster on another: sockets, logs,
# series and states of each are its own, and what happens to the one leaves the other alone.
# shellcheck source=../lab/lib.sh
. "$(dirname "$0")/../lab/lib.sh"

middle_state() { # middle_state NAME DOMAIN: what the ptp4l with its sockets in that directory says
	board_exec middle pmc -u -b 0 -d "$2" -i "$LAB_WORK/pmc.$BASHPID" -s "$LAB_WORK/middle.run/$1/ptp4l" \
		'GET PORT_DATA_SET' | awk '$1 == "portState" { print $2; exit }'
}

status() { # status FILTER: a value of the status of the board in the middle
	{ ptpmon middle status --json || true; } | jq -r "$1"
}

pid_of() { # pid_of CHILD
	status ".children[] | select(.name == \"$1\") | .pid"
}

leaf_state() {
	board_exec leaf pmc -u -b 0 -d 7 -i "$LAB_WORK/pmc.$BASHPID" -s "$LAB_WORK/leaf-ptp4l" \
		'GET PORT_DATA_SET' | awk '$1 == "portState" { print $2; exit }'
}

lab_open
lab_board gm
lab_board middle 1000000000
lab_board leaf 2000000000
lab_join gm middle
lab_join middle leaf
start_ptp4l gm gm -3
start_ptp4l leaf slave -3 'domainNumber 7'
start_ptpmon middle slave -3 '[ptp4l down]' 'interfaces = eth1' 'role = grandmaster' \
	'domain = 7' 'extra_arguments = --logAnnounceInterval=-2'
check "the first is SLAVE" wait_for 20 '[ "$(middle_state eth0 0)" = SLAVE ]'
check "the second is MASTER" wait_for 20 '[ "$(middle_state down 7)" = MASTER ]'
check "... of the leaf" wait_for 20 '[ "$(leaf_state)" = SLAVE ]'

# One status for both.
check "status shows both ports, each with its role" wait_for 10 \
	'[ "$(status "[.ports[] | .name, .role, .state.value] | join(\" \")")" = "eth0 slave SLAVE eth1 grandmaster MASTER" ]'
check "... each with its socket" [ "$(status '.ports[1].socket')" = "$LAB_WORK/middle.run/down/ptp4l" ]
check "... and is good" wait_for 10 '[ "$(status .verdict)" = good ]'
check "... with both children by name" \
	[ "$(status '[.children[].name] | sort | join(",")')" = "latency,ptp4l,ptp4l down,recorder" ]

# One ends; the other does not notice.
first=$(pid_of ptp4l)
second=$(pid_of "ptp4l down")
kill -KILL "$second"
check "one that was killed is started again" \
	wait_for 10 '[[ "$(pid_of "ptp4l down")" =~ ^[0-9]+$ ]] && [ "$(pid_of "ptp4l down")" != "$second" ] &&
		[ "$(middle_state down 7)" = MASTER ]'
check "... and is the one that the record names" wait_for 10 \
	'[ "$(ptpmon_sql middle "select group_concat(distinct subject) from event where code = '\''child-exited'\''")" = "ptp4l down" ]'
check "the other still is the same process" [ "$(pid_of ptp4l)" = "$first" ]
check "... and SLAVE" [ "$(middle_state eth0 0)" = SLAVE ]

stop middle-ptpmon
check "it ends in order" [ "$lab_status" = 0 ]
check "... and leaves nothing" eval \
	'[ -z "$(ip netns pids "ptpmon-$$-middle")" ] && [ ! -e "$LAB_WORK/middle.run" ]'
check "offsets are those of the slave's port" \
	[ "$(ptpmon_sql middle "select group_concat(subject) from series where kind = 'offset'")" = eth0 ]
check "... without a hole that is not declared" \
	[ "$(ptpmon_sql middle 'select count(*) > 10 from sample')" = 1 ]
lab_finish
