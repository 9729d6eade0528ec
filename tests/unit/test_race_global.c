// Races in global memory, from events in several orders: what is found must not depend on which
// worker ran which block, or when.
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
// clang-format on

#include "check/race/global_internal.h"

enum { BLOCKS = 4, WARPS = 2, THREADS = 64, MEMORY = 4 * GLOBAL_PAGE };

static _Alignas(GLOBAL_PAGE) uint8_t memory[MEMORY]; // only its addresses count

struct grid {
    struct check_launch launch;
    struct global_race *race;
    struct global_worker *workers[2];
    struct clock *clocks[BLOCKS];
    unsigned worker_of[BLOCKS];
};

static bool find_nothing(void *context, uint64_t address, struct check_memory *found) {
    (void)context;
    (void)address;
    (void)found;
    return false;
}

static void begin(struct grid *g, bool is_ordered) {
    *g = (struct grid){.launch = {.grid = {BLOCKS, 1, 1},
                                  .block = {THREADS, 1, 1},
                                  .cluster = {1, 1, 1},
                                  .workers = 2,
                                  .is_ordered = is_ordered,
                                  .find_memory = find_nothing}};
    g->race = global_begin(&g->launch);
    for (unsigned b = 0; b < BLOCKS; b++)
        g->clocks[b] = clock_create(1, THREADS, global_rules(g->race));
    for (unsigned w = 0; w < (is_ordered ? 1 : 2); w++)
        g->workers[w] = global_worker_begin(g->race);
}

static struct global_worker *worker_of(const struct grid *g, uint32_t block) {
    return g->workers[g->worker_of[block]];
}

struct step { // of a warp
    uint32_t instruction;
    enum event_intent intent;
    unsigned width;
    uint32_t mask;
    uint64_t from, stride; // lane n's offset: from + n * stride
    enum event_order order;
    enum event_scope scope;
    const void *values;
    enum event_proxy proxy;
};

static void access_global(struct grid *g, uint32_t block, uint32_t warp, struct step step) {
    uint64_t addresses[WARP_LANES];
    for (unsigned l = 0; l < WARP_LANES; l++)
        addresses[l] = (uint64_t)(uintptr_t)memory + step.from + l * step.stride;
    const uint32_t place[3] = {block};
    const struct event_access event = {.instruction = step.instruction,
                                       .space = SITE_GLOBAL,
                                       .intent = step.intent,
                                       .order = step.order,
                                       .scope = step.scope,
                                       .width = step.width,
                                       .mask = step.mask,
                                       .addresses = addresses,
                                       .block = place,
                                       .block_number = block,
                                       .warp = warp,
                                       .values = step.values,
                                       .proxy = step.proxy};
    global_access(worker_of(g, block), g->clocks[block], 0, &event);
}

static void sync_global(struct grid *g, uint32_t block, struct event_sync event) {
    const uint32_t place[3] = {block};
    event.block = place;
    event.block_number = block;
    global_sync(worker_of(g, block), g->clocks[block], 0, &event);
}

static void barrier(struct grid *g, uint32_t block) {
    for (uint32_t w = 0; w < WARPS; w++)
        clock_barrier_arrive(g->clocks[block], w, UINT32_MAX, 0, true);
    clock_barrier_complete(g->clocks[block], 0, 0);
}

static void fence(struct grid *g, uint32_t block, uint32_t warp, uint32_t mask,
                  enum event_scope scope) {
    sync_global(
        g, block,
        (struct event_sync){.kind = EVENT_FENCE, .warp = warp, .mask = mask, .scope = scope});
    clock_fence(g->clocks[block], warp, mask, scope);
}

static void end_block(struct grid *g, uint32_t block) {
    sync_global(g, block, (struct event_sync){.kind = EVENT_BLOCK_END});
}

// What was found, in the order of the notes' kinds and instructions: "write-write 1 2 x3; ".
static char *finish(struct grid *g) {
    static char text[1024];
    for (unsigned w = 0; w < 2; w++)
        if (g->workers[w])
            global_worker_end(g->workers[w]);
    if (!g->race->order)
        global_search_grid(g->race);
    size_t length = 0;
    text[0] = 0;
    for (size_t i = 0; i < g->race->notes.list.length; i++) {
        const struct check_note *n = &g->race->notes.list.data[i];
        length += (size_t)snprintf(
            text + length, sizeof text - length, "%s %u %u x%u b%u.%u b%u.%u +%u; ", n->kind,
            n->at[0].instruction, n->at[1].instruction, (unsigned)n->count,
            (unsigned)n->at[0].block, n->at[0].thread, (unsigned)n->at[1].block, n->at[1].thread,
            (unsigned)(n->details[0] - (uint64_t)(uintptr_t)memory));
    }
    check_free_notes(&g->race->notes);
    for (unsigned b = 0; b < BLOCKS; b++)
        clock_free(g->clocks[b]);
    struct profile_findings none = {0};
    global_end(g->race, &none);
    assert_int_equal(none.count, 0);
    return text;
}

// ---- Blocks that nothing orders ------------------------------------------------------------

typedef void block_body(struct grid *g, uint32_t block);

static const uint8_t orders[][BLOCKS] = {{0, 1, 2, 3}, {3, 2, 1, 0}, {2, 0, 3, 1}};

// The blocks one after the other, in several orders and on one or two workers.
static void check_blocks(block_body *body, const char *expected) {
    for (unsigned o = 0; o < 3; o++)
        for (unsigned workers = 1; workers <= 2; workers++) {
            struct grid g;
            begin(&g, false);
            for (unsigned n = 0; n < BLOCKS; n++) {
                const uint32_t block = orders[o][n];
                g.worker_of[block] = n % workers;
                body(&g, block);
                end_block(&g, block);
            }
            assert_string_equal(finish(&g), expected);
        }
}

static struct step linear(uint32_t instruction, enum event_intent intent, uint64_t from) {
    return (struct step){.instruction = instruction,
                         .intent = intent,
                         .width = 4,
                         .mask = UINT32_MAX,
                         .from = from,
                         .stride = 4};
}

static void own_lines(struct grid *g, uint32_t block) {
    for (uint32_t w = 0; w < WARPS; w++) {
        access_global(g, block, w, linear(1, EVENT_READ, (block * WARPS + w) * 128u));
        access_global(g, block, w, linear(2, EVENT_WRITE, (block * WARPS + w) * 128u));
    }
}

static void read_all(struct grid *g, uint32_t block) {
    for (uint32_t w = 0; w < WARPS; w++)
        access_global(g, block, w, linear(1, EVENT_READ, 0));
    access_global(g, block, 0, linear(2, EVENT_WRITE, GLOBAL_PAGE + block * 128u));
}

static void same_line(struct grid *g, uint32_t block) {
    access_global(g, block, 0, linear(1, EVENT_WRITE, 256));
}

// Each reads a word of the block behind.
static void halo(struct grid *g, uint32_t block) {
    access_global(g, block, 0, linear(1, EVENT_READ, block * 128u + 4));
    access_global(g, block, 0, linear(2, EVENT_WRITE, block * 128u));
}

static void test_blocks(void **state) {
    (void)state;
    check_blocks(own_lines, "");
    check_blocks(read_all, "");
    check_blocks(same_line, "write-write 1 1 x32 b0.0 b1.0 +256; ");
    check_blocks(halo, "read-write 2 1 x124 b0.1 b0.0 +4; read-write 2 1 x3 b1.0 b0.31 +128; ");
}

static void same_value(struct grid *g, uint32_t block) {
    static const uint32_t ones[WARP_LANES] = {1, 1, 1, 1};
    struct step step = linear(1, EVENT_WRITE, 0);
    step.values = ones;
    access_global(g, block, 0, step);
}

static void own_value(struct grid *g, uint32_t block) {
    const uint32_t values[WARP_LANES] = {1, 1, block == 2 ? 5 : 1};
    struct step step = linear(1, EVENT_WRITE, 0);
    step.values = values;
    access_global(g, block, 0, step);
}

// What is written to surfaces nobody says.
static void surface(struct grid *g, uint32_t block) {
    struct step step = linear(block == 3 ? 2 : 1, block == 3 ? EVENT_READ : EVENT_WRITE, 0);
    step.proxy = EVENT_SURFACE_PROXY;
    access_global(g, block, 0, step);
}

static void test_values(void **state) {
    (void)state;
    check_blocks(same_value, "");
    check_blocks(surface, "read-write 1 2 x32 b0.0 b3.0 +0; ");
    check_blocks(own_value, "write-write 1 1 x1 b0.2 b1.2 +8; ");
}

static void bytes(struct grid *g, uint32_t block) {
    access_global(g, block, 0,
                  (struct step){1, EVENT_WRITE, 1, 0xff, block, BLOCKS, 0, 0, NULL, 0});
}

static void bytes_in_words(struct grid *g, uint32_t block) {
    if (block == 3)
        access_global(g, block, 0, linear(2, EVENT_READ, 0));
    else
        access_global(g, block, 0,
                      (struct step){1, EVENT_WRITE, 1, 0xf, block, BLOCKS, 0, 0, NULL, 0});
}

// Pieces of 16 bytes meet words.
static void wide(struct grid *g, uint32_t block) {
    if (block == 1)
        access_global(g, block, 0,
                      (struct step){1, EVENT_READ, 16, UINT32_MAX, 0, 16, 0, 0, NULL, 0});
    if (block == 2)
        access_global(g, block, 0, (struct step){2, EVENT_WRITE, 4, 1, 36, 0, 0, 0, NULL, 0});
}

static void test_widths(void **state) {
    (void)state;
    check_blocks(bytes, "");
    check_blocks(bytes_in_words, "read-write 1 2 x12 b0.0 b3.0 +0; ");
    check_blocks(wide, "read-write 2 1 x1 b2.0 b1.2 +36; ");
}

static void counter(struct grid *g, uint32_t block) {
    access_global(g, block, 0,
                  (struct step){1, EVENT_ATOMIC, 4, 3, 0, 0, EVENT_RELAXED, EVENT_GPU, NULL, 0});
    if (block == 1)
        access_global(g, block, 1, (struct step){2, EVENT_READ, 4, 1, 0, 0, 0, 0, NULL, 0});
}

static void narrow_counter(struct grid *g, uint32_t block) {
    access_global(g, block, 0,
                  (struct step){1, EVENT_ATOMIC, 4, 3, 0, 0, EVENT_RELAXED, EVENT_CTA, NULL, 0});
}

static void test_atomics(void **state) {
    (void)state;
    check_blocks(counter, "read-write 1 2 x2 b1.0 b1.32 +0; read-write 1 2 x1 b0.0 b1.32 +0; ");
    check_blocks(narrow_counter, "write-write 1 1 x1 b0.0 b1.0 +0; ");
}

// ---- Blocks that order each other ----------------------------------------------------------

enum { PARTS = 0, COUNTER = 2048 };

static struct step one(uint32_t instruction, enum event_intent intent, uint64_t at) {
    return (struct step){
        .instruction = instruction, .intent = intent, .width = 4, .mask = 1, .from = at};
}

// All threads of each block write, thread 0 counts the block; the last one reads all.
struct reduction {
    bool barrier, fence, each_fences;
    enum event_scope scope; // of the fence
};

static void reduce_block(struct grid *g, uint32_t block, const struct reduction *r) {
    for (uint32_t w = 0; w < WARPS; w++) {
        access_global(g, block, w, linear(1, EVENT_WRITE, (block * WARPS + w) * 128u));
        if (r->each_fences)
            fence(g, block, w, UINT32_MAX, r->scope);
    }
    if (r->barrier)
        barrier(g, block);
    if (r->fence)
        fence(g, block, 0, 1, r->scope);
    struct step count = one(2, EVENT_ATOMIC, COUNTER);
    count.order = EVENT_RELAXED;
    count.scope = EVENT_GPU;
    access_global(g, block, 0, count);
    if (block < BLOCKS - 1)
        return;
    barrier(g, block);
    for (uint32_t b = 0; b < BLOCKS; b++)
        for (uint32_t w = 0; w < WARPS; w++)
            access_global(g, block, w, linear(3, EVENT_READ, (b * WARPS + w) * 128u));
}

static const char *reduce(struct reduction r) {
    struct grid g;
    begin(&g, true);
    for (uint32_t b = 0; b < BLOCKS; b++)
        reduce_block(&g, b, &r);
    return finish(&g);
}

static void test_last_block(void **state) {
    (void)state;
    assert_string_equal(reduce((struct reduction){true, true, false, EVENT_GPU}), "");
    assert_string_equal(reduce((struct reduction){true, false, true, EVENT_GPU}), "");
    assert_string_equal(reduce((struct reduction){true, false, false, EVENT_GPU}),
                        "read-write 1 3 x192 b0.0 b3.0 +0; ");
    assert_string_equal(reduce((struct reduction){true, true, false, EVENT_CTA}),
                        "read-write 1 3 x192 b0.0 b3.0 +0; ");
    // Without a barrier thread 0 speaks for itself alone.
    assert_string_equal(reduce((struct reduction){false, true, false, EVENT_GPU}),
                        "read-write 1 3 x189 b0.1 b3.1 +4; ");
}

// A block's knowledge comes from the one before it, which knows of the one before that.
static const char *chain(bool fences, enum event_order order) {
    struct grid g;
    begin(&g, true);
    for (uint32_t b = 0; b < BLOCKS; b++) {
        struct step flag = one(3, EVENT_READ, COUNTER + 4 * (b - 1));
        flag.order = EVENT_VOLATILE;
        if (b)
            access_global(&g, b, 0, flag);
        if (b == BLOCKS - 1)
            access_global(&g, b, 0, one(2, EVENT_READ, 0));
        else if (!b)
            access_global(&g, b, 0, one(1, EVENT_WRITE, 0));
        if (fences)
            fence(&g, b, 0, 1, EVENT_GPU);
        flag = one(4, EVENT_WRITE, COUNTER + 4 * b);
        flag.order = order;
        flag.scope = EVENT_SYS;
        access_global(&g, b, 0, flag);
    }
    return finish(&g);
}

static void test_chain(void **state) {
    (void)state;
    assert_string_equal(chain(true, EVENT_VOLATILE), "");
    assert_string_equal(chain(true, EVENT_WEAK), ""); // a plain flag
    assert_string_equal(chain(false, EVENT_RELEASE), "");
    assert_string_equal(chain(false, EVENT_VOLATILE), "read-write 1 2 x1 b0.0 b3.0 +0; ");
}

// Threads of all blocks change a word in turns under a lock.
static const char *lock(bool fences) {
    struct grid g;
    begin(&g, true);
    for (uint32_t n = 0; n < BLOCKS * WARPS; n++) {
        const uint32_t block = n % BLOCKS, warp = n / BLOCKS;
        struct step word = one(1, EVENT_ATOMIC, COUNTER);
        word.order = EVENT_RELAXED;
        word.scope = EVENT_GPU;
        access_global(&g, block, warp, word);
        access_global(&g, block, warp, one(2, EVENT_READ, 0));
        access_global(&g, block, warp, one(3, EVENT_WRITE, 0));
        if (fences)
            fence(&g, block, warp, 1, EVENT_GPU);
        word.instruction = 4;
        access_global(&g, block, warp, word);
    }
    return finish(&g);
}

static void test_lock(void **state) {
    (void)state;
    assert_string_equal(lock(true), "");
    assert_true(strstr(lock(false), "write-write 3 3"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks),     cmocka_unit_test(test_values),
        cmocka_unit_test(test_widths),     cmocka_unit_test(test_atomics),
        cmocka_unit_test(test_last_block), cmocka_unit_test(test_chain),
        cmocka_unit_test(test_lock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
