#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A boundary clock whose ports have a PHC each: ptp4l steers that of the port that is SLAVE, and a phc2sys
# keeps the other one with it, whichever way round. No PHC has two writers.
# shellcheck source=../lab/lib.sh
. "$(dirname "$0")/../lab/lib.sh"

JOINED_NS=100000 # what software that is stamped on a busy machine is good for

event_text() { # event_text CODE SUBJECT: the newest one's
	ptpmon_sql bc "select text from event where code = '$1' and subject = '$2' order by mono_ns desc limit 1"
}

event_ns() { # event_ns CODE SUBJECT PATTERN: when the newest one of such a text happened; 0: never
	ptpmon_sql bc "select coalesce(max(mono_ns), 0) from event
		where code = '$1' and subject = '$2' and text like '$3'"
}

status_of() { # status_of JQ-EXPRESSION
	(ptpmon bc status --json || true) | jq -r "$1" # 1: it is not good
}

runs() { # runs ARGUMENTS: the phc2sys with these
	[ -n "$(ptpmon_pids bc "phc2sys.* $1 ")" ]
}

state_is() { # state_is INTERFACE STATE
	[ "$(status_of ".ports[] | select(.name == \"$1\").state.value")" = "$2" ]
}

together() { # together NAME[/ptpN] NAME[/ptpN]: two PHCs
	local apart=$(($(phc_error_ns "$1") - $(phc_error_ns "$2")))

	[ "${apart#-}" -lt "$JOINED_NS" ]
}

system_follows() { # system_follows NAME[/ptpN]: the system clock, 37 s behind it
	local apart=$(($(clock_error_ns bc) + 37000000000 - $(phc_error_ns "$1")))

	[ "${apart#-}" -lt "$JOINED_NS" ]
}

# How often two programs had the same PHC to steer, as seen from outside, until the file goes.
watch_writers() {
	local twice=0 state

	while [ -e "$LAB_WORK/watching" ]; do
		[ "$(ptpmon_pids bc 'phc2sys.* -c /dev/ptp0 ' | wc -l)" -le 1 ] || twice=$((twice + 1))
		[ "$(ptpmon_pids bc 'phc2sys.* -c /dev/ptp1 ' | wc -l)" -le 1 ] || twice=$((twice + 1))
		state=$(board_exec bc pmc -u -b 0 -i "$LAB_WORK/pmc.watch" -s "$LAB_WORK/bc.run/eth0/ptp4l" \
			'GET PORT_DATA_SET' | awk '$1 == "portState" { printf "%s ", $2 }')
		case $state in
		"SLAVE "*) ! runs '-c /dev/ptp0' || twice=$((twice + 1)) ;;
		*" SLAVE "*) ! runs '-c /dev/ptp1' || twice=$((twice + 1)) ;;
		esac
	done
	echo "$twice" >"$LAB_WORK/twice"
}

lab_open
lab_board gm
lab_board bc 3000000000 40000
lab_board leaf
lab_phc gm 37000000000
lab_phc bc 36000000000 20000
lab_phc bc 38000000000 -20000
lab_phc leaf 37005000000
lab_join gm bc
lab_join bc leaf
start_ptp4l gm gm -3 "time_stamping hardware"
start_ptpmon bc slave -3 "[ptpmon]" "role = boundary" "interfaces = eth0 eth1" \
	"[ptp4l]" "timestamping = hardware" "extra_arguments = --logAnnounceInterval=-2 --logMinDelayReqInterval=-3" \
	"[monitor]" "phc_interval = 250 ms" "[store]" "flush_interval = 250 ms"
check "ptp4l is told that its ports have several PHCs" \
	[ -n "$(ptpmon_pids bc 'ptp4l .*--boundary_clock_jbod=1')" ]
check "nothing steers the other PHC before a port is SLAVE" [ -z "$(ptpmon_pids bc '/phc2sys -s')" ]

check "the port to the grandmaster is SLAVE" wait_for 20 'state_is eth0 SLAVE'
check "phc2sys keeps the other port's PHC with its own" wait_for 15 'runs "-s /dev/ptp0 -c /dev/ptp1 -O 0"'
check "... which is told" wait_for 5 \
	'[ "$(event_text gate-opened "phc2sys for eth1")" = "phc2sys for eth1: steers ptp1 by ptp0" ]'
check "... at SCHED_FIFO 60, read back" wait_for 5 \
	'event_text schedule-proven "phc2sys for eth1" | grep -q "runs SCHED_FIFO 60"'
check "... and another the system clock" wait_for 5 'runs "-s /dev/ptp0 -c CLOCK_REALTIME -O -37"'
check "... and none the PHC that ptp4l steers" [ -z "$(ptpmon_pids bc 'phc2sys.* -c /dev/ptp0 ')" ]
check "both PHCs, 2 s apart before, show the grandmaster's time" \
	wait_for 15 'together bc/ptp0 gm && together bc/ptp1 gm'
check "... as the system clock does" wait_for 10 'system_follows gm'

# What it is for: who is behind the other port gets the grandmaster's time. It could be a master itself.
start_ptp4l leaf slave -3 "time_stamping hardware" "slaveOnly 0" "priority1 110"
check "a board behind it is SLAVE" wait_for 20 '[ "$(port_state leaf)" = SLAVE ]'
check "... and shows the grandmaster's time" wait_for 10 'together leaf gm'
check "status is good" wait_for 15 '[ "$(status_of .verdict)" = good ]'
check "... and has what each phc2sys claims" [ "$(status_of '.joiners | map(select(.open)) |
	length == 1 and .[0].sink == "ptp1" and .[0].phc == "ptp0" and .[0].offset_ns.value != null')" = true ]

# The other way round.
touch "$LAB_WORK/watching"
watch_writers &
watcher=$!
ip -n "ptpmon-$$-gm" link set dev eth0 down
check "without its grandmaster it follows the board behind it" wait_for 30 'state_is eth1 SLAVE'
check "the PHC of that port is let go of" wait_for 5 '[ -z "$(ptpmon_pids bc "phc2sys.* -c /dev/ptp1 ")" ]'
check "... which is told, as no fault" [ "$(ptpmon_sql bc "select severity = 'notice' from event where
	code = 'gate-closed' and subject = 'phc2sys for eth1' order by mono_ns desc limit 1")" = 1 ]
check "the other one is kept with it" wait_for 15 'runs "-s /dev/ptp1 -c /dev/ptp0 -O 0"'
check "... and the system clock" wait_for 5 'runs "-s /dev/ptp1 -c CLOCK_REALTIME -O -37"'
check "... with the board behind it" wait_for 15 \
	'together bc/ptp0 leaf && together bc/ptp1 leaf && system_follows leaf'
claims() { # claims PHC: how many the record has of it as a sink
	ptpmon_sql bc "select count(*) from sample s join series e on e.id = s.series
		where e.kind = 'phc2sys' and e.subject = '$1'"
}
check "... as it claims, too" wait_for 10 '[ "$(claims ptp0)" -ge 4 ]'
stopped=$(event_ns child-stopped "phc2sys for eth1" '%')
check "phc2sys had ended before the port was SLAVE" \
	[ "$stopped" -gt 0 -a "$stopped" -lt "$(event_ns port-state eth1 '%: SLAVE,%')" ]
check "... and before the other one was started" \
	[ "$stopped" -lt "$(event_ns child-started "phc2sys for eth0" '%')" ]

# And back, while phc2sys steers what will be SLAVE again.
ip -n "ptpmon-$$-gm" link set dev eth0 up
check "with its grandmaster it follows that again" wait_for 30 'state_is eth0 SLAVE'
check "... and phc2sys is the way round that it was" wait_for 20 \
	'runs "-s /dev/ptp0 -c /dev/ptp1 -O 0" && [ -z "$(ptpmon_pids bc "phc2sys.* -c /dev/ptp0 ")" ]'
check "... and all show its time" wait_for 20 'together bc/ptp0 gm && together bc/ptp1 gm && together leaf gm'
rm "$LAB_WORK/watching"
wait "$watcher"
check "no PHC had two writers meanwhile" [ "$(cat "$LAB_WORK/twice")" = 0 ]

# Itself
old=$(ptpmon_pids bc 'phc2sys.* -c /dev/ptp1 ')
kill -KILL "$(ptpmon_pids bc 'ptpmon recorder')"
check "a new recorder goes on" wait_for 10 \
	'[ "$(ptpmon_sql bc "select count(*) from event where code = '\''recorder-resumed'\''")" -ge 1 ]'
pause 3
check "... and leaves phc2sys alone" [ "$(ptpmon_pids bc 'phc2sys.* -c /dev/ptp1 ')" = "$old" ]
check "... which its gate has known since" [ "$(status_of '[.joiners[] | select(.open).sink] == ["ptp1"]')" = true ]
kill -STOP "$old"
check "one that hangs is started again" wait_for 30 \
	'runs "-c /dev/ptp1" && [ "$(ptpmon_pids bc "phc2sys.* -c /dev/ptp1 ")" != "$old" ]'
ip -n "ptpmon-$$-gm" link set dev eth0 down
ip -n "ptpmon-$$-leaf" link set dev eth0 down
check "without any master it is stopped" wait_for 20 '[ -z "$(ptpmon_pids bc "/phc2sys -s")" ]'
check "... and none was given up" \
	[ "$(ptpmon_sql bc "select count(*) from event where code = 'child-given-up'")" = 0 ]
stop bc-ptpmon
check "it ends in order" [ "$lab_status" = 0 ]
check "what phc2sys claims is a series of each clock that it steered" [ "$(ptpmon_sql bc "
	select group_concat(subject) from (select distinct subject from series
		where kind = 'phc2sys' order by subject)")" = CLOCK_REALTIME,ptp0,ptp1 ]
check "... for people, too" [ "$(ptpmon_sql bc "
	select count(*) > 3 from phcs where clock = 'ptp0' and what like 'claimed%' and not unlocked")" = 1 ]
check "... and each PHC was measured against the system clock" [ "$(ptpmon_sql bc "
	select group_concat(subject) from series where kind = 'sys_minus_phc'")" = "ptp0,ptp1" ]

lab_finish
