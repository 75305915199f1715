# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2034 # lab_status is for the scripts
#
# tests/lab/lib.sh: boards that agree on time, on one machine. To be sourced by a bash script:
#
#     . "$(dirname "$0")/../lab/lib.sh"
#     lab_open
#     lab_board gm
#     lab_board slave 3000000000 40000
#     lab_join gm slave
#     start_ptp4l gm gm -3
#     start_ptp4l slave slave -3
#     check "the slave locks" wait_for 15 '[ "$(port_state slave)" = SLAVE ]'
#     lab_finish
#
# A board is a network namespace ptpmon-PID-NAME and a clock of its own: its programs see a private
# CLOCK_REALTIME (vclock.so), so a slave really locks and the true error of its clock is known. All
# of them run without CAP_SYS_TIME: whatever goes wrong, the machine's own clock cannot be set.
# Whatever a script made here is removed when it ends, however it ends (even a lab that was ended by
# SIGKILL is removed by the next one). Nothing but the script's own processes is ever signalled.
#
# Sourcing turns on: set -eEuo pipefail. Needs root, and the programs of the build.
#
# Variables
#   LAB_TOP      the source tree
#   LAB_BUILD    the build directory whose programs are used (default: build-test of the tree)
#   LAB_WORK     a new directory for sockets, clocks, logs and databases, removed at the end;
#                with LAB_KEEP=1 in the environment it stays, and its name is printed
#   LAB_PRELOAD  one more library for what is started on a board, by a path without blanks
#   lab_pid      the process id of everything that board_start started, by label
#
# The lab
#   lab_open                    make LAB_WORK and promise to clean up; first of all
#   lab_board NAME [OFFSET_NS [DRIFT_PPB]]
#                               a board whose clock starts off by OFFSET_NS and runs off by DRIFT_PPB
#   lab_phc NAME [OFFSET_NS [DRIFT_PPB]]
#                               gives the board a hardware clock, /dev/ptp0, which stamps the packets of
#                               eth0 and shows OFFSET_NS more than the truth (37 s more: TAI); called again,
#                               another, /dev/ptp1 for eth1, and so on
#   lab_join A B [relay]        a wire, ethN to ethN (N counts from 0 on each board); A is the
#                               grandmaster's side. With `relay` its faults can be ordered:
#   wire ORDER...               see relay.c: `wire shift 5000000`, `wire drop 8 100`, `wire clear`
#
# Programs on a board
#   board_exec NAME COMMAND...  run it there, in the foreground
#   board_start NAME LABEL COMMAND...
#                               start it there; its output goes to $LAB_WORK/LABEL.log
#   stop LABEL [SIGNAL]         send SIGNAL (default TERM) and reap it: its exit status is then in
#                               lab_status, 137 if it had to be killed because 10 s passed
#   is_running LABEL            whether it is
#   start_ptp4l NAME gm|slave [LOG_SYNC_INTERVAL [LINE...]]
#                               ptp4l with software timestamps over L2 on eth0 (default interval -3)
#                               and more LINEs of configuration, hardware timestamps with the line
#                               "time_stamping hardware"; label NAME-ptp4l, so the log with one
#                               line per servo update is $LAB_WORK/NAME-ptp4l.log; its socket is
#                               $LAB_WORK/NAME-ptp4l
#   ptp4l_get NAME ID...        what linuxptp's pmc prints for GET ID of the board's ptp4l, whoever
#                               started it
#   ptp4l_field NAME ID FIELD   one value of it
#   port_state NAME             its first port's state, as ptp4l names it
#   start_ptpmon NAME grandmaster|slave [LOG_SYNC_INTERVAL [LINE...]]
#                               `ptpmon run` with a ptp4l of the same kind; label NAME-ptpmon,
#                               configuration $LAB_WORK/NAME.conf, to which the LINEs, sections and
#                               keys, are added; its database is $LAB_WORK/NAME.db/ptpmon.db and its
#                               ptp4l's socket $LAB_WORK/NAME.run/eth0/ptp4l
#   ptpmon NAME SUBCOMMAND [ARGUMENT...]
#                               another subcommand on that board, in the foreground
#   ptpmon_pids NAME PATTERN    processes on the board whose command line matches PATTERN
#   ptpmon_sql NAME STATEMENT   ask its database
#   clock_error_ns NAME         how far the board's clock is ahead of the truth (the machine's clock)
#   clock_disturb NAME step NS | drift PPB | vouch MAXERROR_US | tai SECONDS
#                               (see vclock-tool.c); at first nothing vouches for a clock
#   phc_error_ns NAME[/ptpN]    the same of its hardware clock: 37 s ahead when that is right
#   phc NAME[/ptpN] ORDER...    disturb it: see vphc-tool.c
#
# Checks: those of checks.sh, and
#   lab_finish                  end the script: 0 if all checks were good, else 1 and the logs' ends
set -eEuo pipefail

# shellcheck source=tests/lab/checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/checks.sh"

LAB_TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
LAB_BUILD=$(realpath "${LAB_BUILD:-$LAB_TOP/build-test}")
LAB_WORK=

declare -A lab_pid=()
declare -A lab_interfaces=() # by board: how many it has
declare -A lab_phcs=()       # by board: the directory of its hardware clocks, if it has any
lab_wires=0
lab_status=0

lab_die() {
	echo "lab: $1" >&2
	exit 1
}

# --- making and removing a lab ---

lab_namespaces() { # lab_namespaces PID: those of the lab that PID made, or made once
	ip netns list 2>/dev/null | awk -v prefix="ptpmon-$1-" 'index($1, prefix) == 1 { print $1 }'
}

# End what still lives in the namespaces of lab PID, then remove them and its work directories.
lab_remove() {
	local pid=$1 namespace lives

	for namespace in $(lab_namespaces "$pid"); do
		for _ in 1 2 3 4 5; do
			lives=$(ip netns pids "$namespace" 2>/dev/null) || true
			[ -n "$lives" ] || break
			# shellcheck disable=SC2086 # process ids
			kill -KILL $lives 2>/dev/null || true
			sleep 0.1
		done
		ip netns del "$namespace" 2>/dev/null || true
	done
	[ -n "${LAB_KEEP:-}" ] || rm -rf -- "${TMPDIR:-/tmp}/ptpmon-lab-$pid".*
}

# Labs whose script was killed before it could clean up.
lab_remove_abandoned() {
	local pid

	for pid in $(ip netns list 2>/dev/null | sed -n 's/^ptpmon-\([0-9]*\)-.*/\1/p' | sort -u); do
		[ -d "/proc/$pid" ] || lab_remove "$pid"
	done
}

# What this script started gets the chance to end in order, stopped or not; then lab_remove.
lab_close() {
	local status=$? pids

	trap - EXIT ERR
	trap '' INT TERM HUP
	set +e
	for _ in $(seq 50); do
		pids=$(jobs -rp)
		[ -n "$pids" ] || break
		# shellcheck disable=SC2086 # process ids
		kill -TERM $pids 2>/dev/null
		# shellcheck disable=SC2086
		kill -CONT $pids 2>/dev/null
		sleep 0.1
	done
	lab_remove $$
	[ -z "${LAB_KEEP:-}" ] || echo "lab: kept $LAB_WORK" >&2
	exit "$status"
}

lab_open() {
	[ "$(id -u)" = 0 ] || skip "must be root to make network namespaces"
	[ -e "$LAB_BUILD/tests/lab/vclock.so" ] || lab_die "$LAB_BUILD is not built"
	trap lab_close EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
	trap 'exit 129' HUP
	# In a subshell it may be part of a condition, which only the shell around it knows.
	trap '[ "$BASH_SUBSHELL" -gt 0 ] ||
		echo "lab: ${BASH_SOURCE[0]##*/}: line $LINENO: $BASH_COMMAND: failed" >&2' ERR
	lab_remove_abandoned
	LAB_WORK=$(mktemp -d "${TMPDIR:-/tmp}/ptpmon-lab-$$.XXXXXX")
	# LD_PRELOAD takes no path with a blank, which that of the build may have.
	ln -s "$LAB_BUILD/tests/lab/vclock.so" "$LAB_BUILD/tests/lab/vphc.so" "$LAB_WORK"
}

lab_namespace() { # lab_namespace NAME: make one, without the chatter of IPv6
	local namespace="ptpmon-$$-$1"

	ip netns add "$namespace"
	ip netns exec "$namespace" sh -c 'echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6
		echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6' 2>/dev/null || true
	ip -n "$namespace" link set dev lo up
}

lab_board() {
	local name=$1

	lab_namespace "$name"
	lab_interfaces[$name]=0
	"$LAB_BUILD/tests/lab/vclock" "$LAB_WORK/$name.clock" create "${2:-0}" "${3:-0}"
}

lab_phc() {
	local directory=$LAB_WORK/$1.phcs n=0

	mkdir -p "$directory"
	chmod 755 "$LAB_WORK" # for programs that are not root's
	while [ -e "$directory/ptp$n" ]; do
		n=$((n + 1))
	done
	"$LAB_BUILD/tests/lab/vphc" "$directory/ptp$n" create "${2:-37000000000}" "${3:-0}"
	"$LAB_BUILD/tests/lab/vphc" "$directory/ptp$n" port "eth$n"
	lab_phcs[$1]=$directory
}

lab_link() { # lab_link NAMESPACE INTERFACE NAMESPACE INTERFACE
	ip -n "$1" link add name "$2" type veth peer name "$4" netns "$3"
	ip -n "$1" link set dev "$2" up
	ip -n "$3" link set dev "$4" up
}

lab_join() {
	local a=$1 b=$2 how=${3:-direct}
	local end_a="eth${lab_interfaces[$1]}" end_b="eth${lab_interfaces[$2]}"
	local middle="ptpmon-$$-wire"

	case $how in
	direct) lab_link "ptpmon-$$-$a" "$end_a" "ptpmon-$$-$b" "$end_b" ;;
	relay)
		lab_namespace wire
		lab_link "ptpmon-$$-$a" "$end_a" "$middle" a
		lab_link "$middle" b "ptpmon-$$-$b" "$end_b"
		ip netns exec "$middle" setpriv --bounding-set -sys_time --inh-caps -sys_time \
			"$LAB_BUILD/tests/lab/relay" run "$LAB_WORK/wire" a b \
			>"$LAB_WORK/wire.log" 2>&1 </dev/null &
		lab_pid[wire]=$!
		wait_for 5 "[ -S '$LAB_WORK/wire' ]" || lab_die "the relay does not start"
		;;
	*) lab_die "lab_join: $how is neither direct nor relay" ;;
	esac
	ip -n "ptpmon-$$-$a" addr add "10.98.$lab_wires.1/24" dev "$end_a"
	ip -n "ptpmon-$$-$b" addr add "10.98.$lab_wires.2/24" dev "$end_b"
	lab_interfaces[$a]=$((lab_interfaces[$a] + 1))
	lab_interfaces[$b]=$((lab_interfaces[$b] + 1))
	lab_wires=$((lab_wires + 1))
}

wire() {
	"$LAB_BUILD/tests/lab/relay" tell "$LAB_WORK/wire" "$@"
}

# --- programs on a board ---

# Sets the array `words`: the command as it has to be run on that board. All of it replaces itself
# by the next, so the process id stays the same to the end. What a script starts in the background
# ignores SIGINT unless told otherwise; a program built with gcc's address sanitizer wants to be
# told that a preloaded library is fine.
board_words() {
	local name=$1 preload=$LAB_WORK/vclock.so

	shift
	[ -z "${lab_phcs[$name]:-}" ] || preload="$LAB_WORK/vphc.so $preload"
	preload+="${LAB_PRELOAD:+ $LAB_PRELOAD}"
	# shellcheck disable=SC2054 # the comma is env's
	words=(ip netns exec "ptpmon-$$-$name"
		setpriv --bounding-set -sys_time --inh-caps -sys_time
		env --default-signal=INT,QUIT
		"LD_PRELOAD=$preload" "VCLOCK_FILE=$LAB_WORK/$name.clock"
		${lab_phcs[$name]:+"VPHC_DIR=${lab_phcs[$name]}"}
		"ASAN_OPTIONS=verify_asan_link_order=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}" "$@")
}

board_exec() {
	local words

	board_words "$@"
	"${words[@]}"
}

board_start() {
	local words label=$2

	board_words "$1" "${@:3}"
	"${words[@]}" >>"$LAB_WORK/$label.log" 2>&1 </dev/null &
	lab_pid[$label]=$!
}

is_running() {
	local state

	state=$(ps -o stat= -p "${lab_pid[$1]}" 2>/dev/null) && [[ $state != Z* ]]
}

stop() {
	local label=$1 pid=${lab_pid[$1]}

	kill -"${2:-TERM}" "$pid" 2>/dev/null || true
	wait_for 10 "! is_running $label" || kill -KILL "$pid" 2>/dev/null || true
	lab_status=0
	wait "$pid" 2>/dev/null || lab_status=$?
}

# From linuxptp 4.0 there is a second, read-only socket, whose default place is the machine's.
ptp4l_is_new() {
	[[ $(ptp4l -v 2>&1) =~ ^[4-9] ]]
}

start_ptp4l() {
	local name=$1 role=$2 interval=${3:--3} base=$LAB_WORK/$1-ptp4l line

	{
		printf '%s\n' '[global]' 'time_stamping software' 'network_transport L2' \
			"logSyncInterval $interval" "logMinDelayReqInterval $interval" \
			"summary_interval $interval" 'logAnnounceInterval -2' \
			'tx_timestamp_timeout 50' 'use_syslog 0' 'verbose 1' \
			'pi_proportional_const 0.7' 'pi_integral_const 0.3' \
			"uds_address $base"
		! ptp4l_is_new || echo "uds_ro_address $base-ro"
		case $role in
		gm) printf '%s\n' 'priority1 100' 'masterOnly 1' ;;
		slave) echo 'slaveOnly 1' ;;
		*) lab_die "start_ptp4l: $role is neither gm nor slave" ;;
		esac
		for line in "${@:4}"; do
			echo "$line"
		done
	} >"$base.conf"
	board_start "$name" "$name-ptp4l" ptp4l -f "$base.conf" -i eth0
	wait_for 5 "[ -S '$base' ]" || lab_die "ptp4l on $name does not start: $(tail -n 3 "$base.log")"
}

# An added LINE may repeat a key: it is read from a file of its own, later.
ptpmon_configure() { # ptpmon_configure NAME ROLE LOG_SYNC_INTERVAL [LINE...]
	local name=$1

	mkdir -p "$LAB_WORK/$name.conf.d"
	cat >"$LAB_WORK/$name.conf" <<-EOF
		[ptpmon]
		role = $2
		interfaces = eth0
		label = $name
		runtime_directory = $LAB_WORK/$name.run
		[ptp4l]
		timestamping = software
		tx_timestamp_timeout = 50 ms
		log_sync_interval = $3
		extra_arguments = --summary_interval=$3 --logMinDelayReqInterval=$3 --logAnnounceInterval=-2 --pi_proportional_const=0.7 --pi_integral_const=0.3
		[store]
		directory = $LAB_WORK/$name.db
	EOF
	printf '%s\n' "${@:4}" >"$LAB_WORK/$name.conf.d/more.conf"
}

start_ptpmon() {
	local name=$1

	ptpmon_configure "$name" "$2" "${3:--3}" "${@:4}"
	board_start "$name" "$name-ptpmon" "$LAB_BUILD/ptpmon/ptpmon" run --config "$LAB_WORK/$name.conf"
	wait_for 10 "[ -S '$LAB_WORK/$name.run/control' ] || ! is_running $name-ptpmon"
	is_running "$name-ptpmon" ||
		lab_die "ptpmon on $name does not start: $(tail -n 3 "$LAB_WORK/$name-ptpmon.log")"
}

ptpmon() {
	board_exec "$1" "$LAB_BUILD/ptpmon/ptpmon" "$2" --config "$LAB_WORK/$1.conf" "${@:3}"
}

ptpmon_pids() {
	local pid

	for pid in $(ip netns pids "ptpmon-$$-$1"); do
		tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline" | grep -qE -- "$2" && echo "$pid"
	done
	return 0
}

ptpmon_sql() {
	sqlite3 -readonly "$LAB_WORK/$1.db/ptpmon.db" "$2"
}

ptp4l_get() {
	local name=$1 requests socket=$LAB_WORK/$1-ptp4l

	requests=("${@:2}")
	[ -S "$socket" ] || for socket in "$LAB_WORK/$name.run"/*/ptp4l; do
		break # the first of several
	done
	board_exec "$name" pmc -u -b 0 -i "$LAB_WORK/pmc.$BASHPID" -s "$socket" "${requests[@]/#/GET }"
}

ptp4l_field() {
	ptp4l_get "$1" "$2" | awk -v field="$3" '$1 == field { print $2; exit }'
}

port_state() {
	ptp4l_field "$1" PORT_DATA_SET portState
}

clock_error_ns() {
	local error

	read -r error _ < <("$LAB_BUILD/tests/lab/vclock" "$LAB_WORK/$1.clock")
	echo "$error"
}

clock_disturb() {
	"$LAB_BUILD/tests/lab/vclock" "$LAB_WORK/$1.clock" "${@:2}"
}

phc() {
	local clock=ptp0

	[[ $1 != */* ]] || clock=${1#*/}
	"$LAB_BUILD/tests/lab/vphc" "${lab_phcs[${1%/*}]}/$clock" "${@:2}"
}

phc_error_ns() {
	local error

	read -r error _ < <(phc "$1")
	echo "$error"
}

# --- checks: those of checks.sh, and the end ---

lab_finish() {
	local log

	[ "$lab_bad" -gt 0 ] || exit 0
	for log in "$LAB_WORK"/*.log; do
		[ -s "$log" ] || continue
		echo "# the end of ${log##*/}:"
		tail -n 12 "$log" | sed 's/^/#   /'
	done
	exit 1
}
