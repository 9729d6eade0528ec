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
    struct native_known known[MEMOS];
    struct sim_native_worker own;
    struct sim_worker worker;
};

static bool takes(struct launch *launch, uint64_t number) {
    const struct sim_warp warp = {.number = number};
    return sim_native_takes_warp(&launch->worker, &warp);
}

// The observer has heard of a request, and shows another one.
static void show(struct launch *launch, unsigned site, unsigned space, uint64_t since) {
    const unsigned at = site * SITE_SPACES + space;
    launch->memo[at].since = since;
    launch->memos[at] = &launch->memo[at];
    launch->known[at].memo = &launch->memo[at]; // cells rely on this one
    sim_native_told(&launch->worker, site, (enum site_space)space);
}

static void begin(struct launch *launch, uint64_t first, uint64_t second) {
    launch->kernel.site_count = SITES;
    launch->own.known = launch->known;
    launch->worker.kernel = &launch->kernel;
    launch->worker.memos = launch->memos;
    launch->worker.native = &launch->own;
    show(launch, 0, 0, first);
    show(launch, SITES - 1, SITE_SPACES - 1, second);
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
    show(&launch, 0, 0, 33);
    assert_false(takes(&launch, 33)); // the other site still shows a later one
    assert_true(takes(&launch, 64));
    show(&launch, SITES - 1, SITE_SPACES - 1, 33);
    assert_true(takes(&launch, 33));
    assert_false(takes(&launch, 32));
}

// A warp that is being run may be followed by one in front of what is shown now.
static void it_rises_at_once(void **state) {
    (void)state;
    static struct launch launch;
    begin(&launch, 100, 64);
    launch.own.turns.stops = false;
    show(&launch, SITES - 1, SITE_SPACES - 1, 65);
    assert_false(launch.own.turns.stops);
    show(&launch, SITES - 1, SITE_SPACES - 1, 101);
    assert_true(launch.own.turns.stops);
    assert_false(takes(&launch, 100));
    assert_true(takes(&launch, 101));
}

static void nobody_listens(void **state) {
    (void)state;
    static struct launch launch;
    launch.worker.native = &launch.own;
    sim_native_told(&launch.worker, 0, SITE_SHARED);
    assert_true(takes(&launch, 0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(warps_in_front_are_told),
        cmocka_unit_test(the_number_falls_with_what_is_shown),
        cmocka_unit_test(it_rises_at_once),
        cmocka_unit_test(nobody_listens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
