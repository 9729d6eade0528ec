# Four rows of a tensor at once, and swizzles with larger atoms: programs for 10.0.
. tests/cli/lib.sh

if [ -n "${BANKRUN_TEST_NVCC:-}" ] && [ "${BANKRUN_SANITIZER:-none}" = none ]; then
    "$BANKRUN_TEST_NVCC" -gencode arch=compute_100a,code=compute_100a -cudart shared -std=c++17 \
        -o "$folder/rows" tests/cli/tensor_rows.cu 2>"$folder/stderr" || {
        ran=nvcc
        complain "the program was not compiled"
    }
    run --arch sm_100a "$folder/rows"
    expect_status 0
    expect_stdout '^flipped: 801$'
    expect_stderr 'cuTensorMapEncodeTiled with packed types or flipped swizzles is not supported yet'
    for name in gather 'gather over the edge' '16-byte atoms' '32-byte atoms' '64-byte atoms' scatter; do
        expect_stdout "^$name: 0, cudaSuccess, PASS$"
    done
    run --arch sm_100a "$folder/rows" map
    expect_stdout '^gather with a map of boxes: 0, cudaErrorIllegalInstruction, FAIL$'
    expect_stderr 'is for boxes of several rows, the instruction takes single ones'
fi
finish
