# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# tests/lab/checks.sh: named checks, and waiting for what they need. To be sourced by a bash script.
#
#   wait_for SECONDS CONDITION  evaluate the string CONDITION ten times a second until it is true;
#                               false after SECONDS
#   pause SECONDS               sleep that an interrupt ends at once
#   check NAME COMMAND...       run COMMAND; print "ok - NAME" or "not ok - NAME"
#   ok NAME, not_ok NAME [DETAIL]
#   fails COMMAND...            whether it does, quietly
#   skip REASON                 end the script: it cannot run here
#
# lab_good and lab_bad count them.

lab_good=0
lab_bad=0

pause() {
	sleep "$1" &
	wait $!
}

# Hundredths of a second that no clock under test can move.
uptime_cs() {
	local up

	read -r up _ </proc/uptime
	echo "${up/./}"
}

wait_for() {
	local deadline_cs=$(($(uptime_cs) + $1 * 100))

	until eval "$2"; do
		[ "$(uptime_cs)" -lt "$deadline_cs" ] || return 1
		pause 0.1
	done
}

ok() {
	echo "ok - $1"
	lab_good=$((lab_good + 1))
}

not_ok() {
	echo "not ok - $1${2:+: $2}"
	lab_bad=$((lab_bad + 1))
}

check() {
	local name=$1

	shift
	if "$@"; then
		ok "$name"
	else
		not_ok "$name"
	fi
}

fails() {
	! "$@" >/dev/null 2>&1
}

skip() {
	echo "skip - $1"
	exit 77
}
