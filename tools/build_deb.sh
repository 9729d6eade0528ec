#!/bin/sh
# Builds the Debian packages of the checked-out commit, and their source package.
#
#     tools/build_deb.sh [--build BUILD] [--out FOLDER]
#
# The same commit is to give the same packages, in whatever folder they are built with the same
# compiler: tools/reproducible.sh compares.
# What is not committed is not in them. DEB_BUILD_OPTIONS are dpkg's (nocheck, parallel=N, ...);
# without them there are no packages with debug information.
set -eu
umask 022
export DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS-noautodbgsym}"

build=build out=dist
while [ $# -gt 0 ]; do
    case $1 in
    --build) build=$2 ;;
    --out) out=$2 ;;
    *)
        echo "build_deb: what is $1?" >&2
        exit 2
        ;;
    esac
    shift 2
done
cd "$(dirname "$0")/.."
if ! git rev-parse --verify --quiet HEAD >/dev/null; then
    echo "build_deb: sources are packed as git has them, and this is no checkout" >&2
    exit 2
fi
git diff --quiet HEAD || echo "build_deb: what is not committed is not in the packages" >&2
seconds=$(git log -1 --format=%ct)

# Between releases a version says which commit it is.
version=$(git show HEAD:meson.build | sed -n "s/^  version: '\(.*\)',/\1/p")
if git show HEAD:CHANGELOG.md | sed -n '/^## \[Unreleased\]/,/^## \[[0-9]/p' | grep -q '^- '; then
    version=$version+git$(date -u -d "@$seconds" +%Y%m%d.%H%M%S).$(git rev-parse --short=8 HEAD)
fi

mkdir -p "$build" "$out"
out=$(cd "$out" && pwd)
folder=$(cd "$build" && pwd)/deb
rm -rf "$folder"
mkdir "$folder"
top=bankrun-$version
git archive --format=tar --prefix="$top/" HEAD | xz >"$folder/bankrun_$version.orig.tar.xz"
tar -C "$folder" -xf "$folder/bankrun_$version.orig.tar.xz"
cp -r "$folder/$top/packaging/debian" "$folder/$top/debian"
maintainer=$(sed -n 's/^Maintainer: //p' "$folder/$top/debian/control")
cat >"$folder/$top/debian/changelog" <<END
bankrun ($version-1) unstable; urgency=medium

  * What changed is in /usr/share/doc/bankrun/changelog.gz.

 -- $maintainer  $(LC_ALL=C date -u -R -d "@$seconds")
END
cd "$folder/$top"
dpkg-buildpackage --no-sign >../build.log 2>&1 || {
    tail -n 60 ../build.log >&2
    echo "build_deb: the whole of it is in $folder/build.log" >&2
    exit 1
}
cd "$folder"
if command -v lintian >/dev/null 2>&1; then
    lintian --fail-on error,warning ./*.changes
fi
mv ./*.deb ./*.dsc ./*.tar.* ./*.changes ./*.buildinfo "$out"
rm -rf "${folder:?}/$top"
cd "$out"
ls -l bankrun*"$version"* libbankrun*"$version"* python3-bankrun*"$version"* | awk '{printf "%s: %d bytes\n", $9, $5}'
