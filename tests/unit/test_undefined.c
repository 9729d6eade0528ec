// ir/undefined.c against what comes of all values that undefined bits may have: no bit that changes
// is left out, and none is in the shadow that does not where the law says so.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "ir/undefined.h"
#include "random_bits.h"

enum { ROUNDS = 60, MOST_UNDEFINED = 6 };

// Sources are %rN, %rdN or %pN from 1 on; 0 is the destination.
static const char *const exact[] = {
    "and.b32 %r0, %r1, %r2",
    "or.b32 %r0, %r1, %r2",
    "xor.b32 %r0, %r1, %r2",
    "not.b32 %r0, %r1",
    "and.b64 %rd0, %rd1, %rd2",
    "and.b32 %r0, %r1, 0xff00ff",
    "lop3.b32 %r0, %r1, %r2, %r3, 0xca",
    "lop3.b32 %r0, %r1, %r2, %r3, 0x1b",
    "mov.b32 %r0, %r1",
    "mov.b64 %rd0, %rd1",
    "mov.b64 %rd0, {%r1, %r2}",
    "cvt.u64.u32 %rd0, %r1",
    "cvt.s64.s32 %rd0, %r1",
    "cvt.u32.u64 %r0, %rd1",
    "cvt.s32.s8 %r0, %r1",
    "cvt.u32.u8 %r0, %r1",
    "shl.b32 %r0, %r1, 3",
    "shr.u32 %r0, %r1, 5",
    "shr.s32 %r0, %r1, 7",
    "shl.b64 %rd0, %rd1, 40",
    "brev.b32 %r0, %r1",
    "bfe.u32 %r0, %r1, 4, 7",
    "bfe.s32 %r0, %r1, 4, 7",
    "bfi.b32 %r0, %r1, %r2, 5, 9",
    "prmt.b32 %r0, %r1, %r2, 0x4061",
    "shf.l.wrap.b32 %r0, %r1, %r2, 9",
    "selp.b32 %r0, %r1, %r2, %p1",
    "and.pred %p0, %p1, %p2",
    "or.pred %p0, %p1, !%p2",
    "not.pred %p0, %p1",
    "setp.eq.u32 %p0, %r1, %r2",
    "setp.ne.u32 %p0, %r1, 5",
    "setp.lt.u32 %p0, %r1, %r2",
    "setp.ge.s32 %p0, %r1, %r2",
    "setp.gt.s64 %p0, %rd1, %rd2",
    "setp.lt.s32 %p0, %r1, 0",
};
static const char *const sound[] = {
    "add.u32 %r0, %r1, %r2",
    "sub.u64 %rd0, %rd1, %rd2",
    "neg.s32 %r0, %r1",
    "mul.lo.u32 %r0, %r1, %r2",
    "mul.wide.s32 %rd0, %r1, %r2",
    "mad.lo.u32 %r0, %r1, %r2, %r3",
    "mul.hi.u32 %r0, %r1, %r2",
    "div.u32 %r0, %r1, %r2",
    "rem.s32 %r0, %r1, %r2",
    "min.s32 %r0, %r1, %r2",
    "max.u32 %r0, %r1, %r2",
    "popc.b32 %r0, %r1",
    "clz.b32 %r0, %r1",
    "shl.b32 %r0, %r1, %r2",
    "bfe.u32 %r0, %r1, %r2, 5",
    "add.f32 %r0, %r1, %r2",
    "setp.lt.f32 %p0, %r1, %r2",
    "setp.eq.and.u32 %p0, %r1, %r2, %p1",
    "setp.lt.or.s32 %p0, %r1, %r2, %p1",
    "abs.s32 %r0, %r1",
    "sad.u32 %r0, %r1, %r2, %r3",
};

struct subject {
    char text[512];
    struct source source;
    struct diag_list diags;
    struct ptx_module *ptx;
    struct ir_module *ir;
    const struct ir_function *function;
    const struct ir_instruction *instruction;
    unsigned sources;
    uint64_t width[IR_VALUE_PARTS], result; // masks
};

static uint64_t mask_of(const struct ir_function *function, const struct ir_operand *operand) {
    if (operand->kind != IR_OPERAND_REGISTER)
        return 0;
    const unsigned bytes = ptx_type_bytes(function->registers[operand->reg].type);
    return bytes ? UINT64_MAX >> (64 - 8 * bytes) : 1;
}

static void add_source(struct subject *s, const struct ir_operand *operand) {
    s->width[s->sources++] = mask_of(s->function, operand);
}

static void parse(struct subject *s, const char *text) {
    *s = (struct subject){0};
    const int length =
        snprintf(s->text, sizeof s->text,
                 ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() {\n"
                 ".reg .b32 %%r<8>;\n.reg .b64 %%rd<8>;\n.reg .pred %%p<8>;\n%s;\nret;\n}\n",
                 text);
    s->source = (struct source){"k", s->text, (size_t)length};
    s->ptx = ptx_parse(&s->source, &s->diags);
    s->ir = s->diags.errors ? NULL : ir_build(s->ptx, &s->diags);
    if (!s->ir)
        fail_msg("%s", text);
    s->function = ir_find_function(s->ir, "k");
    s->instruction = &s->function->instructions[0];
    s->result = mask_of(s->function, &s->instruction->operands[0]);
    for (uint32_t i = 1; i < s->instruction->operand_count; i++) {
        const struct ir_operand *operand = &s->instruction->operands[i];
        if (operand->kind != IR_OPERAND_VECTOR)
            add_source(s, operand);
        for (uint32_t e = 0; operand->kind == IR_OPERAND_VECTOR && e < operand->element_count; e++)
            add_source(s, &operand->elements[e]);
    }
}

static void forget(struct subject *s) {
    ir_free(s->ir);
    ptx_module_free(s->ptx);
    diag_free(&s->diags);
}

// Values that are alike now and then, and some undefined bits of them.
static void choose(const struct subject *s, struct ir_lane *lane, struct ir_shadow *shadow) {
    const uint64_t common = random_bits();
    *lane = (struct ir_lane){0};
    *shadow = (struct ir_shadow){0};
    for (unsigned i = 0; i < s->sources; i++) {
        const struct ir_operand *operand = &s->instruction->operands[i + 1];
        lane->in[i] =
            (random_bits() & 1 ? common : random_bits() >> random_bits() % 60) & s->width[i];
        if (!s->width[i])
            lane->in[i] = operand->value;
    }
    for (unsigned n = 0; n < MOST_UNDEFINED; n++) {
        const unsigned i = (unsigned)(random_bits() % s->sources);
        shadow->in[i] |= UINT64_C(1) << random_bits() % 64 & s->width[i];
    }
}

// Bits of the result that differ between any two of the values that may be.
static uint64_t changing(const struct subject *s, const struct ir_lane *lane,
                         const struct ir_shadow *shadow) {
    uint64_t ones = 0, zeros = 0;
    for (unsigned choice = 0; choice < 1u << MOST_UNDEFINED; choice++) {
        struct ir_lane tried = *lane;
        unsigned bit = 0;
        for (unsigned i = 0; i < s->sources; i++)
            for (uint64_t rest = shadow->in[i]; rest; rest &= rest - 1, bit++)
                tried.in[i] ^= choice >> bit & 1 ? rest & (~rest + 1) : 0;
        assert_true(ir_evaluate(s->function, s->instruction, &tried));
        ones |= tried.out[0];
        zeros |= ~tried.out[0];
    }
    return ones & zeros & s->result;
}

static void check(const char *text, bool is_exact) {
    struct subject s;
    parse(&s, text);
    const struct ir_meaning meaning = ir_meaning_of(s.function, s.instruction);
    for (int round = 0; round < ROUNDS; round++) {
        struct ir_lane lane;
        struct ir_shadow shadow;
        choose(&s, &lane, &shadow);
        ir_undefined(s.function, s.instruction, &meaning, s.sources, &lane, &shadow);
        const uint64_t changes = changing(&s, &lane, &shadow), found = shadow.out[0] & s.result;
        if (changes & ~found || (is_exact && found != changes))
            fail_msg("%s of %llx %llx %llx with %llx %llx %llx undefined: %llx, but %llx changes",
                     text, (unsigned long long)lane.in[0], (unsigned long long)lane.in[1],
                     (unsigned long long)lane.in[2], (unsigned long long)shadow.in[0],
                     (unsigned long long)shadow.in[1], (unsigned long long)shadow.in[2],
                     (unsigned long long)found, (unsigned long long)changes);
    }
    forget(&s);
}

static void test_exact(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++)
        check(exact[i], true);
}

static void test_sound(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof sound / sizeof *sound; i++)
        check(sound[i], false);
}

// What is not known to be undefined is not: nothing undefined, nothing in the result; a product
// with zero, a comparison that is decided by another predicate.
static void test_defined(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint64_t in[3], undefined[3];
    } rows[] = {
        {"add.f32 %r0, %r1, %r2", {1, 2}, {0}},
        {"mul.lo.u32 %r0, %r1, %r2", {7, 0}, {UINT32_MAX, 0}},
        {"and.b32 %r0, %r1, %r2", {7, 0}, {UINT32_MAX, 0}},
        {"setp.lt.and.f32 %p0, %r1, %r2, %p1", {1, 2, 0}, {UINT32_MAX, 0, 0}},
        {"setp.lt.or.f32 %p0, %r1, %r2, %p1", {1, 2, 1}, {UINT32_MAX, 0, 0}},
        {"selp.b32 %r0, %r1, %r2, %p1", {5, 6, 1}, {0, UINT32_MAX, 0}},
        {"shl.b32 %r0, %r1, %r2", {5, 32}, {UINT32_MAX, 0}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct subject s;
        parse(&s, rows[i].text);
        struct ir_lane lane = {0};
        struct ir_shadow shadow = {0};
        memcpy(lane.in, rows[i].in, sizeof rows[i].in);
        memcpy(shadow.in, rows[i].undefined, sizeof rows[i].undefined);
        const struct ir_meaning meaning = ir_meaning_of(s.function, s.instruction);
        ir_undefined(s.function, s.instruction, &meaning, s.sources, &lane, &shadow);
        assert_int_equal(shadow.out[0] & s.result, 0);
        forget(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact),
        cmocka_unit_test(test_sound),
        cmocka_unit_test(test_defined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
