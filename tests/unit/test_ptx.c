// PTX: the instruction table, the parser, what it refuses, and printing.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/strbuf.h"
#include "ptx/facts.h"
#include "source_path.h"

#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"
#define KERNEL HEAD ".entry k(.param .u64 p) {\n.reg .b32 %r<9>; .reg .pred %p<4>;\n"

struct fixture {
    struct source source;
    struct ptx_module *module;
    struct diag_list diags;
};

static void parse(struct fixture *f, const char *text) {
    memset(f, 0, sizeof *f);
    f->source = (struct source){"t.ptx", text, strlen(text)};
    f->module = ptx_parse(&f->source, &f->diags);
}

static void parse_fine(struct fixture *f, const char *text) {
    parse(f, text);
    for (size_t i = 0; i < f->diags.count; i++)
        print_message("%s\n", f->diags.items[i].message);
    assert_int_equal(f->diags.errors, 0);
}

static void drop(struct fixture *f) {
    ptx_module_free(f->module);
    diag_free(&f->diags);
}

// The n-th instruction of the first function with a body.
static const struct ptx_instruction *instruction(const struct fixture *f, size_t n) {
    for (size_t i = 0; i < f->module->function_count; i++) {
        const struct ptx_function *function = &f->module->functions[i];
        for (size_t j = 0; j < function->statement_count; j++)
            if (function->statements[j].kind == PTX_STATEMENT_INSTRUCTION && n-- == 0)
                return function->statements[j].instruction;
    }
    fail_msg("no such instruction");
    return NULL;
}

static const struct ptx_variable *variable(const struct fixture *f, const char *name) {
    for (size_t i = 0; i < f->module->variable_count; i++)
        if (strcmp(f->module->variables[i].name, name) == 0)
            return &f->module->variables[i];
    fail_msg("no variable %s", name);
    return NULL;
}

// One error only, about these bytes, with this message.
static void expect_error(const char *text, const char *blamed, const char *message) {
    struct fixture f;
    parse(&f, text);
    if (f.diags.errors != 1 || strcmp(f.diags.items[0].message, message) != 0) {
        for (size_t i = 0; i < f.diags.count; i++)
            print_message("got: %s\n", f.diags.items[i].message);
        fail_msg("%zu errors, expected: %s", f.diags.errors, message);
    }
    struct source_range range = f.diags.items[0].range;
    assert_int_equal(range.end - range.begin, strlen(blamed));
    assert_memory_equal(text + range.begin, blamed, strlen(blamed));
    drop(&f);
}

static void test_paths_are_unescaped(void **state) {
    static const char *const cases[][2] = {
        {"/tmp/\\303\\274.cu", "/tmp/\303\274.cu"}, // octal, as nvcc writes UTF-8
        {"a\\\"b.cu", "a\"b.cu"},
        {"a\\\\b.cu", "a\\b.cu"},
        {"a\\b.cu", "a\\b.cu"},     // no escape: as it is
        {"a\\000.cu", "a\\000.cu"}, // no path has that byte
        {"a\\400.cu", "a\\400.cu"}, // no byte
        {"a\\38.cu", "a\\38.cu"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct strbuf text = {0}, printed = {0};
        struct fixture f;
        strbuf_printf(&text, ".version 7.8 .target sm_90 .address_size 64 .file 1 \"%s\"\n",
                      cases[i][0]);
        parse_fine(&f, strbuf_string(&text));
        assert_string_equal(f.module->files[0].path, cases[i][1]);
        ptx_print(f.module, &printed);
        drop(&f);
        parse_fine(&f, strbuf_string(&printed));
        assert_string_equal(f.module->files[0].path, cases[i][1]);
        drop(&f);
        strbuf_free(&text);
        strbuf_free(&printed);
    }
}

static void test_module_header(void **state) {
    (void)state;
    struct fixture f;
    parse_fine(&f, ".version 7.8 .target sm_90a, debug .address_size 64 .file 3 \"x y.cu\", 12, 5\n"
                   ".file 4 \"dir\" \"b.h\"");
    assert_int_equal(f.module->version_major, 7);
    assert_int_equal(f.module->version_minor, 8);
    assert_int_equal(f.module->target, 90);
    assert_int_equal(f.module->target_suffix, 'a');
    assert_int_equal(f.module->address_size, 64);
    assert_int_equal(f.module->file_count, 2);
    assert_int_equal(f.module->files[0].number, 3);
    assert_string_equal(f.module->files[0].path, "x y.cu");
    assert_string_equal(f.module->files[1].path, "dir/b.h");
    drop(&f);
    parse(&f, ".version 9.9\n.target sm_130f\n.address_size 64\n");
    assert_int_equal(f.diags.errors, 0);
    assert_int_equal(f.diags.count, 1); // a warning
    assert_int_equal(f.diags.items[0].severity, DIAG_WARNING);
    assert_int_equal(f.module->target, 130);
    drop(&f);
}

static void test_instruction(void **state) {
    (void)state;
    struct fixture f;
    const char *text = KERNEL "@!%p1 ld.global.nc.L1::no_allocate.v2.u32 {%r1, _}, [%r3+-8];\n}";
    parse_fine(&f, text);
    const struct ptx_instruction *ld = instruction(&f, 0);
    assert_int_equal(ld->isa, PTX_ISA_ld_any);
    assert_string_equal(ld->mnemonic, "ld.global.nc.L1::no_allocate.v2.u32");
    assert_int_equal(ptx_modifier_of(ld, PTX_GROUP_space), PTX_MOD_global);
    assert_int_equal(ptx_modifier_of(ld, PTX_GROUP_evict), PTX_MOD_L1_no_allocate);
    assert_int_equal(ptx_modifier_of(ld, PTX_GROUP_vec), PTX_MOD_v2);
    assert_true(PTX_HAS(ld, nc));
    assert_false(PTX_HAS(ld, volatile));
    assert_int_equal(ld->type_count, 1);
    assert_int_equal(ld->types[0], PTX_U32);
    assert_string_equal(ld->guard.name, "%p1");
    assert_true(ld->guard.is_negated);
    assert_int_equal(ld->operand_count, 2);
    assert_int_equal(ld->operands[0].kind, PTX_OPERAND_VECTOR);
    assert_int_equal(ld->operands[0].element_count, 2);
    assert_string_equal(ld->operands[0].elements[0].name, "%r1");
    assert_int_equal(ld->operands[0].elements[1].kind, PTX_OPERAND_SINK);
    assert_int_equal(ld->operands[1].kind, PTX_OPERAND_ADDRESS);
    assert_string_equal(ld->operands[1].base->name, "%r3");
    assert_int_equal(ld->operands[1].offset, -8);
    assert_memory_equal(text + ld->range.begin, "ld.global", 9);
    assert_int_equal(text[ld->range.end - 1], ';');
    drop(&f);
    parse_fine(&f, KERNEL "ld .shared\n.f32 %r1, [p];\nmov.u32 %r1, %tid.y; }");
    assert_string_equal(instruction(&f, 0)->mnemonic, "ld.shared.f32");
    assert_int_equal(instruction(&f, 1)->operands[1].sreg, PTX_SREG_tid_y);
    drop(&f);
}

static void test_operands(void **state) {
    (void)state;
    struct fixture f;
    parse_fine(&f, HEAD ".shared .b32 s[4];\n.func (.param .b32 o) g(.param .b32 i) { ret; }\n"
                        ".entry k() { .reg .pred p, %q<2>; .reg .b32 a, b<3>, r; .reg .b64 x;\n"
                        "setp.lt.and.s32 p|%q1, a, -2, !%q0;\n" // 1: `ret` comes first
                        "mov.u32 a, s+8;\n"
                        "mov.b32 a, 0x1FU;\n"
                        "mov.f32 a, 0fBF800000;\n"
                        "mov.f64 x, -1.5;\n"
                        "call (r), g, (b2, 7);\n"
                        "{ .reg .b64 s; mov.b64 s, (1 << 40) - WARP_SZ; }\n"
                        "mov.b32 a, s;\n"
                        "@p bra L; L: }");
    const struct ptx_operand *o = instruction(&f, 1)->operands;
    assert_string_equal(o[0].pair->name, "%q1");
    assert_int_equal((int64_t)o[2].integer, -2);
    assert_true(o[3].is_negated);
    o = instruction(&f, 2)->operands;
    assert_int_equal(o[1].kind, PTX_OPERAND_SYMBOL);
    assert_int_equal(o[1].offset, 8);
    assert_int_equal(instruction(&f, 3)->operands[1].integer, 31);
    o = instruction(&f, 4)->operands;
    assert_int_equal(o[1].kind, PTX_OPERAND_FLOAT);
    assert_true(o[1].is_single);
    assert_int_equal(o[1].integer, 0xbf800000);
    o = instruction(&f, 5)->operands;
    assert_false(o[1].is_single);
    assert_int_equal(o[1].integer, 0xbff8000000000000);
    o = instruction(&f, 6)->operands;
    assert_int_equal(o[0].kind, PTX_OPERAND_LIST);
    assert_string_equal(o[0].elements[0].name, "r");
    assert_int_equal(o[1].kind, PTX_OPERAND_SYMBOL);
    assert_int_equal(o[2].elements[0].kind, PTX_OPERAND_REGISTER); // b2, of the family b<3>
    assert_int_equal(o[2].elements[1].integer, 7);
    o = instruction(&f, 7)->operands;
    assert_int_equal(o[0].kind, PTX_OPERAND_REGISTER); // the inner s is a register
    assert_int_equal(o[1].integer, ((uint64_t)1 << 40) - 32);
    assert_int_equal(instruction(&f, 8)->operands[1].kind, PTX_OPERAND_SYMBOL); // the outer is not
    assert_int_equal(instruction(&f, 9)->operands[0].kind, PTX_OPERAND_SYMBOL);
    drop(&f);
}

static void test_row_choice(void **state) {
    (void)state;
    static const struct {
        const char *text;
        enum ptx_isa isa;
    } cases[] = {
        {"add.s32 %r1, %r2, 1", PTX_ISA_add_int},
        {"add.sat.s32 %r1, %r2, 1", PTX_ISA_add_int_sat},
        {"add.cc.u32 %r1, %r2, 1", PTX_ISA_add_int_cc},
        {"add.f32 %r1, %r2, 1.0", PTX_ISA_add_f32},
        {"add.rn.f16x2 %r1, %r2, %r3", PTX_ISA_add_half},
        {"add.rn.f32.bf16 %r1, %r2, %r3", PTX_ISA_add_mixed},
        {"min.NaN.f32 %r1, %r2, %r3", PTX_ISA_min_float},
        {"min.NaN.f32 %r1, %r2, %r3, %r4", PTX_ISA_min_float3},
        {"vote.ballot.sync.b32 %r1, %p1, -1", PTX_ISA_vote_ballot_sync},
        {"setp.ne.b32 %p1, %r1, 0", PTX_ISA_setp_int},
        {"and.pred %p1, %p2, %p3", PTX_ISA_and_pred},
        {"ld.param.b32 %r1, [p]", PTX_ISA_ld_param},
        {"ld.v4.f32 {%r1, %r2, %r3, %r4}, [%r5]", PTX_ISA_ld_any},
        {"ld.shared::cluster.u32 %r1, [%r2]", PTX_ISA_ld_any},
        {"ld.mmio.relaxed.sys.global.u32 %r1, [%r2]", PTX_ISA_ld_any},
        {"cp.async.wait_all", PTX_ISA_cp_async_wait_all},
        {"cp.async.bulk.commit_group", PTX_ISA_cp_bulk_commit},
        {"mma.sync.some.new.thing %r1, {%r2}, whatever", PTX_ISA_mma_any},
        {"fence.proxy.async.shared::cta", PTX_ISA_fence_proxy},
        {"ret.uni", PTX_ISA_ret_any},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct strbuf text = {0};
        struct fixture f;
        strbuf_printf(&text, "%s%s; }", KERNEL, cases[i].text);
        parse_fine(&f, strbuf_string(&text));
        if (instruction(&f, 0)->isa != cases[i].isa)
            fail_msg("%s is taken by %s", cases[i].text,
                     ptx_isa_row(instruction(&f, 0)->isa)->form);
        drop(&f);
        strbuf_free(&text);
    }
}

static void test_variables(void **state) {
    (void)state;
    struct fixture f;
    parse_fine(&f,
               HEAD ".global .align 8 .s16 a[2][3] = {{1, -1}, {5, 6, 7}};\n"
                    ".global .u64 b[3] = {a, generic(a)+4, 0x10};\n"
                    ".const .u8 c[9] = {9, 0xFF(a+2), 0xFF00(a+2), 0xFF0000(a+2), 0xFF000000(a+2),"
                    " 0xFF00000000(a+2), 0xFF0000000000(a+2), 0xFF000000000000(a+2),"
                    " 0xFF00000000000000(a+2)};\n"
                    ".global .f32 d[] = {1, 0.5, 0f40000000, 0d3ff0000000000000};\n"
                    ".global .v2 .f64 e = {1.0, 2.0};\n"
                    ".extern .shared .b8 s[];\n.global .b8 big[1 << 30];\n");
    const struct ptx_variable *v = variable(&f, "a");
    static const int16_t a[6] = {1, -1, 0, 5, 6, 7};
    assert_int_equal(v->elements, 6);
    assert_int_equal(v->bytes, 12);
    assert_int_equal(v->align, 8);
    assert_memory_equal(v->initial, a, sizeof a);
    v = variable(&f, "b");
    assert_int_equal(v->fixup_count, 2);
    assert_string_equal(v->fixups[1].symbol, "a");
    assert_int_equal(v->fixups[1].offset, 8);
    assert_int_equal(v->fixups[1].addend, 4);
    assert_true(v->fixups[1].is_generic);
    assert_false(v->fixups[0].is_generic);
    assert_int_equal(v->initial[16], 0x10);
    v = variable(&f, "c"); // eight bytes of one address are that address
    assert_int_equal(v->fixup_count, 1);
    assert_int_equal(v->fixups[0].offset, 1);
    assert_int_equal(v->fixups[0].bytes, 8);
    assert_int_equal(v->fixups[0].addend, 2);
    v = variable(&f, "d");
    static const float d[4] = {1, 0.5f, 2, 1};
    assert_int_equal(v->elements, 4);
    assert_memory_equal(v->initial, d, sizeof d);
    v = variable(&f, "e");
    static const double e[2] = {1, 2};
    assert_int_equal(v->bytes, 16);
    assert_memory_equal(v->initial, e, sizeof e);
    assert_true(variable(&f, "s")->is_unsized);
    assert_int_equal(variable(&f, "s")->bytes, 0);
    assert_int_equal(variable(&f, "big")->bytes, 1 << 30);
    assert_null(variable(&f, "big")->initial);
    drop(&f);
}

static void test_constants(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t value;
    } cases[] = {
        {"1 + 2 * 3 - -4", 11},
        {"(1 + 2) * 3", 9},
        {"7 / -2", -3},
        {"-7 % 4", -3},
        {"-7U / 2", INT64_C(0x7ffffffffffffffc)},
        {"1 << 3 | 1", 9},
        {"-16 >> 2", -4},
        {"(.u64)-16 >> 60", 15},
        {"1 << 64", 0},
        {"0xff & ~0x0f ^ 1", 0xf1},
        {"3 < 2 ? 10 : 4 >= 4 ? 20 : 30", 20},
        {"!0 && 0 || 2", 1},
        {"-1 < 1U", 0},
        {"0777 + 0b11 + 0X1f", 511 + 3 + 31},
        {"WARP_SZ * 2", 64},
        {"1.5 > 1.0", 1},
        {"(-0x7fffffffffffffff - 1) / -1", INT64_MIN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct strbuf text = {0};
        struct fixture f;
        strbuf_printf(&text, HEAD ".global .u64 x = %s;", cases[i].text);
        parse_fine(&f, strbuf_string(&text));
        int64_t value;
        memcpy(&value, variable(&f, "x")->initial, sizeof value);
        if (value != cases[i].value)
            fail_msg("%s is %lld", cases[i].text, (long long)value);
        drop(&f);
        strbuf_free(&text);
    }
}

static void test_locations(void **state) {
    (void)state;
    struct fixture f;
    parse_fine(&f, HEAD ".entry k() {\nexit;\n.loc 1 10 3\nexit;\n.loc 1 20 5\n"
                        ".loc 1 7 1, function_name $s1, inlined_at 1 20 5\n"
                        ".loc 2 3 2, function_name $s0+1, inlined_at 1 7 1\nexit;\n"
                        ".loc 1 10 3\nexit;\n}\n"
                        ".section .debug_str { $s0: .b8 120,97,98,0\n$s1: .b8 99\n.b8 0 }\n");
    const struct ptx_function *k = ptx_find_function(f.module, "k");
    assert_int_equal(instruction(&f, 0)->location, 0);
    const struct ptx_location *at = &k->locations[instruction(&f, 1)->location];
    assert_int_equal(at->line, 10);
    assert_null(at->inlined_into);
    at = &k->locations[instruction(&f, 2)->location];
    assert_int_equal(at->file, 2);
    assert_int_equal(at->line, 3);
    assert_int_equal(at->column, 2);
    assert_string_equal(at->inlined_into, "ab");
    at = &k->locations[at->inlined_at];
    assert_int_equal(at->line, 7);
    assert_string_equal(at->inlined_into, "c");
    at = &k->locations[at->inlined_at];
    assert_int_equal(at->line, 20);
    assert_int_equal(at->inlined_at, 0);
    assert_int_equal(instruction(&f, 3)->location, instruction(&f, 1)->location);
    drop(&f);
}

static void test_functions(void **state) {
    (void)state;
    struct fixture f;
    parse_fine(&f, HEAD ".visible .entry k(.param .u64 a, .param .align 16 .b8 b[32])\n"
                        ".maxntid 128\n.reqntid 4, 2\n.minnctapersm 3 .maxnreg 40 { ret; }\n"
                        ".func d() .noreturn;\n.weak .func (.param .b32 r) e(.param .b64 x);\n"
                        ".func other(); .func original() { trap; } .alias other, original;\n");
    const struct ptx_function *k = ptx_find_function(f.module, "k");
    assert_true(k->is_entry && k->is_visible && k->has_body);
    assert_int_equal(k->parameter_count, 2);
    assert_int_equal(k->parameters[1].bytes, 32);
    assert_int_equal(k->parameters[1].align, 16);
    assert_int_equal(k->max_threads[0], 128);
    assert_int_equal(k->max_threads[2], 1);
    assert_int_equal(k->required_threads[1], 2);
    assert_int_equal(k->min_blocks, 3);
    assert_int_equal(k->max_registers, 40);
    assert_true(ptx_find_function(f.module, "d")->is_noreturn);
    assert_true(ptx_find_function(f.module, "e")->is_weak);
    assert_int_equal(ptx_find_function(f.module, "e")->return_count, 1);
    const struct ptx_function *other = ptx_find_function(f.module, "other");
    assert_true(other->has_body);
    assert_int_equal(other->statement_count, 1);
    assert_null(ptx_find_function(f.module, "nothing"));
    drop(&f);
}

static void test_errors_are_exact(void **state) {
    (void)state;
    expect_error(KERNEL "add.s23 %r1, %r2, %r3; }", ".s23",
                 "'add' does not take '.s23'; did you mean '.s32'?");
    expect_error(KERNEL "sbu.s32 %r1, %r2, %r3; }", "sbu",
                 "unknown instruction 'sbu'; did you mean 'sub'?");
    expect_error(KERNEL "add.s32 %r1, %r2; }", "add.s32", "'add.s32' takes 3 operands, not 2");
    expect_error(KERNEL "add.s32 [%r1], %r2, 3; }", "[%r1]",
                 "operand 1 of 'add.s32' must be a register, not an address");
    expect_error(KERNEL "ld.shared.v2.u32 {%r1, %r2, %r3}, [%r4]; }", "{%r1, %r2, %r3}",
                 "operand 1 of 'ld.shared.v2.u32' must be a vector of 2 registers, "
                 "not a vector of 3");
    expect_error(KERNEL "mov.u32 x, %r1; }", "x",
                 "operand 1 of 'mov.u32' must be a register or a vector of registers, "
                 "but no register 'x' is declared");
    expect_error(HEAD ".global .u32 x; .global .u32 x;", "x", "'x' is declared twice");
    expect_error("#include <stdio.h>\nint main() { return 0; }\n", "int",
                 "this is not PTX: it does not start with '.version'");
}

static void test_other_files(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t length;
        const char *message;
    } cases[] = {
        {"\177ELF\002\001\001", 7, "this is not PTX but an ELF file (an executable or a cubin)"},
        {"PK\003\004abc", 7, "this is not PTX but a zip archive"},
        {"\xff\xfe.\0v\0", 6, "this is not PTX but UTF-16 text"},
        {".version\0 8.0", 13, "this is not PTX: it is binary"},
        {"", 0, "this is not PTX: it is empty"},
        {"\0\0\0", 3, "this is not PTX: it is empty"},
        {"/* never closed", 15, "this is not PTX: it is empty"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct source source = {"x", cases[i].text, cases[i].length};
        struct diag_list diags = {0};
        struct ptx_module *module = ptx_parse(&source, &diags);
        assert_int_equal(diags.errors, 1);
        assert_string_equal(diags.items[0].message, cases[i].message);
        ptx_module_free(module);
        diag_free(&diags);
    }
    struct fixture f;
    parse_fine(&f, HEAD); // a NUL at the end, as in fat binaries, is no harm
    f.source.length++;
    struct ptx_module *again = ptx_parse(&f.source, &f.diags);
    assert_int_equal(f.diags.errors, 0);
    ptx_module_free(again);
    drop(&f);
}

// Errors do not hide each other, and what is fine is still there.
static void test_recovery(void **state) {
    (void)state;
    struct fixture f;
    parse(&f, HEAD ".global .u33 a;\n.global .u32 b;\n.entry k() {\n.reg .b32 %r<5>;\n"
                   "bad %r1;\nadd.s32 %r1 %r2, %r3;\nmov.u32 %r1, %r2;\n{ bad; }\n"
                   "mov.u32 %r3, 5\nret;\n}\n.entry broken( { ret; }\n.entry l() { ret; }\n");
    assert_int_equal(f.diags.errors, 6);
    assert_non_null(variable(&f, "b"));
    assert_non_null(ptx_find_function(f.module, "k"));
    assert_non_null(ptx_find_function(f.module, "l"));
    assert_string_equal(instruction(&f, 0)->mnemonic, "mov.u32");
    drop(&f);
}

static void test_limits(void **state) {
    (void)state;
    struct strbuf text = {0};
    struct fixture f;
    strbuf_puts(&text, KERNEL);
    for (int i = 0; i < 100000; i++)
        strbuf_puts(&text, "{");
    parse(&f, strbuf_string(&text));
    assert_in_range(f.diags.errors, 1, 3);
    drop(&f);
    text.length = 0;
    strbuf_puts(&text, HEAD ".global .u32 x = ");
    for (int i = 0; i < 100000; i++)
        strbuf_puts(&text, i % 2 ? "(" : "-");
    parse(&f, strbuf_string(&text));
    assert_int_equal(f.diags.errors, 1);
    drop(&f);
    text.length = 0;
    strbuf_puts(&text, KERNEL "mov.b32 %r1, ");
    for (int i = 0; i < 100000; i++)
        strbuf_puts(&text, "{[(");
    parse(&f, strbuf_string(&text));
    assert_in_range(f.diags.errors, 1, 3);
    drop(&f);
    strbuf_free(&text);
    expect_error(HEAD ".global .b8 x[1 << 40];", "1 << 40",
                 "the array size must be between 0 and 274877906944");
    expect_error(HEAD ".global .b8 x[0x3fffffffff][0x3fffffffff][0x3fffffffff];", "x",
                 "'x' is too large");
    expect_error(HEAD ".global .b8 x[1 << 30] = {1};", "x",
                 "'x' is too large for an initial value");
    expect_error(KERNEL ".reg .b32 %q<4000000000>; }", "4000000000",
                 "a family has between 1 and 1048576 registers");
}

// Parse, print, parse, print: the texts are equal.
static void round_trip(const char *path) {
    char *text;
    size_t length;
    struct fixture first, second;
    struct strbuf printed = {0}, again = {0};
    assert_true(file_read(path, &text, &length));
    parse_fine(&first, text);
    ptx_print(first.module, &printed);
    parse_fine(&second, strbuf_string(&printed));
    assert_int_equal(second.diags.count, 0);
    ptx_print(second.module, &again);
    assert_string_equal(strbuf_string(&printed), strbuf_string(&again));
    assert_int_equal(first.module->function_count, second.module->function_count);
    for (size_t i = 0; i < first.module->function_count; i++)
        assert_int_equal(first.module->functions[i].statement_count,
                         second.module->functions[i].statement_count);
    drop(&first);
    drop(&second);
    strbuf_free(&printed);
    strbuf_free(&again);
    free(text);
}

static void test_round_trip(void **state) {
    (void)state;
    char *pattern = source_path("tests/ptx/parse/*.ptx");
    glob_t found;
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    assert_true(found.gl_pathc >= 4);
    for (size_t i = 0; i < found.gl_pathc; i++)
        round_trip(found.gl_pathv[i]);
    globfree(&found);
    free(pattern);
}

static void test_print_instruction(void **state) {
    (void)state;
    struct fixture f;
    struct strbuf text = {0};
    parse_fine(&f, KERNEL "@!%p1 setp.lt.and.s32 %p1|%p2, %r1, -0x2, !%p3;\n"
                          "ld.shared.v2.f32 {%r1, _}, [p + 8];\n}");
    ptx_print_instruction(instruction(&f, 0), &text);
    assert_string_equal(strbuf_string(&text), "@!%p1 setp.lt.and.s32 %p1|%p2, %r1, -2, !%p3");
    text.length = 0;
    ptx_print_instruction(instruction(&f, 1), &text);
    assert_string_equal(strbuf_string(&text), "ld.shared.v2.f32 {%r1, _}, [p+8]");
    text.length = 0;
    ptx_print_mnemonic(instruction(&f, 1), &text);
    assert_string_equal(strbuf_string(&text), "ld.shared.v2.f32");
    strbuf_free(&text);
    drop(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_module_header),
        cmocka_unit_test(test_instruction),
        cmocka_unit_test(test_operands),
        cmocka_unit_test(test_row_choice),
        cmocka_unit_test(test_variables),
        cmocka_unit_test(test_constants),
        cmocka_unit_test(test_locations),
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_paths_are_unescaped),
        cmocka_unit_test(test_errors_are_exact),
        cmocka_unit_test(test_other_files),
        cmocka_unit_test(test_recovery),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_print_instruction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
