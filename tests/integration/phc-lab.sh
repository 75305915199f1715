#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The lab's hardware clock: ptp4l with hardware timestamps locks it to another board's, phc2sys steers
# the board's system clock by it through each of the three ioctls, and it fails as it is told.
# shellcheck source=../lab/lib.sh
. "$(dirname "$0")/../lab/lib.sh"

TAI_NS=37000000000

phc_true_within() { # phc_true_within NS
	local off=$(($(phc_error_ns slave) - TAI_NS))

	[ "${off#-}" -lt "$1" ]
}

system_true_within() { # system_true_within NS
	local off

	off=$(clock_error_ns slave)
	[ "${off#-}" -lt "$1" ]
}

start_phc2sys() { # start_phc2sys SOURCE
	rm -f "$LAB_WORK/phc2sys.log"
	board_start slave phc2sys phc2sys -s "$1" -c CLOCK_REALTIME -O -37 -m -R 8
}

offset_lines() {
	grep -c 'phc offset' "$LAB_WORK/phc2sys.log" || true
}

# Away by 2 ms, and back by the one way that is left.
steers_by() { # steers_by WHAT SOURCE REFUSED...
	local way=$1 source=$2 refused

	phc slave refuse precise none
	phc slave refuse extended none
	phc slave refuse plain none
	for refused in "${@:3}"; do
		phc slave refuse "$refused" EOPNOTSUPP
	done
	clock_disturb slave step 2000000
	start_phc2sys "$source"
	check "phc2sys steers the system clock by $way" wait_for 8 "system_true_within 20000"
	stop phc2sys
}

lab_open
lab_board gm
lab_board slave 3000000000 40000
lab_phc gm "$TAI_NS"
lab_phc slave 36000000000 20000
lab_join gm slave
start_ptp4l gm gm -3 "time_stamping hardware"
start_ptp4l slave slave -3 "time_stamping hardware"

check "a slave with hardware timestamps locks" wait_for 15 '[ "$(port_state slave)" = SLAVE ]'
check "... its hardware clock, 1 s off and 20 ppm too fast, is true within 20 us" \
	wait_for 5 "phc_true_within 20000"
check "... and its system clock is left alone" [ "$(clock_error_ns slave)" -gt 2900000000 ]

steers_by "PTP_SYS_OFFSET_PRECISE, the interface named" eth0
steers_by "PTP_SYS_OFFSET_EXTENDED" /dev/ptp0 precise
steers_by "PTP_SYS_OFFSET" /dev/ptp0 precise extended

phc slave slow 100000000 # for each of the five readings of an update
start_phc2sys /dev/ptp0
check "a slow clock still steers" wait_for 5 '[ "$(offset_lines)" -ge 2 ]'
lines=$(offset_lines)
pause 1
check "... and slows phc2sys" [ "$(offset_lines)" -le "$((lines + 3))" ]
phc slave slow 0
phc slave refuse read EIO
pause 1
lines=$(offset_lines)
pause 1
check "no offset comes from one that answers EIO" [ "$(offset_lines)" -eq "$lines" ]
stop phc2sys
phc slave refuse read none
phc slave refuse open ENODEV
start_phc2sys /dev/ptp0
check "phc2sys does not start without it" wait_for 5 "! is_running phc2sys"
stop phc2sys
phc slave refuse open none

stop slave-ptp4l
phc slave stick
before=$(phc_error_ns slave)
pause 1
fell=$((before - $(phc_error_ns slave)))
check "one that is stuck falls behind by a second a second" [ "$fell" -gt 900000000 ]
phc slave free
before=$(phc_error_ns slave)
phc slave jump -5000000000
jumped=$(($(phc_error_ns slave) - before + 5000000000))
check "one that jumps is elsewhere" [ "${jumped#-}" -lt 1000000 ]

lab_finish
