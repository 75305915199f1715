#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A pair of boards over each transport, with gPTP, and with a file of ptp4l's own: the slave locks,
# and ptpmon speaks to its ptp4l in the right domain and transportSpecific.
# shellcheck source=../lab/lib.sh
. "$(dirname "$0")/../lab/lib.sh"

status() { # status BOARD FILTER: a value of a status
	{ ptpmon "$1" status --json || true; } | jq -r "$2"
}

state() {
	status "$1" '.ports[0].state.value'
}

# One field of a port, in the domain and with the transportSpecific of gPTP.
gptp_field() { # gptp_field BOARD ID FIELD
	board_exec "$1" pmc -u -b 0 -t 1 -i "$LAB_WORK/pmc.$BASHPID" -s "$LAB_WORK/$1.run/eth0/ptp4l" \
		"GET $2" | awk -v field="$3" '$1 == field { print $2; exit }'
}

# Both boards with these LINEs of [ptp4l]; good if the slave locks.
pair_locks() { # pair_locks LINE...
	start_ptpmon gm grandmaster -3 '[ptp4l]' "$@" &&
		start_ptpmon slave slave -3 '[ptp4l]' "$@" &&
		wait_for 30 '[ "$(state slave)" = SLAVE ]' &&
		[ "$(state gm)" = MASTER ] && wait_for 20 '[ "$(status slave .verdict)" = good ]'
}

stop_pair() {
	stop slave-ptpmon
	stop gm-ptpmon
}

servo='--summary_interval=-3 --pi_proportional_const=0.7 --pi_integral_const=0.3'
lab_open
lab_board gm
lab_board slave 1000000000
lab_join gm slave
for board in gm slave; do
	ip netns exec "ptpmon-$$-$board" sh -c 'echo 0 >/proc/sys/net/ipv6/conf/eth0/disable_ipv6
		echo 0 >/proc/sys/net/ipv6/conf/eth0/accept_dad' 2>/dev/null || true
	ip -n "ptpmon-$$-$board" link set dev eth0 down
	ip -n "ptpmon-$$-$board" link set dev eth0 up
done
for transport in L2 UDPv4 UDPv6; do
	[ "$transport" != UDPv6 ] || [ -n "$(ip -n "ptpmon-$$-slave" -6 addr show dev eth0)" ] || continue
	check "a pair over $transport" pair_locks "transport = $transport" 'domain = 11'
	stop_pair
done

# gPTP: on a wire of memory and with stamps of software the peer delay is above 800 ns.
gptp=('profile = gptp' "extra_arguments = $servo --logMinPdelayReqInterval=-2 --neighborPropDelayThresh=10000000")
check "a pair with gPTP" pair_locks "${gptp[@]}"
check "... both ends are asCapable" eval \
	'[ "$(gptp_field gm PORT_DATA_SET_NP asCapable)" = 1 ] && [ "$(gptp_field slave PORT_DATA_SET_NP asCapable)" = 1 ]'
check "... with peer delay" [ "$(gptp_field slave PORT_DATA_SET delayMechanism)" = 2 ]
check "... and offsets are recorded, each with it" wait_for 10 '[ "$(ptpmon_sql slave "select count(*) > 20
	from sample where delay_ns > 0")" = 1 ]'
stop_pair

# The sample file, on the same wire.
start_ptpmon gm grandmaster -3 '[ptp4l]' "${gptp[@]}"
ptpmon_configure slave slave -3 '[ptp4l]' "${gptp[1]}"
sed -e '/^\[ptp4l\]/a timestamping = software' -e '/^\[ptpmon\]/a runtime_directory = '"$LAB_WORK/slave.run" \
	"$LAB_TOP/config/gptp.conf" >"$LAB_WORK/slave.conf"
printf '[store]\ndirectory = %s\n' "$LAB_WORK/slave.db" >>"$LAB_WORK/slave.conf"
board_start slave slave-ptpmon "$LAB_BUILD/ptpmon/ptpmon" run --config "$LAB_WORK/slave.conf"
check "the sample of a gPTP slave locks" wait_for 30 '[ "$(state slave)" = SLAVE ]'
stop slave-ptpmon

# A file of ptp4l's own, as it is: linuxptp's gPTP.cfg, with what the lab needs.
cat >"$LAB_WORK/gPTP.cfg" <<-FILE
	[global]
	gmCapable		0
	logAnnounceInterval	0
	logSyncInterval		-3
	summary_interval	-3
	neighborPropDelayThresh	10000000
	min_neighbor_prop_delay	-20000000
	assume_two_step		1
	path_trace_enabled	1
	follow_up_info		1
	transportSpecific	0x1
	ptp_dst_mac		01:80:C2:00:00:0E
	network_transport	L2
	delay_mechanism		P2P
	time_stamping		software
	tx_timestamp_timeout	50
	pi_proportional_const	0.7
	pi_integral_const	0.3
	[eth0]
FILE
cat >"$LAB_WORK/slave.conf" <<-FILE
	[ptpmon]
	role = slave
	runtime_directory = $LAB_WORK/slave.run
	[ptp4l]
	config_file = $LAB_WORK/gPTP.cfg
	[store]
	directory = $LAB_WORK/slave.db
FILE
rm -r "$LAB_WORK/slave.conf.d"
board_start slave slave-ptpmon "$LAB_BUILD/ptpmon/ptpmon" run --config "$LAB_WORK/slave.conf"
check "a file of ptp4l's own, used as it is: the slave locks" wait_for 30 '[ "$(state slave)" = SLAVE ]'
check "... and has an offset" wait_for 10 '[ "$(status slave ".ports[0].offset_ns.value")" != null ]'
stop slave-ptpmon
check "it ends in order" [ "$lab_status" = 0 ]
lab_finish
