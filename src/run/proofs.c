// What is proved of a launch's accesses: see prove/prove.h. A proof takes from a millisecond to a
// tenth of a second, and programs launch a kernel many times; so proofs are kept, by kernel, shape
// and parameters, and begun while the launch runs.
#define _GNU_SOURCE // pthread_setname_np
#include "run/proofs.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/pool.h"
#include "compiled/merges.h"
#include "compiled/moved.h"
#include "prove/words.h"

// A launch must not wait long for its proof, nor the process keep very many. A step takes as long
// as a hundred instructions that run.
enum { MOST_STEPS = 150000, FEW_STEPS = 400, WORTHWHILE = 4, MOST_KEPT = 16384 };

struct key {
    uint64_t module;
    const void *kernel;
    uint32_t arch, block[3], grid[3]; // grid 0: any, and any parameters
    uint64_t parameters;              // hashed
    uint64_t dynamic;                 // bytes of shared memory that the launch asks for
};

struct kept {
    struct key key;
    struct profile_proof *proofs; // NULL: the kernel has no site that may access shared memory
    uint64_t steps;
    uint32_t site_count;
    bool is_settled; // no more can be known of any launch
    struct profile_race_proof races;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct map kept_by_key; // struct key -> struct kept
static size_t kept_count;

static void add_choice(const struct prove_site *site, struct profile_choice *choice) {
    if (site->verdict != PROVE_DEPENDS || !(site->parameter_bytes || site->is_width))
        return;
    choice->is_width = site->is_width;
    choice->offset = site->parameter_offset;
    choice->bytes = site->parameter_bytes;
    for (int r = 0; r < PROVE_RESIDUES; r++)
        choice->degrees[r] = (uint8_t)site->residues[r];
}

static struct profile_proof in_words(const struct prove_site *site) {
    struct profile_proof proof = {.degrees = site->degrees, .degree = site->degree};
    add_choice(site, &proof.choice);
    switch (site->verdict) {
    case PROVE_EXACT:
        proof.verdict = PROFILE_PROVED;
        return proof;
    case PROVE_FULL:
    case PROVE_DEPENDS:
    case PROVE_BOUNDED:
        proof.verdict = PROFILE_BOUNDED;
        break;
    default:
        proof.verdict = PROFILE_OBSERVED;
    }
    proof.why = site->what;
    proof.line = prove_line(site->function, site->instruction);
    return proof;
}

// Words are kept as long as the process lives.
static const char *kept_words(struct strbuf *words) {
    const char *kept = words->length ? strbuf_take(words) : NULL;
    strbuf_free(words);
    return kept;
}

static enum profile_fit fit_of(enum prove_fit fit, bool is_sure) {
    switch (fit) {
    case PROVE_FIT_NONE:
        return PROFILE_FIT_NONE;
    case PROVE_FITS:
        return PROFILE_FITS;
    case PROVE_MISFITS:
        return is_sure ? PROFILE_MISFITS : PROFILE_CAN_MISFIT;
    default:
        return PROFILE_FIT_UNKNOWN;
    }
}

// Alignment is worth words where it is not proved.
static void place(const struct prove_site *site, unsigned width, struct profile_proof *proof) {
    const enum profile_fit bounds = fit_of(site->bounds.fit, site->bounds.is_sure),
                           alignment = fit_of(site->alignment.fit, site->alignment.is_sure);
    struct strbuf words = {0};
    if (!bounds)
        return;
    prove_put_bounds(&words, site, width);
    if (alignment > PROFILE_FITS && width > 1) {
        strbuf_puts(&words, "; ");
        prove_put_alignment(&words, site, width);
    }
    proof->fit = alignment > bounds && width > 1 ? alignment : bounds;
    proof->bounds = kept_words(&words);
}

static void look_at_races(struct kept *kept, const struct ir_function *kernel,
                          const struct prove_launch *asked) {
    static const enum profile_freedom freedoms[] = {[PROVE_FREE] = PROFILE_RACE_FREE,
                                                    [PROVE_RACE] = PROFILE_RACES,
                                                    [PROVE_NOT_FREE] = PROFILE_FREEDOM_UNKNOWN};
    const struct prove_races races = prove_races(kernel, asked);
    struct strbuf words = {0};
    if (!races.has_shared)
        return;
    prove_put_races(&words, &races, asked->block);
    kept->races = (struct profile_race_proof){freedoms[races.freedom], kept_words(&words)};
    kept->steps += races.steps;
}

static bool reads_width(const struct ir_function *kernel) {
    uint32_t count;
    const struct ir_function **functions = ir_reachable(kernel, &count);
    bool is_read = false;
    for (uint32_t f = 0; f < count; f++)
        for (uint32_t i = 0; i < functions[f]->instruction_count; i++)
            for (uint32_t o = 0; o < functions[f]->instructions[i].operand_count; o++) {
                const struct ir_operand *operand = &functions[f]->instructions[i].operands[o];
                is_read |= operand->kind == IR_OPERAND_SREG && operand->sreg == PTX_SREG_ntid_x;
            }
    free(functions);
    return is_read;
}

// Rows that are as long as the block is wide have the block's conflicts, which is no matter of the
// kernel's other numbers: what if they were longer?
static void prove_widths(struct kept *kept, const struct ir_function *kernel,
                         const struct prove_launch *as_is, const struct prove_result *result) {
    bool may_conflict = false;
    for (uint32_t s = 0; s < result->site_count; s++)
        may_conflict |= result->sites[s].degree > 1 && !kept->proofs[s].choice.bytes;
    if (!may_conflict || !reads_width(kernel))
        return;
    struct prove_launch asked = *as_is;
    asked.is_width_open = true;
    asked.wants_bounds = false;
    struct prove_result *open = prove_kernel(kernel, &asked);
    for (uint32_t s = 0; s < open->site_count; s++)
        if (!kept->proofs[s].choice.bytes && open->sites[s].is_width)
            add_choice(&open->sites[s], &kept->proofs[s].choice);
    prove_free(open);
}

static void find_moved(struct kept *kept, const struct ir_function *kernel,
                       const struct compiled_code *code) {
    uint32_t *moved = code ? compiled_moved(code, kernel) : NULL;
    for (uint32_t s = 0; moved && s < kept->site_count; s++)
        kept->proofs[s].moved_behind = moved[s];
    free(moved);
}

static void prove(struct kept *kept, const struct ir_function *kernel,
                  const struct run_launch *launch) {
    const struct key *key = &kept->key;
    struct prove_launch asked = {.arch = key->arch,
                                 .most_steps = MOST_STEPS,
                                 .wants_bounds = true,
                                 .layout = sim_kernel_layout(launch->kernel),
                                 .has_dynamic = true,
                                 .dynamic_bytes = key->dynamic};
    memcpy(asked.block, key->block, sizeof asked.block);
    if (key->grid[0]) {
        asked.has_grid = true;
        memcpy(asked.grid, key->grid, sizeof asked.grid);
        asked.parameters = launch->sim.parameters;
        asked.parameter_bytes = kernel->parameter_bytes;
    }
    struct prove_result *result = prove_kernel(kernel, &asked);
    kept->proofs = base_alloc((result->site_count + 1) * sizeof *kept->proofs);
    kept->steps = result->steps;
    kept->site_count = result->site_count;
    struct ir_kernel_site *sites = ir_kernel_sites(kernel, &kept->site_count);
    for (uint32_t s = 0; s < result->site_count; s++) {
        const enum prove_verdict verdict = result->sites[s].verdict;
        kept->proofs[s] = in_words(&result->sites[s]);
        place(&result->sites[s], sites[s].site->width, &kept->proofs[s]);
        kept->is_settled &= (verdict == PROVE_EXACT || verdict == PROVE_NOT_REACHED) &&
                            kept->proofs[s].fit <= PROFILE_FITS;
    }
    free(sites);
    look_at_races(kept, kernel, &asked);
    bool *may_merge = compiled_may_merge(kernel);
    for (uint32_t s = 0; s < result->site_count; s++)
        kept->proofs[s].may_merge = may_merge[s];
    free(may_merge);
    find_moved(kept, kernel, launch->compiled);
    if (!key->grid[0])
        prove_widths(kept, kernel, &asked, result);
    prove_free(result);
}

// What other launches could choose is known where they are not yet told apart.
static void keep_choices(struct kept *kept, const struct kept *any) {
    for (uint32_t s = 0; any && kept->proofs && s < kept->site_count; s++)
        kept->proofs[s].choice = any->proofs[s].choice;
}

// `any`: what is known of all launches; NULL: that is asked for.
static struct kept *find_or_prove(const struct key *key, const struct ir_function *kernel,
                                  const struct run_launch *launch, const struct kept *any) {
    struct kept *kept = map_get(&kept_by_key, (const char *)key, sizeof *key);
    if (kept || kept_count == MOST_KEPT)
        return kept;
    kept = base_alloc(sizeof *kept);
    memcpy(&kept->key, key, sizeof *key);
    kept->is_settled = true;
    if (ir_may_touch_shared(kernel))
        prove(kept, kernel, launch);
    keep_choices(kept, any);
    map_put(&kept_by_key, (const char *)&kept->key, sizeof kept->key, kept);
    kept_count++;
    return kept;
}

// Of any grid and parameters.
static struct key key_of_any(const struct run_launch *launch, const struct ir_function *kernel) {
    struct key any;
    memset(&any, 0, sizeof any); // the bytes between members are compared, too
    any.module = kernel->module->serial;
    any.kernel = kernel;
    any.arch = launch->arch;
    memcpy(any.block, launch->sim.block, sizeof any.block);
    any.dynamic = launch->sim.dynamic_shared_bytes;
    return any;
}

// What holds for any grid and parameters is asked first. Where more could be known of this launch
// alone it is proved, too, if that takes little beside the launch itself.
static const struct kept *find(const struct run_launch *launch, const struct ir_function *kernel,
                               uint64_t instructions) {
    const struct key any = key_of_any(launch, kernel);
    struct key exact;
    const struct kept *kept = find_or_prove(&any, kernel, launch, NULL);
    if (!kept || kept->is_settled ||
        (kept->steps > FEW_STEPS && instructions / kept->steps < WORTHWHILE))
        return kept;
    memcpy(&exact, &any, sizeof exact);
    memcpy(exact.grid, launch->sim.grid, sizeof exact.grid);
    exact.parameters = hash_bytes(launch->sim.parameters, kernel->parameter_bytes);
    const struct kept *more = find_or_prove(&exact, kernel, launch, kept);
    return more ? more : kept;
}

void run_proofs(const struct run_launch *launch, uint64_t instructions,
                struct profile_launch_result *result) {
    const struct ir_function *kernel = sim_kernel_function(launch->kernel);
    pthread_mutex_lock(&lock);
    const struct kept *kept = find(launch, kernel, instructions);
    pthread_mutex_unlock(&lock);
    if (!kept)
        return;
    result->proofs = kept->proofs; // nothing that is kept changes any more
    result->proof_count = kept->site_count;
    result->races = kept->races;
}

// ---- While the launch runs ----------------------------------------------------------------------

static void *prove_any(void *context) {
    const struct run_launch *launch = context;
    const struct ir_function *kernel = sim_kernel_function(launch->kernel);
    const struct key any = key_of_any(launch, kernel);
    pthread_mutex_lock(&lock);
    find_or_prove(&any, kernel, launch, NULL);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static bool is_wanted(const struct run_launch *launch) {
    const struct ir_function *kernel = sim_kernel_function(launch->kernel);
    const struct key any = key_of_any(launch, kernel);
    if (sim_threads(sim_kernel_device(launch->kernel)) == 1 || !ir_may_touch_shared(kernel))
        return false;
    pthread_mutex_lock(&lock);
    const bool is_known = map_get(&kept_by_key, (const char *)&any, sizeof any) != NULL;
    pthread_mutex_unlock(&lock);
    return !is_known && kept_count < MOST_KEPT;
}

void run_proofs_begin(struct run_proving *proving, const struct run_launch *launch) {
    enum { STACK = 8 << 20 };
    sigset_t all, before;
    pthread_attr_t attributes;
    proving->is_begun = false;
    if (!is_wanted(launch))
        return;
    sigfillset(&all); // they are for the program's threads
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    proving->is_begun =
        pthread_create(&proving->thread, &attributes, prove_any, (void *)(uintptr_t)launch) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (proving->is_begun)
        pthread_setname_np(proving->thread, POOL_THREADS "prove");
}

void run_proofs_wait(struct run_proving *proving) {
    if (proving->is_begun)
        pthread_join(proving->thread, NULL);
    proving->is_begun = false;
}
