# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2034 # sent, received and seen are for the scripts
#
# tests/lab/syncs.sh: what tells that nothing disturbed the slave: the Syncs that the wire delivered
# beside those that ptp4l received, and the states it went through. To be sourced beside lib.sh.

# The wire lets no Sync through while the two counters are read.
read_counters() { # sets sent and received
	wire drop 0 100
	pause 0.2
	read -r _ _ _ sent < <(wire count)
	received=$(ptp4l_field slave PORT_STATS_NP rx_Sync)
	wire drop 0 0
}

# Asks every second; sets seen to each state that there was. In the background, so that an interrupt
# need not wait for it.
watch_states() { # watch_states SECONDS
	local i

	for ((i = 0; i < $1; i++)); do
		port_state slave
		pause 1
	done >"$LAB_WORK/states" &
	wait $!
	seen=$(sort -u "$LAB_WORK/states" | xargs)
}
