// Shuffles, votes and their kin in random kernels. Where lanes may be apart, those that are
// together name each other.
#include "random_kernel.h"

#define ONE_OF(g, list) (list)[random_below(g, sizeof(list) / sizeof *(list))]

static const char *members(struct generator *g) {
    if (g->depth == 0 && g->is_kernel && random_chance(g, 60))
        return "0xffffffff";
    const unsigned n = random_register(g, VALUE_32);
    random_say(g, "activemask.b32 %%r%u;", n);
    if (random_chance(g, 20))
        random_push(g, VALUE_32, n, UINT64_MAX, TRAIT_EXCHANGED);
    return random_name(g, VALUE_32, n);
}

static void shuffle(struct generator *g) {
    static const char *const ways[] = {"up", "down", "bfly", "idx"};
    static const unsigned widths[] = {32, 32, 16, 8, 4, 2};
    const char *way = ONE_OF(g, ways), *who = members(g);
    const struct random_value a = random_pick(g, VALUE_32);
    struct random_value by = {0};
    const char *amount;
    char number[16];
    if (random_chance(g, 80)) {
        by.bound = random_below(g, 33);
        number[0] = (char)('0' + by.bound / 10);
        number[1] = (char)('0' + by.bound % 10);
        number[2] = 0;
        amount = by.bound < 10 ? number + 1 : number;
    } else {
        by = random_pick(g, VALUE_32);
        amount = random_name(g, VALUE_32, by.number);
    }
    const unsigned limit = (32 - ONE_OF(g, widths)) << 8 | (way[0] == 'u' ? 0 : 31);
    const unsigned n = random_register(g, VALUE_32);
    const unsigned p = random_register(g, VALUE_PREDICATE);
    if (random_chance(g, 30)) {
        random_say(g, "shfl.sync.%s.b32 %%r%u|%%p%u, %%r%u, %s, %u, %s;", way, n, p, a.number,
                   amount, limit, who);
        random_push(g, VALUE_PREDICATE, p, 1, TRAIT_EXCHANGED | by.traits);
    } else {
        random_say(g, "shfl.sync.%s.b32 %%r%u, %%r%u, %s, %u, %s;", way, n, a.number, amount, limit,
                   who);
    }
    random_push(g, VALUE_32, n, a.bound, a.traits | by.traits | TRAIT_EXCHANGED);
}

static void vote(struct generator *g) {
    static const char *const ways[] = {"all", "any", "uni"};
    const struct random_value p = random_pick(g, VALUE_PREDICATE);
    const char *who = members(g);
    if (random_chance(g, 50)) {
        const unsigned n = random_register(g, VALUE_32);
        random_say(g, "vote.sync.ballot.b32 %%r%u, %%p%u, %s;", n, p.number, who);
        random_push(g, VALUE_32, n, UINT64_MAX, p.traits | TRAIT_EXCHANGED);
    } else {
        const unsigned n = random_register(g, VALUE_PREDICATE);
        random_say(g, "vote.sync.%s.pred %%p%u, %%p%u, %s;", ONE_OF(g, ways), n, p.number, who);
        random_push(g, VALUE_PREDICATE, n, 1, p.traits | TRAIT_EXCHANGED);
    }
}

static void reduce(struct generator *g) {
    static const char *const ways[] = {"add.s32", "min.u32", "max.u32", "or.b32", "xor.b32"};
    const struct random_value a = random_pick(g, VALUE_32);
    const char *who = members(g);
    const unsigned n = random_register(g, VALUE_32);
    random_say(g, "redux.sync.%s %%r%u, %%r%u, %s;", ONE_OF(g, ways), n, a.number, who);
    random_push(g, VALUE_32, n, a.bound, a.traits | TRAIT_EXCHANGED);
}

static void match(struct generator *g) {
    const struct random_value a = random_pick(g, VALUE_32);
    const char *who = members(g);
    const unsigned n = random_register(g, VALUE_32);
    random_say(g, "match.any.sync.b32 %%r%u, %%r%u, %s;", n, a.number, who);
    random_push(g, VALUE_32, n, UINT64_MAX, a.traits | TRAIT_EXCHANGED);
}

void random_make_exchange(struct generator *g) {
    const unsigned way = random_below(g, 10);
    if (way < 5)
        shuffle(g);
    else if (way < 8)
        vote(g);
    else if (way < 9)
        reduce(g);
    else
        match(g);
}
