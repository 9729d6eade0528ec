// cvt: reads the modifiers and chooses vector code, or a conversion of one lane after another.
#include "sim/lanes/op/cvt.h"
#include "sim/lanes/op/use_value.h"

static bool is_float(enum ptx_type type) {
    return ptx_type_class(type) == PTX_CLASS_FLOAT;
}

// ---- One lane after another ---------------------------------------------------------------

#define ANY(name, D, A)                                                                            \
    LANES_BODY(name) {                                                                             \
        LANES_OUT(D)                                                                               \
        LANES_IN(A, pa, 1)                                                                         \
        const struct num_conversion *conversion = instr->extra;                                    \
        LANES_EACH if (full || on[l]) d[l] = (lane_##D)num_convert(conversion, pa[l]);             \
    }                                                                                              \
    LANES_PAIR(name)

ANY(any_32_32, u32, u32)
ANY(any_32_64, u32, u64)
ANY(any_64_32, u64, u32)
ANY(any_64_64, u64, u64)

static bool use_any(struct sim_decoder *decoder, const struct cvt *cvt, struct sim_instr *out) {
    struct num_conversion *kept = sim_decoder_alloc(decoder, sizeof *kept);
    *kept = cvt->number;
    out->extra = kept;
    if (cvt->to_lane == 8)
        return lanes_use(out, cvt->from_lane == 8 ? any_64_64 : any_64_32);
    return lanes_use(out, cvt->from_lane == 8 ? any_32_64 : any_32_32);
}

// ---- Modifiers ----------------------------------------------------------------------------

// What .rn, .rni, ... mean; false when there is none of that name.
static bool read_round(enum ptx_modifier round, struct num_conversion *n) {
    static const struct {
        enum ptx_modifier modifier;
        enum num_round round;
        bool to_integer;
    } table[] = {
        {PTX_MOD_rn, NUM_NEAREST, false}, {PTX_MOD_rna, NUM_NEAREST_AWAY, false},
        {PTX_MOD_rz, NUM_ZERO, false},    {PTX_MOD_rm, NUM_DOWN, false},
        {PTX_MOD_rp, NUM_UP, false},      {PTX_MOD_rni, NUM_NEAREST, true},
        {PTX_MOD_rzi, NUM_ZERO, true},    {PTX_MOD_rmi, NUM_DOWN, true},
        {PTX_MOD_rpi, NUM_UP, true},
    };
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++) {
        if (table[i].modifier == round) {
            n->round = table[i].round;
            n->to_integer = table[i].to_integer;
            return true;
        }
    }
    return false;
}

static int precision(enum ptx_type type) {
    switch (type) {
    case PTX_F16:
        return 11;
    case PTX_BF16:
        return 8;
    case PTX_F64:
        return 53;
    default:
        return 24;
    }
}

// Which roundings the types need, and which they allow.
static bool round_fits(const struct num_conversion *n, enum ptx_modifier round) {
    const bool from_float = is_float(n->from), to_float = is_float(n->to);
    if (!from_float && !to_float)
        return round == PTX_MOD_NONE;
    if (from_float && !to_float)
        return n->to_integer;
    if (!from_float)
        return round != PTX_MOD_NONE && round != PTX_MOD_rna && !n->to_integer;
    if (n->to_integer)
        return n->from == n->to;
    if (round == PTX_MOD_NONE) // only where nothing is rounded
        return precision(n->from) <= precision(n->to) || n->to == PTX_BF16;
    return round != PTX_MOD_rna && n->from != n->to;
}

static bool modifiers_fit(const struct num_conversion *n) {
    const bool singles = n->from == PTX_F32 || n->to == PTX_F32;
    const bool narrows = n->from == PTX_F32 && (n->to == PTX_F16 || n->to == PTX_BF16) &&
                         (n->round == NUM_NEAREST || n->round == NUM_ZERO);
    return (!n->ftz || singles) && (!(n->relu || n->satfinite) || narrows) &&
           !(n->sat && n->to == PTX_BF16);
}

static unsigned lane_of(const struct sim_decoder *decoder, const struct ir_operand *operand,
                        enum ptx_type type) {
    const unsigned bytes = sim_decoder_operand_bytes(decoder, operand);
    return bytes ? bytes : ptx_type_bytes(type) == 8 ? 8 : 4;
}

static bool read_cvt(struct sim_decoder *decoder, const struct ir_instruction *ir,
                     struct cvt *cvt) {
    const enum ptx_modifier round = lanes_modifier(ir, PTX_GROUP_round);
    struct num_conversion *n = &cvt->number;
    *n = (struct num_conversion){
        .from = lanes_type(ir, 1),
        .to = lanes_type(ir, 0),
        .ftz = PTX_HAS(ir->ptx, ftz),
        .sat = PTX_HAS(ir->ptx, sat),
        .relu = PTX_HAS(ir->ptx, relu),
        .satfinite = PTX_HAS(ir->ptx, mode),
        .register_bytes = sim_decoder_register_bytes(decoder, &ir->operands[0]),
    };
    if (round != PTX_MOD_NONE && !read_round(round, n))
        return false;
    if (!n->register_bytes) // `_`
        n->register_bytes = ptx_type_bytes(n->to);
    cvt->to_lane = lane_of(decoder, &ir->operands[0], n->to);
    cvt->from_lane = lane_of(decoder, &ir->operands[1], n->from);
    if (n->to == PTX_TF32 || n->register_bytes < ptx_type_bytes(n->to))
        return n->to == PTX_TF32;
    return round_fits(n, round) && modifiers_fit(n);
}

// ---- Single precision to tf32: 10 bits of fraction, the low 13 bits are zero ----------------

static inline uint32_t tf32_magnitude(uint32_t bits, uint32_t add) {
    return (bits + add) & 0xffffe000;
}

// .rna treats what has the exponent of infinity as bits; the others give the canonical NaN.
static inline uint32_t tf32_away(uint32_t a) {
    const bool special = (a & 0x7f800000) == 0x7f800000;
    return tf32_magnitude(a, special ? 0 : 0x1000);
}
static inline uint32_t tf32_number(uint32_t a, uint32_t add) {
    return (a & 0x7fffffff) > 0x7f800000 ? 0x7fffe000 : tf32_magnitude(a, add);
}
static inline uint32_t tf32_nearest(uint32_t a) {
    return tf32_number(a, 0xfff + (a >> 13 & 1));
}
static inline uint32_t relu(uint32_t a) {
    return a >> 31 ? 0 : a;
}

// .satfinite takes one from the last bit kept of whatever has the exponent of infinity.
static inline uint32_t tf32_away_finite(uint32_t a) {
    const uint32_t r = tf32_away(a);
    return (r & 0x7f800000) == 0x7f800000 ? r - 0x2000 : r;
}

// With .rn and .rz a NaN stays one, and the others are at most the largest number.
static inline uint32_t tf32_finite(uint32_t r) {
    return (r & 0x7fffffff) == 0x7f800000 ? r - 0x2000 : r;
}

LANES1(tf32_rna, u32, u32, tf32_away(a))
LANES1(tf32_rna_finite, u32, u32, tf32_away_finite(a))
LANES1(tf32_rn, u32, u32, tf32_nearest(a))
LANES1(tf32_rz, u32, u32, tf32_number(a, 0))
LANES1(tf32_rn_relu, u32, u32, relu(tf32_nearest(a)))
LANES1(tf32_rz_relu, u32, u32, relu(tf32_number(a, 0)))
LANES1(tf32_rn_finite, u32, u32, tf32_finite(tf32_nearest(a)))
LANES1(tf32_rz_finite, u32, u32, tf32_finite(tf32_number(a, 0)))
LANES1(tf32_rn_relu_finite, u32, u32, relu(tf32_finite(tf32_nearest(a))))
LANES1(tf32_rz_relu_finite, u32, u32, relu(tf32_finite(tf32_number(a, 0))))

static bool use_tf32(const struct num_conversion *n, struct sim_instr *out) {
    if (n->from != PTX_F32 || n->to_integer || n->ftz || n->sat)
        return false;
    if (n->round == NUM_NEAREST_AWAY)
        return !n->relu && lanes_use(out, n->satfinite ? tf32_rna_finite : tf32_rna);
    static const sim_handler *const nearest[] = {tf32_rn, tf32_rn_relu, tf32_rn_finite,
                                                 tf32_rn_relu_finite};
    static const sim_handler *const zero[] = {tf32_rz, tf32_rz_relu, tf32_rz_finite,
                                              tf32_rz_relu_finite};
    const unsigned form = n->relu + 2u * n->satfinite;
    if (n->round == NUM_NEAREST)
        return lanes_use(out, nearest[form]);
    return n->round == NUM_ZERO && lanes_use(out, zero[form]);
}

LANES_SELECT(cvt) {
    struct cvt cvt;
    if (!read_cvt(decoder, ir, &cvt))
        return false;
    const struct num_conversion *n = &cvt.number;
    if (n->to == PTX_TF32)
        return lanes_modifier(ir, PTX_GROUP_round) != PTX_MOD_NONE && use_tf32(n, out);
    return SIM_NAME(op_use_value)(decoder, ir, out) || SIM_NAME(op_cvt_half)(&cvt, out) ||
           use_any(decoder, &cvt, out);
}
