#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Two ptp4l of one service whose ports share a PHC, as an i.MX 95's do: only one of them may steer it. What
# is known before the start is refused, and what turns up later waits.
# shellcheck source=../lab/lib.sh
. "$(dirname "$0")/../lab/lib.sh"

# shellcheck disable=SC2034 # conditions read it
REFUSAL='eth[01] shares /dev/ptp0 with a port of \[ptp4l( b)?\]: only one may steer it'

ptp4ls() { # how many run on the board
	ptpmon_pids pair '(^|/)ptp4l ' | wc -l
}

child_state() { # child_state CHILD
	(ptpmon pair status --json || true) | jq -r ".children[] | select(.name == \"$1\").state"
}

lab_open
lab_board gm
lab_board pair
lab_board other
lab_phc gm
lab_phc pair 36000000000
lab_phc other
lab_join gm pair
lab_join pair other
phc pair port eth1 # the same clock
start_ptp4l gm gm -3 "time_stamping hardware"
start_ptp4l other gm -3 "time_stamping hardware" "domainNumber 7"

ptpmon_configure pair slave -3 "[ptp4l]" "timestamping = hardware" \
	"[ptp4l b]" "interfaces = eth1" "domain = 7" "timestamping = hardware"
board_start pair refused "$LAB_BUILD/ptpmon/ptpmon" run --config "$LAB_WORK/pair.conf"
check "two ptp4l that would steer one PHC are refused before either starts" wait_for 10 '! is_running refused'
wait "${lab_pid[refused]}" && status=0 || status=$?
check "... with the status of what cannot run" [ "$status" = 2 ]
check "... by name, in one line" eval '[ "$(grep -cE "$REFUSAL" "$LAB_WORK/refused.log")" = 1 ] &&
	[ "$(wc -l <"$LAB_WORK/refused.log")" = 1 ]'
check "... and nothing was started" [ "$(grep -c 'started, pid' "$LAB_WORK/refused.log" || true)" = 0 ]
check "... and the PHC was left alone" [ "$(phc pair | cut -d ' ' -f 3)" = 0 ]

# The second interface is not there yet.
ip -n "ptpmon-$$-pair" link set dev eth1 down
ip -n "ptpmon-$$-pair" link set dev eth1 name later
rm "$LAB_WORK/pair.phcs/eth1"
start_ptpmon pair slave -3 "[ptp4l]" "timestamping = hardware" \
	"[ptp4l b]" "interfaces = eth1" "domain = 7" "timestamping = hardware"
check "without the second port the first runs" wait_for 15 '[ "$(ptp4ls)" = 1 ] && [ "$(port_state pair)" = SLAVE ]'
phc pair port eth1
ip -n "ptpmon-$$-pair" link set dev later name eth1
ip -n "ptpmon-$$-pair" link set dev eth1 up
check "the second is not started when its port comes" wait_for 40 'grep -qE "$REFUSAL" "$LAB_WORK/pair-ptpmon.log"'
pause 2
check "... and waits" [ "$(child_state 'ptp4l b')" = waiting ]
check "... so that one ptp4l steers" [ "$(ptp4ls)" = 1 ]
check "... which is SLAVE" [ "$(port_state pair)" = SLAVE ]
old=$(ptpmon_pids pair '(^|/)ptp4l ')
kill -KILL "$old"
check "the first that was killed is started again all the same" wait_for 15 \
	'[ "$(ptp4ls)" = 1 ] && [ "$(ptpmon_pids pair "(^|/)ptp4l ")" != "$old" ] && [ "$(child_state ptp4l)" = up ]'

# A grandmaster steers no PHC: it serves the one that the slave steers, which is not set for it.
steps=$(phc pair | cut -d ' ' -f 3)
sed -i '/^\[ptp4l b\]/a role = grandmaster' "$LAB_WORK/pair.conf" "$LAB_WORK"/pair.conf.d/*
kill -HUP "${lab_pid[pair-ptpmon]}"
check "as a grandmaster it may have the same PHC" wait_for 40 '[ "$(child_state "ptp4l b")" = up ] && [ "$(ptp4ls)" = 2 ]'
check "... and the PHC is left to the other one" [ "$(phc pair | cut -d ' ' -f 3)" = "$steps" ]
stop pair-ptpmon
check "it ends in order" [ "$lab_status" = 0 ]

lab_finish
