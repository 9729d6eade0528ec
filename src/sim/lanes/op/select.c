// Selection, and mov between a register and the parts of a vector.
#include "sim/lanes/op/value.h"

#define SELECT(name, law, K, x, ...)                                                               \
    LANES_BODY(name) {                                                                             \
        LANES_OUT(K)                                                                               \
        LANES_IN(K, pa, 1)                                                                         \
        LANES_IN(K, pb, 2)                                                                         \
        const uint32_t bits = sim_predicate(warp, instr, 3);                                       \
        SIM_LANES {                                                                                \
            const lane_##K a = pa[l], b = pb[l];                                                   \
            const uint32_t c = bits >> l & 1;                                                      \
            LANES_BLEND(K, (x))                                                                    \
        }                                                                                          \
    }                                                                                              \
    LANES_PAIR(name)

enum { MAX_ELEMENTS = 8 };

// d = {e0, e1, ...}: `bits` bits of each.
#define PACK(name, law, D, count, bits, ...)                                                       \
    LANES_BODY(name) {                                                                             \
        LANES_OUT(D)                                                                               \
        const uint32_t *part[MAX_ELEMENTS];                                                        \
        for (int i = 0; i < count; i++)                                                            \
            part[i] = LANES_ALIGNED(const uint32_t, instr->elements[i]);                           \
        SIM_LANES {                                                                                \
            lane_##D r = 0;                                                                        \
            for (int i = 0; i < count; i++)                                                        \
                r |= (lane_##D)(part[i][l] & (UINT32_MAX >> (32 - bits))) << (i * bits);           \
            LANES_BLEND(D, r)                                                                      \
        }                                                                                          \
    }                                                                                              \
    LANES_PAIR(name)

// {d0, d1, ...} = {e0, e1, ...}; instr->elements holds the destinations and then the sources. All
// are read before any is written: both sides may share registers.
#define COPY_PARTS(name, law, D, count, ...)                                                       \
    LANES_BODY(name) {                                                                             \
        const int32_t *on = warp->lanes;                                                           \
        lane_##D *part[2 * (count)];                                                               \
        for (int i = 0; i < 2 * (count); i++)                                                      \
            part[i] = LANES_ALIGNED(lane_##D, instr->elements[i]);                                 \
        LANES_EACH if (full || on[l]) {                                                            \
            lane_##D value[count];                                                                 \
            for (int i = 0; i < (count); i++)                                                      \
                value[i] = part[(count) + i][l];                                                   \
            for (int i = 0; i < (count); i++)                                                      \
                part[i][l] = value[i];                                                             \
        }                                                                                          \
    }                                                                                              \
    LANES_PAIR(name)

// {e0, e1, ...} = a
#define UNPACK(name, law, A, count, bits, ...)                                                     \
    LANES_BODY(name) {                                                                             \
        LANES_IN(A, pa, 1)                                                                         \
        const int32_t *on = warp->lanes;                                                           \
        uint32_t *part[MAX_ELEMENTS];                                                              \
        for (int i = 0; i < count; i++)                                                            \
            part[i] = LANES_ALIGNED(uint32_t, instr->elements[i]);                                 \
        SIM_LANES {                                                                                \
            const lane_##A a = pa[l];                                                              \
            for (int i = 0; i < count; i++) {                                                      \
                const uint32_t r = (uint32_t)(a >> (i * bits)) & (UINT32_MAX >> (32 - bits));      \
                part[i][l] = full || on[l] ? r : part[i][l];                                       \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    LANES_PAIR(name)

#include "ir/value/move.def"
#include "ir/value/select.def"
