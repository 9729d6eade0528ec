#include <math.h>

#include "bankrun/banks.h"
#include "cost/cost.h"

// Measured on an H200 alone, and taken for all machines. Cycles unless they say otherwise.
#define LAUNCH_NS 2600.0  // of a kernel that does next to nothing, launched back to back
#define CYCLES_BLOCK 1.17 // between two blocks that begin anywhere: 65,536 of one warp
#define MEMORY_PART 0.875 // of the data sheet's bandwidth that a copy reaches
#define L2_BYTES 23.0     // a cycle and multiprocessor: copies that stay in the cache
#define L2_PART 0.7       // of the cache, up to which a launch finds there what the one before left
#define MOST_BYTES 48.0   // a cycle that one multiprocessor gets, alone
// Fitted to the times of two thirds of the pairs of kernels in truth/h200_cost.csv.
#define CYCLES_ISSUE 0.262  // an instruction of PTX: four schedulers, and some become two
#define CYCLES_REQUEST 1.69 // of the data path that shared memory has, too: a global request
#define CYCLES_SECTOR 0.64  // and each of its sectors
#define LATENCY_BLOCK 200.0 // to begin and end
#define LATENCY_L2 333.0    // of a load
#define LATENCY_FAR 1450.0
#define LATENCY_SHARED 4.0    // a request, as far as others of the warp do not hide it
#define LATENCY_BARRIER 115.0 // of a block, for each warp that waits there
#define LATENCY_INSTRUCTION 1.32
#define LOADS_AT_ONCE 8.0 // of a warp, that wait together

const char *const cost_bound_key[COST_BOUNDS] = {
    [COST_SHARED] = "shared",   [COST_GLOBAL] = "global", [COST_ISSUE] = "issue",
    [COST_LATENCY] = "latency", [COST_BLOCKS] = "blocks", [COST_LAUNCH] = "launch",
};

const char *const cost_bound_text[COST_BOUNDS] = {
    [COST_SHARED] = "shared memory",       [COST_GLOBAL] = "global memory",
    [COST_ISSUE] = "issuing instructions", [COST_LATENCY] = "latency",
    [COST_BLOCKS] = "starting blocks",     [COST_LAUNCH] = "the launch",
};

static double larger(double a, double b) {
    return a > b ? a : b;
}

static double smaller(double a, double b) {
    return a < b ? a : b;
}

static bool is_cached(const struct cost_machine *machine, const struct cost_counts *counts) {
    return counts->sectors * 32 < machine->l2_bytes * L2_PART;
}

// One warp, from its block's beginning to its end, if it meets no other.
static double cycles_of_warp(const struct cost_machine *machine, const struct cost_counts *counts) {
    const double warps = counts->blocks * ((counts->threads + 31) / 32);
    const double load = is_cached(machine, counts) ? LATENCY_L2 : LATENCY_FAR;
    const double loads = counts->global_loads / warps;
    return LATENCY_BLOCK + (loads > 0 ? load * larger(1, loads / LOADS_AT_ONCE) : 0) +
           counts->shared_requests / warps * LATENCY_SHARED +
           (counts->threads > 32 ? counts->barriers / warps * LATENCY_BARRIER : 0) +
           counts->instructions / warps * LATENCY_INSTRUCTION + counts->shared_wavefronts / warps;
}

static double global_ns(const struct cost_machine *machine, const struct cost_counts *counts) {
    const double bytes = counts->sectors * 32;
    const double cycle = machine->clock * machine->multiprocessors;
    const double bandwidth =
        is_cached(machine, counts) ? L2_BYTES * cycle : machine->memory * MEMORY_PART;
    const double busy = smaller(counts->blocks, machine->multiprocessors);
    return larger(bytes / bandwidth, bytes / (busy * MOST_BYTES * machine->clock));
}

struct cost_time cost_time_of(const struct cost_machine *machine,
                              const struct cost_counts *counts) {
    struct cost_time time = {0};
    const unsigned resident = bankrun_occupancy(bankrun_limits_of(machine->arch), counts->threads,
                                                counts->registers, counts->shared_bytes);
    if (counts->blocks < 1 || resident == 0)
        return time;
    // Of the multiprocessor that has most to do.
    const double blocks = ceil(counts->blocks / machine->multiprocessors);
    const double part = blocks / counts->blocks / machine->clock;
    time.by[COST_SHARED] =
        part * (counts->shared_wavefronts + CYCLES_REQUEST * counts->global_requests +
                CYCLES_SECTOR * counts->sectors);
    time.by[COST_GLOBAL] = global_ns(machine, counts);
    time.by[COST_ISSUE] = part * counts->instructions * CYCLES_ISSUE;
    time.by[COST_LATENCY] =
        larger(1, blocks / resident) * cycles_of_warp(machine, counts) / machine->clock;
    time.by[COST_BLOCKS] = counts->blocks * CYCLES_BLOCK / machine->clock;
    time.by[COST_LAUNCH] = LAUNCH_NS;
    double sum = 0;
    for (int bound = 0; bound < COST_LAUNCH; bound++) {
        const double square = time.by[bound] * time.by[bound];
        sum += square * square;
    }
    time.all = LAUNCH_NS + sqrt(sqrt(sum)); // exact to the last bit everywhere, as pow() is not
    for (int bound = 0; bound < COST_BOUNDS; bound++)
        if (time.by[bound] > time.by[time.bottleneck])
            time.bottleneck = (enum cost_bound)bound;
    return time;
}

struct cost_time cost_time_without(const struct cost_machine *machine,
                                   const struct cost_counts *counts, double excess) {
    struct cost_counts cured = *counts;
    cured.shared_wavefronts = larger(0, cured.shared_wavefronts - excess);
    return cost_time_of(machine, &cured);
}

double cost_gain(const struct cost_time *now, const struct cost_time *then) {
    return then->all > 0 ? now->all / then->all : 1;
}

bool cost_is_worth(double gain) {
    return gain >= 1.05;
}
