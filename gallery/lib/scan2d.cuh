// Summed-area table of squared 8-bit pixels, in one pass. On an H200, in per cent of the speed of a
// copy of as many bytes: 83 to 86 from 4096 x 4096 on; 67 to 83 where the width is no multiple of
// four; 62 at 2048 x 2048 and 51 at 1024 x 1024, where blocks wait for each other's sums longer
// than it takes to write (bench/results).
//
//     fast::scan2d_plan plan;
//     cudaError_t error = fast::scan2d_create(&plan, width, height);
//     error = fast::scan2d(plan, sums, pixels, stream); // any number of times
//     fast::scan2d_destroy(&plan);
//
// sums[y * width + x] is the sum of the squares of all pixels above and to the left of (x, y),
// itself included, in 64 bits. Any width and height up to 32768; pixels may begin at any address.
// A plan holds scan2d_bytes(plan) of device memory, about a hundredth of the result, through which
// blocks tell each other their sums; two scans with one plan must not overlap. Needs compute
// capability 8.0. This file includes two others of its folder.
//
// How it works. Each tile of the image needs three things from outside: the sum of what is left of
// each of its lines, of what is above each of its columns, and of what is above and left of both.
//
// - A block adds up the lines and columns of its tile and sends these few numbers to all blocks
//   below and to the right: it stores them, each with a tag in its upper bits that says to which
//   scan it belongs. So the numbers need no flags and no fences, and who needs one looks until it
//   is there. Nobody waits for a block with a higher number, and GPUs start blocks in order.
// - To keep the numbers few, rows of tiles form bands: the last tile of a column of a band passes
//   on the sums of all above.
// - Large images have two kinds of blocks. One only adds up, and runs ahead of the other, which
//   scans and writes; so what a block wants to know is known when it starts, and the pixels it
//   reads again are still in the cache.
// - A warp goes down its lines with the sums of its columns in registers and scans a line with
//   shuffles, four pixels a lane. Sums pass through shared memory to be written side by side.
// - Writing a part of a 32-byte sector is slow. In an image whose lines begin anywhere a tile
//   computes some columns more than its share, and writes of each line the part that begins and
//   ends at sectors.
// - The next kernel in the stream, say the next scan, may be launched before this one ends.
#ifndef FAST_SCAN2D_CUH
#define FAST_SCAN2D_CUH

#include "scan2d_kernel.cuh"

namespace fast {

struct scan2d_plan {
    scan_image image = {};
    const void *kernels[2] = {}; // for aligned lines, for any
    size_t shared[2] = {}, bytes = 0;
    unsigned blocks = 0, threads = 0;
    bool is_overlapping = false;
};

inline size_t scan2d_bytes(const scan2d_plan &plan) {
    return plan.bytes;
}

inline cudaError_t scan2d_destroy(scan2d_plan *plan) {
    cudaError_t error = cudaFree(plan->image.state);
    *plan = {};
    return error;
}

template <class Shape, int ANY> cudaError_t scan2d_choose(scan2d_plan *plan) {
    size_t shared = sizeof(scan_memory<scan_config<Shape, ANY>>);
    plan->kernels[ANY] = reinterpret_cast<const void *>(scan_tiles<Shape, ANY>);
    plan->shared[ANY] = shared;
    return cudaFuncSetAttribute(plan->kernels[ANY], cudaFuncAttributeMaxDynamicSharedMemorySize,
                                int(shared));
}

inline cudaError_t scan2d_see_device(scan2d_plan *plan) {
    int device, major = 0;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    plan->is_overlapping = major >= 9;
    return error;
}

// With shifts 1 lines are written as they lie in tiles, otherwise from multiples of as many sums.
template <class Shape>
cudaError_t scan2d_create_as(scan2d_plan *plan, size_t width, size_t height, unsigned shifts) {
    constexpr unsigned WIDTH = 128 * Shape::SPANS, HEIGHT = Shape::LINES * Shape::WARPS;
    unsigned shared = shifts > 1 ? shifts : 0; // columns, by neighbours
    *plan = {};
    scan_image &image = plan->image;
    image.width = unsigned(width);
    image.height = unsigned(height);
    image.shifts = shifts;
    image.pitch = WIDTH - shared;
    image.across =
        width > shared ? (image.width - shared + image.pitch - 1) / image.pitch : width > 0;
    image.down = (image.height + HEIGHT - 1) / HEIGHT;
    image.lead = Shape::LEAD;
    size_t tiles = size_t(image.across) * image.down;
    if (image.lead > tiles)
        image.lead = unsigned(tiles);
    plan->blocks = unsigned(Shape::LEAD ? 2 * tiles : tiles);
    plan->threads = 32 * Shape::WARPS;
    size_t places = size_t(image.across) * ((image.down + Shape::BAND - 1) / Shape::BAND);
    size_t longs = (tiles + places + 1) / 2 * 2; // whole 16 bytes
    plan->bytes = 16 + longs * sizeof(sum_t) +
                  (tiles * (WIDTH + HEIGHT) + places * 2 * WIDTH) * sizeof(unsigned);
    void *memory = nullptr;
    cudaError_t error = scan2d_see_device(plan);
    if (error == cudaSuccess)
        error = scan2d_choose<Shape, 1>(plan);
    if (error == cudaSuccess && width % SCAN_SECTOR == 0 && shifts == 1)
        error = scan2d_choose<Shape, 0>(plan);
    if (error == cudaSuccess)
        error = cudaMalloc(&memory, plan->bytes);
    if (error != cudaSuccess)
        return error;
    image.state = static_cast<scan_state *>(memory);
    image.totals = static_cast<sum_t *>(memory) + 2;
    image.corners = image.totals + tiles;
    image.above = reinterpret_cast<unsigned *>(image.totals + longs);
    image.columns = image.above + places * 2 * WIDTH;
    image.lines = image.columns + tiles * WIDTH;
    return cudaMemset(memory, 0, plan->bytes); // no tags
}

// Chooses the shape that was the fastest on an H200.
inline cudaError_t scan2d_create(scan2d_plan *plan, size_t width, size_t height) {
    size_t pixels = width * height;
    unsigned shifts = width % SCAN_SECTOR ? SCAN_SECTOR : 1;
    if (width > SCAN_MOST || height > SCAN_MOST)
        return cudaErrorInvalidValue;
    if (pixels <= size_t(2) << 20)
        return scan2d_create_as<scan_small>(plan, width, height, shifts);
    if (pixels <= size_t(8) << 20)
        return scan2d_create_as<scan_medium>(plan, width, height, shifts);
    if (shifts == 1)
        return scan2d_create_as<scan_large>(plan, width, height, 1);
    if (pixels <= size_t(32) << 20)
        return scan2d_create_as<scan_large>(plan, width, height, 4 * SCAN_SECTOR);
    return scan2d_create_as<scan_wide>(plan, width, height, 4 * SCAN_SECTOR);
}

inline cudaError_t scan2d(const scan2d_plan &plan, sum_t *sums, const uint8_t *pixels,
                          cudaStream_t stream = 0) {
    if (plan.blocks == 0)
        return cudaSuccess;
    scan_image image = plan.image;
    image.pixels = pixels;
    image.sums = sums;
    bool is_aligned = image.width % SCAN_SECTOR == 0 && image.shifts == 1 &&
                      uintptr_t(pixels) % 4 == 0 && uintptr_t(sums) % 16 == 0;
    cudaLaunchAttribute overlap = {};
    overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    overlap.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(plan.blocks);
    config.blockDim = dim3(plan.threads);
    config.dynamicSmemBytes = plan.shared[!is_aligned];
    config.stream = stream;
    config.attrs = &overlap;
    config.numAttrs = plan.is_overlapping ? 1 : 0;
    void *arguments[] = {&image};
    return cudaLaunchKernelExC(&config, plan.kernels[!is_aligned], arguments);
}

} // namespace fast

#endif
