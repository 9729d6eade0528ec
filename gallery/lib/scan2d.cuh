// Summed-area table of squared 8-bit pixels, in one pass. On an H200, in per cent of the speed of a
// copy of as many bytes: 93 to 97 at 4096 x 4096, 86 to 88 beyond; of widths that are no multiple
// of four 84 to 87 at 4001 x 3999, 80 to 84 beyond. At 1024 x 1024 and 2048 x 2048 92 if the image
// comes from memory, but 63 and 69 if it is in the cache, where to write eight bytes for each that
// is read, and to wait once for all other blocks, takes longer than a copy (bench/results).
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
// capability 8.0. This file includes five others of its folder.
//
// How it works. Each tile of the image needs three things from outside: the sum of what is left of
// each of its rows, of what is above each of its columns, and of what is above and left of both.
//
// - A block adds up the rows and columns of its tile and sends these few numbers to all blocks
//   below and to the right: it stores them, each with a tag in its upper bits that says to which
//   scan it belongs. So the numbers need no flags and no fences, nothing is cleared between scans,
//   and who needs a number looks until it is there. Nobody waits for a block with a higher number,
//   and GPUs start blocks in order.
// - Images up to some 25 million pixels are cut into so few tiles that all of them run at the same
//   time, one on each multiprocessor, and stay in its shared memory (scan2d_whole.cuh). Pixels are
//   copied there asynchronously, in whole 16 bytes wherever rows begin. Between adding up and
//   writing stands one exchange of sums, during which the first rows are scanned. Each warp adds up
//   what others sent of 64 columns or rows, and leaves running sums, so that little is left to do
//   when all is there.
// - Large images have two kinds of blocks (scan2d_kernel.cuh). One only adds up, and runs ahead of
//   the other, which scans and writes; so what a block wants to know is known when it starts, and
//   the pixels it reads again are still in the cache. To keep the numbers few, rows of tiles form
//   bands: the last tile of a column of a band passes on the sums of all above.
// - A warp goes down its rows with the sums of its columns in registers and scans a row with
//   shuffles, four pixels a lane.
// - Writing a part of a 32-byte sector is slow. In an image whose rows begin anywhere a tile
//   computes some columns more than its share, and writes of each row the part that begins and
//   ends at sectors.
#ifndef FAST_SCAN2D_CUH
#define FAST_SCAN2D_CUH

#include "scan2d_kernel.cuh"
#include "scan2d_whole.cuh"

namespace fast {

struct scan2d_plan {
    bool is_whole = false;       // all tiles at the same time
    whole_image whole = {};      // if so,
    scan_image image = {};       // if not
    const void *kernels[2] = {}; // for aligned rows, for any
    size_t shared[2] = {}, bytes = 0;
    unsigned blocks = 0, threads = 0;
    unsigned unit = 0;           // bytes: pixels and rows that begin at multiples of it are aligned
    bool is_overlapping = false; // is launched before the kernel in front of it ends
};

inline size_t scan2d_bytes(const scan2d_plan &plan) {
    return plan.bytes;
}

inline cudaError_t scan2d_destroy(scan2d_plan *plan) {
    cudaError_t error = cudaFree(plan->is_whole ? plan->whole.state : plan->image.state);
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
    plan->is_overlapping = major >= 9;
    return error;
}

// Memory through which blocks tell each other sums: without tags.
inline cudaError_t scan2d_allocate(void **memory, size_t bytes) {
    cudaError_t error = cudaMalloc(memory, bytes);
    return error == cudaSuccess ? cudaMemset(*memory, 0, bytes) : error;
}

// For large images. With shifts 1 rows are written as they lie in tiles, otherwise from multiples
// of as many sums.
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
    plan->blocks = unsigned(2 * tiles);
    plan->threads = 32 * Shape::WARPS;
    plan->unit = 4;
    size_t places = size_t(image.across) * ((image.down + Shape::BAND - 1) / Shape::BAND);
    size_t longs = (tiles + places + 1) / 2 * 2; // whole 16 bytes
    plan->bytes = 16 + longs * sizeof(sum_t) +
                  (tiles * (WIDTH + HEIGHT) + places * 2 * WIDTH) * sizeof(unsigned);
    void *memory = nullptr;
    cudaError_t error = scan2d_see_device(plan);
    if (error == cudaSuccess)
        error = scan2d_set_kernel(plan, 1, reinterpret_cast<const void *>(scan_tiles<Shape, 1>),
                                  sizeof(scan_memory<scan_config<Shape, 1>>));
    if (error == cudaSuccess && width % SCAN_SECTOR == 0 && shifts == 1)
        error = scan2d_set_kernel(plan, 0, reinterpret_cast<const void *>(scan_tiles<Shape, 0>),
                                  sizeof(scan_memory<scan_config<Shape, 0>>));
    if (error == cudaSuccess)
        error = scan2d_allocate(&memory, plan->bytes);
    if (error != cudaSuccess)
        return error;
    image.state = static_cast<scan_state *>(memory);
    image.totals = static_cast<sum_t *>(memory) + 2;
    image.corners = image.totals + tiles;
    image.above = reinterpret_cast<unsigned *>(image.totals + longs);
    image.columns = image.above + places * 2 * WIDTH;
    image.lines = image.columns + tiles * WIDTH;
    return cudaSuccess;
}

// How tiles of `rows` rows a warp cover an image.
template <class Shape>
whole_image scan2d_cut(size_t width, size_t height, unsigned rows, unsigned shifts) {
    constexpr unsigned WIDTH = 128 * Shape::SPANS;
    unsigned shared = shifts > 1 ? shifts : 0; // columns, by neighbours
    whole_image image = {};
    image.width = unsigned(width);
    image.height = unsigned(height);
    image.rows = rows;
    image.padded = (rows + 3) / 4 * 4;
    image.held = (rows + Shape::BATCH - 1) / Shape::BATCH * Shape::BATCH;
    image.tall = rows * Shape::DOWN;
    image.slots = image.padded * Shape::DOWN;
    image.pitch = WIDTH - shared;
    image.shifts = shifts;
    image.across =
        width > shared ? (image.width - shared + image.pitch - 1) / image.pitch : width > 0;
    image.down = (image.height + image.tall - 1) / image.tall;
    image.tiles = image.across * image.down;
    return image;
}

template <class Shape, int ANY> size_t scan2d_shared(const whole_image &image) {
    typedef whole_config<Shape, ANY> C;
    return offsetof(whole_memory<C>, pixels) + size_t(C::PITCH) * image.held * C::WARPS;
}

// For an image cut by scan2d_cut<Shape>.
template <class Shape> cudaError_t scan2d_create_whole(scan2d_plan *plan, const whole_image &cut) {
    constexpr unsigned WIDTH = 128 * Shape::SPANS;
    *plan = {};
    plan->is_whole = true;
    whole_image &image = plan->whole;
    image = cut;
    size_t tiles = image.tiles, longs = (tiles * image.across + 1) / 2 * 2;
    plan->blocks = unsigned(tiles);
    plan->threads = 32 * Shape::SPANS * Shape::DOWN;
    plan->unit = 16;
    plan->bytes = 16 + longs * sizeof(sum_t) + tiles * (WIDTH + image.slots) * sizeof(unsigned);
    void *memory = nullptr;
    cudaError_t error = scan2d_see_device(plan);
    if (error == cudaSuccess)
        error = scan2d_set_kernel(plan, 1, reinterpret_cast<const void *>(whole_tiles<Shape, 1>),
                                  scan2d_shared<Shape, 1>(image));
    if (error == cudaSuccess)
        error = scan2d_set_kernel(plan, 0, reinterpret_cast<const void *>(whole_tiles<Shape, 0>),
                                  scan2d_shared<Shape, 0>(image));
    if (error == cudaSuccess)
        error = scan2d_allocate(&memory, plan->bytes);
    if (error != cudaSuccess)
        return error;
    image.state = static_cast<scan_state *>(memory);
    image.totals = static_cast<sum_t *>(memory) + 2;
    image.columns = reinterpret_cast<unsigned *>(image.totals + longs);
    image.lines = image.columns + tiles * WIDTH;
    return cudaSuccess;
}

// The least rows of a warp with which at most so many tiles cover the image; or 0.
template <class Shape>
whole_image scan2d_cut_for(size_t width, size_t height, unsigned shifts, unsigned tiles,
                           size_t shared) {
    for (unsigned rows = 4;; rows++) {
        whole_image image = scan2d_cut<Shape>(width, height, rows, shifts);
        if (image.slots > WHOLE_MOST || scan2d_shared<Shape, 1>(image) > shared)
            return {};
        if (size_t(image.across) * image.down <= tiles)
            return image;
    }
}

// Chooses what was the fastest on an H200.
inline cudaError_t scan2d_create(scan2d_plan *plan, size_t width, size_t height) {
    typedef whole_shape<1, 16, 4> small;
    typedef whole_shape<2, 8, 8> medium;
    size_t pixels = width * height;
    unsigned shifts = width % SCAN_SECTOR && pixels > size_t(3) << 20 ? SCAN_SECTOR : 1;
    int device, places = 0, shared = 0;
    if (width > SCAN_MOST || height > SCAN_MOST)
        return cudaErrorInvalidValue;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&places, cudaDevAttrMultiProcessorCount, device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (error != cudaSuccess)
        return error;
    whole_image cut = scan2d_cut_for<medium>(width, height, shifts, unsigned(places), shared);
    if (pixels < size_t(3) << 20) {
        whole_image other = scan2d_cut_for<small>(width, height, 1, unsigned(places), shared);
        if (other.rows && other.tall * other.pitch <= cut.tall * cut.pitch)
            return scan2d_create_whole<small>(plan, other);
    }
    if (cut.rows)
        return scan2d_create_whole<medium>(plan, cut);
    if (width % SCAN_SECTOR == 0)
        return scan2d_create_as<scan_large>(plan, width, height, 1);
    return scan2d_create_as<scan_wide>(plan, width, height, 4 * SCAN_SECTOR);
}

inline cudaError_t scan2d(const scan2d_plan &plan, sum_t *sums, const uint8_t *pixels,
                          cudaStream_t stream = 0) {
    if (plan.blocks == 0)
        return cudaSuccess;
    scan_image image = plan.image;
    whole_image whole = plan.whole;
    image.pixels = whole.pixels = pixels;
    image.sums = whole.sums = sums;
    unsigned width = plan.is_whole ? whole.width : image.width;
    unsigned shifts = plan.is_whole ? whole.shifts : image.shifts;
    bool is_aligned = width % plan.unit == 0 && shifts == 1 && uintptr_t(pixels) % plan.unit == 0 &&
                      uintptr_t(sums) % 16 == 0;
    void *arguments[] = {plan.is_whole ? static_cast<void *>(&whole) : &image};
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
    return cudaLaunchKernelExC(&config, plan.kernels[!is_aligned], arguments);
}

} // namespace fast

#endif
