#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# embed-limits.sh FILE...: a table of their names and texts, on standard output.
set -eu
printf 'static const struct {\n\tconst char *name, *text;\n} presets[] = {\n'
for file in "$@"; do
	name=${file##*/}
	printf '\t{"%s",\n' "${name%.ini}"
	sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/.*/\t"&\\n"/' "$file"
	printf '\t},\n'
done
printf '};\n'
