#include "run/observers.h"

#include <string.h>

#include "base/hash.h"
#include "run/fault.h"
#include "run/proofs.h"

// Of launches that make the same requests, as far as that can be told beforehand.
static uint64_t likeness_of(const struct run_launch *launch) {
    const struct ir_function *kernel = sim_kernel_function(launch->kernel);
    const uint64_t key[] = {kernel->module->serial,
                            (uintptr_t)kernel,
                            launch->arch,
                            launch->sim.block[0],
                            launch->sim.block[1],
                            launch->sim.block[2],
                            launch->sim.dynamic_shared_bytes,
                            hash_bytes(launch->sim.parameters, kernel->parameter_bytes)};
    return hash_bytes(key, sizeof key) | 1;
}

static struct profile_recorder *start_recorder(const struct run_launch *launch,
                                               const struct run_every_block *every,
                                               const struct compiled_stream *stream) {
    const struct sim *sim = sim_kernel_device(launch->kernel);
    struct profile_launch_info info = {.kernel = sim_kernel_function(launch->kernel),
                                       .layout = sim_kernel_layout(launch->kernel),
                                       .dynamic_shared_bytes = launch->sim.dynamic_shared_bytes,
                                       .workers = (unsigned)sim_threads(sim) + launch->more_workers,
                                       .arch = launch->arch,
                                       .device = launch->device,
                                       .devices = launch->devices,
                                       .thread = launch->thread,
                                       .trace = launch->trace,
                                       .likeness = likeness_of(launch),
                                       .may_sample = sim_samples(sim),
                                       .pieces = every->pieces.data,
                                       .piece_count = every->pieces.length};
    info.sites = compiled_stream_sites(stream, &info.site_count);
    memcpy(info.grid, launch->sim.grid, sizeof info.grid);
    memcpy(info.block, launch->sim.block, sizeof info.block);
    return profile_record(&info);
}

// ---- Checkers -------------------------------------------------------------------------------

static bool find_memory(void *context, uint64_t address, struct check_memory *found) {
    const struct sim_allocation *allocation = sim_find(context, address, false);
    if (!allocation)
        return false;
    *found = (struct check_memory){allocation->address, allocation->bytes, allocation->name};
    return true;
}

static void start_checks(struct run_observers *o, const struct run_launch *launch) {
    const struct event_observer *observers[CHECK_MOST_OBSERVERS];
    const struct sim *sim = sim_kernel_device(launch->kernel);
    o->checked = (struct check_launch){.kernel = sim_kernel_function(launch->kernel),
                                       .layout = sim_kernel_layout(launch->kernel),
                                       .dynamic_shared_bytes = launch->sim.dynamic_shared_bytes,
                                       .workers = (unsigned)sim_threads(sim),
                                       .is_ordered = sim_kernel_is_ordered(launch->kernel),
                                       .tracks_undefined =
                                           sim_tracks_undefined(sim_kernel_device(launch->kernel)),
                                       .find_memory = find_memory,
                                       .context = (void *)(uintptr_t)sim};
    memcpy(o->checked.grid, launch->sim.grid, sizeof o->checked.grid);
    memcpy(o->checked.block, launch->sim.block, sizeof o->checked.block);
    for (int i = 0; i < 3; i++)
        o->checked.cluster[i] = launch->sim.cluster[i] ? launch->sim.cluster[i] : 1;
    // What a kernel finds in memory in which it races with itself must not depend on who was
    // quicker.
    o->wants_order = launch->profile->checks & profile_check_bit(PROFILE_CHECK_RACE) &&
                     (o->checked.is_ordered || ir_is_steered(sim_kernel_function(launch->kernel)));
    o->check = check_begin(launch->profile->checks, &o->checked);
    const unsigned count = check_observers(o->check, observers);
    for (unsigned i = 0; i < count; i++)
        vec_push(&o->list, observers[i]);
}

// ---- Counting -------------------------------------------------------------------------------

// All that a launch counts after one that left out blocks may follow from what is not there, unless
// it does not depend on memory.
static void finish_blocks(const struct run_launch *launch, const struct run_every_block *every,
                          const struct sim_result *result, struct profile_launch_result *counted) {
    const bool is_proved = every->picks.length && !counted->fault;
    counted->blocks.is_asked = every->is_asked;
    counted->blocks.is_proved = is_proved;
    counted->blocks.has_partial_input =
        launch->profile->has_left_out_blocks &&
        (every->is_open || counted->fault ||
         (!is_proved && (every->has_other_work || every->has_any_other_sectors)));
    counted->whole_reason = every->why;
    launch->profile->has_left_out_blocks |= every->picks.length > 0;
    if (!is_proved)
        return;
    counted->blocks.is_work_estimate = every->has_other_work;
    counted->blocks.is_sectors_estimate = every->has_any_other_sectors;
    counted->has_other_sectors = every->has_other_sectors;
    counted->instructions = result->all_instructions;
    counted->thread_instructions = result->all_thread_instructions;
    counted->barriers = result->all_barriers;
}

static void finish_recorder(struct run_observers *o, const struct run_launch *launch,
                            const struct run_every_block *every, const struct sim_result *result) {
    struct profile_launch_result counted = {.blocks_run = result->blocks_run,
                                            .instructions = result->instructions,
                                            .thread_instructions = result->thread_instructions,
                                            .barriers = result->barriers,
                                            .is_sample = result->is_sample,
                                            .may_differ = result->may_differ};
    struct profile_fault where;
    run_describe_end(launch, result, &counted, &where);
    finish_blocks(launch, every, result, &counted);
    struct profile_passed *passed = run_describe_passed(launch, result);
    counted.passed = passed;
    counted.passed_count = result->passed_count;
    counted.findings = check_end(o->check);
    if (!launch->profile->is_uncounted && !counted.fault)
        run_proofs(launch, counted.instructions, &counted);
    counted.is_as_compiled = launch->compiled != NULL;
    counted.parameters = launch->sim.parameters;
    for (size_t i = 0; i < o->ordered.count; i++)
        profile_push_finding(&counted.findings, &o->ordered.list[i]);
    profile_free_findings(&o->ordered);
    profile_finish(o->recorder, launch->profile, &counted);
    run_free_passed(passed, result->passed_count);
    run_fault_free(&where);
}

void run_observers_begin(struct run_observers *o, const struct run_launch *launch,
                         const struct run_every_block *every) {
    *o = (struct run_observers){0};
    for (size_t i = 0; i < launch->observer_count; i++)
        vec_push(&o->list, launch->observers[i]);
    if (!launch->profile)
        return;
    start_checks(o, launch);
    if (!launch->profile->is_uncounted)
        o->stream = compiled_stream_create(launch->compiled, sim_kernel_function(launch->kernel));
    o->recorder = start_recorder(launch, every, o->stream);
    if (launch->profile->is_uncounted)
        return;
    vec_push(&o->list, compiled_stream_before(o->stream, profile_observer(o->recorder)));
    vec_push(&o->list, profile_tracer(o->recorder));
    run_proofs_begin(&o->proving, launch);
}

void run_observers_drop(struct run_observers *o) {
    run_proofs_wait(&o->proving);
    if (o->recorder) {
        struct profile_findings none = check_end(o->check);
        profile_free_findings(&none);
        profile_drop(o->recorder);
    }
    compiled_stream_free(o->stream);
    vec_free(&o->list);
}

void run_observers_end(struct run_observers *o, const struct run_launch *launch,
                       const struct run_every_block *every, const struct sim_result *result) {
    run_proofs_wait(&o->proving);
    if (o->recorder)
        finish_recorder(o, launch, every, result);
    compiled_stream_free(o->stream);
    vec_free(&o->list);
}
