// Each run begins with the memory that the launch found, and what it leaves behind is held against
// what the usual order left. All are on one thread, so that each can be had again. Who wrote what
// differs is asked in runs of their own, where that was found.
#include "run/orders.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#include "check/order.h"
#include "sim/snapshot.h"

// A launch in another order may take longer, as it waits for others more often.
enum { PATIENCE = 64, LEAST_INSTRUCTIONS = 1 << 20 };

struct orders {
    const struct run_schedule *schedule;
    struct sim_kernel *kernel;
    struct sim_launch again; // without observers
    struct sim_snapshot *before, *usual;
    struct check_different different[CHECK_MOST_DIFFERENT];
    size_t count;
    unsigned runs; // that are done
    struct {
        unsigned count;
        uint64_t seed; // of the first
        char *message;
    } faults, endless;
    bool is_stopped; // by the user
};

static const char *read_number(const char *text, uint64_t *number) {
    char *end;
    if (!isdigit((unsigned char)*text))
        return NULL;
    errno = 0;
    *number = strtoull(text, &end, 10);
    return errno ? NULL : end;
}

bool run_schedule_parse(const char *text, struct run_schedule *schedule) {
    uint64_t seed, runs = RUN_ORDERS;
    const char *end = read_number(text, &seed);
    if (end && *end == ':')
        end = read_number(end + 1, &runs);
    if (!end || *end || !runs || runs > RUN_MOST_ORDERS)
        return false;
    *schedule = (struct run_schedule){seed, (unsigned)runs};
    return true;
}

static struct check_different *find_different(struct orders *o, uint64_t address) {
    const struct sim_allocation *held = sim_find(sim_kernel_device(o->kernel), address, false);
    for (size_t i = 0; i < o->count && held; i++)
        if (o->different[i].address - held->address < held->bytes)
            return &o->different[i];
    return NULL;
}

static void note_different(struct orders *o, uint64_t address, uint64_t seed) {
    struct check_different *known = find_different(o, address);
    const uint64_t begin = address / CHECK_VALUE_BYTES * CHECK_VALUE_BYTES;
    if (known) {
        known->count++;
        return;
    }
    if (o->count == CHECK_MOST_DIFFERENT)
        return;
    struct check_different *new = &o->different[o->count++];
    *new = (struct check_different){.address = address, .seed = seed, .count = 1};
    const size_t bytes = sim_snapshot_read(o->usual, begin, CHECK_VALUE_BYTES, new->usual);
    for (size_t i = 0; i < bytes; i++)
        new->other[i] = ((const uint8_t *)(uintptr_t)begin)[i];
}

static void compare(struct orders *o, uint64_t seed) {
    for (uint64_t at = 0; (at = sim_snapshot_next_difference(o->usual, at)) != 0;)
        note_different(o, at, seed);
}

static void note_fault(struct orders *o, struct sim_result *result, uint64_t seed) {
    if (result->fault == SIM_FAULT_STOPPED) {
        o->is_stopped = true;
    } else if (result->fault == SIM_FAULT_INSTRUCTION_LIMIT) {
        if (!o->endless.count++)
            o->endless.seed = seed;
    } else if (!o->faults.count++) {
        o->faults.seed = seed;
        o->faults.message = result->message;
        result->message = NULL;
    }
}

// With the memory as the launch found it. False: it did not end well.
static bool run_again(struct orders *o, uint64_t seed, bool is_usual,
                      const struct event_observer *observer, struct sim_result *result) {
    struct sim_launch launch = o->again;
    launch.on_one_worker = true;
    launch.order.is_shuffled = !is_usual;
    launch.order.seed = seed;
    launch.observers = &observer;
    launch.observer_count = observer ? 1 : 0;
    sim_snapshot_put_back(o->before);
    sim_launch(o->kernel, &launch, result);
    return result->fault == SIM_OK;
}

static void try_orders(struct orders *o) {
    while (o->runs < o->schedule->runs && !o->is_stopped) {
        struct sim_result result;
        const uint64_t seed = o->schedule->seed + o->runs++;
        if (run_again(o, seed, false, NULL, &result))
            compare(o, seed);
        else
            note_fault(o, &result, seed);
        sim_result_free(&result);
    }
}

// ---- Who wrote it -----------------------------------------------------------------------------

static struct check_watch *watch(struct orders *o, uint64_t seed, bool is_usual) {
    struct check_watch *watch = check_watch_begin(o->different, o->count);
    struct sim_result result;
    run_again(o, seed, is_usual, check_watch_observer(watch), &result);
    sim_result_free(&result);
    return watch;
}

static void push_different(struct orders *o, const struct check_launch *checked,
                           struct profile_findings *findings) {
    struct check_watch *usual = o->count ? watch(o, 0, true) : NULL, *other = NULL;
    for (size_t i = 0; i < o->count; i++) {
        struct check_different *different = &o->different[i];
        different->runs = o->runs;
        if (!i || different->seed != o->different[i - 1].seed) {
            check_watch_end(other);
            other = watch(o, different->seed, false);
        }
        check_push_different(checked, different, i, usual, other, findings);
    }
    check_watch_end(other);
    check_watch_end(usual);
}

static void push_all(struct orders *o, const struct check_launch *checked,
                     struct profile_findings *findings) {
    push_different(o, checked, findings);
    if (o->faults.count)
        check_push_order_fault(o->faults.seed, o->faults.count, o->runs, o->faults.message,
                               findings);
    if (o->endless.count)
        check_push_order_endless(o->endless.seed, o->endless.count, o->runs,
                                 o->again.order.max_instructions, findings);
    free(o->faults.message);
}

// ---- The launch -------------------------------------------------------------------------------

static bool ignore_condition(void *context, uint64_t handle, uint32_t value) {
    (void)context;
    (void)handle;
    (void)value;
    return true;
}

static struct sim_launch describe_again(const struct sim_launch *launch,
                                        const struct sim_result *result) {
    struct sim_launch again = *launch;
    again.order.is_silent = true;
    again.order.max_instructions = result->instructions * PATIENCE + LEAST_INSTRUCTIONS;
    if (again.set_condition)
        again.set_condition = ignore_condition;
    return again;
}

// Why the launch cannot be held against others; NULL: it can.
static const char *why_not(struct orders *o, const struct sim_result *result) {
    if (!o->before || !sim_snapshot_fits(o->before))
        return "uses memory of which no copy can be made";
    if (result->passed_count)
        return "writes beyond its allocations";
    return sim_kernel_varies(o->kernel);
}

static void try_others(struct orders *o, const struct check_launch *checked,
                       struct sim_result *result, struct profile_findings *findings) {
    struct sim *sim = (struct sim *)(uintptr_t)sim_kernel_device(o->kernel);
    const char *reason = why_not(o, result);
    o->usual = reason ? NULL : sim_snapshot_take(sim);
    if (!o->usual) {
        check_push_order_untried(reason ? reason : "uses memory of which no copy can be made",
                                 findings);
        return;
    }
    try_orders(o);
    if (!o->is_stopped)
        push_all(o, checked, findings);
    else
        result->fault = SIM_FAULT_STOPPED;
    sim_snapshot_put_back(o->usual);
}

void run_orders(const struct run_schedule *schedule, struct sim_kernel *kernel,
                const struct sim_launch *launch, const struct check_launch *checked,
                struct sim_result *result, struct profile_findings *findings) {
    struct sim_launch first = *launch;
    struct orders o = {.schedule = schedule, .kernel = kernel};
    if (schedule->runs) {
        o.before = sim_snapshot_take((struct sim *)(uintptr_t)sim_kernel_device(kernel));
        first.on_one_worker = true;
    }
    sim_launch(kernel, &first, result);
    if (schedule->runs && result->fault == SIM_OK) {
        o.again = describe_again(launch, result);
        try_others(&o, checked, result, findings);
    }
    sim_snapshot_free(o.before);
    sim_snapshot_free(o.usual);
}
