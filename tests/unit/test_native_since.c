// Which warps native code takes: those of which an observer need not hear each request, as the
// places that it shows move forwards and backwards.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/native/native_internal.h"

enum { SITES = 2, MEMOS = SITES * SITE_SPACES };

struct launch {
    struct sim_kernel kernel;
    struct event_memo memo[MEMOS], *memos[MEMOS];
    struct sim_native_worker own;
    struct sim_worker worker;
};

static bool takes(struct launch *launch, uint64_t number) {
    const struct sim_warp warp = {.number = number};
    return sim_native_takes_warp(&launch->worker, &warp);
}

static void begin(struct launch *launch, uint64_t first, uint64_t second) {
    launch->kernel.site_count = SITES;
    launch->memos[0] = &launch->memo[0];
    launch->memos[MEMOS - 1] = &launch->memo[MEMOS - 1];
    launch->memo[0].since = first;
    launch->memo[MEMOS - 1].since = second;
    launch->own.since = first > second ? first : second;
    launch->worker.kernel = &launch->kernel;
    launch->worker.memos = launch->memos;
    launch->worker.native = &launch->own;
}

static void warps_in_front_are_told(void **state) {
    (void)state;
    static struct launch launch;
    begin(&launch, 100, 64);
    assert_true(takes(&launch, 100));
    assert_false(takes(&launch, 99));
    assert_false(takes(&launch, 64));
    assert_true(takes(&launch, 101));
}

// A rank that gets blocks of another one's part has to hear of the first of them alone.
static void the_number_falls_with_what_is_shown(void **state) {
    (void)state;
    static struct launch launch;
    begin(&launch, 100, 64);
    assert_false(takes(&launch, 33));
    launch.memo[0].since = 33;
    assert_false(takes(&launch, 33)); // the other site still shows a later one
    launch.memo[MEMOS - 1].since = 33;
    assert_true(takes(&launch, 33));
    assert_false(takes(&launch, 32));
}

static void nobody_listens(void **state) {
    (void)state;
    static struct launch launch;
    begin(&launch, 100, 64);
    launch.worker.memos = NULL;
    assert_true(takes(&launch, 0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(warps_in_front_are_told),
        cmocka_unit_test(the_number_falls_with_what_is_shown),
        cmocka_unit_test(nobody_listens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
