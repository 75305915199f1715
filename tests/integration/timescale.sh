#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A grandmaster's time scale: what it announces is what is known of its clock, read at the slave;
# again after each restart of ptp4l, and when something else changes it. What a slave is told is
# judged.
# shellcheck source=../lab/lib.sh
. "$(dirname "$0")/../lab/lib.sh"

announced() { # announced FIELD: as the slave has it
	ptp4l_field slave TIME_PROPERTIES_DATA_SET "$1"
}

# Whether the slave is told exactly these: "UTC valid, PTP time scale, time, frequency traceable".
told() {
	[ "$(for field in currentUtcOffsetValid ptpTimescale timeTraceable frequencyTraceable; do
		announced "$field"
	done | xargs)" = "$1" ]
}

status() { # status BOARD FILTER
	ptpmon "$1" status --json | jq -r "$2"
}

events() { # events BOARD CODE: how many
	ptpmon_sql "$1" "select count(*) from events where code = '$2'"
}

gm_ptp4l() {
	ptpmon_pids gm '^[^ ]*ptp4l -i eth0 '
}

kill_ptp4l() {
	kill -KILL "$(gm_ptp4l)"
	wait_for 5 '[ -n "$(gm_ptp4l)" ] && [ "$(ptp4l_field gm PORT_DATA_SET portState)" = MASTER ]'
}

lab_open
lab_board gm
lab_board slave 2000000000
lab_join gm slave
lab_join gm slave
start_ptpmon gm grandmaster -3 '[ptp4l]' 'clock_class = 52' '[ptp4l more]' 'interfaces = eth1' 'domain = 7' \
	'clock_class = 187' '[store]' 'flush_interval = 500 ms'
start_ptpmon slave slave -3 '[store]' 'flush_interval = 500 ms'
wait_for 20 '[ "$(port_state slave)" = SLAVE ]' || not_ok "the slave locks"

# Nothing vouches for the grandmaster's clock.
check "the configured clock class is announced" \
	wait_for 10 '[ "$(ptp4l_field slave PARENT_DATA_SET gm.ClockClass)" = 52 ]'
check "a clock that nothing vouches for has no valid UTC offset" told "0 0 0 0"
check "... and that is recorded" wait_for 5 '[ "$(events gm realtime-doubtful)" -ge 1 ]'
check "... and in the status" [ "$(status gm '.ports[0].scale.realtime')" = "not synchronised by anything" ]
check "software time stamps are not TAI: the slave says so" \
	wait_for 20 '[ "$(events slave time-scale-arbitrary)" = 1 ]'

# Then a time service does.
clock_disturb gm vouch 5000
check "a clock that is known to be good is announced as UTC, traceable" \
	wait_for 10 'told "1 0 1 1"'
check "... with TAI - UTC" [ "$(announced currentUtcOffset)" = 37 ]
check "... and what ptp4l had is left as it was" \
	[ "$(ptp4l_field gm GRANDMASTER_SETTINGS_NP timeSource)" = 0xa0 ]
check "... which is recorded" wait_for 5 '[ "$(events gm realtime-good)" = 1 ]'
check "the status shows what is announced" \
	wait_for 15 '[ "$(status gm ".ports[0].scale | [.utc_offset_s.value, .utc_offset_valid.value,
		.ptp_timescale.value, .time_traceable.value, .frequency_traceable.value] | @json")" = \
		"[37,true,false,true,true]" ]'
check "... and where TAI - UTC comes from" \
	[ "$(status gm '.ports[0].scale.utc_offset_source' | sed 's/^expired //')" = leap-seconds.list ]
check "... also to people" grep -q '^  time .*UTC offset 37 s valid' <(ptpmon gm status)

more() { # more FIELD: of the second grandmaster
	board_exec gm pmc -u -b 0 -d 7 -i "$LAB_WORK/pmc.$BASHPID" -s "$LAB_WORK/gm.run/more/ptp4l" \
		'GET GRANDMASTER_SETTINGS_NP' | awk -v field="$1" '$1 == field { print $2 }'
}
check "a second grandmaster announces the same, with its own class" \
	wait_for 10 '[ "$(more currentUtcOffsetValid),$(more timeTraceable),$(more clockClass)" = 1,1,187 ]'

# A ptp4l that was killed has forgotten everything.
for n in 1 2 3; do
	before=$(events gm time-scale-set)
	kill_ptp4l
	check "kill $n of ptp4l: it is set again" wait_for 10 "[ \"\$(events gm time-scale-set)\" -gt $before ]"
	check "kill $n: ... and read at the slave" wait_for 10 'told "1 0 1 1"'
done

# Somebody else sets it.
board_exec gm pmc -u -b 0 -i "$LAB_WORK/pmc.$$" -s "$LAB_WORK/gm.run/eth0/ptp4l" \
	"SET GRANDMASTER_SETTINGS_NP clockClass 248 clockAccuracy 0xfe offsetScaledLogVariance 0xffff
	currentUtcOffset 36 leap61 0 leap59 0 currentUtcOffsetValid 0 ptpTimescale 1 timeTraceable 0
	frequencyTraceable 0 timeSource 0x20" >/dev/null
check "what somebody else sets is told" wait_for 15 '[ "$(events gm time-scale-fell-back)" = 1 ]'
check "... and set right" wait_for 5 'told "1 0 1 1" && [ "$(announced currentUtcOffset)" = 37 ]'
check "... but for what is not ours" [ "$(ptp4l_field gm GRANDMASTER_SETTINGS_NP timeSource)" = 0x20 ]

# The kernel knows better than the table.
clock_disturb gm tai 38
check "the kernel's TAI - UTC comes before the table's" wait_for 10 '[ "$(announced currentUtcOffset)" = 38 ]'
clock_disturb gm tai 0
check "... as long as it has one" wait_for 10 '[ "$(announced currentUtcOffset)" = 37 ]'

# A clock in 1970 is certainly wrong, whoever vouches for it.
clock_disturb gm step -1700000000000000000
check "a clock from before the build is not vouched for" wait_for 10 'told "0 0 0 0"'
clock_disturb gm step 1700000000000000000
check "... until it is right" wait_for 10 'told "1 0 1 1"'
stop gm-ptpmon

# A foreign grandmaster that says TAI, with the offset of 2016, and then does not vouch for it.
start_ptp4l gm gm -3
scale() { # scale UTC_OFFSET VALID
	board_exec gm pmc -u -b 0 -i "$LAB_WORK/pmc.$$" -s "$LAB_WORK/gm-ptp4l" \
		"SET GRANDMASTER_SETTINGS_NP clockClass 248 clockAccuracy 0xfe offsetScaledLogVariance 0xffff
		currentUtcOffset $1 leap61 0 leap59 0 currentUtcOffsetValid $2 ptpTimescale 1 timeTraceable 1
		frequencyTraceable 0 timeSource 0xa0" >/dev/null
}
scale 36 1
check "a slave sees that the UTC offset is not the table's" \
	wait_for 30 '[ "$(events slave utc-offset-mismatch)" = 1 ]'
scale 37 0
check "... that nobody vouches for it" wait_for 30 '[ "$(events slave utc-offset-invalid)" = 1 ]'
scale 37 1
check "... and that all is well" wait_for 30 '[ "$(events slave time-scale-good)" = 1 ]'
lab_finish
