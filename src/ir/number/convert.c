// A number of any type is taken apart into sign, significand and exponent, rounded, and put
// together again. What becomes of NaN was read off an H200 where the PTX ISA does not say.
#include "ir/number/convert.h"

#include <stddef.h>

struct format {
    int fraction, exponent_bits; // stored bits
};

static struct format format_of(enum ptx_type type) {
    switch (type) {
    case PTX_F16:
        return (struct format){10, 5};
    case PTX_BF16:
        return (struct format){7, 8};
    case PTX_F64:
        return (struct format){52, 11};
    default:
        return (struct format){23, 8};
    }
}

enum kind { FINITE, INFINITE, NOT_A_NUMBER };

// (-1)^negative * significand * 2^exponent. A NaN has its fraction, left-aligned in 64 bits.
struct number {
    enum kind kind;
    bool negative;
    uint64_t significand;
    int exponent;
};

static bool is_float(enum ptx_type type) {
    return ptx_type_class(type) == PTX_CLASS_FLOAT;
}

static uint64_t low_bits(unsigned count) {
    return count >= 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
}

// ---- Taking apart -------------------------------------------------------------------------

static struct number take_integer(enum ptx_type type, uint64_t bits) {
    const unsigned width = 8 * ptx_type_bytes(type);
    struct number n = {.kind = FINITE, .significand = bits & low_bits(width)};
    if (ptx_type_class(type) == PTX_CLASS_SIGNED && bits >> (width - 1) & 1) {
        n.negative = true;
        n.significand = (0 - n.significand) & low_bits(width);
    }
    return n;
}

static struct number take_float(enum ptx_type type, uint64_t bits, bool ftz) {
    const struct format f = format_of(type);
    const int top = (1 << f.exponent_bits) - 1;
    const int biased = (int)(bits >> f.fraction) & top;
    const uint64_t fraction = bits & low_bits((unsigned)f.fraction);
    struct number n = {.kind = FINITE,
                       .negative = bits >> (f.fraction + f.exponent_bits) & 1,
                       .significand = fraction,
                       .exponent = 2 - (1 << (f.exponent_bits - 1)) - f.fraction};
    if (biased == top) {
        n.kind = fraction ? NOT_A_NUMBER : INFINITE;
        n.significand = fraction << (64 - f.fraction);
    } else if (biased) {
        n.significand |= UINT64_C(1) << f.fraction;
        n.exponent += biased - 1;
    } else if (ftz) {
        n.significand = 0;
    }
    return n;
}

// ---- Rounding -----------------------------------------------------------------------------

// significand * 2^-drop, rounded to an integer.
static uint64_t shift_rounded(uint64_t significand, int drop, bool negative, enum num_round round) {
    if (drop <= 0 || significand == 0)
        return significand << (drop < 0 ? -drop : 0);
    // Of what is dropped: the first bit, and whether any other is set.
    const bool first = drop <= 64 && significand >> (drop - 1) & 1;
    const bool rest = drop > 64 || (significand & low_bits((unsigned)drop - 1)) != 0;
    const uint64_t kept = drop >= 64 ? 0 : significand >> drop;
    switch (round) {
    case NUM_NEAREST:
        return kept + (first && (rest || (kept & 1)));
    case NUM_NEAREST_AWAY:
        return kept + first;
    case NUM_DOWN:
        return kept + (negative && (first || rest));
    case NUM_UP:
        return kept + (!negative && (first || rest));
    default:
        return kept;
    }
}

static int bit_length(uint64_t x) {
    return x ? 64 - __builtin_clzll(x) : 0;
}

static void round_to_integer(struct number *n, enum num_round round) {
    if (n->kind != FINITE || n->exponent >= 0)
        return;
    n->significand = shift_rounded(n->significand, -n->exponent, n->negative, round);
    n->exponent = 0;
}

// ---- Putting together: integers -----------------------------------------------------------

// Extends a value of the type to the register.
static uint64_t extend(const struct num_conversion *c, uint64_t value) {
    const unsigned width = 8 * ptx_type_bytes(c->to);
    const bool negative = ptx_type_class(c->to) == PTX_CLASS_SIGNED && value >> (width - 1) & 1;
    const uint64_t wide = (value & low_bits(width)) | (negative ? ~low_bits(width) : 0);
    return wide & low_bits(8 * c->register_bytes);
}

static uint64_t largest(enum ptx_type type, bool negative) {
    const unsigned width = 8 * ptx_type_bytes(type);
    if (ptx_type_class(type) == PTX_CLASS_SIGNED)
        return low_bits(width - 1) + negative; // the magnitude
    return negative ? 0 : low_bits(width);
}

// A NaN gives zero, or the top bit alone when one of the types has 64 bits.
static uint64_t nan_as_integer(const struct num_conversion *c) {
    if (c->from != PTX_F64 && ptx_type_bytes(c->to) < 8)
        return 0;
    return UINT64_C(1) << (8 * ptx_type_bytes(c->to) - 1);
}

static uint64_t make_integer(const struct num_conversion *c, struct number n) {
    if (n.kind == NOT_A_NUMBER)
        return extend(c, nan_as_integer(c));
    round_to_integer(&n, c->round);
    const uint64_t limit = largest(c->to, n.negative);
    const bool over = n.kind == INFINITE ||
                      (n.significand && bit_length(n.significand) + n.exponent > 64) ||
                      n.significand << n.exponent > limit;
    const bool clamps = is_float(c->from) || c->sat;
    const uint64_t magnitude = over && clamps ? limit : n.significand << n.exponent;
    return extend(c, n.negative ? 0 - magnitude : magnitude);
}

// ---- Putting together: floating point -----------------------------------------------------

static uint64_t canonical_nan(enum ptx_type type) {
    switch (type) {
    case PTX_F16:
    case PTX_BF16:
        return 0x7fff;
    case PTX_F64:
        return 0x7fffffffffffffff;
    default:
        return 0x7fffffff;
    }
}

// A NaN keeps its sign and payload in conversions to and from double precision.
static uint64_t make_nan(const struct num_conversion *c, const struct number *n) {
    const struct format f = format_of(c->to);
    const bool keeps = c->to == PTX_F64 || c->from == PTX_F64;
    if (!keeps)
        return canonical_nan(c->to);
    const uint64_t top = low_bits((unsigned)f.exponent_bits);
    return (uint64_t)n->negative << (f.fraction + f.exponent_bits) | top << f.fraction |
           UINT64_C(1) << (f.fraction - 1) | n->significand >> (64 - f.fraction);
}

// Whether an overflow gives the largest number and not infinity.
static bool stays_finite(const struct num_conversion *c, bool negative) {
    return c->satfinite || c->round == NUM_ZERO || (c->round == NUM_DOWN && !negative) ||
           (c->round == NUM_UP && negative);
}

// Whether flushing to zero takes the number: it is below the least normal number after rounding
// with no limit of the exponent.
static bool is_tiny(const struct num_conversion *c, const struct number *n) {
    const struct format f = format_of(c->to);
    const int top = n->exponent + bit_length(n->significand) - 1; // of the highest bit
    const uint64_t kept =
        shift_rounded(n->significand, top - f.fraction - n->exponent, n->negative, c->round);
    return top + (int)(kept >> (f.fraction + 1)) < 2 - (1 << (f.exponent_bits - 1));
}

static uint64_t make_finite(const struct num_conversion *c, const struct number *n) {
    const struct format f = format_of(c->to);
    const int bias = (1 << (f.exponent_bits - 1)) - 1;
    const uint64_t infinity = low_bits((unsigned)f.exponent_bits) << f.fraction;
    // The last bit kept: the significand has one bit more than the fraction, or fewer when the
    // number is subnormal.
    int last = n->exponent + bit_length(n->significand) - 1 - f.fraction;
    if (last < 1 - bias - f.fraction)
        last = 1 - bias - f.fraction;
    const uint64_t kept = shift_rounded(n->significand, last - n->exponent, n->negative, c->round);
    // A significand without its top bit is subnormal; one that was rounded up to the next power
    // of two carries into the exponent.
    const uint64_t exponent = (uint64_t)(last + bias + f.fraction - 1);
    if (exponent > low_bits((unsigned)f.exponent_bits))
        return stays_finite(c, n->negative) ? infinity - 1 : infinity;
    uint64_t bits = kept + (exponent << f.fraction);
    if (bits >= infinity)
        bits = stays_finite(c, n->negative) ? infinity - 1 : infinity;
    return c->ftz && c->to == PTX_F32 && is_tiny(c, n) ? 0 : bits;
}

static uint64_t make_float(const struct num_conversion *c, struct number n) {
    const struct format f = format_of(c->to);
    const uint64_t infinity = low_bits((unsigned)f.exponent_bits) << f.fraction;
    const uint64_t one = ((UINT64_C(1) << (f.exponent_bits - 1)) - 1) << f.fraction;
    if (n.kind == NOT_A_NUMBER)
        return c->sat ? 0 : make_nan(c, &n);
    if (c->to_integer)
        round_to_integer(&n, c->round);
    const uint64_t bits = n.kind == INFINITE   ? (c->satfinite ? infinity - 1 : infinity)
                          : n.significand == 0 ? 0
                                               : make_finite(c, &n);
    if (n.negative && (c->sat || c->relu))
        return 0;
    if (c->sat && bits > one)
        return one;
    return bits | (uint64_t)n.negative << (f.fraction + f.exponent_bits);
}

uint64_t num_convert(const struct num_conversion *c, uint64_t bits) {
    // Conversions between f16 and f32 do not flush.
    const bool ftz = c->ftz && c->from != PTX_F16 && c->to != PTX_F16;
    const struct number n =
        is_float(c->from) ? take_float(c->from, bits, ftz) : take_integer(c->from, bits);
    return is_float(c->to) ? make_float(c, n) : make_integer(c, n);
}
