// Windows of eight words that have eight lanes each. See struct native_shape.
#include "sim/native/native_internal.h"

enum { WORD = 4, WINDOW_BYTES = NATIVE_WINDOW * WORD };
enum { ALL_WORDS = (1 << NATIVE_WINDOW) - 1 }; // of a window, and all of its lanes

// From the first of its lanes, but where it can be within what all lanes span: that is in bounds.
static int64_t choose_begin(const struct native_reach *window, const struct native_reach *all) {
    const int64_t last = all->high + WORD - WINDOW_BYTES;
    return last < all->low ? all->low : window->low < last ? window->low : last;
}

static bool find_window(struct native_shape *shape, unsigned first, int64_t begin,
                        uint32_t *taken) {
    *taken = 0;
    for (unsigned l = first; l < first + NATIVE_WINDOW; l++) {
        const int64_t distance = (int32_t)shape->lanes[l] - begin;
        if (distance < 0 || distance > WINDOW_BYTES - WORD || distance % WORD)
            return false;
        const uint32_t word = (uint32_t)distance / WORD;
        shape->words[l] = word;
        shape->takers[first + word] = l - first;
        *taken |= 1u << word;
    }
    return true;
}

unsigned native_find_windows(struct native_shape *shape, bool is_shared) {
    const struct native_reach all = native_reach_of(shape->lanes, EVENT_ALL_LANES);
    unsigned good = NATIVE_WINDOW_LOADS | NATIVE_WINDOW_STORES;
    // Behind a block's shared memory is a row of banks that nobody uses.
    if (!is_shared && all.high + WORD - all.low < WINDOW_BYTES)
        return 0;
    for (unsigned w = 0; w < LANES / NATIVE_WINDOW; w++) {
        const unsigned first = w * NATIVE_WINDOW;
        const struct native_reach window =
            native_reach_of(shape->lanes, (uint32_t)ALL_WORDS << first);
        uint32_t taken;
        shape->windows[w] = choose_begin(&window, &all);
        if (!find_window(shape, first, shape->windows[w], &taken))
            return 0;
        if (taken != ALL_WORDS)
            good = NATIVE_WINDOW_LOADS;
    }
    return good;
}
