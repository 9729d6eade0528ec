# What happens when nobody says --as: the machine code's accesses are counted where it can be read, and
# PTX's where not, which is no failure but a line of the report. Tools that stand for the toolkit's
# say what the machine code is.
. tests/cli/lib.sh
unset BANKRUN_AS

mkdir "$folder/tools"
cat >"$folder/tools/ptxas" <<'SH'
#!/bin/sh
[ "$1" = --version ] && echo 'Cuda compilation tools, release 13.7, V13.7.1'
exit "${PTXAS_STATUS:-0}"
SH
cat >"$folder/tools/nvdisasm" <<'SH'
#!/bin/sh
echo once more >>"$RUNS"
[ -z "$GARBAGE" ] || { echo "$GARBAGE"; exit 0; }
cat <<'TEXT'
.text.four:
	//## File "/src/four.cu", line 3
        /*0010*/                   LDS.128 R4, [R0] ;
	//## File "/src/four.cu", line 4
        /*0020*/                   STS [R0], R4 ;
TEXT
exit "${NVDISASM_STATUS:-0}"
SH
chmod +x "$folder/tools/ptxas" "$folder/tools/nvdisasm"
old_path=$PATH
PATH=$folder/tools:$PATH
export XDG_CACHE_HOME=$folder/caches RUNS=$folder/runs
: >"$RUNS"

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
    .loc 1 4 5
    st.shared.u32 [%r2], %r3;
    ret;
}
PTX
four() { run "$@" --launch 'four<<<2, 32>>>()' "$folder/four.ptx"; }
expect_compiled() {
    expect_status 0; expect_stderr '^    loads +2 +8 +8 +0$'
    expect_stderr '^  accesses as compiled by ptxas 13\.7 for sm_90$'
}
# The reason, as the line of the report has it (which wraps).
expect_written() {
    expect_status 0; expect_stderr '^    loads +8 +32 +8 +24$'
    tr '\n' ' ' <"$folder/stderr" | tr -s ' ' | grep -qE -e " accesses as written in PTX: $1" ||
        complain "is not written because: $1"
    ! grep -q '^bankrun: --as' "$folder/stderr" || complain 'it is no message of its own'
}

four; expect_compiled
four --as auto; expect_compiled
four --threads 1 --format json -o "$folder/one.json"; expect_status 0
four --threads 4 --format json -o "$folder/four.json"; expect_status 0
cmp -s "$folder/one.json" "$folder/four.json" || complain 'threads change what is counted'
grep -q '"as": "compiled"' "$folder/one.json" || complain 'the profile does not say how it is counted'
grep -q '"compiled_by": "ptxas 13.7"' "$folder/one.json" || complain 'nor who compiled'
four --format csv -o "$folder/one.csv"; expect_status 0
tr -d '\r' <"$folder/one.csv" | grep -q ',compiled$' || complain 'the table does not say how it is counted'
run report --format html -o "$folder/page.html" "$folder/one.json"; expect_status 0
grep -q 'accesses as compiled by ptxas 13.7 for sm_90' "$folder/page.html" || complain 'nor does the page'

# What is proved of PTX's accesses is said of those alone that the machine code has, too.
four; expect_stderr '^ +degree +4 in every request \(proved for every block\)$'
python3 - "$folder/one.json" <<'PY' || complain 'verdicts'
import json, sys
sites = {s["op"]: s for s in json.load(open(sys.argv[1]))["launches"][0]["sites"]}
assert sites["load"]["instruction"] == "ld.shared.u32 as 128 bits", sites["load"]
assert sites["load"]["verdict"] == "observed", sites["load"]
assert sites["store"]["verdict"] == "proved", sites["store"]
assert not any("may_merge" in s for s in sites.values())
PY

# Nothing is read that nobody needs: of checks, of runs that count nothing; once of a module.
runs=$(wc -l <"$RUNS")
[ "$runs" = 1 ] || complain "nvdisasm ran $runs times, not once"
run check --no-cache --launch 'four<<<1, 32>>>()' "$folder/four.ptx"
four --no-cache --no-count; expect_status 0
[ "$(wc -l <"$RUNS")" = 1 ] || complain 'nvdisasm ran for a check'
rm -r "$XDG_CACHE_HOME"

# Tools that are broken, or cannot be used.
NVDISASM_STATUS=1 four; expect_written 'nvdisasm does not read .* \(exit status 1\)'
expect_stderr '/src/four.cu:3$|merge those of'
! grep -q 'four.cu:3, 4' "$folder/stderr" || complain 'the store has no neighbour'
GARBAGE='?!' four; expect_written 'nvdisasm does not read'
PTXAS_STATUS=3 four; expect_written 'ptxas makes no code for sm_90'
TMPDIR=/proc/none four; expect_written 'cannot make the folder /proc/none'
NVDISASM_STATUS=1 four --format json -o "$folder/written.json"; expect_status 0
grep -q '"as": "written"' "$folder/written.json" || complain 'the profile does not say how it is counted'
grep -q '"as_reason": "nvdisasm does not read' "$folder/written.json" || complain 'nor why'
[ "$(grep -c '"may_merge": true' "$folder/written.json")" = 1 ] || complain 'nor what may be merged'
run report "$folder/written.json"; expect_status 0; expect_stdout 'accesses as written in PTX: nvdisasm'
chmod -x "$folder/tools/nvdisasm"
if [ ! -e /usr/local/cuda/bin/nvdisasm ] && ! PATH=$old_path command -v nvdisasm >/dev/null; then
    four; expect_written 'nvdisasm was not found; it is in .* nvidia-cuda-nvdisasm\. The code generator may merge those of /src/four.cu:3 '
    PATH=/nowhere; four; PATH=$folder/tools:$old_path; expect_written 'nvdisasm was not found'
fi
chmod +x "$folder/tools/nvdisasm"

# A cache that is damaged, or cannot be written.
four; expect_compiled
printf 'x' | dd of="$(ls "$XDG_CACHE_HOME"/bankrun/*.listing)" bs=1 seek=60 conv=notrunc 2>/dev/null
four; expect_compiled
XDG_CACHE_HOME=/proc/none four; expect_compiled
XDG_CACHE_HOME=$folder/four.ptx four; expect_compiled

# Samples are counted so, too; what is proved of blocks is proved of PTX's accesses.
four --blocks 1; expect_status 0; expect_stderr 'accesses as compiled by'
four --blocks auto; expect_written 'it is these that --blocks auto proves'

# As a baseline was counted. Two of which only one is so are not compared.
four --as written --format json -o "$folder/asked.json"; expect_status 0
! grep -q '"as_reason"' "$folder/asked.json" || complain 'as written is what was asked for'
run report "$folder/asked.json"; expect_status 0
! grep -q 'accesses as' "$folder/stdout" || complain 'there is nothing to say'
four --baseline "$folder/one.json" --fail-on regression; expect_status 0
expect_stderr 'accesses as compiled by'
four --baseline "$folder/asked.json" --fail-on regression
expect_written "the baseline's are counted so"
four --as written --baseline "$folder/one.json" --fail-on regression; expect_status 2
expect_stderr '--baseline: .* is counted --as compiled: run it likewise'
run diff "$folder/one.json" "$folder/asked.json"; expect_status 2
expect_stderr 'are not counted alike'

# The environment says what is usual; options, before the file or after it, say otherwise.
BANKRUN_AS=written four; expect_status 0; expect_stderr '^    loads +8 +32 +8 +24$'
BANKRUN_AS=written four --as compiled; expect_compiled
BANKRUN_AS=written run "$folder/four.ptx" --launch 'four<<<2, 32>>>()' --as compiled; expect_compiled
BANKRUN_AS=neither four; expect_status 2
expect_stderr "BANKRUN_AS=neither is none of written, compiled, auto"
BANKRUN_AS=compiled run check --launch 'four<<<1, 32>>>()' "$folder/four.ptx"
[ "$status" != 2 ] || complain 'a check counts nothing'

# A program's own processes do the same.
if command -v nvcc >/dev/null 2>&1; then
    cat >"$folder/program.cu" <<'CU'
#include <cstdio>
extern "C" __global__ void four(float *out) {
    __shared__ float words[128];
    words[threadIdx.x] = out[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = words[threadIdx.x ^ 1];
}
int main() {
    float *out;
    cudaMalloc(&out, 128);
    four<<<1, 32>>>(out);
    puts(cudaGetErrorString(cudaDeviceSynchronize()));
}
CU
    run "$folder/program.cu"; expect_status 0; expect_stdout 'no error'
    expect_stderr '^  accesses as compiled by ptxas( 13\.[0-9]+)? for sm_90$'
    rm -r "$XDG_CACHE_HOME"
    NVDISASM_STATUS=1 run "$folder/program.cu"; expect_status 0; expect_stdout 'no error'
    expect_stderr 'accesses as written in PTX: nvdisasm does not read'
    ! grep -q 'merge' "$folder/stderr" || complain 'no access has a neighbour'
    # Tools are no children of the program's: one that waits for all that it has, or for none.
    cat >"$folder/waits.cu" <<'CU'
#include <csignal>
#include <cstdio>
#include <sys/wait.h>
#include <unistd.h>
__global__ void four(float *out) {
    __shared__ float words[128];
    words[threadIdx.x] = out[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = words[threadIdx.x ^ 1];
}
int reaped;
void reap(int) { while (waitpid(-1, nullptr, WNOHANG) > 0) reaped++; }
int main(int argc, char **) {
    float *out;
    signal(SIGCHLD, argc > 1 ? SIG_IGN : reap);
    cudaMalloc(&out, 128);
    four<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    reap(0);
    std::printf("%d reaped\n", reaped);
}
CU
    for ignores in "" yes; do
        run --no-cache "$folder/waits.cu" $ignores; expect_status 0; expect_stdout '^0 reaped$'
        expect_stderr '^  accesses as compiled by ptxas'
    done
    run --as written "$folder/program.cu"; expect_status 0
    ! grep -q 'accesses as' "$folder/stderr" || complain 'that is what was asked for'
fi
finish
