# Atomics of shared memory that are loops of compare-and-swap cost more where several warps change one
# word: how often they go round is not known then, and the report says so. Not of those that no other
# warp disturbs, nor of native ones.
. tests/cli/lib.sh

cat >"$folder/sums.ptx" <<'PTX'
.version 7.0
.target sm_80
.address_size 64
.visible .entry sum(.param .u32 stride, .param .u32 loops, .param .u64 out) {
    .reg .b32 %r<12>;
    .reg .f32 %f<2>;
    .reg .b64 %d<2>;
    .reg .pred %p;
    .shared .align 4 .b8 sums[128];
    .shared .align 4 .b8 own[128];
    ld.param.u32 %r0, [stride];
    ld.param.u32 %r1, [loops];
    mov.u32 %r2, %tid.x;
    shr.u32 %r3, %r2, 5;
    mul.lo.u32 %r3, %r3, %r0;
    mov.u32 %r4, sums;
    add.u32 %r4, %r4, %r3;
    shr.u32 %r10, %r2, 5;
    shl.b32 %r10, %r10, 2;
    mov.u32 %r11, own;
    add.u32 %r10, %r10, %r11;
    mov.f32 %f0, 0f3f800000;
    setp.eq.u32 %p, %r1, 1;
    @%p bra swap;
    setp.eq.u32 %p, %r1, 2;
    @%p bra once;
    setp.eq.u32 %p, %r1, 3;
    @%p bra native;
    atom.shared.add.f32 %f1, [%r10], %f0;
    atom.shared.add.f32 %f1, [%r4], %f0;
    ret;
swap:
    ld.shared.u32 %r5, [%r4];
    add.u32 %r6, %r5, 1;
    atom.shared.cas.b32 %r7, [%r4], %r5, %r6;
    setp.ne.u32 %p, %r7, %r5;
    @%p bra swap;
    ret;
once:
    atom.shared.cas.b32 %r7, [%r4], 0, %r2;
    ret;
native:
    atom.shared.add.u32 %r7, [%r4], %r2;
    ret;
}
PTX

marks() { # marks EXPECTED NAME THREADS STRIDE LOOPS: how many rows are estimates
    for threads in 1 2; do
        run --threads $threads --format json -o "$folder/$2.$threads" "$folder/sums.ptx" \
            --launch "sum<<<7, $3>>>($4, $5, out:u32[1])"
        expect_status 0
        found=$(grep -c '"estimate": true' "$folder/$2.$threads")
        [ "$found" = "$1" ] || complain "$2: $found estimates instead of $1"
    done
}

marks 1 contended 128 0 0
marks 0 apart 128 4 0
marks 0 alone 32 0 0
marks 1 swap_contended 128 0 1
marks 0 swap_apart 128 4 1
marks 0 once 128 0 2
marks 0 native 128 0 3
run "$folder/sums.ptx" --launch 'sum<<<7, 128>>>(0, 0, out:u32[1])'
expect_stderr 'marks an estimate'
finish
