#include "run/launch.h"

#include "base/progress.h"
#include "run/observers.h"

struct progress_line {
    struct progress line;
    const volatile sig_atomic_t *stop;
};

static bool show_progress(void *context, uint64_t blocks_done, uint64_t blocks,
                          uint64_t instructions) {
    struct progress_line *progress = context;
    progress_update(&progress->line, blocks_done, blocks, instructions);
    return !progress->stop || !*progress->stop;
}

void run_launch(const struct run_launch *launch, struct sim_result *result) {
    if (launch->spread && launch->spread->run(launch->spread->context, launch, result))
        return;
    struct run_observers observers;
    struct run_every_block every;
    run_every_block_find(&every, launch);
    run_observers_begin(&observers, launch, &every);
    struct progress_line progress = {.stop = launch->stop};
    struct sim_launch sim = launch->sim;
    sim.observers = observers.list.data;
    sim.observer_count = (unsigned)observers.list.length;
    sim.on_one_worker |= observers.wants_order;
    sim.picks = every.picks.data;
    sim.pick_count = every.picks.length;
    if (!sim.pick_count)
        sim.picks = NULL;
    sim.progress = show_progress;
    sim.progress_context = &progress;
    progress_begin(&progress.line, launch->progress, sim_kernel_function(launch->kernel)->name);
    run_orders(launch->profile ? &launch->schedule : &(struct run_schedule){0}, launch->kernel,
               &sim, &observers.checked, result, &observers.ordered);
    progress_end(&progress.line);
    run_observers_end(&observers, launch, &every, result);
    run_every_block_free(&every);
}
