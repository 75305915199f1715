# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# tests/lab/debian.sh: Debian's packages without installing them. To be sourced by a bash script.
#
#   debian_mirror               the mirror that the machine itself uses
#   debian_apt DIRECTORY SUITE[,SUITE...] ARGUMENT...
#                               apt-get with its own lists and cache in DIRECTORY, of these suites of
#                               the mirror; the machine's own apt stays as it is. It believes that
#                               nothing is installed, or what the file DIRECTORY/status says
#   lab_cache                    the directory where labs keep what they fetched, made if needed:
#                               LABDIR, else ptpmon-lab in the user's cache

lab_cache() {
	local keep=${LABDIR:-${XDG_CACHE_HOME:-$HOME/.cache}/ptpmon-lab}

	mkdir -p "$keep"
	realpath "$keep"
}

debian_mirror() {
	# shellcheck disable=SC2016 # apt's own
	apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' |
		grep -v -- -security | sort -u | head -n 1
}

debian_apt() {
	local work=$1 suite

	mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/parts"
	[ -e "$work/status" ] || : >"$work/status"
	for suite in ${2//,/ }; do
		echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]" \
			"$(debian_mirror) $suite main"
	done >"$work/sources.list"
	cat >"$work/apt.conf" <<-EOF
		Dir::State "$work"; Dir::State::Status "$work/status"; Dir::State::Lists "$work/lists";
		Dir::Cache "$work/cache"; Dir::Etc::SourceList "$work/sources.list";
		Dir::Etc::SourceParts "$work/parts"; Dir::Etc::PreferencesParts "$work/parts";
		Acquire::Languages "none"; Acquire::Retries "3"; APT::Sandbox::User "root";
	EOF
	APT_CONFIG=$work/apt.conf apt-get -qq "${@:3}"
}
