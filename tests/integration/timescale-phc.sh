#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A grandmaster's hardware clock: set to TAI before ptp4l serves it, if it is far off, once; and what
# keeps it from being set is named, while PTP runs.
# shellcheck source=../lab/lib.sh
. "$(dirname "$0")/../lab/lib.sh"

TAI_NS=37000000000

phc_is() { # phc_is SECONDS: that far ahead of what it should be, to 50 ms
	local off

	off=$(awk -v error="$(phc_error_ns gm)" -v tai=$TAI_NS -v want="$1" \
		'BEGIN { printf "%d", error - tai - want * 1e9 }')
	[ "${off#-}" -lt 50000000 ]
}

said() { # said CODE TEXT: the newest event of that code has it
	ptpmon_sql gm "select text from event where code = '$1' order by id desc limit 1" | grep -qE -- "$2"
}

# A service of its own for each case, which waits until ptp4l serves, set or not.
begin() { # begin LINE...
	start_ptpmon gm grandmaster -3 '[ptp4l]' 'timestamping = hardware' '[latency]' 'on = no' \
		'[store]' 'flush_interval = 500 ms' "$@"
	wait_for 20 '[ "$(port_state gm)" = MASTER ]'
}

end() {
	stop gm-ptpmon
}

announced() { # announced FIELD: as the slave has it
	ptp4l_field slave TIME_PROPERTIES_DATA_SET "$1"
}

lab_open
lab_board gm
lab_board slave 2000000000
lab_phc gm 0
lab_phc slave
lab_join gm slave
start_ptp4l slave slave -3 "time_stamping hardware"

# UTC in it, as drivers leave it.
check "a grandmaster with UTC in its hardware clock serves" begin
check "... but TAI" phc_is 0
check "... and says by how much it was set, and where TAI - UTC comes from" \
	wait_for 5 'said phc-set "^/dev/ptp0: set by .3[67]\.[09].* s .*\(TAI - UTC: .*leap-seconds.list\)"'
pause 3 # a reading of it, and the time in which a jump is explained
check "... which is no jump" [ "$(ptpmon_sql gm "select count(*) from event where code = 'phc-jumped'")" = 0 ]
check "hardware time stamps are announced as TAI, which nothing vouches for yet" \
	wait_for 10 '[ "$(announced ptpTimescale),$(announced currentUtcOffsetValid)" = 1,0 ]'
clock_disturb gm vouch 5000
check "... then with a valid UTC offset" wait_for 10 '[ "$(announced currentUtcOffsetValid)" = 1 ]'
check "... traceable in time, but a clock that runs free not in frequency" \
	[ "$(announced timeTraceable),$(announced frequencyTraceable)" = 1,0 ]
check "the status shows how far the hardware clock is off" wait_for 5 \
	'[ "$(ptpmon gm status --json | jq ".ports[0].scale.phc_error_ns.value | fabs < 1e6")" = true ]'
phc gm jump 5000000000
check "a hardware clock that has run away is not vouched for" \
	wait_for 10 '[ "$(announced currentUtcOffsetValid),$(announced ptpTimescale)" = 0,1 ]'
check "... and that is said" wait_for 5 'said phc-far "its PHC is .[45]\.[09]"'
kill -KILL "$(ptpmon_pids gm '^[^ ]*ptp4l ')"
check "a ptp4l that was killed is there again" \
	wait_for 15 '[ "$(port_state gm)" = MASTER ] && ptpmon_sql gm \
		"select count(*) from events where code = '\''child-started'\'' and subject like '\''ptp4l%'\''" | grep -qx 2'
check "... and its clock is not set twice" phc_is 5
end

phc gm jump -4500000000
begin
check "half a second is left alone" phc_is 0.5
check "... and said" wait_for 5 'said phc-left-alone "left alone: .0\.(5|49)"'
end

phc gm jump 1000000000
begin '[phc2sys]' 'feed = none' '[monitor]' 'phc_interval = 250 ms'
check "feed = none leaves it to others" phc_is 1.5
phc gm jump -38500000000
check "others who take TAI for UTC are told so" \
	wait_for 15 'said utc-slip "CLOCK_REALTIME is 37 s ahead of it, which is TAI - UTC"'
end

# Steered by the system clock all the time.
feeder() {
	ptpmon_pids gm 'phc2sys -s CLOCK_REALTIME -c /dev/ptp0'
}

begin '[phc2sys]' 'feed = follow'
check "feed = follow sets it as well" wait_for 5 'phc_is 0'
check "... and phc2sys steers it" wait_for 10 '[ -n "$(feeder)" ]'
check "... which is traceable in frequency" wait_for 10 '[ "$(announced frequencyTraceable)" = 1 ]'
phc gm jump 5000000000
check "... back from a jump" wait_for 10 'phc_is 0'
clock_disturb gm step -20000000000
check "... after the system clock" wait_for 10 'phc_is -20'
clock_disturb gm step 20000000000
check "... and back" wait_for 10 'phc_is 0'
clock_disturb gm tai 38
check "... by the TAI - UTC of the moment" wait_for 15 'phc_is 1'
clock_disturb gm tai 0
check "... and the next" wait_for 15 'phc_is 0'
before=$(feeder)
kill -KILL "$(ptpmon_pids gm ' recorder')"
check "a recorder that is killed comes back" wait_for 15 'said recorder-resumed "goes on"'
pause 3
check "... and leaves phc2sys alone" [ "$(feeder)" = "$before" ]
kill -KILL "$before"
check "a phc2sys that is killed is started again" wait_for 10 '[ -n "$(feeder)" ] && [ "$(feeder)" != "$before" ]'
end
check "it ends with the service" [ -z "$(feeder)" ]
phc gm jump 1500000000

begin '[phc2sys]' 'utc_offset = 36'
check "a configured TAI - UTC counts" phc_is -1
check "... and is named" wait_for 5 'said phc-set "TAI - UTC: configuration"'
end

# What keeps it from being set.
phc gm jump -36000000000
phc gm refuse set EBUSY
begin
check "virtual clocks on it: it is not set" phc_is -37
check "... the reason is named, with its fix" wait_for 5 'said phc-not-set "it has virtual clocks"'
end
phc gm refuse set EACCES
begin
check "no right to set it: the reason is named" wait_for 5 'said phc-not-set "Permission denied"'
end
phc gm refuse set EOPNOTSUPP
begin
check "a driver that cannot set: the reason is named" wait_for 5 'said phc-not-set "feed = none"'
end
phc gm refuse set EIO
begin
check "a broken clock: the reason is named" wait_for 5 'said phc-not-set "Input/output error"'
end
phc gm refuse set none

phc gm slow 10000000000
before=$(uptime_cs)
start_ptpmon gm grandmaster -3 '[ptp4l]' 'timestamping = hardware' '[latency]' 'on = no' \
	'[store]' 'flush_interval = 500 ms'
check "a clock that does not answer keeps nobody waiting" \
	wait_for 10 'said phc-not-set "did not answer in time"'
check "... for longer than its bound" [ $(($(uptime_cs) - before)) -lt 700 ]
check "... and leaves no process behind" [ -z "$(ptpmon_pids gm ' run --config' | sed 1d)" ]
phc gm slow 0
check "... nor PTP" wait_for 30 '[ "$(port_state gm)" = MASTER ]'
end

# None at all: an ordinary interface, whose ptp4l is told otherwise for the sake of the test.
lab_board bare
lab_join bare slave
start_ptpmon bare grandmaster -3 '[ptp4l]' 'timestamping = hardware' 'extra_arguments = --time_stamping=software' \
	'[latency]' 'on = no' '[store]' 'flush_interval = 500 ms'
check "no hardware clock: that is named" wait_for 10 \
	'ptpmon_sql bare "select text from event where code = '\''phc-not-set'\''" | grep -q "^eth0: has no PHC to set"'
check "... and keeps no ptp4l from starting" wait_for 15 '[ "$(port_state bare)" = MASTER ]'
stop bare-ptpmon

# No clock to set it by.
clock_disturb gm step -1700000000000000000
phc gm jump -100000000000
before=$(phc_error_ns gm)
begin
check "a system clock in 1973 is nothing to set it by" \
	[ $((($(phc_error_ns gm) - before) / 1000000)) = 0 ]
check "... which is said" wait_for 5 'said phc-not-set "earlier than ptpmon was built"'
check "... and not vouched for" [ "$(ptp4l_field gm GRANDMASTER_SETTINGS_NP currentUtcOffsetValid)" = 0 ]
end
clock_disturb gm step 1700000000000000000
begin
check "once the system clock is right, the next start sets it" phc_is 0
end

# A grandmaster from 1970: PTP runs, but the slave's system clock does not follow it there.
stop slave-ptp4l
phc gm jump -1700000000000000000
begin '[phc2sys]' 'feed = none'
follow() { # follow GUARD
	start_ptpmon slave slave -3 '[ptp4l]' 'timestamping = hardware' '[phc2sys]' "epoch = $1" \
		'[latency]' 'on = no' '[store]' 'flush_interval = 500 ms'
	wait_for 30 '[ "$(port_state slave)" = SLAVE ]'
}
system_error_s() {
	echo $(($(clock_error_ns slave) / 1000000000))
}
check "a slave locks to a grandmaster from 1973" follow guarded
check "... but phc2sys is held back" wait_for 15 \
	'[ "$(ptpmon_sql slave "select count(*) from event where code = '\''epoch-held'\''")" = 1 ]'
pause 3
check "... and the system clock stays" [ "$(system_error_s)" = 2 ]
stop slave-ptpmon
check "with epoch = arbitrary it locks as well" follow arbitrary
check "... and the system clock follows" wait_for 20 '[ "$(system_error_s)" -lt -1699999000 ]'
stop slave-ptpmon
lab_finish
