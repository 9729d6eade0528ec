# What the scripts beside share: run bankrun, then hold its status and output against patterns.
# TMPDIR is a private folder, BANKRUN the program under test.
set -u
folder=${TMPDIR:-$(mktemp -d)}
bankrun=${BANKRUN:-build/bankrun}
failures=0

# Runs bankrun; leaves $status, and the output in $folder/stdout and $folder/stderr.
run() {
    "$bankrun" "$@" >"$folder/stdout" 2>"$folder/stderr" </dev/null
    status=$?
    ran="bankrun $*"
}

complain() {
    failures=$((failures + 1))
    echo "$ran: $1" >&2
    sed 's/^/    /' "$folder/stderr" >&2
}

expect_status() { [ "$status" = "$1" ] || complain "status $status instead of $1"; }
expect_stderr() { grep -qE -e "$1" "$folder/stderr" || complain "stderr does not match: $1"; }
expect_stdout() { grep -qE -e "$1" "$folder/stdout" || complain "stdout does not match: $1"; }
expect_no_stderr() { [ ! -s "$folder/stderr" ] || complain "stderr is not empty"; }
expect_no_stdout() { [ ! -s "$folder/stdout" ] || complain "stdout is not empty"; }

# A kernel that reads a column of a [32][32] tile: 31 excess wavefronts a warp.
write_column_kernel() {
    cat >"$1" <<'PTX'
.version 7.0
.target sm_80
.address_size 64

.visible .entry column(
    .param .u64 out,
    .param .u32 factor
)
{
    .reg .b32 %r<6>;
    .reg .b64 %rd<4>;
    .shared .align 4 .b8 tile[4096];

    mov.u32 %r1, %tid.x;
    ld.param.u32 %r2, [factor];
    mul.lo.u32 %r3, %r1, %r2;
    mov.u32 %r4, tile;
    mad.lo.u32 %r4, %r1, 128, %r4;
    st.shared.u32 [%r4], %r3;
    ld.shared.u32 %r5, [%r4];
    ld.param.u64 %rd1, [out];
    cvta.to.global.u64 %rd2, %rd1;
    mad.wide.u32 %rd3, %r1, 4, %rd2;
    st.global.u32 [%rd3], %r5;
    ret;
}
PTX
}
column_launch='column<<<1, 32>>>(out:u32[32], 3)'

need_nvcc() {
    if ! command -v nvcc >/dev/null 2>&1; then
        echo "nvcc is not there"
        exit 77
    fi
}

finish() { exit $((failures > 0)); }
