#include "ir/undefined.h"

struct undefined {
    const struct ir_function *function;
    const struct ir_instruction *instruction;
    const struct ir_meaning *meaning;
    const struct ir_value_row *row;
    const struct ir_lane *lane;
    struct ir_shadow *shadow;
    unsigned sources;
};

static void run(const struct undefined *u, struct ir_lane *lane) {
    ir_evaluate(u->function, u->instruction, lane);
}

static void set_all(struct ir_shadow *shadow, uint64_t bits) {
    for (unsigned i = 0; i < IR_VALUE_PARTS; i++)
        shadow->out[i] = bits;
    shadow->second = bits != 0;
}

static bool any_from(const struct undefined *u, unsigned first) {
    uint64_t any = 0;
    for (unsigned i = first; i < u->sources; i++)
        any |= u->shadow->in[i];
    return any != 0;
}

// Bits that the results have in common stay defined.
static void compare_results(struct ir_shadow *shadow, const struct ir_lane *a,
                            const struct ir_lane *b) {
    for (unsigned i = 0; i < IR_VALUE_PARTS; i++)
        shadow->out[i] |= a->out[i] ^ b->out[i];
    shadow->second = shadow->second || a->second != b->second;
}

// Each bit depends on the same bit of the operands: all that may be are tried.
static void bitwise(const struct undefined *u) {
    enum { MOST = 5 };
    const unsigned count = u->sources < MOST ? u->sources : MOST;
    struct ir_lane first = *u->lane;
    run(u, &first);
    for (unsigned choice = 0; choice < 1u << count; choice++) {
        struct ir_lane lane = *u->lane;
        for (unsigned i = 0; i < count; i++)
            lane.in[i] =
                choice >> i & 1 ? lane.in[i] | u->shadow->in[i] : lane.in[i] & ~u->shadow->in[i];
        run(u, &lane);
        compare_results(u->shadow, &first, &lane);
    }
    if (u->instruction->operands[0].pair == IR_NONE)
        return;
    // lop3's second destination: whether the result is not 0, combined with a predicate.
    const uint64_t bits = u->shadow->out[0];
    u->shadow->second = (bits && !(first.out[0] & ~bits)) || u->shadow->in[MOST - 1];
}

// The sources that say which bit goes where begin at `control`; undefined bits take the same way.
static void routed(const struct undefined *u, unsigned control) {
    if (any_from(u, control)) {
        set_all(u->shadow, UINT64_MAX);
        return;
    }
    struct ir_lane lane = *u->lane;
    for (unsigned i = 0; i < control; i++)
        lane.in[i] = u->shadow->in[i];
    run(u, &lane);
    for (unsigned i = 0; i < IR_VALUE_PARTS; i++)
        u->shadow->out[i] = lane.out[i];
}

static void chosen(const struct undefined *u) {
    struct ir_shadow *shadow = u->shadow;
    struct ir_lane lane = *u->lane;
    lane.in[0] = shadow->in[0];
    lane.in[1] = shadow->in[1];
    if (!shadow->in[2]) {
        run(u, &lane);
        shadow->out[0] = lane.out[0];
    } else {
        shadow->out[0] = shadow->in[0] | shadow->in[1] | (u->lane->in[0] ^ u->lane->in[1]);
    }
}

// A sum, or a product: what is undefined may carry into all bits above it.
static void carried(const struct undefined *u) {
    uint64_t any = 0;
    for (unsigned i = 0; i < u->sources; i++)
        any |= u->shadow->in[i];
    set_all(u->shadow, any | (~any + 1));
}

static bool is_zero(const struct undefined *u, unsigned source) {
    return !u->lane->in[source] && !u->shadow->in[source];
}

static void multiplied(const struct undefined *u) {
    uint64_t any = u->sources > 2 ? u->shadow->in[2] : 0;
    if (!is_zero(u, 0) && !is_zero(u, 1))
        any |= u->shadow->in[0] | u->shadow->in[1];
    set_all(u->shadow, any | (~any + 1));
}

// ---- Comparisons ----------------------------------------------------------------------------

static uint64_t sign_of(enum ir_kind kind) {
    switch (kind) {
    case IR_KIND_s8:
        return 1u << 7;
    case IR_KIND_s16:
        return 1u << 15;
    case IR_KIND_s32:
        return 1u << 31;
    case IR_KIND_s64:
        return UINT64_C(1) << 63;
    default:
        return 0;
    }
}

static uint64_t extreme(const struct undefined *u, unsigned source, bool is_highest) {
    const uint64_t sign = sign_of(u->row->operands[0]), bits = u->shadow->in[source];
    const uint64_t value = u->lane->in[source], set = is_highest ? bits & ~sign : bits & sign;
    return (value & ~bits) | set;
}

static uint64_t width_of(enum ir_kind kind) {
    switch (kind) {
    case IR_KIND_u8:
    case IR_KIND_s8:
        return UINT8_MAX;
    case IR_KIND_u16:
    case IR_KIND_s16:
        return UINT16_MAX;
    case IR_KIND_u64:
    case IR_KIND_s64:
    case IR_KIND_f64:
        return UINT64_MAX;
    default:
        return UINT32_MAX;
    }
}

// Two pairs of operands between which all that can come of the comparison comes of them.
static void outcomes(const struct undefined *u, struct ir_lane two[2]) {
    const uint64_t all = width_of(u->row->operands[0]);
    const uint64_t sa = u->shadow->in[0] & all, sb = u->shadow->in[1] & all;
    two[0] = two[1] = *u->lane;
    if (u->row->law == IR_LAW_EQUAL) {
        const bool can_be = !((u->lane->in[0] ^ u->lane->in[1]) & ~(sa | sb) & all);
        if (!can_be)
            return;
        two[0].in[0] = (two[0].in[0] & ~sa) | (two[0].in[1] & sa);
        two[0].in[1] = (two[0].in[1] & ~sb) | (two[0].in[0] & sb);
        two[1] = two[0];
        two[1].in[0] ^= sa & (~sa + 1);
        two[1].in[1] ^= sa ? 0 : sb & (~sb + 1);
        return;
    }
    for (unsigned i = 0; i < 2; i++)
        for (unsigned source = 0; source < 2; source++)
            two[i].in[source] = extreme(u, source, source == i);
}

static void compared(const struct undefined *u) {
    struct ir_lane two[2], first;
    outcomes(u, two);
    first = two[0];
    run(u, &first);
    for (unsigned i = 0; i < 2; i++)
        for (unsigned with = 0; with < 2; with++) {
            struct ir_lane lane = two[i];
            if (u->shadow->in[2] & 1)
                lane.in[2] = with;
            run(u, &lane);
            compare_results(u->shadow, &first, &lane);
        }
}

// Of a comparison of floats nothing is known, but the predicate that it is combined with may
// decide.
static void compared_as_floats(const struct undefined *u) {
    const struct ir_operand *with = &u->instruction->operands[3];
    const uint32_t combined = u->meaning->immediate & IR_COMPARE_BOOL;
    const bool holds = (u->lane->in[2] != 0) != with->is_negated;
    const bool decides =
        u->sources > 2 && !u->shadow->in[2] &&
        ((combined == IR_COMPARE_AND && !holds) || (combined == IR_COMPARE_OR && holds));
    set_all(u->shadow, any_from(u, 0) && !decides ? UINT64_MAX : 0);
}

static void by_law(const struct undefined *u) {
    const bool is_comparison = PTX_HAS(u->instruction->ptx, cmp);
    switch (u->row->law) {
    case IR_LAW_COPY:
        routed(u, u->sources);
        break;
    case IR_LAW_ROUTE:
        routed(u, u->instruction->operands[1].kind == IR_OPERAND_VECTOR ? u->sources : 1);
        break;
    case IR_LAW_SHIFT_LEFT:
    case IR_LAW_SHIFT_RIGHT:
        routed(u, 1);
        break;
    case IR_LAW_ROUTE_PAIR:
        routed(u, 2);
        break;
    case IR_LAW_BITWISE:
        bitwise(u);
        break;
    case IR_LAW_CHOICE:
        chosen(u);
        break;
    case IR_LAW_LINEAR:
        carried(u);
        break;
    case IR_LAW_PRODUCT:
        multiplied(u);
        break;
    case IR_LAW_EQUAL:
    case IR_LAW_LESS:
        compared(u);
        break;
    default:
        if (is_comparison)
            compared_as_floats(u);
        else
            set_all(u->shadow, any_from(u, 0) ? UINT64_MAX : 0);
    }
}

void ir_undefined(const struct ir_function *function, const struct ir_instruction *instruction,
                  const struct ir_meaning *meaning, unsigned sources, const struct ir_lane *lane,
                  struct ir_shadow *shadow) {
    const struct undefined u = {function, instruction, meaning, ir_value_row(meaning->value),
                                lane,     shadow,      sources};
    set_all(shadow, 0);
    if (!any_from(&u, 0))
        return;
    if (meaning->value == IR_VALUE_NONE)
        set_all(shadow, UINT64_MAX);
    else
        by_law(&u);
}
