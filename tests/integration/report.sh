#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The report against the rows it is made of, sorted and counted here by other means.
# shellcheck source=../lab/lib.sh
. "$(dirname "$0")/../lab/lib.sh"

report() { # report FILTER
	jq -r "$1" "$LAB_WORK/report.json"
}

# What the report says of offsets in one column: count, min, max, median, 99 %, 99.9 % of |offset|.
reported() { # reported COLUMN
	report ".offsets[0].columns[] | select(.column == \"$1\") |
		[.count, .min_ns, .max_ns, .abs.p50_ns, .abs.p99_ns, .abs.p99_9_ns] | map(. // \"-\") |
		join(\" \")"
}

# The same from the rows: nearest rank, refused where no sample lies beyond.
counted() { # counted CONDITION
	ptpmon_sql slave "select value_ns, abs(value_ns) from sample where flags = 0 and $1 order by 2" |
		awk -F '|' '
		function rank(per_mille,   k) {
			k = int((NR * per_mille + 999) / 1000)
			return k < NR ? size[k] : "-"
		}
		NR == 1 { min = max = $1 }
		{
			size[NR] = $2
			if ($1 < min) min = $1
			if ($1 > max) max = $1
		}
		END { print NR, min, max, rank(500), rank(990), rank(999) }'
}

within() { # within PHASE: as a condition
	echo "mono_ns >= (select start_mono_ns from phase where name = '$1') and
		mono_ns < (select end_mono_ns from phase where name = '$1')"
}

same() { # same COLUMN CONDITION
	local said want

	said=$(reported "$1")
	want=$(counted "$2")
	[ "$said" = "$want" ] || { echo "# reported $said, counted $want" && return 1; }
}

same_latency() { # per CPU: subject, wake-ups, min, max, overflows, missed
	diff <(report '.latencies[] | .subject as $s | .columns[0] |
			[$s, .count, .min_ns, .max_ns, .overflow, .missed] | join("|")' | sort) \
		<(ptpmon_sql slave "select subject, sum(count), min(min_ns), max(max_ns), sum(overflows),
			sum(missed) from latency join series on series.id = series where kind = 'latency'
			group by subject" | sort)
}

within_limits() { # within_limits LIMIT: of max|TE|, by a file of limits
	printf '%s\n' '[preset]' 'about = a' 'edition = e' 'provenance = p' '[max|TE|]' \
		'quantity = max|TE|' 'filter = none' 'source = s' "limit = $1" >"$LAB_WORK/limits.ini"
	ptpmon slave report --limits "$LAB_WORK/limits.ini" last >/dev/null
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

ptpmon slave report last >"$LAB_WORK/report.txt"
ptpmon slave report --json last >"$LAB_WORK/report.json"
check "it has a schema" [ "$(report .schema)" = ptpmon.report/1 ]
check "a slave's offsets were recorded in both phases" \
	[ "$(report '.offsets[0].columns | map(.count > 200) | all')" = true ]
check "offsets: all are as the rows say" same all 1
check "offsets: idle is as the rows say" same idle "$(within idle)"
check "offsets: load is as the rows say" same load "$(within load)"
check "latency: every CPU is there" [ "$(report '.latencies | length')" = "$(nproc)" ]
check "latency: it is as the rows say" same_latency
check "MTIE rises with tau, and not above the range of the offsets" \
	[ "$(report '.offsets[0].columns[0] | (.max_ns - .min_ns) as $range | .wander.taus | map(.mtie_ns) |
		length > 5 and . == sort and .[0] > 0 and .[-1] <= $range')" = true ]
check "TDEV is there, and is finite" \
	[ "$(report '.offsets[0].columns[0].wander.taus[0].tdev_ns > 0')" = true ]
check "a percentile has its interval" \
	[ "$(report '.offsets[0].columns[0].abs | .p50_ns as $p | .confidence.p50_ns |
		.low_ns <= $p and $p <= .high_ns and .beyond > 100')" = true ]
largest=$(report '.offsets[0].columns[0].abs_max_ns')
check "the largest offset is within a limit of its size" within_limits "$largest"
check "and outside a smaller one" [ "$(within_limits $((largest - 1)) || echo $?)" = 1 ]
check "a preset that is none is refused" [ "$(ptpmon slave report --limits x 2>/dev/null || echo $?)" = 2 ]
ptpmon slave report --format csv last >"$LAB_WORK/report.csv"
check "CSV has the same median" grep -qx \
	"offset,eth0,all,p50,,$(report '.offsets[0].columns[0].abs.p50_ns'),ns" "$LAB_WORK/report.csv"
check "every line of it has seven fields" \
	[ "$(awk -F, '{ print NF }' "$LAB_WORK/report.csv" | sort -u)" = 7 ]
compare_status=0
ptpmon slave compare --json last last >"$LAB_WORK/compare.json" || compare_status=$?
check "nothing of a run is worse than itself" [ "$compare_status" = 0 ]
check "and the boards do not differ" \
	[ "$(jq '.differences + .alerts | length' "$LAB_WORK/compare.json")" = 0 ]
check "the text shows both phases side by side" grep -qw 'idle.*load' "$LAB_WORK/report.txt"
check "the text fits 80 columns" [ "$(wc -L <"$LAB_WORK/report.txt")" -le 80 ]
lab_finish
