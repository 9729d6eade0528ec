// Edits of sources: what is found in them, what is changed, and what is left alone.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "patch/change.h"
#include "patch/extents.h"
#include "patch/includes.h"
#include "patch/probe.h"

// ---- Tokens ---------------------------------------------------------------------------------

static void check_tokens(const char *text, const char *expected) {
    struct patch_text source;
    char joined[512] = "";
    patch_tokenize(&source, text, strlen(text));
    for (size_t i = 0; i < source.tokens.length; i++) {
        const struct patch_token *token = &source.tokens.data[i];
        strcat(joined, i ? "|" : "");
        strncat(joined, text + token->begin, token->end - token->begin);
    }
    assert_string_equal(joined, expected);
    patch_text_free(&source);
}

static void test_tokens(void **context) {
    (void)context;
    check_tokens("", "");
    check_tokens("a+++b", "a|++|+|b");
    check_tokens("x // tile[i]\ny /* tile\n[j] */ z", "x|y|z");
    check_tokens("\"tile[\\\"0]\" '\\'' L\"w\"", "\"tile[\\\"0]\"|'\\''|L\"w\"");
    check_tokens("R\"x(tile[0])\" )x\" end", "R\"x(tile[0])\" )x\"|end");
    check_tokens("1'000 0x1p-3 1e+5f .5f", "1'000|0x1p-3|1e+5f|.5f");
    check_tokens("p->tile<<=1 a::b", "p|->|tile|<<=|1|a|::|b");
    check_tokens("\"not closed\nnext", "\"not closed|next");
    check_tokens("/* not closed", "");
    check_tokens("R\"(not closed", "R\"(not closed");
}

static void test_directives(void **context) {
    (void)context;
    static const char text[] = "a\n#define X \\\n  b\nc # d\n";
    static const bool expected[] = {false, true, true, true, true, false, false, false};
    struct patch_text source;
    patch_tokenize(&source, text, strlen(text));
    assert_int_equal(source.tokens.length, 8);
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(source.tokens.data[i].is_directive, expected[i]);
    assert_int_equal(source.tokens.data[5].line, 4);
    patch_text_free(&source);
}

// ---- Arrays ---------------------------------------------------------------------------------

struct found {
    struct patch_text source;
    patch_arrays arrays;
};

static struct found find(const char *text) {
    struct found found = {0};
    patch_tokenize(&found.source, text, strlen(text));
    patch_find_arrays(&found.source, &found.arrays);
    return found;
}

static void release(struct found *found) {
    patch_arrays_free(&found->arrays);
    patch_text_free(&found->source);
}

static void test_declarations(void **context) {
    (void)context;
    struct found found =
        find("__global__ void f() { static __shared__ __align__(16) pair<int, 2> a[N][2 * M], b, "
             "*c[3]; { float __shared__ d[7]; d[0] = 1; } d[1] = 2; extern __shared__ int e[]; "
             "__shared__ struct { int x[3]; } s; __shared__ int scalar; }");
    assert_int_equal(found.arrays.length, 4);
    static const struct {
        const char *name;
        unsigned rank;
        size_t uses;
    } expected[] = {{"a", 2, 0}, {"c", 1, 0}, {"d", 1, 1}, {"e", 1, 0}};
    for (size_t i = 0; i < 4; i++) {
        const struct patch_array *array = &found.arrays.data[i];
        assert_string_equal(array->name, expected[i].name);
        assert_int_equal(array->rank, expected[i].rank);
        assert_int_equal(array->uses.length, expected[i].uses);
        assert_int_equal(array->is_dynamic, i == 3);
        assert_null(array->problem);
    }
    release(&found);
}

// Whether the uses of `int t[4][4]` are all understood.
static bool is_understood(const char *statement) {
    char text[512];
    snprintf(text, sizeof text, "void f(int i, int j) { __shared__ int t[4][4]; %s }", statement);
    struct found found = find(text);
    assert_true(found.arrays.length >= 1);
    const bool is_understood = !found.arrays.data[0].problem;
    release(&found);
    return is_understood;
}

static void test_uses(void **context) {
    (void)context;
    static const char *const good[] = {"x = t[i][j];",
                                       "t[i][j] += 1;",
                                       "return t[i][j];",
                                       "x = a & t[i][j];",
                                       "f(-t[i][j]);",
                                       "atomicAdd(&t[i][j], 1);",
                                       "p.t[0] = 1; p->t = q; n::t(1);",
                                       "x = a * t[i][j];",
                                       "x = *(int4 *)&t[i][j];",
                                       "x = *reinterpret_cast<const int4 *>(&t[i][j]);",
                                       "*(int4 *)&t[i][j] = x;",
                                       "__pipeline_memcpy_async(&t[i][j], p, 4);",
                                       "a = (unsigned)__cvta_generic_to_shared(&t[i][j]);",
                                       "\"t\"; // t\n",
                                       "x = t[i][t[j][0]];",
                                       "g(t[i][j]);",
                                       "x = i ? t[0][0] : t[1][1];",
                                       "x = a && t[i][j];"};
    static const char *const bad[] = {"int *p = t[i];",
                                      "f(t);",
                                      "p = &t[i][j];",
                                      "f(&t[i][j]);",
                                      "x = sizeof(t);",
                                      "x = **t;",
                                      "atomicAdd(t[i] + j, 1);",
                                      "x = reinterpret_cast<int4 *>(&t[i][j])[1];",
                                      "p = reinterpret_cast<int4 *>(&t[i][j]);",
                                      "x = ((int4 *)&t[i][j])[1];",
                                      "x = *(int4 *)(&t[i][j] + 4);",
                                      "a = __cvta_generic_to_shared(&t[0][0]);",
                                      "a = __cvta_generic_to_shared(&t[i][j]) + 16 * i;",
                                      "{ int t[4][4]; t[0][0] = 1; }",
                                      "{ int *t[4][4]; }",
                                      "auto &r = t;",
                                      "load_matrix_sync(a, &t[i][0], 4);",
                                      "atomicAdd(&t[i][j] + 1, 1);",
                                      "for (auto &row : t) row[0] = 1;"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (!is_understood(good[i]))
            fail_msg("not understood: %s", good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (is_understood(bad[i]))
            fail_msg("taken for understood: %s", bad[i]);
}

// A macro that names the array is found wherever it stands.
static void test_macros(void **context) {
    (void)context;
    struct found found = find("#define T(i) t[(i)]\nvoid f() { __shared__ int t[8]; T(1) = 2; }");
    assert_int_equal(found.arrays.data[0].macro_line, 1);
    assert_null(found.arrays.data[0].problem);
    release(&found);
    found = find("#define T t\nvoid f() { __shared__ int t[8]; T[1] = 2; }");
    assert_non_null(found.arrays.data[0].problem);
    release(&found);
}

// What another text does with the name.
static const char *problem_elsewhere(const char *text, const char *other, uint32_t *macro_line) {
    struct found found = find(text), more = find(other);
    more.source.number = 7;
    patch_find_elsewhere(&more.source, &found.arrays.data[0]);
    const struct patch_array *array = &found.arrays.data[0];
    const char *problem = array->problem;
    assert_int_equal(array->text, 0);
    assert_int_equal(array->problem_text, problem ? 7 : 0);
    *macro_line = array->macro_line;
    release(&found);
    release(&more);
    return problem;
}

static void test_elsewhere(void **context) {
    (void)context;
    static const char within[] = "void f() { __shared__ int t[8]; t[0] = 1; }";
    static const char for_all[] = "extern __shared__ int t[];\nvoid f() { t[0] = 1; }";
    uint32_t line;
    assert_null(problem_elsewhere(within, "void g(int *t) { t[0] = 1; h(t); }", &line));
    assert_int_equal(line, 0);
    assert_null(problem_elsewhere(within, "\n#define AT(i) t[i]\n", &line));
    assert_int_equal(line, 2);
    assert_non_null(problem_elsewhere(within, "#define ALL f(1, \\\n t)", &line));
    assert_null(problem_elsewhere(within, "#define MOST(s, t) ((s) > (t) ? (s) : (t))", &line));
    assert_int_equal(line, 0);
    assert_null(problem_elsewhere(within, "#include <t.h>\n#ifdef t\n#endif", &line));
    assert_int_equal(line, 0);
    assert_non_null(problem_elsewhere(for_all, "void g() { t[0] = 1; }", &line));
    assert_null(problem_elsewhere(for_all, "void g() { s[0] = 1; }", &line));
}

// ---- Includes -------------------------------------------------------------------------------

static void test_includes(void **context) {
    (void)context;
    static const char text[] = "#include <stdio.h>\n"
                               "# include \"a.h\" // not \"b.h\"\n"
                               "// #include \"c.h\"\n"
                               "#include WHAT\n"
                               "namespace x::y { extern \"C\" {\n"
                               "#include \"sub/d.h\"\n"
                               "int list[] = {\n"
                               "#include \"e.inc\"\n"
                               "}; } }\n"
                               "#include \"f.h\"";
    static const struct {
        const char *name;
        uint32_t line;
        bool is_inside;
    } expected[] = {
        {"a.h", 2, false},  {NULL, 4, false},   {"sub/d.h", 6, false},
        {"e.inc", 8, true}, {"f.h", 10, false},
    };
    struct found found = find(text);
    patch_includes includes = {0};
    patch_find_includes(&found.source, &includes);
    assert_int_equal(includes.length, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < includes.length; i++) {
        const struct patch_include *include = &includes.data[i];
        assert_int_equal(include->line, expected[i].line);
        assert_int_equal(include->is_inside, expected[i].is_inside);
        if (expected[i].name)
            assert_string_equal(include->name, expected[i].name);
        else
            assert_null(include->name);
    }
    patch_includes_free(&includes);
    release(&found);
}

static bool is_guarded(const char *text, const char *macro) {
    struct found found = find(text);
    char *own;
    const bool is_guarded = patch_is_guarded(&found.source, &own);
    if (macro)
        assert_string_equal(own, macro);
    else
        assert_null(own);
    free(own);
    release(&found);
    return is_guarded;
}

static void test_guards(void **context) {
    (void)context;
    assert_true(is_guarded("// words\n#pragma once\nint a;", NULL));
    assert_true(is_guarded(
        "#ifndef A_H\n#define A_H\n#if X\n#else\n#endif\nint a;\n#endif // A_H\n", "A_H"));
    assert_true(is_guarded("#if !defined(A_H)\n#include <a>\n#define A_H 1\n#endif", "A_H"));
    assert_false(is_guarded("", NULL));
    assert_false(is_guarded("int a;\n#ifndef A_H\n#define A_H\n#endif", NULL));
    assert_false(is_guarded("#ifndef A_H\n#define A_H\n#endif\nint a;", NULL));
    assert_false(is_guarded("#ifndef A_H\n#define B_H\n#endif", NULL));
    assert_false(is_guarded("#ifndef A_H\n#define A_H\n#else\nint a;\n#endif", NULL));
    struct found found = find("#undef A_H");
    assert_true(patch_undefines(&found.source, "A_H"));
    assert_false(patch_undefines(&found.source, "A"));
    release(&found);
}

// ---- Changes --------------------------------------------------------------------------------

// NULL: refused.
static char *changed(const char *text, const struct patch_shape *shape,
                     const struct patch_change *change) {
    struct found found = find(text);
    patch_edits edits = {0};
    char *result = NULL;
    assert_int_equal(found.arrays.length, 1);
    if (!patch_make(&found.source, &found.arrays.data[0], shape, change, &edits))
        result = patch_apply(text, strlen(text), &edits);
    else
        assert_int_equal(edits.length, 0);
    patch_edits_free(&edits);
    release(&found);
    return result;
}

static void check_change(const char *text, const struct patch_shape *shape,
                         const struct patch_change *change, const char *expected) {
    char *result = changed(text, shape, change);
    if (expected)
        assert_string_equal(result, expected);
    else
        assert_null(result);
    free(result);
}

static const struct patch_shape square = {4096, {32, 32}, 4}, line = {4096, {1024}, 4},
                                cube = {8192, {2, 32, 32}, 4};

static void test_rows(void **context) {
    (void)context;
    const struct patch_change pad = {PATCH_PAD_ROWS, 32, 1, 0, 0, 0},
                              other = {PATCH_PAD_ROWS, 64, 1, 0, 0, 0};
    check_change("f() { __shared__ int t[32][32]; }", &square, &pad,
                 "f() { __shared__ int t[32][33]; }");
    check_change("f() { __shared__ int t[32][ 0x20 ]; }", &square, &pad,
                 "f() { __shared__ int t[32][ 33 ]; }");
    check_change("f() { __shared__ int t[N][N /* n */]; }", &square, &pad,
                 "f() { __shared__ int t[N][N + 1 /* n */]; }");
    check_change("f() { __shared__ int t[N][2 * N + M(1 << 2)]; }", &square, &pad,
                 "f() { __shared__ int t[N][2 * N + M(1 << 2) + 1]; }");
    check_change("f() { __shared__ int t[N][a ? 1 : 32]; }", &square, &pad,
                 "f() { __shared__ int t[N][(a ? 1 : 32) + 1]; }");
    check_change("f() { __shared__ int t[32][32]; }", &square, &other, NULL);
    check_change("f() { __shared__ int t[1024]; }", &line, &pad, NULL);
    check_change("f() { __shared__ int t[32][32]; f(t); }", &square, &pad, NULL);
}

static void test_indices(void **context) {
    (void)context;
    const struct patch_change pad = {PATCH_PAD_INDEX, 32, 1, 0, 0, 0},
                              wide = {PATCH_PAD_INDEX, 32, 4, 0, 0, 0},
                              swizzle = {PATCH_SWIZZLE, 0, 0, 5, 0, 5},
                              high = {PATCH_SWIZZLE, 0, 0, 3, 2, 5},
                              mirror = {PATCH_MIRROR, 0, 0, 3, 2, 5};
    check_change("f() {\n  __shared__ int t[1024];\n  t[i] = t[t[j++]];\n}", &line, &pad,
                 "f() {\n  __shared__ int t[1056];\n  const auto t_at = [](unsigned i) { return i "
                 "+ i / 32; };\n"
                 "  t[t_at(i)] = t[t_at(t[t_at(j++)])];\n}");
    check_change("f() { __shared__ int t[N]; t[0] = 1; }", &line, &wide,
                 "f() { __shared__ int t[N + (N + 31) / 32 * 4];\n"
                 "const auto t_at = [](unsigned i) { return i + i / 32 * 4; }; t[t_at(0)] = 1; }");
    check_change(
        "f() { __shared__ int t[32][32]; t[y][x] = 1; }", &square, &swizzle,
        "f() { __shared__ int t[32][32];\n"
        "const auto t_at = [](unsigned y, unsigned x) { return x ^ ((y * 32 + x) >> 5 & 31); };"
        " t[y][t_at(y, x)] = 1; }");
    check_change("f() { __shared__ int t[2][32][32]; t[b][y + 1][x] = 1; }", &cube, &high,
                 "f() { __shared__ int t[2][32][32];\nconst auto t_at = [](unsigned z, unsigned y, "
                 "unsigned x) "
                 "{ return x ^ (((z * 32 + y) * 32 + x) >> 5 & 7) << 2; };"
                 " t[b][y + 1][t_at(b, y + 1, x)] = 1; }");
    check_change("f() { __shared__ int t[1024]; t[i] = 1; }", &line, &mirror,
                 "f() { __shared__ int t[1024];\nconst auto t_at = [](unsigned i) "
                 "{ return i ^ (i >> 5 & 1) * 28; }; t[t_at(i)] = 1; }");
    check_change(
        "extern __shared__ int t[];\nvoid f() { t[i] = 1; }", &line, &swizzle,
        "extern __shared__ int t[];\nstatic __device__ __forceinline__ unsigned t_at(unsigned i) "
        "{ return i ^ (i >> 5 & 31); }\nvoid f() { t[t_at(i)] = 1; }");
    check_change("namespace n { extern __shared__ int t[]; void f() const { t[i] = 1; } }", &line,
                 &swizzle,
                 "namespace n { extern __shared__ int t[];\n"
                 "static __device__ __forceinline__ unsigned t_at(unsigned i) "
                 "{ return i ^ (i >> 5 & 31); } void f() const { t[t_at(i)] = 1; } }");
    check_change(
        "struct s { void operator()(int i) const { __shared__ int t[1024]; t[i] = 1; } };", &line,
        &swizzle,
        "struct s { void operator()(int i) const { __shared__ int t[1024];\n"
        "const auto t_at = [](unsigned i) { return i ^ (i >> 5 & 31); }; t[t_at(i)] = 1; } };");
    // What must not be written twice, what is not known, and what would leave the rows.
    check_change("f() { __shared__ int t[32][32]; t[y++][x] = 1; }", &square, &swizzle, NULL);
    check_change("f() { __shared__ int t[32][32]; t[f(y)][x] = 1; }", &square, &swizzle, NULL);
    check_change("f() { __shared__ int t[32][32]; t[t[0][1]][x] = 1; }", &square, &swizzle, NULL);
    check_change(
        "f() { __shared__ int t[32][32]; t[y][x++] = 1; }", &square, &swizzle,
        "f() { __shared__ int t[32][32];\n"
        "const auto t_at = [](unsigned y, unsigned x) { return x ^ ((y * 32 + x) >> 5 & 31); };"
        " t[y][t_at(y, x++)] = 1; }");
    check_change("f() { __shared__ int t[1024]; int t_at = 1; t[t_at] = 1; }", &line, &pad, NULL);
    check_change("#define T(i) t[i]\nf() { __shared__ int t[1024]; }", &line, &pad, NULL);
    const struct patch_shape odd = {32 * 33 * 4, {32, 33}, 4};
    check_change("f() { __shared__ int t[32][33]; }", &odd, &swizzle, NULL);
}

// The text of a kernel k with a dynamic array, and of what launches it.
#define KERNEL                                                                                     \
    "__global__ void __launch_bounds__(64) k(int n) { extern __shared__ int t[]; t[n] = 1; }\n"
#define PADDED                                                                                     \
    "__global__ void __launch_bounds__(64) k(int n) { extern __shared__ int t[];\n"                \
    "const auto t_at = [](unsigned i) { return i + i / 32; }; t[t_at(n)] = 1; }\n"

static void test_launches(void **context) {
    (void)context;
    const struct patch_shape given = {0, {0}, 4}, rows = {0, {0, 32}, 4};
    const struct patch_change pad = {PATCH_PAD_INDEX, 32, 1, 0, 0, 0},
                              row = {PATCH_PAD_ROWS, 32, 1, 0, 0, 0};
    check_change(KERNEL "void f() { k<<<1, 64, 4096>>>(0); }", &given, &pad,
                 PADDED "void f() { k<<<1, 64, 4224>>>(0); }");
    check_change(KERNEL "void f() { k<<<1, 64, 4000>>>(0); }", &given, &pad,
                 PADDED "void f() { k<<<1, 64, 4125>>>(0); }");
    check_change(
        KERNEL "void f() { k <<< g(1, 2), dim3{1, 2}, n * sizeof(int), s >>> (0); }", &given, &pad,
        PADDED "void f() { k <<< g(1, 2), dim3{1, 2}, n * sizeof(int) * 33 / 32, s >>> (0); }");
    check_change(
        KERNEL "void f() { k<<<1 << 2, 64 >> 1, a + (b, c)>>>(0); k<<<1, 2>>>(0); }", &given, &pad,
        PADDED "void f() { k<<<1 << 2, 64 >> 1, (a + (b, c)) * 33 / 32>>>(0); k<<<1, 2>>>(0); }");
    check_change("template <class T> " KERNEL "void f() { k<pair<int, int>><<<1, 2, m>>>(0); }",
                 &given, &pad,
                 "template <class T> " PADDED
                 "void f() { k<pair<int, int>><<<1, 2, m * 33 / 32>>>(0); }");
    check_change("namespace n {\nextern __shared__ int t[][32];\nvoid f();\n"
                 "__global__ void k() { if (x) { t[y][x] = 1; } }\n"
                 "__global__ void l() { t[0][x] = t[1][x]; } }\n"
                 "void f() { n::k<<<1, 2, m>>>(); n::l<<<1, 2, 64>>>(); }",
                 &rows, &row,
                 "namespace n {\nextern __shared__ int t[][33];\nvoid f();\n"
                 "__global__ void k() { if (x) { t[y][x] = 1; } }\n"
                 "__global__ void l() { t[0][x] = t[1][x]; } }\n"
                 "void f() { n::k<<<1, 2, m * 33 / 32>>>(); n::l<<<1, 2, 66>>>(); }");
    // Launches that are not found, or may not be all.
    check_change(KERNEL, &given, &pad, NULL);
    check_change(KERNEL "void f() { k<<<1, 64>>>(0); }", &given, &pad, NULL);
    check_change(KERNEL "void f() { k<<<1, 64, 4096>>>(0); g(k); }", &given, &pad, NULL);
    check_change(KERNEL "#define L k<<<1, 64, 4096>>>(0)\nvoid f() { L; }", &given, &pad, NULL);
    check_change(KERNEL "void f() { k<<<1, 64, 4096", &given, &pad, NULL);
    check_change("extern __shared__ int t[];\n__device__ void d() { t[i] = 1; }\n"
                 "__global__ void k() { d(); }\nvoid f() { k<<<1, 64, 4096>>>(); }",
                 &given, &pad, NULL);
}

// ---- Questions to the compiler --------------------------------------------------------------

static void test_probe(void **context) {
    (void)context;
    struct found found =
        find("f() { __shared__ int a[2][3]; extern __shared__ int b[]; } __shared__ int c[3];");
    patch_edits edits = {0};
    patch_ask(&found.source, &found.arrays, &edits);
    char *text = patch_apply(found.source.text, found.source.length, &edits);
    assert_string_equal(
        text, "f() { __shared__ int a[2][3]; asm volatile(\"// bankrun-shared 0 %0 %1 %2\" :: "
              "\"n\"((int)sizeof(a)), \"n\"((int)sizeof(a[0])), \"n\"((int)sizeof(a[0][0])));"
              " extern __shared__ int b[]; asm volatile(\"// bankrun-shared 1 0 %0\" :: "
              "\"n\"((int)sizeof(b[0]))); } __shared__ int c[3]; __global__ void bankrun_asks_2() {"
              " asm volatile(\"// bankrun-shared 2 %0 %1\" :: \"n\"((int)sizeof(c)), "
              "\"n\"((int)sizeof(c[0]))); }");
    patch_shapes shapes = {0};
    patch_read_shapes("x\n// bankrun-shared 0 24 12 4\n// bankrun-shared 1 0 8\n"
                      "// bankrun-shared 0 24 12 4\n// bankrun-shared 0 48 24 8\n",
                      &found.arrays, 0, &shapes);
    assert_int_equal(shapes.length, 2);
    assert_int_equal(shapes.data[0].extents[0], 2);
    assert_int_equal(shapes.data[0].extents[1], 3);
    assert_int_equal(shapes.data[1].element_bytes, 8);
    shapes.length = 0;
    patch_read_shapes("// bankrun-shared 1 0 8", &found.arrays, 1, &shapes);
    assert_int_equal(shapes.data[0].element_bytes, 8);
    assert_int_equal(shapes.data[0].extents[0], 0);
    vec_free(&shapes);
    free(text);
    patch_edits_free(&edits);
    release(&found);
}

// ---- Extents --------------------------------------------------------------------------------

// "32 33, 4": the extents and the bytes of an element, of the first array that the text declares.
static void check_extents(const char *text, uint64_t bytes, uint64_t access_bytes,
                          const char *expected) {
    struct patch_text source;
    patch_arrays arrays = {0};
    struct patch_shape shape;
    char said[128] = "";
    size_t length = 0;
    patch_tokenize(&source, text, strlen(text));
    patch_find_arrays(&source, &arrays);
    assert_int_equal(arrays.length > 0, 1);
    if (patch_read_extents(&source, &arrays.data[0], bytes, access_bytes, &shape)) {
        for (unsigned i = 0; i < arrays.data[0].rank; i++)
            length += (size_t)sprintf(said + length, "%llu ", (unsigned long long)shape.extents[i]);
        sprintf(said + length - 1, ", %llu", (unsigned long long)shape.element_bytes);
    }
    assert_string_equal(said, expected);
    patch_arrays_free(&arrays);
    patch_text_free(&source);
}

#define IN_KERNEL(declaration) "__global__ void k() { __shared__ " declaration " }"

static void test_extents(void **context) {
    (void)context;
    check_extents(IN_KERNEL("float tile[32][33];"), 4224, 4, "32 33, 4");
    check_extents(IN_KERNEL("float tile[32][33];"), 4096, 4, ""); // another size
    check_extents(IN_KERNEL("__align__(16) unsigned char b[(4 + 2) * 8 / 3 << 1];"), 32, 1,
                  "32, 1");
    check_extents(IN_KERNEL("unsigned long long int b[4 - 1 - 1];"), 16, 8, "2, 8");
    check_extents(IN_KERNEL("volatile float4 b[0x10u][2];"), 512, 16, "16 2, 16");
    check_extents(IN_KERNEL("double a, b[7];"), 56, 8, "7, 8");
    check_extents(IN_KERNEL("struct point b[4][5];"), 240, 4, "4 5, 12"); // by its size
    check_extents(IN_KERNEL("struct point b[4][5];"), 241, 4, "");
    check_extents(IN_KERNEL("float b[3 % 0];"), 12, 4, "");
    check_extents(IN_KERNEL("float b[sizeof(int)];"), 16, 4, "");
    check_extents(IN_KERNEL("float b[2147483647 * 2147483647 * 4];"), 16, 4, "");
    check_extents("extern __shared__ float s[];", 0, 4, "0, 4");
    check_extents("extern __shared__ float s[][33];", 0, 4, "0 33, 4");
    check_extents("extern __shared__ T s[];", 0, 4, "");
}

static void test_named_extents(void **context) {
    (void)context;
    check_extents("#define TILE 32 // lanes\n" IN_KERNEL("float t[TILE][TILE + 1];"), 4224, 4,
                  "32 33, 4");
    check_extents("#define A (B)\n#define B 8\n" IN_KERNEL("int t[A][2];"), 64, 4, "8 2, 4");
    check_extents("#define A B\n#define B A\n" IN_KERNEL("int t[A][2];"), 64, 4, "");
    check_extents("constexpr int X = 4, Y = X * 2;" IN_KERNEL("int t[Y][X];"), 128, 4, "8 4, 4");
    check_extents("enum { X = 4, Y = 8 };" IN_KERNEL("int t[Y][X];"), 128, 4, "8 4, 4");
    // Of the template's parameter there is one number that fits, and it is 16.
    check_extents(IN_KERNEL("float t[N][N];"), 1024, 4, "16 16, 4");
    check_extents(IN_KERNEL("T t[N][N + 1];"), 1088, 4, "16 17, 4");
    check_extents(IN_KERNEL("float t[N][N];"), 1000, 4, "");
    check_extents(IN_KERNEL("T t[N];"), 1024, 4, ""); // of how many bytes?
    check_extents(IN_KERNEL("float t[N][M];"), 1024, 4, "");
    check_extents(IN_KERNEL("float t[N / 2][4];"), 64, 4, "4 4, 4"); // 8 and 9 say the same
    check_extents("enum { STAGES = 2 };" IN_KERNEL("int t[STAGES][8 * Layout::PITCH];"), 640, 4,
                  "2 80, 4");
    check_extents(IN_KERNEL("int t[a::N][b::N];"), 640, 4, "");
    check_extents(IN_KERNEL("int t[a::][2];"), 640, 4, "");
    // Defined twice: by its size alone.
    check_extents("#if X\n#define N 8\n#else\n#define N 16\n#endif\n" IN_KERNEL("float t[N][N];"),
                  1024, 4, "16 16, 4");
    // What stands behind the array is no constant of it, nor is what is no constant.
    check_extents(IN_KERNEL("float t[N][M];") "const int N = 16, M = 16;", 1024, 4, "");
    check_extents("int N = 16, M = 16;" IN_KERNEL("float t[N][M];"), 1024, 4, "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tokens),       cmocka_unit_test(test_directives),
        cmocka_unit_test(test_extents),      cmocka_unit_test(test_named_extents),
        cmocka_unit_test(test_declarations), cmocka_unit_test(test_uses),
        cmocka_unit_test(test_macros),       cmocka_unit_test(test_rows),
        cmocka_unit_test(test_indices),      cmocka_unit_test(test_launches),
        cmocka_unit_test(test_probe),        cmocka_unit_test(test_elsewhere),
        cmocka_unit_test(test_includes),     cmocka_unit_test(test_guards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
