#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# embed-sql.sh FILE NAME: the file as the C string NAME, on standard output.
set -eu
printf '/* Made from %s. */\nstatic const char %s[] =\n' "${1##*/}" "$2"
sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/.*/	"&\\n"/' "$1"
printf '	"";\n'
