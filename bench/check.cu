// What device/bankrun.cuh costs: the same kernels, built with and without -DBANKRUN.
//
//     nvcc -std=c++17 -O3 -arch=native -Idevice -o plain bench/check.cu && ./plain --time
//     nvcc -std=c++17 -O3 -arch=native -Idevice -DBANKRUN -o checked bench/check.cu && ./checked
//     --time
//
// A line for each kernel with its time. `transpose` checks two accesses to shared memory for each
// element that it moves, `column` and `row` one of 64 in a loop that does nothing else. With
// -DBANKRUN the report of what was counted follows on stderr, over all launches.
#include "../gallery/gallery.cuh"
#include "bankrun.cuh"

constexpr int TILE = 32, ROUNDS = 64;

__global__ void transpose(float *out, const float *in, int side) {
    __shared__ float tile[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * TILE, y = blockIdx.y * TILE;
    BANKRUN_CHECK(tile[ty][tx]) = in[(y + ty) * side + x + tx];
    __syncthreads();
    out[(x + ty) * side + y + tx] = BANKRUN_CHECK(tile[tx][ty]);
}

template <bool IS_COLUMN> __global__ void sum(float *out, const float *in) {
    __shared__ float tile[TILE][TILE];
    int lane = threadIdx.x;
    for (int y = 0; y < TILE; y++)
        tile[y][lane] = in[y * TILE + lane];
    __syncwarp();
    float total = 0;
    for (int i = 0; i < ROUNDS; i++) {
        float value =
            IS_COLUMN ? BANKRUN_CHECK(tile[lane][i % TILE]) : BANKRUN_CHECK(tile[i % TILE][lane]);
        total += value;
    }
    out[blockIdx.x * TILE + lane] = total;
}

int main(int argc, char **argv) {
    Show show(argc, argv);
    int side = show.blocks(64, 1024), blocks = show.blocks(2, 1024);
    std::vector<float> values(size_t(side) * side);
    for (size_t i = 0; i < values.size(); i++)
        values[i] = float(scrambled(unsigned(i)) % 1024);
    Buffer<float> in(values), out(values.size());
    show.kernel(
        "transpose",
        [&] { transpose<<<dim3(side / TILE, side / TILE), dim3(TILE, TILE)>>>(out, in, side); },
        [&] {
            return count_wrong(out, [&](size_t i) { return values[i % side * side + i / side]; });
        });
    auto count_sums = [&](bool is_column) {
        std::vector<float> sums = out.read();
        size_t wrong = 0;
        for (int i = 0; i < blocks * TILE; i++) {
            float total = 0;
            for (int k = 0; k < ROUNDS; k++) {
                int lane = i % TILE, other = k % TILE;
                total += values[is_column ? lane * TILE + other : other * TILE + lane];
            }
            wrong += sums[i] != total;
        }
        return wrong;
    };
    show.kernel(
        "column", [&] { sum<true><<<blocks, TILE>>>(out, in); }, [&] { return count_sums(true); });
    show.kernel(
        "row", [&] { sum<false><<<blocks, TILE>>>(out, in); }, [&] { return count_sums(false); });
    bankrun_report();
    return show.status();
}
