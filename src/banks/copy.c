/* cp.async.ca, from the addresses of both sides. Fitted to the measurements of 9.0, all of which it
 * meets exactly.
 *
 * The first-level cache looks its lines up first: in one turn one line in each of its four tag
 * banks. Lanes of lines that must wait take a later turn. Then the lanes of a turn move, in the
 * groups that any access of their width has: a lane moves in the first wavefront after those of all
 * lower lanes of its group that come from the same bank of the cache or go to the same bank of
 * shared memory, be it for the same word. So the wavefronts of a group are its longest chain of
 * lanes in which each waits for the one before. */
#include "model.h"

enum { LINE_SHIFT = 7, TAG_BANKS = 4, TAG_BITS = 19 };

/* The tag bank of a line: for each bit of its address from 7 on that is set, a number of two bits,
 * all of them exclusive-ored. Bits from 26 on were not measured, and do not count. */
static unsigned tag_bank_of(uint64_t address) {
    static const uint8_t of_bit[TAG_BITS] = {1, 2, 1, 2, 3, 1, 2, 3, 2, 1,
                                             2, 1, 3, 1, 3, 2, 1, 3, 1};
    unsigned bank = 0;
    for (unsigned bit = 0; bit < TAG_BITS; bit++)
        bank ^= address >> (LINE_SHIFT + bit) & 1 ? of_bit[bit] : 0;
    return bank;
}

/* The lanes of `left` whose lines are looked up in the next turn. */
static uint32_t next_turn(const uint64_t *sources, uint32_t left) {
    uint64_t line_of[TAG_BANKS] = {0};
    unsigned taken = 0;
    uint32_t lanes = 0;
    for (; left != 0; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left), bank = tag_bank_of(sources[lane]);
        uint64_t line = sources[lane] >> LINE_SHIFT;
        if (!(taken >> bank & 1))
            line_of[bank] = line;
        taken |= 1u << bank;
        if (line_of[bank] == line)
            lanes |= left & -left;
    }
    return lanes;
}

static unsigned longest_chain(const struct bankrun_copy *copy, unsigned shift, uint32_t lanes) {
    uint8_t from[BANKRUN_LANES] = {0}, to[BANKRUN_LANES] = {0}; /* the last wavefront of a bank */
    unsigned most = 0, units = (128u >> shift) - 1;
    for (; lanes != 0; lanes &= lanes - 1) {
        unsigned lane = (unsigned)__builtin_ctz(lanes);
        unsigned source = (unsigned)(copy->sources[lane] >> shift) & units;
        unsigned target = copy->offsets[lane] >> shift & units;
        unsigned wavefront = 1u + (from[source] > to[target] ? from[source] : to[target]);
        from[source] = to[target] = (uint8_t)wavefront;
        most = wavefront > most ? wavefront : most;
    }
    return most;
}

/* Adds what the lanes of one turn take to the wavefronts of each phase; their sum. */
static unsigned move(const struct bankrun_copy *copy, const struct bankrun_shape *shape,
                     uint32_t lanes, unsigned taken[BANKRUN_PHASES]) {
    unsigned sum = 0;
    for (unsigned n = 0; n < bankrun_shape_phases(shape); n++) {
        uint32_t group = lanes & bankrun_shape_lanes(shape, n);
        unsigned chain = longest_chain(copy, shape->unit_shift, group);
        sum += chain;
        taken[n] += chain;
    }
    return sum;
}

static enum bankrun_status check(unsigned arch, const struct bankrun_copy *copy) {
    if (bankrun_family_of(arch) == BANKRUN_FAMILY_NONE)
        return BANKRUN_BAD_ARCH;
    if (arch < 80)
        return BANKRUN_NO_ACCESS;
    if (copy->width != 4 && copy->width != 8 && copy->width != 16)
        return BANKRUN_BAD_WIDTH;
    if (copy->mask == 0)
        return BANKRUN_EMPTY_MASK;
    uint64_t low = 0;
    for (uint32_t rest = copy->mask; rest != 0; rest &= rest - 1)
        low |= copy->offsets[__builtin_ctz(rest)] | copy->sources[__builtin_ctz(rest)];
    return low & (copy->width - 1) ? BANKRUN_MISALIGNED : BANKRUN_OK;
}

enum bankrun_status bankrun_count_copy(unsigned arch, const struct bankrun_copy *copy,
                                       struct bankrun_cost *cost) {
    enum bankrun_status status = check(arch, copy);
    if (status != BANKRUN_OK)
        return status;
    struct bankrun_request request = {BANKRUN_ASYNC_COPY, copy->width, 0, copy->mask,
                                      copy->offsets};
    struct bankrun_shape shape;
    bankrun_modern_shape(&request, &shape);
    *cost = (struct bankrun_cost){
        .phases = bankrun_active_phases(&shape, copy->mask),
        .certainty = arch == 90 ? BANKRUN_MEASURED : BANKRUN_ASSUMED,
    };
    cost->ideal = cost->phases;
    unsigned taken[BANKRUN_PHASES] = {0}, ignored[BANKRUN_PHASES] = {0};
    for (uint32_t left = copy->mask; left != 0;) {
        uint32_t turn = next_turn(copy->sources, left);
        cost->wavefronts += move(copy, &shape, turn, taken);
        left &= ~turn;
    }
    for (unsigned n = 0; n < BANKRUN_PHASES; n++)
        cost->degree = taken[n] > cost->degree ? taken[n] : cost->degree;
    /* In a turn of its own a chain may be shorter: then that is the least. */
    cost->min = move(copy, &shape, copy->mask, ignored);
    cost->min = cost->min < cost->wavefronts ? cost->min : cost->wavefronts;
    cost->max = cost->wavefronts;
    return BANKRUN_OK;
}
