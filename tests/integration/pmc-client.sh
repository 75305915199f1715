#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# pmc-client against a real ptp4l, with linuxptp's own pmc as the measure: a boundary clock with two
# ports, its grandmaster, and a clock of another domain.
# shellcheck source=../lab/lib.sh
. "$(dirname "$0")/../lab/lib.sh"

client=$LAB_BUILD/pmc-client/pmc-client

ours() { # ours NAME WORD...
	"$client" --socket "$LAB_WORK/$1-ptp4l" "${@:2}"
}

# What both print, in one form: blanks, sequence numbers and the headings of tables do not count.
# pmc leaves out the name of the id that has no data.
normalised() {
	sed -e '/^sending:/d' -e 's/ seq [0-9]* / /' -e 's/ NULL_MANAGEMENT//' -e '/BM[[:space:]]*identity/d' \
		-e 's/^[[:space:]]*//; s/[[:space:]]*$//; s/[[:space:]][[:space:]]*/ /g'
}

# pmc shows the events that its version knows.
known_events() { # known_events WHAT-PMC-PRINTS: filters
	local event expression=()

	for event in NOTIFY_TIME_SYNC NOTIFY_PARENT_DATA_SET NOTIFY_CMLDS; do
		grep -q "$event" "$1" || expression+=(-e "/$event/d")
	done
	sed "${expression[@]}" -e ''
}

# A counter counts on while it is asked for: what is read between two of pmc's answers is between
# their values. All else has to be the same.
counters_between() { # counters_between BEFORE BETWEEN AFTER
	paste -d '|' "$@" | awk -F '|' '
		{
			split($1, before, " "); split($2, between, " "); split($3, after, " ")
			if ($1 == $3 ? $2 == $1 : before[1] == between[1] && before[1] == after[1] &&
			    between[2] ~ /^[0-9]+$/ && before[2] + 0 <= between[2] + 0 && between[2] + 0 <= after[2] + 0)
				next
			print "# " $0
			bad = 1
		}
		END { exit bad || NR == 0 }'
}

# A value may change between two questions. So pmc asks before and after, and where it hears the
# same twice, nothing else may have been heard in between. Counters of traffic rarely stand still
# for that long, on a busy machine never; so they are bounded instead.
same_as_pmc() { # same_as_pmc NAME ID
	local before=$LAB_WORK/before between=$LAB_WORK/between after=$LAB_WORK/after

	for _ in $(seq 20); do
		ptp4l_get "$1" "$2" | normalised >"$before"
		ours "$1" get "$2" | normalised >"$between.all"
		ptp4l_get "$1" "$2" | normalised >"$after"
		known_events "$before" <"$between.all" >"$between"
		[ -s "$before" ] || continue
		if [[ $2 == *_STATS_NP ]] && [ "$(wc -l <"$before")" = "$(wc -l <"$after")" ]; then
			counters_between "$before" "$between" "$after"
			return
		fi
		if cmp -s "$before" "$after"; then
			diff "$before" "$between"
			return
		fi
	done
	echo "# $2: pmc never heard the same twice"
	return 1
}

ids_of_pmc() { # those that this version of pmc and of ptp4l have
	"$client" list | awk '$3 == "port" || $3 == "clock" { print $2 }' | while read -r id; do
		! ptp4l_get bc "$id" 2>&1 | grep -qE 'bad command|not supported|ERROR_STATUS' || continue
		echo "$id"
	done
}

exits() { # exits STATUS PATTERN COMMAND...: with that status, and words on stderr
	local status=0

	"${@:3}" >/dev/null 2>"$LAB_WORK/stderr" || status=$?
	if [ "$status" != "$1" ] || [[ $(cat "$LAB_WORK/stderr") != *"$2"* ]]; then
		echo "# status $status: $(cat "$LAB_WORK/stderr")"
		return 1
	fi
}

lines_are() { # lines_are NUMBER FILE
	[ "$(wc -l <"$2")" -ge "$1" ]
}

nothing_left() {
	! compgen -G "$LAB_WORK/pmc-client.*" >/dev/null
}

lab_open
lab_board gm
lab_board bc 3000000000 40000
lab_board end
lab_join gm bc
lab_join bc end
start_ptp4l gm gm 0
start_ptp4l bc slave 0 'slaveOnly 0' '[eth0]' '[eth1]'
start_ptp4l end slave 0 'domainNumber 24' 'transportSpecific 1'
wait_for 20 '[ "$(port_state bc)" = SLAVE ]' || lab_die "the boundary clock does not lock"

ids=$(ids_of_pmc)
check "linuxptp's pmc has the ids to compare" [ "$(wc -w <<<"$ids")" -ge 28 ]
for id in $ids; do
	check "$id: every field as pmc has it" same_as_pmc bc "$id"
done

# --- what is asked for, and how it ends ---

check "an id that this ptp4l does not have ends with 1" \
	exits 1 '' "$client" -s "$LAB_WORK/bc-ptp4l" get 0xBEEF
check "an id that nobody has ends with 2" exits 2 'no such id' "$client" get NO_SUCH_ID
check "one port is asked alone" \
	[ "$(ours bc --port 2 get PORT_DATA_SET | awk '$1 == "portIdentity"' | wc -l)" = 1 ]
check "JSON has the same identity" \
	grep -q "\"clock_identity\": \"$(ptp4l_field bc DEFAULT_DATA_SET clockIdentity)\"" \
	<(ours bc --json get DEFAULT_DATA_SET)
check "pmc's own syntax is understood" \
	grep -qx 'priority2 128' <(ours bc 'GET PRIORITY2' | normalised)

ours bc set PRIORITY2 priority2=77 >/dev/null
check "a value that was set is read back by pmc" \
	[ "$(ptp4l_field bc PRIORITY2 priority2)" = 77 ]
ours bc 'SET PRIORITY2 128' >/dev/null
check "... also in pmc's own syntax" [ "$(ptp4l_field bc PRIORITY2 priority2)" = 128 ]
ours bc set GRANDMASTER_SETTINGS_NP clockClass=187 >/dev/null
check "a field is set and the others are kept" \
	[ "$(ptp4l_field bc GRANDMASTER_SETTINGS_NP clockClass),$(
		ptp4l_field bc GRANDMASTER_SETTINGS_NP currentUtcOffset)" = 187,37 ]
check "what ptp4l ignores is noticed" exits 1 'still 1 after setting 0' \
	"$client" -s "$LAB_WORK/bc-ptp4l" --port 1 set PORT_DATA_SET_NP asCapable=0
check "a value out of range is refused before it is sent" exits 2 'out of range' \
	"$client" -s "$LAB_WORK/bc-ptp4l" set PRIORITY1 priority1=256
check "setting all ports at once is refused" exits 2 'which port' \
	"$client" -s "$LAB_WORK/bc-ptp4l" set PORT_DATA_SET_NP neighborPropDelayThresh=1

check "a list of one id takes its number" \
	grep -q TIME_STATUS_NP <("$client" list 0xC000)

check "... and says where its layout is from" \
	grep -q 'as in IEEE 1588-2019 15.5.3.4.1$' <("$client" list CURRENT_DATA_SET)

# --- in the place of pmc ---

for words in 'GET TIME_STATUS' 'G CURRENT' 'get announce'; do
	check "'$words' is understood as by pmc" \
		[ "$(ours bc "$words" | normalised | awk 'NR == 1 { print $NF }')" = \
		"$(board_exec bc pmc -u -b 0 -i "$LAB_WORK/pmc.own" -s "$LAB_WORK/bc-ptp4l" "$words" |
			normalised | awk 'NR == 1 { print $NF }')" ]
done
check "a name that is cut too short is not guessed" exits 2 'PRIORITY1 or PRIORITY2?' \
	"$client" -s "$LAB_WORK/bc-ptp4l" 'GET PRIORITY'
check "commands are read from standard input" \
	[ "$(printf 'GET PRIORITY1\n\nGET PRIORITY2\n' | ours bc -u -b 0 | normalised | grep -c '^priority[12] 128$')" = 2 ]
check "... and none there is none" exits 2 'what?' "$client" -s "$LAB_WORK/bc-ptp4l" </dev/null
check "ptp4l's configuration says where and how" grep -qx 'domainNumber 24' \
	<("$client" -f "$LAB_WORK/end-ptp4l.conf" -u -b 0 'GET DEFAULT_DATA_SET' | normalised)
check "... unless an option does" exits 2 'wrong domain: this ptp4l has domain 24' \
	"$client" -f "$LAB_WORK/end-ptp4l.conf" -d 7 'GET DEFAULT_DATA_SET'
check "... and if there is one" exits 2 'No such file' "$client" -f "$LAB_WORK/none" 'GET PRIORITY1'
printf '[global]\ndomainNumber 300\n' >"$LAB_WORK/wrong.conf"
check "... that is right" exits 2 'wrong.conf: line 2' "$client" -f "$LAB_WORK/wrong.conf" 'GET PRIORITY1'

# --- what is printed is printed, or said not to be ---

full() { # full STATUS PATTERN WORD...: with nowhere to print to
	local status=0

	timeout 10 "$client" -s "$LAB_WORK/bc-ptp4l" "${@:3}" >/dev/full 2>"$LAB_WORK/stderr" || status=$?
	[ "$status" = "$1" ] && [[ $(cat "$LAB_WORK/stderr") == *"$2"* ]]
}

shut() { # shut WORD...: with standard input and output closed
	local status=0

	"$client" -s "$LAB_WORK/bc-ptp4l" "$@" <&- >&- 2>"$LAB_WORK/stderr" || status=$?
	[ "$status" = 2 ] && grep -q 'cannot print' "$LAB_WORK/stderr"
}

check "a full disk is noticed by get" full 2 'cannot print' get PRIORITY1
check "... in JSON" full 2 'cannot print' --json get PRIORITY1
check "... by list" full 2 'cannot print' list
check "... and ends watch" full 2 'cannot print' watch PRIORITY1
check "a closed standard output is noticed" shut get PRIORITY1
check "a reader who has had enough ends watch with 4" [ "$(
	set +o pipefail
	ours bc watch --interval '50 ms' PRIORITY1 | head -n 1 >/dev/null
	echo "${PIPESTATUS[0]}"
)" = 4 ]
ln -s "$LAB_WORK/bc-ptp4l" "$LAB_WORK/b"$'\xff'
check "a path that is not UTF-8 leaves JSON whole" grep -q '"priority1": 128' \
	<("$client" --json -s "$LAB_WORK/b"$'\xff' get PRIORITY1)

# --- silence has a name ---

check "domain and transportSpecific are found" grep -qx 'domainNumber 24' \
	<(ours end get DEFAULT_DATA_SET | normalised)
check "... also with an own socket that has a name" grep -qx 'domainNumber 24' \
	<(ours end -o "$LAB_WORK/own" get DEFAULT_DATA_SET | normalised)
check "a wrong domain is said to be wrong" exits 2 'this ptp4l has domain 24' \
	"$client" -s "$LAB_WORK/end-ptp4l" -d 3 -t 1 get PRIORITY1
check "so is a wrong transportSpecific" exits 2 'this ptp4l has 0x1' \
	"$client" -s "$LAB_WORK/end-ptp4l" -d 24 -t 0 get PRIORITY1
check "an own socket that cannot be is not blamed on ptp4l's" exits 2 '/nowhere/x: own socket: No such' \
	"$client" -s "$LAB_WORK/bc-ptp4l" -o /nowhere/x get PRIORITY1
check "... and one that is a file" exits 2 '/etc/passwd: own socket: in use, or a file' \
	"$client" -s "$LAB_WORK/bc-ptp4l" -o /etc/passwd get PRIORITY1
check "a file is said to be no socket" exits 2 '/etc/passwd: not a socket' \
	"$client" -s /etc/passwd get PRIORITY1
check "no socket is said to be none" exits 2 'no such socket' \
	"$client" -s "$LAB_WORK/nothing" get PRIORITY1
kill -STOP "${lab_pid[end-ptp4l]}"
check "a stopped ptp4l is said to be silent" exits 1 'does not answer' \
	"$client" -s "$LAB_WORK/end-ptp4l" -T '200 ms' get PRIORITY1
kill -CONT "${lab_pid[end-ptp4l]}"
stop end-ptp4l KILL
check "a socket left behind is said to be that" exits 2 'nobody listens' \
	"$client" -s "$LAB_WORK/end-ptp4l" get PRIORITY1

check "a clock that is not there is said to be that" exits 1 'no clock of that identity answered' \
	"$client" -s "$LAB_WORK/bc-ptp4l" -T '200 ms' -c 020000.fffe.000001 get PRIORITY1
check "... also in pmc's syntax" exits 1 'no clock of that identity answered' \
	"$client" -s "$LAB_WORK/bc-ptp4l" -T '200 ms' 'TARGET 020000.fffe.000001-1' 'GET PRIORITY1'
if ptp4l_is_new; then
	read_only="this is ptp4l's read-only socket"
	for words in 'set PRIORITY2 priority2=77' 'get PORT_PROPERTIES_NP' 'watch --events=port-state'; do
		read -ra words <<<"$words"
		check "${words[*]} on a read-only socket is told to be that" \
			exits 1 "$read_only" "$client" -s "$LAB_WORK/bc-ptp4l-ro" "${words[@]}"
	done
	check "... as command and pmc's SET are" exits 1 "$read_only" \
		"$client" -s "$LAB_WORK/bc-ptp4l-ro" 'SET PRIORITY2 77'
	check "what needs no other socket is not" [ -z "$("$client" -s "$LAB_WORK/bc-ptp4l-ro" get PRIORITY1 2>&1 >/dev/null)" ]
fi

# a signal need not wait for a search of all domains
kill -STOP "${lab_pid[gm-ptp4l]}"
"$client" -s "$LAB_WORK/gm-ptp4l" -T '100 ms' get PRIORITY1 2>"$LAB_WORK/searching.log" &
searching=$!
pause 0.6
start=$EPOCHREALTIME status=0
kill -TERM "$searching"
wait "$searching" || status=$?
check "a signal ends the search for a domain at once" awk -v s="$status" -v a="$start" -v b="$EPOCHREALTIME" \
	'BEGIN { exit s != 4 || b - a > 0.5 }'
kill -CONT "${lab_pid[gm-ptp4l]}"

# --- watching ---

ours bc watch --interval '100 ms' --count 5 TIME_STATUS_NP >"$LAB_WORK/polled"
check "watch polls" [ "$(grep -c 'TIME_STATUS_NP master_offset=' "$LAB_WORK/polled")" = 5 ]

board_start bc watcher "$client" -s "$LAB_WORK/bc-ptp4l" watch --events=port-state
pause 5 # longer than a subscription, so it has been renewed
ip -n "ptpmon-$$-bc" link set dev eth1 down
check "a port's change is pushed while it is watched" \
	wait_for 5 'grep -q "PORT_DATA_SET.*portState=FAULTY" "$LAB_WORK/watcher.log"'
kill -STOP "${lab_pid[watcher]}"
pause 5
kill -CONT "${lab_pid[watcher]}"
check "a watcher that was stopped too long names the gap" \
	wait_for 5 'grep -q "events may be missing from 20.* to 20" "$LAB_WORK/watcher.log"'
kill -STOP "${lab_pid[bc-ptp4l]}"
check "a silent ptp4l is said to be" \
	wait_for 5 'grep -q "SUBSCRIBE_EVENTS_NP timed out" "$LAB_WORK/watcher.log"'
kill -CONT "${lab_pid[bc-ptp4l]}"
pause 2
ip -n "ptpmon-$$-bc" link set dev eth1 up
check "... and watched again" wait_for 5 'grep -q "portState=LISTENING" "$LAB_WORK/watcher.log"'
ip -n "ptpmon-$$-bc" link set dev eth1 down
stop watcher INT
check "an interrupted watcher ends with 4" [ "$lab_status" = 4 ]
check "... and leaves no socket" nothing_left

# --- ptp4l ends, and starts again ---

board_start bc watcher "$client" -s "$LAB_WORK/bc-ptp4l" watch --events=port-state
board_start bc sleeper "$client" -s "$LAB_WORK/bc-ptp4l" watch --interval '3 s' PRIORITY1
board_start bc json "$client" -s "$LAB_WORK/bc-ptp4l" --json watch --events=port-state
board_start bc other "$client" -s "$LAB_WORK/bc-ptp4l" watch --interval '200 ms' --count 40 PRIORITY1
wait_for 5 'grep -q priority1 "$LAB_WORK/sleeper.log"'
pause 1
stop bc-ptp4l
for each in watcher sleeper json other; do
	check "$each notices that ptp4l has gone" \
		wait_for 5 'grep -q "^pmc-client: .*ptp4l: ptp4l went away" "$LAB_WORK/$each.log"'
done
board_start bc ended "$client" -s "$LAB_WORK/bc-ptp4l" watch PRIORITY1
check "one that is not there at first ends watch" wait_for 5 '! is_running ended'
check "... as ever" grep -q 'no such socket' "$LAB_WORK/ended.log"
pause 1
start_ptp4l bc slave 0 'slaveOnly 0' '[eth0]' '[eth1]'
for each in watcher sleeper json; do
	check "$each notices that ptp4l is back" \
		wait_for 5 'grep -qE "^pmc-client: .*ptp4l is back after [0-9.]+ s" "$LAB_WORK/$each.log"'
	check "... and goes on" is_running "$each"
done
check "the end and the return are said once" \
	[ "$(grep -cE '^pmc-client: .*ptp4l: ptp4l (went away|is back)' "$LAB_WORK/watcher.log")" = 2 ]
check "events are subscribed to again" wait_for 20 'grep -q "PORT_DATA_SET.*portState=SLAVE" "$LAB_WORK/watcher.log"'
check "... and when some may be missing is said" \
	grep -q 'ptp4l was away: events may be missing from 20.* to 20' "$LAB_WORK/watcher.log"
check "ids are asked for again, as often as was wanted" wait_for 15 '! is_running other'
check "... which is no failure" [ "$(stop other; echo "$lab_status"; grep -c priority1=128 "$LAB_WORK/other.log")" = "0
40" ]
check "JSON has the end, the return and the gap" jq -se '
	[.[] | select(.schema == "pmc-client.connection/1")] as $c |
	[.[] | select(.schema == "pmc-client.gap/1")] as $g |
	($c | map(.connected)) == [false, true] and $c[1].away_ns > 1e9 and $c[0].socket == $c[1].socket and
	($g | length) == 1 and $g[0].from < $c[1].time and $g[0].to >= $c[1].time and $g[0].from < $c[0].time' \
	<(grep '^{' "$LAB_WORK/json.log")
check "... and events after them" wait_for 5 'tail -n 1 "$LAB_WORK/json.log" | grep -q "\"push\":true"'

kill -STOP "${lab_pid[bc-ptp4l]}"
pause 1
ends_at_once() { # ends_at_once NAME SIGNAL
	local start=$EPOCHREALTIME

	stop "$1" "$2"
	[ "$lab_status" = 4 ] && awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { exit b - a > 0.5 }'
}
check "one that waits for a stopped ptp4l ends at once" ends_at_once watcher INT
kill -CONT "${lab_pid[bc-ptp4l]}"
mkfifo "$LAB_WORK/slow"
exec {slow}<>"$LAB_WORK/slow"
board_words bc "$client" -s "$LAB_WORK/bc-ptp4l" watch --interval '1 ms' PORT_STATS_NP
"${words[@]}" >"$LAB_WORK/slow" 2>"$LAB_WORK/stuck.log" &
lab_pid[stuck]=$!
pause 2
check "so does one whose reader is slow" ends_at_once stuck INT
exec {slow}<&-
stop bc-ptp4l
wait_for 5 'grep -c "went away" "$LAB_WORK/sleeper.log" | grep -qx 2'
check "one that waits for its return ends at once" ends_at_once sleeper INT
check "... also on SIGTERM" ends_at_once json TERM
check "nothing is left beside ptp4l's socket" nothing_left
lab_finish
