// A summed-area table: out[y][x] is the sum of the squares of all 8-bit pixels above and to the
// left of (x, y), itself included, in 64 bits. The image is cut into tiles of 32 x 32:
//
//     tile_sums        sums each row and each column of each tile
//     row_prefixes     adds up the row sums of the tiles to the left
//     column_prefixes  adds up the column sums of the tiles above
//     scan_line_above  scans those along each row of tiles: the finished sums just above a tile
//     tile_scan        scans each tile along its rows, then along its columns
//
//     bankrun gallery/scan2d.cu [WIDTH [HEIGHT]] [--time]             (1024 x 1024 pixels)
//
// What to look at: the lines marked "column". There a warp walks down a column of the tile, whose
// elements lie 64 words apart: each half of the warp needs 16 wavefronts where 1 would do, so a
// request takes 32, ideal 2. The second run of the pipeline pads the rows by one element and has
// no conflict. Row passes go along the banks and are free either way.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

typedef unsigned char Pixel;
typedef unsigned long long Sum;

constexpr int TILE = 32; // a warp spans a row or a column of a tile; a block has 32 warps
constexpr unsigned ALL = 0xffffffff;

struct Image { // in device memory, row by row
    int width, height;
    const Pixel *pixels;
    Sum *row_sums;    // [tile column][y], then what lies left of the tile in row y
    Sum *column_sums; // [tile row][x], then the finished sum at (x, last line above the tile)
    Sum *out;
};

__device__ Sum square_at(const Image &image, int x, int y) {
    if (x >= image.width || y >= image.height)
        return 0;
    Sum value = image.pixels[size_t(y) * image.width + x];
    return value * value;
}

__device__ Sum warp_sum(Sum value) {
    for (int step = 16; step > 0; step /= 2)
        value += __shfl_down_sync(ALL, value, step);
    return value; // right in lane 0
}

__device__ Sum warp_scan(Sum value) {
    for (int step = 1; step < 32; step *= 2) {
        Sum before = __shfl_up_sync(ALL, value, step);
        if (threadIdx.x >= step)
            value += before;
    }
    return value;
}

template <int PITCH> __global__ void tile_sums(Image image) {
    __shared__ Sum tile[TILE][PITCH];
    int lane = threadIdx.x, warp = threadIdx.y;
    int left = blockIdx.x * TILE, top = blockIdx.y * TILE;
    Sum value = square_at(image, left + lane, top + warp);
    tile[warp][lane] = value;
    Sum row = warp_sum(value);
    if (lane == 0 && top + warp < image.height)
        image.row_sums[size_t(blockIdx.x) * image.height + top + warp] = row;
    __syncthreads();
    Sum column = warp_sum(tile[lane][warp]); // column
    if (lane == 0 && left + warp < image.width)
        image.column_sums[size_t(blockIdx.y) * image.width + left + warp] = column;
}

// A thread for each line of pixels.
__global__ void row_prefixes(Image image, int tiles) {
    int y = blockIdx.x * blockDim.x + threadIdx.x;
    if (y >= image.height)
        return;
    Sum sum = 0;
    for (int tile = 0; tile < tiles; tile++) {
        Sum *at = &image.row_sums[size_t(tile) * image.height + y];
        Sum own = *at;
        *at = sum;
        sum += own;
    }
}

// A thread for each column of pixels.
__global__ void column_prefixes(Image image, int tiles) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= image.width)
        return;
    Sum sum = 0;
    for (int tile = 0; tile < tiles; tile++) {
        Sum *at = &image.column_sums[size_t(tile) * image.width + x];
        Sum own = *at;
        *at = sum;
        sum += own;
    }
}

// A warp for each row of tiles.
__global__ void scan_line_above(Image image) {
    Sum *line = &image.column_sums[size_t(blockIdx.x) * image.width];
    Sum before = 0;
    for (int left = 0; left < image.width; left += 32) {
        int x = left + threadIdx.x;
        Sum value = before + warp_scan(x < image.width ? line[x] : 0);
        if (x < image.width)
            line[x] = value;
        before = __shfl_sync(ALL, value, 31);
    }
}

template <int PITCH> __global__ void tile_scan(Image image) {
    __shared__ Sum tile[TILE][PITCH];
    int lane = threadIdx.x, warp = threadIdx.y;
    int x = blockIdx.x * TILE + lane, y = blockIdx.y * TILE + warp;
    Sum left = y < image.height ? image.row_sums[size_t(blockIdx.x) * image.height + y] : 0;
    tile[warp][lane] = left + warp_scan(square_at(image, x, y)); // row
    __syncthreads();
    Sum column = warp_scan(tile[lane][warp]); // column
    tile[lane][warp] = column;                // column
    __syncthreads();
    if (x < image.width && y < image.height) {
        Sum above = image.column_sums[size_t(blockIdx.y) * image.width + x];
        image.out[size_t(y) * image.width + x] = above + tile[warp][lane]; // row
    }
}

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t error = (call);                                                                \
        if (error != cudaSuccess) {                                                                \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,                          \
                    cudaGetErrorString(error));                                                    \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static int tiles_of(int size) {
    return (size + TILE - 1) / TILE;
}

template <int PITCH> static void run(const Image &image) {
    enum { LINES = 128 };
    dim3 tiles(tiles_of(image.width), tiles_of(image.height)), threads(TILE, TILE);
    tile_sums<PITCH><<<tiles, threads>>>(image);
    row_prefixes<<<(image.height + LINES - 1) / LINES, LINES>>>(image, tiles.x);
    column_prefixes<<<(image.width + LINES - 1) / LINES, LINES>>>(image, tiles.y);
    scan_line_above<<<tiles.y, 32>>>(image);
    tile_scan<PITCH><<<tiles, threads>>>(image);
    CHECK(cudaGetLastError());
}

template <int PITCH> static void print_time(const Image &image) {
    enum { RUNS = 100 };
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaEventRecord(begin));
    for (int i = 0; i < RUNS; i++)
        run<PITCH>(image);
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float ms;
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    printf("    %.2f us", 1e3 * ms / RUNS);
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
}

// Runs the pipeline and holds every sum against what the CPU adds up, a line at a time.
template <int PITCH> static bool verify(const Image &image, const Pixel *pixels, bool is_timed) {
    size_t width = image.width, count = width * image.height, wrong = 0;
    CHECK(cudaMemset(image.out, 0xff, count * sizeof(Sum)));
    run<PITCH>(image);
    Sum *sums = static_cast<Sum *>(malloc(count * sizeof(Sum)));
    Sum *expected = static_cast<Sum *>(calloc(width, sizeof(Sum)));
    if (!sums || !expected) {
        fprintf(stderr, "scan2d: out of memory\n");
        exit(1);
    }
    CHECK(cudaMemcpy(sums, image.out, count * sizeof(Sum), cudaMemcpyDeviceToHost));
    Sum checksum = 0;
    for (int y = 0; y < image.height; y++) {
        Sum line = 0;
        for (size_t x = 0; x < width; x++) {
            Sum pixel = pixels[y * width + x];
            line += pixel * pixel;
            expected[x] += line; // the line above, so far
            wrong += sums[y * width + x] != expected[x];
            checksum = checksum * 31 + sums[y * width + x];
        }
    }
    printf("tile[32][%d]  %s  last sum %llu  %016llx", PITCH, wrong ? "FAIL" : "PASS",
           sums[count - 1], checksum);
    if (wrong)
        printf("  %zu of %zu sums are wrong", wrong, count);
    free(sums);
    free(expected);
    if (is_timed)
        print_time<PITCH>(image);
    printf("\n");
    return wrong == 0;
}

static void *allocate(size_t bytes) {
    void *memory;
    CHECK(cudaMalloc(&memory, bytes));
    return memory;
}

int main(int argc, char **argv) {
    int sizes[2] = {1024, 1024}, given = 0;
    bool is_timed = false;
    for (int i = 1; i < argc; i++) {
        long size = strtol(argv[i], nullptr, 10);
        if (strcmp(argv[i], "--time") == 0) {
            is_timed = true;
        } else if (given < 2 && size > 0 && size <= 32768) {
            sizes[given++] = int(size);
        } else {
            fprintf(stderr, "usage: scan2d [WIDTH [HEIGHT]] [--time]   (at most 32768 each)\n");
            return 2;
        }
    }
    Image image = {sizes[0], given == 1 ? sizes[0] : sizes[1]};
    size_t width = image.width, height = image.height, count = width * height;
    Pixel *pixels = static_cast<Pixel *>(malloc(count)), *device_pixels;
    if (!pixels) {
        fprintf(stderr, "scan2d: out of memory\n");
        return 1;
    }
    for (size_t i = 0; i < count; i++)
        pixels[i] = Pixel((unsigned(i) * 2654435761u) >> 24);
    device_pixels = static_cast<Pixel *>(allocate(count));
    image.pixels = device_pixels;
    image.row_sums = static_cast<Sum *>(allocate(tiles_of(image.width) * height * sizeof(Sum)));
    image.column_sums = static_cast<Sum *>(allocate(tiles_of(image.height) * width * sizeof(Sum)));
    image.out = static_cast<Sum *>(allocate(count * sizeof(Sum)));
    CHECK(cudaMemcpy(device_pixels, pixels, count, cudaMemcpyHostToDevice));

    printf("sums of squares over %d x %d pixels\n", image.width, image.height);
    bool passed = verify<TILE>(image, pixels, is_timed);
    passed &= verify<TILE + 1>(image, pixels, is_timed);

    CHECK(cudaFree(device_pixels));
    CHECK(cudaFree(image.row_sums));
    CHECK(cudaFree(image.column_sums));
    CHECK(cudaFree(image.out));
    free(pixels);
    return passed ? 0 : 1;
}

// bankrun counts   op     array  requests  wavefronts    ideal  degree
//   tile_sums<32>  load   tile     32,768   1,048,576   65,536      16
//   tile_scan<32>  store  tile     65,536   1,114,112  131,072      16
//   tile_scan<32>  load   tile     65,536   1,114,112  131,072      16
//   tile_sums<33>  load   tile     32,768      65,536   65,536       1
//   tile_scan<33>  load   tile     65,536     131,072  131,072       1
