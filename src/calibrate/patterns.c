// Patterns of lane addresses. The first ones are those that people ask about; the others vary how
// many lanes share a word, a bank, or a neighbour's address, and which lanes take part.
#include "calibrate/calibrate.h"

enum { LANES = BANKRUN_LANES };

static uint32_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

static const uint32_t strides[] = {0, 1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 24, 31, 32, 33, 64};
enum { STRIDES = sizeof strides / sizeof *strides };

static const uint32_t masks[] = {0x1,        0x80000000, 0x3,        0xff,
                                 0xffff,     0xffff0000, 0x55555555, 0xaaaaaaaa,
                                 0x0f0f0f0f, 0x11111111, 0x7fffffff, 0xfffffffe};
enum { MASKS = sizeof masks / sizeof *masks };

// Elements that lanes access, before they are brought into range.
static void make_plain(size_t n, uint32_t element[LANES]) {
    for (uint32_t lane = 0; lane < LANES; lane++) {
        switch (n) {
        case 0: // neighbours share
            element[lane] = lane / 2;
            break;
        case 1: // lanes two apart share
            element[lane] = lane & ~2u;
            break;
        case 2: // first half the one way, second half the other
            element[lane] = lane < 16 ? lane & ~1u : lane & ~2u;
            break;
        case 3: // reversed
            element[lane] = 31 - lane;
            break;
        case 4: // the halves are alike
            element[lane] = lane % 16;
            break;
        case 5: // columns of a square tile, four deep
            element[lane] = lane % 4 * 32 + lane / 4;
            break;
        case 6: // swizzled column
            element[lane] = lane * 32 + (lane ^ 5);
            break;
        default: // a column for one half, a row for the other
            element[lane] = lane < 16 ? lane * 32 : lane;
            break;
        }
    }
}
enum { PLAIN = 8 };

static uint32_t make_random(uint64_t *random, uint32_t element[LANES]) {
    uint32_t kind = next_random(random) % 6, reach = 1u << (1 + next_random(random) % 10);
    for (uint32_t lane = 0; lane < LANES; lane++)
        element[lane] = next_random(random) % reach;
    for (uint32_t lane = 0; lane < LANES; lane++) {
        if (kind == 1) // one bank
            element[lane] *= 32;
        else if (kind == 2)
            element[lane] = element[lane & ~1u];
        else if (kind == 3)
            element[lane] = element[lane & ~2u];
        else if (kind == 4) // steps that vary a little
            element[lane] = lane * (reach % 33) + element[lane] % 3;
    }
    if (next_random(random) % 5 < 3)
        return UINT32_MAX;
    if (next_random(random) % 2)
        return masks[next_random(random) % MASKS];
    uint32_t mask = next_random(random) ^ next_random(random) << 7;
    return mask ? mask : 1;
}

void calibrate_make_patterns(const struct calibrate_instruction *instruction, size_t count,
                             struct calibrate_pattern *patterns) {
    uint64_t random = 20261121;
    uint32_t elements = CALIBRATE_SHARED_BYTES / instruction->width;
    for (size_t n = 0; n < count; n++) {
        uint32_t element[LANES], mask = UINT32_MAX;
        if (n < STRIDES)
            for (uint32_t lane = 0; lane < LANES; lane++)
                element[lane] = lane * strides[n];
        else if (n < STRIDES + PLAIN)
            make_plain(n - STRIDES, element);
        else
            mask = make_random(&random, element);
        patterns[n].mask = instruction->matrices ? UINT32_MAX : mask;
        for (uint32_t lane = 0; lane < LANES; lane++)
            patterns[n].offsets[lane] = element[lane] % elements * instruction->width;
    }
}
