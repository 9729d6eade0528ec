// Instructions by name, and files of raw requests.
#include "explain/explain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/strbuf.h"

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
        cmocka_unit_test(test_instructions),
        cmocka_unit_test(test_requests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
