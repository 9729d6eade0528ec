// A counter and the filter in front of it, held against the model, request by request.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "profile/counter.h"
#include "random_bits.h"

// What counts like the counter, but knows nothing of what came before.
struct plain {
    uint64_t requests, units, ideal, degrees[PROFILE_MAX_DEGREE + 1];
    uint32_t worst, dropped;
};

static void fill(uint32_t *offsets, unsigned kind) {
    enum { WORD = 4 };
    const uint32_t shift = (uint32_t)random_bits() % 64, width = 1u << kind % 12;
    for (uint32_t l = 0; l < WARP_LANES; l++)
        offsets[l] = kind % 3 == 0   ? WORD * ((uint32_t)random_bits() % width)
                     : kind % 3 == 1 ? WORD * (l * (kind % 37) + shift)
                                     : WORD * (((l ^ kind % 32) + shift * 8) % 4096);
}

static enum event_pattern pattern_of(const uint32_t *offsets) {
    bool is_linear = true, is_uniform = true;
    for (uint32_t l = 0; l < WARP_LANES; l++) {
        is_linear &= offsets[l] == offsets[0] + 4 * l;
        is_uniform &= offsets[l] == offsets[0];
    }
    return is_linear ? EVENT_LINEAR : is_uniform ? EVENT_UNIFORM : EVENT_ANY_PATTERN;
}

static bool is_dropped(struct counter *counter, const struct event_access *event,
                       const int32_t *on) {
    const uint32_t first = event->offsets[__builtin_ctz(event->mask)];
    const uint64_t number = event_warp_number(event->block_number, event->warp);
    return event_memo_is_about(&counter->memo, first, number) &&
           (event->pattern
                ? event_memo_takes_pattern(&counter->memo, event->pattern, first)
                : event_memo_takes_lanes(&counter->memo, event->mask, first, event->offsets, on,
                                         event->mask == EVENT_ALL_LANES));
}

static void send(struct counter *counter, struct plain *plain, uint64_t block, uint32_t mask,
                 const uint32_t *offsets) {
    uint32_t held[WARP_LANES];
    int32_t on[WARP_LANES];
    for (uint32_t l = 0; l < WARP_LANES; l++) {
        on[l] = -(int32_t)(mask >> l & 1);
        held[l] = on[l] ? offsets[l] : offsets[__builtin_ctz(mask)];
    }
    const uint32_t index[3] = {(uint32_t)block};
    const struct event_access event = {
        .block_number = block,
        .owner = block,
        .block = index,
        .mask = mask,
        .offsets = held,
        .pattern = mask == EVENT_ALL_LANES ? pattern_of(held) : EVENT_ANY_PATTERN,
    };
    const struct profile_request *asked = &counter->rule->request;
    const struct bankrun_request request = {
        .access = asked->access, .width = asked->width, .mask = mask, .offsets = held};
    struct bankrun_cost cost;
    assert_int_equal(bankrun_count(counter->rule->arch, &request, &cost), BANKRUN_OK);
    plain->requests++;
    plain->units += cost.wavefronts;
    plain->ideal += cost.ideal;
    plain->degrees[cost.degree]++;
    plain->worst = cost.degree > plain->worst ? cost.degree : plain->worst;
    if (is_dropped(counter, &event, on))
        plain->dropped++;
    else
        counter_shared(counter, &event);
}

static void compare(struct counter *counter, const struct plain *plain) {
    counter_flush(counter);
    assert_int_equal(counter->counts.requests, plain->requests);
    assert_int_equal(counter->counts.units, plain->units);
    assert_int_equal(counter->counts.ideal, plain->ideal);
    for (int degree = 0; degree <= PROFILE_MAX_DEGREE; degree++)
        assert_int_equal(counter->degrees[degree], plain->degrees[degree]);
    assert_int_equal(counter->worst.degree, plain->worst);
}

static struct counter *create(struct counter_rule *rule, enum bankrun_access access) {
    *rule = (struct counter_rule){.arch = 90,
                                  .space = SITE_SHARED,
                                  .request = {.access = access, .width = 4},
                                  .lanes = UINT32_MAX,
                                  .keep = 127,
                                  .grid = {1 << 20, 1}};
    struct counter *counter = counter_create(rule, false);
    counter->memo.first = 0;
    counter->memo.bytes = UINT64_MAX;
    return counter;
}

// Enough of a kind for the counter to change its mind: of patterns that never come back, of some
// that do, and of the first kind again.
static void run(enum bankrun_access access, bool has_masks) {
    struct counter_rule rule;
    struct counter *counter = create(&rule, access);
    struct plain plain = {0};
    uint32_t offsets[WARP_LANES];
    for (uint64_t block = 0; block < 300000; block++) {
        const bool is_random = block / 60000 % 2 == 0;
        fill(offsets,
             is_random ? 3 * (unsigned)(random_bits() % 4) + 6 : (unsigned)(random_bits() % 6));
        const uint32_t mask =
            has_masks && block % 5 == 0 ? (uint32_t)random_bits() | 1 : EVENT_ALL_LANES;
        send(counter, &plain, block, mask, offsets);
        if (block % 50000 == 777)
            compare(counter, &plain);
    }
    compare(counter, &plain);
    assert_true(plain.dropped > 0);
    counter_free(counter);
}

static void test_loads(void **state) {
    (void)state;
    run(BANKRUN_LOAD, true);
    run(BANKRUN_LOAD, false);
}

static void test_stores(void **state) {
    (void)state;
    run(BANKRUN_STORE, true);
}

static void test_additions_of_one(void **state) {
    (void)state;
    run(BANKRUN_ATOMIC_CONSTANT, false);
}

// Lanes are counted, not words: no number of words stands for that.
static void test_other_atomics(void **state) {
    (void)state;
    run(BANKRUN_ATOMIC, false);
    run(BANKRUN_ATOMIC_CAS, true);
}

// The worst request is the first of its degree, whichever were counted without being told.
static void test_worst(void **state) {
    (void)state;
    struct counter_rule rule;
    struct counter *counter = create(&rule, BANKRUN_LOAD);
    struct plain plain = {0};
    uint32_t offsets[WARP_LANES];
    uint64_t first = 0;
    for (uint64_t block = 1; block < 100000; block++) {
        fill(offsets, 9);
        const uint32_t before = plain.worst;
        send(counter, &plain, block, EVENT_ALL_LANES, offsets);
        first = plain.worst > before ? block : first;
    }
    assert_int_equal(counter->worst.linear, first);
    fill(offsets, 9);
    struct plain again = plain;
    for (int l = 0; l < WARP_LANES; l++) // each lane a row of its own: as bad as can be
        offsets[l] = 128 * (uint32_t)l;
    send(counter, &again, 100000, EVENT_ALL_LANES, offsets);
    assert_int_equal(counter->worst.degree, 32);
    assert_int_equal(counter->worst.linear, 100000);
    send(counter, &again, 50, EVENT_ALL_LANES, offsets); // of an earlier block
    assert_int_equal(counter->worst.linear, 50);
    compare(counter, &again);
    counter_free(counter);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loads),
        cmocka_unit_test(test_stores),
        cmocka_unit_test(test_additions_of_one),
        cmocka_unit_test(test_other_atomics),
        cmocka_unit_test(test_worst),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
