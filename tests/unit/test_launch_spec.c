// Launch specifications: parsing, fitting to a kernel, numbers, messages.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/launch_spec.h"

struct context {
    struct arena *arena;
    struct source source;
    struct diag_list diags;
    struct launch_spec spec;
};

static bool parse(struct context *context, const char *text) {
    *context =
        (struct context){.arena = arena_create(), .source = {"<launch>", text, strlen(text)}};
    bool is_fine =
        launch_spec_parse(&context->source, context->arena, &context->spec, &context->diags);
    assert_int_equal(is_fine, context->diags.errors == 0);
    return is_fine;
}

static void end(struct context *context) {
    diag_free(&context->diags);
    arena_destroy(context->arena);
}

static void assert_shape(const uint32_t shape[3], uint32_t x, uint32_t y, uint32_t z) {
    assert_int_equal(shape[0], x);
    assert_int_equal(shape[1], y);
    assert_int_equal(shape[2], z);
}

static void test_whole(void **state) {
    (void)state;
    struct context c;
    assert_true(parse(&c, "scan<<<64, 256>>>(out:u64[16384], in:u8[16384]=iota, 16384)"));
    assert_string_equal(c.spec.kernel, "scan");
    assert_shape(c.spec.grid, 64, 1, 1);
    assert_shape(c.spec.block, 256, 1, 1);
    assert_int_equal(c.spec.shared_bytes, 0);
    assert_int_equal(c.spec.argument_count, 3);
    const struct launch_argument *a = c.spec.arguments;
    assert_string_equal(a[0].name, "out");
    assert_int_equal(a[0].type, PTX_U64);
    assert_true(a[0].is_buffer);
    assert_int_equal(a[0].count, 16384);
    assert_int_equal(a[0].init, LAUNCH_ZERO);
    assert_int_equal(a[1].type, PTX_U8);
    assert_int_equal(a[1].init, LAUNCH_IOTA);
    assert_null(a[2].name);
    assert_int_equal(a[2].type, PTX_NO_TYPE);
    assert_false(a[2].is_buffer);
    end(&c);
}

static void test_shapes(void **state) {
    (void)state;
    struct context c;
    assert_true(parse(&c, " _Z1kPf <<< 2x3 , ( 4, 5 ,6 ) , 48000 >>> ( ) "));
    assert_string_equal(c.spec.kernel, "_Z1kPf");
    assert_shape(c.spec.grid, 2, 3, 1);
    assert_shape(c.spec.block, 4, 5, 6);
    assert_int_equal(c.spec.shared_bytes, 48000);
    assert_int_equal(c.spec.argument_count, 0);
    end(&c);
    assert_true(parse(&c, "k<<<1x2x3,(7)>>>()"));
    assert_shape(c.spec.grid, 1, 2, 3);
    assert_shape(c.spec.block, 7, 1, 1);
    end(&c);
}

static void test_inits(void **state) {
    (void)state;
    struct context c;
    assert_true(parse(&c, "k<<<1,1>>>(f32[4000*4000]=rand:7, s16[]={1,-2, 0x7fff}, f64[]=@a.bin,"
                          "b32[2]=@\"a, b\", f32=1.5, n:s32=-1, u16[3]=9, f32[1]=inf)"));
    const struct launch_argument *a = c.spec.arguments;
    assert_int_equal(c.spec.argument_count, 8);
    assert_int_equal(a[0].count, 16000000);
    assert_int_equal(a[0].init, LAUNCH_RANDOM);
    assert_int_equal(a[0].seed, 7);
    assert_int_equal(a[1].count, 3);
    assert_int_equal(a[1].values[1], 0xfffe);
    assert_int_equal(a[1].values[2], 0x7fff);
    assert_string_equal(a[2].path, "a.bin");
    assert_false(a[2].has_count);
    assert_string_equal(a[3].path, "a, b");
    assert_int_equal(a[4].values[0], 0x3fc00000);
    assert_false(a[4].is_buffer);
    assert_string_equal(a[5].name, "n");
    assert_int_equal(a[5].values[0], 0xffffffff);
    assert_int_equal(a[6].values[0], 9);
    assert_int_equal(a[7].values[0], 0x7f800000);
    end(&c);
}

// Each text has one error, whose message holds the words and whose range starts at the column.
static void test_errors(void **state) {
    (void)state;
    static const struct {
        const char *text, *words;
        unsigned begin;
    } cases[] = {
        {"k", "kernel<<<grid, block>>>(arguments)", 0},
        {"", "kernel<<<grid, block>>>(arguments)", 0},
        {"<<<1,1>>>()", "expected the kernel's name", 0},
        {"k<<<1>>>()", "expected ','", 5},
        {"k<<<0,1>>>()", "cannot be 0", 4},
        {"k<<<1,99999999999>>>()", "at most 4294967295", 6},
        {"k<<<1,1x>>>()", "expected the block's size", 8},
        {"k<<<1,(1,2>>>()", "expected ')'", 10},
        {"k<<<1,1,-5>>>()", "expected the number of shared bytes", 8},
        {"k<<<1,1>>()", "expected '>>>'", 7},
        {"k<<<1,1>>>", "expected '('", 10},
        {"k<<<1,1>>>(1", "expected ')'", 12},
        {"k<<<1,1>>>(1,)", "expected an argument", 13},
        {"k<<<1,1>>>() x", "nothing may follow", 13},
        {"k<<<1,1>>>(a:u31[4])", "'u31' is no type", 13},
        {"k<<<1,1>>>(a:)", "expected a type", 13},
        {"k<<<1,1>>>(u32)", "a scalar needs a value", 11},
        {"k<<<1,1>>>(u32[])", "needs a number of elements", 11},
        {"k<<<1,1>>>(u32[x])", "expected a number of elements", 15},
        {"k<<<1,1>>>(u32[4=1)", "expected ']'", 16},
        {"k<<<1,1>>>(u64[9999999999*9999999999])", "too large", 15},
        {"k<<<1,1>>>(u32[4]=yes)", "'yes' is no integer", 18},
        {"k<<<1,1>>>(u32[4]=iotas)", "'iotas' is no initial value", 18},
        {"k<<<1,1>>>(u32[1]={1,2})", "the list has 2 values", 11},
        {"k<<<1,1>>>(u32[1]={1)", "expected '}'", 20},
        {"k<<<1,1>>>(u32[1]=@)", "expected a file", 19},
        {"k<<<1,1>>>(u32[1]=rand:x)", "expected the seed", 23},
        {"k<<<1,1>>>(u8=256)", "does not fit its type (u8)", 14},
        {"k<<<1,1>>>(u8=-1)", "does not fit its type (u8)", 14},
        {"k<<<1,1>>>(s8=-129)", "does not fit its type (s8)", 14},
        {"k<<<1,1>>>(s8=0x100)", "does not fit its type (s8)", 14},
        {"k<<<1,1>>>(u8=1.5)", "is no integer", 14},
        {"k<<<1,1>>>(f32=1.5x)", "is no number", 15},
        {"k<<<1,1>>>(f32=0x)", "is no hexadecimal number", 15},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct context c;
        assert_false(parse(&c, cases[i].text));
        assert_int_equal(c.diags.count, 1);
        if (!strstr(c.diags.items[0].message, cases[i].words))
            fail_msg("%s: '%s' lacks '%s'", cases[i].text, c.diags.items[0].message,
                     cases[i].words);
        if (c.diags.items[0].range.begin != cases[i].begin)
            fail_msg("%s: error at %u instead of %u", cases[i].text, c.diags.items[0].range.begin,
                     cases[i].begin);
        end(&c);
    }
}

static uint64_t bits_of(const char *text, enum ptx_type type) {
    uint64_t bits = 0;
    const char *why = "";
    if (!launch_number(text, strlen(text), type, &bits, &why))
        fail_msg("%s: %s", text, why);
    return bits;
}

static void test_numbers(void **state) {
    (void)state;
    assert_int_equal(bits_of("-128", PTX_S8), 0x80);
    assert_int_equal(bits_of("255", PTX_U8), 0xff);
    assert_int_equal(bits_of("-1", PTX_B32), 0xffffffff);
    assert_int_equal(bits_of("18446744073709551615", PTX_U64), UINT64_MAX);
    assert_int_equal(bits_of("-9223372036854775808", PTX_S64), (uint64_t)1 << 63);
    assert_int_equal(bits_of("0.1", PTX_F32), 0x3dcccccd);
    assert_int_equal(bits_of("0x3f800000", PTX_F32), 0x3f800000);
    assert_int_equal(bits_of("-0.0", PTX_F64), (uint64_t)1 << 63);
    assert_int_equal(bits_of("nan", PTX_F16), 0x7fff);
    assert_int_equal(bits_of("1", PTX_F16), 0x3c00);
    assert_int_equal(bits_of("-2", PTX_F16), 0xc000);
    assert_int_equal(bits_of("65504", PTX_F16), 0x7bff);
    assert_int_equal(bits_of("65519.996", PTX_F16), 0x7bff);
    assert_int_equal(bits_of("65520", PTX_F16), 0x7c00); // a tie goes to even: infinity
    assert_int_equal(bits_of("6.103515625e-05", PTX_F16), 0x0400);
    assert_int_equal(bits_of("5.9604644775390625e-08", PTX_F16), 0x0001);
    assert_int_equal(bits_of("2.98023223876953125e-08", PTX_F16), 0x0000); // tie to even
    assert_int_equal(bits_of("1.0009765625", PTX_F16), 0x3c01);
    assert_int_equal(bits_of("1.00048828125", PTX_F16), 0x3c00); // tie to even
    assert_int_equal(bits_of("1", PTX_BF16), 0x3f80);
    assert_int_equal(bits_of("inf", PTX_BF16), 0x7f80);
    assert_int_equal(bits_of("1e40", PTX_BF16), 0x7f80);
}

static void test_fill(void **state) {
    (void)state;
    uint8_t bytes[300];
    launch_fill(&(struct launch_argument){.type = PTX_U8, .count = 300, .init = LAUNCH_IOTA},
                bytes);
    assert_int_equal(bytes[299], 299 % 256);
    float floats[1000];
    struct launch_argument random = {.type = PTX_F32, .count = 1000, .init = LAUNCH_RANDOM};
    launch_fill(&random, floats);
    double sum = 0;
    for (int i = 0; i < 1000; i++) {
        assert_true(floats[i] >= 0 && floats[i] < 1);
        sum += (double)floats[i];
    }
    assert_true(sum > 450 && sum < 550);
    float again[1000];
    launch_fill(&random, again);
    assert_memory_equal(floats, again, sizeof floats);
    random.seed = 1;
    launch_fill(&random, again);
    assert_memory_not_equal(floats, again, sizeof floats);
    uint64_t values[] = {5, 6};
    uint16_t shorts[4];
    struct launch_argument list = {.type = PTX_U16,
                                   .count = 4,
                                   .init = LAUNCH_VALUES,
                                   .values = values,
                                   .value_count = 2,
                                   .is_list = true};
    launch_fill(&list, shorts);
    assert_memory_equal(shorts, ((uint16_t[]){5, 6, 0, 0}), sizeof shorts);
    list.is_list = false;
    launch_fill(&list, shorts);
    assert_memory_equal(shorts, ((uint16_t[]){5, 5, 5, 5}), sizeof shorts);
}

static void assert_printed(enum ptx_type type, const void *memory, uint64_t count,
                           const char *expected) {
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    launch_print_values(type, memory, count, out);
    fclose(out);
    assert_string_equal(text, expected);
    free(text);
}

static void test_print(void **state) {
    (void)state;
    assert_printed(PTX_S8, (int8_t[]){-1, 127}, 2, "-1 127");
    assert_printed(PTX_U8, (uint8_t[]){255}, 1, "255");
    assert_printed(PTX_S64, (int64_t[]){INT64_MIN}, 1, "-9223372036854775808");
    assert_printed(PTX_U64, (uint64_t[]){UINT64_MAX}, 1, "18446744073709551615");
    assert_printed(PTX_B16, (uint16_t[]){10}, 1, "0x000a");
    assert_printed(PTX_F32, (float[]){0.1f, -INFINITY}, 2, "0.100000001 -inf");
    assert_printed(PTX_F64, (double[]){0.1}, 1, "0.10000000000000001");
    assert_printed(PTX_F16, (uint16_t[]){0x3c00, 0x0001, 0xfc00}, 3, "1 5.96046448e-08 -inf");
    assert_printed(PTX_BF16, (uint16_t[]){0x4049}, 1, "3.140625");
}

static struct ptx_variable scalar(const char *name, enum ptx_type type) {
    return (struct ptx_variable){.name = name,
                                 .type = type,
                                 .space = PTX_SPACE_PARAM,
                                 .vector = 1,
                                 .bytes = ptx_type_bytes(type)};
}

// Fits a launch to _Z4scanPyf(u64, f32, u32, structure of 12 bytes, u16).
static bool fit(struct context *c, const char *arguments) {
    char text[256];
    snprintf(text, sizeof text, "scan<<<1,1>>>%s", arguments);
    if (!parse(c, text))
        fail_msg("%s: %s", text, c->diags.items[0].message);
    c->source.text = arena_strndup(c->arena, text, strlen(text));
    struct ptx_variable parameters[] = {scalar("p0", PTX_U64), scalar("p1", PTX_F32),
                                        scalar("p2", PTX_U32), scalar("p3", PTX_B8),
                                        scalar("p4", PTX_U16)};
    parameters[3].is_array = true;
    parameters[3].elements = parameters[3].bytes = 12;
    struct ptx_function kernel = {
        .name = "_Z4scanPyf", .is_entry = true, .parameters = parameters, .parameter_count = 5};
    bool is_fine = launch_spec_fit(&c->spec, &c->source, &kernel, c->arena, &c->diags);
    assert_int_equal(is_fine, c->diags.errors == 0);
    return is_fine;
}

static void test_fit(void **state) {
    (void)state;
    struct context c;
    assert_true(fit(&c, "(f32[8], 2, -1, u32[3]=iota, 7)"));
    assert_int_equal(c.spec.arguments[1].type, PTX_F32);
    assert_int_equal(c.spec.arguments[1].values[0], 0x40000000);
    assert_int_equal(c.spec.arguments[2].values[0], 0xffffffff);
    assert_true(c.spec.arguments[3].is_by_value);
    assert_false(c.spec.arguments[0].is_by_value);
    assert_int_equal(ptx_type_bytes(c.spec.arguments[4].type), 2);
    end(&c);
    assert_true(fit(&c, "(0, b32=0x3f800000, s32=5, b8[12], b16=1)")); // a null pointer, bits
    end(&c);
}

static void test_misfit(void **state) {
    (void)state;
    static const struct {
        const char *arguments, *words[2];
    } cases[] = {
        {"(f32[8], 2, 3)",
         {"takes 5 arguments (u64, f32, u32, a structure of 12 bytes, u16)", "3 given"}},
        {"(f32=1, 2, 3, b8[12], 1)",
         {
             "argument 1 is f32",
             "parameter p0",
         }},
        {"(0, u32=2, 3, b8[12], 1)", {"argument 2 is u32", "is f32"}},
        {"(0, 2, f32=3, b8[12], 1)", {"argument 3 is f32", "is u32"}},
        {"(0, 2, u32[4], b8[12], 1)", {"argument 3 is u32[4]", "is u32"}},
        {"(0, 2, 3, b8[13], 1)", {"argument 4 is b8[13]", "a structure of 12 bytes"}},
        {"(0, 2, 3, 4, 1)", {"argument 4 is a number", "a structure of 12 bytes"}},
        {"(0, 2, u64=3, b8[12], 1)", {"argument 3 is u64", "is u32"}},
        {"(0, 2, 1.5, b8[12], 1)", {"'1.5' is no integer", "p2 is u32"}},
        {"(0, 2, 3, b8[12], 65536)", {"'65536' does not fit", "p4 is u16"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct context c;
        assert_false(fit(&c, cases[i].arguments));
        for (int word = 0; word < 2; word++)
            if (!strstr(c.diags.items[0].message, cases[i].words[word]))
                fail_msg("%s: '%s' lacks '%s'", cases[i].arguments, c.diags.items[0].message,
                         cases[i].words[word]);
        end(&c);
    }
}

static const struct ptx_function *find(const char *launch, struct context *c) {
    static struct ptx_function functions[] = {
        {.name = "_Z4scanPyf", .is_entry = true, .has_body = true},
        {.name = "_Z4scan", .is_entry = false, .has_body = true},
        {.name = "_Z5scan2v", .is_entry = true, .has_body = true},
        {.name = "_Z4fillIiEvPT_", .is_entry = true, .has_body = true},
        {.name = "_Z4fillIfEvPT_", .is_entry = true, .has_body = true},
        {.name = "plain", .is_entry = true, .has_body = true},
    };
    struct ptx_module module = {.functions = functions,
                                .function_count = sizeof functions / sizeof *functions};
    assert_true(parse(c, launch));
    return launch_spec_kernel(&c->spec, &c->source, &module, &c->diags);
}

static void test_kernel(void **state) {
    (void)state;
    struct context c;
    assert_string_equal(find("scan<<<1,1>>>()", &c)->name, "_Z4scanPyf");
    end(&c);
    assert_string_equal(find("plain<<<1,1>>>()", &c)->name, "plain");
    end(&c);
    assert_string_equal(find("_Z4fillIfEvPT_<<<1,1>>>()", &c)->name, "_Z4fillIfEvPT_");
    end(&c);
    assert_null(find("fill<<<1,1>>>()", &c));
    assert_non_null(strstr(c.diags.items[0].message, "several kernels are called 'fill'"));
    end(&c);
    assert_null(find("sca<<<1,1>>>()", &c));
    assert_non_null(strstr(c.diags.items[0].message, "no kernel 'sca'"));
    assert_non_null(strstr(c.diags.items[0].message, "_Z4scanPyf, _Z5scan2v"));
    end(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),   cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_inits),   cmocka_unit_test(test_errors),
        cmocka_unit_test(test_numbers), cmocka_unit_test(test_fill),
        cmocka_unit_test(test_print),   cmocka_unit_test(test_fit),
        cmocka_unit_test(test_misfit),  cmocka_unit_test(test_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
