#!/bin/bash
# Fails as the counts ask for: action.yml's last step.
#
#     gate.sh OLD NEW
#
# STATUS is that of the program. OLD, of count_base.sh, need not be there; BASELINE names another profile.
set -eu

old=$1 new=$2
if [ "${STATUS:-0}" != 0 ]; then
    echo "::error title=bankrun::the program ended with status $STATUS"
    exit "$STATUS"
fi
baseline=()
gate=${FAIL_ON:-excess}
if [ "${BASELINE:-}" = base ] && [ ! -s "$old" ]; then
    gate=excess # its source is new
elif [ -n "${BASELINE:-}" ]; then
    [ "$BASELINE" = base ] || old=$BASELINE
    gate=${FAIL_ON:-regression}
    case $gate in *regression*) baseline=(--baseline "$old") ;; esac
fi
exec bankrun report -o /dev/null "${baseline[@]}" --fail-on "$gate" "$new"
