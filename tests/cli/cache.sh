# Compiled programs are kept: the second run does not call nvcc, a changed header compiles anew, a
# damaged entry is made again, two runs at once do not disturb each other. So does a header that comes
# to lie before another one.
. tests/cli/lib.sh

if [ -z "${BANKRUN_TEST_NVCC:-}" ]; then
    echo "nvcc is not there"
    exit 77
fi
export XDG_CACHE_HOME="$folder/cache"
calls=$folder/calls
cat >"$folder/nvcc" <<EOF
#!/bin/sh
unset LD_PRELOAD
case " \$*" in *" -o "*) echo call >>"$calls" ;; esac
exec "$BANKRUN_TEST_NVCC" "\$@"
EOF
chmod +x "$folder/nvcc"
echo '#define ANSWER 1' >"$folder/answer.h"
cat >"$folder/kept.cu" <<'EOF'
#include <cstdio>
#include "answer.h"
int main() { printf("answer %d\n", ANSWER); }
EOF

compiled() { # times in all
    count=$(wc -l <"$calls")
    [ "$count" = "$1" ] || complain "nvcc ran $count times instead of $1"
}
answers() {
    run --nvcc "$folder/nvcc" --quiet "$@" "$folder/kept.cu"
    expect_status 0
    expect_stdout "^answer $answer\$"
}

answer=1
answers
compiled 1
answers
compiled 1

answers --no-cache
compiled 2

answer=2
echo '#define ANSWER 2' >"$folder/answer.h"
answers
compiled 3
answers
compiled 3

answers -DOTHER
compiled 4

for file in "$folder"/cache/bankrun/*.program; do
    printf 'x' | dd of="$file" bs=1 seek=100 conv=notrunc 2>/dev/null
done
answers
compiled 5
answers
compiled 5
for file in "$folder"/cache/bankrun/*.deps; do : >"$file"; done
answers
compiled 6

rm -r "$folder/cache"
"$bankrun" --nvcc "$folder/nvcc" --quiet "$folder/kept.cu" >"$folder/first" 2>&1 &
"$bankrun" --nvcc "$folder/nvcc" --quiet "$folder/kept.cu" >"$folder/second" 2>&1
wait
ran="two runs at once"
cat "$folder/first" "$folder/second" >"$folder/stdout"
[ "$(grep -c '^answer 2$' "$folder/stdout")" = 2 ] || complain "one of them failed"
ls "$folder/cache/bankrun" | grep -q tmp && complain "temporary files are left"
answers


# What the preprocessor did not find counts: a header that comes to lie before another one, and what
# __has_include says.
has() { # has RESULT -I...: what the program prints, compiled where that is needed
    answer=$1
    shift
    run --nvcc "$compiler" --quiet "$@" "$folder/kept.cu"
    expect_status 0
    expect_stdout "^answer $answer\$"
}
shadow() { # with a compiler
    compiler=$1
    rm -rf "$folder/inc1" "$folder/inc2"
    mkdir "$folder/inc1" "$folder/inc2"
    echo '#define ANSWER 5' >"$folder/inc2/c2.h"
    printf '#include <c2.h>\n#if __has_include(<maybe.h>)\n#define MAYBE\n#endif\n' >"$folder/answer.h"
    has 5 $both
    count=$(wc -l <"$calls")
    has 5 $both
    compiled "$count"
    echo '#define ANSWER 6' >"$folder/inc1/c2.h"
    has 6 $both
    rm "$folder/inc1/c2.h"
    has 5 $both
    count=$(wc -l <"$calls")
    : >"$folder/inc2/maybe.h"
    has 5 $both
    compiled $((count + 1))
}
both="-I$folder/inc1 -I$folder/inc2"
shadow "$folder/nvcc"

# The rest with a stand-in that is quick: the host's compiler with nvcc's options.
cat >"$folder/quick" <<EOF
#!/bin/sh
unset LD_PRELOAD
[ "\$1" = --list-gpu-arch ] && exec echo compute_90
case " \$*" in *" -o "*) echo call >>"$calls" ;; esac
preprocess= include= depends="$folder/unwanted"
while [ \$# -gt 0 ]; do
    case \$1 in
    -E) preprocess=1 ;;
    -o) output=\$2 && shift ;;
    -MF) depends=\$2 && shift ;;
    -I) include="\$include -I\$2" && shift ;;
    -I*) include="\$include \$1" ;;
    *.cu) source=\$1 ;;
    esac
    shift
done
[ -n "\$preprocess" ] && exec gcc -E -v -x c++ /dev/null \$include
gcc \$include -x c++ "\$source" -o "\$output" -MD -MF "\$depends" -Wl,--no-as-needed \\
    -Wl,--allow-shlib-undefined -x none "$BANKRUN_BUILD/libcudart.so.13" || exit 1
sed -i '1s/:/ :/' "\$depends"
EOF
chmod +x "$folder/quick"
shadow "$folder/quick"
joined=$both
both="-I $folder/inc1 -I $folder/inc2"
shadow "$folder/quick"
count=$(wc -l <"$calls")
NVCC_APPEND_FLAGS="-I $folder/inc2" has 5 $both
NVCC_APPEND_FLAGS="-I $folder/inc2" has 5 $both
compiled $((count + 1))
both=$joined

mkdir "$folder/inc1/c2.h" # a folder is passed over
has 5 $both
rmdir "$folder/inc1/c2.h"
has 5 "-I$folder/inc0" $both # a folder that is not there yet
mkdir "$folder/inc0"
echo '#define ANSWER 7' >"$folder/inc0/c2.h"
has 7 "-I$folder/inc0" $both
CPATH="$folder/inc2" has 5
CPATH="$folder/inc1:$folder/inc2" has 5
echo '#define ANSWER 8' >"$folder/inc1/c2.h"
CPATH="$folder/inc1:$folder/inc2" has 8

cat >"$folder/answer.h" <<'EOF'
#if __has_include("deep/maybe.h")
#define ANSWER 10
#else
#define ANSWER 9
#endif
EOF
has 9 $both
has 9 $both
mkdir "$folder/deep"
: >"$folder/deep/maybe.h"
has 10 $both
cat >"$folder/answer.h" <<'EOF'
#define HAS(name) __has_include(name)
#if HAS(<perhaps.h>)
#define ANSWER 12
#else
#define ANSWER 11
#endif
EOF
has 11 $both
: >"$folder/inc2/perhaps.h"
has 12 $both

# A link that comes to name another file; another preprocessor, wherever PATH finds it.
echo '#define ANSWER 13' >"$folder/one.h"
echo '#define ANSWER 14' >"$folder/other.h"
ln -sf one.h "$folder/answer.h"
has 13 $both
ln -sf other.h "$folder/answer.h"
has 14 $both
mkdir "$folder/front"
path=$PATH
PATH="$folder/front:$PATH"
has 14 $both
count=$(wc -l <"$calls")
has 14 $both
compiled "$count"
printf '#!/bin/sh\nexec %s "$@"\n' "$(command -v gcc)" >"$folder/front/gcc"
chmod +x "$folder/front/gcc"
has 14 $both
compiled $((count + 1))
PATH=$path

# Flags of the environment that name what is on no list.
echo 'int unused;' >"$folder/unused.o"
count=$(wc -l <"$calls")
NVCC_APPEND_FLAGS="-Xcompiler -Wall $folder/unused.o" has 14 $both
NVCC_APPEND_FLAGS="-Xcompiler -Wall $folder/unused.o" has 14 $both
compiled $((count + 2))

# Entries that are none: neither waited for nor read for ever, and replaced.
mkfifo "$folder/fifo"
for kind in fifo list zero link folder garbage none; do
    for file in "$folder"/cache/bankrun/*.deps; do
        rm -rf "$file"
        case $kind in
        fifo) mkfifo "$file" ;;
        list) printf 'f %s\n' "$folder/fifo" >"$file" ;;
        zero) printf 'f /dev/zero\n' >"$file" ;;
        link) ln -s /dev/zero "$file" ;;
        folder) mkdir "$file" ;;
        garbage) head -c 5000 /dev/urandom >"$file" ;;
        esac
    done
    has 14 $both
done
count=$(wc -l <"$calls")
has 14 $both
compiled "$count"

# No place to keep anything.
: >"$folder/file"
XDG_CACHE_HOME="$folder/file" has 14 $both
XDG_CACHE_HOME=/proc/self has 14 $both

finish
