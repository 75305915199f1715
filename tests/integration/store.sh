#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The record of a running service: what is told of it, a full disk, a file that was taken away, one
# that was damaged.
# shellcheck source=../lab/lib.sh
. "$(dirname "$0")/../lab/lib.sh"

sql() {
	ptpmon_sql slave "$1"
}

events() { # events CODE: how many were recorded
	sql "select count(*) from event where code = '$1'"
}

rows_grow() { # rows_grow SECONDS: samples are recorded
	local before

	before=$(sql 'select coalesce(max(id), 0) from sample')
	wait_for "$1" "[ \"\$(sql 'select coalesce(max(id), 0) from sample')\" -gt $before ]"
}

start() {
	start_ptpmon slave slave -3 '[store]' 'flush_interval = 1 s'
	wait_for 20 '[ "$(port_state slave)" = SLAVE ]'
	rows_grow 10
}

leave_disk() {
	umount -l "$disk" 2>/dev/null || true
	lab_close
}

lab_open
lab_board gm
lab_board slave
lab_join gm slave
start_ptp4l gm gm -3

# A disk of its own, which can be filled.
disk=$LAB_WORK/slave.db
mkdir "$disk"
mount -t tmpfs -o size=6m,mode=0750 ptpmon-test "$disk"
trap leave_disk EXIT
start

# What is told of it.
runs=$(ptpmon slave runs)
echo "$runs" | sed 's/^/# /'
check "runs: the run is listed as recording" grep -qE '^ +1  20.* recording .*  slave$' <<<"$runs"
check "runs --json: the same, as numbers" jq -e '.schema == "ptpmon.runs/1" and .runs[0].id == 1 and
	.runs[0].state == "recording" and .runs[0].samples > 0 and .runs[0].windows > 0 and
	(.runs[0].start_utc | endswith("Z")) and .file_bytes > 0' <<<"$(ptpmon slave runs --json)"
stop slave-ptpmon
check "runs: how it ended" grep -q ' stopped ' <<<"$(ptpmon slave runs)"
check "runs --json: what it cost" jq -e '(.runs[0].data_bytes | type) == "number" and .runs[0].written_bytes >= 0' \
	<<<"$(ptpmon slave runs --json)"
n=$(ptpmon slave export --csv | tail -n +2 | wc -l)
check "export: every sample" [ "$n" = "$(sql 'select count(*) from sample')" ]
check "export: the values of the record" \
	[ "$(ptpmon slave export --csv | awk -F, 'NR > 1 { s += $6 } END { printf "%d", s }')" = \
		"$(sql 'select sum(value_ns) from sample')" ]
check "export: every window" [ "$(ptpmon slave export --csv --table latency | tail -n +2 | wc -l)" = \
	"$(sql 'select count(*) from latency')" ]
check "events: the start of the run" grep -q '^20.*T.*Z *notice *run 1: begins' <<<"$(ptpmon slave events)"
check "events: all of them" [ "$(ptpmon slave events --json | jq -s length)" = \
	"$(sql 'select count(*) from event')" ]

# Output that does not get out is a failure, and says why.
for words in report 'report --json' 'report --list-limits' 'export --csv' 'export --csv --table events' runs 'runs --json' \
	events 'events --json' 'compare last last'; do
	full_status=0
	# shellcheck disable=SC2086 # words
	ptpmon slave ${words%% *} ${words#"${words%% *}"} >/dev/full 2>"$LAB_WORK/full.log" || full_status=$?
	check "$words into a full disk: status 2, and why" \
		[ "$full_status $(grep -c 'No space left on device' "$LAB_WORK/full.log")" = "2 1" ]
done

# A file's name may be any octets: they break no JSON, and drive no terminal.
odd=$LAB_WORK/$'b\xfcro\e[31m.log'
cp "$LAB_TOP/tests/data/logs/ptp4l_4.4_follower_1hz.log" "$odd"
check "import --json: an odd name of a file" jq -e '.offsets == 44 and (.file | endswith("b?ro?[31m.log"))' \
	<<<"$("$LAB_BUILD/ptpmon/ptpmon" import --json --db "$LAB_WORK/odd.db" "$odd")"
check "import: an odd name of a file" grep -qF 'b?ro?[31m.log: run 2: 44 offsets' \
	<<<"$("$LAB_BUILD/ptpmon/ptpmon" import --db "$LAB_WORK/odd.db" "$odd")"

# A disk that is full, and then is not.
start
board_start slave follow "$LAB_BUILD/ptpmon/ptpmon" events --config "$LAB_WORK/slave.conf" --follow
run=$(sql 'select max(id) from run')
cat /dev/zero >"$disk/ballast" 2>/dev/null || true
check "disk full: the service says so" \
	wait_for 20 'grep -q "slave.db/ptpmon.db: .*recording goes on in memory" "$LAB_WORK/slave-ptpmon.log"'
check "disk full: the status says so" wait_for 5 \
	'[ "$(ptpmon slave status --json | jq .record.ok)" = false ]'
check "disk full: monitoring goes on" \
	jq -e '.ports[0].state.value == "SLAVE" and .ports[0].offset_ns.value != null' <<<"$(ptpmon slave status --json)"
recorder=$(ptpmon_pids slave ' recorder')
kill -KILL "$recorder"
check "disk full: a recorder that was killed goes on in the same run" wait_for 20 \
	'[ -n "$(ptpmon_pids slave " recorder")" ] && [ "$(ptpmon_pids slave " recorder")" != "$recorder" ] &&
	 [ "$(ptpmon slave status --json | jq .record.run)" = '"$run"' ]'
check "disk full: it says so again" wait_for 20 \
	'[ "$(ptpmon slave status --json | jq .record.ok)" = false ]'
full_cs=$(uptime_cs)
pause 3
rm "$disk/ballast"
check "disk free again: the record goes on" \
	wait_for 20 '[ "$(events store-recovered)" = 1 ] && [ "$(events store-failed)" = 1 ]'
# What came in meanwhile had waited: eight a second for three seconds.
check "disk free again: nothing is missing" [ "$(sql "select count(*) >= 22 from sample
	where mono_ns between $full_cs * 10000000 and ($full_cs + 300) * 10000000")" = 1 ]
check "disk free again: the same run, sound" \
	[ "$(sql 'select max(id) from run') $(sql 'pragma integrity_check')" = "$run ok" ]
check "events --follow: both are told as they are recorded" \
	wait_for 5 'grep -q "record: written again after" "$LAB_WORK/follow.log"'
stop follow

# The file is taken away under it, and later damaged.
mv "$disk/ptpmon.db" "$disk/kept.db"
check "file taken away: a new one is begun" wait_for 10 '[ -e "$disk/ptpmon.db" ] && rows_grow 5'
check "file taken away: the record tells" [ "$(events store-set-aside)" = 1 ]
check "file taken away: what was taken is whole" \
	[ "$(sqlite3 "$disk/kept.db" 'pragma integrity_check')" = ok ]

# Its log is removed under it: SQLite itself would not notice.
before=$(sql 'select count(*) from sample')
rm "$disk/ptpmon.db-wal"
check "log removed: the service says so" \
	wait_for 5 'grep -q "its log (-wal) was removed by somebody: opened again, and sound" "$LAB_WORK/slave-ptpmon.log"'
check "log removed: the record goes on, and nothing is missing" rows_grow 5
check "log removed: what was there is there" [ "$(sql "select count(*) > $before from sample")" = 1 ]
check "log removed: it is sound" [ "$(sql 'pragma integrity_check')" = ok ]
stop slave-ptpmon
rm -f "$disk/kept.db" "$disk"/*-damaged-*
head -c 100000 /dev/urandom | dd of="$disk/ptpmon.db" conv=notrunc status=none
sum=$(sha256sum <"$disk/ptpmon.db")
start
check "damaged file: set aside as it was" \
	[ "$(sha256sum <"$(echo "$disk"/ptpmon-damaged-*Z.db)")" = "$sum" ]
check "damaged file: the log tells" grep -q 'set aside as ptpmon-damaged-' "$LAB_WORK/slave-ptpmon.log"
check "damaged file: the record tells" [ "$(events store-set-aside)" = 1 ]
stop slave-ptpmon
check "it ends in order" [ "$lab_status" = 0 ]
lab_finish
