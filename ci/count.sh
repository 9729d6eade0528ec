#!/bin/bash
# Builds and counts a program in the current folder: action.yml's step. Its status is the program's.
#
#     count.sh PROFILE
#
# Reads SOURCE and ARGUMENTS, or COMMAND; OPTIONS and PREPARE.
set -eu -o pipefail

if [ -n "${PREPARE:-}" ]; then
    bash -e -o pipefail -c "$PREPARE"
fi
if [ -n "${SOURCE:-}" ] && [ -n "${COMMAND:-}" ]; then
    echo "::error title=bankrun::source and command are both given: one of them is to be run"
    exit 2
fi
if [ -n "${COMMAND:-}" ]; then
    program=(bash -c "$COMMAND")
elif [ -n "${SOURCE:-}" ]; then
    eval "program=(\"\$SOURCE\" ${ARGUMENTS:-})"
else
    echo "::error title=bankrun::neither source nor command is given: there is nothing to run"
    exit 2
fi
options=()
eval "options=(${OPTIONS:-})"
exec bankrun run --format json -o "$1" "${options[@]}" -- "${program[@]}"
