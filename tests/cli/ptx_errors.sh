# PTX that is wrong, and launches that do not fit: each error with its place.
. tests/cli/lib.sh
write_column_kernel "$folder/k.ptx"

sed 's/mul.lo.u32 %r3/mul.lo.u32 %r3 %r9/' "$folder/k.ptx" >"$folder/bad.ptx"
run "$folder/bad.ptx" --launch "$column_launch"
expect_status 2; expect_stderr 'bad.ptx:16:[0-9]+: error: '; expect_stderr '\^'

sed 's/mul.lo.u32/frobnicate.u32/' "$folder/k.ptx" >"$folder/unknown.ptx"
run "$folder/unknown.ptx" --launch "$column_launch"
expect_status 2; expect_stderr 'unknown.ptx:16:5: error: .*frobnicate'

# Several errors in one run.
sed -e 's/mul.lo.u32/frobnicate.u32/' -e 's/ret;/rett;/' "$folder/k.ptx" >"$folder/two.ptx"
run "$folder/two.ptx" --launch "$column_launch"
expect_status 2; expect_stderr 'two.ptx:16:5: error'; expect_stderr 'two.ptx:25:5: error'

head -c 300 "$folder/k.ptx" >"$folder/cut.ptx"
run "$folder/cut.ptx" --launch "$column_launch"
expect_status 2; expect_stderr 'cut.ptx:[0-9]+:[0-9]+: error: '

launch() { run "$folder/k.ptx" --launch "$1"; expect_status 2; }
launch 'column<<<1, 32>>>(out:u32[32])'
expect_stderr "<launch>:1:18: error: kernel 'column' takes 2 arguments \(u64, u32\), 1 given"
launch 'column<<<1, 32>>>(7, f32=1)'; expect_stderr '<launch>:1:22: error: argument 2 is f32, but parameter factor'
launch 'column<<<1, 32>>>(u32[32], u32[4])'; expect_stderr 'argument 2 is u32\[4\]'
launch 'colum<<<1, 32>>>()'; expect_stderr "<launch>:1:1: error: no kernel 'colum'.*: column"
launch 'column<<<1, 32>>'; expect_stderr "<launch>:1:15: error: expected '>>>'"
launch 'column<<<1, 2048>>>(0, 0)'; expect_stderr 'a block has at most 1024 threads in x'
launch 'column<<<1, 64x32>>>(0, 0)'; expect_stderr 'the block has 2048 threads; sm_90 takes at most 1024'
launch 'column<<<1x70000, 32>>>(0, 0)'; expect_stderr 'a grid has at most 65535 blocks in y'
launch 'column<<<1, 32, 300000>>>(0, 0)'; expect_stderr 'needs 304096 bytes of shared memory; sm_90 has'
launch 'column<<<1, 32>>>(u32[8]=@/no/such/file, 0)'; expect_stderr '/no/such/file: No such file'
printf 'abc' >"$folder/three"
launch "column<<<1, 32>>>(u32[8]=@$folder/three, 0)"; expect_stderr 'has 3 bytes, the argument 32'
launch "column<<<1, 32>>>(u32[]=@$folder/three, 0)"; expect_stderr 'has 3 bytes, which are no elements of 4'
launch 'column<<<1, 32>>>(u8[1000000000000], 0)'; expect_stderr 'the device has no 1000000000000 bytes left'

run "$folder/k.ptx" --launch "$column_launch" --dump nothing=-
expect_status 2; expect_stderr "the launch has no buffer 'nothing'"
finish
