// Summed-area table of squared 8-bit pixels, in one pass.
//
//     fast::scan2d_plan plan;
//     cudaError_t error = fast::scan2d_create(&plan, width, height);
//     error = fast::scan2d(plan, sums, pixels, stream); // any number of times
//     fast::scan2d_destroy(&plan);
//
// sums[y * width + x] is the sum of the squares of all pixels above and to the left of (x, y),
// itself included, in 64 bits. Any width and height up to 32768; pixels may begin at any address.
// A plan holds scan2d_bytes(plan) of device memory, a few megabytes at most, through which blocks
// tell each other their sums; two scans with one plan must not overlap. Needs compute capability
// 8.0. This file includes seven others of its folder.
//
// On an H200, in per cent of the speed of a copy of as many bytes that come from memory: 86 to 93
// where the width is a multiple of 16, mostly; 78 to 87 elsewhere. An image of up to 2048 x 2048
// that is in the cache reaches 54 to 69: there to write eight bytes for each that is read, and to
// wait once for all other blocks, takes longer than a copy (bench/results).
//
// How it works. Each tile of the image needs three things from outside: the sum of what is left of
// each of its rows, of what is above each of its columns, and of what is above and left of both.
//
// - An image is cut into so few tiles that all of them run at the same time, one on each
//   multiprocessor, and stay in its shared memory (scan2d_cut.cuh, scan2d_tile.cuh). Tiles differ
//   by one row or a few columns at most. Images of more than some 25 million pixels are scanned in
//   strips of rows, each by a kernel that adds the finished row above; it loads and adds up its
//   pixels before the kernel in front of it has ended.
// - Pixels are copied to shared memory asynchronously, in whole 16 bytes wherever rows begin, and
//   added up as they come (scan2d_load.cuh).
// - A block adds up the rows and columns of its tile and sends these few numbers to all blocks
//   below and to the right: it stores them, each with a tag in its upper bits that says to which
//   scan it belongs. So the numbers need no flags and no fences, nothing is cleared between scans,
//   and who needs a number looks until it is there (scan2d_letters.cuh). Nobody waits for a block
//   with a higher number, and GPUs start blocks in order.
// - This is the one exchange between adding up and writing. While letters are under way the first
//   rows are scanned; then a few warps add up what others sent of 64 columns or rows each, and
//   leave running sums, so that little is left to do when all is there (scan2d_exchange.cuh).
// - A warp goes down its rows with the sums of its columns in registers and scans a row with
//   shuffles, four pixels a lane (scan2d_write.cuh).
// - Writing a part of a 32-byte sector is slow. In large images whose rows begin anywhere a tile
//   computes four columns more than its share, and writes of each row the part that begins and ends
//   at sectors.
#ifndef FAST_SCAN2D_CUH
#define FAST_SCAN2D_CUH

#include "scan2d_cut.cuh"
#include "scan2d_kernel.cuh"

namespace fast {

struct scan2d_plan {
    scan_image image = {};
    scan_share strips = {};      // rows that they share
    const void *kernels[2] = {}; // for aligned rows, for any
    size_t shared[2] = {};
    unsigned threads = 0;
    void *memory = nullptr; // of two strips, the one at work and the next, or of one
    size_t bytes = 0, bytes_each = 0, columns_at = 0, lines_at = 0;
    bool can_overlap = false;    // kernels may be launched before the kernel in front of them ends
    bool is_overlapping = false; // and the first one is
};

inline size_t scan2d_bytes(const scan2d_plan &plan) {
    return plan.bytes;
}

inline cudaError_t scan2d_destroy(scan2d_plan *plan) {
    cudaError_t error = cudaFree(plan->memory);
    *plan = {};
    return error;
}

inline cudaError_t scan2d_set_kernel(scan2d_plan *plan, int any, const void *kernel,
                                     size_t shared) {
    plan->kernels[any] = kernel;
    plan->shared[any] = shared;
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(shared));
}

// Scans gain a microsecond if they are launched early; they wait before they read anything.
inline cudaError_t scan2d_see_device(scan2d_plan *plan) {
    int device, major = 0;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    plan->can_overlap = plan->is_overlapping = major >= 9;
    return error;
}

// Memory through which blocks tell each other sums: without tags.
inline cudaError_t scan2d_allocate(scan2d_plan *plan, unsigned columns) {
    const scan_image &image = plan->image;
    size_t longs = (size_t(image.tiles) * image.across + 1) / 2 * 2; // whole 16 bytes
    plan->columns_at = sizeof(ulonglong2) + longs * sizeof(sum_t);
    plan->lines_at = plan->columns_at + size_t(image.tiles) * columns * sizeof(unsigned);
    plan->bytes_each = plan->lines_at + size_t(image.tiles) * image.slots * sizeof(unsigned);
    plan->bytes = plan->bytes_each * (image.strips > 1 ? 2 : 1);
    cudaError_t error = cudaMalloc(&plan->memory, plan->bytes);
    return error == cudaSuccess ? cudaMemset(plan->memory, 0, plan->bytes) : error;
}

// For an image cut by scan2d_cut<Shape>.
template <class Shape> cudaError_t scan2d_create_as(scan2d_plan *plan, const scan_image &cut) {
    *plan = {};
    plan->image = cut;
    plan->strips = {cut.height / cut.strips, cut.height % cut.strips};
    plan->threads = 32 * Shape::SPANS * Shape::DOWN;
    cudaError_t error = scan2d_see_device(plan);
    if (error == cudaSuccess)
        error = scan2d_set_kernel(plan, 1, reinterpret_cast<const void *>(scan_tiles<Shape, 1>),
                                  scan2d_shared<Shape, 1>(cut));
    if (error == cudaSuccess)
        error = scan2d_set_kernel(plan, 0, reinterpret_cast<const void *>(scan_tiles<Shape, 0>),
                                  scan2d_shared<Shape, 0>(cut));
    if (error == cudaSuccess)
        error = scan2d_allocate(plan, 128 * Shape::SPANS);
    return error;
}

// A way to cut an image, and what makes a plan of it.
struct scan2d_choice {
    size_t cost = SIZE_MAX;
    scan_image cut = {};
    cudaError_t (*create)(scan2d_plan *, const scan_image &) = nullptr;
};

template <class Shape>
void scan2d_consider(scan2d_choice *best, size_t width, size_t height, unsigned shifts,
                     const scan2d_room &room) {
    scan_image cut = scan2d_cut_strips<Shape>(width, height, shifts, room);
    size_t cost = cut.tiles ? cut.strips * scan2d_cost<Shape>(cut) : SIZE_MAX;
    if (cost < best->cost)
        *best = {cost, cut, scan2d_create_as<Shape>};
}

// Chooses what was the fastest on an H200.
inline cudaError_t scan2d_create(scan2d_plan *plan, size_t width, size_t height) {
    size_t mega = width * height >> 20;
    unsigned shifts = width % SCAN_SECTOR && mega >= 5 ? SCAN_SECTOR : 1;
    scan2d_room room;
    scan2d_choice best;
    *plan = {};
    if (width > SCAN_MOST || height > SCAN_MOST)
        return cudaErrorInvalidValue;
    if (width == 0 || height == 0)
        return cudaSuccess;
    cudaError_t error = scan2d_find_room(&room);
    if (error != cudaSuccess)
        return error;
    if (mega < 3) {
        scan2d_consider<scan_shape<1, 16, 4>>(&best, width, height, shifts, room);
        scan2d_consider<scan_shape<1, 20, 4>>(&best, width, height, shifts, room);
        scan2d_consider<scan_shape<2, 8, 4>>(&best, width, height, shifts, room);
    } else {
        scan2d_consider<scan_shape<2, 8, 8>>(&best, width, height, shifts, room);
    }
    if (!best.create)
        scan2d_consider<scan_shape<4, 4, 8, 1>>(&best, width, height, shifts, room);
    return best.create ? best.create(plan, best.cut) : cudaErrorInvalidConfiguration;
}

// The image as the kernel of a strip gets it.
inline scan_image scan2d_strip(const scan2d_plan &plan, unsigned strip) {
    scan_image image = plan.image;
    unsigned rows = plan.strips.count(strip);
    unsigned char *memory = static_cast<unsigned char *>(plan.memory) + strip % 2 * plan.bytes_each;
    image.top = plan.strips.begin(strip);
    image.cut_y = {rows / image.down, rows % image.down};
    image.state = reinterpret_cast<scan_state *>(memory);
    image.totals = reinterpret_cast<sum_t *>(memory + sizeof(ulonglong2));
    image.columns = reinterpret_cast<unsigned *>(memory + plan.columns_at);
    image.lines = reinterpret_cast<unsigned *>(memory + plan.lines_at);
    return image;
}

inline cudaError_t scan2d(const scan2d_plan &plan, sum_t *sums, const uint8_t *pixels,
                          cudaStream_t stream = 0) {
    const scan_image &all = plan.image;
    bool is_aligned = all.width % 16 == 0 && all.shifts == 1 && uintptr_t(pixels) % 16 == 0 &&
                      uintptr_t(sums) % 16 == 0;
    cudaLaunchAttribute overlap = {};
    overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    overlap.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(all.tiles);
    config.blockDim = dim3(plan.threads);
    config.dynamicSmemBytes = plan.shared[!is_aligned];
    config.stream = stream;
    config.attrs = &overlap;
    cudaError_t error = cudaSuccess;
    for (unsigned strip = 0; strip < all.strips && error == cudaSuccess; strip++) {
        scan_image image = scan2d_strip(plan, strip);
        image.pixels = pixels;
        image.sums = sums;
        void *arguments[] = {&image};
        config.numAttrs = strip ? plan.can_overlap : plan.is_overlapping;
        error = cudaLaunchKernelExC(&config, plan.kernels[!is_aligned], arguments);
    }
    return error;
}

} // namespace fast

#endif
