// Races in shared memory: the checker on events of its own, in several of the orders in which warps
// may run, with loads that are told at once and with those that are written down. What it finds is
// the same in each.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "check/race/domain.h"
#include "check/race/reads.h"

// Steps say what is not zero.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

enum { MOST = 64 };

// What one warp does: an access, or synchronisation. Instructions are numbers.
struct step {
    enum { READ, WRITE, VOLATILE_READ, VOLATILE_WRITE, ATOMIC, SYNC, WARP, COPY, WAIT } what;
    uint32_t instruction;
    uint32_t first, stride; // offset of lane n: first + n * stride
    uint32_t mask;          // 0: all lanes
    unsigned width;         // 0: 4
    uint32_t value;         // that all lanes write; 0: each its own
};

struct program {
    struct step steps[2][MOST]; // of each warp, to the first of instruction 0
};

struct run {
    struct race_domain *domain;
    struct check_notes notes;
    const struct program *program;
    unsigned at[2];
    bool waits[2];
    bool writes_down;
    struct race_reads reads;
};

static const uint32_t block[3];

// As the simulator does.
static bool is_written_down(struct run *run, const struct event_access *e) {
    struct event_journal *journal = &run->reads.journal;
    const uint32_t first = e->offsets[__builtin_ctz(e->mask)];
    int32_t on[WARP_LANES];
    uint32_t layout = e->pattern;
    for (unsigned l = 0; l < WARP_LANES; l++)
        on[l] = -(int32_t)(e->mask >> l & 1);
    if (!event_journal_takes(journal, e->block_number, e->site))
        return false;
    if (!layout && !event_journal_takes_lanes(journal, e->block_number, e->site, e->mask, first,
                                              e->offsets, on, e->mask == UINT32_MAX))
        return false;
    event_journal_write(journal, e->site, e->warp, first,
                        layout ? layout : journal->sites[e->site].number);
    return true;
}

static void tell_access(struct run *run, const struct event_access *e) {
    const bool is_ordered = e->order != EVENT_WEAK || e->intent != EVENT_READ;
    if (run->writes_down && is_written_down(run, e))
        return;
    if (!run->writes_down || !race_reads_take(&run->reads, run->domain, e, is_ordered))
        shared_access(run->domain, 0, e);
}

static void do_access(struct run *run, uint32_t warp, const struct step *s) {
    uint32_t offsets[WARP_LANES];
    uint64_t addresses[WARP_LANES] = {0};
    uint8_t values[WARP_LANES * 16];
    const unsigned width = s->width ? s->width : 4;
    for (uint32_t l = 0; l < WARP_LANES; l++) {
        const uint32_t value = s->value ? s->value : 1 + 32 * warp + l;
        offsets[l] = s->first + l * s->stride;
        for (unsigned b = 0; b < width; b++)
            values[l * width + b] = (uint8_t)(value >> 8 * (b % 4));
    }
    const bool is_full = !s->mask;
    tell_access(run, &(struct event_access){
                         .site = s->instruction,
                         .instruction = s->instruction,
                         .space = SITE_SHARED,
                         .intent = s->what == ATOMIC                             ? EVENT_ATOMIC
                                   : s->what == READ || s->what == VOLATILE_READ ? EVENT_READ
                                                                                 : EVENT_WRITE,
                         .order = s->what == ATOMIC ? EVENT_RELAXED
                                  : s->what == VOLATILE_READ || s->what == VOLATILE_WRITE
                                      ? EVENT_VOLATILE
                                      : EVENT_WEAK,
                         .completion = s->what == COPY ? EVENT_BY_GROUP : EVENT_AT_ONCE,
                         .width = width,
                         .mask = is_full ? UINT32_MAX : s->mask,
                         .offsets = offsets,
                         .addresses = s->what == COPY ? addresses : NULL,
                         .block = block,
                         .warp = warp,
                         .pattern = !is_full             ? EVENT_ANY_PATTERN
                                    : s->stride == width ? EVENT_LINEAR
                                    : s->stride == 0     ? EVENT_UNIFORM
                                                         : EVENT_ANY_PATTERN,
                         .values = s->what == COPY ? NULL : values});
}

static void tell(struct run *run, uint32_t warp, struct event_sync event) {
    event.block = block;
    event.warp = warp;
    race_reads_sync(&run->reads, run->domain, &event);
    shared_sync(run->domain, 0, &event);
}

static bool has_ended(const struct run *run, unsigned warp) {
    return !run->program->steps[warp][run->at[warp]].instruction;
}

static void do_step(struct run *run, uint32_t warp) {
    const struct step *s = &run->program->steps[warp][run->at[warp]++];
    const uint32_t mask = s->mask ? s->mask : UINT32_MAX;
    if (s->what == WARP) {
        tell(run, warp,
             (struct event_sync){.kind = EVENT_WARP_BARRIER, .mask = mask, .members = mask});
    } else if (s->what == WAIT) {
        tell(run, warp,
             (struct event_sync){.kind = EVENT_ASYNC_WAIT,
                                 .mask = mask,
                                 .completion = EVENT_BY_GROUP,
                                 .count = EVENT_NONE});
    } else if (s->what == SYNC) {
        tell(run, warp, (struct event_sync){.kind = EVENT_BARRIER_SYNC, .mask = mask});
        run->waits[warp] = true;
        if (run->waits[0] && run->waits[1]) {
            tell(run, 0, (struct event_sync){.kind = EVENT_BARRIER_COMPLETE});
            run->waits[0] = run->waits[1] = false;
        }
    } else {
        do_access(run, warp, s);
    }
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

// "kind first second count", sorted.
static char *text_of(const struct check_notes *notes) {
    struct strbuf text = {0};
    char **lines = base_alloc((notes->list.length + 1) * sizeof *lines);
    for (size_t i = 0; i < notes->list.length; i++) {
        const struct check_note *n = &notes->list.data[i];
        struct strbuf line = {0};
        strbuf_printf(&line, "%s %u %u count %u, %u and %u\n", n->kind, n->at[0].instruction,
                      n->at[1].instruction, (unsigned)n->count, n->at[0].thread, n->at[1].thread);
        lines[i] = strbuf_take(&line);
    }
    qsort(lines, notes->list.length, sizeof *lines, by_text);
    for (size_t i = 0; i < notes->list.length; i++) {
        strbuf_puts(&text, lines[i]);
        free(lines[i]);
    }
    free(lines);
    strbuf_puts(&text, "");
    return strbuf_take(&text);
}

// `capacity`: of loads that are written down; 0: they are told. `order`: which warp goes next, a
// bit a step; a warp that waits leaves its turn to the other.
static char *run_in_order(const struct program *program, uint64_t order, uint32_t capacity) {
    static const struct ir_shared_layout layout = {.static_bytes = 4096};
    const struct check_launch launch = {.layout = &layout, .grid = {1, 1, 1}, .block = {64, 1, 1}};
    struct run run = {.program = program, .writes_down = capacity != 0};
    run.domain = race_domain_create(&launch, 1, 64, NULL, &run.notes);
    run.domain->begun = 1;
    race_reads_init(&run.reads, MOST);
    run.reads.journal.capacity = capacity;
    while (!has_ended(&run, 0) || !has_ended(&run, 1)) {
        unsigned warp = order & 1;
        if (has_ended(&run, warp) || run.waits[warp])
            warp = !warp;
        assert_false(has_ended(&run, warp) || run.waits[warp]);
        do_step(&run, warp);
        order = order >> 1 | order << 63;
    }
    race_reads_settle(&run.reads, run.domain);
    race_reads_free(&run.reads);
    char *text = text_of(&run.notes);
    check_free_notes(&run.notes);
    race_domain_free(run.domain);
    return text;
}

static void check(const struct program *program, const char *expected) {
    uint64_t order = 0x9e3779b97f4a7c15u;
    for (int i = 0; i < 40; i++) {
        const uint64_t orders[] = {0, UINT64_MAX, 0xaaaaaaaaaaaaaaaau};
        for (uint32_t capacity = 0; capacity < 9; capacity += 4) {
            char *text = run_in_order(program, i < 3 ? orders[i] : order, capacity);
            assert_string_equal(text, expected);
            free(text);
        }
        order = order * 6364136223846793005u + 1442695040888963407u;
    }
}

// ---- Tests --------------------------------------------------------------------------------------

static void test_barrier(void **state) {
    (void)state;
    check(&(struct program){{{{WRITE, 1, 0, 4}, {SYNC, 2}, {READ, 3, 128, 4}},
                             {{WRITE, 1, 128, 4}, {SYNC, 2}, {READ, 3, 0, 4}}}},
          "");
    check(&(struct program){{{{WRITE, 1, 0, 4}, {READ, 3, 128, 4}},
                             {{WRITE, 1, 128, 4}, {READ, 3, 0, 4}}}},
          "read-write 1 3 count 64, 0 and 32\n");
}

static void test_several_pairs(void **state) {
    (void)state;
    check(
        &(struct program){
            {{{WRITE, 1, 0, 4}, {READ, 2, 256, 0}, {WRITE, 3, 0, 4}, {SYNC, 4}},
             {{READ, 5, 0, 4, 1}, {READ, 6, 0, 4, 2}, {WRITE, 7, 256, 4, 1}, {SYNC, 4}}}},
        "read-write 1 5 count 1, 0 and 32\n"
        "read-write 1 6 count 1, 1 and 33\n"
        "read-write 3 5 count 1, 0 and 32\n"
        "read-write 3 6 count 1, 1 and 33\n"
        "read-write 7 2 count 1, 32 and 0\n");
}

static void test_widths(void **state) {
    (void)state;
    check(
        &(struct program){
            {{{WRITE, 1, 0, 1, 0, 1}, {READ, 2, 64, 2, 0, 2}},
             {{WRITE, 3, 32, 1, 0, 1}, {WRITE, 4, 128, 16, 0, 16}, {READ, 5, 128, 16, 0, 16}}}},
        "");
    check(&(struct program){{{{WRITE, 1, 0, 8, 1, 8}},
                             {{READ, 2, 6, 2, 1, 2}, {READ, 3, 8, 2, 1, 2}}}},
          "read-write 1 2 count 1, 0 and 32\n");
}

static void test_strong(void **state) {
    (void)state;
    check(
        &(struct program){{{{VOLATILE_WRITE, 1, 0, 0, 1}, {ATOMIC, 2, 4, 0}, {READ, 3, 8, 0}},
                           {{VOLATILE_READ, 4, 0, 0, 1}, {ATOMIC, 2, 4, 0}, {ATOMIC, 5, 8, 0, 1}}}},
        "read-write 5 3 count 1, 32 and 0\n");
}

static void test_values(void **state) {
    (void)state;
    check(&(struct program){{{{WRITE, 1, 0, 0, 0, 0, 7}, {WRITE, 2, 4, 0, 1, 0, 7}},
                             {{WRITE, 1, 0, 0, 0, 0, 7}, {WRITE, 3, 4, 0, 1, 0, 8}}}},
          "write-write 2 3 count 1, 0 and 32\n");
}

// Who reads what it has written itself need not mind that others write the same.
static void test_reads_its_own(void **state) {
    (void)state;
    const struct step write = {WRITE, 1, 0, 0, 0, 0, 7}, read = {READ, 2, 0, 0};
    check(&(struct program){{{write, read}, {write, read}}}, "");
    check(&(struct program){{{write, read}, {{WRITE, 1, 0, 0, 0, 0, 8}, read}}},
          "read-write 1 2 count 2, 0 and 32\n"
          "write-write 1 1 count 1, 0 and 32\n");
    // Who has not written, or something else last, or other bytes.
    check(&(struct program){{{write}, {read}}}, "read-write 1 2 count 1, 0 and 32\n");
    check(&(struct program){{{write}, {{WRITE, 1, 0, 0, 1, 2, 7}, {READ, 2, 0, 0, 1}}}},
          "read-write 1 2 count 1, 0 and 32\n");
    check(&(struct program){{{write, write, read}, {{ATOMIC, 3, 0, 0, 1}, write}}},
          "read-write 3 2 count 1, 32 and 0\n"
          "write-write 1 3 count 3, 0 and 32\n");
    // What the reader may have learnt of others since.
    check(&(struct program){{{write, {WARP, 3}, {WRITE, 4, 0, 0, 2, 0, 8}, {WARP, 5}, read},
                             {write}}},
          "read-write 1 2 count 1, 32 and 0\n"
          "write-write 1 4 count 1, 32 and 1\n");
    // A reader without a race is still remembered.
    check(&(struct program){{{write, read, {SYNC, 4}},
                             {write, read, {WRITE, 3, 0, 0, 1, 0, 7}, {SYNC, 4}, write}}},
          "");
}

static void test_loads_before_writes(void **state) {
    (void)state;
    const struct step row = {READ, 1, 0, 4}, one = {READ, 2, 12, 0}, column = {READ, 3, 8, 128};
    const struct step some = {READ, 4, 0, 8, 0xff}, sync = {SYNC, 5}, end = {WRITE, 6, 0, 4};
    // A barrier of the block is behind all of them, or in front.
    check(&(struct program){{{row, one, column, some, row, row, sync, end},
                             {one, some, column, row, one, column, sync, {WRITE, 7, 128, 4}}}},
          "");
    check(&(struct program){{{end, sync, row, one, column, some, sync, end},
                             {sync, row, one, column, some, row, sync}}},
          "");
    // None is: whoever comes first. One of the loads comes again with lanes that lie otherwise.
    const struct step denser = {READ, 3, 8, 64};
    check(&(struct program){{{row, one, column, denser, some, row, sync}, {end, sync}}},
          "read-write 6 1 count 64, 32 and 0\n"
          "read-write 6 2 count 1, 35 and 0\n"
          "read-write 6 3 count 3, 34 and 0\n"
          "read-write 6 4 count 8, 32 and 0\n");
    // Lanes of one warp, before and after they meet.
    check(&(struct program){{{one, {WARP, 7}, {WRITE, 8, 12, 0, 2}, {WARP, 9}, one}}}, "");
    check(&(struct program){{{one, {WRITE, 8, 12, 0, 2}}}}, "read-write 8 2 count 1, 1 and 0\n");
    check(&(struct program){{{{WARP, 7}, one, {WARP, 7, .mask = 0xf}, {WRITE, 8, 12, 0, 2}}}},
          "read-write 8 2 count 1, 1 and 4\n");
    // A copy goes on behind the barrier.
    check(&(struct program){{{{COPY, 8, 0, 4}, sync, sync, {WAIT, 9}}, {sync, one, one, sync}}},
          "async-copy 8 2 count 2, 3 and 32\n");
}

static void test_warp(void **state) {
    (void)state;
    check(
        &(struct program){
            {{{WRITE, 1, 0, 4}, {WARP, 2}, {READ, 3, 4, 4}, {WARP, 4}, {WRITE, 5, 0, 4}}}},
        "");
    check(&(struct program){{{{WRITE, 1, 0, 4},
                              {WARP, 2, .mask = 0xffff},
                              {WARP, 2, .mask = 0xffff0000},
                              {READ, 3, 4, 4}}}},
          "read-write 1 3 count 1, 16 and 15\n");
}

static void test_copies(void **state) {
    (void)state;
    check(
        &(struct program){{{{COPY, 1, 0, 4}, {WAIT, 2}, {SYNC, 3}}, {{SYNC, 3}, {READ, 4, 0, 4}}}},
        "");
    check(
        &(struct program){{{{COPY, 1, 0, 4}, {SYNC, 3}, {WAIT, 2}}, {{SYNC, 3}, {READ, 4, 0, 4}}}},
        "async-copy 1 4 count 32, 0 and 32\n");
    check(&(struct program){{{{COPY, 1, 0, 4}, {READ, 2, 0, 4}, {WAIT, 3}}}},
          "async-copy 1 2 count 32, 0 and 0\n");
    check(&(struct program){{{{COPY, 1, 0, 4}, {WAIT, 2}}, {{READ, 4, 0, 4}}}},
          "read-write 1 4 count 32, 0 and 32\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_barrier),
        cmocka_unit_test(test_several_pairs),
        cmocka_unit_test(test_widths),
        cmocka_unit_test(test_strong),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_reads_its_own),
        cmocka_unit_test(test_loads_before_writes),
        cmocka_unit_test(test_warp),
        cmocka_unit_test(test_copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
