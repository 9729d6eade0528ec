// Accesses counted as the machine code makes them: the disassembly that says which, and requests
// made by hand.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiled/merges.h"
#include "compiled/moved.h"
#include "compiled/stream.h"
#include "event/filter.h"
#include "ir/ir.h"
#include "profile/record.h"

#define HEAD ".version 9.0\n.target sm_90\n.address_size 64\n.file 1 \"/src/k.cu\"\n"
#define LISTING(line, ...)                                                                         \
    ".text.k:\n\t//## File \"/build/k.cu\", line " #line "\n" __VA_ARGS__                          \
    "\t//## File \"/x.cu\", "                                                                      \
    "line 9\n        /*0900*/  EXIT ;\n"

// Four loads from one base, a loop around the last one, a store and a load once more.
static const char kernel_text[] =
    HEAD ".visible .entry k() { .reg .b32 %r<9>; .shared .align 16 .b8 a[4096];\n"
         "mov.u32 %r0, %tid.x; shl.b32 %r0, %r0, 4;\n"
         ".loc 1 5 3\n"
         "ld.shared.u32 %r1, [%r0]; ld.shared.u32 %r2, [%r0+4];\n"
         "ld.shared.u32 %r3, [%r0+8]; ld.shared.u32 %r4, [%r0+12];\n"
         ".loc 1 6 3\n"
         "st.shared.u32 [%r0], %r1;\n"
         ".loc 1 7 3\n"
         "ld.shared.u32 %r5, [%r0+4]; ld.shared.u32 %r6, [%r0+4];\n"
         "ret; }\n";
enum { LOADS = 4, STORE = 4, AGAIN = 5, TWICE = 6 };

struct fixture {
    struct source source;
    struct diag_list diags;
    struct ptx_module *ptx;
    struct ir_module *ir;
    struct compiled_code *compiled;
    struct compiled_stream *stream;
    struct profile_recorder *recorder;
    const struct event_observer *observer;
    void *worker;
};

static void begin(struct fixture *f, const char *listing) {
    *f = (struct fixture){.source = {"k.ptx", kernel_text, strlen(kernel_text)}};
    f->ptx = ptx_parse(&f->source, &f->diags);
    f->ir = ir_build(f->ptx, &f->diags);
    assert_non_null(f->ir);
    const struct ir_function *kernel = ir_find_function(f->ir, "k");
    f->compiled = compiled_code_parse(listing);
    struct profile_launch_info info = {.kernel = kernel,
                                       .layout = ir_shared_layout(kernel),
                                       .grid = {1, 1, 1},
                                       .block = {32, 1, 1},
                                       .workers = 1,
                                       .arch = 90};
    f->stream = compiled_stream_create(f->compiled, kernel);
    info.sites = compiled_stream_sites(f->stream, &info.site_count);
    f->recorder = profile_record(&info);
    f->observer = compiled_stream_before(f->stream, profile_observer(f->recorder));
    f->worker = f->observer->worker_begin(f->observer->context, 0);
}

// Lane n at `first` + n * stride.
static void request(struct fixture *f, uint32_t site, uint32_t first, uint32_t stride) {
    static const uint32_t block[3];
    uint32_t offsets[WARP_LANES];
    for (uint32_t l = 0; l < WARP_LANES; l++)
        offsets[l] = first + l * stride;
    struct event_access event = {
        .site = site, .space = SITE_SHARED, .mask = 0xffffffff, .offsets = offsets, .block = block};
    f->observer->access(f->worker, &event);
}

// As the simulator does it: what is known is not told. True: it was known.
static bool request_if_unknown(struct fixture *f, uint32_t site, uint32_t first, uint32_t stride) {
    struct event_memo **memos = f->observer->memos(f->worker);
    struct event_memo *memo = memos[site * SITE_SPACES + SITE_SHARED];
    uint32_t offsets[WARP_LANES];
    for (uint32_t l = 0; l < WARP_LANES; l++)
        offsets[l] = first + l * stride;
    if (memo && event_memo_is_about(memo, first, 0) &&
        event_memo_takes_lanes(memo, EVENT_ALL_LANES, first, offsets, NULL, true))
        return true;
    request(f, site, first, stride);
    return false;
}

static void expect(struct fixture *f, enum profile_op op, uint64_t requests, uint64_t wavefronts) {
    struct profile *profile = profile_create(90, NULL, 0);
    struct profile_launch_result result = {.blocks_run = 1};
    if (f->observer->worker_end)
        f->observer->worker_end(f->worker);
    profile_finish(f->recorder, profile, &result);
    const struct profile_counts *counts = &profile->launches[0].totals[SITE_SHARED][op];
    assert_int_equal(counts->requests, requests);
    assert_int_equal(counts->units, wavefronts);
    profile_free(profile);
    compiled_stream_free(f->stream);
    compiled_code_free(f->compiled);
    ir_free(f->ir);
    ptx_module_free(f->ptx);
    diag_free(&f->diags);
}

static void four_loads(struct fixture *f) {
    for (uint32_t s = 0; s < LOADS; s++)
        request(f, s, 4 * s, 16);
}

static void test_listing(void **state) {
    (void)state;
    struct compiled_code *compiled =
        compiled_code_parse("junk\n.text.k:\n\t//## File \"/a/k.cu\", line 5\n"
                            "        /*0010*/              @!P0 LDS.U8 R1, [R2+0x8] ;\n"
                            "        /*0020*/                   LDS R1, [R2] ;\n"
                            "        /*0030*/                   LDSM.16.M88.4 R4, [R2] ;\n"
                            "\t//## File \"/a/k.cu\", line 6\n"
                            "        /*0040*/                   STS.128 [R2], R4 ;\n"
                            "        /*0050*/                   STS.64 [R2], R4 ;\n.text.other:\n");
    uint32_t count;
    const struct compiled_line *lines = compiled_code_lines(compiled, "k", &count);
    assert_int_equal(count, 2);
    assert_int_equal(lines[0].line, 5);
    assert_int_equal(lines[0].widths[SITE_LOAD], 1 | 4);
    assert_int_equal(lines[0].bytes[SITE_LOAD], 5);
    assert_int_equal(lines[1].widths[SITE_STORE], 8 | 16);
    assert_true(lines[1].file == compiled_file("k.cu"));
    assert_non_null(compiled_code_lines(compiled, "other", &count));
    assert_int_equal(count, 0);
    assert_null(compiled_code_lines(compiled, "none", &count));
    compiled_code_free(compiled);
}

static void test_merged(void **state) {
    (void)state;
    struct fixture f;
    begin(&f, LISTING(5, "        /*0010*/  LDS.128 R4, [R0] ;\n"));
    four_loads(&f);
    expect(&f, PROFILE_LOAD, 1, 4);
}

static void test_repeats(void **state) {
    (void)state;
    struct fixture f;
    unsigned known = 0;
    begin(&f, LISTING(5, "        /*0010*/  LDS.128 R4, [R0] ;\n"));
    for (uint32_t round = 0; round < 50; round++) // at two places
        for (uint32_t s = 0; s < LOADS; s++)
            known += request_if_unknown(&f, s, 1024 * (round % 2) + 4 * s, 16);
    assert_in_range(known, 3 * 49, 199); // what the first block asks for is told
    expect(&f, PROFILE_LOAD, 50, 200);
}

// Of a part of a wide access that is not where such a part can be nothing is known: it is one of
// its own.
static void test_out_of_place(void **state) {
    (void)state;
    struct fixture f;
    begin(&f, LISTING(5, "        /*0010*/  LDS.128 R4, [R0] ;\n"));
    for (uint32_t round = 0; round < 5; round++)
        for (uint32_t s = 0; s < LOADS; s++) {
            request_if_unknown(&f, s, 4 * s, 16);
            request_if_unknown(&f, s, 4 * s + 4, 16);
        }
    expect(&f, PROFILE_LOAD, 5 + 20, 20 + 80);
}

// The same where requests are held back: a store waits for loads that may be part of one.
static void test_watched(void **state) {
    (void)state;
    struct fixture f;
    begin(&f,
          LISTING(5, "        /*0010*/  LDS.64 R4, [R0] ;\n        /*0020*/  LDS.64 R6, [R1] ;\n"
                     "        /*0030*/  LDS R6, [R1+0x40] ;\n"));
    for (uint32_t round = 0; round < 5; round++) {
        request_if_unknown(&f, 0, 0, 16);
        assert_false(request_if_unknown(&f, STORE, 64, 16));
        request_if_unknown(&f, 1, 4, 16);
    }
    expect(&f, PROFILE_LOAD, 10, 40);
}

static void test_as_written(void **state) {
    (void)state;
    struct fixture f; // the machine code has no wider access there
    begin(&f, LISTING(5, "        /*0010*/  LDS R4, [R0] ;\n        /*0020*/  LDS R5, [R0+4] ;\n"));
    four_loads(&f);
    expect(&f, PROFILE_LOAD, 4, 16);
}

static void test_widths(void **state) {
    (void)state;
    struct fixture f; // at most 64 bits, and the pieces are aligned
    begin(&f,
          LISTING(5, "        /*0010*/  LDS.64 R4, [R0] ;\n        /*0020*/  LDS.64 R6, [R0] ;\n"));
    four_loads(&f);
    expect(&f, PROFILE_LOAD, 2, 8);
}

static void test_matched(void **state) {
    (void)state;
    struct fixture f; // which of the loads were merged is told by their offsets
    begin(&f, LISTING(5, "        /*0010*/  LDS.64 R4, [R8+UR4+-0x10] ;\n"
                         "        /*0020*/  LDS R6, [R8+UR4+-0x4] ;\n"
                         "        /*0030*/  LDS R7, [R8+UR4+-0x8] ;\n"));
    four_loads(&f);
    expect(&f, PROFILE_LOAD, 3, 12);
}

static void test_unrolled(void **state) {
    (void)state;
    struct fixture f; // of three rounds of the loop each has the same widths
    begin(&f, LISTING(5, "        /*0010*/  LDS.64 R4, [R8] ;\n"
                         "        /*0020*/  LDS R6, [R8+0x8] ;\n"
                         "        /*0030*/  LDS R7, [R8+0xc] ;\n"
                         "        /*0040*/  LDS.64 R4, [R8+0x40] ;\n"
                         "        /*0050*/  LDS R6, [R8+0x48] ;\n"
                         "        /*0060*/  LDS R7, [R8+0x4c] ;\n"
                         "        /*0070*/  LDS.64 R4, [R8+0x80] ;\n"
                         "        /*0080*/  LDS R6, [R8+0x88] ;\n"
                         "        /*0090*/  LDS R7, [R8+0x8c] ;\n"));
    four_loads(&f);
    expect(&f, PROFILE_LOAD, 3, 12);
}

// What follows the first round is no copy of it: nothing is known of single accesses.
static void test_unrolled_otherwise(void **state) {
    (void)state;
    struct fixture f;
    begin(&f, LISTING(5, "        /*0010*/  LDS.64 R4, [R8] ;\n"
                         "        /*0020*/  LDS R6, [R8+0x8] ;\n"
                         "        /*0030*/  LDS R7, [R8+0xc] ;\n"
                         "        /*0040*/  LDS.64 R4, [R8+0x40] ;\n"
                         "        /*0050*/  LDS.64 R6, [R8+0x48] ;\n"
                         "        /*0060*/  LDS R4, [R8+0x50] ;\n"));
    four_loads(&f);
    expect(&f, PROFILE_LOAD, 2, 8);
}

static void test_maker(void **state) {
    (void)state;
    struct compiled_code *said = compiled_code_parse("// by ptxas 13.0\n" LISTING(5, ""));
    struct compiled_code *unsaid = compiled_code_parse(LISTING(5, ""));
    assert_string_equal(compiled_code_maker(said), "ptxas 13.0");
    assert_string_equal(compiled_code_maker(unsaid), "ptxas");
    compiled_code_free(said);
    compiled_code_free(unsaid);
}

// Line 5 has four loads side by side; line 7's second load is from where the first was, and may be
// left out. The store has no neighbour.
static void test_may_merge(void **state) {
    (void)state;
    struct fixture f;
    uint32_t count;
    begin(&f, LISTING(5, ""));
    const struct ir_function *kernel = ir_find_function(f.ir, "k");
    struct ir_kernel_site *sites = ir_kernel_sites(kernel, &count);
    bool *may_merge = compiled_may_merge(kernel);
    for (uint32_t s = 0; s < count; s++)
        assert_int_equal(may_merge[s], sites[s].site->op == SITE_LOAD);
    free(sites);
    free(may_merge);
    expect(&f, PROFILE_LOAD, 0, 0);
}

static void test_copies(void **state) {
    (void)state;
    struct fixture f; // of two copies of the line, inlined at others, one is the kernel's
    begin(&f, ".text.k:\n\t//## File \"/src/k.cu\", line 5\n"
              "        /*0010*/  LDS.64 R4, [R0] ;\n        /*0020*/  LDS R6, [R0+0x8] ;\n"
              "        /*0030*/  LDS R7, [R0+0xc] ;\n"
              "\t//## File \"/src/k.cu\", line 5 inlined at \"/src/k.cu\", line 8\n"
              "\t//## File \"/src/k.cu\", line 8\n"
              "        /*0040*/  LDS.128 R4, [R0] ;\n");
    four_loads(&f);
    expect(&f, PROFILE_LOAD, 3, 12);
}

static void test_misaligned(void **state) {
    (void)state;
    struct fixture f; // lanes that begin at different places of 16 bytes have no wider access
    begin(&f, LISTING(5, "        /*0010*/  LDS.128 R4, [R0] ;\n"));
    for (uint32_t s = 0; s < LOADS; s++)
        request(&f, s, 4 * s, 4);
    expect(&f, PROFILE_LOAD, 4, 4);
}

static void test_store_between(void **state) {
    (void)state;
    struct fixture f;
    begin(&f, LISTING(5, "        /*0010*/  LDS.64 R4, [R0] ;\n        /*0020*/  LDS R4, [R0] ;\n"
                         "        /*0020*/  LDS R4, [R0] ;\n"));
    request(&f, 0, 0, 16);
    request(&f, STORE, 64, 16);
    request(&f, 1, 4, 16);
    expect(&f, PROFILE_LOAD, 2, 8);
}

// Line 5 has nothing in the machine code, which has wide accesses somewhere: its loads may be of
// those. Line 7 has its own, which are not wide.
static void test_guess(void **state) {
    (void)state;
    struct fixture f;
    begin(&f,
          LISTING(7, "        /*0010*/  LDS R4, [R0+0x4] ;\n        /*0020*/  LDS R5, [R1+0x4] ;\n"
                     "\t//## File \"/build/k.cu\", line 30\n"
                     "        /*0030*/  LDS.128 R8, [R2] ;\n"));
    request(&f, 0, 0, 16);
    request(&f, AGAIN, 4, 16);
    expect(&f, PROFILE_LOAD, 2, 8);
}

static void test_loaded_once(void **state) {
    (void)state;
    struct fixture f; // line 7 loads twice in PTX, and once in the machine code
    const char *listing = LISTING(7, "        /*0010*/  LDS R4, [R0] ;\n        /*0020*/  STS.64 "
                                     "[R0], R4 ;\n");
    begin(&f, listing);
    request(&f, AGAIN, 4, 16);
    request(&f, TWICE, 4, 16);
    request(&f, AGAIN, 4, 16);
    request(&f, STORE, 64, 16); // what was loaded may have changed
    request(&f, TWICE, 4, 16);
    expect(&f, PROFILE_LOAD, 3, 12);
}

// ---- Loads that are moved
// -------------------------------------------------------------------------

// Line 3 loads for line 5 alone, unless `more` wants the value, too.
#define LOADS_FOR(more)                                                                            \
    HEAD                                                                                           \
        ".visible .entry k(.param .u64 out) { .reg .b32 %r<9>; .reg .b64 %rd<3>; .reg .pred %p;\n" \
        ".shared .align 16 .b8 a[4096];\n"                                                         \
        "mov.u32 %r0, %tid.x; shl.b32 %r1, %r0, 2; ld.param.u64 %rd0, [out];\n"                    \
        ".loc 1 3 3\n"                                                                             \
        "ld.shared.u32 %r2, [%r1]; add.u32 %r3, %r2, 1;\n"                                         \
        ".loc 1 4 3\n"                                                                             \
        "setp.gt.u32 %p, %r0, 7; @%p bra done;\n"                                                  \
        ".loc 1 5 3\n"                                                                             \
        "st.global.u32 [%rd0], %r3;\n"                                                             \
        "done:\n" more "ret; }\n"
#define LINE(number) "\t//## File \"/src/k.cu\", line " #number "\n"
#define LDS "        /*0010*/  LDS R4, [R0] ;\n"
#define SKIP "        /*0020*/  @P0 BRA `(.L_x_1) ;\n"
#define TARGET ".L_x_1:\n        /*0040*/  EXIT ;\n"

static uint32_t moved(const char *ptx, const char *listing) {
    struct source source = {"k.ptx", ptx, strlen(ptx)};
    struct diag_list diags = {0};
    struct ptx_module *module = ptx_parse(&source, &diags);
    struct ir_module *ir = ir_build(module, &diags);
    assert_non_null(ir);
    struct compiled_code *code = compiled_code_parse(listing);
    uint32_t *lines = compiled_moved(code, ir_find_function(ir, "k"));
    const uint32_t line = lines[0];
    free(lines);
    compiled_code_free(code);
    ir_free(ir);
    ptx_module_free(module);
    diag_free(&diags);
    return line;
}

static void test_moved(void **state) {
    (void)state;
    static const char behind[] = ".text.k:\n" LINE(4) SKIP LINE(3) LDS TARGET;
    assert_int_equal(moved(LOADS_FOR(""), behind), 4);
    // Where it was, and behind another branch, a jump that is no branch, or one that ends before.
    assert_int_equal(moved(LOADS_FOR(""), ".text.k:\n" LINE(3) LDS LINE(4) SKIP TARGET), 0);
    assert_int_equal(moved(LOADS_FOR(""), ".text.k:\n" LINE(9) SKIP LINE(3) LDS TARGET), 0);
    assert_int_equal(moved(LOADS_FOR(""),
                           ".text.k:\n" LINE(4) "  /*0020*/  BRA `(.L_x_1) ;\n" LINE(3) LDS TARGET),
                     0);
    assert_int_equal(moved(LOADS_FOR(""), ".text.k:\n" LINE(4) SKIP ".L_x_1:\n" LINE(3) LDS), 0);
    assert_int_equal(moved(LOADS_FOR(""), ".text.k:\n" LINE(3) LDS LINE(4) SKIP LINE(3) LDS TARGET),
                     0);
    assert_int_equal(moved(LOADS_FOR(""), ".text.k:\n"), 0);
    // Both sides want the value.
    assert_int_equal(moved(LOADS_FOR("st.global.u32 [%rd0+4], %r2;\n"), behind), 0);
    // That is another kernel.
    assert_int_equal(moved(LOADS_FOR(""), ".text.other:\n" LINE(4) SKIP LINE(3) LDS TARGET), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_listing),
        cmocka_unit_test(test_merged),
        cmocka_unit_test(test_as_written),
        cmocka_unit_test(test_widths),
        cmocka_unit_test(test_matched),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_misaligned),
        cmocka_unit_test(test_store_between),
        cmocka_unit_test(test_loaded_once),
        cmocka_unit_test(test_repeats),
        cmocka_unit_test(test_out_of_place),
        cmocka_unit_test(test_watched),
        cmocka_unit_test(test_guess),
        cmocka_unit_test(test_unrolled),
        cmocka_unit_test(test_unrolled_otherwise),
        cmocka_unit_test(test_maker),
        cmocka_unit_test(test_may_merge),
        cmocka_unit_test(test_moved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
