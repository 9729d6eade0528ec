// The order of operations in streams, what they touch, and the ledger of allocations.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "check/memory/ledger.h"
#include "check/stream/order.h"
#include "check/stream/touched.h"

// ---- Footprints -------------------------------------------------------------------------------

static void test_ranges_merge_and_meet(void **state) {
    (void)state;
    struct check_footprint a = {0}, b = {0};
    check_footprint_add(&a, CHECK_WRITE, 5000, 6000);
    check_footprint_add(&a, CHECK_WRITE, 100, 200);
    check_footprint_add(&a, CHECK_WRITE, 150, 300);
    check_footprint_sort(&a);
    assert_int_equal(a.pieces[CHECK_WRITE].length, 2);
    assert_int_equal(a.pieces[CHECK_WRITE].data[0].end, 300);
    check_footprint_add(&b, CHECK_READ, 300, 5000);
    assert_int_equal(check_footprint_conflict(&a, &b).bytes, 0);
    check_footprint_add(&b, CHECK_READ, 5000, 5010);
    const struct check_overlap overlap = check_footprint_conflict(&a, &b);
    assert_int_equal(overlap.bytes, 10);
    assert_int_equal(overlap.first, 5000);
    assert_int_equal(overlap.last, 5009);
    assert_int_equal(overlap.a, CHECK_WRITE);
    assert_int_equal(overlap.b, CHECK_READ);
    check_footprint_free(&a);
    check_footprint_free(&b);
}

static struct check_footprint of_bytes(const uint64_t *bytes, size_t count,
                                       enum check_touch touch) {
    struct check_touched *touched = check_touched_create();
    for (size_t i = 0; i < count; i++)
        check_touched_mark(touched, touch, bytes[i], 1);
    return check_touched_finish(touched).footprint;
}

static void test_neighbouring_bytes_are_told_apart(void **state) {
    (void)state;
    const uint64_t even[] = {0x7f0000001000, 0x7f0000001002, 0x7f0000001ffe, 0x7f0000002000};
    const uint64_t odd[] = {0x7f0000001001, 0x7f0000001003, 0x7f0000001fff, 0x7f0000002001};
    struct check_footprint a = of_bytes(even, 4, CHECK_WRITE), b = of_bytes(odd, 4, CHECK_WRITE);
    assert_int_equal(check_footprint_conflict(&a, &b).bytes, 0);
    struct check_footprint all = {0};
    check_footprint_add(&all, CHECK_READ, 0x7f0000001001, 0x7f0000001fff);
    const struct check_overlap overlap = check_footprint_conflict(&a, &all);
    assert_int_equal(overlap.bytes, 2);
    assert_int_equal(overlap.first, 0x7f0000001002);
    assert_int_equal(overlap.last, 0x7f0000001ffe);
    struct check_footprint again = of_bytes(even, 4, CHECK_WRITE);
    assert_true(check_footprint_equals(&a, &again));
    assert_int_equal(check_footprint_hash(&a), check_footprint_hash(&again));
    assert_false(check_footprint_equals(&a, &b));
    check_footprint_free(&a);
    check_footprint_free(&b);
    check_footprint_free(&all);
    check_footprint_free(&again);
}

static void test_dense_pages_become_one_range(void **state) {
    (void)state;
    struct check_touched *touched = check_touched_create();
    check_touched_mark(touched, CHECK_WRITE, (UINT64_C(2) << 20) - 5000, 20000);
    struct check_footprint footprint = check_touched_finish(touched).footprint;
    assert_int_equal(footprint.pieces[CHECK_WRITE].length, 1);
    assert_int_equal(footprint.pieces[CHECK_WRITE].data[0].begin, (2 << 20) - 5000);
    assert_int_equal(footprint.pieces[CHECK_WRITE].data[0].end, (2 << 20) + 15000);
    check_footprint_free(&footprint);
}

static void test_strong_accesses_do_not_conflict_with_each_other(void **state) {
    (void)state;
    struct check_footprint atomic = {0}, polling = {0}, plain = {0};
    check_footprint_add(&atomic, CHECK_STRONG_WRITE, 64, 68);
    check_footprint_add(&polling, CHECK_STRONG_READ, 64, 68);
    check_footprint_add(&plain, CHECK_READ, 64, 68);
    assert_int_equal(check_footprint_conflict(&atomic, &atomic).bytes, 0);
    assert_int_equal(check_footprint_conflict(&atomic, &polling).bytes, 0);
    assert_int_equal(check_footprint_conflict(&atomic, &plain).bytes, 4);
    assert_int_equal(check_footprint_conflict(&plain, &polling).bytes, 0);
    assert_true(check_footprint_meets(&atomic, &polling));
    assert_false(check_footprint_meets(&atomic, &plain));
    check_footprint_free(&atomic);
    check_footprint_free(&polling);
    check_footprint_free(&plain);
}

static void test_the_observer_tells_reads_writes_and_atomics_apart(void **state) {
    (void)state;
    struct check_touched *touched = check_touched_create();
    struct ir_instruction instructions[3] = {0};
    const struct ir_function kernel = {.instructions = instructions, .instruction_count = 3};
    const struct event_observer *observer = check_touched_observer(touched, &kernel);
    void *worker = observer->worker_begin(observer->context, 0);
    uint64_t addresses[WARP_LANES];
    for (int lane = 0; lane < WARP_LANES; lane++)
        addresses[lane] = 0x1000 + 8 * (uint64_t)lane;
    struct event_access event = {
        .space = SITE_GLOBAL, .width = 4, .mask = 0x7, .addresses = addresses};
    observer->access(worker, &event);
    event.instruction = 1;
    event.intent = EVENT_WRITE;
    event.mask = UINT32_MAX;
    event.pattern = EVENT_UNIFORM;
    observer->access(worker, &event);
    event.instruction = EVENT_NONE;
    event.intent = EVENT_ATOMIC;
    event.order = EVENT_RELAXED;
    event.scope = EVENT_CTA; // weak to others
    event.pattern = EVENT_ANY_PATTERN;
    event.mask = 0x80000000;
    observer->access(worker, &event);
    event.instruction = 2;
    event.scope = EVENT_GPU;
    event.order = EVENT_ACQ_REL;
    event.mask = 0x40000000;
    observer->access(worker, &event);
    observer->worker_end(worker);
    struct check_trace trace = check_touched_finish(touched);
    struct check_footprint footprint = trace.footprint;
    assert_true(trace.synchronises);
    assert_false(trace.tells_system);
    assert_int_equal(trace.ranges.length, 3);
    assert_int_equal(trace.ranges.data[0].first, 0x1000);
    assert_int_equal(trace.ranges.data[0].last, 0x1000 + 2 * 8 + 3);
    vec_free(&trace.ranges);
    assert_int_equal(footprint.pieces[CHECK_READ].length, 1); // with gaps: a bitmap
    assert_non_null(footprint.pieces[CHECK_READ].data[0].bits);
    assert_non_null(footprint.pieces[CHECK_WRITE].data[0].bits);
    assert_int_equal(footprint.pieces[CHECK_STRONG_WRITE].data[0].begin, 0x1000 + 30 * 8);
    check_footprint_free(&footprint);
}

// ---- Order ------------------------------------------------------------------------------------

static int conflicts;

static void on_conflict(void *context, const struct check_operation *earlier,
                        const struct check_operation *later, const struct check_overlap *overlap) {
    (void)context, (void)earlier, (void)later;
    assert_true(overlap->bytes > 0);
    conflicts++;
}

// One operation in a stream that touches 16 bytes.
static void run(struct check_order *order, uint32_t stream, enum check_touch touch, uint64_t at) {
    struct check_operation operation = {.what = base_strdup("a kernel"),
                                        .where = base_strdup("a stream")};
    struct check_clock before = {0};
    check_footprint_add(&operation.trace.footprint, touch, at, at + 16);
    check_order_enter(order, stream, &before);
    check_order_run(order, stream, &before, &operation);
    check_clock_free(&before);
}

static struct check_order *begin(uint32_t streams[3]) {
    struct check_order *order = check_order_create(on_conflict, NULL);
    conflicts = 0;
    streams[0] = check_order_add_stream(order, CHECK_STREAM_LEGACY, 0);
    streams[1] = check_order_add_stream(order, CHECK_STREAM_BLOCKING, 0);
    streams[2] = check_order_add_stream(order, CHECK_STREAM_NON_BLOCKING, 0);
    return order;
}

static void test_streams_are_not_ordered(void **state) {
    (void)state;
    uint32_t s[3];
    struct check_order *order = begin(s);
    run(order, s[1], CHECK_WRITE, 0);
    run(order, s[1], CHECK_WRITE, 0); // in stream order
    assert_int_equal(conflicts, 0);
    run(order, s[2], CHECK_READ, 16); // other bytes
    assert_int_equal(conflicts, 0);
    run(order, s[2], CHECK_READ, 8);
    assert_int_equal(conflicts, 1); // the two writes are alike: the later one is enough
    check_order_free(order);
}

static void test_the_default_stream_waits_for_blocking_streams(void **state) {
    (void)state;
    uint32_t s[3];
    struct check_order *order = begin(s);
    run(order, s[1], CHECK_WRITE, 0);
    run(order, s[0], CHECK_WRITE, 0);
    run(order, s[1], CHECK_WRITE, 0);
    const uint32_t other = check_order_add_stream(order, CHECK_STREAM_BLOCKING, 0);
    run(order, other, CHECK_READ, 64);
    assert_int_equal(conflicts, 0);
    run(order, other, CHECK_READ, 0); // the default stream is not between them any more
    assert_int_equal(conflicts, 1);
    run(order, s[0], CHECK_WRITE, 128);
    run(order, s[2], CHECK_WRITE, 128); // which does not block
    assert_int_equal(conflicts, 2);
    const uint32_t elsewhere = check_order_add_stream(order, CHECK_STREAM_BLOCKING, 1);
    run(order, elsewhere, CHECK_WRITE, 128); // of another device
    assert_int_equal(conflicts, 4);
    check_order_free(order);
}

static void test_events_order_what_was_before_them(void **state) {
    (void)state;
    uint32_t s[3];
    struct check_order *order = begin(s);
    struct check_clock event = {0};
    run(order, s[1], CHECK_WRITE, 0);
    check_order_enter(order, s[1], &event);
    run(order, s[1], CHECK_WRITE, 64);
    check_order_wait(order, s[2], &event);
    run(order, s[2], CHECK_WRITE, 0);
    assert_int_equal(conflicts, 0);
    run(order, s[2], CHECK_WRITE, 64);
    assert_int_equal(conflicts, 1);
    check_clock_free(&event);
    check_order_free(order);
}

static void test_what_the_host_waited_for_is_over(void **state) {
    (void)state;
    uint32_t s[3];
    struct check_order *order = begin(s);
    run(order, s[1], CHECK_WRITE, 0);
    run(order, s[2], CHECK_WRITE, 64);
    assert_non_null(check_order_user(order, 8, 9));
    check_order_host_waits(order, s[1]);
    assert_null(check_order_user(order, 8, 9));
    assert_non_null(check_order_user(order, 64, 65));
    run(order, s[2], CHECK_WRITE, 0);
    assert_int_equal(conflicts, 0);
    run(order, s[1], CHECK_WRITE, 64);
    assert_int_equal(conflicts, 1);
    check_order_host_waits_for_device(order, 0);
    run(order, s[2], CHECK_WRITE, 64);
    assert_int_equal(conflicts, 1);
    check_order_free(order);
}

static void test_flags_with_fences_order_operations(void **state) {
    (void)state;
    for (int fences = 0; fences < 2; fences++) {
        uint32_t s[3];
        struct check_order *order = begin(s);
        for (int i = 1; i <= 2; i++) {
            struct check_operation operation = {.trace.synchronises = fences};
            struct check_clock before = {0};
            check_footprint_add(&operation.trace.footprint, CHECK_WRITE, 0, 8);
            check_footprint_add(&operation.trace.footprint, CHECK_STRONG_WRITE, 64, 68);
            check_order_enter(order, s[i], &before);
            check_order_run(order, s[i], &before, &operation);
            check_clock_free(&before);
        }
        assert_int_equal(conflicts, !fences);
        check_order_free(order);
    }
}

static void run_branch(struct check_order *order, uint32_t stream, unsigned branch,
                       struct check_clock *before, uint64_t at) {
    struct check_operation operation = {0};
    check_footprint_add(&operation.trace.footprint, CHECK_WRITE, at, at + 16);
    check_order_run_branch(order, stream, branch, before, &operation);
}

static void test_branches_of_a_graph_are_ordered_by_its_edges(void **state) {
    (void)state;
    uint32_t s[3];
    struct check_order *order = begin(s);
    struct check_clock start = {0}, left = {0}, right = {0};
    run(order, s[1], CHECK_WRITE, 0);
    check_order_enter(order, s[1], &start);
    check_clock_copy(&left, &start);
    check_clock_copy(&right, &start);
    run_branch(order, s[1], 0, &left, 0);
    run_branch(order, s[1], 1, &right, 64);
    assert_int_equal(conflicts, 0);
    run_branch(order, s[1], 1, &right, 0);
    assert_int_equal(conflicts, 1);
    check_clock_join(&left, &right);
    run_branch(order, s[1], 0, &left, 64); // behind both
    check_order_wait(order, s[1], &left);
    run(order, s[1], CHECK_READ, 0); // behind the graph
    assert_int_equal(conflicts, 1);
    run(order, s[2], CHECK_READ, 64);
    assert_true(conflicts > 1);
    check_clock_free(&start);
    check_clock_free(&left);
    check_clock_free(&right);
    check_order_free(order);
}

// A stream that went leaves its timeline to a new one only when the host has waited for it.
static void test_streams_that_went_are_not_taken_for_new_ones(void **state) {
    (void)state;
    uint32_t s[3];
    struct check_order *order = begin(s);
    run(order, s[2], CHECK_WRITE, 0);
    check_order_remove_stream(order, s[2]);
    const uint32_t made = check_order_add_stream(order, CHECK_STREAM_NON_BLOCKING, 0);
    assert_int_not_equal(made, s[2]);
    run(order, made, CHECK_WRITE, 0);
    assert_int_equal(conflicts, 1);
    check_order_remove_stream(order, made);
    check_order_host_waits_for_device(order, 0);
    assert_in_range(check_order_add_stream(order, CHECK_STREAM_NON_BLOCKING, 0), s[2], made);
    check_order_free(order);
}

static void test_operations_that_nobody_waits_for_do_not_pile_up(void **state) {
    (void)state;
    uint32_t s[3];
    struct check_order *order = begin(s);
    for (uint64_t i = 0; i < 5000; i++)
        run(order, s[1], CHECK_WRITE, i * 64);
    run(order, s[2], CHECK_WRITE, 0); // forgotten
    assert_int_equal(conflicts, 0);
    run(order, s[2], CHECK_WRITE, 4999 * 64);
    assert_int_equal(conflicts, 1);
    check_order_free(order);
}

// ---- Allocations ------------------------------------------------------------------------------

static void test_the_ledger_knows_living_and_freed_allocations(void **state) {
    (void)state;
    struct check_ledger *ledger = check_ledger_create();
    for (uint64_t i = 3; i > 0; i--)
        check_ledger_add(ledger, &(struct check_allocation){
                                     .address = i * 4096, .bytes = 100, .call = "cudaMalloc"});
    assert_non_null(check_ledger_at(ledger, 8192));
    assert_null(check_ledger_at(ledger, 8193));
    assert_non_null(check_ledger_around(ledger, 8291));
    assert_null(check_ledger_around(ledger, 8292));
    assert_null(check_ledger_freed(ledger, 8200));
    check_ledger_remove(ledger, 8192, "cudaFree");
    assert_null(check_ledger_at(ledger, 8192));
    const struct check_allocation *freed = check_ledger_freed(ledger, 8200);
    assert_non_null(freed);
    assert_string_equal(freed->freed_by, "cudaFree");
    assert_int_equal(freed->number, 2);
    size_t count;
    struct check_allocation *left = check_ledger_living(ledger, 0, &count);
    assert_int_equal(count, 2);
    assert_int_equal(left[0].address, 3 * 4096); // the first that was made
    free(left);
    free(check_ledger_living(ledger, 1, &count));
    assert_int_equal(count, 0);
    check_ledger_free(ledger);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranges_merge_and_meet),
        cmocka_unit_test(test_neighbouring_bytes_are_told_apart),
        cmocka_unit_test(test_dense_pages_become_one_range),
        cmocka_unit_test(test_strong_accesses_do_not_conflict_with_each_other),
        cmocka_unit_test(test_the_observer_tells_reads_writes_and_atomics_apart),
        cmocka_unit_test(test_streams_are_not_ordered),
        cmocka_unit_test(test_the_default_stream_waits_for_blocking_streams),
        cmocka_unit_test(test_events_order_what_was_before_them),
        cmocka_unit_test(test_what_the_host_waited_for_is_over),
        cmocka_unit_test(test_flags_with_fences_order_operations),
        cmocka_unit_test(test_branches_of_a_graph_are_ordered_by_its_edges),
        cmocka_unit_test(test_streams_that_went_are_not_taken_for_new_ones),
        cmocka_unit_test(test_operations_that_nobody_waits_for_do_not_pile_up),
        cmocka_unit_test(test_the_ledger_knows_living_and_freed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
