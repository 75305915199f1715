#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# alone
# timeout: 400
#
# What happens to a service in the field, a few times each: it notices, it mends, and nothing is left
# over. tests/bench/faults does the same hundreds of times.
exec "$(dirname "$0")/../bench/faults" --short
