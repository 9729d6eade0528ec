// Whether two accesses of different threads may touch the same byte: the difference of their
// addresses, in which numbers cancel that are the same for both threads.
#include "prove/race.h"
#include "prove/request.h"

enum { MOST_TERMS = 2 * FORM_TERMS, ADDRESS_BITS = 24 };

// How a symbol of one thread is related to the other thread's.
enum sharing {
    SHARED,  // the same number
    SHIFTED, // the other one's, a round later, or a round earlier
    OWN,     // not known
};

struct pair {
    struct walker *walker;
    const struct race_entry *a, *b;
    bool is_one_request; // or what one warp does between two barriers, once
};

// ---- Symbols of both threads ----------------------------------------------------------------

static enum sharing of_step(const struct pair *pair, const struct race_step *step) {
    const struct races *races = pair->walker->races;
    const enum race_relation a = race_relation_of(races, pair->a->phase, step->context);
    const enum race_relation b = race_relation_of(races, pair->b->phase, step->context);
    if (a == b)
        return SHARED;
    return a != RACE_FRESH && b != RACE_FRESH && form_is_concrete(step->grows) ? SHIFTED : OWN;
}

// A number that is loaded in a loop is the same in the same round of it.
static enum sharing of_scalar(const struct pair *pair, const struct race_scalar *scalar) {
    const struct races *races = pair->walker->races;
    return race_relation_of(races, pair->a->phase, scalar->context) ==
                   race_relation_of(races, pair->b->phase, scalar->context)
               ? SHARED
               : OWN;
}

static enum sharing sharing_of_form(const struct pair *pair, const struct form *a);

static enum sharing sharing_of(const struct pair *pair, uint32_t number) {
    const struct races *races = pair->walker->races;
    const struct symbol *symbol = form_symbol_of(&pair->walker->table, number);
    if (pair->is_one_request && symbol->is_uniform)
        return SHARED;
    if (!races->is_common[number])
        return OWN;
    enum sharing sharing = SHARED;
    const struct race_step *step;
    const struct race_scalar *scalar;
    switch (symbol->kind) {
    case SYMBOL_UNKNOWN:
        step = race_step_of(races, number);
        scalar = race_scalar_of(races, number);
        return step ? of_step(pair, step) : scalar ? of_scalar(pair, scalar) : SHARED;
    case SYMBOL_PRODUCT:
        for (int i = 0; i < 2; i++)
            if (sharing_of(pair, symbol->factors[i]) != SHARED)
                sharing = OWN;
        return sharing;
    default:
        for (unsigned i = 0; i < symbol->operand_count; i++)
            if (sharing_of_form(pair, symbol->operands[i]) != SHARED)
                sharing = OWN;
        return sharing;
    }
}

static enum sharing sharing_of_form(const struct pair *pair, const struct form *a) {
    enum sharing most = SHARED;
    for (unsigned t = 0; t < a->count; t++) {
        const enum sharing one = sharing_of(pair, a->terms[t].symbol);
        most = one > most ? one : most;
    }
    return most;
}

// A loop's number in its first round.
static bool is_zero(const struct pair *pair, const struct race_entry *entry, uint32_t number) {
    const struct race_step *step = race_step_of(pair->walker->races, number);
    return step && pair->walker->races->is_common[number] &&
           race_relation_of(pair->walker->races, entry->phase, step->context) == RACE_FRESH;
}

// ---- Their difference -----------------------------------------------------------------------

struct part { // of the difference: factors, in lanes of the one and of the other, of one number
    uint32_t symbol;
    form_lanes of_a, of_b; // NULL: it is none of that one's
    bool is_flat;          // the same factor for all pairs of lanes
};

struct difference {
    struct part parts[MOST_TERMS];
    unsigned count, bits;
    uint64_t shift; // added to all
    bool is_flat;
};

static uint64_t factor_of(const struct part *part, unsigned a, unsigned b) {
    return (part->of_a ? part->of_a[a] : 0) - (part->of_b ? part->of_b[b] : 0);
}

static void add_part(struct difference *difference, const struct part *part) {
    if (part->is_flat && !(factor_of(part, 0, 0) & form_mask(difference->bits)))
        return;
    difference->is_flat &= part->is_flat;
    difference->parts[difference->count++] = *part;
}

// Of the symbol in the address. NULL: it is not there, or 0.
static form_lanes factors_in(const struct pair *pair, const struct race_entry *entry,
                             uint32_t symbol) {
    const struct form *a = entry->access->address;
    for (unsigned t = 0; t < a->count; t++)
        if (a->terms[t].symbol == symbol)
            return is_zero(pair, entry, symbol) ? NULL : a->terms[t].by;
    return NULL;
}

static bool is_flat(form_lanes lanes) {
    return !lanes || form_is_same(lanes);
}

// The one thread's number is the other one's plus what it grows by in a round: false: by how much
// is not the same for all lanes.
static bool add_shift(const struct pair *pair, struct difference *difference, uint32_t symbol,
                      form_lanes by) {
    const struct races *races = pair->walker->races;
    const struct race_step *step = race_step_of(races, symbol);
    const bool a_is_next = race_relation_of(races, pair->a->phase, step->context) == RACE_NEXT;
    const unsigned zeros = step->has_strides ? 0 : step->zeros;
    if (!form_is_same(by) || zeros >= 64 || step->grows->base[0] & form_mask(zeros))
        return false;
    // Bits of the growth above those of its register are not known.
    const unsigned known = step->grows->bits - zeros;
    const unsigned bits = known + (by[0] ? (unsigned)__builtin_ctzll(by[0]) : 63);
    if (bits < difference->bits)
        difference->bits = bits;
    const uint64_t grown = (step->grows->base[0] >> zeros) * by[0];
    difference->shift += a_is_next ? grown : -grown;
    return true;
}

// Of a symbol in one of the addresses, or in both.
static void add_symbol(const struct pair *pair, struct difference *difference, uint32_t symbol) {
    const form_lanes of_a = factors_in(pair, pair->a, symbol),
                     of_b = factors_in(pair, pair->b, symbol);
    const bool is_in_both = of_a && of_b;
    const bool is_uniform = form_symbol_of(&pair->walker->table, symbol)->is_uniform;
    const enum sharing sharing = is_in_both && is_uniform ? sharing_of(pair, symbol) : OWN;
    const bool is_one = sharing == SHARED || (sharing == SHIFTED && of_a == of_b && is_flat(of_a) &&
                                              add_shift(pair, difference, symbol, of_a));
    if (is_one || !is_in_both) {
        const struct part part = {symbol, of_a, of_b, is_flat(of_a) && is_flat(of_b)};
        add_part(difference, &part);
        return;
    }
    const struct part parts[] = {{symbol, of_a, NULL, is_flat(of_a)},
                                 {symbol, NULL, of_b, is_flat(of_b)}};
    add_part(difference, &parts[0]);
    add_part(difference, &parts[1]);
}

static void make_difference(const struct pair *pair, struct difference *difference) {
    const struct form *a = pair->a->access->address, *b = pair->b->access->address;
    *difference =
        (struct difference){.bits = a->bits < b->bits ? a->bits : b->bits, .is_flat = true};
    for (unsigned t = 0; t < a->count; t++)
        add_symbol(pair, difference, a->terms[t].symbol);
    for (unsigned t = 0; t < b->count; t++) {
        bool is_new = true;
        for (unsigned other = 0; other < a->count; other++)
            is_new &= a->terms[other].symbol != b->terms[t].symbol;
        if (is_new)
            add_symbol(pair, difference, b->terms[t].symbol);
    }
}

// ---- Lanes ----------------------------------------------------------------------------------

// What the parts may add up to: a multiple of 2^zeros, between bounds where these are known.
struct sum {
    unsigned zeros;
    bool is_bounded;
    wide_int low, high;
    uint32_t symbol;
};

static wide_int as_signed(uint64_t number, unsigned bits) {
    const unsigned unused = 64 - bits;
    return (int64_t)(number << unused) >> unused;
}

static struct sum sum_of(const struct walker *walker, const struct difference *difference,
                         unsigned a, unsigned b) {
    static const wide_int far = (wide_int)1 << 100;
    struct sum sum = {.zeros = difference->bits, .is_bounded = true, .symbol = IR_NONE};
    for (unsigned i = 0; i < difference->count; i++) {
        const struct symbol *symbol = form_symbol_of(&walker->table, difference->parts[i].symbol);
        const wide_int by = as_signed(
            factor_of(&difference->parts[i], a, b) & form_mask(difference->bits), difference->bits);
        if (!by)
            continue;
        const unsigned zeros = (unsigned)__builtin_ctzll((uint64_t)by) + symbol->zeros;
        if (zeros < sum.zeros) {
            sum.zeros = zeros;
            sum.symbol = difference->parts[i].symbol;
        }
        if ((wide_int)symbol->high > far / (by < 0 ? -by : by)) {
            sum.is_bounded = false;
            continue;
        }
        sum.low += by * (wide_int)(by < 0 ? symbol->high : symbol->low);
        sum.high += by * (wide_int)(by < 0 ? symbol->low : symbol->high);
    }
    return sum;
}

// Whether base + sum, modulo 2^bits, may be more than -width_a and less than width_b.
static bool may_touch(const struct sum *sum, uint64_t base, unsigned bits, unsigned width_a,
                      unsigned width_b) {
    const wide_int unit = (wide_int)1 << sum->zeros;
    const wide_int low_part = base & form_mask(sum->zeros);
    if (low_part >= width_b && low_part <= unit - width_a)
        return false;
    if (!sum->is_bounded)
        return true;
    const wide_int span = (wide_int)1 << bits;
    const wide_int first = (as_signed(base & form_mask(bits), bits) + sum->low) & (span - 1);
    return first < width_b || first + (sum->high - sum->low) > span - width_a;
}

static uint32_t lanes_of(const struct race_entry *entry) {
    return entry->access->lanes;
}

static struct race_meeting look_at_lanes(const struct pair *pair,
                                         const struct difference *difference, bool is_one_warp) {
    const struct race_access *a = pair->a->access, *b = pair->b->access;
    const struct sum flat =
        difference->is_flat ? sum_of(pair->walker, difference, 0, 0) : (struct sum){0};
    for (uint32_t rest = lanes_of(pair->a); rest; rest &= rest - 1)
        for (uint32_t others = lanes_of(pair->b); others; others &= others - 1) {
            const unsigned l = (unsigned)__builtin_ctz(rest), m = (unsigned)__builtin_ctz(others);
            if (is_one_warp && l == m)
                continue;
            const struct sum sum =
                difference->is_flat ? flat : sum_of(pair->walker, difference, l, m);
            const uint64_t base = a->address->base[l] - b->address->base[m] + difference->shift;
            if (may_touch(&sum, base, difference->bits, a->width, b->width))
                return (struct race_meeting){
                    .may_meet = true, .lanes = {l, m}, .symbol = sum.symbol};
        }
    return (struct race_meeting){.symbol = IR_NONE};
}

// ---- Trying ---------------------------------------------------------------------------------

enum { MOST_TRIALS = 256 };

// All that the parts are made of is common, so that few of its bits decide.
static bool can_try(const struct pair *pair, const struct difference *difference,
                    struct request *request) {
    for (unsigned i = 0; i < difference->count; i++) {
        const struct part *part = &difference->parts[i];
        uint64_t factors = 0;
        for (unsigned l = 0; l < FORM_LANES; l++)
            factors |= (part->of_a ? part->of_a[l] : 0) | (part->of_b ? part->of_b[l] : 0);
        const unsigned zeros = factors ? (unsigned)__builtin_ctzll(factors) : 64;
        if (zeros < difference->bits &&
            !request_add(request, part->symbol, difference->bits - zeros))
            return false;
    }
    for (unsigned i = 0; i < request->variable_count; i++) {
        const uint32_t symbol = request->variables[i].symbol;
        if (sharing_of(pair, symbol) == OWN && !is_zero(pair, pair->a, symbol) &&
            !is_zero(pair, pair->b, symbol))
            return false;
    }
    return request->trials <= MOST_TRIALS;
}

// What a variable is for one of the two threads: the first one has `value`, but in the first round
// of its loop, and the second one may be a round behind, or ahead. False: not known.
static bool set_variable(const struct pair *pair, bool is_a, uint64_t value,
                         struct request_variable *variable) {
    const uint32_t symbol = variable->symbol;
    const struct races *races = pair->walker->races;
    variable->value = is_zero(pair, is_a ? pair->a : pair->b, symbol) ? 0 : value;
    if (is_a || is_zero(pair, pair->a, symbol) || is_zero(pair, pair->b, symbol) ||
        sharing_of(pair, symbol) != SHIFTED)
        return true;
    const struct race_step *step = race_step_of(races, symbol);
    const unsigned zeros = step->has_strides ? 0 : step->zeros;
    if (zeros >= step->grows->bits || step->grows->base[0] & form_mask(zeros) ||
        variable->is_full || step->grows->bits - zeros < variable->bits)
        return false;
    const uint64_t grown = step->grows->base[0] >> zeros;
    const bool a_is_next = race_relation_of(races, pair->a->phase, step->context) == RACE_NEXT;
    variable->value += a_is_next ? -grown : grown;
    return true;
}

static bool set_variables(const struct pair *pair, bool is_a, const struct request *chosen,
                          struct request *request) {
    for (unsigned i = 0; i < request->variable_count; i++)
        if (!set_variable(pair, is_a, chosen->variables[i].value, &request->variables[i]))
            return false;
    return true;
}

static void sum_parts(const struct difference *difference, const struct request *request, bool is_a,
                      uint64_t sums[FORM_LANES]) {
    for (unsigned l = 0; l < FORM_LANES; l++)
        for (unsigned i = 0; i < difference->count; i++) {
            const form_lanes by = is_a ? difference->parts[i].of_a : difference->parts[i].of_b;
            if (by && by[l])
                sums[l] += by[l] * request_value(request, difference->parts[i].symbol, l);
        }
}

// With the variables as they are.
static bool touches_now(const struct pair *pair, const struct difference *difference,
                        struct request *request, bool is_one_warp, struct race_meeting *meeting) {
    const struct race_access *a = pair->a->access, *b = pair->b->access;
    const struct sum none = {.zeros = difference->bits, .is_bounded = true};
    uint64_t of_a[FORM_LANES] = {0}, of_b[FORM_LANES] = {0};
    const struct request chosen = *request;
    if (!set_variables(pair, true, &chosen, request))
        return true;
    sum_parts(difference, request, true, of_a);
    if (!set_variables(pair, false, &chosen, request))
        return true;
    sum_parts(difference, request, false, of_b);
    for (uint32_t rest = a->lanes; rest; rest &= rest - 1)
        for (uint32_t others = b->lanes; others; others &= others - 1) {
            const unsigned l = (unsigned)__builtin_ctz(rest), m = (unsigned)__builtin_ctz(others);
            const uint64_t base =
                a->address->base[l] + of_a[l] - b->address->base[m] - of_b[m] + difference->shift;
            if ((is_one_warp && l == m) ||
                !may_touch(&none, base, difference->bits, a->width, b->width))
                continue;
            meeting->lanes[0] = l;
            meeting->lanes[1] = m;
            return true;
        }
    return false;
}

// Whether for some values of what is not known the two touch the same byte.
static void try_all(const struct pair *pair, const struct difference *difference, bool is_one_warp,
                    struct race_meeting *meeting) {
    struct request request = {.table = &pair->walker->table, .is_deep = true, .trials = 1};
    if (!can_try(pair, difference, &request))
        return;
    for (uint64_t n = 0; n < request.trials; n++) {
        request_choose(&request, n);
        meeting->trials++;
        if (touches_now(pair, difference, &request, is_one_warp, meeting))
            return;
    }
    meeting->may_meet = false;
}

struct race_meeting race_overlap(struct walker *walker, const struct race_entry *a,
                                 const struct race_entry *b, bool is_same) {
    const struct race_access *x = a->access, *y = b->access;
    const bool is_one_warp = x->warp == y->warp;
    struct pair pair = {walker, a, b, false};
    struct difference difference;
    pair.is_one_request = is_one_warp && a->phase == b->phase && x->is_once && y->is_once &&
                          !walker->races->unstepped.length;
    if (is_same && (x->lanes & (x->lanes - 1)) == 0)
        return (struct race_meeting){.symbol = IR_NONE};
    if (!x->address || !y->address) {
        unsigned first = (unsigned)__builtin_ctz(x->lanes),
                 second = (unsigned)__builtin_ctz(y->lanes);
        const uint32_t rest = is_one_warp ? y->lanes & ~(1u << first) : y->lanes;
        if (rest)
            second = (unsigned)__builtin_ctz(rest);
        else if (first == second && (x->lanes & (x->lanes - 1)))
            first = (unsigned)__builtin_ctz(x->lanes & (x->lanes - 1));
        else if (first == second)
            return (struct race_meeting){.symbol = IR_NONE}; // one lane alone
        return (struct race_meeting){.may_meet = true, .lanes = {first, second}, .symbol = IR_NONE};
    }
    make_difference(&pair, &difference);
    struct race_meeting meeting = look_at_lanes(&pair, &difference, is_one_warp);
    if (meeting.may_meet && difference.count)
        try_all(&pair, &difference, is_one_warp, &meeting);
    if (meeting.may_meet && meeting.symbol == IR_NONE && difference.bits < ADDRESS_BITS)
        meeting.is_partial = true;
    return meeting;
}

bool race_may_reach(struct walker *walker, const struct race_entry *a, const struct race_entry *b) {
    struct difference difference;
    const struct pair pair = {walker, a, b, false};
    if (!a->access->lanes || !b->access->lanes)
        return false;
    if (!a->access->address || !b->access->address)
        return true;
    make_difference(&pair, &difference);
    return look_at_lanes(&pair, &difference, false).may_meet;
}
