// Rows, columns and diagonals of a 32 x 32 tile of floats, and of a padded one.
//
//     bankrun gallery/access.cu
//
// What to look at: a row is free, a column is 32-way. A diagonal, tile[n][n], goes through all
// banks: its words lie 33 apart. A column of padding frees the column, but somebody pays: the
// diagonal is 2-way now (34 apart), and the other diagonal, which was free, lies 32 apart: 32-way.
//
// bankrun counts                    op    array  requests  wavefronts  ideal  degree
//   read_tile<Row, 32>              load  tile          4           4      4       1
//   read_tile<Column, 32>           load  tile          4         128      4      32
//   read_tile<Diagonal, 32>         load  tile          4           4      4       1
//   read_tile<Counterdiagonal, 32>  load  tile          4           4      4       1
//   read_tile<Row, 33>              load  tile          4           4      4       1
//   read_tile<Column, 33>           load  tile          4           4      4       1
//   read_tile<Diagonal, 33>         load  tile          4           8      4       2
//   read_tile<Counterdiagonal, 33>  load  tile          4         128      4      32
#include "gallery.cuh"

constexpr int SIDE = 32;

struct Row {
    static __host__ __device__ int x(int lane) {
        return lane;
    }
    static __host__ __device__ int y(int lane) {
        return lane * 0 + 3;
    }
};
struct Column {
    static __host__ __device__ int x(int lane) {
        return lane * 0 + 3;
    }
    static __host__ __device__ int y(int lane) {
        return lane;
    }
};
struct Diagonal {
    static __host__ __device__ int x(int lane) {
        return lane;
    }
    static __host__ __device__ int y(int lane) {
        return lane;
    }
};
struct Counterdiagonal {
    static __host__ __device__ int x(int lane) {
        return SIDE - 1 - lane;
    }
    static __host__ __device__ int y(int lane) {
        return lane;
    }
};

template <class Pattern, int PITCH> __global__ void read_tile(float *out) {
    __shared__ float tile[SIDE][PITCH];
    for (int y = 0; y < SIDE; y++)
        tile[y][threadIdx.x] = y * SIDE + threadIdx.x;
    __syncwarp();
    int lane = threadIdx.x;
    out[blockIdx.x * SIDE + lane] = tile[Pattern::y(lane)][Pattern::x(lane)];
}

template <class Pattern, int PITCH>
static void show_pattern(Show &show, const char *name, unsigned blocks) {
    Buffer<float> out(blocks * SIDE);
    show.kernel(
        name, [&] { read_tile<Pattern, PITCH><<<blocks, SIDE>>>(out); },
        [&] {
            return count_wrong(out, [](size_t i) {
                int lane = int(i % SIDE);
                return Pattern::y(lane) * SIDE + Pattern::x(lane);
            });
        });
}

int main(int argc, char **argv) {
    Show show(argc, argv);
    unsigned blocks = show.blocks(4, 65536);
    show_pattern<Row, 32>(show, "row", blocks);
    show_pattern<Column, 32>(show, "column", blocks);
    show_pattern<Diagonal, 32>(show, "diagonal", blocks);
    show_pattern<Counterdiagonal, 32>(show, "counterdiagonal", blocks);
    show_pattern<Row, 33>(show, "row, padded", blocks);
    show_pattern<Column, 33>(show, "column, padded", blocks);
    show_pattern<Diagonal, 33>(show, "diagonal, padded", blocks);
    show_pattern<Counterdiagonal, 33>(show, "counterdiagonal, padded", blocks);
    return show.status();
}
