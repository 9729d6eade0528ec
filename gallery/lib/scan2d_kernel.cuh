// The kernel of fast::scan2d. What it does is told in scan2d.cuh.
#ifndef FAST_SCAN2D_KERNEL_CUH
#define FAST_SCAN2D_KERNEL_CUH

#include "scan2d_write.cuh"

namespace fast {

// The kernel of a strip lets the next one begin when it knows that what was in front of it has
// ended. So that one finds all pixels and its own letters' places ready, and needs to wait for this
// one only before it reads what is scanned above it, and writes. All others wait before they read
// anything.
//
// A block has so many threads and registers that none of the next scan finds room beside it: else
// two of that would share a multiprocessor and a place elsewhere stay empty.
template <class Shape, int ANY>
__global__ void __launch_bounds__(32 * Shape::SPANS * Shape::DOWN, 1)
    scan_tiles(const __grid_constant__ scan_image image) {
    typedef scan_config<Shape, ANY> C;
    extern __shared__ __align__(16) unsigned char memory[];
    scan_memory<C> &shared = *reinterpret_cast<scan_memory<C> *>(memory);
    unsigned order = 0;
    if (!C::IN_STRIPS)
        let_next_begin();
    scan_tile tile = find_tile<C>(image);
    uint4 *pixels = shared.pixels + threadIdx.x / 32 * image.held * C::CHUNKS;
    prefetch_rows(image, tile);
    find_all_stores<C>(shared, image, tile);
    if (!C::IN_STRIPS || image.top == 0)
        wait_for_former();
    if (C::IN_STRIPS && image.top == 0)
        let_next_begin();
    unsigned scans = *const_cast<volatile unsigned *>(&image.state->scans);
    load_tile<C>(shared, pixels, image, tile);
    tile.tag = scans % SCAN_TAGS + 1;
    __syncthreads();
    publish<C>(shared, image, tile);
    scan_rows rows;
    prepare_rows<C>(rows, pixels, 0, tile.place, image.width);
    if (threadIdx.x == 0)
        order = atomicAdd(&image.state->blocks, 1u);
    __syncthreads();
    unsigned stores = stores_of_rows<C>(shared, tile, place_of(image, tile), image.width);
    group_letters letters;
    if (threadIdx.x / 32 < count_groups<C>(image))
        letters = ask_group<C>(image, tile, threadIdx.x / 32);
    scan_sums sums;
    begin_sums<C>(sums, shared, tile);
    collect<C>(shared, image, tile, letters);
    if (C::IN_STRIPS && image.top) {
        wait_for_former();
        let_next_begin();
    }
    __syncthreads();
    write_tile<C>(shared, pixels, image, tile, rows, sums, stores);
    if (threadIdx.x == 0 && order == gridDim.x - 1) { // all blocks know the number of this launch
        image.state->blocks = 0;
        image.state->scans = scans + 1;
    }
}

} // namespace fast

#endif
