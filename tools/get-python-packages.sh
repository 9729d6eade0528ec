#!/bin/sh
# Installs the packages of PyPI that the examples of examples/python are of (about 1 GB to fetch, 4.5 GB when unpacked), in a
# virtual environment in the build folder, once. Does nothing where they are there. Fails, and says why, where they cannot be had.
#
#     tools/get-python-packages.sh [BUILD_FOLDER]
set -eu

build=${1:-build}
needed=10 # GB, while they are unpacked
list=examples/python/requirements.txt
folder=$build/python-packages

if [ -e "$folder/complete" ] && cmp -s "$folder/complete" "$list"; then
    exit 0
fi
mkdir -p "$build"
free=$(df -Pk "$build" | awk 'NR == 2 { print int($4 / 1000000) }')
if [ "$free" -lt "$needed" ]; then
    echo "get-python-packages: $needed GB are needed for a while, and $free are free" >&2
    exit 1
fi
if ! python3 -m venv "$folder" ||
    ! timeout 900 "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-cache-dir --retries 1 --timeout 20 -r "$list"; then
    rm -rf "$folder"
    echo "get-python-packages: pip could not install $list" >&2
    exit 1
fi
cp "$list" "$folder/complete"
