#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What `meson install` puts where, and whether systemd's own tools take it. No service is started
# here: tests/lab/guest runs the unit under a real systemd.
# shellcheck source=../lab/lib.sh
. "$(dirname "$0")/../lab/lib.sh"

unit=ptpmon.service
limit=3.0

# Every path that must be there. Debian's /lib is /usr/lib.
expected() {
	local libdir name

	libdir=/usr/$(meson introspect --buildoptions "$LAB_BUILD" |
		jq -r '.[] | select(.name == "libdir") | .value')
	cat <<-END
		/usr/bin/pmc-client
		/usr/bin/ptpmon
		/usr/lib/systemd/system/$unit
		/usr/lib/systemd/system/ptpmon-wait-sync.service
		/usr/lib/sysusers.d/ptpmon.conf
		/usr/lib/tmpfiles.d/ptpmon.conf
		/usr/lib/udev/rules.d/70-ptpmon.rules
		/usr/libexec/ptpmon/ptpmon-sampler
		$libdir/libpmc-client.a
		$libdir/libpmc-client.so
		$libdir/libpmc-client.so.0
		$libdir/libpmc-client.so.$("$LAB_BUILD/ptpmon/ptpmon" --version | awk '{ print $2 }')
		$libdir/pkgconfig/pmc-client.pc
	END
	for name in client dataset discover follower message network pmc-client ptp_types raw_stream; do
		echo "/usr/include/pmc-client/$name.h"
	done
	for name in "$LAB_TOP"/config/limits/*; do
		echo "/usr/share/ptpmon/limits/${name##*/}"
	done
	find "$LAB_TOP/config" -path '*/limits' -prune -o -type f -printf \
		'/usr/share/doc/ptpmon/examples/%P\n'
	[ ! -e "$LAB_BUILD/ptpmon/man/ptpmon.1" ] || for name in "$LAB_TOP"/ptpmon/man/*.scd; do
		name=$(sed -E 's/(\.head|\.tail)?\.scd$//' <<<"${name##*/}")
		echo "/usr/share/man/man${name##*.}/$name"
	done
}

installed() {
	(cd "$root" && find . ! -type d | sed -E 's/^\.//; s,^/lib/,/usr/lib/,')
}

# What systemd has to say of a unit file, with the rest of this machine's units around it.
verify() { # verify FILE
	systemd-analyze verify --man=no --root="$root" "$1" 2>&1 || true
}

changed() { # changed SED-EXPRESSION: the name of a copy of the unit with that change
	sed "$1" "$unit_file" >"${unit_file%/*}/changed.service"
	echo "${unit_file%/*}/changed.service"
}

exposure() { # exposure FILE
	systemd-analyze security --offline=yes --no-pager --root="$root" "$1" 2>/dev/null |
		sed -n 's/.*exposure level for.*: \([0-9.]*\) .*/\1/p'
}

at_most() { # at_most LIMIT FIGURE
	awk -v limit="$1" -v figure="$2" 'BEGIN { exit !(figure != "" && figure + 0 <= limit + 0) }'
}

# A rule is a list of KEY=="value" and KEY="value", with the operators of udev(7).
rules_are_sound() { # rules_are_sound FILE
	local token='[A-Z]+(\{[^}]+\})?([=!]=|[-+:]?=)"[^"]*"'

	[ -s "$1" ] && ! grep -vE '^(#.*)?$' "$1" | grep -vE "^$token(, *$token)*\$"
}

lab_open
root=$LAB_WORK/root
DESTDIR=$root meson install -C "$LAB_BUILD" --no-rebuild >"$LAB_WORK/install.log"
unit_file=$(find "$root" -name "$unit")
[ -n "$unit_file" ] || skip "the build has no units: systemd.pc was not there"
rules=$(find "$root" -name '*.rules')

check "meson install puts everything where it belongs, and nothing else" \
	diff <(expected | sort -u) <(installed | sort)
check "... and a place for the configuration" [ -d "$root/etc/ptpmon" ]
check "programs can be executed, the rest cannot" \
	[ "$(find "$root" -type f -perm /111 ! -name '*.so.*' -printf '%f\n' | sort | xargs)" = \
	"pmc-client ptpmon ptpmon-sampler" ]
check "the unit runs the installed program" grep -qx 'ExecStart=/usr/bin/ptpmon run' "$unit_file"
check "the udev rules are sound" rules_are_sound "$rules"
sed 's/MODE=/MODE/' "$rules" >"$LAB_WORK/broken.rules"
check "... and broken ones are told apart" fails rules_are_sound "$LAB_WORK/broken.rules"
check "the rules give to the group that sysusers makes" \
	[ "$(sed -n 's/.*GROUP="\([^"]*\)".*/\1/p' "$rules" | sort -u)" = \
	"$(awk '$1 == "u" { print $2 }' "$root/usr/lib/sysusers.d/ptpmon.conf")" ]

if ! command -v systemd-analyze >/dev/null; then
	echo "ok - systemd's tools # SKIP they are not installed here"
	lab_finish
fi

# verify wants to see what the unit refers to.
cp -r --no-clobber /lib/systemd/system/. "${unit_file%/*}/"
cp /bin/true "$root/usr/bin/kill"
check "systemd-analyze verify has nothing to say of the unit" [ -z "$(verify "$unit_file")" ]
check "... nor of the one that waits" \
	[ -z "$(verify "${unit_file%/*}/ptpmon-wait-sync.service")" ]
for change in 's/^WatchdogSec=.*/WatchdogSec=soon/' 's/^OOMPolicy=/OOMPolice=/' \
	's/^ExecStart=.*/ExecStart=ptpmom run/'; do
	check "... but would of $change" [ -n "$(verify "$(changed "$change")")" ]
done
check "systemd-analyze security: an exposure of at most $limit" \
	at_most "$limit" "$(exposure "$unit_file")"
echo "# it is $(exposure "$unit_file")"
check "... and more without the filter of system calls" \
	fails at_most "$limit" "$(exposure "$(changed /^SystemCallFilter/d)")"


# The user, and what belongs to it, made in a root of their own.
mkdir -p "$root/etc"
check "systemd-sysusers takes its file" \
	grep -q 'ptpmon' <<<"$(systemd-sysusers --dry-run --root="$root" /usr/lib/sysusers.d/ptpmon.conf 2>&1)"
check "... and makes the user, without a shell" \
	grep -q '^ptpmon:.*:/var/lib/ptpmon:.*nologin$' \
	<<<"$(systemd-sysusers --root="$root" ptpmon.conf >&2 && cat "$root/etc/passwd")"
check "systemd-tmpfiles makes the record's directory" \
	systemd-tmpfiles --root="$root" --create ptpmon.conf
check "... for that user" \
	[ "$(stat -c '%u %g %a' "$root/var/lib/ptpmon")" = \
	"$(awk -F: '$1 == "ptpmon" { print $3, $4 }' "$root/etc/passwd") 750" ]
lab_finish
