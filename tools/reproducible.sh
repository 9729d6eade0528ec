#!/bin/sh
# Builds packages of the checked-out commit twice and says whether they have the same bytes: in two
# folders, at two times, by other names of zone, locale and permissions, without a compiler's cache.
#
#     tools/reproducible.sh [--in FOLDER] deb|wheel...
#
# Status 1: they differ (diffoscope says how, where it is installed). Takes four minutes of a processor
# for each build.
set -eu

top=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
if [ "${1:-}" = --in ]; then
    rmdir "$folder"
    folder=$2
    mkdir -p "$folder"
    shift 2
else
    trap 'rm -rf "$folder"' EXIT
fi
if [ $# = 0 ]; then
    echo "reproducible: deb or wheel?" >&2
    exit 2
fi

build() { # KIND PLACE
    mkdir -p "$2"
    git clone --quiet "$top" "$2/bankrun"
    case $1 in
    deb) (cd "$2/bankrun" && DEB_BUILD_OPTIONS="noautodbgsym nocheck" tools/build_deb.sh) ;;
    wheel) (cd "$2/bankrun" && python3 tools/build_wheel.py --no-sdist) ;;
    *)
        echo "reproducible: what is $1?" >&2
        return 2
        ;;
    esac >"$2/log" 2>&1 || {
        tail -n 40 "$2/log" >&2
        return 1
    }
}

export CCACHE_DISABLE=1
status=0
for kind; do
    one=$folder/$kind/a two="$folder/$kind/another-folder-of-a-longer-name"
    (umask 022 && TZ=UTC LC_ALL=C.UTF-8 build "$kind" "$one")
    (umask 077 && TZ=Asia/Tokyo LC_ALL=C build "$kind" "$two")
    for file in "$one"/bankrun/dist/*; do
        name=$(basename "$file")
        case $name in *.changes | *.buildinfo) continue ;; esac # they say where and when
        if cmp -s "$file" "$two/bankrun/dist/$name"; then
            echo "same       $(sha256sum <"$file" | cut -c 1-16)  $(wc -c <"$file") bytes  $name"
        else
            echo "different  $name"
            status=1
            ! command -v diffoscope >/dev/null || diffoscope "$file" "$two/bankrun/dist/$name" || true
        fi
    done
done
exit $status
