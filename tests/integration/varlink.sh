#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# alone
# timeout: 240
#
# The control socket, as systemd's varlinkctl sees it and as hostile clients treat it: whatever they
# do, every servo update goes on being recorded.
# shellcheck source=../lab/lib.sh
. "$(dirname "$0")/../lab/lib.sh"

ctl() { # ctl METHOD PARAMETERS: the answer
	"$LAB_TOP/tests/lab/varlinkctl" call "$socket" "io.ptpmon.$1" "$2" 2>"$LAB_WORK/ctl.err"
}

ctl_fails() { # ctl_fails METHOD PARAMETERS ERROR
	! ctl "$1" "$2" >/dev/null && grep -q "$3" "$LAB_WORK/ctl.err"
}

hostile() {
	"$LAB_TOP/tests/lab/hostile.py" "$socket" "$@" >>"$LAB_WORK/hostile.log" 2>&1
}

status() { # status FILTER: whether it is true of the status, which may be a bad one
	(ptpmon slave status --json || true) | jq -e "$1" >/dev/null
}

sql() {
	ptpmon_sql slave "$1"
}

descriptors() {
	find "/proc/$recorder/fd" -mindepth 1 | wc -l
}

# Updates that were recorded since then, and that were not, and the longest time without one in ms.
# At eight a second.
since_ns() {
	echo $(($(uptime_cs) * 10000000))
}

nothing_is_missing() { # nothing_is_missing FROM_NS UNTIL_NS
	local n missed longest

	wait_for 10 "[ \"\$(sql 'select max(mono_ns) > $2 from sample')\" = 1 ]" || return
	IFS='|' read -r n missed longest < <(sql "select count(*), sum(missed), max(d) / 1000000 from (
		select missed, mono_ns - lag(mono_ns) over (order by mono_ns) as d from sample
		where mono_ns between $1 and $2)")
	echo "# $n updates in $((($2 - $1) / 1000000)) ms, $missed missed, $longest ms without one"
	[ "$missed" = 0 ] && [ "$longest" -lt 400 ] && [ "$n" -ge $((($2 - $1) / 125000000 - 2)) ]
}

lab_open
lab_board gm
lab_board slave 2000000
lab_join gm slave
socket=$LAB_WORK/slave.run/control
start_ptpmon gm grandmaster -3
start_ptpmon slave slave -3 '[store]' 'flush_interval = 1 s' '[limits]' 'hold = 1 s' 'latency = 1 us'
check "a slave is synchronised" ptpmon slave wait-sync --timeout 30s
recorder=$(ptpmon_pids slave ' recorder')

# Somebody else's client.
if "$LAB_TOP/tests/lab/varlinkctl" --version >/dev/null 2>&1; then
	varlinkctl=$LAB_TOP/tests/lab/varlinkctl
	check "varlinkctl info: the interface" grep -q io.ptpmon <<<"$("$varlinkctl" info "$socket")"
	check "varlinkctl introspect: every method, in a language that it parses" \
		[ "$("$varlinkctl" introspect "$socket" io.ptpmon | grep -oE '^(method|error) [A-Za-z]+' | sort | xargs)" = \
		"error Failed error NoPhase method AcknowledgeAlarms method BeginPhase method EndPhase method GetStatus method ListEvents method Mark method PutVerdict method Watch" ]
	check "GetStatus" jq -e '.status.schema == "ptpmon.status/1" and .status.ports[0].offset_ns.value != null' \
		<<<"$(ctl GetStatus '{}')"
	ctl Mark '{"text": "door open"}' >/dev/null
	ctl BeginPhase '{"name": "load"}' >/dev/null
	ctl EndPhase '{}' >/dev/null
	ctl PutVerdict '{"plan": "night", "phase": "load", "criterion": "offset p99", "limit": 100,
		"measured": 35.5, "pass": true, "reason": "within"}' >/dev/null
	check "Mark, BeginPhase, EndPhase and PutVerdict are recorded, with the caller" wait_for 5 \
		'[[ "$(sql "select text, m.who, name, plan, criterion, limit_value, measured, pass, reason, v.who
			from mark as m, phase, verdict as v")" == \
		"door open|root (pid "*")|load|night|offset p99|100.0|35.5|1|within|root (pid "*")" ]]'
	check "ListEvents: the newest, in order" jq -e '.events | length == 3 and
		(map(.mono_ns | tonumber) | sort == .) and .[0].schema == "ptpmon.event/1"' \
		<<<"$(ctl ListEvents '{"severity": "notice", "limit": 3}')"
	check "ListEvents: as many as the record has" wait_for 5 \
		'[ "$(ctl ListEvents "{}" | jq ".events | length")" = "$(sql "select count(*) from event")" ]'
	check "ListEvents: none of the future" \
		jq -e '.events == []' <<<"$(ctl ListEvents '{"since": "2100-01-01T00:00:00Z"}')"
	check "errors: MethodNotFound" ctl_fails Nothing '{}' org.varlink.service.MethodNotFound
	check "errors: InvalidParameter" ctl_fails Mark '{"text": 5}' org.varlink.service.InvalidParameter
	check "errors: ExpectedMore" ctl_fails Watch '{}' org.varlink.service.ExpectedMore
	check "errors: NoPhase" ctl_fails EndPhase '{}' io.ptpmon.NoPhase
	board_start slave watch "$varlinkctl" call --more "$socket" io.ptpmon.Watch '{"recent": 5}'
	pause 4
	ptpmon slave mark "while somebody watches"
	stop watch
	check "Watch: five events and a status at once, then a status a second" jq -se '
		(.[0].events | length == 5) and (map(select(.status)) | length >= 4)' "$LAB_WORK/watch.log"
	check "AcknowledgeAlarms" jq -e '.acknowledged >= 1' <<<"$(ctl AcknowledgeAlarms '{}')"
else
	echo "# varlinkctl cannot be fetched: what it would have checked is left out"
fi

# Alarms: a limit that no wake-up keeps.
check "a limit raises its alarm" wait_for 10 \
	'status ".alarms | any(.code == \"latency\" and .raised)"'
check "... which is an event" \
	wait_for 5 '[ "$(sql "select count(*) > 0 from events where code = '\''alarm-raised'\''")" = 1 ]'
check "... and makes the status bad, with its number" \
	grep -qE '^BAD +cpu [0-9]+: alarm latency for .* limit 1000 ns' <<<"$(ptpmon slave status || true)"

# An event is told as it happens, long before it is flushed.
board_start slave follow "$LAB_BUILD/ptpmon/ptpmon" events --config "$LAB_WORK/slave.conf" --follow --json
wait_for 5 'grep -q run-started "$LAB_WORK/follow.log"'
ip -n "ptpmon-$$-gm" link set dev eth0 down
check "events --follow: at once" wait_for 1 'grep -q link-down "$LAB_WORK/follow.log"'
check "wait-sync says which condition fails" \
	grep -qE '^ptpmon wait-sync: not synchronised after .*: eth0: (no carrier|[A-Z]+, not SLAVE)' \
	<<<"$(ptpmon slave wait-sync --timeout 1s 2>&1 || true)"
ip -n "ptpmon-$$-gm" link set dev eth0 up
check "wait-sync waits until it is back" ptpmon slave wait-sync --timeout 30s
check "events --follow: each once" \
	[ "$(jq -c '[.mono_ns, .code, .text]' "$LAB_WORK/follow.log" | sort | uniq -d | wc -l)" = 0 ]
stop follow

# Clients that mean no good, one kind after the other and then all at once.
before=$(descriptors)
from=$(since_ns)
check "garbage is dropped, 500 times" hostile garbage
check "half messages keep nobody out" hostile half
check "a request without an end is dropped" hostile long
check "10 000 connections" hostile connections
check "a hoard of connections, and somebody who asks" eval \
	'hostile hoard & pause 1; ptpmon slave status --json >/dev/null || [ $? = 1 ]; wait $!'
check "who asks all the time gets no more than a share" hostile flood
check "20 that watch and never read are dropped" hostile deaf
until=$(since_ns)
check "meanwhile no update was missed, and there was no gap" nothing_is_missing "$from" "$until"
check "it is the same recorder" [ "$(ptpmon_pids slave ' recorder')" = "$recorder" ]
check "no descriptor is left" wait_for 5 "[ \"\$(descriptors)\" -le $before ]"
check "status answers" status '.schema == "ptpmon.status/1"'
stop slave-ptpmon
check "it ends in order" [ "$lab_status" = 0 ]
lab_finish
