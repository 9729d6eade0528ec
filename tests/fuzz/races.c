// races FIRST COUNT [FILE]: looks for proofs that random kernels are free of races in shared
// memory, runs them, and has the checker of races look on. It may find none in a kernel that is
// proved free, and has to find one where two threads are said to race whatever the input is. Seeds
// FIRST and on; FILE: instead of random kernels this one.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "check/check.h"
#include "prove/races.h"
#include "random_run.h"

enum {
    RUNS = 4,
    MOST_INSTRUCTIONS = 6000,
    FREEDOMS = PROVE_NOT_FREE + 1,
};

struct totals {
    uint64_t kernels, faults, runs;
    uint64_t found[FREEDOMS][2]; // by verdict, and by whether the checker found a race
    struct random_reasons reasons;
};

struct subject {
    uint64_t seed, state;
    const char *text;
    const struct ir_function *kernel;
    struct prove_launch launch;
    struct prove_races proved;
    bool has_failed, has_race; // has_race: of any run
    bool has_ended;            // some run came to its end
    struct totals *totals;
};

// An access of the two names this memory.
static bool names(const struct profile_finding *finding, const char *space) {
    for (size_t i = 0; i < finding->place_count; i++) {
        const char *instruction = finding->places[i].instruction;
        if (instruction && strstr(instruction, space))
            return true;
    }
    return false;
}

static void report(struct subject *s, const char *what, const struct profile_finding *finding) {
    static const char *const names[FREEDOMS] = {"free", "race", "not proved"};
    const uint32_t *block = s->launch.block;
    s->has_failed = true;
    printf("%s\nseed %" PRIu64 ", block %u x %u x %u: %s, but %s\n", s->text, s->seed, block[0],
           block[1], block[2], names[s->proved.freedom], what);
    if (!finding)
        return;
    printf("%s: %s\n", finding->kind, finding->message);
    for (size_t i = 0; i < finding->place_count; i++)
        printf("  line %u: thread (%u,%u,%u) %s, %s\n", finding->places[i].line,
               finding->places[i].thread[0], finding->places[i].thread[1],
               finding->places[i].thread[2], finding->places[i].role,
               finding->places[i].instruction);
}

static bool find_nothing(void *context, uint64_t address, struct check_memory *found) {
    (void)context;
    (void)address;
    (void)found;
    return false;
}

static void fill(struct subject *s, uint8_t *buffer) {
    for (unsigned i = 0; i < RANDOM_BUFFER_BYTES; i += 4) {
        const uint32_t number = (uint32_t)random_next(&s->state);
        memcpy(buffer + i, &number, sizeof number);
    }
}

static void run(struct subject *s, struct sim_kernel *kernel, uint8_t *buffer) {
    uint8_t *parameters = base_alloc(s->kernel->parameter_bytes + RANDOM_PARAMETER_BYTES);
    const struct event_observer *observers[CHECK_MOST_OBSERVERS];
    random_parameters(&s->state, (uint64_t)(uintptr_t)buffer, parameters);
    fill(s, buffer);
    const uint32_t *block = s->launch.block;
    const struct check_launch checked = {.kernel = s->kernel,
                                         .layout = sim_kernel_layout(kernel),
                                         .grid = {1 + random_next(&s->state) % 3, 1, 1},
                                         .block = {block[0], block[1], block[2]},
                                         .cluster = {1, 1, 1},
                                         .dynamic_shared_bytes = 1024,
                                         .workers = 1,
                                         .is_ordered = true,
                                         .find_memory = find_nothing};
    struct check *check = check_begin(profile_check_bit(PROFILE_CHECK_RACE), &checked);
    const unsigned count = check_observers(check, observers);
    const struct sim_launch launch = {
        .grid = {checked.grid[0], 1, 1},
        .block = {block[0], block[1], block[2]},
        .dynamic_shared_bytes = 1024,
        .parameters = parameters,
        .observers = observers,
        .observer_count = count,
    };
    struct sim_result result;
    sim_launch(kernel, &launch, &result);
    struct profile_findings findings = check_end(check);
    bool has_race = false, may_have_race = false; // may: both addresses are generic
    for (size_t i = 0; i < findings.count; i++) {
        const struct profile_finding *finding = &findings.list[i];
        if (finding->is_note)
            continue;
        may_have_race |= !names(finding, ".global");
        if (!names(finding, ".shared"))
            continue;
        has_race = true;
        if (s->proved.freedom == PROVE_FREE && !s->has_failed)
            report(s, "the checker finds a race", finding);
    }
    if (s->proved.freedom == PROVE_RACE && result.fault == SIM_OK && !may_have_race &&
        !s->has_failed)
        report(s, "the checker finds none", NULL);
    s->has_race |= has_race;
    s->has_ended |= result.fault == SIM_OK;
    s->totals->faults += result.fault != SIM_OK;
    s->totals->runs++;
    profile_free_findings(&findings);
    sim_result_free(&result);
    free(parameters);
}

static void prove_and_run(struct subject *s, struct sim_kernel *kernel, uint8_t *buffer) {
    static const uint32_t shapes[][3] = {{64, 1, 1}, {128, 1, 1}, {48, 1, 1}, {16, 16, 1},
                                         {32, 4, 1}, {96, 1, 1},  {16, 4, 1}, {32, 1, 1}};
    const uint32_t *shape = shapes[random_next(&s->state) % (sizeof shapes / sizeof *shapes)];
    s->kernel = sim_kernel_function(kernel);
    s->launch = (struct prove_launch){.arch = RANDOM_ARCH, .block = {shape[0], shape[1], shape[2]}};
    s->proved = prove_races(s->kernel, &s->launch);
    for (int r = 0; r < RUNS && !s->has_failed; r++)
        run(s, kernel, buffer);
    s->totals->kernels++;
    if (s->proved.has_shared && s->has_ended)
        s->totals->found[s->proved.freedom][s->has_race]++;
    if (s->proved.why && s->has_ended && !s->has_race)
        random_count_reason(&s->totals->reasons, s->proved.why);
}

static void make(struct random_kernel *kernel, uint64_t seed) {
    if (seed % 4 == 0)
        random_kernel_make(kernel, seed);
    else
        random_race_make(kernel, seed);
}

static bool is_good(const struct random_case *given) {
    struct subject s = {.seed = given->seed,
                        .state = given->seed,
                        .text = strbuf_string(&given->text->text),
                        .totals = given->totals};
    prove_and_run(&s, given->kernel, given->buffer);
    return !s.has_failed;
}

static void print_totals(const void *of) {
    const struct totals *totals = of;
    static const char *const names[FREEDOMS] = {"proved free", "proved to race", "not proved"};
    printf("%" PRIu64 " kernels, %" PRIu64 " launches, %" PRIu64 " of them ended in a fault\n",
           totals->kernels, totals->runs, totals->faults);
    for (unsigned f = 0; f < FREEDOMS; f++)
        printf("%-14s %6" PRIu64 " in which no race was found, %6" PRIu64 " with races\n", names[f],
               totals->found[f][0], totals->found[f][1]);
    printf("not proved, and no race found:\n");
    random_print_reasons(&totals->reasons);
}

int main(int argc, char **argv) {
    static const struct random_program program = {.name = "races",
                                                  .most_instructions = MOST_INSTRUCTIONS,
                                                  .takes_file = true,
                                                  .make = make,
                                                  .is_good = is_good,
                                                  .print_totals = print_totals};
    struct totals totals = {0};
    return random_main(&program, &totals, argc, argv);
}
