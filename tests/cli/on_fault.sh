# Accesses beyond an allocation: stopped by default, let pass and reported with --on-fault continue.
. tests/cli/lib.sh
write_column_kernel "$folder/k.ptx"
short='column<<<1, 32>>>(out:u32[28], 3)'

run "$folder/k.ptx" --launch "$short" --on-fault stop
expect_status 1; expect_stderr 'write of 4 bytes at 0x[0-9a-f]+: right behind the end of the 112-byte allocation'
expect_stderr 'thread \(28,0,0\) and 3 more lanes of its warp'
run "$folder/k.ptx" --launch "$short"; expect_status 1

run "$folder/k.ptx" --launch "$short" --on-fault continue --format json -o "$folder/run.json"
expect_status 0; expect_stderr '^bankrun: let pass: write of 4 bytes at 0x[0-9a-f]+: right behind the end of the 112-byte'
grep -q '"let_pass":' "$folder/run.json" || complain 'the profile does not have it'
grep -q '"count": *4' "$folder/run.json" || complain 'the profile does not say how often'
run report "$folder/run.json"
expect_status 0; expect_stdout '4 accesses of this line are beyond their allocation'
for gate in fault excess=1000; do
    run report --fail-on $gate "$folder/run.json"
    expect_status 4; expect_stderr '1 launch accessed memory beyond its allocations'
done
sed 's/"count": *4/"count": "four"/' "$folder/run.json" >"$folder/bad.json"
run report "$folder/bad.json"; expect_status 2; expect_stderr 'let_pass\[0\]'

# No false alarm, misaligned accesses and other pages stay faults.
run "$folder/k.ptx" --launch "$column_launch" --on-fault continue --fail-on fault -o "$folder/clean.txt"
expect_status 0; expect_no_stderr
grep -q 'let pass' "$folder/clean.txt" && complain 'a false alarm'
sed 's/rd3, %r1, 4, %rd2/rd3, %r1, 4, %rd2;\n    add.u64 %rd3, %rd3, 2/' "$folder/k.ptx" >"$folder/odd.ptx"
run "$folder/odd.ptx" --launch "$column_launch" --on-fault continue; expect_status 1; expect_stderr 'misaligned write'
sed 's/rd3, %r1, 4, %rd2/rd3, %r1, 4, %rd2;\n    add.u64 %rd3, %rd3, 2097152/' "$folder/k.ptx" >"$folder/far.ptx"
run "$folder/far.ptx" --launch "$column_launch" --on-fault continue; expect_status 1; expect_stderr '2097024 bytes past the end'

run --on-fault ignore x.cu; expect_status 2; expect_stderr "--on-fault: 'ignore' is neither stop nor continue"
finish
