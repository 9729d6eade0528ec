#include "cuda/launch/guard.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "base/alloc.h"
#include "spread/spread.h"

static const int signals[] = {SIGSEGV, SIGBUS};
enum { SIGNALS = sizeof signals / sizeof *signals };

// What a program had for a signal. Never freed nor changed: a handler on another thread may still
// read it when the next launch finds something else.
struct known {
    struct sigaction action;
    struct known *next;
};
static struct known *all_known;
static _Atomic(const struct known *) program[SIGNALS]; // what the program has for them
// The program set another handler in the midst of a launch, which may hand on to ours: to stand in
// front of that would be a circle.
static bool is_replaced;

static void default_action(int number, const siginfo_t *info) {
    const struct sigaction action = {.sa_handler = SIG_DFL};
    sigaction(number, &action, NULL);
    if (info->si_code <= 0) // sent: it does not come again by itself
        raise(number);
}

static void pass_on(int number, siginfo_t *info, void *context) {
    const struct known *known =
        atomic_load_explicit(&program[number == SIGBUS], memory_order_acquire);
    const struct sigaction *action = &known->action;
    const bool is_sent = info->si_code <= 0;
    if (action->sa_flags & SA_RESETHAND)
        signal(number, SIG_DFL);
    if (action->sa_flags & SA_SIGINFO)
        action->sa_sigaction(number, info, context);
    else if (action->sa_handler == SIG_DFL || (action->sa_handler == SIG_IGN && !is_sent))
        default_action(number, info);
    else if (action->sa_handler != SIG_IGN)
        action->sa_handler(number);
}

static void on_signal(int number, siginfo_t *info, void *context) {
    if (info->si_code > 0 && spread_fault((uint64_t)(uintptr_t)info->si_addr))
        return;
    if (!sim_host_memory_lost(info))
        pass_on(number, info, context);
}

static bool is_ours(const struct sigaction *action) {
    return action->sa_flags & SA_SIGINFO && action->sa_sigaction == on_signal;
}

static const struct known *remember(const struct sigaction *action) {
    for (struct known *k = all_known; k; k = k->next)
        if (k->action.sa_handler == action->sa_handler && k->action.sa_flags == action->sa_flags &&
            memcmp(&k->action.sa_mask, &action->sa_mask, sizeof action->sa_mask) == 0)
            return k;
    struct known *known = base_alloc(sizeof *known);
    *known = (struct known){*action, all_known};
    all_known = known;
    return known;
}

bool cuda_guard_begin(const struct sim *sim, bool spreads) {
    if (is_replaced || (!spreads && !sim_has_registered_host(sim)))
        return false;
    for (int i = 0; i < SIGNALS; i++) {
        struct sigaction action;
        sigaction(signals[i], NULL, &action);
        if (is_ours(&action)) // the program put back what it found there
            continue;
        atomic_store_explicit(&program[i], remember(&action), memory_order_release);
        action.sa_sigaction = on_signal;
        action.sa_flags = SA_SIGINFO | (action.sa_flags & (SA_ONSTACK | SA_NODEFER | SA_RESTART));
        sigaction(signals[i], &action, NULL);
    }
    return true;
}

void cuda_guard_end(void) {
    for (int i = 0; i < SIGNALS; i++) {
        struct sigaction now;
        sigaction(signals[i], NULL, &now);
        if (is_ours(&now))
            sigaction(signals[i], &atomic_load(&program[i])->action, NULL);
        else
            is_replaced = true;
    }
}
