#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Alive but useless, and what only looks like it: what is named, what is started again, and what never
# is. Beside that, what the link's news and ptp4l's own complaints become.
# shellcheck source=../lab/lib.sh
. "$(dirname "$0")/../lab/lib.sh"

events() { # events CODE [CONDITION]: how many were recorded
	ptpmon_sql slave "select count(*) from event where code = '$1' and ${2:-1}"
}

action() { # action CODE: of the newest event
	ptpmon_sql slave "select json_extract(detail, '\$.action') from event where code = '$1'
		order by id desc limit 1"
}

ptp4l_pid() {
	ptpmon_pids slave '^[^ ]*ptp4l '
}

start() {
	start_ptpmon slave slave -3 '[store]' 'flush_interval = 1 s' '[latency]' 'on = no' "$@"
}

lab_open
lab_board gm
lab_board slave
lab_join gm slave relay

# Nobody there to follow.
start '[monitor]' 'settle_within = 4 s'
ptp4l=$(wait_for 10 '[ -n "$(ptp4l_pid)" ]' && ptp4l_pid)
check "no master: named once the time to settle is over" \
	wait_for 20 '[ "$(events port-unsettled)" = 1 ]'
pause 6
check "no master: named once, and left alone" \
	[ "$(events port-unsettled) $(ptp4l_pid)" = "1 $ptp4l" ]
start_ptp4l gm gm -3
check "a master comes: it works" wait_for 20 '[ "$(events recovered)" = 1 ]'
wait_for 10 '[ "$(port_state slave)" = SLAVE ]'
pause 2

# Announces go on, Syncs do not.
wire drop 0 100
check "no Syncs: named" wait_for 10 '[ "$(events sync-stale)" -ge 1 ]'
check "no Syncs: not started again while the master may be gone" [ "$(action sync-stale)" = none ]
check "no Syncs: started again when it is not" wait_for 15 '[ "$(action sync-stale)" = restart ]'
wire clear
check "Syncs again: it works, and how long that took is told" wait_for 30 \
	'[ "$(events recovered "json_extract(detail, '\''\$.cause'\'') = '\''sync-stale'\'' and
		json_extract(detail, '\''\$.recover_ns'\'') > 4e9")" = 1 ]'
wait_for 10 '[ "$(port_state slave)" = SLAVE ]'
pause 2

# The master ends.
ptp4l=$(ptp4l_pid)
stop gm-ptp4l
check "master gone: told" wait_for 15 '[ "$(port_state slave)" = LISTENING ]'
pause 12
check "master gone: left alone" [ "$(ptp4l_pid)" = "$ptp4l" ]
start_ptp4l gm gm -3
check "master back: it locks" wait_for 20 '[ "$(port_state slave)" = SLAVE ]'

# The link, and ptp4l's own words about it.
ip -n "ptpmon-$$-slave" addr flush dev eth0
check "address removed: told" wait_for 5 '[ "$(events address-lost "subject = '\''eth0'\''")" = 1 ]'
ip -n "ptpmon-$$-slave" addr add 10.98.0.2/24 dev eth0
check "address back: told" wait_for 5 '[ "$(events address-back)" = 1 ]'
for flap in 1 2 3; do
	ip -n "ptpmon-$$-slave" link set eth0 down
	pause 1
	ip -n "ptpmon-$$-slave" link set eth0 up
	check "flap $flap: mended" wait_for 20 \
		"[ \"\$(events recovered \"json_extract(detail, '\\\$.cause') = 'link-down'\")\" = $flap ]"
done
check "ptp4l's complaint: an event with a code, told at once" \
	[ "$(events port-fault "json_extract(detail, '\$.count') = 1")" = 1 ]
check "ptp4l's complaint: the next ones are counted, not told" [ "$(events port-fault)" = 1 ]
# More news than the kernel keeps for a recorder that does not read.
recorder=$(ptpmon_pids slave ' recorder')
kill -STOP "$recorder"
for _ in $(seq 120); do
	ip -n "ptpmon-$$-slave" link set eth0 alias many
	ip -n "ptpmon-$$-slave" link set eth0 alias more
done
ip -n "ptpmon-$$-slave" link set eth0 down
ip -n "ptpmon-$$-slave" addr flush dev eth0
kill -CONT "$recorder"
check "news of the link were lost: it knows nevertheless that it is down" wait_for 10 \
	'[ "$({ ptpmon slave status --json || true; } | jq ".ports[0].carrier")" = false ]'
check "... and that the address is gone" wait_for 5 '[ "$(events address-lost)" = 2 ]'
ip -n "ptpmon-$$-slave" link set eth0 up
check "... and when it is back" wait_for 20 '[ "$(port_state slave)" = SLAVE ]'
stop slave-ptpmon
check "it ends in order" [ "$lab_status" = 0 ]

# Only named.
rm -rf "$LAB_WORK/slave.db"
start '[monitor]' 'on_useless = warn'
wait_for 20 '[ "$(port_state slave)" = SLAVE ]'
pause 2
ptp4l=$(ptp4l_pid)
kill -STOP "$ptp4l"
check "hangs, policy warn: named" wait_for 10 '[ "$(events management-silent)" = 1 ]'
pause 3
check "hangs, policy warn: left alone" [ "$(ptp4l_pid) $(action management-silent)" = "$ptp4l none" ]
kill -CONT "$ptp4l"
check "goes on: told" wait_for 10 '[ "$(events recovered)" -ge 1 ]'
stop slave-ptpmon
lab_finish
