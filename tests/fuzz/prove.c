// prove FIRST COUNT [FILE]: proves random kernels and runs them. What a request costs may never
// contradict what was proved of its site. Seeds FIRST and on; the same seeds make the same kernels,
// and launch them alike. FILE: instead of random kernels this one, launched as those are.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "profile/recorder.h"
#include "prove/prove.h"
#include "random_run.h"

enum {
    RUNS = 3, // of each kernel, with other parameters and other contents of memory
    MOST_INSTRUCTIONS = 6000,
    PROOFS = 3, // for any launch; for a grid; for a grid and parameters
    VERDICTS = PROVE_OBSERVED + 1,
    FITS = PROVE_MISFITS + 1,
    DYNAMIC_BYTES = 1024,
};

// ---- Counts ---------------------------------------------------------------------------------

static const char *const verdict_names[VERDICTS] = {"not reached", "exact",   "full",
                                                    "depends",     "bounded", "observed"};
static const char *const trait_names[TRAIT_COUNT] = {
    "thread",    "block",    "parameter", "loaded",  "loop counter",   "variable",
    "product",   "quotient", "bits",      "shift",   "route",          "choice",
    "converted", "wide",     "narrow",    "carry",   "exchanged",      "call",
    "generic",   "guarded",  "in branch", "in loop", "in open branch", "local"};

struct totals {
    uint64_t kernels, faults, faulted, requests, sites, untrusted;
    uint64_t bounds[FITS], alignments[FITS];
    uint64_t verdicts[VERDICTS];
    uint64_t by_trait[TRAIT_COUNT][VERDICTS];
    uint64_t attained, unattained; // degrees of exact sites
    struct random_reasons reasons, troubles;
};

// ---- One kernel -----------------------------------------------------------------------------

struct proof {
    struct prove_launch launch;
    struct prove_result *result;
    bool holds; // of the run that is being made
    const char *what;
    uint64_t *seen; // degrees of each site
    bool *has_left; // of each site: some access was not inside of its array
};

struct subject {
    uint64_t seed, state;
    const struct random_kernel *text;
    const struct ir_function *kernel;
    struct ir_kernel_site *sites;
    struct counter_rule *rules;
    uint32_t site_count;
    struct proof proofs[PROOFS];
    uint8_t parameters[RANDOM_PARAMETER_BYTES];
    uint32_t all_lanes[32]; // of each warp
    bool has_failed;
    struct totals *totals;
};

static const char *broken_rule(const struct subject *s, const struct prove_site *site,
                               const struct event_access *event, const struct bankrun_cost *cost) {
    const uint64_t bit =
        1ull << ((cost->degree < PROVE_MAX_DEGREE ? cost->degree : PROVE_MAX_DEGREE) - 1);
    const bool is_all = event->mask == s->all_lanes[event->warp];
    if (site->verdict == PROVE_NOT_REACHED)
        return "it is reached";
    if (cost->degree > site->degree)
        return "the degree is higher";
    if (!site->has_excess && cost->wavefronts != cost->ideal)
        return "there is an excess";
    if (site->verdict == PROVE_EXACT && !(site->degrees & bit))
        return "no request has that degree";
    if (site->verdict == PROVE_FULL && is_all && !(site->degrees & bit))
        return "no request of all lanes has that degree";
    return NULL;
}

// It is proved to stay in its array, for the parameters of this run.
static bool is_said_to_stay(const struct subject *s, const struct prove_bounds *bounds) {
    const struct prove_assumption *condition = &bounds->condition;
    uint64_t number = 0;
    if (bounds->fit != PROVE_FITS_IF)
        return bounds->fit == PROVE_FITS;
    memcpy(&number, s->parameters + condition->offset, condition->bytes);
    const int64_t is = condition->bytes == 4 ? (int32_t)number : (int64_t)number;
    return is < 0 ? condition->may_be_negative : (uint64_t)is <= condition->most;
}

// What is said of where accesses lie against one lane's.
static const char *broken_place(const struct subject *s, const struct prove_site *site,
                                const struct ir_site *about, uint32_t offset, bool *has_left) {
    const struct prove_bounds *bounds = &site->bounds;
    const int64_t first = (int64_t)offset - (int64_t)(bounds->array ? bounds->array->offset : 0),
                  last = first + (int64_t)about->width - 1;
    const bool leaves = first < 0 || !bounds->has_bytes || last >= (int64_t)bounds->bytes;
    *has_left |= leaves;
    if (is_said_to_stay(s, bounds) && leaves)
        return "it leaves its array";
    if (bounds->has_reach && (first < bounds->low || last > bounds->high))
        return "it is out of reach";
    if (site->alignment.fit == PROVE_FITS && offset % about->width)
        return "it is misaligned";
    return NULL;
}

static void report(struct subject *s, const struct proof *proof, const char *rule,
                   const struct event_access *event, const struct bankrun_cost *cost) {
    const struct prove_site *site = &proof->result->sites[event->site];
    const uint32_t *block = proof->launch.block;
    s->has_failed = true;
    printf("%s\nseed %" PRIu64 ", %s, block %u x %u x %u, arch %u: %s\n",
           strbuf_string(&s->text->text), s->seed, proof->what, block[0], block[1], block[2],
           proof->launch.arch, rule);
    printf("site %u, %s: %s, degree %u, degrees %" PRIx64 "%s (%s)\n", event->site,
           s->sites[event->site].site->text, verdict_names[site->verdict], site->degree,
           site->degrees, site->has_excess ? ", excess" : "", site->what ? site->what : "");
    printf("bounds %d, bytes %" PRIu64 " from %" PRIu64 ", reach %" PRId64 " to %" PRId64
           ", alignment %d\n",
           site->bounds.fit, site->bounds.bytes,
           site->bounds.array ? site->bounds.array->offset : 0, site->bounds.low, site->bounds.high,
           site->alignment.fit);
    printf("a request of block %u %u, warp %u, lanes %08x has degree %u, wavefronts %u (%u to %u), "
           "ideal %u:",
           event->block[0], event->block[1], event->warp, event->mask, cost->degree,
           cost->wavefronts, cost->min, cost->max, cost->ideal);
    for (int l = 0; l < WARP_LANES; l++)
        if (event->mask >> l & 1)
            printf(" %u", event->offsets[l]);
    printf("\n");
    fflush(stdout);
}

static void hear(void *context, const struct event_access *event) {
    struct subject *s = context;
    struct bankrun_cost cost;
    if (event->space != SITE_SHARED || event->site >= s->site_count ||
        !profile_cost(&s->rules[event->site], event, &cost))
        return;
    s->totals->requests++;
    for (int p = 0; p < PROOFS; p++) {
        struct proof *proof = &s->proofs[p];
        if (!proof->holds || proof->result->trouble || s->has_failed)
            continue;
        const struct prove_site *site = &proof->result->sites[event->site];
        const char *rule = broken_rule(s, site, event, &cost);
        for (uint32_t left = event->mask & s->rules[event->site].lanes; left && !rule;
             left &= left - 1)
            rule = broken_place(s, site, s->sites[event->site].site,
                                event->offsets[__builtin_ctz(left)], &proof->has_left[event->site]);
        if (rule)
            report(s, proof, rule, event, &cost);
        proof->seen[event->site] |=
            1ull << ((cost.degree < PROVE_MAX_DEGREE ? cost.degree : PROVE_MAX_DEGREE) - 1);
    }
}

static bool is_shared(const struct ir_site *site) {
    return strstr(site->text, ".shared") != NULL || site->is_generic;
}

// An access that faulted is none that was proved to fit.
static void hear_fault(struct subject *s, const struct sim_result *result) {
    const bool is_beyond =
        result->fault == SIM_FAULT_ILLEGAL_ADDRESS || result->fault == SIM_FAULT_INVALID_SPACE;
    if (!is_beyond && result->fault != SIM_FAULT_MISALIGNED)
        return;
    for (int p = 0; p < PROOFS; p++)
        for (uint32_t n = 0; n < s->site_count; n++) {
            const struct proof *proof = &s->proofs[p];
            const struct prove_site *site = &proof->result->sites[n];
            if (!proof->holds || proof->result->trouble || s->has_failed ||
                s->sites[n].function != result->function ||
                s->sites[n].site->location != result->location || !is_shared(s->sites[n].site))
                continue;
            s->totals->faulted++;
            if (is_beyond ? !is_said_to_stay(s, &site->bounds) : site->alignment.fit != PROVE_FITS)
                continue;
            s->has_failed = true;
            printf("%s\nseed %" PRIu64 ", %s: site %u is proved to fit, but: %s\n",
                   strbuf_string(&s->text->text), s->seed, proof->what, n, result->message);
        }
}

// What surely leaves its array, or is misaligned, did.
static void hear_end(struct subject *s) {
    for (int p = 0; p < PROOFS; p++)
        for (uint32_t n = 0; n < s->site_count; n++) {
            const struct proof *proof = &s->proofs[p];
            const struct prove_bounds *bounds = &proof->result->sites[n].bounds;
            const struct prove_alignment *alignment = &proof->result->sites[n].alignment;
            if (!proof->holds || proof->result->trouble || s->has_failed ||
                !((bounds->fit == PROVE_MISFITS && bounds->is_sure && !proof->has_left[n]) ||
                  (alignment->fit == PROVE_MISFITS && alignment->is_sure)))
                continue;
            s->has_failed = true;
            printf("%s\nseed %" PRIu64 ", %s: site %u surely does not fit, but all went well\n",
                   strbuf_string(&s->text->text), s->seed, proof->what, n);
        }
}

static void *same(void *context, unsigned worker) {
    (void)worker;
    return context;
}

static void run(struct subject *s, struct sim_kernel *kernel, uint8_t *buffer) {
    const struct event_observer observer = {.context = s, .worker_begin = same, .access = hear};
    const struct event_observer *observers[] = {&observer};
    const struct prove_launch *with = &s->proofs[PROOFS - 1].launch;
    uint8_t *parameters = base_alloc(s->kernel->parameter_bytes + RANDOM_PARAMETER_BYTES);
    memcpy(parameters, s->parameters, RANDOM_PARAMETER_BYTES);
    for (unsigned i = 0; i < RANDOM_BUFFER_BYTES; i += 8) {
        uint64_t number = random_next(&s->state);
        if (number & 1)
            number &= 0x3f0000003full;
        memcpy(buffer + i, &number, sizeof number);
    }
    const struct sim_launch launch = {
        .grid = {with->grid[0], with->grid[1], with->grid[2]},
        .block = {with->block[0], with->block[1], with->block[2]},
        .dynamic_shared_bytes = DYNAMIC_BYTES,
        .parameters = parameters,
        .observers = observers,
        .observer_count = 1,
    };
    struct sim_result result;
    sim_launch(kernel, &launch, &result);
    s->totals->faults += result.fault != SIM_OK;
    hear_fault(s, &result);
    if (result.fault == SIM_OK)
        hear_end(s);
    sim_result_free(&result);
    free(parameters);
}

// ---- Verdicts -------------------------------------------------------------------------------

static void count_site(struct subject *s, const struct proof *proof, uint32_t n) {
    struct totals *totals = s->totals;
    const struct prove_site *site = &proof->result->sites[n];
    if (!is_shared(s->sites[n].site))
        return;
    totals->sites++;
    totals->verdicts[site->verdict]++;
    totals->bounds[site->bounds.fit]++;
    totals->alignments[site->alignment.fit]++;
    if (site->verdict == PROVE_OBSERVED && site->what)
        random_count_reason(&totals->reasons, site->what);
    if (site->verdict == PROVE_EXACT && !s->text->has_open_branches) {
        totals->attained += (unsigned)__builtin_popcountll(site->degrees & proof->seen[n]);
        totals->unattained += (unsigned)__builtin_popcountll(site->degrees & ~proof->seen[n]);
    }
    if (s->text->sites.length != s->kernel->site_count || n >= s->kernel->site_count)
        return;
    for (unsigned t = 0; t < TRAIT_COUNT; t++)
        totals->by_trait[t][site->verdict] += s->text->sites.data[n] >> t & 1;
}

static void count(struct subject *s) {
    s->totals->kernels++;
    for (int p = 0; p < PROOFS; p++) {
        const struct proof *proof = &s->proofs[p];
        if (proof->result->trouble) {
            s->totals->untrusted++;
            random_count_reason(&s->totals->troubles, proof->result->trouble);
            continue;
        }
        for (uint32_t n = 0; n < s->site_count; n++)
            count_site(s, proof, n);
    }
}

// ---- All kernels ----------------------------------------------------------------------------

static void choose_launch(struct subject *s) {
    static const uint32_t shapes[][3] = {
        {32, 1, 1}, {32, 1, 1},  {64, 1, 1}, {48, 1, 1},  {8, 8, 1}, {16, 16, 1}, {32, 4, 1},
        {4, 4, 8},  {256, 1, 1}, {7, 5, 1},  {128, 1, 1}, {1, 1, 1}, {3, 3, 3}};
    static const unsigned archs[] = {90, 90, 90, 80, 75, 70, 61, 50, 35, 100, 120, 86};
    const uint64_t drawn = random_next(&s->state);
    const uint32_t *shape = shapes[drawn % (sizeof shapes / sizeof *shapes)];
    const unsigned arch = archs[(drawn >> 16) % (sizeof archs / sizeof *archs)];
    for (int p = 0; p < PROOFS; p++) {
        struct prove_launch *launch = &s->proofs[p].launch;
        *launch = (struct prove_launch){.arch = arch,
                                        .block = {shape[0], shape[1], shape[2]},
                                        .has_grid = p > 0,
                                        .wants_bounds = true,
                                        .wants_conditions = p == 0 && (drawn >> 52) % 2 == 0,
                                        .has_dynamic = p > 0,
                                        .dynamic_bytes = p > 0 ? DYNAMIC_BYTES : 0,
                                        .grid = {1 + (drawn >> 32) % 3, 1 + (drawn >> 40) % 2, 1}};
    }
    s->proofs[0].what = "any launch";
    s->proofs[1].what = "a grid";
    s->proofs[2].what = "a grid and parameters";
    s->proofs[2].launch.parameters = s->parameters;
    s->proofs[2].launch.parameter_bytes = s->kernel->parameter_bytes < RANDOM_PARAMETER_BYTES
                                              ? s->kernel->parameter_bytes
                                              : RANDOM_PARAMETER_BYTES;
    const uint32_t threads = shape[0] * shape[1] * shape[2];
    for (uint32_t warp = 0; warp * WARP_LANES < threads; warp++)
        s->all_lanes[warp] = threads - warp * WARP_LANES >= WARP_LANES
                                 ? UINT32_MAX
                                 : (1u << (threads - warp * WARP_LANES)) - 1;
}

static void prove_and_run(struct subject *s, struct sim_kernel *kernel, uint8_t *buffer) {
    const uint32_t none[3] = {1, 1, 1};
    s->kernel = sim_kernel_function(kernel);
    s->sites = ir_kernel_sites(s->kernel, &s->site_count);
    s->rules = base_alloc((s->site_count + 1) * sizeof *s->rules);
    choose_launch(s);
    for (uint32_t n = 0; n < s->site_count; n++)
        profile_counter_rule(s->sites[n].site, s->proofs[0].launch.arch, SITE_SHARED, none,
                             &s->rules[n]);
    random_parameters(&s->state, (uint64_t)(uintptr_t)buffer, s->parameters);
    for (int p = 0; p < PROOFS; p++) {
        struct proof *proof = &s->proofs[p];
        proof->result = prove_kernel(s->kernel, &proof->launch);
        proof->seen = base_alloc((s->site_count + 1) * sizeof *proof->seen);
        proof->has_left = base_alloc(s->site_count + 1);
        proof->holds = true;
    }
    for (int r = 0; r < RUNS && !s->has_failed; r++) {
        if (r > 0) { // what was proved of the parameters no longer holds
            s->proofs[2].holds = false;
            random_parameters(&s->state, (uint64_t)(uintptr_t)buffer, s->parameters);
        }
        run(s, kernel, buffer);
    }
    count(s);
    for (int p = 0; p < PROOFS; p++) {
        prove_free(s->proofs[p].result);
        free(s->proofs[p].seen);
        free(s->proofs[p].has_left);
    }
    free(s->rules);
    free(s->sites);
}

static bool is_good(const struct random_case *given) {
    struct subject s = {
        .seed = given->seed, .state = given->seed, .text = given->text, .totals = given->totals};
    prove_and_run(&s, given->kernel, given->buffer);
    return !s.has_failed;
}

static void print_fits(const char *of, const uint64_t counts[FITS], uint64_t all) {
    static const char *const names[FITS] = {"not reached", "proved", "conditional", "unknown",
                                            "violated"};
    printf("%s:", of);
    for (unsigned f = 0; f < FITS; f++)
        printf(" %s %.2f %%%s", names[f], 100.0 * (double)counts[f] / (double)(all ? all : 1),
               f + 1 < FITS ? "," : "\n");
}

static void print_totals(const void *of) {
    const struct totals *totals = of;
    printf("%" PRIu64 " kernels, %" PRIu64 " requests, %" PRIu64 " launches ended in a fault\n",
           totals->kernels, totals->requests, totals->faults);
    printf("%" PRIu64 " proofs came to nothing\n", totals->untrusted);
    random_print_reasons(&totals->troubles);
    printf("%" PRIu64 " proofs of sites:", totals->sites);
    for (unsigned v = 0; v < VERDICTS; v++)
        printf(" %s %.1f %%%s", verdict_names[v],
               100.0 * (double)totals->verdicts[v] / (double)(totals->sites ? totals->sites : 1),
               v + 1 < VERDICTS ? "," : "\n");
    print_fits("bounds", totals->bounds, totals->sites);
    print_fits("alignments", totals->alignments, totals->sites);
    printf("%" PRIu64 " proofs were held against faults\n", totals->faulted);
    printf("of exact sites in kernels without open branches, %" PRIu64
           " degrees were seen and %" PRIu64 " were not\n",
           totals->attained, totals->unattained);
    printf("observed:\n");
    random_print_reasons(&totals->reasons);
    printf("%-16s", "by trait, %");
    for (unsigned v = 0; v < VERDICTS; v++)
        printf("%12s", verdict_names[v]);
    printf("       sites\n");
    for (unsigned t = 0; t < TRAIT_COUNT; t++) {
        uint64_t all = 0;
        for (unsigned v = 0; v < VERDICTS; v++)
            all += totals->by_trait[t][v];
        printf("%-16s", trait_names[t]);
        for (unsigned v = 0; v < VERDICTS; v++)
            printf("%12.1f", 100.0 * (double)totals->by_trait[t][v] / (double)(all ? all : 1));
        printf("%12" PRIu64 "\n", all);
    }
}

int main(int argc, char **argv) {
    static const struct random_program program = {.name = "prove",
                                                  .most_instructions = MOST_INSTRUCTIONS,
                                                  .takes_file = true,
                                                  .make = random_kernel_make,
                                                  .is_good = is_good,
                                                  .print_totals = print_totals};
    struct totals totals = {0};
    return random_main(&program, &totals, argc, argv);
}
