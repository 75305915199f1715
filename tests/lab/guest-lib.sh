# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# tests/lab/guest-lib.sh: what the scripts of checks in the guest share. To be sourced by them; the checks
# themselves are those of checks.sh. A script ends with
#
#     guest_finish    ptpmon's journal, if a check was bad
# shellcheck source=tests/lab/checks.sh
. /host/checks.sh
set -uo pipefail

property() { # property NAME: of the service
	systemctl show --property "$1" --value ptpmon
}

# A line of /proc/PID/status.
proc_status() { # proc_status PID KEY
	awk -v key="$2:" '$1 == key { print $2 }' "/proc/$1/status"
}

pids() { # every process of the service
	cat "/sys/fs/cgroup$(property ControlGroup)/cgroup.procs" 2>/dev/null
}

pid_of() { # pid_of PATTERN: the service's process with such a command line
	local pid

	for pid in $(pids); do
		tr '\0' ' ' <"/proc/$pid/cmdline" | grep -qE -- "$1" && echo "$pid" && return
	done
}

status() { # status FILTER: of what ptpmon says of itself
	ptpmon status --json 2>/dev/null | jq -r "$1" 2>/dev/null
}

as() { # as USER COMMAND...: with that user's groups and no more
	setpriv --reuid "$1" --regid "$1" --init-groups --inh-caps=-all "${@:2}"
}

guest_finish() {
	[ "$lab_bad" -gt 0 ] || exit 0
	journalctl --no-pager --quiet --output short-monotonic --unit ptpmon | tail -n 60
	exit 1
}
