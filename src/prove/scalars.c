// Numbers in shared memory that all threads read alike: a load of one address, which nothing
// writes as long as it may be made.
//
// Between two barriers that all threads pass, an address that nobody writes holds one number. So a
// load from there gives all threads the same one, whoever wrote it, and whatever it is. A first
// walk, which knows nothing of that, says what may be written behind which barrier; a second one
// has one symbol for each such load, in all warps.
#include "prove/race.h"

#include "ptx/facts.h"

enum { MOST_LOOKS = 1 << 24 };

static bool is_same_load(const struct race_access *a, const struct race_access *b) {
    return a->context == b->context && a->code == b->code && a->instruction == b->instruction;
}

// By threads that are not in a function that is called, from one known address.
static bool is_candidate(struct walker *walker, const struct race_access *access) {
    const struct ir_instruction *what = &access->code->function->instructions[access->instruction];
    if (access->is_called || ptx_access_of(what->ptx) != PTX_ACCESS_LOAD || !access->address ||
        access->address->bits < 32 || !access->lanes)
        return false;
    const struct form *address = form_spread(&walker->table, access->address, access->lanes);
    return form_is_concrete(address) && form_is_same(address->base);
}

static uint32_t place_of(const struct race_access *access) {
    return (uint32_t)access->address->base[__builtin_ctz(access->lanes)];
}

// Behind a barrier that both may have passed last the one may write what the other one reads.
static bool may_write(struct walker *walker, const struct race_access *write,
                      const struct race_access *read) {
    const struct races *races = walker->races;
    uint32_t count, others;
    const uint32_t *phases = race_members(races, write->phases, &count);
    const uint32_t *of_read = race_members(races, read->phases, &others);
    for (uint32_t p = 0; p < count; p++)
        for (uint32_t q = 0; q < others; q++) {
            const struct race_entry a = {.access = write, .phase = phases[p]};
            const struct race_entry b = {.access = read, .phase = of_read[q]};
            if (race_node_of(races, phases[p]) == race_node_of(races, of_read[q]) &&
                race_may_reach(walker, &a, &b))
                return true;
        }
    return false;
}

// All that the load does, in all warps, reads one address that nobody writes then.
static bool is_steady(struct walker *walker, const struct race_access *first) {
    const struct races *races = walker->races;
    for (size_t i = 0; i < races->accesses.length; i++) {
        const struct race_access *read = &races->accesses.data[i];
        if (!is_same_load(read, first))
            continue;
        if (!is_candidate(walker, read) || place_of(read) != place_of(first))
            return false;
        for (size_t k = 0; k < races->accesses.length; k++)
            if ((races->accesses.data[k].class & RACE_WRITE) &&
                may_write(walker, &races->accesses.data[k], read))
                return false;
    }
    return true;
}

static bool is_known(const struct races *races, const struct race_access *access) {
    for (size_t i = 0; i < races->scalars.length; i++)
        if (races->scalars.data[i].context == access->context &&
            races->scalars.data[i].code == access->code &&
            races->scalars.data[i].instruction == access->instruction)
            return true;
    return false;
}

bool race_find_scalars(struct walker *walker) {
    struct races *races = walker->races;
    uint64_t looks = 0;
    for (size_t i = 0; i < races->accesses.length && looks < MOST_LOOKS; i++) {
        const struct race_access *access = &races->accesses.data[i];
        if (!is_candidate(walker, access) || is_known(races, access))
            continue;
        looks += races->accesses.length;
        if (!is_steady(walker, access))
            continue;
        const unsigned bytes = access->width;
        for (unsigned at = 0; at < bytes; at++)
            vec_push(&races->scalars,
                     ((struct race_scalar){access->context, access->instruction, at, IR_NONE,
                                           place_of(access), access->code}));
    }
    return races->scalars.length > 0;
}

bool race_scalars_hold(struct walker *walker) {
    const struct races *races = walker->races;
    for (size_t i = 0; i < races->scalars.length; i++) {
        const struct race_scalar *scalar = &races->scalars.data[i];
        for (size_t k = 0; k < races->accesses.length; k++) {
            const struct race_access *read = &races->accesses.data[k];
            if (read->context == scalar->context && read->code == scalar->code &&
                read->instruction == scalar->instruction &&
                (!is_candidate(walker, read) || place_of(read) != scalar->place))
                return false;
        }
    }
    return true;
}

uint32_t race_scalar_symbol(struct walker *walker, const struct code *code, uint32_t instruction,
                            unsigned at, uint64_t high) {
    struct races *races = walker->races;
    for (size_t i = 0; races && !walker->calls && i < races->scalars.length; i++) {
        struct race_scalar *scalar = &races->scalars.data[i];
        if (scalar->context != races->context || scalar->code != code ||
            scalar->instruction != instruction || scalar->at != at)
            continue;
        if (scalar->symbol == IR_NONE)
            scalar->symbol = symbol_unknown(&walker->table, true, high, ORIGIN_LOAD, instruction);
        return scalar->symbol;
    }
    return IR_NONE;
}

const struct race_scalar *race_scalar_of(const struct races *races, uint32_t symbol) {
    for (size_t i = 0; i < races->scalars.length; i++)
        if (races->scalars.data[i].symbol == symbol)
            return &races->scalars.data[i];
    return NULL;
}
