// ldmatrix and stmatrix of 8x8 matrices of 16-bit elements in shared memory.
//
// Lane 8k + i gives the address of row i of matrix k: 16 bytes, aligned. Of each matrix, lane l
// holds row l / 4, elements 2 * (l % 4) and the next one, as the halves of one register. With
// .trans rows and columns of the matrix in memory change places. (PTX ISA, ldmatrix.)
#include <inttypes.h>

#include "sim/mem_lanes.h"

enum { ROWS = 8, ROW_BYTES = 16, MAX_MATRICES = 4 };

struct rows {
    _Alignas(64) uint32_t offset[LANES];
    uint8_t *row[LANES];
};

// Without .shared the addresses are generic. A register of 32 bits, or an address below the first
// 4 GiB, holds no generic address but the shared one that the instruction's unit takes.
static bool shared_offset(uint64_t address, uint64_t *offset) {
    *offset = address;
    if (address >> 32 == 0)
        return true;
    *offset = address - SIM_SHARED_WINDOW;
    return *offset < SIM_WINDOW_BYTES;
}

// Rows of the first `matrices` matrices; the other lanes' addresses are not looked at.
static bool find_rows(struct sim_warp *warp, const struct sim_instr *instr, unsigned matrices,
                      enum mem_intent intent, struct rows *rows) {
    const struct sim_access *access = instr->access;
    const uint32_t needed = matrices == MAX_MATRICES ? FULL_MASK : (1u << ROWS * matrices) - 1;
    if (~warp->mask && !sim_gather(warp, instr, FULL_MASK))
        return false;
    if (needed & ~warp->mask) {
        sim_raise(warp, instr, SIM_FAULT_ILLEGAL_INSTRUCTION,
                  (unsigned)__builtin_ctz(needed & ~warp->mask), 0,
                  "a matrix instruction needs all lanes of the warp, but lanes 0x%08" PRIx32
                  " have ended",
                  ~warp->mask);
        return false;
    }
    _Alignas(64) uint64_t address[LANES];
    mem_raw(warp, access->has_base, access->base_is_32, access->base, access->offset, address);
    for (unsigned l = 0; l < ROWS * matrices; l++) {
        if (access->space == PTX_SPACE_GENERIC && !shared_offset(address[l], &address[l])) {
            sim_raise(warp, instr, SIM_FAULT_INVALID_SPACE, l, address[l],
                      "a row of a matrix at 0x%" PRIx64 ": the address is not in shared memory",
                      address[l]);
            return false;
        }
    }
    struct mem_request request = mem_request(warp, instr, ROW_BYTES, intent);
    request.mask = needed;
    if (!sim_mem_check_offsets(&request, PTX_SPACE_SHARED, address, warp->block->shared_bytes))
        return false;
    SIM_LANES
    rows->offset[l] = (uint32_t)address[l];
    for (unsigned l = 0; l < ROWS * matrices; l++)
        rows->row[l] = warp->block->shared + rows->offset[l];
    sim_mem_tell_shared(&request, FULL_MASK, rows->offset);
    return true;
}

static const struct sim_instr *load_matrix(struct sim_warp *warp, const struct sim_instr *instr,
                                           unsigned matrices, bool is_transposed) {
    struct rows rows;
    if (!find_rows(warp, instr, matrices, MEM_READ, &rows))
        return NULL;
    _Alignas(64) uint32_t loaded[MAX_MATRICES][LANES];
    for (unsigned k = 0; k < matrices; k++) {
        uint8_t *const *row = rows.row + ROWS * k;
        for (unsigned l = 0; l < LANES; l++) {
            const unsigned r = l / 4, c = l % 4 * 2;
            uint16_t low, high;
            memcpy(&low, is_transposed ? row[c] + r * 2 : row[r] + c * 2, 2);
            memcpy(&high, is_transposed ? row[c + 1] + r * 2 : row[r] + c * 2 + 2, 2);
            loaded[k][l] = low | (uint32_t)high << 16;
        }
    }
    for (unsigned k = 0; k < matrices; k++) {
        uint32_t *d = LANES_ALIGNED(uint32_t, instr->access->element[k]);
        SIM_LANES
        d[l] = warp->lanes[l] ? loaded[k][l] : d[l];
    }
    return instr + 1;
}

static const struct sim_instr *store_matrix(struct sim_warp *warp, const struct sim_instr *instr,
                                            unsigned matrices, bool is_transposed) {
    struct rows rows;
    if (!find_rows(warp, instr, matrices, MEM_WRITE, &rows))
        return NULL;
    for (unsigned k = 0; k < matrices; k++) {
        const uint32_t *s = LANES_ALIGNED(const uint32_t, instr->access->element[k]);
        uint8_t *const *row = rows.row + ROWS * k;
        for (unsigned l = 0; l < LANES; l++) {
            if (!(warp->mask >> l & 1))
                continue;
            const unsigned r = l / 4, c = l % 4 * 2;
            const uint16_t low = (uint16_t)s[l], high = (uint16_t)(s[l] >> 16);
            memcpy(is_transposed ? row[c] + r * 2 : row[r] + c * 2, &low, 2);
            memcpy(is_transposed ? row[c + 1] + r * 2 : row[r] + c * 2 + 2, &high, 2);
        }
    }
    return instr + 1;
}

// The handler of one instruction: instr->immediate is the number of matrices.
#define MATRIX(name, body, is_transposed)                                                          \
    static const struct sim_instr *name(struct sim_warp *warp, const struct sim_instr *instr) {    \
        return body(warp, instr, instr->immediate, is_transposed);                                 \
    }

MATRIX(load_plain, load_matrix, false)
MATRIX(load_transposed, load_matrix, true)
MATRIX(store_plain, store_matrix, false)
MATRIX(store_transposed, store_matrix, true)

static bool select_matrix(const struct ir_instruction *ir, struct sim_instr *out, sim_handler plain,
                          sim_handler transposed) {
    const enum ptx_modifier count = lanes_modifier(ir, PTX_GROUP_count);
    out->immediate = count == PTX_MOD_x4 ? 4 : count == PTX_MOD_x2 ? 2 : 1;
    if (out->access->count != out->immediate ||
        (out->access->space != PTX_SPACE_SHARED && out->access->space != PTX_SPACE_GENERIC))
        return false;
    out->run[0] = out->run[1] = PTX_HAS(ir->ptx, trans) ? transposed : plain;
    return true;
}

LANES_SELECT(ldmatrix) {
    return select_matrix(ir, out, load_plain, load_transposed);
}

LANES_SELECT(stmatrix) {
    return select_matrix(ir, out, store_plain, store_transposed);
}
