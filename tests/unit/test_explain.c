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
    const char *expression, *shared, *let, *second_let;
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
    struct source second = {"<second>", asked->second_let,
                            asked->second_let ? strlen(asked->second_let) : 0};
    struct diag_list diags = {0};
    struct explain *explain = explain_create(&launch, asked->combination);
    bool is_fine = (!asked->let || explain_let(explain, &let, &diags)) &&
                   (!asked->second_let || explain_let(explain, &second, &diags)) &&
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
        {"int(4294967295u)", -1},
        {"unsigned(-1) >> 28", 15},
        {"2 * uint8_t(257)", 2},
        {"static_cast<short>(70000) >> 2", 1116},
        {"sizeof(float4)", 16},
        {"sizeof(float[8]) + sizeof(float (*)[8])", 40},
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
        {"reinterpret_cast<float4 *>(s)[tid]", "float s[128]", 16, 16},
        {"reinterpret_cast<const float4 *>(&t[1][0])[tid].y", "float t[2][128]", 532, 4},
        {"reinterpret_cast<float4 *>(s + 4)->z", "float s[8]", 24, 4},
        {"*(int2 *)(s + 2 * tid)", "float s[64]", 8, 8},
        {"((half2 *)h)[tid]", "half h[64]", 4, 4},
        {"*(const uint4 *const)&h[8 * tid]", "half h[256]", 16, 16},
        {"((double4 *)s)[tid].w", "float s[256]", 56, 8},
        {"reinterpret_cast<char2 *>(s)[tid]", "float s[16]", 2, 2},
        {"(float4 &)s[4 * tid]", "float s[128]", 16, 16},
        {"reinterpret_cast<double &>(s[2 * tid]);", "float s[64]", 8, 8},
        {"reinterpret_cast<float (*)[33]>(s)[tid][1]", "float s[1056]", 136, 4},
        {"((float (*)[4][8])s)[1][0][tid]", "extern float s[]", 132, 4},
        {"(1 + (const_cast<float *>(s) + tid))[-1]", "float s[64]", 4, 4},
        {"half[tid]", "float half[64]", 4, 4}, // a name of one's own goes before the type's
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

static void test_uniform(void **state) {
    (void)state;
    static const struct {
        const char *expression, *let;
        bool is_uniform;
    } table[] = {
        {"s[0]", NULL, true},
        {"s[blockIdx.x + blockDim.x * k]", "k=1..2", true},
        {"s[h[2]]", "h[]=3,1,4", true},
        {"s[f(3)]", "f(i)=i+blockIdx.x", true},
        {"s[tid * 0]", NULL, false}, // by its form, whatever it comes to
        {"s[k]", "k=threadIdx.y", false},
        {"s[h[warpid]]", "h[]=3,1,4", false},
        {"s[f(3)]", "f(i)=i+laneid", false},
        {"s[f(threadIdx.z)]", "f(i)=3", false},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct explain_request request;
        struct asked asked = {
            .expression = table[i].expression, .shared = "int s[64]", .let = table[i].let};
        assert_string_equal(ask(&asked, &request), "");
        assert_int_equal(request.is_uniform, table[i].is_uniform);
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

static void test_functions(void **state) {
    (void)state;
    static const struct {
        const char *expression, *shared, *let, *second_let;
        uint32_t lane1;
        unsigned width;
    } table[] = {
        {"s[IDX(tid * 32)]", "float s[1056]", "IDX(i)=i+i/32", NULL, 132, 4},
        {"s[f(tid + 1) * 2]", "char s[256]", "f(i) = i * 3", NULL, 12, 1}, // and not tid + 1 * 3
        {"s[f()]", "char s[8]", "f()=7", NULL, 7, 1},
        {"s[g(2, tid)]", "char s[64]", "f(i)=i+1", "g(i,j)=f(i)*10+f(j)", 32, 1},
        {"AS(1, tid)", "float as[2][32]", "AS(i,j)=as[i][j]", NULL, 132, 4},
        {"s[tid]", "float s[f(16)]", "f(n)=2*n", NULL, 4, 4},
        {"FETCH(s[4 * tid]).y", "float s[128]", "FETCH(p)=(reinterpret_cast<float4 *>(&(p))[0])",
         NULL, 20, 4},
        {"at(s, tid)", "float s[32]", "at(p,i)=*(p + i)", NULL, 4, 4},
        {"s[f(tid)]", "char s[64]", "f(tid)=tid+8", NULL, 9, 1}, // a parameter hides other names
        {"s[min(tid, 3)]", "char s[64]", "min(a,b)=a+b", NULL, 4, 1},
        {"s[h[tid % 3]]", "char s[64]", "h[]=3,1,4", NULL, 1, 1},
        {"s[h[tid] + h[31]]", "char s[64]", "k=4", "h[32] = {5, k * 2}", 8, 1},
        {"s[h[tid % 2] >> 33]", "char s[64]", "h[]=0,1ll<<35", NULL, 4, 1},
        {"s[f(tid)]", "char s[64]", "h[]=0,7", "f(i)=h[i%2]", 7, 1},
        {"s[tid < 2 ? h[tid] : 0]", "char s[64]", "h[]=0,7", NULL, 7, 1},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct explain_request request;
        struct asked asked = {.expression = table[i].expression,
                              .shared = table[i].shared,
                              .let = table[i].let,
                              .second_let = table[i].second_let};
        assert_string_equal(ask(&asked, &request), "");
        assert_int_equal(request.offsets[1], table[i].lane1);
        assert_int_equal(request.width, table[i].width);
    }
}

static void test_suggestions(void **state) {
    (void)state;
    static const struct {
        const char *expression, *let, *message;
    } table[] = {
        {"s[lane]", NULL, "3: nothing is called 'lane'; write laneid, or add --let lane=laneid"},
        {"s[warp_id]", NULL,
         "3: nothing is called 'warp_id'; write warpid, or add --let "
         "warp_id=warpid"},
        {"s[tx]", NULL,
         "3: nothing is called 'tx'; write threadIdx.x, or add --let tx=threadIdx.x"},
        {"s[threadidx.x]", NULL, "3: nothing is called 'threadidx'; did you mean 'threadIdx'?"},
        {"s[ofset]", "offset=3", "3: nothing is called 'ofset'; did you mean 'offset'?"},
        {"tiel[0]", NULL, "1: there is no array 'tiel'; did you mean 'tile'?"},
        {"s[tabel[0]]", "table[]=1,2", "3: there is no array 'tabel'; did you mean 'table'?"},
        {"s[mni(1, 2)]", NULL, "3: there is no function 'mni'; did you mean 'min'?"},
        {"s[q(tid)]", NULL, "3: no function 'q' is defined; define it like --let 'q(i)=i'"},
        {"s[q(f[1, 2], (3, 4), 5)]", NULL,
         "3: no function 'q' is defined; define it like --let 'q(i,j,k)=i+j+k'"},
        {"s[q(tid)]", "q=1", "3: 'q' is no function; one is defined like --let 'q(i)=i'"},
        {"s[h[tid]]", NULL,
         "3: no array 'h' is declared; say what it holds, like --let 'h[]=3,1,4'"},
        {"s[f(1)]", "f(colunm)=column", "11: nothing is called 'column'; did you mean 'colunm'?"},
        {"s[tile]", "tile=3", ""},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct explain_request request;
        struct asked asked = {.expression = table[i].expression,
                              .shared = "int s[64], tile[64]",
                              .let = table[i].let};
        const char *message = ask(&asked, &request);
        const char *place = strchr(message, ':');
        assert_string_equal(place ? place + 1 : "", table[i].message);
    }
}

static void test_refused(void **state) {
    (void)state;
    static const struct {
        const char *expression, *shared, *message;
    } table[] = {
        {"s[tid", "int s[4]", "<expression>:6: expected ']'"},
        {"s[tid *]", "int s[4]", "<expression>:8: expected a number, a name or '('"},
        {"", "int s[4]", "<expression>:1: the expression ends too early"},
        {"*static_cast<float4 *>(&s[4])", "float s[64]",
         "<expression>:2: static_cast makes no such pointer of this one: reinterpret_cast does"},
        {"*static_cast<float4 *>(s)", "float s[64]",
         "<expression>:2: static_cast makes no such pointer of this one: reinterpret_cast does"},
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
        {"s[float(tid)]", "int s[4]",
         "<expression>:3: an index is computed with integers, not with float"},
        {"s[int]", "int s[4]", "<expression>:6: expected '(' and a value of this type"},
        {"reinterpret_cast(s)[0]", "int s[4]", "<expression>:17: expected '<'"},
        {"reinterpret_cast<flaot *>(s)[0]", "int s[4]",
         "<expression>:18: bankrun knows no type 'flaot'; did you mean 'float'?"},
        {"reinterpret_cast<float4 *>(tid)[0]", "int s[4]",
         "<expression>:1: only a pointer into shared memory can become another one"},
        {"(float4 *)s[tid]", "float s[4]",
         "<expression>:1: this casts what shared memory holds, which is not known; an access of "
         "another type is *(float4 *)&..."},
        {"reinterpret_cast<float2>(s[tid])", "float s[4]",
         "<expression>:1: this casts what shared memory holds, which is not known; an access of "
         "another type is *(float2 *)&..."},
        {"s[int(s[tid])]", "int s[4]", "<expression>:7: what shared memory holds is not known"},
        {"atomicAdd(&s[0], 1)", "int s[4]",
         "<expression>:1: write only the access; --atomic makes it an atomic"},
        {"(float4 &)tid", "int s[4]", "<expression>:11: this has no address"},
        {"((float (*)[0])s)[0]", "int s[4]",
         "<expression>:13: a dimension of 0 is not from 1 to 1073741824"},
        {"((float (3))s)[0]", "int s[4]", "<expression>:10: expected '*'"},
        {"((double4 *)s)[tid]", "float s[256]",
         "<expression>:2: a double4 takes several accesses; choose a member, like .x, or say how "
         "wide one access is with --width"},
        {"s[s[tid]]", "int s[4]",
         "<expression>:3: what shared memory holds is not known; say it with --let, like "
         "'s[]=3,1,4'"},
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
        {"s[tid]", "flaot s[4]",
         "<shared>:1: bankrun knows no type 'flaot'; did you mean 'float'?"},
        {"s[tid]", "T s[4]", "<shared>:1: bankrun knows no type 'T'"},
        {"s[tid]", "struct Pair {int a, b;}; Piar s[4]",
         "<shared>:26: bankrun knows no type 'Piar'; did you mean 'Pair'?"},
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

static void test_refused_functions(void **state) {
    (void)state;
    static const char *const table[][3] = {
        {"f(i)=f(i)+1", "s[f(1)]",
         "<let>:6: 'f' calls itself; a function has only what was defined before it"},
        {"f(i)=f+1", "s[0]",
         "<let>:6: 'f' calls itself; a function has only what was defined before it"},
        {"f(i)=second(i)", "s[0]",
         "<let>:6: 'second' is defined later; put its --let before that of 'f'"},
        {"f(i)=i", "s[f(1, 2)]", "<expression>:8: 'f' takes 1 argument"},
        {"f(i,j)=i", "s[f(1)]", "<expression>:3: 'f' takes 2 arguments"},
        {"f()=1", "s[f(1)]", "<expression>:5: 'f' takes 0 arguments"},
        {"f(i)=i", "s[f]", "<expression>:3: 'f' is a function; call it, like f(i)"},
        {"f(i)=i", "s[f(1]", "<expression>:6: expected ')'"},
        {"f(i)=i/(i-3)", "s[f(tid)]", "<let>:7: a division by zero in lane 3 of warp 0"},
        {"f(i)=", "s[0]", "<let>:6: the expression ends too early"},
        {"f(i)=i+", "s[0]", "<let>:8: the expression ends too early"},
        {"f(i)=i i", "s[0]", "<let>:8: here the value should end"},
        {"f(i)=1..3", "s[0]", "<let>:7: a function is no sweep; sweep a number that it uses"},
        {"f(i,i)=1", "s[0]", "<let>:5: two parameters are called 'i'"},
        {"f(3)=1", "s[0]", "<let>:3: expected the name of a parameter"},
        {"f(i=1", "s[0]", "<let>:4: expected ')'"},
        {"f(i)", "s[0]", "<let>:5: expected '=' and a value"},
        {"h[]=3,1,4", "s[h[tid]]",
         "<expression>:5: lane 3 of warp 0 takes h[3], and h has 3 values"},
        {"h[]=7", "s[h[-1 - tid]]",
         "<expression>:5: lane 0 of warp 0 takes h[-1], and h has 1 value"},
        {"h[]=3,1,4", "s[h]", "<expression>:3: 'h' is an array of values; index it, like h[0]"},
        {"h[]=3,tid", "s[0]", "<let>:7: this differs from thread to thread"},
        {"h[]=3,k", "s[0]", "<let>:7: nothing is called 'k'; give it a value with --let k=1"},
        {"h[]=3,", "s[0]", "<let>:7: the expression ends too early"},
        {"h[]=", "s[0]", "<let>:5: the expression ends too early"},
        {"h[]={3,1", "s[0]", "<let>:9: expected '}'"},
        {"h[]=3 1", "s[0]", "<let>:7: here the value should end"},
        {"h[2]=3,1,4", "s[0]", "<let>:10: more than 2 values"},
        {"h[0]=3", "s[0]", "<let>:3: an array of values has 1 to 4096 of them"},
        {"h[]=1..3", "s[0]", "<let>:6: here the value should end"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct explain_request request;
        struct asked asked = {.expression = table[i][1],
                              .shared = "int s[64]",
                              .let = table[i][0],
                              .second_let = "second(i)=i"};
        assert_string_equal(ask(&asked, &request), table[i][2]);
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
    static const char *const pieces[] = {"(",     "- ",      "s[", "1+",   "1?",
                                         "(int)", "sizeof ", "*&", "int(", "static_cast<int>("};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        struct explain_request request;
        char *text = repeat(pieces[i], 100000, "s[1]");
        struct asked asked = {.expression = text, .shared = "int s[4]"};
        assert_non_null(strstr(ask(&asked, &request), "nested more than 200 deep"));
        free(text);
    }
    struct explain_request request;
    struct explain_launch launch = {{1, 1, 1}, {32, 1, 1}, {0, 0, 0}, 0, 0};
    struct diag_list diags = {0};
    struct source lets[30], expression = {"<expression>", "s[f29(1)]", 9};
    char texts[30][40];
    struct explain *explain = explain_create(&launch, 0);
    for (unsigned i = 0; i < 30; i++) { // each twice as much work as the one before
        snprintf(texts[i], sizeof texts[i], i ? "f%u(x)=f%u(x)+f%u(x)" : "f0(x)=x", i, i - 1,
                 i - 1);
        lets[i] = (struct source){"<let>", texts[i], strlen(texts[i])};
        assert_true(explain_let(explain, &lets[i], &diags));
    }
    assert_false(explain_expression(explain, &expression, &diags));
    assert_string_equal(diags.items[0].message,
                        "with all that it calls this takes more than 100000 steps");
    explain_free(explain);
    diag_free(&diags);
    char *text = repeat("struct{", 100000, "int a;");
    struct asked asked = {.expression = "s[1]", .shared = text};
    assert_non_null(strstr(ask(&asked, &request), "nested more than 200 deep"));
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_thread_indices),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_uniform),
        cmocka_unit_test(test_outside),
        cmocka_unit_test(test_sweeps),
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_suggestions),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_refused_functions),
        cmocka_unit_test(test_refused_variables),
        cmocka_unit_test(test_depth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
