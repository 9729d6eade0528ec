# The C API as it is installed: headers, library and pkg-config file of a prefix of their own; the
# examples and the program of docs/api.md, built and run against these.
. tests/cli/lib.sh

build=$(dirname "${BANKRUN_BUILD:-build}/x")
if [ "${BANKRUN_SANITIZER:-none}" != none ]; then
    echo "the library holds a sanitizer's calls"
    exit 77
fi
if ! command -v pkg-config >/dev/null; then
    echo "pkg-config is not there"
    exit 77
fi

# What is installed, below a folder that stands for /.
root=$folder/root
ran="meson install"
DESTDIR=$root meson install -C "$build" --no-rebuild --quiet >"$folder/stdout" 2>"$folder/stderr" ||
    complain "does not install"
rm -f "$build/meson-logs/install-log.txt"
config=$(find "$root" -name bankrun.pc)
export PKG_CONFIG_SYSROOT_DIR="$root" PKG_CONFIG_PATH="${config%/*}"
cflags=$(pkg-config --cflags bankrun) libs=$(pkg-config --libs bankrun)
[ "$(pkg-config --modversion bankrun)" = "$("$bankrun" --version | sed -n '1s/[^0-9]*\([0-9.]*\).*/\1/p')" ] ||
    complain "not of the same version"

compile() { # compiler and flags, source, program
    ran="$1 $2"
    # shellcheck disable=SC2086
    $1 -Wall -Wextra -Wpedantic -Werror $cflags "$2" $libs -o "$folder/$3" \
        >"$folder/stdout" 2>"$folder/stderr" || complain "does not build"
}

try() { # status, program, arguments
    wanted=$1
    shift
    ran=$*
    program=$1
    shift
    "$folder/$program" "$@" >"$folder/stdout" 2>"$folder/stderr"
    status=$?
    expect_status "$wanted"
}

compile "cc -std=c11" examples/heatmap.c heatmap
try 0 heatmap examples/transpose.ptx columns padded
expect_stdout '^  transpose.cu:9, ld.shared.u32$'
expect_stdout '^         @ {31}  32 words in the busiest bank$'
expect_stdout '^          @ {30}  32 words in the busiest bank$'
expect_stdout '^  transpose.cu:19, ld.shared.u32$'
expect_stdout '^         \.{32}  1 words in the busiest bank$'
try 1 heatmap examples/transpose.ptx rows
expect_stderr "^no kernel 'rows' in the module; there are: columns, padded$"

compile "cc -std=c11" examples/no_new_conflict.c no_new_conflict
try 0 no_new_conflict examples/transpose.ptx padded
expect_stdout '^ok padded: 0 excess wavefronts, 0 allowed$'
try 1 no_new_conflict examples/transpose.ptx columns
expect_stdout '^FAIL columns: 992 excess wavefronts, 0 allowed$'
expect_stdout '^  transpose.cu:9: ld.shared.u32: 32 requests take 1024 wavefronts, ideal 32$'
expect_stdout '^    lanes read words 0, 32, 64, ...: stride 32 words, all in bank 0$'
try 1 no_new_conflict /no/such.ptx columns
expect_stderr '^/no/such.ptx: No such file or directory$'

# The blocks of docs/api.md: the program, and what it prints.
block() {
    awk -v wanted="$1" '/^```/ { at = $0 == "```c" ? 1 : at ? at + 1 : 0; next } at == wanted' docs/api.md
}
block 1 >"$folder/first.c"
block 3 | sed '/^\.\.\.$/d' >"$folder/wanted"
compile "cc -std=c11" "$folder/first.c" first
cp examples/transpose.ptx "$folder/transpose.ptx"
ran=docs/api.md
(cd "$folder" && ./first >stdout 2>stderr) || complain "ends with a status"
lines=$(wc -l <"$folder/wanted")
[ "$lines" -gt 5 ] || complain "shows no output"
head -n "$lines" "$folder/stdout" | diff "$folder/wanted" - >"$folder/stderr" || complain "prints something else"

# The headers alone, in every language that they promise, in whatever order.
for language in c11 c17 c++11 c++17 c++20; do
    for order in "bankrun banks" "banks bankrun"; do
        # shellcheck disable=SC2086
        printf '#include <bankrun/%s.h>\n' $order >"$folder/header.c"
        echo 'int main(void) { return bankrun_error_text(BANKRUN_SUCCESS) == 0; }' >>"$folder/header.c"
        case $language in
        c++*) compile "c++ -std=$language -x c++" "$folder/header.c" header ;;
        *) compile "cc -std=$language" "$folder/header.c" header ;;
        esac
        try 0 header
    done
done

# The library takes no names but those of its headers, and asks for nothing that it promised not to.
ran=libbankrun.a
library=$(find "$root" -name libbankrun.a)
nm "$library" 2>"$folder/stderr" | awk '$2 ~ /^[A-Z]$/ && $2 != "U" { print $3 }' | sort >"$folder/has"
grep -oh '^[^#/ ].*' include/bankrun/bankrun.h include/bankrun/banks.h | grep -v '^static' |
    grep -oE 'bankrun_[a-z0-9_]+\(' | tr -d '(' | sort -u >"$folder/promised"
diff "$folder/promised" "$folder/has" >"$folder/stderr" || complain "has other names than the headers"
if nm -u "$library" | grep -E ' (getenv|secure_getenv|exit|_exit|stdout|printf|puts|signal|sigaction|fork|execve|posix_spawn)$' \
    >"$folder/stderr"; then
    complain "calls what it promised not to"
fi
finish
