// What observers hear of small kernels: every event, in order, as text.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/strbuf.h"
#include "event/fanout.h"
#include "event/filter.h"
#include "profile/record.h"
#include "sim/sim.h"
#include "sim/tensor/map.h"
#include "sim/texture/texture.h"

#define HEAD(target) ".version 8.0\n.target " target "\n.address_size 64\n"
#define ENTRY(more)                                                                                \
    ".visible .entry k(.param .u64 out) " more " { .reg .pred %p<8>; .reg .b32 %r<64>;\n"          \
    ".reg .b64 %d<16>; .reg .f32 %f<64>; .shared .align 128 .b8 tile[4096];\n"                     \
    "mov.u32 %r0, %tid.x; shl.b32 %r1, %r0, 2;\n"
#define KERNEL HEAD("sm_90") ENTRY("")
#define KERNEL_90A HEAD("sm_90a") ENTRY("")

// ---- Events as text -----------------------------------------------------------------------------

struct recorder {
    struct strbuf text;
    uint64_t out; // addresses are told from here on
    bool syncs_only;
};

static const char *const orders[] = {"weak",    "volatile", "relaxed", "acquire",
                                     "release", "acq_rel",  "sc"};
static const char *const scopes[] = {"cta", "cluster", "gpu", "sys"};
static const char *const completions[] = {"", " by group", " by bulk group", " by mbarrier",
                                          " by wgmma"};
static const char *const proxies[] = {"", " alias", " async", " tensormap", " surface"};
static const char *const kinds[EVENT_KINDS] = {
    [EVENT_BARRIER_ARRIVE] = "arrive",
    [EVENT_BARRIER_SYNC] = "sync",
    [EVENT_BARRIER_COMPLETE] = "complete",
    [EVENT_WARP_BARRIER] = "warp barrier",
    [EVENT_WARP_EXCHANGE] = "exchange",
    [EVENT_CLUSTER_ARRIVE] = "cluster arrive",
    [EVENT_CLUSTER_COMPLETE] = "cluster complete",
    [EVENT_CLUSTER_WAIT] = "cluster wait",
    [EVENT_MBARRIER_INIT] = "mbarrier init",
    [EVENT_MBARRIER_INVALIDATE] = "mbarrier invalidate",
    [EVENT_MBARRIER_EXPECT_TX] = "mbarrier expect",
    [EVENT_MBARRIER_COMPLETE_TX] = "mbarrier bytes",
    [EVENT_MBARRIER_ARRIVE] = "mbarrier arrive",
    [EVENT_MBARRIER_COPIES] = "mbarrier copies",
    [EVENT_MBARRIER_WAIT] = "mbarrier over",
    [EVENT_FENCE] = "fence",
    [EVENT_ASYNC_COMMIT] = "commit",
    [EVENT_ASYNC_WAIT] = "wait",
    [EVENT_ASYNC_FENCE] = "async fence",
    [EVENT_LANES_EXIT] = "exit",
    [EVENT_BLOCK_BEGIN] = "block begins",
    [EVENT_BLOCK_END] = "block ends",
    [EVENT_CLUSTER_BEGIN] = "cluster begins",
    [EVENT_CLUSTER_END] = "cluster ends",
    [EVENT_GRID_RELEASE] = "grid release",
    [EVENT_GRID_WAIT] = "grid wait",
};

static void put_values(struct recorder *r, const struct event_access *e) {
    for (unsigned l = 0; e->values && l < WARP_LANES; l++)
        if (e->mask >> l & 1 && l < 3) {
            strbuf_puts(&r->text, " = ");
            for (unsigned i = 0; i < e->width; i++)
                strbuf_printf(&r->text, "%02x", e->values[l * e->width + i]);
        }
}

static void put_place(struct recorder *r, uint64_t block, uint32_t warp) {
    if (block)
        strbuf_printf(&r->text, "b%u ", (unsigned)block);
    if (warp)
        strbuf_printf(&r->text, "w%u ", warp);
}

static void hear_access(void *state, const struct event_access *e) {
    static const char *const intents[] = {"read", "write", "atomic"};
    struct recorder *r = state;
    const int first = __builtin_ctz(e->mask);
    assert_true(e->instruction != EVENT_NONE && e->width);
    put_place(r, e->block_number, e->warp);
    strbuf_printf(&r->text, "%s%s %u %08x", intents[e->intent],
                  e->site == EVENT_NONE ? " unsited" : "", e->width, e->mask);
    if (e->offsets)
        strbuf_printf(&r->text, " shared+%u", e->offsets[first]);
    if (e->addresses)
        strbuf_printf(&r->text, " out+%u", (unsigned)(e->addresses[first] - r->out));
    if (e->source_bytes)
        strbuf_printf(&r->text, " of %u bytes", e->source_bytes[first]);
    if (e->bulk_bytes)
        strbuf_printf(&r->text, " bulk %u", (unsigned)e->bulk_bytes);
    for (uint64_t i = 0; e->pieces && i < e->bulk_bytes / EVENT_PIECE; i++)
        strbuf_printf(&r->text, "%s%u", i ? "," : " at ", e->pieces[i]);
    if (e->order != EVENT_WEAK)
        strbuf_printf(&r->text, " %s.%s", orders[e->order], scopes[e->scope]);
    if (e->space == SITE_SHARED && e->owner != e->block_number)
        strbuf_printf(&r->text, " of block %u", (unsigned)e->owner);
    put_values(r, e);
    strbuf_printf(&r->text, "%s%s\n", completions[e->completion], proxies[e->proxy]);
}

static void hear_sync(void *state, const struct event_sync *e) {
    struct recorder *r = state;
    put_place(r, e->block_number, e->warp);
    strbuf_puts(&r->text, kinds[e->kind]);
    if (e->mask)
        strbuf_printf(&r->text, " %08x", e->mask);
    if (e->members)
        strbuf_printf(&r->text, " of %08x", e->members);
    if (e->id)
        strbuf_printf(&r->text, " id %u", e->id);
    if (e->expected)
        strbuf_printf(&r->text, " for %u", e->expected);
    if (e->kind >= EVENT_MBARRIER_INIT && e->kind <= EVENT_MBARRIER_WAIT)
        strbuf_printf(&r->text, " at %u phase %u", e->offset, e->phase);
    if (e->count)
        strbuf_printf(&r->text, " count %d", (int)e->count);
    if (e->order != EVENT_WEAK)
        strbuf_printf(&r->text, " %s.%s", orders[e->order], scopes[e->scope]);
    if (e->proxy)
        strbuf_printf(&r->text, " proxy %d", e->proxy);
    if (e->owner != e->block_number && e->mask && e->offset)
        strbuf_printf(&r->text, " of block %u", (unsigned)e->owner);
    strbuf_printf(&r->text, "%s%s%s%s\n", completions[e->completion], e->reads_only ? " read" : "",
                  e->ends_phase ? " ends phase" : "", e->drops ? " drops" : "");
}

static void hear_trouble(void *state, const struct event_trouble *e) {
    static const char *const troubles[] = {[EVENT_STRANGER] = "stranger",
                                           [EVENT_MISSED] = "missed",
                                           [EVENT_STUCK] = "stuck",
                                           [EVENT_ALL_STUCK] = "all stuck",
                                           [EVENT_MBARRIER_EXCESS] = "excess",
                                           [EVENT_MBARRIER_TEST] = "test"};
    struct recorder *r = state;
    put_place(r, e->block_number, e->warp);
    strbuf_puts(&r->text, troubles[e->kind]);
    if (e->mask)
        strbuf_printf(&r->text, " %08x", e->mask);
    if (e->members)
        strbuf_printf(&r->text, " of %08x", e->members);
    if (e->others)
        strbuf_printf(&r->text, " without %08x, %d further on", e->others,
                      (int)(e->elsewhere - e->instruction));
    if (e->kind >= EVENT_MBARRIER_EXCESS)
        strbuf_printf(&r->text, " at %u count %u", e->offset, e->count);
    strbuf_puts(&r->text, "\n");
}

static void *begin(void *context, unsigned worker) {
    (void)worker;
    return context;
}

// ---- Kernels ------------------------------------------------------------------------------------

struct device {
    struct source source;
    struct diag_list diags;
    struct ptx_module *ptx;
    struct ir_module *ir;
    struct sim *sim;
    struct sim_module *module;
    uint8_t *out;
    enum sim_fault fault; // in which the launch is to end
};

static void open_device(struct device *d, const char *text) {
    *d = (struct device){.source = {"test.ptx", text, strlen(text)}};
    struct sim_config config = {.arch = 90, .threads = 1};
    d->ptx = ptx_parse(&d->source, &d->diags);
    d->ir = d->diags.errors ? NULL : ir_build(d->ptx, &d->diags);
    if (d->diags.errors)
        diag_print(&d->diags, stderr, false);
    assert_int_equal(d->diags.errors, 0);
    d->sim = sim_create(&config);
    d->module = sim_module_load(d->sim, d->ir, NULL, &d->diags);
    d->out = sim_alloc(d->sim, 4096, SIM_DEVICE);
    memset(d->out, 0, 4096);
}

static void close_device(struct device *d) {
    sim_module_unload(d->module, NULL);
    sim_destroy(d->sim);
    ir_free(d->ir);
    ptx_module_free(d->ptx);
    diag_free(&d->diags);
}

static void launch(struct device *d, uint32_t grid, uint32_t block, uint32_t cluster,
                   const struct event_observer *const *observers, unsigned count) {
    struct sim_kernel *kernel = sim_module_kernel(d->module, "k", &d->diags);
    if (!kernel)
        diag_print(&d->diags, stderr, false);
    assert_non_null(kernel);
    void *parameters[1] = {d->out};
    struct sim_launch launch = {.grid = {grid, 1, 1},
                                .block = {block, 1, 1},
                                .cluster = {cluster, cluster != 0, cluster != 0},
                                .parameters = parameters,
                                .observers = observers,
                                .observer_count = count};
    struct sim_result result;
    sim_launch(kernel, &launch, &result);
    if (result.fault != d->fault)
        fail_msg("%s", result.message);
    sim_result_free(&result);
}

static struct event_observer observer_of(struct recorder *r, bool wants_unsited) {
    return (struct event_observer){.context = r,
                                   .worker_begin = begin,
                                   .access = r->syncs_only ? NULL : hear_access,
                                   .sync = hear_sync,
                                   .wants_unsited = wants_unsited};
}

// Two observers hear the launch, and the same. `prepare` sets up memory; NULL: nothing to do.
static void check_with(void (*prepare)(struct device *), const char *text, uint32_t grid,
                       uint32_t block, uint32_t cluster, const char *expected) {
    struct device d;
    open_device(&d, text);
    if (prepare)
        prepare(&d);
    struct recorder a = {.out = (uint64_t)(uintptr_t)d.out}, b = a;
    struct event_observer first = observer_of(&a, true), second = observer_of(&b, true);
    launch(&d, grid, block, cluster, (const struct event_observer *[]){&first, NULL, &second}, 3);
    assert_string_equal(a.text.data, expected);
    assert_string_equal(b.text.data, expected);
    strbuf_free(&a.text);
    strbuf_free(&b.text);
    close_device(&d);
}

static void check(const char *text, uint32_t grid, uint32_t block, uint32_t cluster,
                  const char *expected) {
    check_with(NULL, text, grid, block, cluster, expected);
}

// What comes to nothing, of a block; the launch ends in such a fault.
static void check_trouble(const char *text, uint32_t block, enum sim_fault fault,
                          const char *expected) {
    struct device d;
    open_device(&d, text);
    d.fault = fault;
    struct recorder r = {0};
    const struct event_observer observer = {
        .context = &r, .worker_begin = begin, .trouble = hear_trouble};
    const struct event_observer deaf = {0};
    launch(&d, 1, block, 0, (const struct event_observer *[]){&deaf, &observer}, 2);
    assert_string_equal(r.text.data, expected);
    strbuf_free(&r.text);
    close_device(&d);
}

// ---- Tests --------------------------------------------------------------------------------------

static void test_values(void **state) {
    (void)state;
    struct device d;
    open_device(&d, KERNEL "cvt.u64.u32 %d0, %r0; shl.b32 %r2, %r0, 4; ld.param.u64 %d1, [out];\n"
                           "mov.u32 %r3, tile; add.u32 %r3, %r3, %r2;\n"
                           "st.shared.v2.u16 [%r3], {%r1, 258}; st.shared.u64 [%r3], %d0;\n"
                           "setp.eq.u32 %p0, %r0, 1; @%p0 st.global.u8 [%d1], 7;\n"
                           "ld.shared.u32 %r4, [%r3]; atom.shared.add.u32 %r4, [%r3], 1; ret; }");
    struct recorder a = {.out = (uint64_t)(uintptr_t)d.out}, b = a;
    struct event_observer first = observer_of(&a, true), second = observer_of(&b, true);
    second.wants_values = true;
    launch(&d, 1, 3, 0, (const struct event_observer *[]){&first, &second}, 2);
    assert_string_equal(b.text.data, "block begins for 3\n"
                                     "write 4 00000007 shared+0 = 00000201 = 04000201 = 08000201\n"
                                     "write 8 00000007 shared+0 = 0000000000000000"
                                     " = 0100000000000000 = 0200000000000000\n"
                                     "write 1 00000002 out+0 = 07\n"
                                     "read 4 00000007 shared+0\n"
                                     "atomic 4 00000007 shared+0 relaxed.gpu\n"
                                     "exit 00000007\n"
                                     "block ends\n");
    strbuf_free(&a.text);
    strbuf_free(&b.text);
    close_device(&d);
}

static void test_block_barriers(void **state) {
    (void)state;
    check(KERNEL "setp.lt.u32 %p0, %r0, 32; @%p0 bra FIRST;\n"
                 "bar.arrive 3, 64; bra MEET;\n"
                 "FIRST: bar.sync 3, 64;\n"
                 "MEET: barrier.cta.red.popc.u32 %r3, 0, %p0; ret; }",
          1, 64, 0,
          "block begins for 64\n"
          "sync ffffffff id 3 for 64\n"
          "w1 arrive ffffffff id 3 for 64\n"
          "complete id 3 for 64\n"
          "w1 sync ffffffff\n"
          "sync ffffffff\n"
          "complete\n"
          "exit ffffffff\n"
          "w1 exit ffffffff\n"
          "block ends\n");
}

static void test_lanes_that_left(void **state) {
    (void)state;
    check(KERNEL "setp.lt.u32 %p0, %r0, 8; bar.warp.sync 0xffff; @%p0 exit; bar.sync 0; ret; }", 1,
          16, 0,
          "block begins for 16\n"
          "warp barrier 0000ffff of 0000ffff\n"
          "exit 000000ff\n"
          "sync 0000ff00\n"
          "complete\n"
          "exit 0000ff00\n"
          "block ends\n");
}

// Halves of the warp meet at two places of the text; then each four lanes among themselves.
static void test_warp_barriers(void **state) {
    (void)state;
    check(KERNEL "setp.lt.u32 %p0, %r0, 4; @%p0 bra LOW;\n"
                 "bar.warp.sync 0xff; bra MEET;\n"
                 "LOW: bar.warp.sync 0xff;\n"
                 "MEET: mov.u32 %r3, 15; @!%p0 mov.u32 %r3, 240;\n"
                 "shfl.sync.idx.b32 %r4, %r0, 0, 31, %r3;\n"
                 "vote.sync.ballot.b32 %r4, %p0, 0xff; ret; }",
          1, 8, 0,
          "block begins for 8\n"
          "warp barrier 000000ff of 000000ff\n"
          "exchange 0000000f of 0000000f\n"
          "exchange 000000f0 of 000000f0\n"
          "exchange 000000ff of 000000ff\n"
          "exit 000000ff\n"
          "block ends\n");
    check(KERNEL "shfl.sync.up.b32 %r4, %r0, 1, 0, -1; ret; }", 1, 32, 0,
          "block begins for 32\n"
          "exchange ffffffff of ffffffff\n"
          "exit ffffffff\n"
          "block ends\n");
}

// Observers that spare exchanges hear of those alone whose lanes do not just name each other.
static void test_spared_exchanges(void **state) {
    (void)state;
    struct device d;
    open_device(&d, KERNEL "setp.lt.u32 %p0, %r0, 4; mov.u32 %r3, 15; @!%p0 mov.u32 %r3, 255;\n"
                           "vote.sync.any.pred %p1, %p0, 255; vote.sync.any.pred %p1, %p0, %r3;\n"
                           "vote.sync.any.pred %p1, %p0, 0xfff; ret; }");
    struct recorder r = {.syncs_only = true};
    struct event_observer observer = observer_of(&r, false);
    const struct event_observer deaf = {0};
    observer.spares_exchanges = true;
    launch(&d, 1, 8, 0, (const struct event_observer *[]){&deaf, &observer}, 2);
    assert_string_equal(r.text.data, "block begins for 8\n"
                                     "exchange 0000000f of 0000000f\n"
                                     "exchange 000000f0 of 000000ff\n"
                                     "exchange 000000ff of 00000fff\n"
                                     "exit 000000ff\n"
                                     "block ends\n");
    strbuf_free(&r.text);
    close_device(&d);
}

// Each block writes into the other one's memory.
static void test_clusters(void **state) {
    (void)state;
    check(KERNEL "mov.u32 %r2, %cluster_ctarank; xor.b32 %r2, %r2, 1; mov.u32 %r3, tile;\n"
                 "mapa.shared::cluster.u32 %r4, %r3, %r2; st.shared::cluster.u32 [%r4+8], %r2;\n"
                 "cvta.shared.u64 %d1, 16; ld.u32 %r5, [%d1];\n"
                 "barrier.cluster.arrive.relaxed; barrier.cluster.wait; ret; }",
          2, 1, 2,
          "cluster begins for 2\n"
          "block begins for 1\n"
          "b1 block begins for 1\n"
          "write 4 00000001 shared+8 of block 1\n"
          "read 4 00000001 shared+16\n"
          "cluster arrive 00000001 relaxed.cluster\n"
          "b1 write 4 00000001 shared+8 of block 0\n"
          "b1 read 4 00000001 shared+16\n"
          "b1 cluster arrive 00000001 relaxed.cluster\n"
          "cluster complete\n"
          "cluster wait 00000001 acquire.cluster\n"
          "b1 cluster wait 00000001 acquire.cluster\n"
          "b1 exit 00000001\n"
          "b1 block ends\n"
          "exit 00000001\n"
          "block ends\n"
          "cluster ends\n");
}

static void test_trouble(void **state) {
    (void)state;
    check_trouble(KERNEL "setp.lt.u32 %p0, %r0, 6; @%p0 bra OUT; bar.warp.sync 0xf; OUT: ret; }", 8,
                  SIM_FAULT_ILLEGAL_INSTRUCTION, "stranger 000000c0 of 0000000f\n");
    // The upper lanes wait where both paths meet, at the load.
    check_trouble(KERNEL "setp.ge.u32 %p0, %r0, 4; @%p0 bra MEET; bar.warp.sync 0xff;\n"
                         "MEET: ld.shared.u32 %r3, [tile]; ret; }",
                  8, SIM_OK, "missed 0000000f of 000000ff without 000000f0, 1 further on\n");
    check_trouble(KERNEL
                  "setp.ge.u32 %p0, %r0, 4; @%p0 bra OTHER; vote.sync.any.pred %p1, %p0, -1;\n"
                  "bra MEET; OTHER: shfl.sync.idx.b32 %r4, %r0, 0, 31, -1; MEET: ret; }",
                  8, SIM_FAULT_DEADLOCK,
                  "stuck 000000f0 of ffffffff\n"
                  "stuck 0000000f of ffffffff\n"
                  "all stuck\n");
    check_trouble(KERNEL
                  "setp.ge.u32 %p0, %r0, 32; @%p0 bra ALL; bar.sync 1, 96; ALL: bar.sync 0;\n"
                  "ret; }",
                  64, SIM_FAULT_DEADLOCK,
                  "stuck ffffffff\n"
                  "w1 stuck ffffffff\n"
                  "all stuck\n");
    check_trouble(KERNEL "mov.u32 %r2, tile; mbarrier.init.shared.b64 [%r2+8], 2;\n"
                         "mbarrier.test_wait.parity.shared.b64 %p0, [%r2+8], 0;\n"
                         "mbarrier.arrive.shared.b64 %d1, [%r2+8], 3; ret; }",
                  1, SIM_FAULT_ILLEGAL_INSTRUCTION,
                  "test 00000001 at 8 count 0\n"
                  "excess 00000001 at 8 count 3\n");
}

// An observer of copies hears of no other access, and of all copies, whoever else listens.
static void test_copies_alone(void **state) {
    (void)state;
    struct device d;
    open_device(&d, KERNEL "ld.param.u64 %d0, [out]; mov.u32 %r2, tile; ld.global.u32 %r4, [%d0];\n"
                           "cp.async.ca.shared.global [%r2], [%d0], 4; st.shared.u32 [%r2], %r4;\n"
                           "cp.async.wait_all; ret; }");
    struct recorder alone = {.out = (uint64_t)(uintptr_t)d.out}, beside = alone;
    const struct event_observer first = {
        .context = &alone, .worker_begin = begin, .copy = hear_access};
    const struct event_observer second = {
        .context = &beside, .worker_begin = begin, .copy = hear_access};
    const struct event_observer all = observer_of(&(struct recorder){0}, false);
    launch(&d, 1, 1, 0, (const struct event_observer *[]){&first}, 1);
    launch(&d, 1, 1, 0, (const struct event_observer *[]){&all, &second}, 2);
    assert_string_equal(alone.text.data, "write 4 00000001 shared+0 out+0 of 4 bytes by group\n");
    assert_string_equal(beside.text.data, alone.text.data);
    strbuf_free(&alone.text);
    strbuf_free(&beside.text);
    strbuf_free(&((struct recorder *)all.context)->text);
    close_device(&d);
}

static void test_mbarriers(void **state) {
    (void)state;
    check(KERNEL "mov.u32 %r2, tile; ld.param.u64 %d0, [out];\n"
                 "mbarrier.init.shared.b64 [%r2+8], 1;\n"
                 "mbarrier.arrive.expect_tx.shared.b64 %d1, [%r2+8], 16;\n"
                 "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes\n"
                 "  [%r2+32], [%d0], 16, [%r2+8];\n"
                 "mbarrier.try_wait.shared.b64 %p0, [%r2+8], %d1;\n"
                 "mbarrier.test_wait.parity.relaxed.cluster.shared.b64 %p0, [%r2+8], 1;\n"
                 "cp.async.mbarrier.arrive.noinc.shared.b64 [%r2+8];\n"
                 "mbarrier.inval.shared.b64 [%r2+8]; ret; }",
          1, 1, 0,
          "block begins for 1\n"
          "atomic unsited 8 00000001 shared+8\n"
          "mbarrier init 00000001 at 8 phase 0 count 1\n"
          "atomic unsited 8 00000001 shared+8 release.cta\n"
          "mbarrier expect 00000001 at 8 phase 0 count 16 release.cta\n"
          "mbarrier arrive 00000001 at 8 phase 0 count 1 release.cta\n"
          "read 16 00000001 out+0 bulk 16 by mbarrier async\n"
          "write 16 00000001 shared+32 bulk 16 by mbarrier async\n"
          "atomic unsited 8 00000001 shared+8 release.cluster\n"
          "mbarrier bytes 00000001 at 8 phase 0 count 16 release.cluster ends phase\n"
          "read unsited 8 00000001 shared+8 acquire.cta\n"
          "mbarrier over 00000001 at 8 phase 1 acquire.cta\n"
          "read unsited 8 00000001 shared+8 relaxed.cluster\n"
          "atomic unsited 8 00000001 shared+8\n"
          "mbarrier copies 00000001 at 8 phase 1 count 1 ends phase\n"
          "atomic unsited 8 00000001 shared+8\n"
          "mbarrier invalidate 00000001 at 8 phase 2\n"
          "exit 00000001\n"
          "block ends\n");
}

static void test_copies(void **state) {
    (void)state;
    check(KERNEL "ld.param.u64 %d0, [out]; mov.u32 %r2, tile;\n"
                 "cp.async.ca.shared.global [%r2], [%d0], 8, 4; cp.async.commit_group;\n"
                 "cp.async.wait_group 2; cp.async.wait_all;\n"
                 "cp.async.bulk.global.shared::cta.bulk_group [%d0+16], [%r2], 32;\n"
                 "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 1; ret; }",
          1, 1, 0,
          "block begins for 1\n"
          "write 8 00000001 shared+0 out+0 of 4 bytes by group\n"
          "commit 00000001 by group\n"
          "wait 00000001 count 2 by group\n"
          "wait 00000001 count -1 by group\n"
          "read 16 00000001 shared+0 bulk 32 by bulk group async\n"
          "write 16 00000001 out+16 bulk 32 by bulk group async\n"
          "commit 00000001 by bulk group\n"
          "wait 00000001 count 1 by bulk group read\n"
          "exit 00000001\n"
          "block ends\n");
}

static void test_orders(void **state) {
    (void)state;
    check(KERNEL "ld.param.u64 %d0, [out]; membar.gl; fence.acq_rel.cluster; fence.proxy.async;\n"
                 "st.release.sys.global.u32 [%d0+4], %r0; ld.volatile.global.u32 %r2, [%d0];\n"
                 "ld.relaxed.gpu.global.u32 %r2, [%d0]; red.global.add.u32 [%d0], 1;\n"
                 "atom.acq_rel.cta.shared.add.u32 %r3, [tile+8], 1;\n"
                 "st.shared.u32 [%r1], %r0; ret; }",
          1, 1, 0,
          "block begins for 1\n"
          "fence 00000001 sc.gpu\n"
          "fence 00000001 acq_rel.cluster\n"
          "fence 00000001 acq_rel.cta proxy 2\n"
          "write 4 00000001 out+4 release.sys\n"
          "read 4 00000001 out+0 volatile.sys\n"
          "read 4 00000001 out+0 relaxed.gpu\n"
          "atomic 4 00000001 out+0 relaxed.gpu\n"
          "atomic 4 00000001 shared+8 acq_rel.cta\n"
          "write 4 00000001 shared+0\n"
          "exit 00000001\n"
          "block ends\n");
}

// A is 64 x 16, B 16 x 8 halves: 128 and 16 pieces of 16 bytes.
static void test_wgmma(void **state) {
    (void)state;
    check(
        HEAD("sm_90a") ENTRY(
            "") "mov.u32 %r2, tile; mov.b64 %d1, 0; mov.b64 %d2, 0x80; setp.eq.u32 %p0, %r0, %r0;\n"
                "mov.f32 %f0, 0f00000000; mov.f32 %f1, %f0; mov.f32 %f2, %f0; mov.f32 %f3, %f0;\n"
                "wgmma.fence.sync.aligned;\n"
                "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d1, "
                "%d2,\n"
                "  %p0, 1, 1, 0, 0;\n"
                "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; ret; }",
        1, 128, 0,
        "block begins for 128\n"
        "async fence ffffffff by wgmma\n"
        "w1 async fence ffffffff by wgmma\n"
        "w2 async fence ffffffff by wgmma\n"
        "w3 async fence ffffffff by wgmma\n"
        "w3 read unsited 16 ffffffff shared+0 by wgmma async\n"
        "w3 read unsited 16 ffffffff shared+0 by wgmma async\n"
        "w3 read unsited 16 ffffffff shared+0 by wgmma async\n"
        "w3 read unsited 16 ffffffff shared+0 by wgmma async\n"
        "w3 read unsited 16 0000ffff shared+2048 by wgmma async\n"
        "w3 commit ffffffff by wgmma\n"
        "w3 wait ffffffff by wgmma\n"
        "w3 exit ffffffff\n"
        "commit ffffffff by wgmma\n"
        "wait ffffffff by wgmma\n"
        "exit ffffffff\n"
        "w1 commit ffffffff by wgmma\n"
        "w1 wait ffffffff by wgmma\n"
        "w1 exit ffffffff\n"
        "w2 commit ffffffff by wgmma\n"
        "w2 wait ffffffff by wgmma\n"
        "w2 exit ffffffff\n"
        "block ends\n");
}

static void test_grids(void **state) {
    (void)state;
    check(KERNEL "griddepcontrol.wait; setp.lt.u32 %p0, %r0, 3;\n"
                 "@%p0 griddepcontrol.launch_dependents; ret; }",
          1, 4, 0,
          "block begins for 4\n"
          "grid wait 0000000f\n"
          "grid release 00000007\n"
          "exit 0000000f\n"
          "block ends\n");
}

static void test_async_stores(void **state) {
    (void)state;
    check(KERNEL "mbarrier.init.shared.b64 [tile+8], 1; mov.u32 %r2, tile;\n"
                 "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r1+64], %r0,\n"
                 "  [%r2+8]; ret; }",
          1, 2, 0,
          "block begins for 2\n"
          "atomic unsited 8 00000001 shared+8\n"
          "mbarrier init 00000001 at 8 phase 0 count 1\n"
          "atomic unsited 8 00000002 shared+8\n"
          "mbarrier init 00000002 at 8 phase 0 count 1\n"
          "write 4 00000003 shared+64 by mbarrier\n"
          "atomic unsited 8 00000001 shared+8 release.cluster\n"
          "mbarrier bytes 00000001 at 8 phase 0 count 4 release.cluster\n"
          "atomic unsited 8 00000002 shared+8 release.cluster\n"
          "mbarrier bytes 00000002 at 8 phase 0 count 4 release.cluster\n"
          "exit 00000003\n"
          "block ends\n");
}

// ---- Accesses that no site makes ----------------------------------------------------------------

// Two numbers of a surface of two rows of eight words, one of a surface whose texels have two
// bytes.
static void make_surfaces(struct device *d) {
    struct sim_image image = {
        .shape = SIM_IMAGE_2D,
        .channels = 1,
        .channel_bytes = 4,
        .address = (uint64_t)(uintptr_t)d->out + 512,
        .bytes = 64,
        .level_count = 1,
        .level = {{.width = 8, .height = 2, .depth = 1, .row_bytes = 32, .slice_bytes = 64}}};
    uint64_t *objects = (uint64_t *)(void *)d->out;
    objects[0] = objects[1] = sim_surface_create(d->sim, &image);
    image.channel_bytes = 2;
    objects[2] = sim_surface_create(d->sim, &image);
}

// The third lane is outside, where nothing is accessed, and its formatted store goes to the surface
// of narrower texels.
static void test_surfaces(void **state) {
    (void)state;
    check_with(make_surfaces,
               KERNEL "ld.param.u64 %d0, [out]; ld.global.u64 %d1, [%d0]; mov.u32 %r3, 1;\n"
                      "shl.b32 %r4, %r0, 4; mul.wide.u32 %d2, %r0, 8; add.u64 %d2, %d0, %d2;\n"
                      "suld.b.2d.v2.b32.zero {%r5, %r6}, [%d1, {%r4, %r3}];\n"
                      "sust.b.2d.b32.zero [%d1, {%r4, %r3}], {%r0};\n"
                      "sured.b.add.2d.u32.trap [%d1, {%r1, 0}], %r0;\n"
                      "ld.global.u64 %d3, [%d2];\n"
                      "sust.p.2d.b32.trap [%d3, {%r0, 0}], {%r0}; ret; }",
               1, 3, 0,
               "block begins for 3\n"
               "read 8 00000007 out+0\n"
               "read unsited 8 00000003 out+544 surface\n"
               "write unsited 4 00000003 out+544 surface\n"
               "atomic unsited 4 00000007 out+512 relaxed.gpu surface\n"
               "read 8 00000007 out+0\n"
               "write unsited 4 00000003 out+512 surface\n"
               "write unsited 2 00000004 out+516 surface\n"
               "exit 00000007\n"
               "block ends\n");
}

// A map of rows of 32 bytes, of which a box takes five times 16, with a swizzle of 32 bytes. Copies
// on 9.0 look neither at bits 19 to 31 of its third word nor at its last 16 words, which not all
// encoders write.
static void make_map(struct device *d) {
    struct sim_tensor_map map = {.address = (uint64_t)(uintptr_t)d->out + 1024,
                                 .strides = {32},
                                 .last = {7, 7},
                                 .box = {4, 5},
                                 .steps = {1, 1},
                                 .rank = 2,
                                 .type = SIM_TENSOR_U32,
                                 .swizzle = SIM_TENSOR_SWIZZLE_32};
    sim_tensor_map_write(&map, d->out);
    ((uint32_t *)d->out)[2] |= 0xfff80000;
    memset((uint32_t *)d->out + 16, 0xa5, SIM_TENSOR_MAP_BYTES / 2);
}

static void test_tensors(void **state) {
    (void)state;
    check_with(make_map,
               KERNEL "ld.param.u64 %d0, [out]; mov.u32 %r2, tile; mov.u32 %r3, 0;\n"
                      "mbarrier.init.shared.b64 [%r2+1024], 1;\n"
                      "cp.async.bulk.tensor.2d.shared::cluster.global.tile\n"
                      "  .mbarrier::complete_tx::bytes [%r2], [%d0, {%r3, 1}], [%r2+1024];\n"
                      "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group\n"
                      "  [%d0, {%r3, 6}], [%r2]; ret; }",
               1, 1, 0,
               "block begins for 1\n"
               "atomic unsited 8 00000001 shared+1024\n"
               "mbarrier init 00000001 at 1024 phase 0 count 1\n"
               "read unsited 128 00000001 out+0 by mbarrier tensormap\n"
               "read 1 00000001 out+1056 bulk 16 by mbarrier async\n"
               "read 1 00000001 out+1088 bulk 16 by mbarrier async\n"
               "read 1 00000001 out+1120 bulk 16 by mbarrier async\n"
               "read 1 00000001 out+1152 bulk 16 by mbarrier async\n"
               "read 1 00000001 out+1184 bulk 16 by mbarrier async\n"
               "write 128 00000001 shared+0 bulk 80 at 0,32,64,96,144 by mbarrier async\n"
               "atomic unsited 8 00000001 shared+1024 release.cluster\n"
               "mbarrier bytes 00000001 at 1024 phase 0 count 80 release.cluster\n"
               "read unsited 128 00000001 out+0 by bulk group tensormap\n"
               "read 128 00000001 shared+0 bulk 80 at 0,32,64,96,144 by bulk group async\n"
               "write 1 00000001 out+1216 bulk 16 by bulk group async\n"
               "write 1 00000001 out+1248 bulk 16 by bulk group async\n"
               "exit 00000001\n"
               "block ends\n");
}

static void test_tensor_maps(void **state) {
    (void)state;
    check_with(make_map,
               KERNEL_90A
               "ld.param.u64 %d0, [out]; mov.u32 %r2, tile;\n"
               "tensormap.replace.tile.rank.shared::cta.b1024.b32 [%r2], 1;\n"
               "tensormap.replace.tile.box_dim.global.b1024.b32 [%d0], 0, 4;\n"
               "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu\n"
               "  .sync.aligned [%d0+128], [%r2], 128; ret; }",
               1, 2, 0,
               "block begins for 2\n"
               "write unsited 128 00000001 shared+0\n"
               "write unsited 128 00000002 shared+0\n"
               "write unsited 128 00000001 out+0\n"
               "write unsited 128 00000002 out+0\n"
               "read unsited 128 00000001 shared+0\n"
               "write unsited 128 00000001 out+128\n"
               "fence 00000003 release.gpu proxy 3\n"
               "exit 00000003\n"
               "block ends\n");
}

static void make_format(struct device *d) {
    memcpy(d->out, "%d %s\n", sizeof "%d %s\n");
    memcpy(d->out + 64, "word", sizeof "word");
}

#define KERNEL_WITH_LIBRARY                                                                        \
    HEAD("sm_90")                                                                                  \
    ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"                       \
    ".extern .func (.param .b32 r) __cudaCDP2GetDevice(.param .b64 a);\n" ENTRY("")

// What printf reads, of arguments in shared memory, and where a function's result goes.
static void test_library(void **state) {
    (void)state;
    check_with(make_format,
               KERNEL_WITH_LIBRARY
               "ld.param.u64 %d0, [out]; add.u64 %d1, %d0, 64; mov.u64 %d2, tile;\n"
               "cvta.shared.u64 %d2, %d2; st.shared.u32 [tile+32], %r0;\n"
               "st.shared.u64 [tile+40], %d1; add.u64 %d3, %d2, 32;\n"
               "{ .param .b64 a; .param .b64 b; .param .b32 r;\n"
               "st.param.b64 [a], %d0; st.param.b64 [b], %d3; call (r), vprintf, (a, b); }\n"
               "{ .param .b64 a; .param .b32 r;\n"
               "st.param.b64 [a], %d2; call (r), __cudaCDP2GetDevice, (a); }\n"
               "ret; }",
               1, 1, 0,
               "block begins for 1\n"
               "write 4 00000001 shared+32\n"
               "write 8 00000001 shared+40\n"
               "read unsited 7 00000001 out+0\n"
               "read unsited 4 00000001 shared+32\n"
               "read unsited 8 00000001 shared+40\n"
               "read unsited 5 00000001 out+64\n"
               "write unsited 4 00000001 shared+0\n"
               "exit 00000001\n"
               "block ends\n");
}

// ---- The filter ---------------------------------------------------------------------------------

// A column, rows, one word for all, and a scattered access, in a loop.
static const char counted[] =
    KERNEL "mov.u32 %r2, 0; shl.b32 %r3, %r0, 7; and.b32 %r4, %r0, 5; shl.b32 %r4, %r4, 4;\n"
           "L: ld.shared.u32 %r5, [%r3]; st.shared.u32 [%r1], %r2; ld.shared.u32 %r5, [tile];\n"
           "ld.shared.u32 %r5, [%r4]; bar.sync 0; add.u32 %r2, %r2, 1;\n"
           "setp.lt.u32 %p0, %r2, 9; @%p0 bra L; ret; }";

static char *profile_with(const struct event_observer *other) {
    struct device d;
    open_device(&d, counted);
    const struct ir_function *kernel = ir_find_function(d.ir, "k");
    struct profile_launch_info info = {.kernel = kernel,
                                       .layout = ir_shared_layout(kernel),
                                       .grid = {2, 1, 1},
                                       .block = {32, 1, 1},
                                       .workers = 1,
                                       .arch = 90};
    struct profile_recorder *recorder = profile_record(&info);
    launch(&d, 2, 32, 0, (const struct event_observer *[]){other, profile_observer(recorder)}, 2);
    struct profile *profile = profile_create(90, NULL, 0);
    struct profile_launch_result result = {.blocks_run = 2};
    profile_finish(recorder, profile, &result);
    char *text = profile_to_json(profile);
    profile_free(profile);
    close_device(&d);
    return text;
}

static unsigned count_lines(const struct strbuf *text, const char *word) {
    unsigned count = 0;
    for (const char *at = text->data; (at = strstr(at, word)); at++)
        count++;
    return count;
}

static void test_counts_stay(void **state) {
    (void)state;
    struct recorder everything = {0}, barriers = {.syncs_only = true};
    struct event_observer all = observer_of(&everything, true), some = observer_of(&barriers, true);
    char *alone = profile_with(NULL), *beside = profile_with(&all), *filtered = profile_with(&some);
    assert_string_equal(alone, beside);
    assert_string_equal(alone, filtered);
    assert_int_equal(count_lines(&everything.text, "read"), 2 * 9 * 3); // none was dropped
    assert_int_equal(count_lines(&everything.text, "write"), 2 * 9);
    assert_int_equal(count_lines(&barriers.text, "complete"), 2 * 9);
    free(alone);
    free(beside);
    free(filtered);
    strbuf_free(&everything.text);
    strbuf_free(&barriers.text);
}

static struct event_memo **no_memos(void *state) {
    (void)state;
    return NULL;
}

static struct event_journal *no_journal(void *state) {
    (void)state;
    return NULL;
}

// The filter is used when those who hear of accesses agree: one hands out memos, another one may
// hand out a journal.
static void test_agreement(void **state) {
    (void)state;
    struct recorder r = {0};
    struct event_observer with = observer_of(&r, false), without = observer_of(&r, false), sync;
    struct event_observer writing = without;
    with.memos = no_memos;
    writing.journal = no_journal;
    r.syncs_only = true;
    sync = observer_of(&r, false);
    const struct {
        const struct event_observer *observers[2];
        bool has_memos, has_journal;
    } cases[] = {{{&with, NULL}, true, false},        {{&without, NULL}, false, false},
                 {{&with, &sync}, true, false},       {{&sync, &with}, true, false},
                 {{&with, &without}, false, false},   {{&with, &with}, false, false},
                 {{&sync, &writing}, false, true},    {{&writing, &with}, true, true},
                 {{&with, &writing}, true, true},     {{&writing, &without}, false, false},
                 {{&writing, &writing}, false, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct event_fanout *fanout = event_fanout_create(cases[i].observers, 2);
        assert_int_equal(event_fanout_observer(fanout)->memos != NULL, cases[i].has_memos);
        assert_int_equal(event_fanout_observer(fanout)->journal != NULL, cases[i].has_journal);
        event_fanout_free(fanout);
    }
    struct event_fanout *nobody = event_fanout_create(NULL, 0);
    assert_null(event_fanout_observer(nobody));
    event_fanout_free(nobody);
}

// Two that agree in all that the law names are one to a memo; any difference tells them apart.
static void test_memos(void **state) {
    (void)state;
    struct event_memo memo = {.first = 256, .bytes = 512, .keep = 127, .since = 64};
    assert_true(event_memo_is_about(&memo, 256, 64));
    assert_false(event_memo_is_about(&memo, 255, 64));
    assert_false(event_memo_is_about(&memo, 768, 64));
    assert_false(event_memo_is_about(&memo, 256, 63));
    const uint32_t tag = event_memo_tag(EVENT_LINEAR, 256 + 4, memo.keep);
    event_memo_place(&memo, tag)->tag = tag;
    assert_true(event_memo_takes_pattern(&memo, EVENT_LINEAR, 384 + 4));
    assert_false(event_memo_takes_pattern(&memo, EVENT_LINEAR, 384 + 8));
    assert_false(event_memo_takes_pattern(&memo, EVENT_UNIFORM, 384 + 4));
    assert_int_equal(event_memo_place(&memo, tag)->repeats, 1);
    uint32_t offsets[WARP_LANES];
    int32_t on[WARP_LANES];
    for (uint32_t l = 0; l < WARP_LANES; l++) {
        offsets[l] = 256 + 12 * l;
        on[l] = -(int32_t)(l % 2);
    }
    struct event_memo_shape *known = &memo.shapes[EVENT_MEMO_SHAPES - 1];
    event_shape_of_offsets(&known->shape, 0xaaaaaaaa, offsets, memo.keep);
    assert_int_equal(known->shape.lanes[0], 0);
    assert_int_equal(known->shape.lanes[1], 12);
    for (uint32_t l = 0; l < WARP_LANES; l++)
        offsets[l] += l % 2 ? 128 : 1; // lanes that are off may be anywhere
    assert_true(event_memo_takes_lanes(&memo, 0xaaaaaaaa, offsets[1], offsets, on, false));
    assert_false(event_memo_takes_lanes(&memo, 0xaaaaaaa8, offsets[3], offsets, on, false));
    for (unsigned l = 3; l < WARP_LANES; l += 28) { // one in the middle, and the last
        offsets[l] += 128;
        assert_false(event_memo_takes_lanes(&memo, 0xaaaaaaaa, offsets[1], offsets, on, false));
        offsets[l] -= 128;
    }
    assert_int_equal(known->repeats, 1);
}

// Lanes in banks of their own are as others of these, whichever they are; two in a bank are not.
static void test_memos_of_lanes_at_once(void **state) {
    (void)state;
    struct event_memo memo = {.bytes = UINT64_MAX, .keep = 127};
    uint32_t offsets[WARP_LANES];
    int32_t on[WARP_LANES];
    for (uint32_t l = 0; l < WARP_LANES; l++) {
        offsets[l] = 132 * (WARP_LANES - l);
        on[l] = -(int32_t)(l < 20);
    }
    assert_false(event_memo_takes_lanes(&memo, 0xfffff, offsets[0], offsets, on, false));
    memo.once.is_known = true;
    assert_true(event_memo_takes_lanes(&memo, 0xfffff, offsets[0], offsets, on, false));
    assert_true(event_memo_takes_lanes(&memo, EVENT_ALL_LANES, offsets[0], offsets, on, true));
    offsets[31] = offsets[0] + 128; // off among the first 20
    assert_true(event_memo_takes_lanes(&memo, 0xfffff, offsets[0], offsets, on, false));
    assert_false(event_memo_takes_lanes(&memo, EVENT_ALL_LANES, offsets[0], offsets, on, true));
    assert_int_equal(memo.once.repeats, 3);
}

// Addresses are as far apart as shapes can be, and not farther.
static void test_memos_of_addresses(void **state) {
    (void)state;
    struct event_memo memo = {.bytes = UINT64_MAX, .keep = 31};
    struct event_memo_shape *known = &memo.shapes[1];
    uint64_t addresses[WARP_LANES];
    int32_t on[WARP_LANES];
    for (uint32_t l = 0; l < WARP_LANES; l++) {
        addresses[l] = 0x7f0000000020 + 64 * l * (l % 2 ? 1 : -1ull);
        on[l] = -1;
    }
    assert_true(event_shape_of_addresses(&known->shape, EVENT_ALL_LANES, addresses, memo.keep));
    assert_true(event_memo_takes_addresses(&memo, EVENT_ALL_LANES, addresses, on, true));
    for (uint32_t l = 0; l < WARP_LANES; l++)
        addresses[l] += 1ull << 33; // the same elsewhere
    assert_true(event_memo_takes_addresses(&memo, EVENT_ALL_LANES, addresses, on, true));
    for (unsigned l = 2; l < WARP_LANES; l += 29) {
        addresses[l] += 1ull << 32; // the same in 32 bits
        assert_false(event_memo_takes_addresses(&memo, EVENT_ALL_LANES, addresses, on, true));
        addresses[l] -= 1ull << 32;
    }
    for (uint32_t l = 0; l < WARP_LANES; l++)
        addresses[l] += 4; // in another place of a sector
    assert_false(event_memo_takes_addresses(&memo, EVENT_ALL_LANES, addresses, on, true));
    assert_int_equal(known->repeats, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_block_barriers),
        cmocka_unit_test(test_lanes_that_left),
        cmocka_unit_test(test_warp_barriers),
        cmocka_unit_test(test_clusters),
        cmocka_unit_test(test_spared_exchanges),
        cmocka_unit_test(test_trouble),
        cmocka_unit_test(test_copies_alone),
        cmocka_unit_test(test_mbarriers),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_wgmma),
        cmocka_unit_test(test_grids),
        cmocka_unit_test(test_async_stores),
        cmocka_unit_test(test_surfaces),
        cmocka_unit_test(test_tensors),
        cmocka_unit_test(test_tensor_maps),
        cmocka_unit_test(test_library),
        cmocka_unit_test(test_counts_stay),
        cmocka_unit_test(test_agreement),
        cmocka_unit_test(test_memos),
        cmocka_unit_test(test_memos_of_lanes_at_once),
        cmocka_unit_test(test_memos_of_addresses),
        cmocka_unit_test(test_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
