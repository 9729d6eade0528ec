// Which row of value.def an instruction takes.
#include "ir/value.h"

#include <assert.h>

enum { MOST_MODIFIERS = 4 };

struct key {
    uint64_t types, to;                         // sets of types; 0: any
    uint16_t modifiers[MOST_MODIFIERS], may[2]; // enum ptx_modifier
    uint16_t table;                             // lop3's, with HAS_TABLE; 0: it is no lop3
    int8_t parts;
    uint8_t registers, spaces; // sets; 0: any
    ir_form_reader *read;      // NULL: what stands above is compared
};

enum { BOTH_SIDES = 64 }; // in key.parts, above a number of parts
enum { HAS_TABLE = 0x100, TAKES_ANY_TABLE = 0x200 };
enum {
    SPACE_GLOBAL = 1,
    SPACE_SHARED = 2,
    SPACE_CLUSTER = 4,
    SPACE_LOCAL = 8,
    SPACE_CONST = 16,
    SPACE_PARAM = 32
};

#define BIT(x) (1ull << PTX_##x)
#define TYPE_NO_TYPE BIT(NO_TYPE)
#define TYPE_B16 BIT(B16)
#define TYPE_B32 BIT(B32)
#define TYPE_B64 BIT(B64)
#define TYPE_U8 BIT(U8)
#define TYPE_S8 BIT(S8)
#define TYPE_U16 BIT(U16)
#define TYPE_S16 BIT(S16)
#define TYPE_U32 BIT(U32)
#define TYPE_S32 BIT(S32)
#define TYPE_U64 BIT(U64)
#define TYPE_S64 BIT(S64)
#define TYPE_F32 BIT(F32)
#define TYPE_F64 BIT(F64)
#define TYPE_F16 BIT(F16)
#define TYPE_BF16 BIT(BF16)
#define TYPE_TF32 BIT(TF32)
#define TYPE_F16X2 BIT(F16X2)
#define TYPE_BF16X2 BIT(BF16X2)
#define TYPE_U16X2 BIT(U16X2)
#define TYPE_S16X2 BIT(S16X2)
#define TYPE_B128 BIT(B128)
#define TYPE_PRED BIT(PRED)
#define TYPE_HALF (BIT(F16) | BIT(BF16) | BIT(F16X2) | BIT(BF16X2))
#define TYPE_I8 (BIT(U8) | BIT(S8))
#define TYPE_I16 (BIT(U16) | BIT(S16))
#define TYPE_I32 (BIT(U32) | BIT(S32))
#define TYPE_I64 (BIT(U64) | BIT(S64))
#define TYPE_X16 (BIT(B16) | TYPE_I16)
#define TYPE_X32 (BIT(B32) | TYPE_I32 | BIT(F32))
#define TYPE_X64 (BIT(B64) | TYPE_I64 | BIT(F64))
_Static_assert(PTX_TYPE_COUNT <= 64, "a set of types has 64 bits");

#define T(x) .types = TYPE_##x,
#define T2(x, y) .types = TYPE_##x | TYPE_##y,
#define T3(x, y, z) .types = TYPE_##x | TYPE_##y | TYPE_##z,
#define D(x) .to = TYPE_##x,
#define D2(x, y) .to = TYPE_##x | TYPE_##y,
#define D3(x, y, z) .to = TYPE_##x | TYPE_##y | TYPE_##z,
#define M(x) .modifiers = {PTX_MOD_##x},
#define M2(x, y) .modifiers = {PTX_MOD_##x, PTX_MOD_##y},
#define M3(x, y, z) .modifiers = {PTX_MOD_##x, PTX_MOD_##y, PTX_MOD_##z},
#define M4(w, x, y, z) .modifiers = {PTX_MOD_##w, PTX_MOD_##x, PTX_MOD_##y, PTX_MOD_##z},
#define MAY(x) .may = {PTX_MOD_##x},
#define MAY2(x, y) .may = {PTX_MOD_##x, PTX_MOD_##y},
#define TABLE(n) .table = HAS_TABLE | (n),
#define ANY_TABLE .table = TAKES_ANY_TABLE,
#define PARTS(n) .parts = (n),
#define BOTH(n) .parts = BOTH_SIDES + (n),
#define REGISTER(n) .registers = (n),
#define BY(x) .read = ir_read_##x,
#define SPACE(x) .spaces = SPACE_##x,
#define SPACE2(x, y) .spaces = SPACE_##x | SPACE_##y,
#define SPACE3(x, y, z) .spaces = SPACE_##x | SPACE_##y | SPACE_##z,

#define KEY(name, ...) [IR_VALUE_##name] = {__VA_ARGS__},
static const struct key keys[IR_VALUE_COUNT] = {
#define VALUE1(name, law, d, a, x, ...) KEY(name, __VA_ARGS__)
#define VALUE2(name, law, d, a, b, x, ...) KEY(name, __VA_ARGS__)
#define VALUE3(name, law, d, a, b, c, x, ...) KEY(name, __VA_ARGS__)
#define VALUE4(name, law, d, a, b, c, e, x, ...) KEY(name, __VA_ARGS__)
#define TESTED3 VALUE3
#define LOOKUP3 VALUE3
#define FOUR2 VALUE2
#define SELECT(name, law, d, x, ...) KEY(name, __VA_ARGS__)
#define COMPARE(name, law, d, x, ...) KEY(name, __VA_ARGS__)
#define TEST1 COMPARE
#define HALF1(name, law, x, ...) KEY(name, __VA_ARGS__)
#define HALF2 HALF1
#define PREDICATE1(name, law, x, ...) KEY(name, __VA_ARGS__)
#define PREDICATE2(name, law, x, ...) KEY(name, __VA_ARGS__)
#define CARRY2(name, law, d, flip, r, carry, ...) KEY(name, __VA_ARGS__)
#define CARRY3(name, law, d, a, loop, product, ...) KEY(name, __VA_ARGS__)
#define COPY_PARTS(name, law, d, count, ...) KEY(name, __VA_ARGS__)
#define PACK(name, law, d, count, bits, ...) KEY(name, __VA_ARGS__)
#define UNPACK(name, law, d, count, bits, ...) KEY(name, __VA_ARGS__)
#include "ir/value.def"
};

static const uint16_t first_of[PTX_ISA_COUNT] = {
#define FORM(isa) [PTX_ISA_##isa] = IR_VALUE_FIRST_##isa,
#define SAME(isa, as) [PTX_ISA_##isa] = IR_VALUE_FIRST_##as,
#include "ir/value.def"
};

static const bool is_first[IR_VALUE_COUNT + 1] = {
#define FORM(isa) [IR_VALUE_FIRST_##isa] = true,
#include "ir/value.def"
    [IR_VALUE_COUNT] = true,
};

// What a row is; the first row of a form says of which shape all are, but for COPIES_PARTS.
enum trait { COMPARES = 1, CARRIES = 2, COPIES_PARTS = 4, IS_OF_HALVES = 8 };
static const uint8_t traits[IR_VALUE_COUNT] = {
#define COMPARE(name, ...) [IR_VALUE_##name] = COMPARES,
#define CARRY2(name, ...) [IR_VALUE_##name] = CARRIES,
#define CARRY3 CARRY2
#define COPY_PARTS(name, ...) [IR_VALUE_##name] = COPIES_PARTS,
#define HALF1(name, ...) [IR_VALUE_##name] = IS_OF_HALVES,
#define HALF2 HALF1
#include "ir/value.def"
};

static const bool takes_carry[PTX_ISA_COUNT] = {
#define TAKES_CARRY(isa) [PTX_ISA_##isa] = true,
#include "ir/value.def"
};

bool ir_reads_carry(const struct ptx_instruction *ptx) {
    return takes_carry[ptx->isa];
}

// ---- What an instruction asks for -----------------------------------------------------------

struct wanted {
    uint64_t types, to;
    uint16_t modifiers[MOST_MODIFIERS];
    unsigned modifier_count;
    uint16_t table;
    int parts;
    unsigned registers, spaces;
};

static bool is_passed_over(enum ptx_group group) {
    return group == PTX_GROUP_bool || group == PTX_GROUP_cc || group == PTX_GROUP_to ||
           group == PTX_GROUP_space;
}

// False: there are more than any row asks for.
static bool read_modifiers(const struct ptx_instruction *ptx, struct wanted *out) {
    for (int group = 0; group < PTX_GROUP_COUNT; group++) {
        if (!ptx->modifiers[group] || is_passed_over((enum ptx_group)group))
            continue;
        if (out->modifier_count == MOST_MODIFIERS)
            return false;
        out->modifiers[out->modifier_count++] = ptx->modifiers[group];
    }
    return true;
}

static unsigned space_of(const struct ptx_instruction *ptx) {
    switch (ptx_modifier_of(ptx, PTX_GROUP_space)) {
    case PTX_MOD_shared:
    case PTX_MOD_shared_cta:
        return SPACE_SHARED;
    case PTX_MOD_shared_cluster:
        return SPACE_CLUSTER;
    case PTX_MOD_local:
        return SPACE_LOCAL;
    case PTX_MOD_const:
        return SPACE_CONST;
    case PTX_MOD_param:
    case PTX_MOD_param_entry:
        return SPACE_PARAM;
    default:
        return SPACE_GLOBAL;
    }
}

// How many parts a vector of registers has: see PARTS and BOTH.
static int parts_of(const struct ir_instruction *instruction) {
    const struct ir_operand *d = &instruction->operands[0], *a = &instruction->operands[1];
    if (d->kind == IR_OPERAND_VECTOR)
        return a->kind != IR_OPERAND_VECTOR           ? -(int)d->element_count
               : a->element_count == d->element_count ? BOTH_SIDES + (int)d->element_count
                                                      : INT32_MAX;
    return a->kind == IR_OPERAND_VECTOR ? (int)a->element_count : 0;
}

static unsigned unsigned_type(unsigned type) {
    switch (type) {
    case PTX_S8:
        return PTX_U8;
    case PTX_S16:
        return PTX_U16;
    case PTX_S32:
        return PTX_U32;
    case PTX_S64:
        return PTX_U64;
    default:
        return type;
    }
}

// A conversion looks at the register that it goes to.
static void read_register(const struct ir_function *function,
                          const struct ir_instruction *instruction, struct wanted *out) {
    const struct ir_operand *d = &instruction->operands[0];
    const unsigned to = instruction->ptx->types[0], from = instruction->ptx->types[1];
    const unsigned bytes = ptx_type_bytes((enum ptx_type)to);
    out->registers =
        d->kind == IR_OPERAND_REGISTER ? ptx_type_bytes(function->registers[d->reg].type) : bytes;
    if (out->registers <= bytes && ptx_type_class((enum ptx_type)from) != PTX_CLASS_FLOAT)
        out->to = 1ull << unsigned_type(to);
}

static bool read_wanted(const struct ir_function *function,
                        const struct ir_instruction *instruction, struct wanted *out) {
    const struct ptx_instruction *ptx = instruction->ptx;
    *out = (struct wanted){.spaces = space_of(ptx), .parts = parts_of(instruction)};
    out->to = 1ull << ptx->types[0];
    out->types = 1ull << ptx->types[ptx->type_count ? ptx->type_count - 1 : 0];
    if (instruction->operand_count > 4 && instruction->operands[4].value <= 0xff)
        out->table = (uint16_t)(HAS_TABLE | instruction->operands[4].value);
    if (ptx->isa == PTX_ISA_cvt_plain)
        read_register(function, instruction, out);
    return read_modifiers(ptx, out);
}

// ---- Which row fits -------------------------------------------------------------------------

static bool has_modifier(const uint16_t *modifiers, unsigned count, uint16_t modifier) {
    for (unsigned i = 0; i < count; i++)
        if (modifiers[i] == modifier)
            return true;
    return false;
}

static bool modifiers_fit(const struct key *key, const struct wanted *wanted) {
    for (unsigned i = 0; i < wanted->modifier_count; i++)
        if (!has_modifier(key->modifiers, MOST_MODIFIERS, wanted->modifiers[i]) &&
            !has_modifier(key->may, 2, wanted->modifiers[i]))
            return false;
    for (unsigned i = 0; i < MOST_MODIFIERS && key->modifiers[i]; i++)
        if (!has_modifier(wanted->modifiers, wanted->modifier_count, key->modifiers[i]))
            return false;
    return true;
}

static bool fits(const struct key *key, const struct wanted *wanted) {
    return (key->types & wanted->types) && (!key->to || (key->to & wanted->to)) &&
           (!key->registers || (key->registers & wanted->registers)) &&
           (!key->spaces || (key->spaces & wanted->spaces)) && key->parts == wanted->parts &&
           (!key->table || key->table == wanted->table ||
            (key->table == TAKES_ANY_TABLE && wanted->table)) &&
           modifiers_fit(key, wanted);
}

static bool is_wide(enum ir_kind kind) {
    return kind == IR_KIND_u64 || kind == IR_KIND_s64 || kind == IR_KIND_f64;
}

static unsigned lane_bytes(const struct ir_function *function, const struct ir_operand *operand) {
    if (operand->kind == IR_OPERAND_IMMEDIATE || operand->kind == IR_OPERAND_SREG)
        return operand->bytes;
    if (operand->kind != IR_OPERAND_REGISTER)
        return 0;
    const enum ir_class class = function->registers[operand->reg].class;
    return class == IR_CLASS_64 ? 8 : class == IR_CLASS_32 ? 4 : 0;
}

// Of a vector, the parts of which are taken as they are.
static bool parts_fit(const struct ir_function *function, const struct ir_operand *vector,
                      enum ir_kind kind) {
    for (uint32_t i = 0; i < vector->element_count; i++) {
        const struct ir_operand *part = &vector->elements[i];
        const unsigned bytes =
            part->kind == IR_OPERAND_SYMBOL ? part->bytes : lane_bytes(function, part);
        if (part->kind != IR_OPERAND_SINK && bytes != (is_wide(kind) ? 8u : 4u))
            return false;
    }
    return true;
}

// Some instructions take registers that are wider than the type.
static bool lanes_fit(const struct ir_function *function, const struct ir_instruction *instruction,
                      enum ir_value value) {
    const struct ir_value_row *row = ir_value_row(value);
    for (uint32_t i = 0; i < instruction->operand_count && i <= 4; i++) {
        const enum ir_kind kind = i == 0 ? row->result : row->operands[i - 1];
        const struct ir_operand *operand = &instruction->operands[i];
        const unsigned bytes = lane_bytes(function, operand);
        if (bytes && kind != IR_KIND_none && kind != IR_KIND_pred && (bytes == 8) != is_wide(kind))
            return false;
        if (traits[value] == COPIES_PARTS && !parts_fit(function, operand, kind))
            return false;
    }
    return true;
}

static enum ir_value find(const struct ir_function *function,
                          const struct ir_instruction *instruction, const struct wanted *wanted,
                          struct ir_form *form) {
    unsigned value = first_of[instruction->ptx->isa];
    do {
        const struct key *key = &keys[value];
        const bool is_fit = key->read ? (!key->to || (key->to & wanted->to)) &&
                                            key->read(function, instruction, form)
                                      : fits(key, wanted);
        if (is_fit && lanes_fit(function, instruction, (enum ir_value)value))
            return (enum ir_value)value;
    } while (!is_first[++value]);
    return IR_VALUE_NONE;
}

// ---- Comparisons ----------------------------------------------------------------------------

// By which row a setp or set compares: eq, lt, le, ne or num.
struct comparison {
    enum ptx_modifier row;
    bool swaps;         // the operands change places
    uint32_t immediate; // IR_COMPARE_NOT, IR_COMPARE_BOOL, IR_COMPARE_PACKED
};

static bool find_way(bool is_float, enum ptx_modifier cmp, struct comparison *out) {
    enum { INTEGER, FLOAT };
    static const struct {
        bool is_float;
        enum ptx_modifier cmp;
        struct comparison way;
    } ways[] = {
#define WAY(class, cmp, row, complements, swaps)                                                   \
    {class, PTX_MOD_##cmp, {PTX_MOD_##row, swaps, complements ? IR_COMPARE_NOT : 0}},
#include "ir/value.def"
    };
    for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (ways[i].is_float == is_float && ways[i].cmp == cmp) {
            *out = ways[i].way;
            return true;
        }
    }
    return false;
}

static uint32_t true_of_pair(enum ptx_type type) {
    switch (type) {
    case PTX_U32:
    case PTX_S32:
        return 0xffff;
    case PTX_F16X2:
        return 0x3c00;
    case PTX_BF16X2:
        return 0x3f80;
    default:
        return 0;
    }
}

uint32_t ir_true_of(const struct ptx_instruction *set) {
    const enum ptx_type from = (enum ptx_type)set->types[set->type_count - 1];
    if (ptx_type_class(from) == PTX_CLASS_PACKED)
        return true_of_pair((enum ptx_type)set->types[0]);
    switch (set->types[0]) {
    case PTX_U32:
    case PTX_S32:
        return UINT32_MAX;
    case PTX_U16:
    case PTX_S16:
        return 0xffff;
    case PTX_F32:
        return 0x3f800000;
    case PTX_F16:
        return 0x3c00;
    case PTX_BF16:
        return 0x3f80;
    default:
        return 0;
    }
}

static bool comparison_of(const struct ir_instruction *instruction, struct comparison *out) {
    static const uint8_t bits[PTX_MOD_COUNT] = {[PTX_MOD_and] = IR_COMPARE_AND,
                                                [PTX_MOD_or] = IR_COMPARE_OR,
                                                [PTX_MOD_xor] = IR_COMPARE_XOR};
    const struct ptx_instruction *ptx = instruction->ptx;
    const enum ptx_type type = (enum ptx_type)ptx->types[ptx->type_count - 1];
    const enum ptx_type_class class = ptx_type_class(type);
    const uint32_t combined = bits[ptx_modifier_of(ptx, PTX_GROUP_bool)];
    if (!find_way(class == PTX_CLASS_FLOAT || class == PTX_CLASS_PACKED,
                  ptx_modifier_of(ptx, PTX_GROUP_cmp), out))
        return false;
    out->immediate |= combined | (class == PTX_CLASS_PACKED ? IR_COMPARE_PACKED : 0);
    // The third predicate is there when, and only when, it is combined with. Of halves the second
    // destination is for the high ones.
    const bool is_half = type == PTX_F16 || type == PTX_BF16;
    return (instruction->operand_count > 3) == (combined != 0) &&
           (ptx->type_count == 1 || ir_true_of(ptx)) &&
           !(is_half && instruction->operands[0].pair != IR_NONE);
}

static bool read_comparison(const struct ir_instruction *instruction, struct wanted *wanted,
                            struct ir_meaning *out) {
    const enum ptx_modifier cmp = ptx_modifier_of(instruction->ptx, PTX_GROUP_cmp);
    struct comparison comparison;
    if (!comparison_of(instruction, &comparison))
        return false;
    for (unsigned i = 0; i < wanted->modifier_count; i++)
        if (wanted->modifiers[i] == cmp)
            wanted->modifiers[i] = (uint16_t)comparison.row;
    out->swaps = comparison.swaps;
    out->immediate = comparison.immediate;
    return true;
}

// ---- The whole instruction ------------------------------------------------------------------

uint32_t ir_half_of(enum ptx_type type) {
    return (type == PTX_F16X2 || type == PTX_BF16X2 ? IR_HALF_PACKED : 0) |
           (type == PTX_BF16 || type == PTX_BF16X2 ? IR_HALF_BF16 : 0);
}

struct ir_meaning ir_meaning_of(const struct ir_function *function,
                                const struct ir_instruction *instruction) {
    const struct ptx_instruction *ptx = instruction->ptx;
    const unsigned first = first_of[ptx->isa];
    struct ir_meaning meaning = {.value = IR_VALUE_NONE};
    struct wanted wanted;
    if (!first || instruction->is_contracted || !read_wanted(function, instruction, &wanted) ||
        (traits[first] == COMPARES && !read_comparison(instruction, &wanted, &meaning)))
        return meaning;
    meaning.value = find(function, instruction, &wanted, &meaning.form);
    if (keys[meaning.value].read)
        meaning.immediate = meaning.form.immediate;
    if (keys[meaning.value].table)
        meaning.immediate = (wanted.table & 0xff) |
                            (ptx_modifier_of(ptx, PTX_GROUP_bool) == PTX_MOD_and ? IR_LOP3_AND : 0);
    if (traits[first] == IS_OF_HALVES)
        meaning.immediate = ir_half_of((enum ptx_type)ptx->types[0]);
    if (traits[first] == CARRIES)
        meaning.immediate =
            (takes_carry[ptx->isa] ? IR_CARRY_READ : 0) | (PTX_HAS(ptx, cc) ? IR_CARRY_WRITTEN : 0);
    return meaning;
}
