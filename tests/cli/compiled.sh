# --as compiled: what the machine code accesses is counted. Tools that stand for the toolkit's say
# what that is.
. tests/cli/lib.sh

mkdir "$folder/tools"
cat >"$folder/tools/ptxas" <<'SH'
#!/bin/sh
exit "${PTXAS_STATUS:-0}"
SH
cat >"$folder/tools/nvdisasm" <<'SH'
#!/bin/sh
[ "$1" = --version ] || echo once more >>"$RUNS"
cat <<'TEXT'
.text.four:
	//## File "/src/four.cu", line 3
        /*0010*/                   LDS.128 R4, [R0] ;
TEXT
SH
chmod +x "$folder/tools/ptxas" "$folder/tools/nvdisasm"
PATH=$folder/tools:$PATH
export XDG_CACHE_HOME=$folder/caches RUNS=$folder/runs

cat >"$folder/four.ptx" <<'PTX'
.version 7.0
.target sm_80
.address_size 64
.file 1 "/src/four.cu"
.visible .entry four() {
    .reg .b32 %r<8>;
    .shared .align 16 .b8 words[512];
    mov.u32 %r0, %tid.x;
    shl.b32 %r0, %r0, 4;
    mov.u32 %r1, words;
    add.u32 %r2, %r1, %r0;
    .loc 1 3 5
    ld.shared.u32 %r3, [%r2];
    ld.shared.u32 %r4, [%r2+4];
    ld.shared.u32 %r5, [%r2+8];
    ld.shared.u32 %r6, [%r2+12];
    ret;
}
PTX

run --launch 'four<<<1, 32>>>()' "$folder/four.ptx"
expect_status 0; expect_stderr '^    loads +4 +16 +4 +12$'
run --as written --launch 'four<<<1, 32>>>()' "$folder/four.ptx"
expect_status 0; expect_stderr '^    loads +4 +16 +4 +12$'
run --as compiled --launch 'four<<<1, 32>>>()' "$folder/four.ptx"
expect_status 0; expect_stderr '^    loads +1 +4 +4 +0$'; expect_stderr '^  accesses as compiled by ptxas for sm_90$'
run --as compiled --format json -o "$folder/saved.json" --launch 'four<<<1, 32>>>()' \
    "$folder/four.ptx"
expect_status 0
grep -q '"instruction": "ld.shared.u32 as 128 bits"' "$folder/saved.json" ||
    complain 'the saved profile does not say how wide the access became'
run report "$folder/saved.json"
expect_status 0; expect_stdout '^  accesses as compiled by ptxas for sm_90$'

# What was read is kept, by the code and the tools; --no-cache reads it anew, and so does who finds
# the entry damaged. A cache that cannot be written is no failure.
expect_runs() {
    local runs
    runs=$(wc -l <"$RUNS")
    [ "$runs" = "$1" ] || complain "nvdisasm ran $runs times, not $1"
}
compiled() {
    run --as compiled "$@" --launch 'four<<<1, 32>>>()' "$folder/four.ptx"
    expect_status 0; expect_stderr '^    loads +1 +4 +4 +0$'
}
expect_runs 1
compiled; expect_runs 1
compiled --no-cache; expect_runs 2
entry=$(ls "$XDG_CACHE_HOME"/bankrun/*.listing)
printf 'x' | dd of="$entry" bs=1 seek=60 conv=notrunc 2>/dev/null
compiled; expect_runs 3
: >"$entry"
compiled; expect_runs 4
rm "$entry"; mkfifo "$entry"
compiled; expect_runs 5
compiled; expect_runs 5
echo '# another one' >>"$folder/tools/ptxas"
compiled; expect_runs 6
sed -i 's/128 R4/64 R4/' "$folder/tools/nvdisasm"
run --as compiled --launch 'four<<<1, 32>>>()' "$folder/four.ptx"
expect_status 0; expect_stderr '^    loads +2 +8 +4 +4$'; expect_runs 7
sed -i 's/64 R4/128 R4/' "$folder/tools/nvdisasm"
export XDG_CACHE_HOME=/proc/none
compiled; expect_runs 8
compiled; expect_runs 9
export XDG_CACHE_HOME=$folder/caches
rm -r "$XDG_CACHE_HOME"

PTXAS_STATUS=3 run --as compiled --no-cache --launch 'four<<<1, 32>>>()' "$folder/four.ptx"
expect_status 2; expect_stderr 'ptxas makes no code for sm_90'
run --as compiled --no-count --launch 'four<<<1, 32>>>()' "$folder/four.ptx"
expect_status 2; expect_stderr 'leave --no-count out'
run --as assembled --launch 'four<<<1, 32>>>()' "$folder/four.ptx"
expect_status 2; expect_stderr "'assembled' is none of written, compiled, auto"
finish
