#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The PHC of a slave, measured and followed: ptp4l steers it with hardware timestamps, ptpmon measures it
# against the system clock by whichever ioctl is there, and phc2sys steers that by it while ptpmon lets it.
# shellcheck source=../lab/lib.sh
. "$(dirname "$0")/../lab/lib.sh"

TAI_NS=37000000000

events() { # events CODE: how many the record has
	ptpmon_sql slave "select count(*) from event where code = '$1'"
}

event_text() { # event_text CODE: the newest one's
	ptpmon_sql slave "select text from event where code = '$1' order by mono_ns desc limit 1"
}

happens() { # happens CODE PATTERN SECONDS: a new one, with such a text
	wait_for "$3" "event_text $1 | grep -qE -- '$2'"
}

phc2sys_pid() {
	ptpmon_pids slave '^phc2sys|/phc2sys'
}

true_within() { # true_within NS: the system clock
	local off

	off=$(clock_error_ns slave)
	[ "${off#-}" -lt "$1" ]
}

status_of() { # status_of JQ-EXPRESSION
	(ptpmon slave status --json || true) | jq -r "$1" # 1: it is not good
}

# What phc2sys claims of each second against what was measured nearest to it; the steps of its first two
# lines aside. Prints: lines, and how many differ by more than the sum of half of both read delays and 1 us.
disagreement() {
	ptpmon_sql slave "
		with claim as (select s.* from sample s join series e on e.id = s.series
			where e.kind = 'phc2sys' and s.servo >= 2),
		own as (select s.* from sample s join series e on e.id = s.series
			where e.kind = 'sys_minus_phc' and s.flags & 4 = 0)
		select count(*), sum(far) from (select c.id,
			min(abs(o.value_ns - c.value_ns)) > (c.delay_ns + o.delay_ns) / 2 + 1000 as far
			from claim c join own o on abs(o.mono_ns - c.mono_ns) < 600000000
			group by c.id)"
}

agrees() {
	local lines far

	IFS='|' read -r lines far < <(disagreement)
	[ "$lines" -ge 8 ] && [ "$far" -eq 0 ]
}

lab_open
lab_board gm
lab_board slave 3000000000 40000
lab_phc gm "$TAI_NS"
lab_phc slave 36000000000 20000
lab_join gm slave
start_ptp4l gm gm -3 "time_stamping hardware"
start_ptpmon slave slave -3 "[ptp4l]" "timestamping = hardware" "[monitor]" "phc_interval = 250 ms" \
	"[store]" "flush_interval = 250 ms"

# the gate opens
check "phc2sys is not started before the port is SLAVE" [ -z "$(phc2sys_pid)" ]
check "the gate opens, with the UTC offset and who says so" \
	happens gate-opened 'by ptp0, 37 s ahead of UTC \(.+\)' 15
check "phc2sys runs with source, sink and offset named" \
	wait_for 5 'ptpmon_pids slave "-s /dev/ptp0 -c CLOCK_REALTIME -O -37" | grep -q .'
check "... at SCHED_FIFO 60, read back" happens schedule-proven 'phc2sys: runs SCHED_FIFO 60' 5
check "... and steps the system clock, 3 s off, to the truth" wait_for 10 "true_within 50000"
check "the step of the PHC is found" happens phc-jumped 'ptp0: jumped by \+(0\.9|1\.0)' 1
pause 10
check "what phc2sys claims is what was measured, line by line within the read delay" agrees
check "status has both" [ "$(status_of '.phcs[0].sys_minus_phc_ns.value != null and
	.phc2sys.offset_ns.value != null and .phc2sys.open')" = true ]
check "... and is good" [ "$(status_of .verdict)" = good ]
check "no line of it is forwarded" [ "$(grep -c 'phc offset' "$LAB_WORK/slave-ptpmon.log")" -eq 0 ]

# a leap second, as the grandmaster announces it
announce_utc() { # announce_utc SECONDS
	board_exec gm pmc -u -b 0 -i "$LAB_WORK/pmc.gm" -s "$LAB_WORK/gm-ptp4l" \
		"SET GRANDMASTER_SETTINGS_NP clockClass 248 clockAccuracy 0xfe offsetScaledLogVariance 0xffff
		currentUtcOffset $1 leap61 0 leap59 0 currentUtcOffsetValid 1 ptpTimescale 1
		timeTraceable 0 frequencyTraceable 0 timeSource 0xa0" >/dev/null
}
announce_utc 38
check "another TAI - UTC starts phc2sys anew" \
	happens gate-changed '38 s ahead of UTC \(the grandmaster\)' 20
check "... with it" wait_for 5 'ptpmon_pids slave "-c CLOCK_REALTIME -O -38" | grep -q .'
announce_utc 37
check "... and back" wait_for 20 'ptpmon_pids slave "-c CLOCK_REALTIME -O -37" | grep -q .'
wait_for 10 "true_within 50000" || true

# by whichever ioctl there is
method_is() { # method_is NAME
	wait_for 5 "[ \"\$(status_of '.phcs[0].method')\" = $1 ]"
}
check "PTP_SYS_OFFSET_EXTENDED is used where nothing better is" method_is PTP_SYS_OFFSET_EXTENDED
phc slave refuse extended EOPNOTSUPP
check "... PTP_SYS_OFFSET where that is refused" method_is PTP_SYS_OFFSET
phc slave refuse plain EOPNOTSUPP
check "... and without any, the reason is named" happens phc-failed EOPNOTSUPP 5
phc slave refuse precise none
check "PTP_SYS_OFFSET_PRECISE where it is there" method_is PTP_SYS_OFFSET_PRECISE
check "... which is told" happens phc-back 'can be read again' 5
phc slave refuse extended none
phc slave refuse plain none

# faults of the clock
before=$(events phc-failed)
phc slave refuse read EIO
check "EIO is told by its name" happens phc-failed EIO 5
check "... and once" [ "$(events phc-failed)" -eq $((before + 1)) ]
# linuxptp 4's ptp4l ends then, and the port is no SLAVE any more
check "... and phc2sys is held back" happens gate-closed 'cannot be read|not SLAVE' 8
check "... which status says" [ "$(status_of .phc2sys.open)" = false ]
phc slave refuse read none
check "it comes back" wait_for 20 '[ -n "$(phc2sys_pid)" ]'
phc slave refuse open ENODEV
phc slave refuse read ENODEV
check "a device that is gone is told from one that fails" happens phc-failed ENODEV 5
phc slave refuse open none
phc slave refuse read none
check "... and is found again" wait_for 20 "true_within 100000 && [ -n \"\$(phc2sys_pid)\" ]"

phc slave refuse precise EOPNOTSUPP
phc slave slow 60000000 # each of the five readings that count as one
check "a slow one is told" happens phc-slow 'took|has not ended' 15
# shellcheck disable=SC2034 # wait_for reads it
updates=$(status_of '.ports[0].updates')
check "... and updates of ptp4l are read on" \
	wait_for 5 '[ "$(status_of ".ports[0].updates")" -ge $((updates + 3)) ]'
phc slave slow 0
check "... and that it is quick again" happens phc-back 'quick again' 40

# the gate closes
wait_for 20 '[ -n "$(phc2sys_pid)" ]' || true
phc slave stick
check "one that stands still is told" happens phc-stuck 'ptp0: stands still' 5
check "... and phc2sys is stopped at once" happens gate-closed 'stands still' 3
phc slave free
phc slave jump $((TAI_NS - $(phc_error_ns slave))) # ptp4l would slew that for minutes
check "... until it runs" wait_for 20 '[ -n "$(phc2sys_pid)" ]'
ip -n "ptpmon-$$-gm" link set dev eth0 down
check "without a master phc2sys is stopped" happens gate-closed 'not SLAVE|no fresh offset' 15
check "... and is not counted as failed" [ "$(events child-given-up)" -eq 0 ]
ip -n "ptpmon-$$-gm" link set dev eth0 up
check "... and started again with one" wait_for 30 '[ -n "$(phc2sys_pid)" ]'

# phc2sys itself
kill -STOP "$(phc2sys_pid)"
check "one that hangs is named by the age of its data" happens phc2sys-silent 'phc2sys' 15
check "... started again, and the time that took is told" happens recovered 'phc2sys' 25
old=$(phc2sys_pid)
kill -KILL "$(ptpmon_pids slave 'ptpmon recorder')"
check "a new recorder goes on" wait_for 10 '[ "$(events recorder-resumed)" -ge 1 ]'
pause 3
check "... and leaves phc2sys alone" [ "$(phc2sys_pid)" = "$old" ]
check "... which the gate has known since" [ "$(status_of .phc2sys.open)" = true ]
stop slave-ptpmon
check "it ends in order" [ "$lab_status" = 0 ]
check "... and phc2sys with it" [ -z "$(phc2sys_pid)" ]

lab_finish
