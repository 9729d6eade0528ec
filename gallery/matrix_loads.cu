// 16 x 16 tiles of half-precision numbers, read as tensor cores want them: ldmatrix.
//
//     bankrun gallery/matrix_loads.cu
//
// What to look at: ldmatrix.x4 reads four matrices of 8 rows of 16 bytes, one matrix a phase, so
// four wavefronts are ideal. In a tile of 64 columns a row is 128 bytes, so the 8 rows of a matrix
// begin in the same bank: 8-way. Padding rows by 16 bytes cures it; so does a swizzle, which keeps
// the tile dense: chunk c of row r lies at c ^ (r % 8).
//
// bankrun counts              op           array  requests  wavefronts  ideal  degree
//   read_fragments<Plain>     matrix_load  tile         32       1,024    128       8
//   read_fragments<Padded>    matrix_load  tile         32         128    128       1
//   read_fragments<Swizzled>  matrix_load  tile         32         128    128       1
#include "gallery.cuh"
#include <cuda_fp16.h>

constexpr int ROWS = 64, COLUMNS = 64, CHUNKS = COLUMNS / 8; // a chunk is 16 bytes: 8 halves

struct Plain {
    enum { PITCH = CHUNKS };
    static __device__ int place(int row, int chunk) {
        return row * PITCH + chunk;
    }
};

struct Padded {
    enum { PITCH = CHUNKS + 1 };
    static __device__ int place(int row, int chunk) {
        return row * PITCH + chunk;
    }
};

struct Swizzled {
    enum { PITCH = CHUNKS };
    static __device__ int place(int row, int chunk) {
        return row * PITCH + (chunk ^ row % 8);
    }
};

// A warp; out[step][register][lane] is what each lane gets of its 16 x 16 tiles.
template <class Layout> __global__ void read_fragments(unsigned *out, const uint4 *in) {
    __shared__ uint4 tile[ROWS * Layout::PITCH];
    int lane = threadIdx.x;
    for (int i = lane; i < ROWS * CHUNKS; i += 32)
        tile[Layout::place(i / CHUNKS, i % CHUNKS)] = in[i];
    __syncwarp();
    out += blockIdx.x * ROWS * COLUMNS / 2;
#pragma unroll 1
    for (int step = 0; step < ROWS / 16 * COLUMNS / 16; step++) {
        int row = step / (COLUMNS / 16) * 16 + lane % 16,
            chunk = step % (COLUMNS / 16) * 2 + lane / 16;
        unsigned from = unsigned(__cvta_generic_to_shared(&tile[Layout::place(row, chunk)]));
        unsigned r[4];
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                     : "r"(from)
                     : "memory");
        for (int i = 0; i < 4; i++)
            out[(step * 4 + i) * 32 + lane] = r[i];
    }
}

// The two halves that register `i` of a lane must hold.
static unsigned expected(const std::vector<unsigned> &halves, size_t at) {
    size_t lane = at % 32, i = at / 32 % 4, step = at / 128 % (ROWS * COLUMNS / 256);
    size_t row = step / (COLUMNS / 16) * 16 + i % 2 * 8 + lane / 4;
    size_t column = step % (COLUMNS / 16) * 16 + i / 2 * 8 + lane % 4 * 2;
    return halves[(row * COLUMNS + column) / 2];
}

template <class Layout>
static void show_layout(Show &show, const char *name, unsigned blocks,
                        const std::vector<unsigned> &halves) {
    Buffer<unsigned> in(halves), out(blocks * halves.size());
    show.kernel(
        name,
        [&] { read_fragments<Layout><<<blocks, 32>>>(out, reinterpret_cast<const uint4 *>(+in)); },
        [&] { return count_wrong(out, [&](size_t i) { return expected(halves, i); }); });
}

int main(int argc, char **argv) {
    Show show(argc, argv);
    unsigned blocks = show.blocks(2, 16384);
    std::vector<unsigned> halves(ROWS * COLUMNS / 2); // two in a word
    for (unsigned i = 0; i < halves.size(); i++)
        halves[i] = scrambled(i);
    show_layout<Plain>(show, "plain", blocks, halves);
    show_layout<Padded>(show, "padded", blocks, halves);
    show_layout<Swizzled>(show, "swizzled", blocks, halves);
    return show.status();
}
