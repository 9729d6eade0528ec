#include "sim/flow/lost.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "sim/memory/memory.h"

// The handler of a signal must not be the first to touch it: memory would be allocated for it.
static _Thread_local struct sim_worker *of_this_thread __attribute__((tls_model("initial-exec")));

void sim_lost_begin(struct sim_worker *worker) {
    worker->lost = base_alloc(sizeof *worker->lost);
    of_this_thread = worker;
}

void sim_lost_end(struct sim_worker *worker) {
    of_this_thread = NULL;
    free(worker->lost);
    worker->lost = NULL;
}

// ---- In the handler ---------------------------------------------------------------------------

static const struct ir_instruction *ir_of(const struct sim_lost *lost) {
    const struct sim_warp_flow *flow = lost->warp->flow;
    return &flow->splits[flow->current].frame->code->ir->instructions[lost->instr->ir];
}

static uint64_t address_of(const struct sim_lost *lost, unsigned lane) {
    const struct sim_access *access = lost->instr->access;
    const void *base = access->has_base ? sim_at(lost->warp, access->base) : NULL;
    return access->offset + (!base                ? 0
                             : access->base_is_32 ? ((const uint32_t *)base)[lane]
                                                  : ((const uint64_t *)base)[lane]);
}

// The lanes that access the page. Their addresses are there yet: registers are written when all
// was read.
static uint32_t lanes_at(const struct sim_lost *lost, uint64_t page, uint64_t page_bytes) {
    uint32_t lanes = 0;
    if (ir_of(lost)->site == IR_NONE)
        return 0;
    const uint64_t width = (uint64_t)lost->instr->access->bytes * lost->instr->access->count;
    EACH_LANE(l, lost->warp->mask) {
        const uint64_t address = address_of(lost, l);
        lanes |= address < page + page_bytes && address + width > page ? 1u << l : 0;
    }
    return lanes;
}

static void note(struct sim_lost *lost, const siginfo_t *info, uint64_t page, uint64_t page_bytes) {
    const uint32_t lanes = lanes_at(lost, page, page_bytes);
    if (!lost->signal) {
        lost->signal = info->si_signo;
        lost->code = info->si_code;
        lost->address = lanes ? address_of(lost, (unsigned)__builtin_ctz(lanes))
                              : (uint64_t)(uintptr_t)info->si_addr;
    }
    lost->lanes |= lanes;
}

// Whether a signal is about memory that is not there, and not one that somebody sent.
static bool is_loss(const siginfo_t *info) {
    return info->si_signo == SIGSEGV ? info->si_code == SEGV_MAPERR || info->si_code == SEGV_ACCERR
                                     : info->si_signo == SIGBUS && info->si_code == BUS_ADRERR;
}

static bool take(const struct sim_worker *worker, const siginfo_t *info) {
    struct sim_lost *lost = worker->lost;
    struct sim_space *space = worker->memory->space;
    const uint64_t address = (uint64_t)(uintptr_t)info->si_addr;
    const uint64_t page_bytes = space->stand_ins->page_bytes;
    const uint64_t page = address / page_bytes * page_bytes;
    const struct sim_allocation *found = sim_memory_find(worker->memory, address, false);
    if (!found || found->kind != SIM_HOST || lost->page_count == SIM_STAND_INS ||
        address - space->begin < space->end - space->begin)
        return false;
    const enum sim_stand_in_result result = sim_stand_in_take(
        space->stand_ins, page, info->si_signo == SIGSEGV && info->si_code == SEGV_MAPERR);
    if (result == SIM_STAND_IN_NONE)
        return false;
    if (result == SIM_STAND_IN_THERE)
        lost->pages[lost->page_count++] = page;
    lost->allocation = found->address;
    note(lost, info, page, page_bytes);
    return true;
}

bool sim_host_memory_lost(const siginfo_t *info) {
    const struct sim_worker *worker = of_this_thread;
    if (!worker || !worker->lost->instr || !is_loss(info))
        return false;
    const int error = errno;
    const bool is_taken = take(worker, info);
    errno = error;
    return is_taken;
}

// ---- Behind the instruction -------------------------------------------------------------------

static const char *how(const struct sim_lost *lost) {
    return lost->signal == SIGBUS      ? "of which its file has less"
           : lost->code == SEGV_ACCERR ? "which was protected"
                                       : "which was unmapped";
}

static void raise_lost(struct sim_warp *warp, const struct sim_instr *instr) {
    struct sim_lost *lost = warp->block->worker->lost;
    for (size_t i = 0; i < lost->page_count; i++)
        sim_stand_in_drop(warp->block->worker->memory->space->stand_ins, lost->pages[i]);
    lost->page_count = 0;
    const uint32_t lanes = lost->lanes ? lost->lanes : warp->mask & -warp->mask;
    lost->lanes = 0;
    const char *why = how(lost);
    lost->signal = 0;
    sim_raise(warp, instr, SIM_FAULT_ILLEGAL_ADDRESS, (unsigned)__builtin_ctz(lanes), lost->address,
              "access at 0x%" PRIx64 ": inside the host memory that was registered at 0x%" PRIx64
              ", %s while the kernel ran",
              lost->address, lost->allocation, why);
    sim_raise_too(warp, lanes);
}

const struct sim_instr *sim_step_guarded(struct sim_warp *warp, const struct sim_instr *pc) {
    struct sim_lost *lost = warp->block->worker->lost;
    lost->warp = warp;
    lost->instr = pc;
    const struct sim_instr *next = pc->run[warp->is_full](warp, pc);
    if (lost->signal) {
        raise_lost(warp, pc);
        next = NULL;
    }
    lost->instr = NULL;
    return next;
}

void sim_execute_guarded(struct sim_warp *warp, const struct sim_instr *pc) {
    while (pc)
        pc = sim_step_guarded(warp, pc);
}
