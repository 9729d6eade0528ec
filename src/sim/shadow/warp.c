// Instructions in which lanes give each other something.
#include <string.h>

#include "ptx/facts.h"
#include "sim/shadow/place.h"

// Runs the instruction itself on other operands, unheard.
static void run_moved(struct sim_warp *warp, const struct sim_instr *moved) {
    struct sim_worker *worker = warp->block->worker;
    const bool hears_access = worker->hears_access, hears_unsited = worker->hears_unsited;
    const bool hears_sync = worker->hears_sync, is_heard = warp->is_heard;
    worker->hears_access = worker->hears_unsited = worker->hears_sync = warp->is_heard = false;
    moved->run[warp->is_full](warp, moved);
    worker->hears_access = hears_access;
    worker->hears_unsited = hears_unsited;
    worker->hears_sync = hears_sync;
    warp->is_heard = is_heard;
}

// Its bits are there, and may be written, whether any is set or not.
static void begin_bits(struct sim_warp *warp, const struct sim_shadow *shadow,
                       const struct sim_shadow_operand *operand) {
    uint8_t *flag = warp->base[SIM_BASE_REGISTERS] + sim_shadow_flag(shadow->code, operand->ref);
    if (!*flag)
        memset(sim_at(warp, operand->ref + shadow->code->frame_bytes), 0,
               (size_t)operand->bytes * LANES);
    *flag = 1;
}

// Of lanes that came apart each part goes on by itself, when others may have changed their sources.
static bool are_together(const struct sim_warp *warp, const struct sim_shadow *shadow) {
    enum { VALUE, AMOUNT, RANGE, MEMBERS };
    uint32_t named = 0;
    if (shadow->source_count <= MEMBERS)
        return true;
    EACH_LANE(l, warp->mask)
        named |= (uint32_t)sim_shadow_value(warp, &shadow->sources[MEMBERS], l);
    return !(named & ~warp->mask);
}

// Behind the instruction, where the lanes that it gathered are together. No result lies where a
// source does.
const struct sim_instr *sim_shadow_run_shuffle(struct sim_warp *warp,
                                               const struct sim_instr *instr) {
    const struct sim_shadow *shadow = instr->extra;
    if (!sim_shadow_lanes(warp, shadow, &shadow->sources[0], warp->mask) ||
        !are_together(warp, shadow)) {
        sim_shadow_clear_results(warp, shadow, warp->mask);
        return instr + 1;
    }
    begin_bits(warp, shadow, &shadow->results[0]);
    for (int i = 0; i < 3; i++)
        run_moved(warp, shadow->moved[i]);
    sim_shadow_settle_results(warp, shadow);
    return instr + 1;
}

// ---- ldmatrix, stmatrix -------------------------------------------------------------------

enum { ROWS = 8, ROW_BYTES = 16 };

// Whether all rows are there; *undefined: the first undefined byte of them, NULL: there is none.
static bool find_rows(const struct sim_warp *warp, const struct sim_shadow *shadow, unsigned rows,
                      struct shadow_place *undefined) {
    const struct shadow_address at = shadow_first_address(shadow->access);
    const struct sim_block *block = warp->block;
    *undefined = (struct shadow_place){0};
    for (unsigned l = 0; l < rows; l++) {
        uint64_t address = shadow_lane_address(warp, &at, l);
        if (at.space == PTX_SPACE_GENERIC && address >> 32)
            address -= IR_SHARED_WINDOW;
        address = at.is_32 ? (uint32_t)address : address;
        if (address % ROW_BYTES || block->shared_bytes < ROW_BYTES ||
            address > block->shared_bytes - ROW_BYTES)
            return false;
        const uint8_t *bits = block->undefined_shared + address;
        for (unsigned i = 0; i < ROW_BYTES && !undefined->is_tracked; i++)
            if (bits[i])
                *undefined = (struct shadow_place){.address = IR_SHARED_WINDOW + address + i,
                                                   .is_tracked = true,
                                                   .block = warp->block};
    }
    return true;
}

// The instruction moves shadows between the block's shadow memory and those of registers.
static void move_matrix(struct sim_warp *warp, const struct sim_shadow *shadow) {
    struct sim_block *block = warp->block;
    uint8_t *shared = block->shared;
    block->shared = block->undefined_shared;
    run_moved(warp, shadow->moved[0]);
    block->shared = shared;
}

static void load_matrix(struct sim_warp *warp, const struct sim_shadow *shadow,
                        const struct shadow_place *undefined) {
    for (unsigned i = 0; i < shadow->result_count; i++)
        begin_bits(warp, shadow, &shadow->results[i]);
    move_matrix(warp, shadow);
    const uint64_t origin = shadow_loaded_origin(shadow, undefined, 0);
    for (unsigned i = 0; i < shadow->result_count; i++)
        for (unsigned l = 0; l < LANES; l++)
            sim_shadow_set(warp, shadow, &shadow->results[i], l,
                           sim_shadow_bits(warp, shadow, &shadow->results[i], l), origin);
    sim_shadow_settle_results(warp, shadow);
}

static void define_rows(const struct sim_warp *warp, const struct sim_shadow *shadow,
                        unsigned rows) {
    const struct shadow_address at = shadow_first_address(shadow->access);
    for (unsigned l = 0; l < rows; l++) {
        struct shadow_address any = at;
        any.space = PTX_SPACE_SHARED;
        const struct shadow_place place = shadow_place(warp, &any, l, ROW_BYTES);
        shadow_define(warp, &place, ROW_BYTES);
    }
}

// In front of the instruction. Lanes that are still to come count as giving what is defined.
const struct sim_instr *sim_shadow_run_matrix(struct sim_warp *warp,
                                              const struct sim_instr *instr) {
    const struct sim_shadow *shadow = instr->extra;
    const bool is_load = ptx_access_of(shadow->ir->ptx) == PTX_ACCESS_MATRIX_LOAD;
    const unsigned rows = ROWS * shadow->access->count;
    struct shadow_place undefined;
    const bool is_whole =
        warp->is_full && !shadow->has_guard && find_rows(warp, shadow, rows, &undefined);
    if (is_load && is_whole && undefined.is_tracked)
        load_matrix(warp, shadow, &undefined);
    else if (is_load)
        sim_shadow_clear_results(warp, shadow, warp->mask);
    else if (is_whole)
        move_matrix(warp, shadow);
    else
        define_rows(warp, shadow, rows);
    return instr + 1;
}

// ---- Products of matrices -----------------------------------------------------------------

// Rows of A and columns of B that hold something undefined, and where the first of it came from.
struct factors {
    uint32_t rows, columns;
    uint64_t origin;
};

static void look_at_factors(const struct sim_warp *warp, const struct sim_shadow *shadow,
                            struct factors *found) {
    const unsigned a = shadow->ir->operands[1].element_count;
    const unsigned b = shadow->ir->operands[2].element_count;
    for (unsigned i = 0; i < a + b; i++) {
        const struct sim_shadow_operand *source = &shadow->sources[i];
        const uint32_t lanes = sim_shadow_lanes(warp, shadow, source, FULL_MASK);
        if (lanes && !(found->rows | found->columns))
            found->origin =
                sim_shadow_origin_of(warp, shadow, source, (unsigned)__builtin_ctz(lanes));
        EACH_LANE(l, lanes) {
            if (i < a)
                found->rows |= 1u << (l / 4 + (a > 1 ? i % 2 * 8 : 0));
            else
                found->columns |= 1u << l / 4;
        }
    }
}

// Lane l has of the result's rows l / 4 and, in the second half of its registers, l / 4 + 8; of the
// columns l % 4 * 2 and the next, in one register where they are halves.
static uint64_t result_bits(const struct sim_shadow *shadow, const struct factors *found,
                            unsigned register_number, unsigned lane) {
    const bool is_packed = shadow->ir->ptx->types[0] == PTX_F16;
    const bool is_high =
        shadow->ir->operands[1].element_count > 1 && register_number >= shadow->result_count / 2;
    if (found->rows >> (lane / 4 + (is_high ? 8 : 0)) & 1)
        return UINT64_MAX;
    const uint32_t columns = found->columns >> lane % 4 * 2 & 3;
    if (is_packed)
        return (columns & 1 ? 0xffffu : 0) | (columns & 2 ? 0xffff0000u : 0);
    return columns >> register_number % 2 & 1 ? UINT64_MAX : 0;
}

static uint64_t smeared(const struct sim_shadow *shadow, uint64_t bits) {
    if (shadow->ir->ptx->types[0] == PTX_F16)
        return (bits & 0xffff ? 0xffffu : 0) | (bits & 0xffff0000 ? 0xffff0000u : 0);
    return bits ? UINT64_MAX : 0;
}

static void multiply(struct sim_warp *warp, const struct sim_shadow *shadow) {
    const unsigned factors =
        shadow->ir->operands[1].element_count + shadow->ir->operands[2].element_count;
    struct factors found = {0};
    uint64_t bits[8][LANES], origin[8][LANES];
    look_at_factors(warp, shadow, &found);
    for (unsigned r = 0; r < shadow->result_count; r++)
        for (unsigned l = 0; l < LANES; l++) {
            const struct sim_shadow_operand *added = &shadow->sources[factors + r];
            const uint64_t old = sim_shadow_bits(warp, shadow, added, l);
            bits[r][l] = result_bits(shadow, &found, r, l) | smeared(shadow, old);
            origin[r][l] = old ? sim_shadow_origin_of(warp, shadow, added, l) : found.origin;
        }
    for (unsigned r = 0; r < shadow->result_count; r++) {
        for (unsigned l = 0; l < LANES; l++)
            sim_shadow_set(warp, shadow, &shadow->results[r], l, bits[r][l],
                           origin[r][l] | SIM_ORIGIN_COMPUTED);
        sim_shadow_settle(warp, shadow, &shadow->results[r]);
    }
}

const struct sim_instr *sim_shadow_run_product(struct sim_warp *warp,
                                               const struct sim_instr *instr) {
    const struct sim_shadow *shadow = instr->extra;
    uint32_t any = 0;
    for (unsigned i = 0; i < shadow->source_count && warp->is_full; i++)
        any |= sim_shadow_lanes(warp, shadow, &shadow->sources[i], FULL_MASK);
    if (any)
        multiply(warp, shadow);
    else
        sim_shadow_clear_results(warp, shadow, warp->mask);
    return instr + 1;
}
