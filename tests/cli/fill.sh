# --fill: what memory holds before it is written, the same in every run and on any number of threads.
. tests/cli/lib.sh
cat >"$folder/k.ptx" <<'PTX'
.version 8.0
.target sm_90
.address_size 64
.visible .entry look(.param .u64 out) {
    .shared .align 4 .b8 cell[512];
    .local .align 4 .b8 own[8];
    .reg .b32 %r<8>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %ctaid.x;
    mul.wide.u32 %rd2, %r1, 8;
    add.u64 %rd1, %rd1, %rd2;
    ld.shared.u32 %r2, [cell+128];
    ld.local.u32 %r3, [own+4];
    st.shared.u32 [cell+128], 0;
    st.local.u32 [own+4], 0;
    st.global.v2.u32 [%rd1], {%r2, %r3};
    ret;
}
PTX
look() { # options
    run "$folder/k.ptx" --launch 'look<<<64, 1>>>(out:u32[128])' --dump out=- "$@" -q
    expect_status 0
    tr -s " " "\n" <"$folder/stdout" | grep "^[0-9]" | sort -u >"$folder/words"
}
same() { [ "$(wc -l <"$folder/words")" = 1 ] || complain "$1: not all words are the same"; }

look; same pattern; expect_stdout 2139062143
look --fill pattern; same pattern; expect_stdout 2139062143
look --fill zero; same zero; expect_stdout '\b0\b'
look --fill random; cp "$folder/stdout" "$folder/first"
for threads in 1 2 3; do
    look --fill random:1 --threads $threads
    cmp -s "$folder/stdout" "$folder/first" || complain "$threads threads: other random bytes"
done
[ "$(wc -l <"$folder/words")" -gt 1 ] || complain 'random bytes that are all the same'
look --fill random:2
cmp -s "$folder/stdout" "$folder/first" && complain 'another seed, the same bytes'
for wrong in one random: random:x random:-1 patterns ''; do
    run --fill "$wrong" x.cu; expect_status 2; expect_stderr 'neither zero nor pattern nor random\[:SEED\]'
done

if command -v nvcc >/dev/null 2>&1; then
    # What is allocated, by any way, small and large; large memory that nobody touches costs nothing.
    cat >"$folder/p.cu" <<'CU'
#include <cstdio>
#include <cstdlib>
__global__ void sum(const unsigned *at, size_t words, unsigned *out) {
    unsigned *heap = (unsigned *)malloc(64);
    *out = at[0] ^ at[words / 3] ^ at[words - 1] ^ heap[5];
    free(heap);
}
static void show(void *at, size_t bytes) {
    static unsigned *out = nullptr;
    unsigned result;
    if (!out)
        cudaMalloc(&out, 4);
    sum<<<1, 1>>>((const unsigned *)at, bytes / 4, out);
    cudaMemcpy(&result, out, 4, cudaMemcpyDeviceToHost);
    printf("%s %x\n", cudaGetErrorName(cudaGetLastError()), result);
}
int main() {
    for (int round = 0; round < 2; round++)
        for (size_t bytes = 256; bytes <= (size_t)8 << 30; bytes *= 32) {
            void *at;
            cudaMalloc(&at, bytes);
            show(at, bytes);
            cudaFree(at);
            cudaMallocAsync(&at, bytes, 0);
            show(at, bytes);
            cudaMemset(at, 0, 256);
            cudaFreeAsync(at, 0);
        }
    void *at;
    cudaMallocManaged(&at, 4096);
    show(at, 4096);
    cudaMallocHost(&at, 4096);
    show(at, 4096);
    FILE *status = fopen("/proc/self/status", "r");
    char line[256];
    long kilobytes = 0;
    while (fgets(line, sizeof line, status))
        sscanf(line, "VmHWM: %ld", &kilobytes);
    if (kilobytes > 1000000)
        printf("%ld KB of memory\n", kilobytes);
}
CU
    run --no-count "$folder/p.cu"
    expect_status 0; [ "$(sort -u "$folder/stdout")" = 'cudaSuccess 0' ] || complain 'not the pattern everywhere'
    run --no-count --fill random "$folder/p.cu"
    expect_status 0; cp "$folder/stdout" "$folder/first"
    [ "$(sort -u "$folder/stdout" | wc -l)" -gt 5 ] || complain 'no random bytes'
    run --no-count --fill random --threads 3 "$folder/p.cu"
    cmp -s "$folder/stdout" "$folder/first" || complain 'other random bytes in a second run'
    run --no-count --on-fault continue "$folder/p.cu"
    expect_status 0; [ "$(sort -u "$folder/stdout")" = 'cudaSuccess 0' ] || complain 'not the pattern everywhere, in pages'
fi
finish
