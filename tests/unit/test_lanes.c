// Lane code: instructions on random and boundary operands, against references that compute the
// same in another way, bit by bit or with wider numbers. Every target machine that this processor
// can be, all lanes on and some lanes off.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/strbuf.h"
#include "lanes_reference.h"
#include "sim/machine.h"
#include "sim/sim_internal.h"

enum { THREADS = 256, BLOCKS = 8, ROWS = THREADS * BLOCKS };

typedef uint64_t (*reference)(uint64_t a, uint64_t b, uint64_t c, uint64_t e);

// `kinds`: destination, then sources: h 16, w 32, d 64 bits, s a shift amount, f and g floats of
// 32 and 64 bits, x a half; the destination's q is a predicate.
struct form {
    const char *text, *kinds;
    reference expected;
};

static unsigned bits_of(char kind) {
    return strchr("hx", kind) ? 16 : strchr("dg", kind) ? 64 : 32;
}

// ---- All forms --------------------------------------------------------------------------------

static const struct form forms[] = {
    {"add.u64 %d, %a, %b", "ddd", add_64},
    {"add.s16 %d, %a, %b", "hhh", add_64},
    {"sub.sat.s32 %d, %a, %b", "www", sub_sat},
    {"add.u16x2 %d, %a, %b", "www", add_pairs},
    {"mul.hi.s64 %d, %a, %b", "ddd", mul_hi_s64},
    {"mad.wide.s32 %d, %a, %b, %c", "dwwd", mad_wide_s32},
    {"mad.hi.u32 %d, %a, %b, %c", "wwww", mad_hi_u32},
    {"mul24.hi.s32 %d, %a, %b", "www", mul24_hi_s32},
    {"div.s32 %d, %a, %b", "www", div_s32},
    {"rem.u32 %d, %a, %b", "www", rem_u32},
    {"rem.s64 %d, %a, %b", "ddd", rem_s64},
    {"div.s16 %d, %a, %b", "hhh", div_s16},
    {"popc.b64 %d, %a", "wd", count_ones},
    {"clz.b64 %d, %a", "wd", leading_zeros},
    {"brev.b32 %d, %a", "ww", reversed},
    {"bfind.s32 %d, %a", "ww", find_s32},
    {"bfe.s32 %d, %a, %b, %c", "wwss", bfe_s32},
    {"bfe.s64 %d, %a, %b, %c", "ddss", bfe_s64},
    {"bfe.u64 %d, %a, %b, %c", "ddss", bfe_u64},
    {"bfi.b32 %d, %a, %b, %c, %e", "wwwss", bfi_32},
    {"prmt.b32 %d, %a, %b, %c", "wwww", permuted},
    {"lop3.b32 %d, %a, %b, %c, 0x1e", "wwww", lop3_1e},
    {"lop3.b32 %d, %a, %b, %c, 0xca", "wwww", lop3_ca},
    {"shl.b32 %d, %a, %b", "wws", shl_32},
    {"shr.s64 %d, %a, %b", "dds", shr_s64},
    {"shf.l.wrap.b32 %d, %a, %b, %c", "wwws", funnel_left_wrap},
    {"dp4a.s32.u32 %d, %a, %b, %c", "wwww", dot_bytes},
    {"add.cc.u64 %t, %a, %c; addc.u64 %d, %b, %e", "ddddd", add_with_carry},
    {"add.f32 %d, %a, %b", "fff", add_rn},
    {"add.rm.f32 %d, %a, %b", "fff", add_rm},
    {"add.ftz.sat.f32 %d, %a, %b", "fff", add_ftz_sat},
    {"mul.rz.f32 %d, %a, %b", "fff", mul_rz},
    {"mul.ftz.f32 %d, %a, %b", "fff", mul_ftz},
    {"fma.rn.f32 %d, %a, %b, %c", "ffff", fma_rn},
    {"fma.rp.f32 %d, %a, %b, %c", "ffff", fma_rp},
    {"div.rn.f32 %d, %a, %b", "fff", div_rn},
    {"div.rz.f32 %d, %a, %b", "fff", div_rz},
    {"sqrt.rn.f32 %d, %a", "ff", sqrt_rn},
    {"sqrt.rp.f32 %d, %a", "ff", sqrt_rp},
    {"min.f32 %d, %a, %b", "fff", min_f32},
    {"max.f64 %d, %a, %b", "ggg", max_f64},
    {"setp.ltu.f32 %d, %a, %b", "qff", setp_ltu},
    {"cvt.rmi.s32.f32 %d, %a", "wf", s32_of_f32_rm},
    {"cvt.rni.u64.f64 %d, %a", "dg", u64_of_f64_rni},
    {"cvt.rp.f32.u64 %d, %a", "fd", f32_of_u64_rp},
    {"cvt.sat.s16.s64 %d, %a", "hd", s16_of_s64_sat},
    {"cvt.rz.f32.f64 %d, %a", "fg", f32_of_f64_rz},
    {"fma.rn.f16 %d, %a, %b, %c", "xxxx", fma_f16},
    {"cvt.rn.f16.f32 %d, %a", "xf", f16_of_f32_rn},
};

enum { FORMS = sizeof forms / sizeof *forms, OPERANDS = 4 };

// ---- Running them -----------------------------------------------------------------------------

static uint64_t state = 88172645463325252u;

static uint64_t random_bits(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static uint64_t boundary(char kind) {
    static const uint32_t singles[] = {0,          0x80000000, 1,          0x807fffff, 0x00800000,
                                       0x3f800000, 0xbf7fffff, 0x7f7fffff, 0x7f800000, 0xff800000,
                                       0x7fc00000, 0xff812345, 0x4f000000, 0xcf000000, 0x5f800000,
                                       0x3effffff, 0x40200000, 0x477fefff, 0x33000000, 0x33000001};
    static const uint16_t halves[] = {0,      0x8000, 1,      0x83ff, 0x0400, 0x3c00,
                                      0xbbff, 0x7bff, 0x7c00, 0xfc00, 0x7e00, 0xfd23};
    const uint64_t pick = random_bits();
    switch (kind) {
    case 'f':
        return singles[pick % (sizeof singles / sizeof *singles)];
    case 'g':
        return (uint64_t)singles[pick % (sizeof singles / sizeof *singles)] << 32 | (pick >> 60);
    case 'x':
        return halves[pick % (sizeof halves / sizeof *halves)];
    case 's':
        return pick % 5 == 0 ? pick >> 32 : pick % 67;
    default:
        return (pick & 1 ? UINT64_MAX : 0) + (uint64_t)(int64_t)((int)(pick >> 8 & 3) - 1) +
               ((pick & 2) ? UINT64_C(1) << (bits_of(kind) - 1) : 0);
    }
}

static uint64_t operand(char kind) {
    const uint64_t bits = random_bits() % 3 == 0 ? boundary(kind) : random_bits();
    // Half of the floats are numbers of ordinary size.
    if (kind == 'f' && random_bits() & 1)
        return (bits & 0x807fffff) | ((bits >> 32 & 31) + 112) << 23;
    if (kind == 'g' && random_bits() & 1)
        return (bits & 0x800fffffffffffff) | ((bits >> 52 & 127) + 960) << 52;
    const unsigned width = bits_of(kind);
    return width == 64 ? bits : bits & ((UINT64_C(1) << width) - 1);
}

static void append_kernel(struct strbuf *text, int n) {
    const struct form *f = &forms[n];
    const bool predicate = f->kinds[0] == 'q';
    const unsigned width = predicate ? 32 : bits_of(f->kinds[0]);
    strbuf_printf(text,
                  ".visible .entry k%d(.param .u64 in, .param .u64 out)\n{\n"
                  ".reg .pred %%on%s; .reg .b32 %%i, %%n, %%m; .reg .b64 %%in, %%out, %%at, %%r;\n"
                  "mov.u32 %%i, %%tid.x; mov.u32 %%n, %%ctaid.x; mad.lo.u32 %%i, %%n, %d, %%i;\n"
                  "ld.param.u64 %%in, [in]; ld.param.u64 %%out, [out];\n"
                  "mul.wide.u32 %%at, %%i, 32; add.u64 %%in, %%in, %%at;\n"
                  "mul.wide.u32 %%at, %%i, 16; add.u64 %%out, %%out, %%at;\n",
                  n, predicate ? ", %d" : "", THREADS);
    if (!predicate)
        strbuf_printf(text, ".reg .b%u %%d, %%t;\n", width);
    for (int s = 0; f->kinds[1 + s]; s++) {
        const unsigned bits = bits_of(f->kinds[1 + s]);
        strbuf_printf(text, ".reg .b%u %%%c; ld.global.u%u %%%c, [%%in+%d];\n", bits, "abce"[s],
                      bits, "abce"[s], 8 * s);
    }
    // Once for all lanes, once for those with bit 1 of their number set; the others keep 0x55.
    for (int masked = 0; masked < 2; masked++) {
        if (predicate)
            strbuf_printf(text, "setp.ne.u32 %%d, 0, 0;\n");
        else
            strbuf_printf(text, "mov.b%u %%d, 0x55;\n", width);
        if (masked)
            strbuf_printf(text, "and.b32 %%m, %%i, 2; setp.eq.u32 %%on, %%m, 0;\n@%%on bra END;\n");
        strbuf_printf(text, "%s;\n", f->text);
        if (masked)
            strbuf_printf(text, "END:\n");
        if (predicate)
            strbuf_printf(text, "selp.u64 %%r, 1, 0, %%d;\n");
        else
            strbuf_printf(text, width == 64 ? "mov.b64 %%r, %%d;\n" : "cvt.u64.u%u %%r, %%d;\n",
                          width);
        strbuf_printf(text, "st.global.u64 [%%out+%d], %%r;\n", 8 * masked);
    }
    strbuf_printf(text, "ret;\n}\n");
}

struct world {
    struct strbuf text;
    struct source source;
    struct diag_list diags;
    struct ptx_module *ptx;
    struct ir_module *ir;
};

static int set_up(void **context) {
    struct world *world = calloc(1, sizeof *world);
    strbuf_printf(&world->text, ".version 8.0\n.target sm_90\n.address_size 64\n");
    for (int n = 0; n < FORMS; n++)
        append_kernel(&world->text, n);
    world->source = (struct source){"forms.ptx", world->text.data, world->text.length};
    world->ptx = ptx_parse(&world->source, &world->diags);
    world->ir = world->diags.errors ? NULL : ir_build(world->ptx, &world->diags);
    diag_print(&world->diags, stderr, false);
    *context = world;
    return world->ir ? 0 : -1;
}

static int tear_down(void **context) {
    struct world *world = *context;
    ir_free(world->ir);
    ptx_module_free(world->ptx);
    diag_free(&world->diags);
    strbuf_free(&world->text);
    free(world);
    return 0;
}

static void check_form(int n, const uint64_t *in, const uint64_t *out) {
    const struct form *f = &forms[n];
    const bool predicate = f->kinds[0] == 'q';
    const unsigned width = bits_of(f->kinds[0]);
    const uint64_t mask = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
    for (int row = 0; row < ROWS; row++) {
        const uint64_t *o = in + (size_t)OPERANDS * (size_t)row;
        const uint64_t expected = f->expected(o[0], o[1], o[2], o[3]) & mask;
        const uint64_t kept = row & 2 ? expected : predicate ? 0 : 0x55;
        const uint64_t all = out[2 * row], some = out[2 * row + 1];
        if (all != expected || some != kept)
            fail_msg("%s of %llx %llx %llx %llx: expected %llx, got %llx; masked %llx, got %llx",
                     f->text, (unsigned long long)o[0], (unsigned long long)o[1],
                     (unsigned long long)o[2], (unsigned long long)o[3],
                     (unsigned long long)expected, (unsigned long long)all,
                     (unsigned long long)kept, (unsigned long long)some);
    }
}

static void run_target(const struct world *world, const struct sim_target *target) {
    const struct sim_config config = {.arch = 90, .threads = 1};
    struct sim *sim = sim_create(&config);
    sim->target = target;
    struct diag_list diags = {0};
    struct sim_module *module = sim_module_load(sim, world->ir, NULL, &diags);
    assert_non_null(module);
    uint64_t *in = sim_alloc(sim, ROWS * OPERANDS * sizeof *in, SIM_DEVICE);
    uint64_t *out = sim_alloc(sim, ROWS * 2 * sizeof *out, SIM_DEVICE);
    for (int n = 0; n < FORMS; n++) {
        char name[16];
        snprintf(name, sizeof name, "k%d", n);
        struct sim_kernel *kernel = sim_module_kernel(module, name, &diags);
        diag_print(&diags, stderr, false);
        assert_non_null(kernel);
        memset(in, 0, ROWS * OPERANDS * sizeof *in);
        for (int row = 0; row < ROWS; row++) {
            for (int s = 0; forms[n].kinds[1 + s]; s++)
                in[OPERANDS * row + s] = operand(forms[n].kinds[1 + s]);
        }
        const uint64_t parameters[] = {(uint64_t)(uintptr_t)in, (uint64_t)(uintptr_t)out};
        const struct sim_launch launch = {.grid = {BLOCKS, 1, 1},
                                          .block = {THREADS, 1, 1},
                                          .cluster = {1, 1, 1},
                                          .parameters = parameters};
        struct sim_result result = {0};
        sim_launch(kernel, &launch, &result);
        assert_int_equal(result.fault, SIM_OK);
        sim_result_free(&result);
        check_form(n, in, out);
    }
    sim_free(sim, in);
    sim_free(sim, out);
    sim_module_unload(module, NULL);
    sim_destroy(sim);
}

static void test_base(void **context) {
    run_target(*context, sim_target_base());
}

#if defined(SIM_AVX2)
static void test_avx2(void **context) {
    if (!machine_has_avx2())
        skip();
    run_target(*context, sim_target_avx2());
}
#endif

#if defined(SIM_AVX512)
static void test_avx512(void **context) {
    if (!machine_has_avx512())
        skip();
    run_target(*context, sim_target_avx512());
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_base),
#if defined(SIM_AVX2)
        cmocka_unit_test(test_avx2),
#endif
#if defined(SIM_AVX512)
        cmocka_unit_test(test_avx512),
#endif
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
