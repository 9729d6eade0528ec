# `ulimit -s 64`: what is large lies on no stack, and the simulator's threads have stacks of their own.
. tests/cli/lib.sh
if [ "${BANKRUN_SANITIZER:-none}" != none ]; then
    echo "a sanitizer's frames are larger"
    exit 77
fi

small() {
    (ulimit -s 64 && exec "$bankrun" "$@") >"$folder/stdout" 2>"$folder/stderr" </dev/null
    status=$?
    ran="ulimit -s 64; bankrun $*"
}

write_column_kernel "$folder/k.ptx"
small "$folder/k.ptx" --launch "${column_launch/<<<1/<<<64}"
expect_status 0; expect_stderr '32-way bank conflict'
# The matrices of wgmma.
test=tests/ptx/wgmma_faults.ptx
small $test --launch "$(sed -n 's/^\/\/ launch: //p;T;q' $test)"
expect_status 1; expect_stderr 'matrix|wgmma'
small explain 's[threadIdx.x * 32]' --shared 'float s[1024]'
expect_status 0; expect_stdout '32'

if command -v nvcc >/dev/null 2>&1; then
    cat >"$folder/p.cu" <<'CU'
#include <cstdio>
__global__ void k(int *out) { out[threadIdx.x] = threadIdx.x; }
int main() {
    int *out;
    cudaMalloc(&out, 4096);
    k<<<8, 32>>>(out);
    printf("status %d\n", cudaDeviceSynchronize());
}
CU
    nvcc -cudart shared -arch=compute_80 "$folder/p.cu" -o "$folder/p"
    small "$folder/p"
    expect_status 0; expect_stdout 'status 0'
fi
finish
