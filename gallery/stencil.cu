// A five-point stencil on tiles with a halo, for blocks of two shapes.
//
//     bankrun gallery/stencil.cu
//
// What to look at: a block of 32 x 8 threads reads rows of its tile: free, whatever the pitch. In a
// block of 8 x 32 a warp covers four rows of eight words; with the halo they are 10 words apart and
// the last one wraps onto the banks of the first: 2-way. At a pitch of 40 the four rows lie side by
// side in the banks.
//
// bankrun counts        op     array  requests  wavefronts  ideal  degree
//   stencil<32, 8, 34>  load   tile        640         640    640       1
//   stencil<8, 32, 10>  store  tile        416         544    416       2
//   stencil<8, 32, 10>  load   tile        640       1,280    640       2
//   stencil<8, 32, 40>  load   tile        640         640    640       1
#include "gallery.cuh"

template <int WIDTH, int HEIGHT, int PITCH>
__global__ void stencil(int *out, const int *in, int n) {
    __shared__ int tile[HEIGHT + 2][PITCH];
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    int x = blockIdx.x * WIDTH + tx, y = blockIdx.y * HEIGHT + ty; // `in` has a border of one
    const int *at = &in[y * (n + 2) + x];
    tile[ty][tx] = *at;
    if (tx == 1)
        tile[ty][0] = at[-1];
    if (tx == WIDTH)
        tile[ty][WIDTH + 1] = at[1];
    if (ty == 1)
        tile[0][tx] = at[-(n + 2)];
    if (ty == HEIGHT)
        tile[HEIGHT + 1][tx] = at[n + 2];
    __syncthreads();
    out[(y - 1) * n + x - 1] = tile[ty - 1][tx] + tile[ty + 1][tx] + tile[ty][tx - 1] +
                               tile[ty][tx + 1] - 4 * tile[ty][tx];
}

int main(int argc, char **argv) {
    Show show(argc, argv);
    int n = int(show.blocks(64, 4096)), pitch = n + 2;
    std::vector<int> values(pitch * pitch), expected(n * n);
    for (unsigned i = 0; i < values.size(); i++)
        values[i] = int(scrambled(i) % 1000);
    for (int y = 0; y < n; y++) {
        for (int x = 0; x < n; x++) {
            const int *at = &values[(y + 1) * pitch + x + 1];
            expected[y * n + x] = at[-pitch] + at[pitch] + at[-1] + at[1] - 4 * at[0];
        }
    }
    Buffer<int> in(values), out(n * n);
    auto wrong = [&] {
        size_t count = count_wrong(out, [&](size_t i) { return expected[i]; });
        out.clear();
        return count;
    };
    dim3 wide(32, 8), tall(8, 32);
    show.kernel(
        "32 x 8", [&] { stencil<32, 8, 34><<<dim3(n / 32, n / 8), wide>>>(out, in, n); }, wrong);
    show.kernel(
        "8 x 32", [&] { stencil<8, 32, 10><<<dim3(n / 8, n / 32), tall>>>(out, in, n); }, wrong);
    show.kernel(
        "8 x 32, pitch 40", [&] { stencil<8, 32, 40><<<dim3(n / 8, n / 32), tall>>>(out, in, n); },
        wrong);
    return show.status();
}
