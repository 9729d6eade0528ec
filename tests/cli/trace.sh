# --trace: the requests of one source line, of .ptx runs and of programs; --metrics.
. tests/cli/lib.sh

write_column_kernel "$folder/column.ptx"
sed -i 's|^    ld.shared|    .loc 1 77 5\n&|; /^.file/d' "$folder/column.ptx"
sed -i 's|^.visible .entry|.file 1 "/home/me/src/column.cu"\n&|' "$folder/column.ptx"
sed -i 's/\[4096\]/[8192]/; s/ 32\]/ 64]/' "$folder/column.ptx"
launch='column<<<3, 64>>>(out:u32[64], 3)'

run --quiet --launch "$launch" --trace column.cu:77:4 "$folder/column.ptx"
expect_status 0
expect_stderr '^column.cu:77, request 1: launch 0, block \(0, 0, 0\), warp [01], mask 0xffffffff$'
expect_stderr '^  ld.shared.u32: 32 wavefronts, ideal 1$'
expect_stderr '^     1    128    32    0  \|'
expect_stderr '^column.cu:77, request 4: launch 0, block \(1, 0, 0\)'
[ "$(grep -c request "$folder/stderr")" = 4 ] || complain "not 4 requests"
cp "$folder/stderr" "$folder/first"
run --quiet --threads 8 --launch "$launch" --trace column.cu:77:4 "$folder/column.ptx"
cmp -s "$folder/first" "$folder/stderr" || complain "not the same with --threads 8"

run --quiet --launch "$launch" --trace src/column.cu:77 --trace-output "$folder/t.csv" "$folder/column.ptx"
expect_status 0; expect_no_stderr
[ "$(wc -l <"$folder/t.csv")" = 7 ] || complain "6 requests of 3 blocks of 2 warps, and a heading"
run explain --requests "$folder/t.csv"; expect_status 0
expect_stdout '^ld.shared.u32,0xffffffff,0 128 256 .*,src/column.cu,77,0,0,0,0,0,32,32,1,32$'
run --quiet --launch "$launch" --trace umn.cu:77 "$folder/column.ptx"
expect_status 0; expect_stderr '^bankrun: --trace umn.cu:77: no shared-memory access of that line was made$'
run --quiet --launch "$launch" --trace column.cu:78 "$folder/column.ptx"; expect_stderr 'no shared-memory access'
for wrong in column.cu column.cu: column.cu:0 :7 column.cu:x; do
    run --launch "$launch" --trace "$wrong" "$folder/column.ptx"
    expect_status 2; expect_stderr "'$wrong' is not of the form FILE:LINE or FILE:LINE:N"
done
run --launch "$launch" --no-count --trace column.cu:77 "$folder/column.ptx"
expect_status 2; expect_stderr '^bankrun: --trace shows what is counted: leave --no-count out$'
if [ -e /dev/full ]; then
    run --launch "$launch" --trace column.cu:77 --trace-output /dev/full "$folder/column.ptx"
    expect_status 2; expect_stderr '^bankrun: /dev/full: not all of the trace could be written$'
fi
run --launch "$launch" --trace-output x.csv "$folder/column.ptx"; expect_status 2; expect_stderr 'without --trace'

run --launch "$launch" --metrics "$folder/column.ptx"
expect_stderr '^launch 0: column, sm_90$'
expect_stderr '^  l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum +192$'
expect_stderr '^  l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum +186$'
expect_stderr '^  shared_load_transactions_per_request +32.00$'
expect_stderr '^  shared_efficiency +3.12 %$'
expect_stderr '^  bankrun__bank_rules +measured$'
expect_stderr '^  warp_serialize +12$'
expect_stderr '^  gld_efficiency +-$'
run --launch "$launch" --metrics --arch sm_86 "$folder/column.ptx"
expect_stderr '^  bankrun__bank_rules +documented$'
run --launch "$launch" --verbose "$folder/column.ptx"
expect_stderr '^  bank rules$'; expect_stderr '^    measured +ld.shared.u32, st.shared.u32$'
run --launch "$launch" --format json -o "$folder/run.json" "$folder/column.ptx"
run report --metrics "$folder/run.json"; expect_stdout '^  gst_efficiency +100.00 %$'

if command -v nvcc >/dev/null 2>&1; then
    run --quiet --trace transpose.cu:33:3 --trace-output "$folder/p.csv" gallery/transpose.cu 64 64
    expect_status 0
    [ "$(wc -l <"$folder/p.csv")" = 4 ] || complain "not 3 requests"
    run explain --requests "$folder/p.csv"; expect_stdout ',transpose.cu,33,1,0,0,0,[0-9]+,32,32,1,32$'
    for full in /dev/full /no/such/folder/trace; do
        run --quiet --trace transpose.cu:33:300 --trace-output "$full" gallery/transpose.cu 64 64
        expect_status 2; expect_stderr "^bankrun: $full: (not all of the trace could|No such file)"
    done
fi
finish
