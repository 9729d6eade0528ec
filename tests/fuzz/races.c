// races FIRST COUNT [FILE]: looks for proofs that random kernels are free of races in shared
// memory, runs them, and has the checker of races look on. It may find none in a kernel that is
// proved free, and has to find one where two threads are said to race whatever the input is. Seeds
// FIRST and on; FILE: instead of random kernels this one.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "check/check.h"
#include "prove/races.h"
#include "random_kernel.h"
#include "run/module.h"

enum {
    ARCH = 90,
    RUNS = 4,
    MOST_INSTRUCTIONS = 6000,
    FREEDOMS = PROVE_NOT_FREE + 1,
    MOST_REASONS = 64,
};

struct reason {
    const char *text; // of the prover, static
    uint64_t count;
};

struct totals {
    uint64_t kernels, faults, runs;
    uint64_t found[FREEDOMS][2]; // by verdict, and by whether the checker found a race
    struct reason reasons[MOST_REASONS];
};

struct subject {
    uint64_t seed, state;
    const char *text;
    struct run_module module;
    const struct ir_function *kernel;
    struct prove_launch launch;
    struct prove_races proved;
    bool has_failed, has_race; // has_race: of any run
    bool has_ended;            // some run came to its end
    struct totals *totals;
};

static bool is_shared(const struct profile_finding *finding) {
    for (size_t i = 0; i < finding->place_count; i++) {
        const char *instruction = finding->places[i].instruction;
        if (instruction && strstr(instruction, ".shared"))
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
    bool has_race = false;
    for (size_t i = 0; i < findings.count; i++) {
        const struct profile_finding *finding = &findings.list[i];
        if (finding->is_note || !is_shared(finding))
            continue;
        has_race = true;
        if (s->proved.freedom == PROVE_FREE && !s->has_failed)
            report(s, "the checker finds a race", finding);
    }
    if (s->proved.freedom == PROVE_RACE && result.fault == SIM_OK && !has_race && !s->has_failed)
        report(s, "the checker finds none", NULL);
    s->has_race |= has_race;
    s->has_ended |= result.fault == SIM_OK;
    s->totals->faults += result.fault != SIM_OK;
    s->totals->runs++;
    profile_free_findings(&findings);
    sim_result_free(&result);
    free(parameters);
}

static void count_reason(struct reason *reasons, const char *text) {
    for (unsigned i = 0; i < MOST_REASONS; i++) {
        if (reasons[i].text && strcmp(reasons[i].text, text) != 0)
            continue;
        reasons[i].text = text;
        reasons[i].count++;
        return;
    }
}

static void prove_and_run(struct subject *s, struct sim_kernel *kernel, uint8_t *buffer) {
    static const uint32_t shapes[][3] = {{64, 1, 1}, {128, 1, 1}, {48, 1, 1}, {16, 16, 1},
                                         {32, 4, 1}, {96, 1, 1},  {16, 4, 1}, {32, 1, 1}};
    const uint32_t *shape = shapes[random_next(&s->state) % (sizeof shapes / sizeof *shapes)];
    s->kernel = sim_kernel_function(kernel);
    s->launch = (struct prove_launch){.arch = ARCH, .block = {shape[0], shape[1], shape[2]}};
    s->proved = prove_races(s->kernel, &s->launch);
    for (int r = 0; r < RUNS && !s->has_failed; r++)
        run(s, kernel, buffer);
    s->totals->kernels++;
    if (s->proved.has_shared && s->has_ended)
        s->totals->found[s->proved.freedom][s->has_race]++;
    if (s->proved.why && s->has_ended && !s->has_race)
        count_reason(s->totals->reasons, s->proved.why);
}

static bool is_good(struct sim *sim, uint8_t *buffer, uint64_t seed, const char *given,
                    struct totals *totals) {
    struct random_kernel text = {0};
    if (given)
        strbuf_puts(&text.text, given);
    else if (seed % 4 == 0)
        random_kernel_make(&text, seed);
    else
        random_race_make(&text, seed);
    struct subject s = {
        .seed = seed, .state = seed, .text = strbuf_string(&text.text), .totals = totals};
    struct diag_list diags = {0};
    const struct source source = {"random.ptx", s.text, text.text.length};
    struct sim_kernel *kernel = NULL;
    if (run_module_parse(&s.module, &source, &diags) && run_module_load(&s.module, sim, &diags))
        kernel = sim_module_kernel(s.module.sim, "k", &diags);
    if (kernel) {
        prove_and_run(&s, kernel, buffer);
    } else {
        printf("%sseed %" PRIu64 " makes no kernel:\n", source.text, seed);
        diag_print(&diags, stdout, false);
    }
    run_module_free(&s.module);
    diag_free(&diags);
    random_kernel_free(&text);
    return kernel && !s.has_failed;
}

static void print_totals(const struct totals *totals) {
    static const char *const names[FREEDOMS] = {"proved free", "proved to race", "not proved"};
    printf("%" PRIu64 " kernels, %" PRIu64 " launches, %" PRIu64 " of them ended in a fault\n",
           totals->kernels, totals->runs, totals->faults);
    for (unsigned f = 0; f < FREEDOMS; f++)
        printf("%-14s %6" PRIu64 " in which no race was found, %6" PRIu64 " with races\n", names[f],
               totals->found[f][0], totals->found[f][1]);
    printf("not proved, and no race found:\n");
    for (unsigned i = 0; i < MOST_REASONS && totals->reasons[i].text; i++)
        printf("  %8" PRIu64 " %s\n", totals->reasons[i].count, totals->reasons[i].text);
}

int main(int argc, char **argv) {
    if (argc != 3 && argc != 4) {
        fprintf(stderr, "usage: races FIRST COUNT [FILE]\n");
        return 2;
    }
    const uint64_t first = strtoull(argv[1], NULL, 10), last = first + strtoull(argv[2], NULL, 10);
    char *given = NULL;
    size_t length;
    if (argc == 4 && !file_read(argv[3], &given, &length)) {
        perror(argv[3]);
        return 2;
    }
    const struct sim_config config = {.arch = ARCH,
                                      .threads = 1,
                                      .max_instructions = MOST_INSTRUCTIONS,
                                      .device_bytes = 64 << 20};
    struct sim *sim = sim_create(&config);
    uint8_t *buffer = sim_alloc(sim, RANDOM_BUFFER_BYTES, SIM_DEVICE);
    struct totals *totals = base_alloc(sizeof *totals);
    uint64_t bad = 0;
    for (uint64_t seed = first; seed < last; seed++)
        bad += !is_good(sim, buffer, seed, given, totals);
    print_totals(totals);
    printf("%" PRIu64 " contradictions\n", bad);
    free(totals);
    free(given);
    sim_destroy(sim);
    return bad != 0;
}
