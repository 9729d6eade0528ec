#!/bin/sh
# Removes what `make install` put somewhere, and the folders that it made and that are empty now.
#
#     tools/uninstall.sh RECORD [DESTDIR]
#
# RECORD has a line for each file and folder. With DESTDIR only what lies there is removed.
set -eu

record=$1
below=${2:-}
below=${below%/}
if [ ! -f "$record" ]; then
    echo "uninstall: nothing was installed from this build folder" >&2
    exit 0
fi
: >"$record.rest"
# Backwards, so that a folder comes after what lies in it.
LC_ALL=C sort -ru "$record" | while IFS= read -r path; do
    case $path in
    '#'*) continue ;;
    "$below" | "$below"/*) ;;
    *)
        printf '%s\n' "$path" >>"$record.rest"
        continue
        ;;
    esac
    if [ -d "$path" ] && [ ! -L "$path" ]; then
        rmdir "$path" 2>/dev/null || true
    else
        rm -f "$path"
    fi
done
if [ -s "$record.rest" ]; then
    mv "$record.rest" "$record"
else
    rm "$record" "$record.rest"
fi
