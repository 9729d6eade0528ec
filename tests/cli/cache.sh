# Compiled programs are kept: the second run does not call nvcc, a changed header compiles anew, a
# damaged entry is made again, two runs at once do not disturb each other.
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
case "\$*" in *-o*) echo call >>"$calls" ;; esac
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

finish
