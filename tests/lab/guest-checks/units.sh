# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# ptpmon.service under a real systemd: its user, its rights, its sandbox, its watchdog, and what is left
# of it. The master is a ptp4l in a namespace of its own; the two share the guest's clock.
# shellcheck source=tests/lab/guest-lib.sh
. /host/guest-lib.sh

find_children() {
	parent=$(property MainPID)
	ptp4l=$(pid_of '^[^ ]*ptp4l ')
	recorder=$(pid_of ' recorder')
	sampler=$(pid_of 'ptpmon-sampler')
}

is_up() { # after a restart: everything is there, and ptp4l is in step with its master
	find_children
	[ -n "$ptp4l" ] && [ -n "$recorder" ] && [ -n "$sampler" ] &&
		[ "$(status '.ports[0].state.value')" = SLAVE ]
}

set_up_network() {
	ip netns add master
	ip link add veth0 type veth peer name veth0 netns master
	ip link set veth0 up
	ip -n master link set veth0 up
	ip netns exec master ptp4l -i veth0 -S -2 -m --priority1=100 --masterOnly=1 \
		--uds_address=/run/master-ptp4l --tx_timestamp_timeout=200 --logSyncInterval=-2 \
		--logAnnounceInterval=-1 >/run/master.log 2>&1 &
	master=$!
}

configure() {
	cat >/etc/ptpmon/ptpmon.conf <<-END
		[ptpmon]
		role = slave
		interfaces = veth0
		[ptp4l]
		timestamping = software
		tx_timestamp_timeout = 200 ms
		log_sync_interval = -2
		extra_arguments = --summary_interval=-2 --logAnnounceInterval=-1 --sanity_freq_limit=0 --pi_proportional_const=0.7 --pi_integral_const=0.3
		[latency]
		interval = 10 ms
		idle_states = hold
	END
}

drop_in() { # drop_in LINE...: of [Service]
	mkdir -p /run/systemd/system/ptpmon.service.d
	{
		echo '[Service]'
		printf '%s\n' "$@"
	} >/run/systemd/system/ptpmon.service.d/test.conf
	systemctl daemon-reload
}

# As the service's user and in its control group, whose devices are counted.
in_service() { # in_service COMMAND...
	# shellcheck disable=SC2016 # for the inner shell
	sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "/sys/fs/cgroup$(property ControlGroup)" \
		setpriv --reuid ptpmon --regid ptpmon --clear-groups "$@"
}

# --- before it runs ---

check "the installed unit passes systemd-analyze verify" \
	[ -z "$(systemd-analyze verify --man=no ptpmon.service 2>&1 | grep -i ptpmon)" ]
check "the user ptpmon is there, and cannot log in" \
	[ "$(getent passwd ptpmon | cut -d: -f 6-7)" = /var/lib/ptpmon:/usr/sbin/nologin ]
check "udev gave /dev/cpu_dma_latency to the group" \
	[ "$(stat -c '%G %a' /dev/cpu_dma_latency)" = "ptpmon 660" ]
check "... and the hardware clocks" \
	[ "$(stat -c '%G %a' /dev/ptp0 /dev/ptp1 | sort -u)" = "ptpmon 660" ]
check "tmpfiles made the record's directory" \
	[ "$(stat -c '%U %G %a' /var/lib/ptpmon)" = "ptpmon ptpmon 750" ]

rm -f /etc/ptpmon/ptpmon.conf
systemctl start ptpmon 2>/dev/null
check "without a configuration it fails, and is not tried again" \
	[ "$(property ActiveState) $(property ExecMainStatus) $(property NRestarts)" = "failed 2 0" ]
check "... with a line that says why" \
	grep -q 'ptpmon.conf' <<<"$(journalctl --quiet --output cat --unit ptpmon)"

# --- start ---

set_up_network
configure
start_cs=$(uptime_cs)
check "it starts" systemctl start ptpmon
echo "# systemctl start waited $(($(uptime_cs) - start_cs)) cs"
find_children
check "systemctl start waits until the recorder is there" [ -n "$recorder" ]
check "it is in step with its master" wait_for 60 is_up
check "... and STATUS says so" wait_for 30 '[[ $(property StatusText) == good:*SLAVE* ]]'
echo "# $(property StatusText)"

# --- who it is, and what it may ---

caps=$(((1 << 25) | (1 << 12) | (1 << 13) | (1 << 10)))
caps=$(printf '%016x' "$caps")
check "every process runs as ptpmon" \
	[ "$(for pid in $(pids); do stat -c '%U %G' "/proc/$pid"; done | sort -u)" = "ptpmon ptpmon" ]
check "the parent has the four capabilities and no more" \
	[ "$(for key in CapEff CapPrm CapBnd CapAmb; do proc_status "$parent" $key; done | sort -u)" = "$caps" ]
check "the recorder has none" \
	[ "$(for key in CapEff CapPrm CapInh CapAmb; do proc_status "$recorder" $key; done | sort -u)" = 0000000000000000 ]
check "... nor may it have a real-time priority" \
	grep -qE '^Max realtime priority +0 +0 ' "/proc/$recorder/limits"
check "no process can get more" \
	[ "$(for pid in $(pids); do proc_status "$pid" NoNewPrivs; done | sort -u)" = 1 ]
check "every process has the filter of system calls" \
	[ "$(for pid in $(pids); do proc_status "$pid" Seccomp; done | sort -u)" = 2 ]
check "ptp4l runs SCHED_FIFO 70" [ "$(ps -o cls=,rtprio= -p "$ptp4l" | xargs)" = "FF 70" ]
check "a sampler thread for each CPU runs SCHED_FIFO 98" \
	[ "$(ps -L -o cls=,rtprio= -p "$sampler" | grep -c 'FF *98')" = "$(nproc)" ]
check "... and its memory is locked" [ "$(proc_status "$sampler" VmLck)" -gt 0 ]
check "... and it holds /dev/cpu_dma_latency" \
	[ -n "$(find "/proc/$sampler/fd" -lname /dev/cpu_dma_latency)" ]
check "the system is read-only to it" \
	grep -q 'Read-only' <<<"$(nsenter -t "$recorder" -m touch /usr/x /etc/x 2>&1)"
check "it sees the kernel's threads, which it audits" \
	[ "$(nsenter -t "$recorder" -m setpriv --reuid ptpmon --regid ptpmon --clear-groups cat /proc/2/comm)" = kthreadd ]
check "only its own directories can be written" \
	nsenter -t "$recorder" -m setpriv --reuid ptpmon --regid ptpmon --clear-groups \
	sh -c 'touch /run/ptpmon/x /var/lib/ptpmon/x && rm /run/ptpmon/x /var/lib/ptpmon/x'
check "a hardware clock can be opened" in_service phc_ctl /dev/ptp0 get
chmod 666 /dev/vda
check "... and no disk, whatever its mode is" \
	grep -q 'Operation not permitted' <<<"$(in_service head -c 1 /dev/vda 2>&1)"
chmod 660 /dev/vda
exposure=$(systemd-analyze security --no-pager ptpmon.service | tail -n 1)
check "systemd-analyze security: an exposure of at most 3.0" \
	[ "$(sed 's/.*: \([0-9]*\)\.\([0-9]\) .*/\1\2/' <<<"$exposure")" -le 30 ]
echo "# $exposure"
check "the journal names it once in a line, and knows how grave that is" \
	grep -qE 'ptpmon\[[0-9]+\]: ptp4l: started' <<<"$(journalctl --quiet --unit ptpmon --priority notice)"
check "what ptp4l says is there under its own name" \
	wait_for 10 '[ -n "$(journalctl --quiet --identifier ptp4l _SYSTEMD_UNIT=ptpmon.service)" ]'

# --- who may ask ---

useradd --no-create-home --groups ptpmon friend
useradd --no-create-home stranger
check "a user in the group sees its status" grep -q SLAVE <<<"$(as friend ptpmon status)"
check "... and the record" as friend ptpmon runs
check "... and may leave a mark" as friend ptpmon mark "from a friend"
check "a stranger is refused" bash -c '! "$@" 2>&1' - setpriv --reuid stranger --regid stranger \
	--init-groups ptpmon status
check "... and told how to be let in" \
	grep -q group <<<"$(as stranger ptpmon status 2>&1)"

check "time-sync.target can wait for it" systemctl start ptpmon-wait-sync
check "... and is reached" systemctl is-active --quiet time-sync.target
systemctl stop ptpmon-wait-sync

# --- another configuration ---

echo 'fifo_priority = much' >>/etc/ptpmon/ptpmon.conf
check "a broken configuration is not loaded" fails systemctl reload ptpmon
check "... and the reason is in the journal" \
	grep -q 'ptpmon.conf:[0-9]*: .*fifo_priority' <<<"$(journalctl --quiet --output cat --unit ptpmon)"
check "... while everything goes on" [ "$(property NRestarts) $(property ActiveState) $(pid_of '^[^ ]*ptp4l ')" = "0 active $ptp4l" ]
configure
find_children
old="$parent $ptp4l"
sed -i 's/^interval = .*/interval = 20 ms/' /etc/ptpmon/ptpmon.conf
# shellcheck disable=SC2034 # wait_for reads it
old_sampler=$sampler
check "a good one is loaded" systemctl reload ptpmon
check "... what it changes is started again" \
	wait_for 30 'is_up && [ "$sampler" != "$old_sampler" ]'
check "... and ptp4l goes on" [ "$parent $ptp4l" = "$old" ]

# --- the end of a child, of the parent, of all ---

old_ptp4l=$ptp4l
kill -KILL "$ptp4l"
check "a killed ptp4l comes back" wait_for 30 'is_up && [ "$ptp4l" != "$old_ptp4l" ]'
check "... without a restart of the service" [ "$(property NRestarts)" = 0 ]

old="$(pids)"
kill -KILL "$parent"
check "a killed parent is started again" wait_for 60 '[ "$(property NRestarts)" = 1 ] && is_up'
check "... and none of its children lived on" \
	[ -z "$(comm -12 <(sort <<<"$old") <(pids | sort))" ]

drop_in WatchdogSec=15
systemctl restart ptpmon
check "it starts with a short watchdog" wait_for 60 is_up
pause 20
check "... and feeds it" [ "$(property NRestarts)" = 0 ]
kill -STOP "$parent"
check "a stopped parent is killed by the watchdog and started again" \
	wait_for 150 '[ "$(property NRestarts)" -ge 1 ] && is_up'
check "... by the watchdog" grep -qi 'watchdog timeout' <<<"$(journalctl --quiet --unit ptpmon)"

# Something in the service's control group eats more memory than there is for it.
drop_in WatchdogSec=120
systemctl restart ptpmon
check "it starts with a long one" wait_for 60 is_up
old_ptp4l=$ptp4l
group=/sys/fs/cgroup$(property ControlGroup)
echo $(($(cat "$group/memory.current") + (64 << 20))) >"$group/memory.max"
sh -c 'echo $$ >"$1/cgroup.procs" && echo 1000 >/proc/$$/oom_score_adj && exec tail /dev/zero' - "$group"
echo max >"$group/memory.max"
check "systemd hears of a process that had to go for its memory" \
	wait_for 10 'grep -q "killed by the OOM killer" <<<"$(journalctl --quiet --unit ptpmon)"'
pause 3
check "... and lets the service go on" is_up
check "... as it was" [ "$(property NRestarts) $ptp4l" = "0 $old_ptp4l" ]

# What the examples' drop-in adds: the kernel's own threads.
napi_is() { # napi_is CLASS PRIORITY: of veth0's thread
	[ "$(ps -eo comm=,cls=,rtprio= | awk '$1 ~ /^napi\/veth0-/ { print $2, $3 }')" = "$1 $2" ]
}

ethtool -K veth0 gro on
echo 1 >/sys/class/net/veth0/threaded
check "threads of the kernel serve the port" wait_for 10 'napi_is TS -'
printf '[realtime]\nnapi_priority = 55\n' >>/etc/ptpmon/ptpmon.conf
systemctl restart ptpmon
check "without the drop-in their priority is refused, and the remedy named" \
	wait_for 30 'grep -q "napi/veth0.*AmbientCapabilities=CAP_SYS_NICE" <<<"$(journalctl --quiet --unit ptpmon)"'
cp /usr/share/doc/ptpmon/examples/ptpmon.service.d/kernel-threads.conf \
	/run/systemd/system/ptpmon.service.d/
systemctl daemon-reload
systemctl restart ptpmon
check "with it, it is set" wait_for 60 'is_up && napi_is FF 55'

old="$(pids)"
check "it stops" systemctl stop ptpmon
check "... and gives the kernel's threads their priority back" napi_is TS -
check "... in order" [ "$(property ActiveState) $(property Result)" = "inactive success" ]
check "... and leaves no process" [ -z "$(for pid in $old; do ps -o pid= -p "$pid"; done)" ]
check "... and no runtime directory" [ ! -e /run/ptpmon ]
check "... and a record that ended in order" \
	[ "$(sqlite3 -readonly /var/lib/ptpmon/ptpmon.db 'select how from run order by id desc limit 1')" = stopped ]

kill "$master"
ip link del veth0
ip netns del master
guest_finish
