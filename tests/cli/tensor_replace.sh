# A kernel that replaces the fields of a tensor map: a whole program, built for 9.0a, which has the
# instruction. Rows of 16 words from a tensor of 20, every second one, with a swizzle of 64 bytes; then every second
# slice of 16 bytes from an interleaved tensor of 20. An H200 (driver 580.159.04) gives the same output.
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
    expect_stdout '^1852 1853 1854 1855 1860 1861 1862 1863 1868 1869 1870 1871 0 0 0 0$'
    expect_stdout '^2876 2877 2878 2879 2884 2885 2886 2887 2892 2893 2894 2895 0 0 0 0$'
fi
finish
