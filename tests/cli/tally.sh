# Requests that repeat are counted without telling the profile of each one. With --trace every
# request is told: both ways give the same profile.
. tests/cli/lib.sh

# A site that goes through the ways in which lanes can lie: one behind the other, all at one word,
# at a stride, at random, in two arrays, some lanes off, and the same again.
cat >"$folder/mixed.ptx" <<'PTX'
.version 7.0
.target sm_80
.address_size 64
.visible .entry mixed(.param .u64 out) {
    .reg .b32 %r<24>;
    .reg .b64 %d<6>;
    .reg .pred %p<6>;
    .shared .align 4 .b8 first[8192];
    .shared .align 4 .b8 second[8192];
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, 0;
    mov.u32 %r12, 0;
    ld.param.u64 %d0, [out];
again:
    // the way of this round: it changes every third time, and from block to block
    add.u32 %r3, %r2, %r1;
    div.u32 %r3, %r3, 3;
    and.b32 %r4, %r3, 7;
    setp.eq.u32 %p0, %r4, 0;
    setp.eq.u32 %p1, %r4, 1;
    setp.eq.u32 %p2, %r4, 2;
    and.b32 %r5, %r0, 31;
    add.u32 %r6, %r5, %r3;
    and.b32 %r6, %r6, 255;
@%p0 bra ready;
    and.b32 %r6, %r3, 127;
@%p1 bra ready;
    shr.u32 %r7, %r3, 3;
    and.b32 %r7, %r7, 15;
    mad.lo.u32 %r6, %r5, %r7, %r3;
    and.b32 %r6, %r6, 1023;
@%p2 bra ready;
    mad.lo.u32 %r6, %r5, 0x9e3779b1, %r3;
    mul.lo.u32 %r6, %r6, 0x85ebca6b;
    shr.u32 %r6, %r6, 22;
ready:
    shl.b32 %r6, %r6, 2;
    mov.u32 %r8, first;
    mov.u32 %r9, second;
    and.b32 %r10, %r3, 16;
    setp.ne.u32 %p3, %r10, 0;
    selp.u32 %r8, %r9, %r8, %p3;
    add.u32 %r8, %r8, %r6;
    mad.lo.u32 %r10, %r5, %r4, %r2;
    and.b32 %r10, %r10, 5;
    setp.ne.u32 %p4, %r10, 5;
@%p4 ld.shared.u32 %r11, [%r8+64];
@%p4 st.shared.u32 [%r8], %r11;
@%p4 atom.shared.add.u32 %r11, [%r8], %r0;
    and.b32 %r13, %r8, 8188;
    cvt.u64.u32 %d1, %r13;
    add.u64 %d1, %d0, %d1;
@%p4 ld.global.u32 %r14, [%d1];
    st.global.u32 [%d1], %r14;
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p5, %r2, 400;
@%p5 bra again;
    ret;
}
PTX

for block in 32 96; do
    launch="mixed<<<6, $block>>>(out:u32[2048])"
    run --threads 1 --format json -o "$folder/told.json" --trace mixed.ptx:62:1 --launch "$launch" \
        "$folder/mixed.ptx"
    expect_status 0
    for threads in 1 2; do
        run --threads $threads --format json -o "$folder/tallied.json" --launch "$launch" \
            "$folder/mixed.ptx"
        expect_status 0
        cmp -s "$folder/told.json" "$folder/tallied.json" ||
            complain "the profile differs when requests are told one by one"
    done
done
grep -q '"array": *"second"' "$folder/tallied.json" || complain 'the second array is missing'
finish
