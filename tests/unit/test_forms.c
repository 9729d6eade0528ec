// Forms of registers (compile/forms.c), against what the rows of value.def compute in 32 lanes:
// where a ramp is foretold, and no range has to be looked at or it was, there is one, with as many
// zeros and in such bounds as were foretold.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "compile/forms.h"
#include "random_bits.h"

enum { ROUNDS = 10000, SOURCES = 4, TO = SOURCES };

static bool has_form(enum ir_kind kind) {
    return kind == IR_KIND_u32 || kind == IR_KIND_s32 || kind == IR_KIND_u64 || kind == IR_KIND_s64;
}

static unsigned bits_of(enum ir_kind kind) {
    return kind == IR_KIND_u64 || kind == IR_KIND_s64 ? 64 : 32;
}

static uint64_t cut(uint64_t x, unsigned bits) {
    return bits == 64 ? x : (uint32_t)x;
}

// Lane 0's value and a form that holds of all lanes.
struct subject {
    struct form form;
    uint64_t lanes[LANES];
};

static struct subject draw(unsigned bits) {
    static const int64_t strides[] = {0, 0, 1, 1, 2, 4, 8, 16, 128, 3, -4, 1 << 20, 1ll << 30};
    struct subject s = {.form = {.kind = FORM_RAMP, .bits = FORM_ANY_BITS}};
    const uint64_t drawn = random_bits();
    s.form.stride = strides[drawn % (sizeof strides / sizeof *strides)];
    uint64_t first = drawn >> 8 & 1 ? random_bits() : random_bits() % 4096;
    const unsigned zeros = (unsigned)(drawn >> 16) % 12;
    first = cut(first >> zeros << zeros, bits);
    first = drawn >> 9 & 7 ? first : 0;
    s.form.zeros = first ? (uint8_t)zeros : 64;
    uint64_t any = 0;
    if (s.form.stride && drawn >> 41 & 1)
        s.form.flip = (uint8_t)((drawn >> 42) % LANES);
    for (int l = 0; l < LANES; l++)
        any |= s.lanes[l] =
            cut(first + (uint64_t)(l ^ s.form.flip) * (uint64_t)s.form.stride, bits);
    if (any < 1u << 30 && drawn >> 40 & 1)
        s.form.bits = (uint8_t)(any ? 64 - __builtin_clzll(any) : 0);
    return s;
}

static struct op_source source_of(const struct subject *s, unsigned n, unsigned bits) {
    const bool is_constant = s->form.stride == 0 && random_bits() & 1;
    struct op_source source = {.kind = is_constant ? SOURCE_CONSTANT : SOURCE_REGISTER,
                               .reg = n,
                               .bytes = bits / 8,
                               .value = s->lanes[0]};
    source.form = s->form;
    if (is_constant) {
        source.form.zeros = s->lanes[0] ? (uint8_t)__builtin_ctzll(s->lanes[0]) : 64;
        source.form.bits = s->lanes[0] ? (uint8_t)(64 - __builtin_clzll(s->lanes[0])) : 0;
    }
    return source;
}

// As native code asks: whether the ramps of narrow operands do not wrap.
static bool fits(const struct ir_value_row *row, const struct op *op, const struct subject *in) {
    for (unsigned i = 0; op->checks_range && i < op->source_count; i++) {
        if (bits_of(row->operands[i]) == 64 || in[i].form.stride == 0)
            continue;
        const bool is_signed = row->operands[i] == IR_KIND_s32;
        const int64_t first = is_signed ? (int32_t)in[i].lanes[0] : (int64_t)in[i].lanes[0];
        const int64_t last = first + (LANES - 1) * in[i].form.stride;
        if (is_signed ? last != (int32_t)last : last != (int64_t)(uint32_t)last)
            return false;
    }
    return true;
}

static void hold(enum ir_value value, const struct op *op, const struct form *found,
                 const struct subject *in) {
    const struct ir_value_row *row = ir_value_row(value);
    const unsigned bits = bits_of(row->result);
    uint64_t first = 0;
    for (int l = 0; l < LANES; l++) {
        struct ir_lane lane = {0};
        for (unsigned i = 0; i < op->source_count; i++)
            lane.in[i] = in[i].lanes[l];
        ir_value_run(value, op->meaning.immediate, &lane);
        const uint64_t out = cut(lane.out[0], bits);
        first = l ? first : out;
        const uint64_t distance = (uint64_t)((l ^ found->flip) - found->flip);
        bool good = found->kind != FORM_RAMP ||
                    out == cut(first + distance * (uint64_t)found->stride, bits);
        good = good && (found->bits >= bits || out >> found->bits == 0);
        good =
            good && (l != found->flip || found->kind != FORM_RAMP || found->zeros == 0 ||
                     (found->zeros >= bits ? out == 0 : (out & ((1ull << found->zeros) - 1)) == 0));
        if (good)
            continue;
        fail_msg("%s, lane %d is %llx, lane 0 %llx: stride %lld, flip %u, %u zeros, %u bits",
                 row->name, l, (unsigned long long)out, (unsigned long long)first,
                 (long long)found->stride, found->flip, found->zeros, found->bits);
    }
}

static void try_row(enum ir_value value, uint64_t *ramps, uint64_t *exchanged) {
    const struct ir_value_row *row = ir_value_row(value);
    struct op op = {.kind = OP_VALUE, .guard = IR_NONE, .to = TO, .pair = IR_NONE};
    struct subject in[SOURCES];
    struct form forms[SOURCES + 1];
    op.meaning.value = value;
    while (op.source_count < SOURCES && row->operands[op.source_count] != IR_KIND_none) {
        const unsigned n = op.source_count++, bits = bits_of(row->operands[n]);
        in[n] = draw(bits);
        op.sources[n] = source_of(&in[n], n, bits);
        forms[n] = in[n].form;
    }
    forms_step(NULL, &op, forms);
    if (!fits(row, &op, in))
        return;
    *ramps += forms[TO].kind == FORM_RAMP && forms[TO].stride != 0;
    *exchanged += forms[TO].flip != 0;
    hold(value, &op, &forms[TO], in);
}

static void rows_make_the_forms_that_are_foretold(void **state) {
    (void)state;
    uint64_t ramps = 0, exchanged = 0, rows = 0;
    for (enum ir_value value = IR_VALUE_NONE + 1; value < IR_VALUE_COUNT; value++) {
        const struct ir_value_row *row = ir_value_row(value);
        bool is_whole = has_form(row->result) && !row->is_formed && !row->sees_own;
        for (unsigned i = 0; i < SOURCES && row->operands[i] != IR_KIND_none; i++)
            is_whole &= has_form(row->operands[i]);
        if (!is_whole)
            continue;
        rows++;
        for (int round = 0; round < ROUNDS; round++)
            try_row(value, &ramps, &exchanged);
    }
    assert_true(rows > 60);
    assert_true(ramps > 2000);
    assert_true(exchanged > 500);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_make_the_forms_that_are_foretold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
