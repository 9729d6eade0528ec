// ldmatrix and stmatrix: matrices in shared memory, rows of 16 bytes whose addresses the lanes
// give. (PTX ISA, ldmatrix and stmatrix.)
//
// 8x8 of 16 bits: lane 8k + i gives the address of row i of matrix k. Of each matrix, lane l holds
// row l / 4, elements 2 * (l % 4) and the next one, as the halves of one register. With .trans rows
// and columns of the matrix in memory change places.
//
// Those of bytes (sm_100 and later, not measured) hold four elements in a register. The order of
// their elements is that of the operands and results of mma: CUTLASS arranges them so.
#include <inttypes.h>

#include "sim/lanes/mem/access.h"

enum { ROWS = 8, ROW_BYTES = 16, MAX_MATRICES = 4 }; // rows of an instruction come in eights

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
    *offset = address - IR_SHARED_WINDOW;
    return *offset < IR_WINDOW_BYTES;
}

// Rows of the first `matrices` matrices; the other lanes' addresses are not looked at.
static bool find_rows(struct sim_warp *warp, const struct sim_instr *instr, unsigned matrices,
                      enum event_intent intent, struct rows *rows) {
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
    sim_emit_shared(&request, needed, rows->offset, EVENT_ANY_PATTERN, warp->block);
    return true;
}

static void give_registers(struct sim_warp *warp, const struct sim_instr *instr,
                           uint32_t (*loaded)[LANES]) {
    for (unsigned k = 0; k < instr->access->count; k++) {
        uint32_t *d = LANES_ALIGNED(uint32_t, instr->access->element[k]);
        SIM_LANES
            d[l] = warp->lanes[l] ? loaded[k][l] : d[l];
    }
}

static const struct sim_instr *load_matrix(struct sim_warp *warp, const struct sim_instr *instr,
                                           unsigned matrices, bool is_transposed) {
    struct rows rows;
    if (!find_rows(warp, instr, matrices, EVENT_READ, &rows))
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
    give_registers(warp, instr, loaded);
    return instr + 1;
}

static const struct sim_instr *store_matrix(struct sim_warp *warp, const struct sim_instr *instr,
                                            unsigned matrices, bool is_transposed) {
    struct rows rows;
    if (!find_rows(warp, instr, matrices, EVENT_WRITE, &rows))
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

// ---- Matrices of bytes ---------------------------------------------------------------------

// A row holds sixteen elements, of six or four bits also packed from its start on.
static uint32_t element_at(const uint8_t *row, unsigned index, unsigned bits) {
    const unsigned at = index * bits, last = (at + bits - 1) / 8;
    const uint32_t pair = row[at / 8] | (uint32_t)row[last] << 8 * (last - at / 8);
    return pair >> at % 8 & ((1u << bits) - 1);
}

// Byte b of a register: of .m8n16, element 4 * (l % 4) + b of row l / 4. Of .m16n16.trans, which
// has 16 rows in memory and two registers a matrix, element l / 4 + 8h of row 4 * (l % 4) + b in
// register h.
static const struct sim_instr *load_bytes(struct sim_warp *warp, const struct sim_instr *instr,
                                          unsigned bits, bool is_transposed) {
    struct rows rows;
    if (!find_rows(warp, instr, instr->immediate, EVENT_READ, &rows))
        return NULL;
    _Alignas(64) uint32_t loaded[MAX_MATRICES][LANES] = {0};
    for (unsigned k = 0; k < instr->immediate; k++) {
        uint8_t *const *row = rows.row + ROWS * (is_transposed ? k / 2 * 2 : k);
        for (unsigned l = 0; l < LANES; l++)
            for (unsigned b = 0; b < 4; b++) {
                const unsigned four = 4 * (l % 4) + b;
                const uint32_t element = is_transposed
                                             ? element_at(row[four], l / 4 + 8 * (k % 2), bits)
                                             : element_at(row[l / 4], four, bits);
                loaded[k][l] |= element << 8 * b;
            }
    }
    give_registers(warp, instr, loaded);
    return instr + 1;
}

// .m16n8.trans: 8 rows in memory. Byte b goes to element l / 4 + 8 * (b / 2) of row
// 2 * (l % 4) + b % 2.
static const struct sim_instr *store_16x8(struct sim_warp *warp, const struct sim_instr *instr) {
    struct rows rows;
    if (!find_rows(warp, instr, instr->immediate, EVENT_WRITE, &rows))
        return NULL;
    for (unsigned k = 0; k < instr->immediate; k++) {
        const uint32_t *s = LANES_ALIGNED(const uint32_t, instr->access->element[k]);
        uint8_t *const *row = rows.row + ROWS * k;
        for (unsigned l = 0; l < LANES; l++)
            for (unsigned b = 0; b < 4 && (warp->mask >> l & 1); b++)
                row[2 * (l % 4) + b % 2][l / 4 + 8 * (b / 2)] = (uint8_t)(s[l] >> 8 * b);
    }
    return instr + 1;
}

// The handlers: instr->immediate is the number of groups of eight rows.
#define MATRIX(name, body, is_transposed)                                                          \
    static const struct sim_instr *name(struct sim_warp *warp, const struct sim_instr *instr) {    \
        return body(warp, instr, instr->immediate, is_transposed);                                 \
    }

MATRIX(load_plain, load_matrix, false)
MATRIX(load_transposed, load_matrix, true)
MATRIX(store_plain, store_matrix, false)
MATRIX(store_transposed, store_matrix, true)

#define BYTE_MATRIX(name, bits, is_transposed)                                                     \
    static const struct sim_instr *name(struct sim_warp *warp, const struct sim_instr *instr) {    \
        return load_bytes(warp, instr, bits, is_transposed);                                       \
    }

BYTE_MATRIX(load_16x16_8, 8, true)
BYTE_MATRIX(load_16x16_6, 6, true)
BYTE_MATRIX(load_16x16_4, 4, true)
BYTE_MATRIX(load_8x16_6, 6, false)
BYTE_MATRIX(load_8x16_4, 4, false)

static bool use_matrix(const struct ir_instruction *ir, struct sim_instr *out, unsigned rows,
                       sim_handler handler) {
    const enum ptx_modifier count = lanes_modifier(ir, PTX_GROUP_count);
    const unsigned matrices = count == PTX_MOD_x4 ? 4 : count == PTX_MOD_x2 ? 2 : 1;
    out->immediate = matrices * (rows / ROWS);
    if (out->access->count != out->immediate || out->immediate > MAX_MATRICES ||
        (out->access->space != PTX_SPACE_SHARED && out->access->space != PTX_SPACE_GENERIC))
        return false;
    out->run[0] = out->run[1] = handler;
    return true;
}

LANES_SELECT(ldmatrix) {
    return use_matrix(ir, out, 8, PTX_HAS(ir->ptx, trans) ? load_transposed : load_plain);
}

LANES_SELECT(ldmatrix_bytes) {
    const enum ptx_modifier from = lanes_modifier(ir, PTX_GROUP_variant);
    if (lanes_modifier(ir, PTX_GROUP_shape) == PTX_MOD_m8n16)
        return use_matrix(ir, out, 8, from == PTX_MOD_b6x16_p32 ? load_8x16_6 : load_8x16_4);
    return use_matrix(ir, out, 16,
                      from == PTX_MOD_b6x16_p32   ? load_16x16_6
                      : from == PTX_MOD_b4x16_p64 ? load_16x16_4
                                                  : load_16x16_8);
}

LANES_SELECT(stmatrix) {
    return use_matrix(ir, out, 8, PTX_HAS(ir->ptx, trans) ? store_transposed : store_plain);
}

LANES_SELECT(stmatrix_bytes) {
    return use_matrix(ir, out, 8, store_16x8);
}
