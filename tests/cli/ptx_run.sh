# One PTX kernel, run in every way: dumps, formats, output files, --fail-on.
. tests/cli/lib.sh
write_column_kernel "$folder/k.ptx"
values=$(seq -s ' ' 0 3 93)

run "$folder/k.ptx" --launch "$column_launch" --dump out=-
expect_status 0; expect_stdout "^out: $values\$"; expect_stderr 'column'; expect_stderr '31'
run run --launch "$column_launch" --dump out=- "$folder/k.ptx" --quiet
expect_status 0; expect_stdout "^out: $values\$"; expect_no_stderr
run "$folder/k.ptx" --launch "$column_launch" --dump 0="$folder/out.bin" -q
expect_status 0; expect_no_stdout
[ "$(od -An -v -tu4 "$folder/out.bin" | xargs)" = "$values" ] || complain 'the dump differs'
run "$folder/k.ptx" -q --launch "column<<<1, 32>>>(u32[32]=@$folder/out.bin, 3)" --dump 0=-
expect_status 0; expect_stdout "^0: $values\$"

# The kind of a file does not hang on its name.
cp "$folder/k.ptx" "$folder/kernel.txt"
run "$folder/kernel.txt" -q --launch "$column_launch"; expect_status 0

run "$folder/k.ptx" --launch "$column_launch" --format json -o "$folder/run.json"
expect_status 0; expect_no_stderr
grep -q '"excess": *31' "$folder/run.json" || complain 'no excess of 31 in the profile'
run "$folder/k.ptx" --launch "$column_launch" -o "$folder/direct.txt"; expect_status 0; expect_no_stderr
run report "$folder/run.json"; expect_status 0; expect_no_stderr
cmp -s "$folder/stdout" "$folder/direct.txt" || complain 'saved and direct report differ'
run report "$folder/run.json" --format csv -o -; expect_status 0; expect_stdout 'ld.shared.u32'
run report --format json "$folder/run.json"; expect_status 0
cmp -s "$folder/stdout" "$folder/run.json" || complain 'a profile read and written again differs'
run report "$folder/run.json" -o /no/such/folder/x; expect_status 2; expect_stderr 'cannot write'
run "$folder/run.json"; expect_status 2; expect_stderr 'saved profile; show it with: bankrun report'

for threads in 1 2 3; do
    run "$folder/k.ptx" --launch 'column<<<50, 32>>>(out:u32[32], 3)' --threads $threads --format json \
        -o "$folder/threads$threads.json"
    expect_status 0
    cmp -s "$folder/threads1.json" "$folder/threads$threads.json" ||
        complain "the profile depends on the number of threads"
done

run "$folder/k.ptx" --launch "$column_launch" --fail-on excess
expect_status 3; expect_stderr '62 excess wavefronts of shared memory; --fail-on allows 0'
run "$folder/k.ptx" --launch "$column_launch" --fail-on excess=62; expect_status 0
run "$folder/k.ptx" --launch "$column_launch" --fail-on=excess=61 -q; expect_status 3
run report "$folder/run.json" --fail-on excess; expect_status 3

# Colour only when asked for: no terminal here.
run "$folder/k.ptx" --launch "$column_launch"
if grep -q "$(printf '\033')" "$folder/stderr"; then complain 'colour in a pipe'; fi
run "$folder/k.ptx" --launch "$column_launch" --color always
grep -q "$(printf '\033')" "$folder/stderr" || complain 'no colour with --color always'
NO_COLOR=1 run "$folder/k.ptx" --launch "$column_launch" --color=never
if grep -q "$(printf '\033')" "$folder/stderr"; then complain 'colour with --color=never'; fi

# A kernel of the wrong address faults in words, and what was counted is still reported.
run "$folder/k.ptx" --launch 'column<<<1, 32>>>(0, 3)'
expect_status 1; expect_stderr '^bankrun: .*column'; expect_stderr 'ld.shared|tile|shared'
finish
