// How fast::scan2d chooses strips and tiles for an image.
#ifndef FAST_SCAN2D_CUT_CUH
#define FAST_SCAN2D_CUT_CUH

#include "scan2d_tile.cuh"
#include <algorithm>

namespace fast {

// What of the device bounds tiles, all of which run at the same time.
struct scan2d_room {
    int places, shared; // multiprocessors; bytes for a block
};

inline cudaError_t scan2d_find_room(scan2d_room *room) {
    int device;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&room->places, cudaDevAttrMultiProcessorCount, device);
    if (error == cudaSuccess)
        error =
            cudaDeviceGetAttribute(&room->shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    return error;
}

// Bytes of shared memory.
template <class Shape, int ANY> size_t scan2d_shared(const scan_image &image) {
    typedef scan_config<Shape, ANY> C;
    return offsetof(scan_memory<C>, pixels) + size_t(C::PITCH) * image.held * C::WARPS;
}

// Columns that a tile has in common with the next one.
inline unsigned scan2d_overlap(unsigned shifts) {
    return shifts > 1 ? shifts : 0;
}

// An image cut into strips of rows, and these into as many tiles across and down.
template <class Shape>
scan_image scan2d_cut(size_t width, size_t height, unsigned strips, unsigned across, unsigned down,
                      unsigned shifts) {
    scan_image image = {};
    image.width = unsigned(width);
    image.height = unsigned(height);
    image.strips = strips;
    image.across = across;
    image.down = down;
    image.tiles = across * down;
    image.shifts = shifts;
    if (image.tiles == 0)
        return image;
    image.unit = width % 16 == 0 && shifts == 1 ? 16 : 4;
    unsigned overlap = scan2d_overlap(shifts);
    unsigned own = image.width > overlap ? image.width - overlap : 1;
    unsigned units = (own + image.unit - 1) / image.unit;
    unsigned rows = (image.height + strips - 1) / strips;
    image.cut_x = {units / across, units % across};
    image.cut_y = {rows / down, rows % down};
    image.rows = (image.cut_y.most() + Shape::DOWN - 1) / Shape::DOWN;
    image.padded = (image.rows + 3) / 4 * 4;
    image.held = (image.rows + Shape::BATCH - 1) / Shape::BATCH * Shape::BATCH;
    image.slots = image.padded * Shape::DOWN;
    return image;
}

// What the largest tile of a strip takes, and the beginning of a strip: what is written, what warps
// go over, four rows at a time, all together and the slowest, and what other tiles send, with
// weights fitted to times on an H200.
template <class Shape> size_t scan2d_cost(const scan_image &image) {
    if (image.tiles == 0)
        return SIZE_MAX;
    unsigned rows = image.cut_y.most(), fewest = rows / Shape::DOWN, longer = rows % Shape::DOWN;
    size_t quads = (Shape::DOWN - longer) * ((fewest + 3) / 4) + longer * (fewest / 4 + 1);
    size_t written = image.unit * image.cut_x.most() * rows;
    size_t gone_over = 128 * Shape::SPANS * (4 * quads + image.slots);
    return 60000 + 3 * written + gone_over + 256 * (image.across + image.down);
}

// The best cut into so many strips; or none. Warps have three rows or so at least, and half of the
// columns that they could have. Where even strips of one row of tiles are too wide for the device
// these take turns.
template <class Shape>
scan_image scan2d_cut_for(size_t width, size_t height, unsigned strips, unsigned shifts,
                          const scan2d_room &room) {
    unsigned columns = 128 * Shape::SPANS - scan2d_overlap(shifts), rows = 3 * Shape::DOWN;
    unsigned least = unsigned((width + columns - 1) / columns);
    unsigned tiles = std::max(unsigned(room.places), Shape::IN_STRIPS ? least : 0);
    unsigned tallest = unsigned((height / strips + rows - 1) / rows);
    scan_image best = {};
    for (unsigned across = least; across < 2 * least && across <= tiles; across++) {
        unsigned down = std::min(tiles / across, tallest);
        scan_image image = scan2d_cut<Shape>(width, height, strips, across, down, shifts);
        bool is_wide = image.unit * image.cut_x.most() > columns;
        bool is_tall = image.rows > Shape::MOST || image.slots > SCAN_ROWS ||
                       scan2d_shared<Shape, 1>(image) > size_t(room.shared);
        if (!is_wide && !is_tall && scan2d_cost<Shape>(image) < scan2d_cost<Shape>(best))
            best = image;
    }
    return best;
}

// The best cut into the fewest strips with which tiles fit into shared memory, or one or two more.
template <class Shape>
scan_image scan2d_cut_strips(size_t width, size_t height, unsigned shifts,
                             const scan2d_room &room) {
    scan_image best = {};
    unsigned last = Shape::IN_STRIPS ? unsigned(height) : 1;
    for (unsigned strips = 1; strips <= last; strips++) {
        scan_image image = scan2d_cut_for<Shape>(width, height, strips, shifts, room);
        if (image.tiles == 0)
            continue;
        if (best.tiles == 0)
            last = std::min(last, strips + 2);
        if (best.tiles == 0 ||
            strips * scan2d_cost<Shape>(image) < best.strips * scan2d_cost<Shape>(best))
            best = image;
    }
    return best;
}

} // namespace fast

#endif
