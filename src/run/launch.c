#include "run/launch.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/progress.h"
#include "compiled/stream.h"

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

static struct profile_recorder *start_recorder(const struct run_launch *launch,
                                               const struct compiled_stream *stream) {
    const struct sim *sim = sim_kernel_device(launch->kernel);
    struct profile_launch_info info = {.kernel = sim_kernel_function(launch->kernel),
                                       .layout = sim_kernel_layout(launch->kernel),
                                       .dynamic_shared_bytes = launch->sim.dynamic_shared_bytes,
                                       .workers = (unsigned)sim_threads(sim),
                                       .arch = launch->arch,
                                       .device = launch->device,
                                       .devices = launch->devices,
                                       .trace = launch->trace,
                                       .may_sample = sim_samples(sim)};
    info.sites = compiled_stream_sites(stream, &info.site_count);
    memcpy(info.grid, launch->sim.grid, sizeof info.grid);
    memcpy(info.block, launch->sim.block, sizeof info.block);
    return profile_record(&info);
}

static void finish_recorder(struct profile_recorder *recorder, struct profile *profile,
                            const struct sim_result *result) {
    struct profile_launch_result counted = {.blocks_run = result->blocks_run,
                                            .instructions = result->instructions,
                                            .thread_instructions = result->thread_instructions,
                                            .fault =
                                                result->fault == SIM_OK ? NULL : result->message,
                                            .is_sample = result->is_sample};
    profile_finish(recorder, profile, &counted);
}

void run_launch(const struct run_launch *launch, struct sim_result *result) {
    const struct ir_function *kernel = sim_kernel_function(launch->kernel);
    struct compiled_stream *stream = compiled_stream_create(launch->compiled, kernel);
    struct profile_recorder *recorder = launch->profile ? start_recorder(launch, stream) : NULL;
    // Of the caller's, and two of the recorder's.
    const struct event_observer **observers =
        base_alloc((launch->observer_count + 2) * sizeof *observers);
    if (launch->observer_count)
        memcpy(observers, launch->observers, launch->observer_count * sizeof *observers);
    if (recorder) {
        observers[launch->observer_count] =
            compiled_stream_before(stream, profile_observer(recorder));
        observers[launch->observer_count + 1] = profile_tracer(recorder);
    }
    struct progress_line progress = {.stop = launch->stop};
    struct sim_launch sim = launch->sim;
    sim.observers = observers;
    sim.observer_count = launch->observer_count + 2;
    sim.progress = show_progress;
    sim.progress_context = &progress;
    progress_begin(&progress.line, launch->progress, kernel->name);
    sim_launch(launch->kernel, &sim, result);
    progress_end(&progress.line);
    if (recorder)
        finish_recorder(recorder, launch->profile, result);
    compiled_stream_free(stream);
    free(observers);
}
