# A kernel that replaces the fields of a tensor map: a whole program, built for 9.0a, which has the
# instruction. Rows of 16 words from a tensor of 20, every second one, with a swizzle of 64 bytes.
. tests/cli/lib.sh

if [ -n "${BANKRUN_TEST_NVCC:-}" ] && [ "${BANKRUN_SANITIZER:-none}" = none ]; then
    "$BANKRUN_TEST_NVCC" -gencode arch=compute_90a,code=compute_90a -cudart shared -std=c++17 \
        -o "$folder/replace" tests/cli/tensor_replace.cu 2>"$folder/stderr" || {
        ran=nvcc
        complain "the program was not compiled"
    }
    run "$folder/replace"
    expect_status 0
    expect_stdout '^cudaSuccess$'
    expect_stdout '^336 337 338 339 340 341 342 343 344 345 346 347 0 0 0 0$'
    expect_stdout '^384 385 386 387 388 389 390 391 392 393 394 395 0 0 0 0$'
    expect_stdout '^436 437 438 439 432 433 434 435 0 0 0 0 440 441 442 443$'
fi
finish
