// Rows of ir/value.def: each law against the expression, the scalar evaluator against what an H200
// computed (truth/isa), by interpreting the truth's kernels one thread at a time.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/address.h"
#include "ir/uses.h"
#include "ir/value.h"
#include "isa_truth.h"
#include "random_bits.h"

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

// ---- Operands ---------------------------------------------------------------------------------

static unsigned bits_of(enum ir_kind kind) {
    static const uint8_t bits[] = {
        [IR_KIND_u8] = 8,   [IR_KIND_s8] = 8,   [IR_KIND_u16] = 16, [IR_KIND_s16] = 16,
        [IR_KIND_u32] = 32, [IR_KIND_s32] = 32, [IR_KIND_u64] = 64, [IR_KIND_s64] = 64,
        [IR_KIND_f32] = 32, [IR_KIND_f64] = 64, [IR_KIND_pred] = 1};
    return bits[kind];
}

static bool is_signed(enum ir_kind kind) {
    return kind == IR_KIND_s8 || kind == IR_KIND_s16 || kind == IR_KIND_s32 || kind == IR_KIND_s64;
}

static uint64_t cut(uint64_t x, unsigned bits) {
    return bits == 64 ? x : x & ((1ull << bits) - 1);
}

// Most are near a limit, or small; shift amounts near the width are among these.
static uint64_t random_operand(enum ir_kind kind) {
    const uint64_t near = random_bits() % 5 - 2, rest = random_bits();
    switch (random_bits() % 8) {
    case 0:
        return cut(near, bits_of(kind));
    case 1:
        return cut((1ull << (bits_of(kind) - 1)) + near, bits_of(kind));
    case 2:
        return cut(rest % 72, bits_of(kind));
    case 3:
        return cut((1ull << rest % 64) + near, bits_of(kind));
    case 5: // infinity, and NaN
        return bits_of(kind) == 64 ? 0x7ff0000000000000u + near
                                   : cut(0x7f800000u + near, bits_of(kind));
    case 6: // near the begin of a window
        return bits_of(kind) == 64 ? (rest & 1 ? IR_SHARED_WINDOW : IR_LOCAL_WINDOW) + rest % 4096
                                   : cut(rest, bits_of(kind));
    case 4:
        return cut((rest & 0xff) * 0x0101010101010101u, bits_of(kind));
    default:
        return cut(rest, bits_of(kind));
    }
}

static unsigned operands_of(const struct ir_value_row *row) {
    unsigned count = 0;
    while (count < 4 && row->operands[count] != IR_KIND_none)
        count++;
    return count;
}

struct subject { // a row, and the constant that its expression sees
    enum ir_value value;
    const struct ir_value_row *row;
    uint32_t immediate;
    unsigned bits;
};

static void randomize(const struct subject *s, uint64_t in[4]) {
    memset(in, 0, 4 * sizeof *in);
    for (unsigned i = 0; i < operands_of(s->row); i++)
        in[i] = random_operand(s->row->operands[i]);
}

static uint64_t run(const struct subject *s, const uint64_t in[4]) {
    struct ir_lane lane = {.in = {in[0], in[1], in[2], in[3]}};
    ir_value_run(s->value, s->immediate, &lane);
    assert_int_equal(lane.out[0], cut(lane.out[0], s->bits > 32 ? 64 : 32));
    return cut(lane.out[0], s->bits);
}

// The number that an operand holds.
static wide number(const struct subject *s, const uint64_t in[4], unsigned n) {
    const enum ir_kind kind = s->row->operands[n];
    const unsigned unused = 64 - bits_of(kind);
    if (kind == IR_KIND_none)
        return 0;
    return is_signed(kind) ? (wide)((int64_t)(in[n] << unused) >> unused)
                           : (wide)cut(in[n], bits_of(kind));
}

// ---- Laws: each is a check of one choice of operands
// ---------------------------------------------

static bool copies(const struct subject *s, const uint64_t in[4]) {
    return run(s, in) == cut((uint64_t)number(s, in, 0), s->bits);
}

static bool is_linear(const struct subject *s, const uint64_t in[4]) {
    const uint64_t zero[4] = {0}, offset = run(s, zero);
    uint64_t sum = offset;
    for (unsigned i = 0; i < operands_of(s->row); i++) {
        uint64_t unit[4] = {0};
        unit[i] = 1;
        sum += (run(s, unit) - offset) * (uint64_t)number(s, in, i);
    }
    return run(s, in) == cut(sum, s->bits);
}

static bool is_product(const struct subject *s, const uint64_t in[4]) {
    const unsigned_wide product = (unsigned_wide)number(s, in, 0) * (unsigned_wide)number(s, in, 1);
    return run(s, in) == cut((uint64_t)product + (uint64_t)number(s, in, 2), s->bits);
}

static bool is_product_high(const struct subject *s, const uint64_t in[4]) {
    const unsigned_wide product = (unsigned_wide)number(s, in, 0) * (unsigned_wide)number(s, in, 1);
    const uint64_t high = is_signed(s->row->operands[0]) ? (uint64_t)((wide)product >> s->bits)
                                                         : (uint64_t)(product >> s->bits);
    return run(s, in) == cut(high + (uint64_t)number(s, in, 2), s->bits);
}

static bool divides(const struct subject *s, const uint64_t in[4]) {
    const wide a = number(s, in, 0), b = number(s, in, 1);
    return operands_of(s->row) == 2 && (b == 0 || run(s, in) == cut((uint64_t)(a / b), s->bits));
}

static bool remains(const struct subject *s, const uint64_t in[4]) {
    const wide a = number(s, in, 0), b = number(s, in, 1);
    return operands_of(s->row) == 2 && (b == 0 || run(s, in) == cut((uint64_t)(a % b), s->bits));
}

static bool shifts_left(const struct subject *s, const uint64_t in[4]) {
    const uint64_t by = in[1], a = (uint64_t)number(s, in, 0);
    return run(s, in) == (by < s->bits ? cut(a << by, s->bits) : 0);
}

static bool shifts_right(const struct subject *s, const uint64_t in[4]) {
    const uint64_t by = in[1] < 64 ? in[1] : 64;
    return run(s, in) == cut((uint64_t)(number(s, in, 0) >> by), s->bits);
}

static bool is_bitwise(const struct subject *s, const uint64_t in[4]) {
    const uint64_t mask = random_bits();
    uint64_t other[4], mixed[4];
    randomize(s, other);
    for (unsigned i = 0; i < 4; i++)
        mixed[i] = (in[i] & mask) | (other[i] & ~mask);
    return ((run(s, in) ^ run(s, mixed)) & mask) == 0;
}

// The first `count` operands give bits. The result is linear over single bits, of which each
// appears in places of its own.
static bool routes(const struct subject *s, const uint64_t in[4], unsigned count) {
    uint64_t other[4], sum[4], one[4], seen = 0, routed = 0;
    randomize(s, other);
    memcpy(sum, in, sizeof sum);
    for (unsigned i = 0; i < 4; i++)
        other[i] = i < count ? other[i] : in[i];
    for (unsigned i = 0; i < count; i++)
        sum[i] ^= other[i];
    if (run(s, sum) != (run(s, in) ^ run(s, other)))
        return false;
    for (unsigned i = 0; i < count; i++)
        for (unsigned bit = 0; bit < bits_of(s->row->operands[i]); bit++) {
            memcpy(one, in, sizeof one);
            memset(one, 0, count * sizeof *one);
            one[i] = 1ull << bit;
            const uint64_t places = run(s, one);
            if (places & seen)
                return false;
            seen |= places;
            routed |= in[i] >> bit & 1 ? places : 0;
        }
    return run(s, in) == routed;
}

static bool routes_one(const struct subject *s, const uint64_t in[4]) {
    return routes(s, in, 1);
}

static bool routes_pair(const struct subject *s, const uint64_t in[4]) {
    return operands_of(s->row) > 1 && routes(s, in, 2);
}

static bool is_minimum(const struct subject *s, const uint64_t in[4]) {
    const wide a = number(s, in, 0), b = number(s, in, 1);
    return operands_of(s->row) == 2 && run(s, in) == cut((uint64_t)(a < b ? a : b), s->bits);
}

static bool is_maximum(const struct subject *s, const uint64_t in[4]) {
    const wide a = number(s, in, 0), b = number(s, in, 1);
    return operands_of(s->row) == 2 && run(s, in) == cut((uint64_t)(a > b ? a : b), s->bits);
}

static bool chooses(const struct subject *s, const uint64_t in[4]) {
    if (operands_of(s->row) != 3)
        return false;
    const uint64_t first[4] = {1, 0, in[2]};
    return run(s, in) == (run(s, first) == 1 ? in[0] : in[1]);
}

static bool is_equal(const struct subject *s, const uint64_t in[4]) {
    return operands_of(s->row) == 2 && run(s, in) == (in[0] == in[1]);
}

static bool is_less(const struct subject *s, const uint64_t in[4]) {
    return operands_of(s->row) == 2 && run(s, in) == (number(s, in, 0) < number(s, in, 1));
}

typedef bool (*law_check)(const struct subject *s, const uint64_t in[4]);
static const law_check checks[IR_LAW_COUNT] = {
    [IR_LAW_COPY] = copies,
    [IR_LAW_LINEAR] = is_linear,
    [IR_LAW_PRODUCT] = is_product,
    [IR_LAW_PRODUCT_HIGH] = is_product_high,
    [IR_LAW_QUOTIENT] = divides,
    [IR_LAW_REMAINDER] = remains,
    [IR_LAW_SHIFT_LEFT] = shifts_left,
    [IR_LAW_SHIFT_RIGHT] = shifts_right,
    [IR_LAW_BITWISE] = is_bitwise,
    [IR_LAW_ROUTE] = routes_one,
    [IR_LAW_ROUTE_PAIR] = routes_pair,
    [IR_LAW_MINIMUM] = is_minimum,
    [IR_LAW_MAXIMUM] = is_maximum,
    [IR_LAW_CHOICE] = chooses,
    [IR_LAW_EQUAL] = is_equal,
    [IR_LAW_LESS] = is_less,
};

static const char *const law_names[] = {
#define X(name) #name,
    IR_LAWS(X)
#undef X
};

enum { TRIES = 2000 };

static bool holds(enum ir_value value, enum ir_law law) {
    struct subject s = {value, ir_value_row(value), 0, bits_of(ir_value_row(value)->result)};
    for (int i = 0; i < TRIES; i++) {
        uint64_t in[4];
        randomize(&s, in);
        s.immediate = (uint32_t)random_bits() & 0xff & ~(uint32_t)IR_CARRY_READ;
        if (!checks[law](&s, in))
            return false;
    }
    return true;
}

static void test_laws(void **state) {
    (void)state;
    unsigned with_law = 0, wrong = 0;
    for (unsigned v = IR_VALUE_NONE + 1; v < IR_VALUE_COUNT; v++) {
        const struct ir_value_row *row = ir_value_row((enum ir_value)v);
        if (row->law == IR_LAW_OPAQUE)
            continue;
        with_law++;
        if (holds((enum ir_value)v, row->law))
            continue;
        print_error("%s: %s does not hold\n", row->name, law_names[row->law]);
        wrong++;
    }
    print_message("%u rows, %u of them with a law\n", IR_VALUE_COUNT - 1, with_law);
    assert_int_equal(wrong, 0);
}

// Rows without a law keep none: a check that held of them would be no check.
static void test_opaque_rows(void **state) {
    (void)state;
    unsigned wrong = 0;
    for (unsigned v = IR_VALUE_NONE + 1; v < IR_VALUE_COUNT; v++) {
        const struct ir_value_row *row = ir_value_row((enum ir_value)v);
        if (row->law != IR_LAW_OPAQUE || row->is_formed) // what it is depends on the form
            continue;
        for (unsigned law = IR_LAW_OPAQUE + 1; law < IR_LAW_COUNT; law++) {
            if (!holds((enum ir_value)v, (enum ir_law)law))
                continue;
            print_error("%s is opaque, but %s holds\n", row->name, law_names[law]);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

// ---- A thread of a kernel, by the evaluator
// -------------------------------------------------------

struct thread {
    const struct ir_function *function;
    uint64_t *registers;
    uint64_t parameters[2];
    uint32_t index, threads;
    bool carry;
};

static uint64_t sreg_of(const struct thread *t, enum ptx_sreg sreg) {
    return sreg == PTX_SREG_tid_x     ? t->index % t->threads
           : sreg == PTX_SREG_ctaid_x ? t->index / t->threads
                                      : t->threads;
}

static uint64_t read_operand(const struct thread *t, const struct ir_operand *operand) {
    switch (operand->kind) {
    case IR_OPERAND_REGISTER:
        return t->registers[operand->reg];
    case IR_OPERAND_SREG:
        return sreg_of(t, operand->sreg);
    default:
        return operand->value;
    }
}

static void write_operand(struct thread *t, const struct ir_operand *operand, uint64_t value) {
    if (operand->kind == IR_OPERAND_REGISTER)
        t->registers[operand->reg] = value;
}

static void *address_of(struct thread *t, const struct ir_operand *operand) {
    if (operand->reg == IR_NONE)
        return (uint8_t *)t->parameters + operand->variable->offset + operand->value;
    return (void *)(uintptr_t)(t->registers[operand->reg] + operand->value);
}

// Loads and stores of one register. False: the instruction is none.
static bool access_memory(struct thread *t, const struct ir_instruction *instruction) {
    const struct ir_operand *first = &instruction->operands[0], *second = &instruction->operands[1];
    const enum ptx_type type = (enum ptx_type)instruction->ptx->types[0];
    uint64_t value = 0;
    if (instruction->ptx->isa == PTX_ISA_ld_any || instruction->ptx->isa == PTX_ISA_ld_param) {
        memcpy(&value, address_of(t, second), ptx_type_bytes(type));
        write_operand(t, first, value);
        return true;
    }
    if (instruction->ptx->isa != PTX_ISA_st_any)
        return false;
    value = read_operand(t, second);
    memcpy(address_of(t, first), &value, ptx_type_bytes(type));
    return true;
}

static unsigned read_sources(const struct thread *t, const struct ir_instruction *instruction,
                             struct ir_lane *lane) {
    unsigned count = 0;
    for (uint32_t i = 1; i < instruction->operand_count; i++) {
        const struct ir_operand *operand = &instruction->operands[i];
        const bool is_vector = operand->kind == IR_OPERAND_VECTOR;
        for (uint32_t e = 0; e < (is_vector ? operand->element_count : 1); e++)
            lane->in[count++] = read_operand(t, is_vector ? &operand->elements[e] : operand);
    }
    return count;
}

// False: the evaluator does not know the instruction.
static bool step(struct thread *t, const struct ir_instruction *instruction) {
    struct ir_lane lane = {.carry = t->carry};
    if (instruction->guard != IR_NONE &&
        (t->registers[instruction->guard] != 0) == instruction->guard_negated)
        return true;
    if (access_memory(t, instruction))
        return true;
    read_sources(t, instruction, &lane);
    if (!ir_evaluate(t->function, instruction, &lane))
        return false;
    const struct ir_operand *d = &instruction->operands[0];
    if (d->kind == IR_OPERAND_VECTOR)
        for (uint32_t e = 0; e < d->element_count; e++)
            write_operand(t, &d->elements[e], lane.out[e]);
    else
        write_operand(t, d, lane.out[0]);
    if (d->pair != IR_NONE)
        t->registers[d->pair] = lane.second;
    t->carry = lane.carry;
    return true;
}

// Loads and stores of one register, without a sign to extend, stand around the form.
static bool is_plain_access(const struct ir_instruction *instruction) {
    const enum ptx_isa isa = instruction->ptx->isa;
    return isa == PTX_ISA_ld_param ||
           ((isa == PTX_ISA_ld_any || isa == PTX_ISA_st_any) && !PTX_HAS(instruction->ptx, vec) &&
            ptx_type_class((enum ptx_type)instruction->ptx->types[0]) != PTX_CLASS_SIGNED);
}

static bool is_known(const struct ir_function *function) {
    for (uint32_t i = 0; i < function->instruction_count; i++) {
        const struct ir_instruction *instruction = &function->instructions[i];
        if (!is_plain_access(instruction) && instruction->ptx->isa != PTX_ISA_ret_any &&
            ir_meaning_of(function, instruction).value == IR_VALUE_NONE)
            return false;
    }
    return true;
}

static void run_thread(const struct ir_function *function, const struct truth_form *form,
                       uint32_t index, uint8_t *out) {
    struct thread t = {.function = function,
                       .registers = calloc(function->register_count + 1, sizeof *t.registers),
                       .parameters = {(uintptr_t)form->table->data, (uintptr_t)out},
                       .index = index,
                       .threads = form->block};
    for (uint32_t i = 0; i < function->instruction_count; i++)
        if (function->instructions[i].ptx->isa != PTX_ISA_ret_any)
            assert_true(step(&t, &function->instructions[i]));
    free(t.registers);
}

static bool agrees(const struct ir_function *function, const struct truth_form *form) {
    const size_t bytes = form->results.row_bytes;
    uint8_t *out = calloc(form->table->rows, bytes);
    bool is_equal = true;
    for (uint32_t row = 0; row < form->table->rows; row++) {
        run_thread(function, form, row, out);
        is_equal &= truth_row_agrees(form, form->expect + row * bytes, out + row * bytes);
    }
    free(out);
    return is_equal;
}

static char *module_text(const struct truth_file *file) {
    size_t size = strlen(file->head) + 1;
    for (unsigned i = 0; i < file->form_count; i++)
        size += strlen(file->forms[i].kernel);
    char *text = malloc(size), *at = text;
    at += sprintf(at, "%s", file->head);
    for (unsigned i = 0; i < file->form_count; i++)
        at += sprintf(at, "%s", file->forms[i].kernel);
    return text;
}

struct family {
    const char *name;
    unsigned evaluated; // forms, of those in the file
};

static void test_truth(void **state) {
    const struct family *family = *state;
    const char *root = getenv("BANKRUN_SOURCE");
    char path[512], error[256], name[16];
    struct truth_file file;
    struct diag_list diags = {0};
    snprintf(path, sizeof path, "%s/truth/isa/%s.gz", root ? root : ".", family->name);
    if (!truth_read(&file, path, error))
        fail_msg("%s", error);
    char *text = module_text(&file);
    const struct source source = {"truth.ptx", text, strlen(text)};
    struct ptx_module *ptx = ptx_parse(&source, &diags);
    struct ir_module *ir = ir_build(ptx, &diags);
    assert_non_null(ir);
    unsigned evaluated = 0, wrong = 0;
    for (unsigned i = 0; i < file.form_count; i++) {
        snprintf(name, sizeof name, "k%u", i);
        const struct ir_function *function = ir_find_function(ir, name);
        if (!is_known(function))
            continue;
        evaluated++;
        if (!agrees(function, &file.forms[i])) {
            print_error("%s\n", file.forms[i].text);
            wrong++;
        }
    }
    print_message("%s: %u of %u forms are evaluated\n", family->name, evaluated, file.form_count);
    ir_free(ir);
    ptx_module_free(ptx);
    diag_free(&diags);
    free(text);
    truth_free(&file);
    assert_int_equal(wrong, 0);
    assert_int_equal(evaluated, family->evaluated);
}

// ---- Constants ----------------------------------------------------------------------------------

// What `reg` is known to hold in a kernel with this body; 0xbad: nothing is known.
static uint64_t constant_of(const char *body, const char *reg) {
    char text[512];
    snprintf(text, sizeof text,
             ".version 8.7\n.target sm_90\n.address_size 64\n.entry k(.param .u32 q) {\n"
             ".reg .b32 %%r<9>; .reg .b64 %%w<9>; .reg .pred %%p<4>;\n%s\nret; }",
             body);
    const struct source source = {"test.ptx", text, strlen(text)};
    struct diag_list diags = {0};
    struct ptx_module *ptx = ptx_parse(&source, &diags);
    struct ir_module *ir = ir_build(ptx, &diags);
    assert_non_null(ir);
    const struct ir_function *k = ir_find_function(ir, "k");
    struct ir_uses *uses = ir_uses_create(k);
    struct ir_operand operand = {.kind = IR_OPERAND_REGISTER, .pair = IR_NONE};
    while (strcmp(k->registers[operand.reg].name, reg) != 0)
        operand.reg++;
    uint64_t value = 0;
    const bool is_known = ir_is_constant(uses, &operand, &value);
    ir_uses_free(uses);
    ir_free(ir);
    ptx_module_free(ptx);
    diag_free(&diags);
    return is_known ? value : 0xbad;
}

// No truth has these: as the first threads of tests/ptx/cvt_stochastic.ptx and _four.ptx.
static void test_four_random(void **state) {
    static const char wide[] = "mov.b32 %%r2, 0xcb008853; cvt.rs.%s.f32 %%r1, "
                               "{0fc0f33333, 0f42b3fac4, 0f3d5fb485, 0fc3782f39}, %%r2;";
    static const char narrow[] = "mov.b32 %%r2, 0x11e20b8f; cvt.rs.%s.f32 %%r1, "
                                 "{0f40bfffff, 0f3b691f84, 0fbf076c82, 0f3e8b0051}, %%r2;";
    static const struct {
        const char *format, *modifiers;
        uint32_t result;
    } cases[] = {
        {wide, "satfinite.e4m3x4", 0xcf6c16f8},      {wide, "relu.satfinite.e4m3x4", 0x006c1600},
        {wide, "satfinite.e5m2x4", 0xc8562bdc},      {wide, "satfinite.e2m3x4", 0x3f1f003f},
        {wide, "relu.satfinite.e3m2x4", 0x001f0100}, {narrow, "satfinite.e2m1x4", 0x7091},
        {narrow, "relu.satfinite.e2m1x4", 0x7001}};
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        char body[256];
        snprintf(body, sizeof body, cases[i].format, cases[i].modifiers);
        assert_int_equal(constant_of(body, "%r1"), cases[i].result);
    }
}

// Vectors on both sides: which parts there are, and that each goes to its place.
static void test_copied_parts(void **state) {
    static const char text[] =
        ".version 8.7\n.target sm_90\n.address_size 64\n.entry k() {\n"
        ".reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %w<9>; .reg .b128 %q<2>;\n"
        "mov.v2.b16 {%h1, %h2}, {%h2, %h1};\nmov.v4.b16 {%h1, %h2, %h3, _}, {%h2, %h3, 7, %h1};\n"
        "mov.v2.s32 {%r1, %r2}, {%r2, %r1};\nmov.v4.b32 {%r1, %r2, %r3, %r4}, {%r2, 7, %r4, %r1};\n"
        "mov.v2.u64 {%w1, %w2}, {%w2, 7};\nmov.b128 %q1, {%w1, %w2};\nmov.b128 %q1, %q0;\n"
        "ret; }";
    static const unsigned parts[] = {2, 4, 2, 4, 2, 2, 2};
    const struct source source = {"test.ptx", text, strlen(text)};
    struct diag_list diags = {0};
    struct ptx_module *ptx = ptx_parse(&source, &diags);
    struct ir_module *ir = ir_build(ptx, &diags);
    (void)state;
    assert_non_null(ir);
    const struct ir_function *k = ir_find_function(ir, "k");
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
        struct ir_lane lane = {.in = {11, 12, 13, 14, 15}};
        assert_true(ir_evaluate(k, &k->instructions[i], &lane));
        for (unsigned part = 0; part < 5; part++)
            assert_int_equal(lane.out[part], part < parts[i] ? 11 + part : 0);
    }
    ir_free(ir);
    ptx_module_free(ptx);
    diag_free(&diags);
}

// A register of 32 bits holds the low half of an address, below the windows.
static void test_spaces(void **state) {
    (void)state;
    assert_int_equal(constant_of("isspacep.shared::cluster %p1, 0x800000000000;", "%p1"), 1);
    assert_int_equal(constant_of("isspacep.shared::cluster %p1, 0x8fffffffffff;", "%p1"), 1);
    assert_int_equal(constant_of("isspacep.shared::cluster %p1, 0x900000000000;", "%p1"), 0);
    assert_int_equal(constant_of("isspacep.shared::cluster %p1, 0x7fffffffffff;", "%p1"), 0);
    assert_int_equal(constant_of("isspacep.local %p1, 0x8fffffffffff;", "%p1"), 0);
    assert_int_equal(constant_of("isspacep.local %p1, 0x900000000000;", "%p1"), 1);
    assert_int_equal(constant_of("isspacep.local %p1, 0xa00000000000;", "%p1"), 0);
    assert_int_equal(constant_of("mov.u32 %r1, 0; isspacep.local %p1, %r1;", "%p1"), 0);
    assert_int_equal(constant_of("mov.u32 %r1, 0; isspacep.const %p1, %r1;", "%p1"), 0);
    assert_int_equal(constant_of("mov.u32 %r1, 0; isspacep.global %p1, %r1;", "%p1"), 1);
    // What a launch knows.
    assert_int_equal(constant_of("isspacep.global %p1, 16;", "%p1"), 0xbad);
    assert_int_equal(constant_of("isspacep.const %p1, 16;", "%p1"), 0xbad);
    assert_int_equal(constant_of("isspacep.param::entry %p1, 16;", "%p1"), 0xbad);
}

// What ptxas takes, of halves: packed ones give a number of 32 bits.
static void test_set_halves(void **state) {
    (void)state;
    assert_int_equal(constant_of("set.lt.f16x2.f16x2 %r1, 0x3c003c00, 0x40003c00;", "%r1"),
                     0x3c000000);
    assert_int_equal(constant_of("set.eq.u32.f16x2 %r1, 0x3c003c00, 0x40003c00;", "%r1"), 0xffff);
    assert_int_equal(constant_of("set.ne.bf16x2.bf16x2 %r1, 0x7fc00000, 0x00008000;", "%r1"), 0);
    assert_int_equal(constant_of("set.neu.bf16x2.bf16x2 %r1, 0x7fc00000, 0x00008000;", "%r1"),
                     0x3f800000);
    assert_int_equal(constant_of("set.eq.ftz.s32.f16 %r1, 0x03ff, 0x8000;", "%r1"), 0xffffffff);
    assert_int_equal(constant_of("set.eq.s32.f16 %r1, 0x03ff, 0x8000;", "%r1"), 0);
    assert_int_equal(constant_of("setp.lt.f16x2 %p1|%p2, 0x3c003c00, 0x40003c00;", "%p2"), 1);
    assert_int_equal(constant_of("setp.lt.f16x2 %p1|%p2, 0x3c003c00, 0x40003c00;", "%p1"), 0);
    assert_int_equal(constant_of("set.lt.f16.f16x2 %r1, 0x3c003c00, 0x40003c00;", "%r1"), 0xbad);
    assert_int_equal(constant_of("set.lt.f16x2.f16 %r1, 0x3c00, 0x4000;", "%r1"), 0xbad);
    assert_int_equal(constant_of("set.lt.ftz.u32.bf16 %r1, 0x3c00, 0x4000;", "%r1"), 0xbad);
    assert_int_equal(constant_of("setp.lt.f16 %p1|%p2, 0x3c00, 0x4000;", "%p2"), 0xbad);
}

static void test_constants(void **state) {
    (void)state;
    assert_int_equal(constant_of("mov.u32 %r1, 5;", "%r1"), 5);
    assert_int_equal(constant_of("mov.u32 %r1, 5; mad.lo.s32 %r2, %r1, -2, 3;", "%r2"), 0xfffffff9);
    assert_int_equal(constant_of("mov.u32 %r1, 5; mul.wide.s32 %w1, %r1, -1;", "%w1"), -5);
    assert_int_equal(constant_of("setp.lt.s32 %p1|%p2, -1, 0; selp.b32 %r1, 7, 8, %p2;", "%r1"), 8);
    assert_int_equal(constant_of("mov.b64 %w1, {1, 2}; shr.u64 %w2, %w1, 31;", "%w2"), 4);
    assert_int_equal(constant_of("min.f32 %r1, 0f40000000, 0f3f800000, 0fbf800000;", "%r1"),
                     0xbf800000);
    assert_int_equal(constant_of("max.f32 %r1, 0f7fc00000, 0f3f800000, 0fbf800000;", "%r1"),
                     0x3f800000);
    assert_int_equal(constant_of("max.NaN.f32 %r1, 0f7fc00000, 0f3f800000, 0f80000000;", "%r1"),
                     0x7fffffff);
    assert_int_equal(constant_of("max.ftz.abs.f32 %r1, 0fc0400000, 0f3f800000, 0f40000000;", "%r1"),
                     0x40400000);
    assert_int_equal(constant_of("neg.f16x2 %r1, 0x7e013c00;", "%r1"), 0x7fffbc00);
    assert_int_equal(constant_of("mbarrier.pending_count.b64 %r1, 0x500003;", "%r1"), 3);
    // Set twice, under a guard, from what a launch brings, from the carry bit.
    assert_int_equal(constant_of("mov.u32 %r1, 5; mov.u32 %r1, 6;", "%r1"), 0xbad);
    assert_int_equal(constant_of("@%p1 mov.u32 %r1, 5;", "%r1"), 0xbad);
    assert_int_equal(constant_of("ld.param.u32 %r1, [q]; add.u32 %r2, %r1, 0;", "%r2"), 0xbad);
    assert_int_equal(constant_of("addc.u32 %r1, 1, 2;", "%r1"), 0xbad);
    // Other blocks of the cluster may find another address, or answer.
    assert_int_equal(constant_of("cvta.shared.u64 %w1, 16;", "%w1"), 0xbad);
    assert_int_equal(constant_of("cvta.to.shared.u64 %w1, 0x800002000010;", "%w1"), 0xbad);
    assert_int_equal(constant_of("isspacep.shared %p1, 0x800002000010;", "%p1"), 0xbad);
}

int main(void) {
    static struct family families[] = {
        {"integer", 162},    {"logic", 93}, {"compare", 3328}, {"convert", 848},
        {"move", 47},        {"float", 59}, {"double", 16},    {"video_scalar", 1328},
        {"video_simd", 768}, {"half", 60}};
    enum { FAMILIES = sizeof families / sizeof *families };
    struct CMUnitTest tests[7 + FAMILIES] = {
        cmocka_unit_test(test_laws),         cmocka_unit_test(test_opaque_rows),
        cmocka_unit_test(test_constants),    cmocka_unit_test(test_four_random),
        cmocka_unit_test(test_copied_parts), cmocka_unit_test(test_spaces),
        cmocka_unit_test(test_set_halves)};
    for (size_t i = 0; i < FAMILIES; i++)
        tests[7 + i] = (struct CMUnitTest){families[i].name, test_truth, NULL, NULL, &families[i]};
    return _cmocka_run_group_tests("value", tests, 7 + FAMILIES, NULL, NULL);
}
