// Index expressions: what they evaluate to as in C, what lanes access, and what is refused.
#include "explain/explain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/strbuf.h"

struct asked {
    const char *expression, *shared, *let;
    uint32_t block[3];
    uint32_t warp;
    size_t combination;
};

// The first message, or "" when there is an answer.
static const char *ask(const struct asked *asked, struct explain_request *request) {
    static char message[512];
    struct explain_launch launch = {
        .grid = {10, 20, 1}, .block = {32, 1, 1}, .block_index = {3, 4, 0}};
    if (asked->block[0])
        memcpy(launch.block, asked->block, sizeof launch.block);
    struct source expression = {"<expression>", asked->expression, strlen(asked->expression)};
    struct source shared = {"<shared>", asked->shared, strlen(asked->shared)};
    struct source let = {"<let>", asked->let, asked->let ? strlen(asked->let) : 0};
    struct diag_list diags = {0};
    struct explain *explain = explain_create(&launch, asked->combination);
    bool is_fine = (!asked->let || explain_let(explain, &let, &diags)) &&
                   explain_declare(explain, &shared, &diags) &&
                   explain_expression(explain, &expression, &diags) &&
                   explain_warp(explain, asked->warp, request, &diags);
    message[0] = '\0';
    assert_int_equal(is_fine, diags.errors == 0);
    if (!is_fine) {
        assert_int_equal(diags.errors, 1);
        uint32_t line, column;
        source_position(diags.items[0].source, diags.items[0].range.begin, &line, &column);
        snprintf(message, sizeof message, "%s:%u: %s", diags.items[0].source->name, column,
                 diags.items[0].message);
    }
    diag_free(&diags);
    explain_free(explain);
    return message;
}

static struct explain_request answer(const char *expression, const char *shared) {
    struct explain_request request;
    struct asked asked = {.expression = expression, .shared = shared};
    assert_string_equal(ask(&asked, &request), "");
    return request;
}

// The number that lane 1 computes: the index of an array of bytes.
static int64_t number(const char *expression) {
    char text[512];
    snprintf(text, sizeof text, "s[%s]", expression);
    return answer(text, "extern char s[]").places[1];
}

static void test_numbers(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t value;
    } table[] = {
        {"7 / 2", 3},
        {"-7 / 2", -3},
        {"-7 % 3", -1},
        {"7u % 3", 1},
        {"1 + 2 * 3 - 4", 3},
        {"(1 + 2) * 3", 9},
        {"10 - 4 - 3", 3},
        {"1 << 4 >> 2", 4},
        {"-8 >> 1", -4},
        {"6 & 3 | 8 ^ 1", 11},
        {"!5 + !0", 1},
        {"~5 & 0xff", 250},
        {"3 < 4 == 1", 1},
        {"1 ? 2 : 3 ? 4 : 5", 2},
        {"0 ? 2 : 0 ? 4 : 5", 5},
        {"0 && 1 / 0", 0},
        {"1 || 1 / 0", 1},
        {"2 && 3", 1},
        {"tid ? 5 : 1 / (tid + 1)", 5},
        {"0x1F + 0b11 + 017", 49},
        {"'A' - '\\n'", 55},
        {"1'000", 1000},
        {"(char)200", -56},
        {"(unsigned char)200 + 100", 300},
        {"(short)70000", 4464},
        {"(int)4294967295u", -1},
        {"(bool)7", 1},
        {"(long long)1 << 40 >> 38", 4},
        {"-1 < 1u", 0}, // the -1 becomes unsigned
        {"-1 < 1", 1},
        {"-1 < (unsigned char)1", 1},
        {"(4294967295u + 2) * 3", 3}, // unsigned numbers wrap
        {"(0u - 1) >> 28", 15},
        {"(size_t)-1 >> 60", 15},
        {"2147483648 >> 30", 2}, // too large for int, so it is a long long
        {"sizeof(float4)", 16},
        {"sizeof tid", 4},
        {"sizeof(char) + sizeof(double)", 9},
        {"sizeof(sizeof(int))", 8},
        {"sizeof(struct { char c; double d; })", 16},
        {"sizeof(float3) * 1000 + sizeof(half2)", 12004},
        {"min(7, 3) + max(2, 5) + abs(-4)", 12},
        {"__popc(0xff0f)", 12},
        {"__brev(1u) >> 28", 8},
        {"warpSize + laneid + warpid", 33},
        {"blockIdx.x + blockIdx.y * gridDim.x", 43},
        {"blockDim.x * 2 + gridDim.y", 84},
        {"threadIdx.x + threadIdx.y + threadIdx.z", 1},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_int_equal(number(table[i].text), table[i].value);
}

static void test_thread_indices(void **state) {
    (void)state;
    struct explain_request request;
    struct asked asked = {.expression = "s[threadIdx.x + 10 * threadIdx.y + 100 * threadIdx.z]",
                          .shared = "char s[1000]",
                          .block = {5, 4, 3},
                          .warp = 1};
    assert_string_equal(ask(&asked, &request), "");
    assert_int_equal(request.mask, (1u << 28) - 1); // 60 threads: 28 in warp 1
    for (unsigned lane = 0; lane < 28; lane++) {
        unsigned thread = 32 + lane;
        assert_int_equal(request.offsets[lane],
                         thread % 5 + 10 * (thread / 5 % 4) + 100 * (thread / 20));
    }
    asked.warp = 2;
    assert_string_equal(ask(&asked, &request), "");
    assert_int_equal(request.mask, 0);
}

static void test_places(void **state) {
    (void)state;
    static const struct {
        const char *expression, *shared;
        uint32_t lane1;
        unsigned width;
    } table[] = {
        {"t[threadIdx.x][3]", "float t[32][33]", 144, 4},
        {"t[1][2][tid]", "double t[2][3][4]", 168, 8},
        {"s[tid].y", "float2 s[32]", 12, 4},
        {"s[tid]", "float2 s[32]", 8, 8},
        {"s[tid]", "int4 s[32]", 16, 16},
        {"s[tid].x", "struct { char c; short x; } s[32]", 6, 2},
        {"s[tid].in[1].b", "struct { int a; struct { char a, b; } in[2]; } s[32]", 15, 1},
        {"(&s[tid])->y", "struct P { int x, y; }; P s[32]", 12, 4},
        {"*(s + tid)", "short s[32]", 2, 2},
        {"*(tid + s)", "short s[32]", 2, 2},
        {"*(float4 *)&t[tid][4]", "float t[32][36]", 160, 16},
        {"*reinterpret_cast<double *>(&t[2 * tid])", "float t[64]", 8, 8},
        {"((char *)t)[tid]", "float t[64]", 1, 1},
        {"(tid & 1 ? a : b)[tid]", "float a[64], b[64]", 4, 4},
        {"b[tid]", "char a[3]; float b[64]", 8, 4},
        {"b[tid]", "char a[3]; __align__(16) float b[64]", 20, 4},
        {"p[tid]", "const volatile unsigned long long p[64]", 8, 8},
        {"h[tid]", "extern __shared__ __half h[]", 2, 2},
        {"u[tid].f", "union { float f; char c[8]; } u[4]", 8, 4},
        {"s[tid];", "int s[64];", 4, 4},
        {"*s", "int s[64]", 0, 4},
        {"v", "int v", 0, 4},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct explain_request request = answer(table[i].expression, table[i].shared);
        assert_int_equal(request.offsets[1], table[i].lane1);
        assert_int_equal(request.width, table[i].width);
        assert_int_equal(request.mask, UINT32_MAX);
    }
}

static void test_outside(void **state) {
    (void)state;
    struct explain_request request = answer("s[tid * 32]", "float s[128]");
    assert_int_equal(request.outside, 0xfffffff0u);
    assert_int_equal(request.places[4], 512);
    request = answer("b[tid - 1]", "int a[4], b[40]");
    assert_int_equal(request.outside, 1);
    assert_int_equal(request.places[0], -4);
    request = answer("*(float4 *)&s[tid]", "float s[32]");
    assert_int_equal(request.outside, 0xe0000000u);
    assert_int_equal(answer("s[tid]", "extern float s[]").outside, 0);
    assert_int_equal(answer("t[0][tid]", "float t[8][8]").outside, 0); // still inside of t
}

static void test_sweeps(void **state) {
    (void)state;
    struct explain_request request;
    struct asked asked = {
        .expression = "s[tid * k]", .shared = "int s[32 * 9 + k]", .let = "k = 1..9, 4"};
    for (asked.combination = 0; asked.combination < 3; asked.combination++) {
        assert_string_equal(ask(&asked, &request), "");
        assert_int_equal(request.offsets[1], 4 * (1 + 4 * asked.combination));
    }
    struct explain_launch launch = {{1, 1, 1}, {32, 1, 1}, {0, 0, 0}, 0, 0};
    struct diag_list diags = {0};
    struct source lets[] = {
        {"<let>", "a=0..2", 6}, {"<let>", "b=a+1", 5}, {"<let>", "c=4..0,-2", 9}};
    struct explain *explain = explain_create(&launch, 7);
    for (size_t i = 0; i < 3; i++)
        assert_true(explain_let(explain, &lets[i], &diags));
    assert_int_equal(explain_combinations(explain), 9);
    assert_int_equal(explain_sweeps(explain), 2);
    assert_string_equal(explain_sweep_name(explain, 1), "c");
    assert_int_equal(explain_sweep_value(explain, 0), 1);
    assert_int_equal(explain_sweep_value(explain, 1), 0);
    explain_free(explain);
    diag_free(&diags);
}

static void test_refused(void **state) {
    (void)state;
    static const struct {
        const char *expression, *shared, *message;
    } table[] = {
        {"s[tid", "int s[4]", "<expression>:6: expected ']'"},
        {"s[tid *]", "int s[4]", "<expression>:8: expected a number, a name or '('"},
        {"", "int s[4]", "<expression>:1: the expression ends too early"},
        {"s[1] 2", "int s[4]", "<expression>:6: here the expression should end"},
        {"s[q]", "int s[4]",
         "<expression>:3: nothing is called 'q'; give it a value with --let q=1"},
        {"t[1]", "int s[4]",
         "<expression>:1: no array 't' is declared; declare it like --shared 'float t[32]'"},
        {"s[threadIdx.w]", "int s[4]", "<expression>:13: threadIdx has the members x, y and z"},
        {"s[tid / (tid - 3)]", "int s[4]",
         "<expression>:7: a division by zero in lane 3 of warp 0"},
        {"s[tid % 0]", "int s[4]", "<expression>:7: a division by zero in lane 0 of warp 0"},
        {"s[(tid + 2147483647) * 1]", "int s[4]",
         "<expression>:8: a signed number that overflows in lane 1 of warp 0"},
        {"s[1 << (tid + 1)]", "int s[4]",
         "<expression>:5: a shift by all bits or more in lane 31 of warp 0"},
        {"s[1 << -tid]", "int s[4]",
         "<expression>:5: a shift by a negative number in lane 1 of warp 0"},
        {"s[99999999999999999999]", "int s[4]",
         "<expression>:3: this number does not fit in 64 bits"},
        {"s[4000000000]", "int s[4]",
         "<expression>:1: lane 0 of warp 0 is more than 2 GiB off the start of shared memory"},
        {"s[1.5]", "int s[4]", "<expression>:3: a floating-point number is no part of an index"},
        {"s[0x]", "int s[4]", "<expression>:3: this is no number"},
        {"s[09]", "int s[4]", "<expression>:3: this is no number"},
        {"s[$]", "int s[4]", "<expression>:3: no expression has this character"},
        {"s[(float)tid]", "int s[4]",
         "<expression>:3: an index is computed with integers, not with float"},
        {"s[s[tid]]", "int s[4]",
         "<expression>:3: what shared memory holds is not known; use --let for its value"},
        {"s", "int s[4]", "<expression>:1: this is still an array; index it once more"},
        {"s[0][0]", "int s[4]", "<expression>:1: this is no array"},
        {"s[0].x", "int s[4]", "<expression>:6: this is no struct, it has no members"},
        {"s[0].q", "float2 s[4]", "<expression>:6: float2 has no member 'q'"},
        {"s[0]", "float3 s[4]",
         "<expression>:1: a float3 takes several accesses; choose a member, like .x, or say how "
         "wide one access is with --width"},
        {"tid * 4", "int s[4]",
         "<expression>:1: this is a number and accesses nothing; write what is indexed with it, "
         "like s[...]"},
        {"&s[tid]", "int s[4]",
         "<expression>:1: this is an address and accesses nothing; write *(...) around it"},
        {"s[tid] = 3", "int s[4]",
         "<expression>:8: write only the access; --store makes it a store"},
        {"s[tid++]", "int s[4]", "<expression>:6: an index expression changes nothing"},
        {"s[++tid]", "int s[4]", "<expression>:3: an index expression changes nothing"},
        {"s[tid]", "flaot s[4]", "<shared>:1: bankrun knows no type 'flaot'"},
        {"s[tid]", "float s[0]", "<shared>:9: a dimension of 0 is not from 1 to 1073741824"},
        {"s[tid]", "float s[-3]", "<shared>:9: a dimension of -3 is not from 1 to 1073741824"},
        {"s[tid]", "float s[tid]", "<shared>:9: this differs from thread to thread"},
        {"s[tid]", "float s[4", "<shared>:10: expected ']'"},
        {"s[tid]", "float s[4]; int s", "<shared>:17: 's' is declared twice"},
        {"s[tid]", "long char s[4]", "<shared>:1: these words make no type"},
        {"s[tid]", "float s[100000][100000]", "<shared>:7: this is larger than any shared memory"},
        {"s[tid]", "struct { int a; } s[4] int", "<shared>:24: expected ';' or ','"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct explain_request request;
        struct asked asked = {.expression = table[i].expression, .shared = table[i].shared};
        assert_string_equal(ask(&asked, &request), table[i].message);
    }
}

static void test_refused_variables(void **state) {
    (void)state;
    static const char *const table[][2] = {
        {"k", "<let>:2: expected '=' and a value"},
        {"3=k", "<let>:1: a variable is given like NAME=NUMBER"},
        {"k=1..", "<let>:6: the expression ends too early"},
        {"k=5..1", "<let>:6: from 5 in steps of 1 one never gets to 1"},
        {"k=1..5,0", "<let>:8: from 1 in steps of 0 one never gets to 5"},
        {"k=1..tid", "<let>:6: this differs from thread to thread"},
        {"k=1..99999999", "<let>:6: more than 65536 combinations"},
        {"k=1 2", "<let>:5: here the value should end"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct explain_request request;
        struct asked asked = {.expression = "s[0]", .shared = "int s[4]", .let = table[i][0]};
        assert_string_equal(ask(&asked, &request), table[i][1]);
    }
}

static char *repeat(const char *text, unsigned count, const char *end) {
    struct strbuf out = {0};
    for (unsigned i = 0; i < count; i++)
        strbuf_puts(&out, text);
    strbuf_puts(&out, end);
    return strbuf_take(&out);
}

// Nesting of any kind ends in a message.
static void test_depth(void **state) {
    (void)state;
    static const char *const pieces[] = {"(", "- ", "s[", "1+", "1?", "(int)", "sizeof ", "*&"};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        struct explain_request request;
        char *text = repeat(pieces[i], 100000, "s[1]");
        struct asked asked = {.expression = text, .shared = "int s[4]"};
        assert_non_null(strstr(ask(&asked, &request), "nested more than 200 deep"));
        free(text);
    }
    struct explain_request request;
    char *text = repeat("struct{", 100000, "int a;");
    struct asked asked = {.expression = "s[1]", .shared = text};
    assert_non_null(strstr(ask(&asked, &request), "nested more than 200 deep"));
    free(text);
}

static void test_instructions(void **state) {
    (void)state;
    static const struct {
        const char *name;
        enum bankrun_access access;
        unsigned width, matrices;
    } table[] = {
        {"ld.shared.u8", BANKRUN_LOAD, 1, 0},
        {"ld.shared.v4.f32", BANKRUN_LOAD, 16, 0},
        {"st.volatile.shared.v2.b64", BANKRUN_STORE, 16, 0},
        {"ld.f64", BANKRUN_GENERIC_LOAD, 8, 0},
        {"st.u64", BANKRUN_STORE, 8, 0},
        {"ld.shared::cta.u32", BANKRUN_LOAD, 4, 0},
        {"atom.shared.add.u32", BANKRUN_ATOMIC, 4, 0},
        {"atom.shared.add.u32(1)", BANKRUN_ATOMIC_CONSTANT, 4, 0},
        {"red.shared.max.s32(1)", BANKRUN_ATOMIC_CONSTANT, 4, 0},
        {"atom.shared.exch.b32(1)", BANKRUN_ATOMIC, 4, 0},
        {"red.shared.inc.u32(1)", BANKRUN_ATOMIC, 4, 0},
        {"red.relaxed.cta.shared.max.s32", BANKRUN_ATOMIC, 4, 0},
        {"atom.shared.cas.b64", BANKRUN_ATOMIC_CAS, 8, 0},
        {"atom.shared.add.f32", BANKRUN_ATOMIC_LOOP, 4, 0},
        {"atom.shared.min.u64", BANKRUN_ATOMIC_EARLY_LOOP, 8, 0},
        {"atom.shared.xor.b64", BANKRUN_ATOMIC_LOOP, 8, 0},
        {"atom.shared.exch.b64", BANKRUN_ATOMIC, 8, 0},
        {"atom.shared.exch.b128", BANKRUN_ATOMIC, 16, 0},
        {"atom.shared.cas.b128", BANKRUN_ATOMIC_CAS, 16, 0},
        {"atom.shared.cas.b16", BANKRUN_ATOMIC_LOOP, 2, 0},
        {"atom.add.u64", BANKRUN_ATOMIC, 8, 0},
        {"atom.add.f32", BANKRUN_GENERIC_LOOP, 4, 0},
        {"atom.max.s64", BANKRUN_GENERIC_EARLY_LOOP, 8, 0},
        {"red.inc.u32", BANKRUN_ATOMIC, 4, 0},
        {"atom.shared.add.noftz.f16x2", BANKRUN_ATOMIC_LOOP, 4, 0},
        {"ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16", BANKRUN_MATRIX_LOAD, 16, 4},
        {"stmatrix.x1", BANKRUN_MATRIX_STORE, 16, 1},
        {"cp.async.cg.shared.global", BANKRUN_ASYNC_COPY, 16, 0},
        {"cp.async.ca.shared.global(8)", BANKRUN_ASYNC_COPY, 8, 0},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct bankrun_request request = {0};
        assert_null(explain_instruction(table[i].name, strlen(table[i].name), &request));
        assert_int_equal(request.access, table[i].access);
        assert_int_equal(request.width, table[i].width);
        assert_int_equal(request.matrices, table[i].matrices);
    }
    static const char *const wrong[] = {"",
                                        "ld",
                                        "ld.shared",
                                        "add.u32",
                                        "ld.global.u32",
                                        "ldmatrix",
                                        "atom",
                                        "atom.shared.sub.u32",
                                        "atom.shared.u32",
                                        "(",
                                        "ld.shared.v8.f32"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct bankrun_request request = {0};
        assert_non_null(explain_instruction(wrong[i], strlen(wrong[i]), &request));
    }
}

// ---- Files of requests --------------------------------------------------------------------

#define ZEROS "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0"
#define HEADING "instruction,active_mask,byte_offsets"

// Feeds the text in pieces; what came out, or the first message. Caller frees.
static char *feed(const char *text, size_t piece, bool keep_going) {
    struct diag_list diags = {0};
    struct strbuf out = {0};
    struct explain_requests *requests = explain_requests_create("file.csv", 90, keep_going);
    size_t length = strlen(text), at = 0;
    bool goes_on = true;
    for (; goes_on && at < length; at += piece)
        goes_on = explain_requests_feed(
            requests, text + at, at + piece < length ? piece : length - at, false, &out, &diags);
    if (goes_on)
        explain_requests_feed(requests, "", 0, true, &out, &diags);
    if (diags.errors) {
        uint32_t line, column;
        source_position(diags.items[0].source, diags.items[0].range.begin, &line, &column);
        strbuf_printf(&out, "!%u:%u: %s", line + diags.items[0].lines_before, column,
                      diags.items[0].message);
    }
    diag_free(&diags);
    explain_requests_free(requests);
    return strbuf_take(&out);
}

static void test_requests(void **state) {
    (void)state;
    static const struct {
        const char *in, *out;
    } table[] = {
        {HEADING "\nld.shared.u32,0xffffffff," ZEROS " 128\n",
         HEADING ",wavefronts,ideal,cycles\nld.shared.u32,0xffffffff," ZEROS " 128,2,1,2\n"},
        {"wavefronts,byte_offsets,x,active_mask,instruction\r\n9," ZEROS " 16,\"a,\"\"b\",255,"
         "st.shared.v4.u32\r\n\r\n",
         "given_wavefronts,byte_offsets,x,active_mask,instruction,wavefronts,ideal,cycles\n9," ZEROS
         " 16,\"a,\"\"b\",255,st.shared.v4.u32,1,1,4\n"},
        {HEADING "\natom.shared.add.u32,0x3," ZEROS " 0", // no newline at the end
         HEADING ",wavefronts,ideal,cycles\natom.shared.add.u32,0x3," ZEROS " 0,2,1,2\n"},
        {"", "!1:1: the file is empty; its first line names the columns"},
        {"instruction,active_mask\n", "!1:1: there is no column 'byte_offsets'"},
        {HEADING "\nld.shared.u32,0xffffffff,0 4 x\n",
         HEADING ",wavefronts,ideal,cycles\n!2:30: expected a byte offset"},
        {HEADING "\nld.shared.u32,0xffffffff,0 4\n",
         HEADING ",wavefronts,ideal,cycles\n!2:29: fewer than 32 byte offsets"},
        {HEADING "\nld.shared.u32,0xffffffff," ZEROS " 0 7\n",
         HEADING ",wavefronts,ideal,cycles\n!2:90: more than 32 byte offsets"},
        {HEADING "\n\nld.shared.u32,0xfffffffff," ZEROS " 0\n",
         HEADING ",wavefronts,ideal,cycles\n!3:15: expected a mask of lanes, like 0xffffffff"},
        {HEADING "\nld.shared.u32,0," ZEROS " 0\n",
         HEADING ",wavefronts,ideal,cycles\n!2:15: no lane is active"},
        {HEADING "\nld.shared.u32,0xffffffff," ZEROS " 6\n",
         HEADING ",wavefronts,ideal,cycles\n!2:88: an active lane's offset is no multiple of the "
                 "width"},
        {HEADING "\nld.shared.u32,0xffffffff\n",
         HEADING ",wavefronts,ideal,cycles\n!2:25: the row has too few columns"},
        {HEADING "\nld.shared.u32,1," ZEROS " 0,4\n",
         HEADING ",wavefronts,ideal,cycles\n!2:81: the row has too many columns"},
        {HEADING "\nadd.u32,1," ZEROS " 0\n",
         HEADING ",wavefronts,ideal,cycles\n!2:1: bankrun has no bank model of this instruction"},
        {HEADING "\n\"ld.shared.u32,1," ZEROS " 0\n",
         HEADING ",wavefronts,ideal,cycles\n!2:2: this quote does not end on its line"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        for (size_t piece = 1; piece < 200; piece += 33) {
            char *out = feed(table[i].in, piece, false);
            assert_string_equal(out, table[i].out);
            free(out);
        }
    char *out = feed(HEADING "\nadd.u32,1," ZEROS " 0\nld.shared.u8,1," ZEROS " 0\n", 7, true);
    assert_string_equal(out, HEADING ",wavefronts,ideal,cycles\nld.shared.u8,1," ZEROS
                                     " 0,1,1,1\n!2:1: bankrun has no bank model of this "
                                     "instruction");
    free(out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_thread_indices),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_outside),
        cmocka_unit_test(test_sweeps),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_refused_variables),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_instructions),
        cmocka_unit_test(test_requests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
