// engines FIRST COUNT [FILE]: launches random kernels by the interpreter and as native code.
// Memory, counts and faults must be the same. Seeds FIRST and on. FILE: instead of random kernels
// this one.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "random_run.h"
#include "run/launch.h"
#include "sim/native.h"

// Three times as native code: with a limit of instructions, which the scheduler looks at, without
// one, and in blocks that have begun in the interpreter.
enum { MOST_INSTRUCTIONS = 20000, SIDES = 4, RUNS = 2, SKIPPED = 77 };

struct totals {
    uint64_t kernels, compiled, launches, faults, unended, rows;
};

struct side {
    struct profile *profile;
    struct sim_result result;
    struct random_content content;
};

struct subject {
    uint64_t state;
    struct random_content content;
    uint8_t *parameters;
    uint32_t grid[3], block[3];
    struct side sides[SIDES];
};

// ---- Launching ------------------------------------------------------------------------------

static void choose_launch(struct subject *s) {
    static const uint32_t shapes[][3] = {{32, 1, 1}, {64, 1, 1}, {256, 1, 1}, {32, 4, 1},
                                         {96, 2, 2}, {64, 3, 1}, {16, 4, 1},  {48, 1, 1},
                                         {4, 4, 8},  {7, 5, 1}};
    static const uint32_t grids[][3] = {{1, 1, 1}, {7, 1, 1}, {2, 3, 1}, {3, 1, 2}};
    const uint64_t drawn = random_next(&s->state);
    memcpy(s->block, shapes[drawn % (sizeof shapes / sizeof *shapes)], sizeof s->block);
    memcpy(s->grid, grids[(drawn >> 16) % (sizeof grids / sizeof *grids)], sizeof s->grid);
}

static void launch(struct subject *s, const struct random_case *given, int n) {
    struct side *side = &s->sides[n];
    struct run_launch run = {.kernel = given->kernel,
                             .profile = side->profile = profile_create(RANDOM_ARCH, NULL, 0),
                             .arch = RANDOM_ARCH,
                             .sim = {.dynamic_shared_bytes = 1024, .parameters = s->parameters}};
    memcpy(run.sim.grid, s->grid, sizeof run.sim.grid);
    memcpy(run.sim.block, s->block, sizeof run.sim.block);
    random_content_put(given, &s->content);
    given->sim->config.engine = n ? SIM_ENGINE_COMPILE : SIM_ENGINE_INTERPRET;
    given->sim->config.max_instructions = n >= 2 ? 0 : MOST_INSTRUCTIONS;
    given->sim->config.moves_after = n == 3 ? 1 + (uint32_t)(given->seed * 37 % 400) : 0;
    run_launch(&run, &side->result);
    random_content_take(given, &side->content);
}

// ---- Comparing ------------------------------------------------------------------------------

static bool is_same_text(const char *a, const char *b) {
    return strcmp(a ? a : "", b ? b : "") == 0;
}

static bool is_counted_alike(const struct side *a, const struct side *b) {
    char *one = profile_launch_to_json(&a->profile->launches[0]);
    char *other = profile_launch_to_json(&b->profile->launches[0]);
    const bool same = strcmp(one, other) == 0;
    free(one);
    free(other);
    return same;
}

// What differs, in words; NULL: nothing.
static const char *compare(const struct side *a, const struct side *b) {
    const struct sim_result *x = &a->result, *y = &b->result;
    if (x->fault != y->fault || !is_same_text(x->message, y->message))
        return "other faults";
    if (x->fault == SIM_OK && memcmp(&a->content, &b->content, sizeof a->content) != 0)
        return "memory differs";
    if (x->instructions != y->instructions || x->thread_instructions != y->thread_instructions ||
        x->barriers != y->barriers)
        return "other instructions";
    return is_counted_alike(a, b) ? NULL : "other counts";
}

static void report(const struct subject *s, const struct random_case *given, int side,
                   const char *wrong) {
    printf("%s\nseed %" PRIu64 ", grid %u x %u x %u, block %u x %u x %u, side %d: %s\n",
           given->text->text.data, given->seed, s->grid[0], s->grid[1], s->grid[2], s->block[0],
           s->block[1], s->block[2], side, wrong);
    for (int n = 0; n <= side; n += side) {
        const struct sim_result *result = &s->sides[n].result;
        char *json = profile_launch_to_json(&s->sides[n].profile->launches[0]);
        printf("%" PRIu64 " instructions, %" PRIu64 " by threads, %" PRIu64 " barriers, %s\n%s\n",
               result->instructions, result->thread_instructions, result->barriers,
               result->message ? result->message : "no fault", json);
        free(json);
    }
    fflush(stdout);
}

static void end(struct subject *s, int side) {
    sim_result_free(&s->sides[side].result);
    profile_free(s->sides[side].profile);
}

// One launch, by all engines. False: they differ.
static bool launch_all(struct subject *s, const struct random_case *given) {
    struct totals *totals = given->totals;
    random_parameters(&s->state, (uint64_t)(uintptr_t)given->buffer, s->parameters);
    random_content_make(given, &s->state, &s->content);
    launch(s, given, 0);
    const struct sim_result *result = &s->sides[0].result;
    // Where a launch is when it has had enough is not said, nor who has failed first then.
    const bool has_ended =
        result->fault != SIM_FAULT_INSTRUCTION_LIMIT && result->instructions < MOST_INSTRUCTIONS;
    totals->launches++;
    totals->faults += result->fault != SIM_OK;
    totals->unended += !has_ended;
    bool good = true;
    for (int n = 1; good && has_ended && n < SIDES; n++) {
        launch(s, given, n);
        const char *wrong =
            given->kernel->native ? compare(&s->sides[0], &s->sides[n]) : "it was not compiled";
        good = !wrong;
        if (wrong)
            report(s, given, n, wrong);
        end(s, n);
    }
    end(s, 0);
    return good;
}

static bool is_good(const struct random_case *given) {
    struct subject s = {.state = given->seed, .parameters = base_alloc(1 << 12)};
    struct totals *totals = given->totals;
    bool good = true;
    choose_launch(&s);
    for (int run = 0; good && run < RUNS; run++)
        good = launch_all(&s, given);
    totals->kernels++;
    totals->compiled += given->kernel->native != NULL;
    free(s.parameters);
    return good;
}

static void print_totals(const void *of) {
    const struct totals *totals = of;
    printf("%" PRIu64 " kernels, %" PRIu64 " compiled; %" PRIu64 " launches, %" PRIu64
           " ended in a fault, %" PRIu64 " at the limit\n",
           totals->kernels, totals->compiled, totals->launches, totals->faults, totals->unended);
}

static void make(struct random_kernel *kernel, uint64_t seed) {
    if (seed % 2)
        random_kernel_make(kernel, seed);
    else
        random_race_make(kernel, seed);
}

int main(int argc, char **argv) {
    static const struct random_program program = {.name = "engines",
                                                  .most_instructions = MOST_INSTRUCTIONS,
                                                  .takes_file = true,
                                                  .is_silent = true,
                                                  .make = make,
                                                  .is_good = is_good,
                                                  .print_totals = print_totals};
    sim_compiler_at(getenv("BANKRUN_COMPILER"));
    sim_limit_lanes(getenv("BANKRUN_LANES"));
    const char *why = sim_compiler_missing();
    if (why) {
        fprintf(stderr, "kernels cannot be compiled: %s\n", why);
        return SKIPPED;
    }
    struct totals totals = {0};
    const int status = random_main(&program, &totals, argc, argv);
    return status ? status : !totals.compiled;
}
