# --devices: how many a program sees, on its own and in processes that it starts, and what the profile
# says of them.
. tests/cli/lib.sh
command -v nvcc >/dev/null || exit 77

cat >"$folder/count.cu" <<'CU'
#include <cstdio>
__global__ void touch(int *p) { *p += 1; }
int main() {
    int devices, *p;
    cudaGetDeviceCount(&devices);
    printf("%d devices\n", devices);
    for (int d = 0; d < devices; d++) {
        cudaSetDevice(d);
        cudaMalloc(&p, 64);
        touch<<<1, 1>>>(p);
        cudaDeviceSynchronize();
    }
}
CU
devices_of() {
    python3 -c 'import json, sys; print([l.get("device") for l in json.load(open(sys.argv[1]))["launches"]])' "$1"
}

run --format json -o "$folder/one" "$folder/count.cu"; expect_status 0; expect_stdout '^1 devices'
[ "$(devices_of "$folder/one")" = "[None]" ] || complain "a single device is named"
run --devices 4 --format json -o "$folder/four" "$folder/count.cu"; expect_status 0; expect_stdout '^4 devices'
[ "$(devices_of "$folder/four")" = "[0, 1, 2, 3]" ] || complain "not the four devices"
run report "$folder/four"; expect_status 0; expect_stdout 'device 3, grid 1, block 1'
run --devices 16 --quiet "$folder/count.cu"; expect_status 0; expect_stdout '^16 devices'

# More devices than a test program needs change nothing for it.
for count in 2 4; do
    run --devices $count --quiet tests/programs/devices.cu; expect_status 0
    cmp -s "$folder/stdout" tests/programs/devices.out || complain "devices.cu differs with $count devices"
done
echo '.version 7.0' >"$folder/k.ptx"
run --devices 2 "$folder/k.ptx" --launch 'k<<<1, 1>>>()'; expect_status 2
expect_stderr 'a kernel is launched on one device'
finish
