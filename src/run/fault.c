#include "run/fault.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/demangle.h"
#include "ptx/facts.h"

static const char *const kinds[] = {
    [SIM_FAULT_ILLEGAL_ADDRESS] = "illegal_address",
    [SIM_FAULT_MISALIGNED] = "misaligned",
    [SIM_FAULT_INVALID_SPACE] = "invalid_space",
    [SIM_FAULT_ASSERT] = "assert",
    [SIM_FAULT_TRAP] = "trap",
    [SIM_FAULT_DEADLOCK] = "deadlock",
    [SIM_FAULT_INSTRUCTION_LIMIT] = "instruction_limit",
    [SIM_FAULT_STOPPED] = "stopped",
    [SIM_FAULT_STACK] = "stack",
    [SIM_FAULT_ILLEGAL_INSTRUCTION] = "illegal_instruction",
    [SIM_FAULT_NO_BLOCK] = "no_block",
};

// Textures and surfaces are accessed by coordinates.
static bool has_coordinates(const char *mnemonic) {
    const enum ptx_isa isa = ptx_find_opcode(mnemonic, strcspn(mnemonic, "."));
    const enum ptx_access access = ptx_isa_row(isa)->access;
    return access >= PTX_ACCESS_TEXTURE && access <= PTX_ACCESS_SURFACE_QUERY;
}

static bool is_about_address(const struct sim_result *ended) {
    if (ended->instruction && has_coordinates(ended->instruction))
        return false;
    return ended->fault == SIM_FAULT_ILLEGAL_ADDRESS || ended->fault == SIM_FAULT_MISALIGNED ||
           ended->fault == SIM_FAULT_INVALID_SPACE || ended->fault == SIM_FAULT_NO_BLOCK;
}

static void describe_place(const struct sim_result *ended, struct profile_fault *where) {
    const struct ir_source_place at = ir_instruction_place(ended->function, ended->at);
    where->function = base_demangle(at.function);
    where->file = (char *)at.file;
    where->line = at.line;
    where->column = at.column;
}

static void describe_thread(const uint32_t size[3], const struct sim_result *ended,
                            struct profile_fault *where) {
    enum { LANES = 32 };
    const uint32_t *thread = ended->thread;
    const uint32_t linear = thread[0] + size[0] * (thread[1] + size[1] * thread[2]);
    where->has_thread = true;
    memcpy(where->block, ended->block, sizeof where->block);
    memcpy(where->thread, thread, sizeof where->thread);
    where->warp = linear / LANES;
    where->lane = linear % LANES;
}

static void describe_cut(const struct run_launch *launch, const struct sim_result *ended,
                         struct profile_launch_result *result) {
    const int stop = launch->stop ? *launch->stop : 0;
    if (ended->fault == SIM_FAULT_INSTRUCTION_LIMIT) {
        result->cut = PROFILE_CUT_INSTRUCTIONS;
    } else if (ended->fault == SIM_FAULT_STOPPED) {
        result->cut = stop == RUN_STOPPED_BY_EXIT ? PROFILE_CUT_EXIT
                      : stop                      ? PROFILE_CUT_SIGNAL
                                                  : PROFILE_CUT_CALLER;
        result->cut_signal = stop > 0 ? stop : 0;
    }
}

static void describe_fault(const struct run_launch *launch, const struct sim_result *ended,
                           struct profile_fault *where) {
    where->kind = (char *)kinds[ended->fault];
    where->message = ended->message ? ended->message : (char *)kinds[ended->fault];
    where->has_address = is_about_address(ended);
    where->address = where->has_address ? ended->address : 0;
    where->instruction = (char *)ended->instruction;
    if (ended->instruction) {
        describe_place(ended, where);
        describe_thread(launch->sim.block, ended, where);
    }
}

struct profile_passed *run_describe_passed(const struct run_launch *launch,
                                           const struct sim_result *ended) {
    struct profile_passed *all = base_alloc((ended->passed_count + 1) * sizeof *all);
    for (size_t i = 0; i < ended->passed_count; i++) {
        describe_fault(launch, &ended->passed[i].first, &all[i].first);
        all[i].count = ended->passed[i].count;
    }
    return all;
}

void run_free_passed(struct profile_passed *passed, size_t count) {
    for (size_t i = 0; i < count; i++)
        run_fault_free(&passed[i].first);
    free(passed);
}

void run_describe_end(const struct run_launch *launch, const struct sim_result *ended,
                      struct profile_launch_result *result, struct profile_fault *where) {
    *where = (struct profile_fault){0};
    describe_cut(launch, ended, result);
    // Where a launch was when it was stopped says nothing about it.
    if (ended->fault == SIM_OK || ended->fault == SIM_FAULT_STOPPED)
        return;
    describe_fault(launch, ended, where);
    result->fault = where->message;
    result->where = where;
}

void run_fault_free(struct profile_fault *where) {
    free(where->function);
}
