# --launch runs a kernel of a CUDA source, which needs no main() for it.
. tests/cli/lib.sh
need_nvcc

cat >"$folder/column.cu" <<'CU'
// Here main() is missing, and "main(" is no function, nor is 'main'.
__global__ void column(float *out, const float *in, int n) {
    __shared__ float tile[32][32];
    tile[threadIdx.x][0] = in[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < n)
        out[blockIdx.x * 32 + threadIdx.x] = tile[31 - threadIdx.x][0] * FACTOR;
}
CU
launch='column<<<2, 32>>>(out:f32[64], f32[32]=iota, 3)'

# Behind the file as well as before it, and with flags for nvcc.
run run -DFACTOR=2 "$folder/column.cu" --launch "$launch" --dump out=-
expect_status 0
expect_stdout '^out: 62 60 58 0 0 '
expect_stderr '(^| )on sm_90$' # the heading wraps where the folder's name is long
expect_stderr 'column.cu:4: 32-way bank conflict$'
expect_stderr '^ +4 \| tile\[threadIdx.x\]\[0\] = in\[threadIdx.x\];$'
run -DFACTOR=3 --launch "$launch" --dump out=- --quiet "$folder/column.cu"
expect_status 0; expect_stdout '^out: 93 90 87 0 0 '; expect_no_stderr
run --arch sm_80 -DFACTOR=3 "$folder/column.cu" "--launch=$launch" --format json -o "$folder/run.json"
expect_status 0; expect_no_stderr
tr -d '\n ' <"$folder/run.json" | grep -q '"program":\["[^"]*/column.cu","--launch","column<<<2' ||
    complain 'the profile does not name the source and its launch'
grep -q '"arch": *"sm_80"' "$folder/run.json" || complain 'the profile is of another architecture'
run check -DFACTOR=3 "$folder/column.cu" --launch "$launch"
expect_status 0; expect_stderr 'nothing found'
run --fail-on excess -DFACTOR=3 "$folder/column.cu" --launch "$launch"; expect_status 3

# What the kernel does wrong is told of the source.
run -DFACTOR=3 "$folder/column.cu" --launch 'column<<<1, 32>>>(f32[32], f32[8], 32)'
expect_status 1; expect_stderr 'column.cu:4: read of 4 bytes at .*: right behind the end of the 32-byte'

# Mistakes in the launch, and in the source.
run -DFACTOR=3 "$folder/column.cu" --launch 'row<<<1, 32>>>()'
expect_status 2; expect_stderr "^<launch>:1:1: error: no kernel 'row' in the module"
run -DFACTOR=3 "$folder/column.cu" --launch 'column<<<1, 32>>>(1)'; expect_status 2; expect_stderr 'takes 3 arguments'
run "$folder/column.cu" --launch "$launch"
expect_status 2; expect_stderr 'FACTOR'; expect_stderr 'column.cu was not compiled'; expect_no_stdout
run -DFACTOR=3 "$folder/column.cu" 64 --launch "$launch"
expect_status 2; expect_stderr "'64': a kernel takes its arguments through --launch"
run -DFACTOR=3 --devices 2 "$folder/column.cu" --launch "$launch"
expect_status 2; expect_stderr 'a kernel is launched on one device'
run -DFACTOR=3 --launch "$launch" -o "$folder/column.cu" "$folder/column.cu"
expect_status 2; expect_stderr 'would write over the input'

# Without --launch it is a program, and lacks something.
run -DFACTOR=3 "$folder/column.cu"
expect_status 2; expect_stderr 'it has no main\(\): --launch .* runs one of its kernels, and bankrun prove needs neither'
run -DFACTOR=3 "$folder/column.cu" --dump out=-
expect_status 2; expect_stderr 'it has no main'
# Nothing is said of it where that is not what is wrong, kept or not.
printf '#include "lost.h"\n__global__ void k() {}\n' >"$folder/lost.cu"
printf '__global__ void k() { int x = ; }\n' >"$folder/wrong.cu"
for cache in '' --no-cache; do
    run $cache -DFACTOR=3 "$folder/column.cu"; expect_status 2; expect_stderr 'it has no main'
    for source in lost wrong; do
        run $cache "$folder/$source.cu" -I "$folder"; expect_status 2; expect_stderr 'was not compiled'
        expect_stderr "^bankrun: -I stands behind $folder/$source.cu, and so is an argument of the program: flags"
        ! grep -q 'main()' "$folder/stderr" || complain "main() is not what it lacks"
    done
done
run "$folder/lost.cu" data; expect_status 2
! grep -q 'stands behind' "$folder/stderr" || complain "data is no flag"
run -DFACTOR=3 --dump out=- "$folder/column.cu"
expect_status 2; expect_stderr '--dump writes a buffer of --launch, which is not given'

# A program with a main() gets what stands behind it, whatever that looks like; before it, --launch
# is ours.
cat >"$folder/program.cu" <<'CU'
#include "column.cu"
#include <cstdio>
int main(int argc, char **argv) {
    printf("%s\n", argc > 1 ? argv[1] : "nothing");
    return column == nullptr;
}
CU
run -q -DFACTOR=3 "$folder/program.cu" --launch "$launch"; expect_status 0; expect_stdout '^--launch$'
run -q -DFACTOR=3 --launch "$launch" --dump out=- "$folder/program.cu"
expect_status 0; expect_stdout '^out: 93 90 87 0 0 '
finish
