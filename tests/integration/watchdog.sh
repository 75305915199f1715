#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# alone
#
# A disk that does not answer: the watchdog is pinged, PTP and monitoring go on, what comes in waits
# up to the bound of the queue, and what is too much is counted and told. Nothing below it is lost.
# shellcheck source=../lab/lib.sh
. "$(dirname "$0")/../lab/lib.sh"

watchdog_ms=2000
too_many=66000 # the queue has room for 65536

# Plays systemd: a line "MILLISECONDS STATE" for each thing that is told.
listen() {
	python3 - "$LAB_WORK/notify" <<-'EOF' >"$LAB_WORK/notify.log" 2>&1 &
		import socket, sys, time
		s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
		s.bind(sys.argv[1])
		while True:
		    for line in s.recv(4096).decode().splitlines():
		        print(time.monotonic_ns() // 1000000, line, flush=True)
	EOF
	lab_pid[notify]=$!
	wait_for 5 "[ -S '$LAB_WORK/notify' ]"
}

# The longest time without a ping since FROM_CS, in milliseconds.
longest_silence() { # longest_silence FROM_CS
	awk -v at="$(($1 * 10))" -v now="$(($(uptime_cs) * 10))" '
		$2 == "WATCHDOG=1" && $1 >= at { if ($1 - last > most && last) most = $1 - last; last = $1 }
		END { if (now - last > most) most = now - last; print most + 0 }' "$LAB_WORK/notify.log"
}

# Marks by the thousand, none of which is waited for.
flood() {
	python3 - "$LAB_WORK/slave.run/control" "$too_many" <<-'EOF'
		import socket, sys
		s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
		s.connect(sys.argv[1])
		call = b'{"method":"io.ptpmon.Mark","parameters":{"text":"flood"},"oneway":true}\0'
		for _ in range(int(sys.argv[2]) // 100):
		    s.sendall(call * 100)
		s.sendall(b'{"method":"io.ptpmon.GetStatus"}\0')
		s.settimeout(60)
		s.recv(1)
	EOF
}

record() { # record FIELD: of the status
	ptpmon slave status --json | jq ".record.$1"
}

sql() {
	ptpmon_sql slave "$1"
}

lab_open
# LD_PRELOAD takes no path with a blank.
ln -s "$LAB_BUILD/tests/lab/stuck-disk.so" "$LAB_WORK/stuck-disk.so"
lab_board gm
lab_board slave
lab_join gm slave
start_ptp4l gm gm -3
listen
export LAB_PRELOAD=$LAB_WORK/stuck-disk.so STUCK_DISK=$LAB_WORK/stuck
NOTIFY_SOCKET=$LAB_WORK/notify WATCHDOG_USEC=$((watchdog_ms * 1000)) \
	start_ptpmon slave slave -3 '[store]' 'flush_interval = 1 s' '[latency]' 'on = no'
check "the slave locks" wait_for 20 '[ "$(port_state slave)" = SLAVE ]'
check "it says that it is ready" wait_for 15 'grep -q " READY=1" "$LAB_WORK/notify.log"'
check "it says how it is" \
	wait_for 15 'grep -q " STATUS=good: eth0 is SLAVE, offset .* ago$" "$LAB_WORK/notify.log"'
wait_for 10 '[ "$(sql "select count(*) from sample")" -gt 8 ]'
ptp4l=$(ptpmon_pids slave '^[^ ]*ptp4l ') recorder=$(ptpmon_pids slave ' recorder')

touch "$LAB_WORK/stuck"
stuck_cs=$(uptime_cs)
pause 15
check "disk stuck: monitoring goes on" jq -e '.ports[0].state.value == "SLAVE" and
	.ports[0].offset_ns.value != null' <<<"$(ptpmon slave status --json || true)"
queued=$(record queued)
echo "# after 15 s $queued rows wait"
check "disk stuck: what comes in waits" [ "$queued" -ge 100 ]
check "disk stuck: nothing is lost yet" [ "$(record dropped)" = 0 ]
flood_cs=$(uptime_cs)
flood
check "disk stuck: the queue has its bound" [ "$(record queued)" -le 66600 ]
check "disk stuck: what is too much is counted" [ "$(record dropped)" -gt 0 ]
pause 5
silence=$(longest_silence "$stuck_cs")
echo "# the longest time without a ping: $silence ms of $watchdog_ms"
check "disk stuck: the watchdog was pinged in time" [ "$silence" -lt "$watchdog_ms" ]
check "disk stuck: nothing was started again" \
	[ "$(ptpmon_pids slave '^[^ ]*ptp4l ') $(ptpmon_pids slave ' recorder')" = "$ptp4l $recorder" ]
rm "$LAB_WORK/stuck"
freed_cs=$(uptime_cs)
check "disk back: what waited is written" wait_for 30 '[ "$(record queued)" -lt 200 ] &&
	[ "$(sql "select count(*) from event where code = '\''samples-dropped'\''")" -ge 1 ]'
dropped=$(sql "select sum(json_extract(detail, '\$.dropped')) from event where code = 'samples-dropped'")
marks=$(sql "select count(*) from mark")
offsets=$(sql "select count(*) from sample where mono_ns between $flood_cs * 10000000 and $freed_cs * 10000000")
echo "# $marks of $too_many marks and $offsets offsets since written, $dropped dropped"
check "disk back: up to the bound nothing is lost" [ "$(sql "select count(*) from sample where mono_ns
	between $stuck_cs * 10000000 and ($stuck_cs + 1500) * 10000000")" -ge 117 ]
check "disk back: marks are there up to the bound" [ "$marks" -ge 64000 ]
# Eight offsets a second; a mark that had no room is counted too.
came=$((too_many + (freed_cs - flood_cs) * 8 / 100))
echo "# $came came, $((marks + offsets + dropped)) are written or counted"
check "disk back: the count is right" [ $((marks + offsets + dropped)) -ge $((came - 20)) ]
check "disk back: and says no more than was lost" [ $((marks + offsets + dropped)) -le $((came + 60)) ]
check "disk back: the record is sound" [ "$(sql 'pragma integrity_check')" = ok ]
stop slave-ptpmon
check "it ends in order" [ "$lab_status" = 0 ]
kill "${lab_pid[notify]}"
lab_finish
