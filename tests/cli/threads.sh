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

# Blocks that come to one counter in any order, after more or less work: what each drew says how often
# it goes round and where it writes. The sum of floats rounds in the order of the blocks. The last one
# reads what all wrote. `lowest`: a plain load looks first whether the atomic is worth it. `spins`: with
# that a warp of each block spins for another one in shared memory.
cat >"$folder/draws.ptx" <<'PTX'
.version 7.0
.target sm_80
.address_size 64
.func (.reg .u32 %sum) work(.reg .u32 %seed) {
    .reg .b32 %n;
    .reg .pred %p;
    and.b32 %n, %seed, 15;
    mul.lo.u32 %n, %n, 100;
    mov.u32 %sum, 1;
again:
    mad.lo.u32 %sum, %sum, 5, %n;
    sub.u32 %n, %n, 1;
    setp.gt.s32 %p, %n, 0;
    @%p bra again;
    ret;
}
.visible .entry draws(.param .u64 out) {
    .reg .b32 %r<12>;
    .reg .f32 %f<3>;
    .reg .b64 %d<6>;
    .reg .pred %p, %q;
    .shared .align 4 .b8 tile[4096];
    .shared .align 4 .b8 drawn[4];
    ld.param.u64 %d0, [out];
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, %ctaid.x;
    setp.ne.u32 %q, %r0, 0;
    call (%r2), work, (%r1);
    @%q bra have;
    atom.global.add.u32 %r3, [%d0], 1;
    st.shared.u32 [drawn], %r3;
have:
    bar.sync 0;
    ld.shared.u32 %r3, [drawn];
    mul.wide.u32 %d1, %r3, 4;
    add.u64 %d1, %d0, %d1;
    st.global.u32 [%d1+16], %r1;
    cvt.rn.f32.u32 %f0, %r1;
    rcp.rn.f32 %f0, %f0;
    setp.gt.u32 %p, %r1, 0;
    @%p red.global.add.f32 [%d0+4], %f0;
    and.b32 %r4, %r3, 31;
    mul.lo.u32 %r5, %r0, %r4;
    shl.b32 %r5, %r5, 2;
    mov.u32 %r6, tile;
    add.u32 %r6, %r6, %r5;
round:
    st.shared.u32 [%r6], %r0;
    sub.u32 %r4, %r4, %r1;
    and.b32 %r4, %r4, 31;
    setp.gt.u32 %p, %r4, 7;
    add.u32 %r1, %r1, 1;
    @%p bra round;
    mov.u32 %r7, %nctaid.x;
    sub.u32 %r7, %r7, 1;
    setp.ne.u32 %p, %r3, %r7;
    @%p ret;
    ld.global.u32 %r8, [%d0+20];
    st.global.u32 [%d0+8], %r8;
    ret;
}
.visible .entry lowest(.param .u64 out) {
    .reg .b32 %r<6>;
    .reg .b64 %d<2>;
    .reg .pred %p;
    ld.param.u64 %d0, [out];
    mov.u32 %r0, %ctaid.x;
    call (%r1), work, (%r0);
    add.u32 %r1, %r0, 1;
    ld.global.u32 %r2, [%d0];
    setp.ge.u32 %p, %r2, %r1;
    @%p ret;
    red.global.max.u32 [%d0], %r1;
    ret;
}
.visible .entry spins(.param .u64 out) {
    .reg .b32 %r<6>;
    .reg .b64 %d<2>;
    .reg .pred %p;
    .shared .align 4 .b8 flag[4];
    ld.param.u64 %d0, [out];
    mov.u32 %r0, %ctaid.x;
    mov.u32 %r1, %tid.x;
    setp.lt.u32 %p, %r1, 32;
    @%p bra wait;
    call (%r2), work, (%r0);
    atom.global.exch.b32 %r3, [%d0], %r0;
    add.u32 %r3, %r3, 1;
    st.shared.u32 [flag], %r3;
    ret;
wait:
    ld.volatile.shared.u32 %r4, [flag];
    setp.eq.u32 %p, %r4, 0;
    @%p bra wait;
    mul.wide.u32 %d1, %r0, 4;
    add.u64 %d1, %d0, %d1;
    st.global.u32 [%d1+4], %r4;
    ret;
}
PTX

same() { # same NAME ARGUMENTS...: runs with one to three threads, compares the profiles
    name=$1
    shift
    for threads in 1 2 3; do
        run --threads "$threads" --format json -o "$folder/$name.$threads" "$@"
        expect_status 0
        [ ! -e "$folder/dump" ] || mv "$folder/dump" "$folder/$name.dump.$threads"
    done
    for threads in 2 3; do
        cmp -s "$folder/$name.1" "$folder/$name.$threads" ||
            complain "the profile differs between 1 and $threads threads"
        [ ! -e "$folder/$name.dump.1" ] ||
            cmp -s "$folder/$name.dump.1" "$folder/$name.dump.$threads" ||
            complain "memory differs between 1 and $threads threads"
    done
}

same many "$folder/many.ptx" --launch 'many<<<5000, 32>>>(out:u32[1])'
grep -q '"worst_degree": *32' "$folder/many.1" || complain 'no conflict was counted'
same draws "$folder/draws.ptx" --launch 'draws<<<3000, 32>>>(out:u32[3004])' --dump "out=$folder/dump"
same lowest "$folder/draws.ptx" --launch 'lowest<<<3000, 32>>>(out:u32[1])' --dump "out=$folder/dump"
same spins "$folder/draws.ptx" --launch 'spins<<<3000, 64>>>(out:u32[3001])' --dump "out=$folder/dump"
same sample "$folder/draws.ptx" --blocks 10% --launch 'draws<<<3000, 32>>>(out:u32[3004])' \
    --dump "out=$folder/dump"
# Blocks behind one that faults may have begun, or not: the report says so where there are any.
cat >"$folder/wild.ptx" <<'PTX'
.version 8.0
.target sm_80
.address_size 64
.visible .entry wild() {
    .reg .b64 %rd;
    mov.u64 %rd, 64;
    st.global.u32 [%rd], 1;
    ret;
}
PTX
run "$folder/wild.ptx" --launch 'wild<<<4, 32>>>()'
expect_stderr 'may differ with the number of threads'
run --format json -o - "$folder/wild.ptx" --launch 'wild<<<4, 32>>>()'
expect_stdout '"may_differ": *true'
run "$folder/wild.ptx" --launch 'wild<<<1, 32>>>()'
grep -q 'may differ' "$folder/stderr" && complain 'one block has an order'

if [ -n "${BANKRUN_TEST_NVCC:-}" ] && [ "${BANKRUN_SANITIZER:-none}" = none ]; then
    same transpose gallery/transpose.cu 500 300
    same reduction tests/programs/reduction.cu
    same litmus tests/programs/litmus.cu
    same cooperative tests/programs/cooperative.cu
    same cluster tests/programs/cluster.cu
    ran=tools/determinism.py # which with its own programs, 15 times each, takes some minutes
    python3 tools/determinism.py --bankrun "$bankrun" --runs 2 tests/programs/host_threads.cu \
        gallery/histogram.cu >"$folder/stderr" || complain 'programs differ from run to run'
fi
finish
