// shfl: every lane takes the value of another one. A lane whose source is off, or out of range,
// keeps its own value.
#include <string.h>

#include "ir/shuffle.h"
#include "sim/lanes/comm/members.h"
#include "sim/lanes/vector.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

// Which lane each lane reads, and (one bit a lane) whether it is in range.
LANES_INLINE uint32_t sources(const uint32_t *b, const uint32_t *c, enum ptx_modifier way,
                              int32_t from[LANES]) {
    _Alignas(64) int32_t in_range[LANES];
    SIM_LANES
        in_range[l] = ir_shuffle_source(way, l, b[l], c[l], &from[l]) ? -1 : 0;
    return lanes_signs(in_range);
}

// d[l] = a[from[l]]; d may be a.
LANES_INLINE void permute(uint32_t *d, const uint32_t *a, const int32_t from[LANES],
                          const int32_t *on, bool full) {
#ifdef __AVX512F__
    const __m512i low = _mm512_load_si512(a), high = _mm512_load_si512(a + 16);
    for (int l = 0; l < LANES; l += 16) {
        const __m512i index = _mm512_load_si512(from + l);
        const __m512i moved = _mm512_permutex2var_epi32(low, index, high);
        const __mmask16 mask =
            full ? 0xffff
                 : _mm512_cmplt_epi32_mask(_mm512_load_si512(on + l), _mm512_setzero_si512());
        _mm512_mask_store_epi32(d + l, mask, moved);
    }
#elif defined(__AVX2__)
    __m256i part[4];
    for (int i = 0; i < 4; i++)
        part[i] = _mm256_load_si256((const __m256i *)(const void *)(a + 8 * i));
    for (int l = 0; l < LANES; l += 8) {
        const __m256i index = _mm256_load_si256((const __m256i *)(const void *)(from + l));
        const __m256 bit3 = _mm256_castsi256_ps(_mm256_slli_epi32(index, 28));
        const __m256 bit4 = _mm256_castsi256_ps(_mm256_slli_epi32(index, 27));
        __m256 found[4];
        for (int i = 0; i < 4; i++)
            found[i] = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(part[i], index));
        const __m256 low = _mm256_blendv_ps(found[0], found[1], bit3);
        const __m256 high = _mm256_blendv_ps(found[2], found[3], bit3);
        const __m256i moved = _mm256_castps_si256(_mm256_blendv_ps(low, high, bit4));
        const __m256i mask = _mm256_load_si256((const __m256i *)(const void *)(on + l));
        if (full)
            _mm256_store_si256((__m256i *)(void *)(d + l), moved);
        else
            _mm256_maskstore_epi32((int *)(d + l), mask, moved);
    }
#else
    _Alignas(64) uint32_t held[LANES], moved[LANES];
    memcpy(held, a, sizeof held);
    for (int l = 0; l < LANES; l++)
        moved[l] = held[from[l]];
    SIM_LANES
        d[l] = full || on[l] ? moved[l] : d[l];
#endif
}

// instr->immediate: what the instruction has beside d, a, b and c.
enum { HAS_MEMBERS = 1, HAS_PREDICATE = 2, NAMES_ALL = 4 };

LANES_INLINE const struct sim_instr *shuffle(struct sim_warp *warp, const struct sim_instr *instr,
                                             enum ptx_modifier way, bool full) {
    const bool is_sync = instr->immediate & HAS_MEMBERS;
    const bool is_complete = full && instr->immediate & NAMES_ALL && !warp->is_heard;
    if (is_sync && !is_complete && !comm_gather(warp, instr, 4))
        return NULL;
    uint32_t *d = LANES_ALIGNED(uint32_t, instr->operand[0]);
    const uint32_t *a = LANES_ALIGNED(const uint32_t, instr->operand[1]);
    const uint32_t *b = LANES_ALIGNED(const uint32_t, instr->operand[2]);
    const uint32_t *c = LANES_ALIGNED(const uint32_t, instr->operand[3]);
    _Alignas(64) int32_t from[LANES];
    const uint32_t in_range = sources(b, c, way, from);
    if (!full) // the source is on, or the lane reads itself
        SIM_LANES
            from[l] = warp->mask >> from[l] & 1 ? from[l] : l;
    permute(d, a, from, warp->lanes, full);
    if (instr->immediate & HAS_PREDICATE)
        sim_set_predicate(warp, instr->pair, in_range);
    return instr + 1;
}

#define SHUFFLE(name, way)                                                                         \
    static const struct sim_instr *name##_some(struct sim_warp *warp,                              \
                                               const struct sim_instr *instr) {                    \
        return shuffle(warp, instr, way, false);                                                   \
    }                                                                                              \
    static const struct sim_instr *name##_all(struct sim_warp *warp,                               \
                                              const struct sim_instr *instr) {                     \
        return shuffle(warp, instr, way, true);                                                    \
    }                                                                                              \
    static const sim_handler name[2] = {name##_some, name##_all};

SHUFFLE(up, PTX_MOD_up)
SHUFFLE(down, PTX_MOD_down)
SHUFFLE(butterfly, PTX_MOD_bfly)
SHUFFLE(indexed, PTX_MOD_idx)

LANES_SELECT(shfl) {
    out->immediate = PTX_HAS(ir->ptx, sync) ? HAS_MEMBERS : 0;
    if (ir->operands[4].kind == IR_OPERAND_IMMEDIATE && ir->operands[4].value == FULL_MASK)
        out->immediate |= NAMES_ALL;
    if (ir->operands[0].pair != IR_NONE)
        out->immediate |= HAS_PREDICATE;
    switch (lanes_modifier(ir, PTX_GROUP_op)) {
    case PTX_MOD_up:
        return lanes_use(out, up);
    case PTX_MOD_down:
        return lanes_use(out, down);
    case PTX_MOD_bfly:
        return lanes_use(out, butterfly);
    case PTX_MOD_idx:
        return lanes_use(out, indexed);
    default:
        return false;
    }
}
