#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# libpmc-client as another program meets it: installed, found by pkg-config, and with nothing of the
# source tree in reach.
# shellcheck source=../lab/lib.sh
. "$(dirname "$0")/../lab/lib.sh"

lab_open
root=$LAB_WORK/root
DESTDIR=$root meson install -C "$LAB_BUILD" --no-rebuild >"$LAB_WORK/install.log"
pc=$(find "$root" -name pmc-client.pc)
export PKG_CONFIG_PATH=${pc%/*} PKG_CONFIG_SYSROOT_DIR=$root
LD_LIBRARY_PATH=$(dirname "$(find "$root" -name libpmc-client.so)")
export LD_LIBRARY_PATH

uses() { # uses COMPILER FILE OPTION...: an own program, built against what is installed
	local flags

	read -ra flags < <(pkg-config --cflags --libs pmc-client)
	(cd "$LAB_WORK" && "$1" -Wall -Wextra -Werror "${@:3}" -o "${2%.*}" "$2" "${flags[@]}")
}

reports_no_socket() {
	local status=0

	"$LAB_WORK/example" "$LAB_WORK/none" 2>"$LAB_WORK/stderr" || status=$?
	[ "$status" = 1 ] && grep -q 'none: No such file' "$LAB_WORK/stderr"
}

only_its_own() {
	nm -D --defined-only "$LD_LIBRARY_PATH/libpmc-client.so" | awk '$3 !~ /^(pmc|ptp)_/ { print; bad = 1 }
		END { exit bad }'
}

cp "$LAB_TOP/pmc-client/example.c" "$LAB_WORK"
cat >"$LAB_WORK/plus.cpp" <<-EOF
	#include "pmc-client/pmc-client.h"
	int main()
	{
		return pmc_dataset_by_name("TIME_STATUS_NP") ? 0 : 1;
	}
EOF
check "the example has at most 40 lines of code and comments" [ "$(grep -vc '^$' "$LAB_WORK/example.c")" -le 40 ]
check "... and compiles in C without a warning" uses gcc example.c
check "... and runs with the shared library" reports_no_socket
check "... by its soname" grep -q 'libpmc-client.so.0 ' <(ldd "$LAB_WORK/example")
check "a program in C++ links" uses clang plus.cpp
check "... and runs" "$LAB_WORK/plus"
check "nothing but pmc_ and ptp_ is exported" only_its_own
lab_finish
