# What the model was asked about an access is kept in the profile: the picture, the words and how sure
# the count is come from there, not from the instruction's name.
. "$(dirname "$0")/lib.sh"
cat >"$folder/k.ptx" <<'PTX'
.version 8.3
.target sm_90
.address_size 64
.visible .entry pairs(.param .u64 out)
{
    .reg .b32 %r<5>;
    .reg .b64 %rd<4>;
    .shared .align 16 .b8 tile[4096];
    mov.u32 %r1, %tid.x;
    shr.u32 %r2, %r1, 1;
    mov.u64 %rd1, tile;
    cvta.shared.u64 %rd1, %rd1;
    mad.wide.u32 %rd2, %r2, 128, %rd1;
    ld.v2.u32 {%r3, %r4}, [%rd2];
    ld.param.u64 %rd3, [out];
    add.u32 %r3, %r3, %r4;
    mad.wide.u32 %rd3, %r1, 4, %rd3;
    st.global.u32 [%rd3], %r3;
    ret;
}
.visible .entry exchange()
{
    .reg .b32 %r<3>;
    .reg .b128 %q<3>;
    .reg .b64 %rd<3>;
    .shared .align 16 .b8 cells[1024];
    mov.u32 %r1, %tid.x;
    shl.b32 %r1, %r1, 4;
    mov.u32 %r2, cells;
    add.u32 %r1, %r1, %r2;
    mov.b64 %rd1, 5;
    mov.b128 %q1, {%rd1, %rd1};
    atom.shared.exch.b128 %q2, [%r1], %q1;
    ret;
}
PTX
pairs() { run run "$folder/k.ptx" --launch 'pairs<<<1, 32>>>(u32[32])' "$@"; }

pairs
expect_status 0
expect_stderr ': 8-way bank conflict'
expect_stderr 'why      lanes 0-15: groups of 2 lanes read the same words'
expect_stderr 'worst    block \(0, 0, 0\), warp 0, lanes 0-15$'
expect_stderr 'words      8 8 \. \. '

pairs --format json -o "$folder/run.json"
tr -d ' \n' <"$folder/run.json" >"$folder/stdout"
expect_stdout '"request":\{"access":"generic_load","matrices":0,"scanned":false,"source":false,"width":8\}'

# A profile of before it was kept: nothing is guessed.
sed 's/"request":/"before":/' "$folder/run.json" >"$folder/old.json"
run report --verbose "$folder/old.json"
expect_status 0
expect_stdout 'why      lanes 0-15: groups of 2 lanes'
expect_stdout 'unknown     ld.v2.u32'
! grep -q 'worst    block' "$folder/stdout" || complain "a picture of what is not known"

run run "$folder/k.ptx" --launch 'exchange<<<1, 32>>>()' --verbose
expect_status 0
expect_stderr '^    measured    atom.shared.exch.b128$'
finish
