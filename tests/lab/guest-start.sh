#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The first thing that tests/lab/guest runs in its guest, as root: ptpmon is installed, then made known to the
# running system as README says, then each script of checks is run.
cd /host || exit
tar -C / --keep-directory-symlink --no-same-owner -xf install.tar
systemd-sysusers
systemd-tmpfiles --create
systemctl restart systemd-udevd
udevadm trigger --settle --subsystem-match=misc --subsystem-match=ptp
systemctl daemon-reload

while read -r name; do
	echo "# $name"
	timeout --foreground 600 bash "checks/$name.sh" ||
		echo "# $name ended with status $?"
done <names
touch ended
sync
