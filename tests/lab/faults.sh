# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2154 # lab_pid is lib.sh's
#
# tests/lab/faults.sh: breaks what a service depends on, and measures how soon it noticed and how
# soon all was well again. To be sourced beside lib.sh.
#
#   faults_board NAME [relay]        a grandmaster NAMEgm and a slave NAME with ptpmon, wired
#   faults_run NAME KIND N           breaks it N times, each time when it has been healthy for 10 s
#   faults_table NAME KIND           min/median/max of the times, in seconds
#   faults_check NAME KIND N         all found and mended, nothing leaked: checks
#
#   KIND       what is done                              noticed by the event
#   kill       SIGKILL of ptp4l                          child-exited
#   hang       SIGSTOP of ptp4l                          management-silent
#   flap       the link goes down for a second           link-down
#   socket     the management socket's file is deleted   socket-gone
#   interface  the interface is removed and made again   link-gone
#   recorder   SIGKILL of the recorder                   child-exited

faults_event() { # faults_event KIND: the event's code and subject
	case $1 in
	kill) echo child-exited ptp4l ;;
	hang) echo management-silent eth0 ;;
	flap) echo link-down eth0 ;;
	socket) echo socket-gone eth0 ;;
	interface) echo link-gone eth0 ;;
	recorder) echo child-exited recorder ;;
	esac
}

faults_board() {
	lab_board "$1gm"
	lab_board "$1"
	lab_join "$1gm" "$1" "${2:-direct}"
	start_ptp4l "$1gm" gm -3
	start_ptpmon "$1" slave -3 '[store]' 'flush_interval = 1 s' '[latency]' 'on = no'
}

# SLAVE, with an offset that is not stale, and everything up.
healthy() {
	# verdicts about other things (limits, latency) are not asked for
	{ ptpmon "$1" status --json || true; } 2>/dev/null | jq -e '.ports[0].state.value == "SLAVE" and
		.ports[0].offset_ns.value != null and all(.children[]; .state == "up")' >/dev/null
}

# A run of ten seconds resets the backoff: what gives up is tested elsewhere.
settle() {
	wait_for 60 "healthy $1" || return 1
	pause "10.$((RANDOM % 10))"
	wait_for 10 "healthy $1"
}

ptp4l_of() {
	ptpmon_pids "$1" '^[^ ]*ptp4l '
}

recorder_of() {
	ptpmon_pids "$1" ' recorder'
}

events_since() { # events_since NAME CODE SUBJECT CENTISECONDS [CONDITION]: mono_ns of the first
	ptpmon_sql "$1" "select mono_ns from event where code = '$2' and subject = '$3' and
		mono_ns >= $4 * 10000000 and ${5:-1} order by mono_ns limit 1" 2>/dev/null
}

remake_interface() {
	ip -n "ptpmon-$$-$1" link del eth0
	stop "$1gm-ptp4l" || true
	pause 1
	lab_link "ptpmon-$$-$1gm" eth0 "ptpmon-$$-$1" eth0
	start_ptp4l "$1gm" gm -3
}

inflict() { # inflict NAME KIND
	case $2 in
	kill) kill -KILL "$(ptp4l_of "$1")" ;;
	hang) kill -STOP "$(ptp4l_of "$1")" ;;
	flap)
		ip -n "ptpmon-$$-$1" link set eth0 down
		pause 1
		ip -n "ptpmon-$$-$1" link set eth0 up
		;;
	socket) rm "$LAB_WORK/$1.run/eth0/ptp4l" ;;
	interface) remake_interface "$1" ;;
	recorder) kill -KILL "$(recorder_of "$1")" ;;
	esac
}

# Descriptors and anonymous memory (kB) of the parent, and of the recorder; processes on the board.
holdings() {
	local pid

	for pid in "${lab_pid[$1-ptpmon]}" "$(recorder_of "$1")"; do
		for _ in 1 2 3 4 5; do # one that is open for a moment is no leak
			find "/proc/$pid/fd" -mindepth 1 2>/dev/null | wc -l
			pause 0.3
		done | sort -n | head -n 1
		awk '$1 == "RssAnon:" { print $2 }' "/proc/$pid/status"
	done | xargs
	ip netns pids "ptpmon-$$-$1" | wc -l
}

# When all was well again: ptp4l's faults have an event that says so; after a recorder's it is the
# first offset.
recovered_ns() { # recovered_ns NAME KIND DETECTED_NS CENTISECONDS
	local code

	read -r code _ < <(faults_event "$2")
	if [ "$2" = recorder ]; then
		ptpmon_sql "$1" "select min(mono_ns) from sample where mono_ns > $3"
	else
		ptpmon_sql "$1" "select json_extract(detail, '\$.from_mono_ns') +
			json_extract(detail, '\$.recover_ns') from event where code = 'recovered' and
			json_extract(detail, '\$.cause') = '$code' and mono_ns > $3 order by id limit 1"
	fi 2>/dev/null
}

# One line a fault into $LAB_WORK/NAME.KIND.times: seconds to notice, seconds to mend, "-" for never.
faults_run() {
	local name=$1 kind=$2 n=$3 code subject i at_cs detected recovered

	read -r code subject < <(faults_event "$kind")
	settle "$name" || return 0
	if [ "$kind" = recorder ]; then # the first one did not resume a run, which takes a descriptor
		inflict "$name" "$kind"
		settle "$name" || return 0
	fi
	holdings "$name" >"$LAB_WORK/$name.$kind.before"
	for ((i = 0; i < n; i++)); do
		[ "$i" = 0 ] || settle "$name" || return 0
		at_cs=$(uptime_cs)
		inflict "$name" "$kind"
		detected=
		recovered=
		wait_for 20 "detected=\$(events_since $name $code $subject $((at_cs - 2))); [ -n \"\$detected\" ]" || true
		[ -z "$detected" ] ||
			wait_for 40 "recovered=\$(recovered_ns $name $kind $detected); [ -n \"\$recovered\" ]" || true
		awk -v at="$at_cs" -v d="${detected:-0}" -v r="${recovered:-0}" 'BEGIN {
			print d ? d / 1e9 - at / 100 : "-", r ? r / 1e9 - at / 100 : "-" }' \
			>>"$LAB_WORK/$name.$kind.times"
	done
	wait_for 60 "healthy $name" || return 0
	pause 2
	holdings "$name" >"$LAB_WORK/$name.$kind.after"
}

faults_table() {
	awk -v kind="$2" '
	function put(what, n, t,    i, j, x) {
		for (i = 2; i <= n; i++)
			for (j = i; j > 1 && t[j - 1] > t[j]; j--) {
				x = t[j]; t[j] = t[j - 1]; t[j - 1] = x
			}
		return n ? sprintf("%7.2f %7.2f %7.2f", t[1], t[int((n + 1) / 2)], t[n]) : "      -       -       -"
	}
	$1 != "-" { d[++nd] = $1 + 0 < 0 ? 0 : $1 + 0 }
	$2 != "-" { r[++nr] = $2 + 0 }
	END { printf "# %-10s %4d inflicted, %4d noticed %s s, %4d mended %s s\n", kind, NR,
		nd, put("noticed", nd, d), nr, put("mended", nr, r) }' "$LAB_WORK/$1.$2.times"
}

# What a process holds may grow by what it has not used before, not by what each fault takes.
kept() { # kept NAME KIND
	local before after

	before=$(xargs <"$LAB_WORK/$1.$2.before")
	after=$(xargs <"$LAB_WORK/$1.$2.after")
	echo "# $2: descriptors and kB of parent and recorder, processes: before $before, after $after"
	awk -v b="$before" -v a="$after" 'BEGIN {
		split(b, x); split(a, y)
		exit !(y[1] <= x[1] && y[3] <= x[3] && y[5] == x[5] && y[2] <= x[2] + 256 && y[4] <= x[4] + 1024)
	}'
}

faults_check() {
	touch "$LAB_WORK/$1.$2.times"
	faults_table "$1" "$2"
	check "$2: $3 times noticed" [ "$(awk '$1 != "-"' "$LAB_WORK/$1.$2.times" | wc -l)" = "$3" ]
	check "$2: $3 times mended" [ "$(awk '$2 != "-"' "$LAB_WORK/$1.$2.times" | wc -l)" = "$3" ]
	check "$2: healthy at the end, no process, descriptor or memory left over" kept "$1" "$2"
}
