# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# A grandmaster with a hardware clock, as a service: the clock is set, served and measured by processes that
# are not root. (The emulated port stamps what a master sends, but of what a slave receives only the first.)
# shellcheck source=tests/lab/guest-lib.sh
. /host/guest-lib.sh

phc_error_s() { # how far /dev/ptp0 is from CLOCK_REALTIME + 37 s, in whole seconds
	phc_ctl /dev/ptp0 cmp | sed -n 's/.*offset from CLOCK_REALTIME is \(-*[0-9]*\)ns.*/\1/p' |
		awk '{ e = $1 / 1e9; e = e < 0 ? -e : e; printf "%d\n", e - 36.5 }'
}

port=$(ls -d /sys/class/net/*/device/ptp/ptp0 | cut -d / -f 5)
cat >/etc/ptpmon/ptpmon.conf <<-END
	[ptpmon]
	role = grandmaster
	interfaces = $port
	[ptp4l]
	tx_timestamp_timeout = 200 ms
	[latency]
	interval = 10 ms
END
ip link set dev "$port" up
phc_ctl /dev/ptp0 set 1000 >/dev/null
check "it starts" systemctl start ptpmon
check "its port is MASTER" wait_for 60 '[ "$(status ".ports[0].state.value")" = MASTER ]'
check "it has set its hardware clock to TAI" [ "$(phc_error_s)" = 0 ]
check "... and says so" grep -q '/dev/ptp0: set by' <<<"$(ptpmon events)"
check "it measures that clock" wait_for 20 '[ "$(status ".phcs[0].sys_minus_phc_ns.value")" != null ]'
check "... without a problem" [ "$(status '.phcs[0].problem // ""')" = "" ]
check "nothing was refused to it" \
	[ -z "$(journalctl --quiet --unit ptpmon --grep 'not permitted|ermission denied')" ]
check "it stops" systemctl stop ptpmon
guest_finish
