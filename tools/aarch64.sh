#!/bin/bash
# Builds for 64-bit Arm with Debian's cross compiler, and runs the tests of units, PTX, checks and proofs in qemu-user:
# those that start no further programs. `make aarch64` is the short way.
#
#     tools/aarch64.sh [--install] [BUILD] [TEST...]
#
# --install: adds the architecture arm64 to this Debian system, and what is missing of compiler, emulator and
# libraries. Status 77: something is missing.
set -eu

cd "$(dirname "$0")/.."
packages="crossbuild-essential-arm64 qemu-user-static pkg-config libc6:arm64 libjansson-dev:arm64 liblz4-dev:arm64
libzstd-dev:arm64 zlib1g-dev:arm64 libxxhash-dev:arm64 libiberty-dev:arm64 libcmocka-dev:arm64"
if [ "${1:-}" = --install ]; then
    shift
    dpkg --add-architecture arm64
    # shellcheck disable=SC2086
    tools/install-deps.sh $packages
fi
build=${1:-build}-aarch64
[ $# = 0 ] || shift
for tool in aarch64-linux-gnu-gcc qemu-aarch64-static; do
    if ! command -v "$tool" >/dev/null; then
        echo "aarch64: $tool is not there: tools/aarch64.sh --install" >&2
        exit 77
    fi
done
[ -f "$build/build.ninja" ] || meson setup "$build" --cross-file tools/aarch64.ini
ninja -C "$build" all tests
status=0
run() {
    python3 tests/run.py --build "$build" --wrapper qemu-aarch64-static "$@" || status=1
}
# A device reserves 16 GiB of addresses, and qemu keeps a table of each page: with fewer addresses a test takes a tenth
# of the time. What is known of each byte that kernels write has no room then.
if [ $# = 0 ]; then
    # A million requests for each architecture take minutes: as many as under a sanitizer.
    export BANKRUN_ROUNDS="${BANKRUN_ROUNDS:-20000}"
    (ulimit -v 6000000 && run ptx diag limits && exit "$status") || status=1
    set -- unit
fi
run "$@"
exit "$status"
