# The saved profile is the same byte for byte, whatever the number of threads: a kernel over many
# blocks, and where there is nvcc whole programs with conflicts, partial warps and atomics.
. tests/cli/lib.sh

# Each block reads a column of its tile and adds to one word; blocks differ in how many lanes work.
cat >"$folder/many.ptx" <<'PTX'
.version 7.0
.target sm_80
.address_size 64
.visible .entry many(.param .u64 out) {
    .reg .b32 %r<12>;
    .reg .b64 %d<4>;
    .reg .pred %p;
    .shared .align 4 .b8 tile[4096];
    ld.param.u64 %d0, [out];
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, %ctaid.x;
    and.b32 %r2, %r1, 31;
    setp.gt.u32 %p, %r0, %r2;
    @%p ret;
    mov.u32 %r3, tile;
    add.u32 %r4, %r2, 1;
    mul.lo.u32 %r5, %r0, %r4;
    and.b32 %r5, %r5, 1023;
    shl.b32 %r5, %r5, 2;
    add.u32 %r6, %r3, %r5;
    st.shared.u32 [%r6], %r0;
    ld.shared.u32 %r7, [%r6];
    atom.shared.add.u32 %r8, [%r6], %r7;
    red.global.add.u32 [%d0], %r0;
    ret;
}
PTX

same() { # same NAME ARGUMENTS...: runs with one to three threads, compares the profiles
    name=$1
    shift
    for threads in 1 2 3; do
        run --threads "$threads" --format json -o "$folder/$name.$threads" "$@"
        expect_status 0
    done
    for threads in 2 3; do
        cmp -s "$folder/$name.1" "$folder/$name.$threads" ||
            complain "the profile differs between 1 and $threads threads"
    done
}

same many "$folder/many.ptx" --launch 'many<<<5000, 32>>>(out:u32[1])'
grep -q '"worst_degree": *32' "$folder/many.1" || complain 'no conflict was counted'
if [ -n "${BANKRUN_TEST_NVCC:-}" ] && [ "${BANKRUN_SANITIZER:-none}" = none ]; then
    same transpose gallery/transpose.cu 500 300
    same reduction tests/programs/reduction.cu
    same litmus tests/programs/litmus.cu
    same cooperative tests/programs/cooperative.cu
    same cluster tests/programs/cluster.cu
fi
finish
