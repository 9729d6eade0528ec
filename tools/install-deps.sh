#!/bin/sh
# Installs the Debian packages that building needs and that are not there yet. Does nothing on a
# system without dpkg; asks no questions.
#
#     tools/install-deps.sh [tests] [browser] [PACKAGE...]
#
# `tests`: those that testing needs, too. `browser`: a browser and what drives it, which only
# tests/cli/html_browser.py wants; it is skipped without them.
set -eu

packages="build-essential g++ meson ninja-build pkg-config python3 python3-venv libjansson-dev
liblz4-dev libzstd-dev libiberty-dev zlib1g-dev libxxhash-dev"
if [ "${1:-}" = tests ]; then
    shift
    packages="$packages clang clang-format llvm-14-dev clang-14 libclang-rt-14-dev libcmocka-dev libopenblas0-pthread libfftw3-single3 libfftw3-double3 python3-jsonschema python3-yaml python3-pytest z3 groff-base mandoc"
fi
if [ "${1:-}" = browser ]; then
    shift
    packages="$packages chromium chromium-driver python3-selenium"
fi
packages="$packages $*"

if ! command -v dpkg >/dev/null 2>&1; then
    echo "install-deps: no dpkg here; needed are the equivalents of:" $packages >&2
    exit 0
fi

missing=""
for package in $packages; do
    state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$state" = installed ] || missing="$missing $package"
done
if [ -z "$missing" ]; then
    exit 0
fi

if [ "$(id -u)" = 0 ]; then
    as_root=""
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    as_root="sudo -n"
else
    echo "install-deps: these packages are missing, and installing them needs root:$missing" >&2
    exit 1
fi
echo "install-deps: installing$missing"
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq
$as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends $missing >/dev/null
