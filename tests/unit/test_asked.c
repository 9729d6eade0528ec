// The list of a block's requests: equal ones are counted, different ones kept, and it ends.
#include "profile/asked.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint32_t offsets[WARP_LANES];

static void fill(uint32_t base, uint32_t stride) {
    for (uint32_t l = 0; l < WARP_LANES; l++)
        offsets[l] = base + l * stride;
}

static void test_equal_requests(void **context) {
    (void)context;
    struct asked_list *list = calloc(1, sizeof *list);
    fill(1000, 4);
    assert_true(asked_add(list, UINT32_MAX, offsets, 1000));
    assert_true(asked_add(list, UINT32_MAX, offsets, 1000));
    assert_true(asked_add(list, UINT32_MAX, offsets, 996)); // elsewhere in its array
    assert_true(asked_add(list, 0xf, offsets, 1000));
    offsets[7] = 12; // of a lane that is off
    assert_true(asked_add(list, 0xf, offsets, 1000));
    assert_int_equal(list->requests.length, 3);
    assert_int_equal(list->requests.data[0].count, 2);
    assert_int_equal(list->requests.data[0].offsets[3], 12);
    assert_int_equal(list->requests.data[1].offsets[0], 4);
    assert_int_equal(list->requests.data[2].count, 2);
    assert_int_equal(list->requests.data[2].offsets[7], 0);
    assert_int_equal(list->total, 5);
    vec_free(&list->requests);
    free(list);
}

static void test_it_ends(void **context) {
    (void)context;
    struct asked_list *list = calloc(1, sizeof *list);
    for (uint32_t i = 1; i <= ASKED_MOST; i++) {
        fill(i * 4, i % 97 * 4);
        assert_int_equal(asked_add(list, UINT32_MAX, offsets, 0), i < ASKED_MOST);
    }
    assert_int_equal(list->requests.length, ASKED_MOST);
    uint64_t sum = 0;
    for (size_t i = 0; i < list->requests.length; i++) {
        assert_int_equal(list->requests.data[i].offsets[0], (i + 1) * 4);
        sum += list->requests.data[i].count;
    }
    assert_int_equal(sum, ASKED_MOST);
    vec_free(&list->requests);
    free(list);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_requests),
        cmocka_unit_test(test_it_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
