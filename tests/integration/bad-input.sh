#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What cannot work is said in one line that names it, with exit status 2; nothing is overwritten.
# What can heal is waited for.
# shellcheck source=../lab/lib.sh
. "$(dirname "$0")/../lab/lib.sh"

conf() {
	echo "$LAB_WORK/board.conf"
}

# Run with LINEs added to a good configuration; its status and stderr are then in $status, $LAB_WORK/err.
run_with() { # run_with LINE...
	status=0
	ptpmon_configure board slave -3 "$@"
	run_as_it_is
}

run_as_it_is() {
	timeout 10 "${prefix[@]}" ip netns exec "ptpmon-$$-board" \
		env "LD_PRELOAD=$LAB_WORK/vclock.so" "VCLOCK_FILE=$LAB_WORK/board.clock" \
		"$LAB_BUILD/ptpmon/ptpmon" run --config "$(conf)" >"$LAB_WORK/out" 2>"$LAB_WORK/err" \
		</dev/null || status=$?
}
prefix=(setpriv --bounding-set -sys_time --inh-caps -sys_time)

# Status 2, nothing left, and one line that matches, beside those that say how far it came.
refused() { # refused PATTERN
	local lines

	lines=$(grep -vE ': started, pid=|: run [0-9]+: (begins|ends)' "$LAB_WORK/err") || true
	[ "$status" = 2 ] && [ "$(wc -l <<<"$lines")" = 1 ] && grep -qE -- "$1" <<<"$lines" &&
		[ -z "$(ptpmon_pids board '/ptpmon |sampler| recorder')" ] && [ ! -e "$LAB_WORK/board.run" ]
}

check_refused() { # check_refused NAME PATTERN
	if refused "$2"; then
		ok "$1"
	else
		not_ok "$1" "status $status: $(tr '\n' '~' <"$LAB_WORK/err")"
	fi
}

lab_open
lab_board gm
lab_board board
lab_join gm board
start_ptp4l gm gm -3
more=$LAB_WORK/board.conf.d/more.conf

# The configuration: file, line, section, key.
run_with '[ptpmon]' 'lable = x'
check_refused "an unknown key" "$more:2: .*\[ptpmon\] lable.*label"
run_with '[ptp4l]' 'socket = /x' 'fifo_priority = 100'
check_refused "a value out of range" "$more:3: .*\[ptp4l\] fifo_priority.*99"
run_with '[ptp4l]' 'transport = L3'
check_refused "a value that is none" "$more:2: .*\[ptp4l\] transport.*L3"
run_with '[store]' 'flush_interval = 5'
check_refused "a duration without a unit" "$more:2: .*\[store\] flush_interval"
run_with '[ptp5l]'
check_refused "an unknown section" "$more:1: .*\[ptp5l\].*ptp4l"
run_with '[ptpmon]' 'label = a' 'label = b'
check_refused "a key given twice" "$more:3: .*\[ptpmon\] label.*line 2"
run_with 'label = a'
check_refused "a key without a section" "$more:1: .*label"
run_with '[ptpmon]' 'interfaces = eth0 this-name-is-far-too-long'
check_refused "an interface's name that cannot be one" "$more:2: .*\[ptpmon\] interfaces"
ptpmon_configure board slave -3
rm "$(conf)"
status=0
run_as_it_is
check_refused "no configuration at all" "$(conf): No such file"
mkdir "$(conf)"
status=0
run_as_it_is
check_refused "a directory for a configuration" "$(conf): "
rmdir "$(conf)"

# What it needs from the machine.
run_with '[ptp4l]' 'program = /nonexistent/ptp4l'
check_refused "no ptp4l" "/nonexistent/ptp4l.*(No such file|not found)"
echo text >"$LAB_WORK/not-a-program"
run_with '[ptp4l]' "program = $LAB_WORK/not-a-program"
check_refused "a ptp4l that cannot be executed" "not-a-program.*Permission denied"
run_with '[store]' "directory = $LAB_WORK/not-a-program/db"
check_refused "a database directory that cannot be made" "not-a-program/db.*Not a directory"
mkdir -m 0755 "$LAB_WORK/foreign"
chown nobody "$LAB_WORK/foreign"
prefix+=(setpriv --bounding-set -dac_override --inh-caps -dac_override)
run_with '[store]' "directory = $LAB_WORK/foreign"
check_refused "a database directory that cannot be written" "foreign.*Permission denied"
prefix=("${prefix[@]:0:5}")

# Databases that are not ours to touch.
start_ptpmon board slave -3
stop board-ptpmon
database=$LAB_WORK/board.db/ptpmon.db
sqlite3 "$database" 'pragma user_version = 999; pragma wal_checkpoint(truncate)' >/dev/null
before=$(sha256sum <"$database")
run_with
check_refused "a database of a newer version" "$database.* 999.*newer"
check "... is left as it is" [ "$before" = "$(sha256sum <"$database")" ]
rm -f "$database" "$database"-*
sqlite3 "$database" 'create table photos (taken text)'
before=$(sha256sum <"$database")
run_with
check_refused "somebody else's database" "$database.*not one of ptpmon's"
check "... is left as it is" [ "$before" = "$(sha256sum <"$database")" ]
rm -r "$LAB_WORK/board.db"

# Sockets.
start_ptp4l board slave -3
run_with '[ptp4l]' "socket = $LAB_WORK/board-ptp4l"
check_refused "a socket that another ptp4l has" "$LAB_WORK/board-ptp4l: .*has this socket"
check "... and keeps" [ -n "$(port_state board)" ]
stop board-ptp4l
start_ptpmon board slave -3
status=0
run_as_it_is
check "a second service in the same directory is refused" \
	grep -qE "$LAB_WORK/board.run.*(in use|busy|another)" "$LAB_WORK/err"
check "... and the first goes on" is_running board-ptpmon
run_with '[ptpmon]' "runtime_directory = $LAB_WORK/another.run"
check "a second service on the same port is refused, with the first one's process id" \
	grep -qE "eth0: another ptpmon \(pid ${lab_pid[board-ptpmon]}\)" "$LAB_WORK/err"
check "... and leaves nothing" [ ! -e "$LAB_WORK/another.run" ]
stop board-ptpmon
mkdir -p "$LAB_WORK/board.run/eth0"
ip netns exec "ptpmon-$$-board" ptp4l --uds_address="$LAB_WORK/board.run/eth0/ptp4l" -S -2 -i eth0 \
	>"$LAB_WORK/stale.log" 2>&1 &
lab_pid[stale]=$!
wait_for 5 '[ -S "$LAB_WORK/board.run/eth0/ptp4l" ]'
stop stale KILL
check "a stale socket is no obstacle" test -S "$LAB_WORK/board.run/eth0/ptp4l"
start_ptpmon board slave -3
check "... the slave locks" wait_for 20 '[ "$(port_state board)" = SLAVE ]'
stop board-ptpmon
rm -rf "$LAB_WORK/board.run" # ours since the stale socket

# SCHED_FIFO refused.
prefix+=(setpriv --bounding-set -sys_nice --inh-caps -sys_nice)
run_with '[realtime]' 'on_refusal = fail'
check_refused "no permission for SCHED_FIFO, if it must be" "ptp4l: .*CAP_SYS_NICE"
prefix=("${prefix[@]:0:5}")
ptpmon_configure board slave -3
board_start board board-ptpmon setpriv --bounding-set -sys_nice --inh-caps -sys_nice \
	"$LAB_BUILD/ptpmon/ptpmon" run --config "$(conf)"
check "no permission for SCHED_FIFO, if it may be: it goes on" \
	wait_for 20 '[ "$(port_state board 2>/dev/null)" = SLAVE ]'
check "... and says so" wait_for 10 \
	'[ "$(ptpmon_sql board "select count(*) from events where code = '\''schedule-mismatch'\''")" -ge 1 ]'
stop board-ptpmon

# An interface that comes later.
start_ptpmon board slave -3 '[ptpmon]' 'interfaces = late0'
check "a missing interface is waited for" wait_for 10 \
	'[ "$(ptpmon_sql board "select count(*) from events where code = '\''child-waiting'\''")" -ge 1 ]'
ip -n "ptpmon-$$-board" link set dev eth0 down
ip -n "ptpmon-$$-board" link set dev eth0 name late0
ip -n "ptpmon-$$-board" link set dev late0 up
check "... and used when it is there" wait_for 40 '[ "$(port_state board 2>/dev/null)" = SLAVE ]'
stop board-ptpmon
check "it ends in order" [ "$lab_status" = 0 ]
lab_finish
