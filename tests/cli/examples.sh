# The public header and library of the bank model: C and C++ programs that use nothing else, the
# size of the library, its pkg-config file.
. tests/cli/lib.sh

build=$(dirname "${BANKRUN_BUILD:-build}/x")
library=$build/libbankrun-banks.a
if [ "${BANKRUN_SANITIZER:-none}" != none ]; then
    echo "the library holds a sanitizer's calls"
    exit 77
fi

check() { # name, compiler and flags, pattern
    ran="examples/$1"
    name=$folder/${1%.*}
    # shellcheck disable=SC2086
    $2 -Wall -Wextra -Wpedantic -Werror -Iinclude "examples/$1" "$library" -o "$name" \
        >"$folder/stdout" 2>"$folder/stderr" || complain "does not build"
    "$name" >"$folder/stdout" 2>"$folder/stderr" || complain "ends with status $?"
    expect_stdout "$3"
}
check strides.c "cc -std=c11" '^     2      4      2      1      2      2$'
check copies.c "cc -std=c11" '^ 4096 bytes:  8 wavefronts, 8 from the cache, ideal 4 \(measured\)$'
expect_stdout '^ 4160 bytes:  4 wavefronts'
check padding.cpp "c++ -std=c++17" '^double tile\[32\]\[33\]: 0 excess'

ran=$library
strip --strip-debug -o "$folder/alone.a" "$library"
bytes=$(wc -c <"$folder/alone.a")
[ "$bytes" -lt 65536 ] || complain "$bytes bytes without lines for debuggers, 65,536 are too many"
if nm -u "$library" | grep -E ' (malloc|calloc|realloc|free|printf|fopen|write)$'; then
    complain "allocates or does I/O"
fi

if command -v pkg-config >/dev/null; then
    ran=bankrun-banks.pc
    PKG_CONFIG_PATH=$build/meson-private pkg-config --libs bankrun-banks >"$folder/stdout" 2>"$folder/stderr"
    expect_stdout '-lbankrun-banks'
fi
finish
