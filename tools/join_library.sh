#!/bin/sh
# Makes one library of several: a single object, in which only the functions of the public headers
# are global, so that it takes nobody's names.
#
# Usage: tools/join_library.sh OUTPUT HEADER... -- CC... -- LIBRARY... -- LIBRARY...
# The first libraries go in whole, of the others what these need. OBJCOPY and AR name the tools.
set -eu
output=$1
shift
case $output in /*) ;; *) output=$PWD/$output ;; esac
object=${output%.a}.o names=${output%.a}.names
: >"$names"
command='' list=headers
for word in "$@"; do
    quoted="'$(printf %s "$word" | sed "s/'/'\\\\''/g")'"
    case $list$word in
    headers--) list=compiler ;;
    headers*) grep -o 'bankrun_[a-z0-9_]*(' "$word" | tr -d '(' >>"$names" ;;
    compiler--) list=whole command="$command -r -nostdlib -o \"\$object\" -Wl,--whole-archive" ;;
    whole--) list=some command="$command -Wl,--no-whole-archive -Wl,--start-group" ;;
    *) command="$command $quoted" ;;
    esac
done
eval "$command -Wl,--end-group"
"${OBJCOPY:-objcopy}" --keep-global-symbols="$names" "$object"
rm -f "$output"
"${AR:-ar}" crs "$output" "$object"
rm -f "$object" "$names"
