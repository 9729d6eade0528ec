#define _GNU_SOURCE // REG_ERR
#include "cuda/checks/watch.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { MOST_WATCHES = 256 };

// What the signal's handler looks at: static, since it may neither allocate nor wait for the lock
// that the thread may hold.
static struct {
    atomic_flag is_held;
    bool is_raised;
    size_t count;
    struct {
        struct cuda_watch watch;
        bool is_touched, is_write;
        uint64_t address;
    } all[MOST_WATCHES];
} watches = {.is_held = ATOMIC_FLAG_INIT};

static struct sigaction next_action; // of who handled the signal before
static atomic_ullong last_stray;     // address of the last fault that is nobody's

static void hold(void) {
    while (atomic_flag_test_and_set_explicit(&watches.is_held, memory_order_acquire))
        sched_yield();
}

static void release(void) {
    atomic_flag_clear_explicit(&watches.is_held, memory_order_release);
}

static void protect(const struct cuda_watch *watch, int protection) {
    mprotect((void *)(uintptr_t)watch->begin, watch->end - watch->begin, protection);
}

// ---- The handler ------------------------------------------------------------------------------

static bool is_write(const void *context, bool otherwise) {
#ifdef __x86_64__
    enum { WRITE = 2 };
    (void)otherwise;
    return ((const ucontext_t *)context)->uc_mcontext.gregs[REG_ERR] & WRITE;
#else
    (void)context;
    return otherwise;
#endif
}

// The first touch of a watched range is noted, and its pages are let go.
static bool note(uint64_t address, const void *context) {
    bool is_ours = false;
    for (size_t i = 0; i < watches.count; i++) {
        const struct cuda_watch *watch = &watches.all[i].watch;
        if (address < watch->begin || address >= watch->end)
            continue;
        is_ours = true;
        protect(watch, PROT_READ | PROT_WRITE);
        if (!watches.is_raised || watches.all[i].is_touched || address < watch->first ||
            address >= watch->past)
            continue;
        watches.all[i].is_touched = true;
        watches.all[i].address = address;
        watches.all[i].is_write = is_write(context, watch->is_written);
    }
    return is_ours;
}

// Where the pages were let go meanwhile, trying again is enough: what is nobody's comes here twice.
static void on_fault(int number, siginfo_t *info, void *context) {
    const int saved = errno;
    const uint64_t address = (uint64_t)(uintptr_t)info->si_addr;
    hold();
    const bool is_ours = note(address, context);
    release();
    if (!is_ours && atomic_exchange(&last_stray, address) == address)
        sigaction(number, &next_action, NULL);
    errno = saved;
}

// The program may have put its own handler over ours: then nothing can be watched.
static bool handles(void) {
    struct sigaction now;
    if (sigaction(SIGSEGV, NULL, &now) != 0)
        return false;
    return now.sa_flags & SA_SIGINFO && now.sa_sigaction == on_fault;
}

static bool begin_handling(void) {
    static bool has_begun;
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    if (has_begun)
        return handles();
    sigemptyset(&action.sa_mask);
    has_begun = sigaction(SIGSEGV, &action, &next_action) == 0;
    return has_begun;
}

// ---- The list ---------------------------------------------------------------------------------

static void lower(void) {
    for (size_t i = 0; watches.is_raised && i < watches.count; i++)
        protect(&watches.all[i].watch, PROT_READ | PROT_WRITE);
    watches.is_raised = false;
}

bool cuda_watch_add(const struct cuda_watch *watch) {
    if (watches.count == MOST_WATCHES || !begin_handling())
        return false;
    hold();
    lower();
    memset(&watches.all[watches.count], 0, sizeof watches.all[0]);
    watches.all[watches.count++].watch = *watch;
    release();
    return true;
}

void cuda_watch_lower(void) {
    hold();
    lower();
    release();
}

// Pages that one operation reads and another writes may not be touched at all.
void cuda_watch_raise(void) {
    if (!watches.count || watches.is_raised || !handles())
        return;
    hold();
    watches.is_raised = true;
    for (int writes = 0; writes < 2; writes++)
        for (size_t i = 0; i < watches.count; i++)
            if (watches.all[i].watch.is_written == writes)
                protect(&watches.all[i].watch, writes ? PROT_NONE : PROT_READ);
    release();
}

// Takes it out of the list; its words are the caller's.
static struct cuda_watch take(size_t at) {
    const struct cuda_watch taken = watches.all[at].watch;
    watches.count--;
    memmove(&watches.all[at], &watches.all[at + 1], (watches.count - at) * sizeof watches.all[0]);
    return taken;
}

void cuda_watch_drop(bool (*is_over)(const void *context, struct check_stamp stamp),
                     const void *context) {
    cuda_watch_lower();
    for (size_t i = watches.count; i > 0; i--) {
        if (!is_over(context, watches.all[i - 1].watch.stamp))
            continue;
        hold();
        const struct cuda_watch gone = take(i - 1);
        release();
        free(gone.what);
        free(gone.where);
    }
}

bool cuda_watch_next(struct cuda_watch_touch *touch) {
    bool found = false;
    hold();
    lower();
    for (size_t i = 0; i < watches.count && !found; i++) {
        found = watches.all[i].is_touched;
        if (!found)
            continue;
        *touch = (struct cuda_watch_touch){.address = watches.all[i].address,
                                           .writes = watches.all[i].is_write};
        const struct cuda_watch taken = take(i);
        touch->stamp = taken.stamp;
        touch->what = taken.what;
        touch->where = taken.where;
    }
    release();
    return found;
}
