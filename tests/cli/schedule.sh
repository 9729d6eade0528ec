# --schedule: what is asked for, what it leaves as it was, and that a seed is enough to see it again.
. tests/cli/lib.sh
cat >"$folder/k.ptx" <<'PTX'
.version 8.0
.target sm_90
.address_size 64
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.global .align 1 .b8 text[4] = {98, 10, 0, 0};
.visible .entry lost(.param .u64 out) {
    .reg .b32 %r<4>;
    .reg .b64 %rd<4>;
    .param .b64 f;
    .param .b64 a;
    .param .b32 r;
    ld.param.u64 %rd1, [out];
    ld.global.u32 %r1, [%rd1];
    add.u32 %r1, %r1, 1;
    st.global.u32 [%rd1], %r1;
    mov.u64 %rd2, text;
    mov.u64 %rd3, 0;
    st.param.b64 [f], %rd2;
    st.param.b64 [a], %rd3;
    call.uni (r), vprintf, (f, a);
    ret;
}
PTX
look() { # options
    run "$folder/k.ptx" --launch 'lost<<<4, 64>>>(out:u32[1])' --fill zero --dump out=- "$@"
}
look --schedule 1; expect_status 0
expect_stderr 'schedule order-dependent: 8 in the usual order of warps and blocks, [0-9]+ in that of seed [0-9]+'
expect_stdout '^out: +8'
[ "$(grep -c '^b$' "$folder/stdout")" = 256 ] || complain 'printed not once for each thread'
seed=$(tr '\n' ' ' <"$folder/stderr" | sed -E 's/ +/ /g; s/.*in that of seed ([0-9]+).*/\1/')
cp "$folder/stderr" "$folder/first"
for threads in 1 2 3; do
    look --schedule 1 --threads $threads
    cmp -s "$folder/stderr" "$folder/first" || complain "$threads threads: another report"
done
look --schedule "$seed:1" --fail-on check; expect_status 5
expect_stderr 'order-dependent'

look --fail-on check; expect_status 0
! grep -qE 'order-dependent|checked:' "$folder/stderr" || complain 'checked what nobody asked for'
for wrong in '' x 1: 1:0 1:1001 -1; do
    look --schedule "$wrong"; expect_status 2; expect_stderr "is not of the form SEED\[:N\]"
done
look --schedule 1 --no-count; expect_status 2; expect_stderr '--schedule puts what it finds into the report'
finish
