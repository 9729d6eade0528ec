// See tensor/box.h. What the ISA does not say is what an H200 does (truth/h200_tensor_maps.txt.gz).
#include "sim/tensor/box.h"

#include <string.h>

// ---- Tile mode ------------------------------------------------------------------------------

// Units of a row. Those of an interleaved tensor that are some slices apart are rows of their own.
static uint32_t tile_row(const struct sim_tensor_map *map) {
    return sim_tensor_step(map, 0) == 1 ? sim_tensor_count(map, 0) : 1;
}

static void begin_tile(struct sim_tensor_box *box) {
    box->bytes = box->unit;
    for (unsigned i = 0; i < box->map->rank; i++)
        box->bytes *= sim_tensor_count(box->map, i);
    memset(box->place, 0, sizeof box->place);
    memcpy(box->at, box->first, sizeof box->at);
}

static bool next_picked(struct sim_tensor_box *box) {
    box->place[1] = (box->place[1] + 1) % SIM_TENSOR_PICKED;
    box->at[1] = box->rows[box->place[1]];
    return box->place[1] != 0;
}

static bool next_tile(struct sim_tensor_box *box) {
    if (box->picks_rows)
        return next_picked(box);
    for (unsigned i = 0; i < box->map->rank; i++) {
        const uint32_t count = sim_tensor_count(box->map, i) / (i ? 1 : tile_row(box->map));
        box->at[i] += sim_tensor_step(box->map, i);
        if (++box->place[i] < count)
            return true;
        box->place[i] = 0;
        box->at[i] = box->first[i];
    }
    return false;
}

// ---- Im2col mode ------------------------------------------------------------------------------

// Dimensions: C W H D N, or W H D C/8 N of an interleaved tensor.
static unsigned first_space(const struct sim_tensor_map *map) {
    return map->interleave ? 0 : 1;
}

static int64_t lower_bound(const struct sim_tensor_map *map, unsigned space) {
    return map->lower[space];
}

static int64_t upper_bound(const struct sim_tensor_map *map, unsigned space) {
    return (int64_t)map->last[first_space(map) + space] + map->upper[space];
}

// Offsets are packed into 16 bits. Of two each has a byte; of three, one that does not fit into its
// five bits adds to the next.
static void unpack_offsets(struct sim_tensor_box *box, const uint16_t offsets[SIM_TENSOR_SPACES]) {
    static const uint8_t widths[SIM_TENSOR_SPACES] = {16, 8, 5};
    const unsigned spaces = box->map->rank - 2u, width = widths[spaces - 1];
    const uint32_t most = (1u << width) - 1;
    uint32_t packed = 0;
    for (unsigned i = 0; i < spaces; i++)
        packed += (spaces == 2 ? offsets[i] & most : offsets[i]) << (i * width);
    for (unsigned i = 0; i < spaces; i++)
        box->offsets[first_space(box->map) + i] = packed >> (i * width) & most;
}

static bool begin_column(struct sim_tensor_box *box, const uint16_t offsets[SIM_TENSOR_SPACES]) {
    const struct sim_tensor_map *map = box->map;
    unpack_offsets(box, offsets);
    box->pixels = map->pixels;
    box->bytes = (uint64_t)map->pixels * box->unit * (map->interleave ? 1u : map->box[0]);
    memcpy(box->at, box->first, sizeof box->at);
    for (unsigned i = 0; i < map->rank - 2u; i++) {
        const int64_t at = box->first[first_space(map) + i];
        if (at < lower_bound(map, i) || at > upper_bound(map, i))
            return false;
    }
    return true;
}

// Pixels of a row: of an interleaved tensor those to the end of the window's line.
static uint32_t column_row(const struct sim_tensor_box *box) {
    if (!box->map->interleave || box->map->steps[0] > 1)
        return 1;
    const int64_t rest = upper_bound(box->map, 0) - box->at[0] + 1;
    return rest < box->pixels ? (uint32_t)rest : box->pixels;
}

static bool next_column(struct sim_tensor_box *box) {
    const struct sim_tensor_map *map = box->map;
    const unsigned first = first_space(map), last = map->rank - 1u;
    const uint32_t done = column_row(box);
    box->pixels -= done;
    if (!box->pixels) {
        box->pixels = map->pixels;
        memcpy(box->at, box->first, sizeof box->at);
        return false;
    }
    box->at[first] += (int64_t)(done - 1) * map->steps[first];
    for (unsigned i = 0; i < map->rank - 2u; i++) {
        box->at[first + i] += map->steps[first + i];
        if (box->at[first + i] <= upper_bound(map, i))
            return true;
        box->at[first + i] = lower_bound(map, i);
    }
    box->at[last] += map->steps[last];
    return true;
}

// ---- Both -----------------------------------------------------------------------------------

bool sim_tensor_box_begin(struct sim_tensor_box *box, const struct sim_tensor_map *map,
                          const int32_t coordinates[SIM_TENSOR_RANK],
                          const uint16_t offsets[SIM_TENSOR_SPACES]) {
    *box = (struct sim_tensor_box){.map = map, .unit = sim_tensor_unit(map)};
    for (unsigned i = 0; i < map->rank; i++)
        box->first[i] = coordinates[i];
    const bool is_good = !map->is_im2col || begin_column(box, offsets);
    if (!map->is_im2col)
        begin_tile(box);
    // A swizzle goes through interleaved boxes without gaps.
    const bool has_gaps = map->swizzle && !map->interleave;
    box->row_bytes = map->interleave ? (uint32_t)box->bytes : map->box[0] * box->unit;
    box->pitch = has_gaps ? 16u << map->swizzle : box->row_bytes;
    return is_good;
}

bool sim_tensor_box_pick(struct sim_tensor_box *box, const struct sim_tensor_map *map,
                         const int32_t coordinates[1 + SIM_TENSOR_PICKED]) {
    static const uint16_t none[SIM_TENSOR_SPACES];
    if (map->rank != 2 || map->is_im2col || sim_tensor_count(map, 1) != 1)
        return false;
    sim_tensor_box_begin(box, map, coordinates, none);
    box->picks_rows = true;
    memcpy(box->rows, coordinates + 1, sizeof box->rows);
    box->bytes *= SIM_TENSOR_PICKED;
    return true;
}

static uint32_t row_units(const struct sim_tensor_box *box) {
    if (!box->map->is_im2col)
        return tile_row(box->map);
    return box->map->interleave ? column_row(box) : box->map->box[0];
}

struct sim_tensor_row sim_tensor_box_row(const struct sim_tensor_box *box) {
    const struct sim_tensor_map *map = box->map;
    const uint32_t units = row_units(box);
    const int64_t begin = box->at[0] + box->offsets[0], size = (int64_t)map->last[0] + 1;
    const int64_t from = begin > 0 ? begin : 0;
    const int64_t end = begin + units < size ? begin + units : size;
    struct sim_tensor_row row = {.global = map->address + (uint64_t)from * box->unit,
                                 .before = units};
    bool is_inside = from < end;
    for (unsigned i = 1; i < map->rank; i++) {
        const int64_t at = box->at[i] + box->offsets[i];
        is_inside &= at >= 0 && at <= map->last[i];
        row.global += (uint64_t)at * map->strides[i - 1];
    }
    if (!is_inside)
        return row;
    row.before = (uint32_t)(from - begin);
    row.inside = (uint32_t)(end - from);
    row.after = units - row.before - row.inside;
    return row;
}

bool sim_tensor_box_next(struct sim_tensor_box *box) {
    return box->map->is_im2col ? next_column(box) : next_tile(box);
}
