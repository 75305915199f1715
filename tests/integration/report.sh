#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The report against the rows it is made of, sorted and counted here by other means.
# shellcheck source=../lab/lib.sh
. "$(dirname "$0")/../lab/lib.sh"

report() {
	jq -r "$1" "$LAB_WORK/report.json"
}

# The smallest of the sorted values with at least PER_MILLE of them at or below it.
nearest_rank() { # nearest_rank PER_MILLE CONDITION
	ptpmon_sql slave "select abs(value_ns) from sample where $2 order by 1" |
		awk -v p="$1" '{ v[NR] = $1 } END { k = int((NR * p + 999) / 1000); print v[k] }'
}

lab_open
lab_board gm
lab_board slave 100000000
lab_join gm slave
start_ptp4l gm gm -5
start_ptpmon slave slave -5 '[store]' 'flush_interval = 1 s'
check "the slave locks" wait_for 20 '[ "$(port_state slave)" = SLAVE ]'
ptpmon slave phase idle -- sleep 8
ptpmon slave phase load -- stress-ng --quiet --cpu 2 --timeout 8
stop slave-ptpmon

check "a report of the last run is made" \
	bash -c '"$@" >"$0"' "$LAB_WORK/report.txt" "$LAB_BUILD/ptpmon/ptpmon" report \
	--config "$LAB_WORK/slave.conf" last
ptpmon slave report --json last >"$LAB_WORK/report.json"
check "it is JSON with a schema" [ "$(report .schema)" = ptpmon.report/1 ]
check "it shows both phases" [ "$(grep -cwE 'idle|load' "$LAB_WORK/report.txt")" -ge 1 ]
check "it shows every CPU" \
	[ "$(report '[.. | .latency? // empty | .[] | .cpu] | unique | length')" = "$(nproc)" ]
lab_finish
