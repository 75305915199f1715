#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# pmc-client over a network, with linuxptp's own pmc as the measure: a segment with a grandmaster, a
# boundary clock and a board that only asks, over IEEE 802.3, UDP/IPv4 and UDP/IPv6; behind the
# boundary clock another one.
# shellcheck source=../lab/lib.sh
. "$(dirname "$0")/../lab/lib.sh"

client=$LAB_BUILD/pmc-client/pmc-client
segment=ptpmon-$$-segment
window=(-T '300 ms')

segment_open() {
	lab_namespace segment
	ip -n "$segment" link add br0 type bridge mcast_snooping 0 forward_delay 0
	ip -n "$segment" link set dev br0 up
}

# Without the wait for an address's duplicates.
allow_ipv6() { # allow_ipv6 NAME
	ip netns exec "ptpmon-$$-$1" sh -c 'for of in all default; do
		echo 0 >/proc/sys/net/ipv6/conf/$of/accept_dad
		echo 0 >/proc/sys/net/ipv6/conf/$of/disable_ipv6
	done'
}

# A board's next interface becomes a port of the segment.
segment_join() { # segment_join NAME NUMBER
	local name=$1 end=eth${lab_interfaces[$1]} namespace=ptpmon-$$-$1

	allow_ipv6 "$name"
	lab_link "$namespace" "$end" "$segment" "$name"
	ip -n "$segment" link set dev "$name" master br0
	ip -n "$namespace" addr add "10.99.0.$2/24" dev "$end"
	lab_interfaces[$name]=$((lab_interfaces[$name] + 1))
}

ask() { # ask WORD...: from the board that only asks
	board_exec ask "$client" -i eth0 "$@"
}

# The answers' blocks, one a line and sorted, since those of several clocks come in any order:
# pmc-client and pmc write them alike.
blocks() {
	sed -e '/^sending:/d' -e 's/ seq [0-9]* / /' -e 's/ NULL_MANAGEMENT//' -e '/BM[[:space:]]*identity/d' |
		awk '/^\t[^\t]/ && NR > 1 { print "" } { gsub(/[ \t]+/, " "); printf "%s|", $0 }
			END { print "" }' | grep -v '^$' | sort
}

# pmc asks before and after: only what it hears twice, nothing else may have been heard in between.
same_as_pmc() { # same_as_pmc OPTION ID...
	local before=$LAB_WORK/before between=$LAB_WORK/between after=$LAB_WORK/after stable
	local asked=("${@:2}") gets

	gets=("${asked[@]/#/GET }")
	board_exec ask pmc "$1" -i eth0 -b 0 "${gets[@]}" | blocks >"$before"
	ask "$1" -d 0 -t 0 "${window[@]}" get "${asked[@]}" 2>"$LAB_WORK/stderr" | blocks >"$between"
	board_exec ask pmc "$1" -i eth0 -b 0 "${gets[@]}" | blocks >"$after"
	comm -12 "$before" "$after" >"$LAB_WORK/stable"
	stable=$(wc -l <"$LAB_WORK/stable")
	[ "$stable" -ge 40 ] || { echo "# pmc heard only $stable answers twice"; return 1; }
	comm -23 "$LAB_WORK/stable" "$between" | sed 's/^/# only pmc: /' | tee "$LAB_WORK/missing"
	[ ! -s "$LAB_WORK/missing" ]
}

ids_of_pmc() { # those that this version of pmc and of ptp4l have, and that answer over a network
	"$client" list | awk '($3 == "port" || $3 == "clock") && !/read-write/ { print $2 }' | while read -r id; do
		! ptp4l_get bc "$id" 2>&1 | grep -qE 'bad command|not supported|ERROR_STATUS' || continue
		echo "$id"
	done
}

exits() { # exits STATUS PATTERN COMMAND...: with that status, and one line on stderr
	local status=0

	"${@:3}" >/dev/null 2>"$LAB_WORK/stderr" || status=$?
	if [ "$status" != "$1" ] || [[ $(cat "$LAB_WORK/stderr") != *"$2"* ]] ||
		[ "$(wc -l <"$LAB_WORK/stderr")" -gt 1 ]; then
		echo "# status $status: $(cat "$LAB_WORK/stderr")"
		return 1
	fi
}

answers_from() { # answers_from NUMBER OPTION...: so many clocks answer
	local n

	n=$(ask "${@:2}" "${window[@]}" -d 0 -t 0 get PRIORITY1 | grep -c RESPONSE) || true
	[ "$n" = "$1" ] || { echo "# $n clocks answer"; return 1; }
}

start_clocks() { # start_clocks TRANSPORT
	start_ptp4l gm gm -2 "network_transport $1" 'userDescription the attic;roof'
	start_ptp4l bc slave -2 "network_transport $1" 'slaveOnly 0' '[eth0]' '[eth1]'
	start_ptp4l end slave -2 "network_transport $1"
	wait_for 20 '[ "$(port_state bc)" = SLAVE ] && [ "$(port_state end)" = SLAVE ]' ||
		lab_die "the clocks do not lock"
}

stop_clocks() {
	stop gm-ptp4l
	stop bc-ptp4l
	stop end-ptp4l
}

# Of the one port of that name, which is what ptp4l makes it from.
identity() { # identity NAME
	local mac octets

	mac=$(ip -n "ptpmon-$$-$1" -brief link show dev eth0 | awk '{ print $3 }')
	IFS=: read -ra octets <<<"$mac"
	printf '%s%s%s.fffe.%s%s%s' "${octets[@]}"
}

# scan finds these and nothing else: identity, transport, ports' states, grandmaster, description.
scan_is_right() { # scan_is_right TRANSPORT OPTION...
	local wanted

	ask "${@:2}" -b 1 --json -T '500 ms' scan >"$LAB_WORK/scan.json"
	wanted="$(identity gm) $1 MASTER $(identity gm) the attic;roof true true
$(identity bc) $1 SLAVE,MASTER $(identity gm)  true false
$(identity end) $1 SLAVE $(identity gm)  true false"
	jq -r '.clocks[] | "\(.clock_identity) \(.transport) \([.ports[].port_state] | join(",")) \(
		.grandmaster_identity) \(.user_description) \(.complete) \(.offset_ns == null)"' \
		"$LAB_WORK/scan.json" | sort | diff <(sort <<<"$wanted") -
}

ask_for_whatever() { # ask_for_whatever OPTION...
	ask "$@" get PRIORITY1 2>/dev/null || true
}

quickly() { # quickly SECONDS COMMAND...: it succeeds, and in that time
	local start_cs
	start_cs=$(uptime_cs)

	"${@:2}" >/dev/null || return 1
	[ $(($(uptime_cs) - start_cs)) -lt $(($1 * 100)) ]
}

# What looks like a management message up to its type, and is nothing: ten at a time.
flood() { # flood BOARD FIRST-OCTETS PAUSE-SECONDS
	board_start "$1" flood bash -c 'exec 3>/dev/udp/224.0.1.129/320 4<> <(:)
		while :; do
			for _ in 1 2 3 4 5 6 7 8 9 10; do printf "$1%060d" 0 >&3; done
			read -rt "$2" -u 4
		done' flood "$2" "$3"
}

lab_open
segment_open
lab_board gm
lab_board bc 3000000000 40000
lab_board end
lab_board ask
segment_join gm 1
segment_join bc 2
segment_join ask 3
lab_join bc end
for board in bc end; do # their wire needs IPv6, too
	allow_ipv6 "$board"
done

for row in '-2 L2' '-4 UDPv4' '-6 UDPv6'; do
	read -r option transport <<<"$row"
	start_clocks "$transport"
	ids=$(ids_of_pmc)
	check "$transport: linuxptp's pmc has the ids to compare" [ "$(wc -w <<<"$ids")" -ge 26 ]
	# shellcheck disable=SC2086 # ids are words
	check "$transport: every id as pmc has it" same_as_pmc "$option" $ids
	check "$transport: the segment's clocks answer" answers_from 2 "$option"
	check "$transport: ... and the one behind the boundary clock" answers_from 3 "$option" -b 1
	check "$transport: scan shows each of them" scan_is_right "$transport" "$option"
	check "$transport: a clock that is named is not waited for" quickly 2 \
		ask "$option" -T '10 s' --clock "$(identity bc)" get PORT_DATA_SET
	check "$transport: ... nor for what it refuses" exits 1 '' \
		ask "$option" -T '10 s' --clock "$(identity bc)" get PORT_PROPERTIES_NP
	check "$transport: a clock is watched" [ "$(ask "$option" --clock "$(identity bc)" -d 0 -t 0 \
		watch -I '100 ms' -n 3 TIME_STATUS_NP | grep -c " TIME_STATUS_NP master_offset=")" = 3 ]
	check "$transport: beside a ptp4l, the others answer" [ "$(board_exec gm "$client" -i eth0 \
		"$option" -d 0 -t 0 "${window[@]}" get PRIORITY1 | grep -c RESPONSE)" = 1 ]
	[ "$transport" = UDPv6 ] || stop_clocks
done

# --- changing what belongs to others ---

gm=$(identity gm)
set_priority2=(set PRIORITY2 priority2=77)
check "a SET over a network is refused" exits 2 'allow-set-remote' ask -6 -c "$gm" "${set_priority2[@]}"
check "... if it is asked for once" exits 2 'allow-set-remote' ask -6 -c "$gm" -W "${set_priority2[@]}"
check "... or is for any clock" exits 2 '--clock' ask -6 -W -R "${set_priority2[@]}"
check "... also in pmc's own syntax" exits 2 'allow-set-remote' ask -6 'SET PRIORITY2 77'
check "ptp4l refuses one that was asked for twice" exits 1 '' ask -6 -c "$gm" -W -R "${set_priority2[@]}"
check "... and stays as it is" [ "$(ptp4l_field gm PRIORITY2 priority2)" = 128 ]

# --- which of the clocks, where ---

check "scan finds the transport by itself" grep -q "^$gm UDPv6 " <(ask -T '500 ms' scan)
stop_clocks
ip -n "$segment" link set dev br0 type bridge group_fwd_mask 0x4000
start_ptp4l gm gm -2 'domainNumber 24' 'transportSpecific 1' 'ptp_dst_mac 01:80:C2:00:00:0E'
there=(-2 --destination 01:80:c2:00:00:0e)
check "another destination, domain and transportSpecific are reached" \
	wait_for 5 'ask "${there[@]}" -d 24 -t 1 "${window[@]}" get DEFAULT_DATA_SET |
		grep -q "domainNumber *24$"' 2>/dev/null
check "domain and transportSpecific are found" \
	grep -q 'domainNumber *24$' <(ask "${there[@]}" "${window[@]}" get DEFAULT_DATA_SET)
check "a wrong domain is said to be wrong" exits 2 'in domain 24' \
	ask "${there[@]}" -d 3 "${window[@]}" get PRIORITY1
check "scan looks into several domains" grep -q "^$gm L2 *24 " \
	<(ask "${there[@]}" -d 0,20-24 -T '200 ms' scan)
check "nobody is said to be nobody" exits 1 'no clock answers in domain 0' ask "${window[@]}" scan
stop gm-ptp4l
check "silence has a name" exits 1 'in no domain' ask -4 "${window[@]}" get PRIORITY1
board_start ask searcher "$client" -i eth0 -4 "${window[@]}" get PRIORITY1
pause 2 # the domain tried first is over, the search takes 5 s
before=$EPOCHREALTIME
stop searcher INT
check "a signal ends the search for a domain at once" \
	awk -v s="$lab_status" -v a="$before" -v b="$EPOCHREALTIME" 'BEGIN { exit s != 4 || b - a > 0.5 }'

# --- what may be on a network ---

start_ptp4l gm gm -2 'network_transport UDPv4'
ip -n "ptpmon-$$-bc" route add 224.0.0.0/4 dev eth0
wait_for 10 '[ "$(port_state gm)" = MASTER ]' || lab_die "the grandmaster does not start"
for octets in '\x0d\x02' '\x0d\x12\x00\x36'; do
	flood bc "$octets" 0.01
	check "garbage ($octets) hides no clock" grep -q "^$gm" <(ask -4 -T '500 ms' scan)
	stop flood
done
flood bc '\x0d\x12\x00\x36' 0 # also for ptp4l, which may miss the question
check "a question ends on time in a flood" quickly 3 ask_for_whatever -4 -d 0 -t 0 -T '500 ms'
stop flood

# Of sockets with one port only one gets a unicast datagram, which ptp4l says to be bad.
complaints() {
	grep -c 'bad message' "$LAB_WORK/gm-ptp4l.log" || true
}
pause 0.5 # the flood's last
before=$(complaints)
board_start gm beside "$client" -i eth0 -4 -d 0 -t 0 -T '2 s' get PRIORITY1
pause 0.5
for _ in 1 2 3 4 5; do
	board_exec bc bash -c 'printf "\x0d\x02%060d" 0 >/dev/udp/10.99.0.1/320'
done
check "ptp4l of the same host gets what is sent to it" \
	wait_for 3 '[ "$(complaints)" = $((before + 5)) ]'
check "... while the client was there" is_running beside
stop beside

# --- interfaces ---

check "no interface is said to be none" exits 2 'no such interface' \
	"$client" -i ptpmon-none -2 get PRIORITY1
for row in '-2 CAP_NET_RAW' '-4 CAP_NET_BIND_SERVICE' '-6 CAP_NET_BIND_SERVICE'; do
	read -r option capability <<<"$row"
	check "no permission for $option is said to be that" exits 2 "$capability" \
		board_exec ask setpriv --bounding-set -all "$client" -i eth0 "$option" get PRIORITY1
done
for option in -2 -4; do
	board_start ask "asker$option" "$client" -i eth0 "$option" -d 0 -t 0 -T '3 s' get 0xBEEF 0xBEEE
	pause 1
	ip -n "ptpmon-$$-ask" link set dev eth0 down
	wait_for 6 "! is_running asker$option" || true
	stop "asker$option"
	check "an interface that goes down under $option ends it" [ "$lab_status" = 1 ]
	check "... with one line" \
		[ "$(grep -o 'pmc-client: .*' "$LAB_WORK/asker$option.log")" = \
		"pmc-client: eth0: the interface has gone, or is not up any more" ]
	check "an interface that is down is said to be" exits 2 'not up' ask "$option" get PRIORITY1
	ip -n "ptpmon-$$-ask" link set dev eth0 up
done
ip -n "$segment" link set dev ask down
check "no link is said to be none" exits 1 'no link' ask -2 "${window[@]}" get PRIORITY1

# --- the table of options ---

every_letter_is_known() {
	local letter unknown=0

	for letter in $("$client" --help | sed -n 's/^  -\(.\), --.*/\1/p'); do
		! "$client" "-$letter" 2>&1 | grep 'invalid option' || unknown=1
	done
	return "$unknown"
}
check "each option of --help is one" every_letter_is_known
lab_finish
