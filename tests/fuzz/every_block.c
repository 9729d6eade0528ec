// every_block FIRST COUNT: launches random kernels whole, and with one block for all that are
// proved to do the same. What is called exact must be the same. Seeds FIRST and on.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "random_run.h"
#include "run/launch.h"

enum { MOST_INSTRUCTIONS = 20000, SIDES = 2 }; // whole, and proved

struct totals {
    uint64_t kernels, faults, proved, whole, blocks, spared, bordered, sectors, other_sectors, rows;
};

struct subject {
    uint64_t seed, state;
    struct profile *profiles[SIDES];
    struct random_content content;
    uint8_t *parameters;
    uint32_t grid[3], block[3];
    struct totals *totals;
};

// ---- Launching ------------------------------------------------------------------------------

static void choose_launch(struct subject *s) {
    static const uint32_t shapes[][3] = {{32, 1, 1},  {64, 1, 1}, {48, 1, 1}, {8, 8, 1},
                                         {16, 16, 1}, {32, 4, 1}, {4, 4, 8},  {256, 1, 1},
                                         {7, 5, 1},   {1, 1, 1}};
    static const uint32_t grids[][3] = {{7, 1, 1}, {2, 1, 1}, {40, 1, 1}, {5, 4, 1},
                                        {3, 2, 3}, {1, 9, 1}, {17, 2, 1}};
    const uint64_t drawn = random_next(&s->state);
    memcpy(s->block, shapes[drawn % (sizeof shapes / sizeof *shapes)], sizeof s->block);
    memcpy(s->grid, grids[(drawn >> 16) % (sizeof grids / sizeof *grids)], sizeof s->grid);
}

static void launch(struct subject *s, const struct random_case *given, int side) {
    struct run_launch run = {.kernel = given->kernel,
                             .profile = s->profiles[side],
                             .proves_blocks = side == 1,
                             .arch = RANDOM_ARCH,
                             .sim = {.dynamic_shared_bytes = 1024, .parameters = s->parameters}};
    memcpy(run.sim.grid, s->grid, sizeof run.sim.grid);
    memcpy(run.sim.block, s->block, sizeof run.sim.block);
    random_content_put(given, &s->content);
    struct sim_result result;
    run_launch(&run, &result);
    sim_result_free(&result);
}

// ---- Comparing ------------------------------------------------------------------------------

static bool are_same(const struct profile_site *a, const struct profile_site *b) {
    return a->space == b->space && a->line == b->line && a->op == b->op && a->width == b->width &&
           strcmp(a->instruction, b->instruction) == 0 &&
           strcmp(a->array ? a->array : "", b->array ? b->array : "") == 0 &&
           memcmp(&a->request, &b->request, sizeof a->request) == 0 &&
           (a->counts.units > a->counts.ideal) == (b->counts.units > b->counts.ideal);
}

static bool is_counted_alike(const struct profile_site *a, const struct profile_site *b) {
    return memcmp(&a->counts, &b->counts, sizeof a->counts) == 0 &&
           memcmp(a->degrees, b->degrees, sizeof a->degrees) == 0 &&
           a->is_estimate == b->is_estimate && a->worst_degree == b->worst_degree &&
           memcmp(a->worst_block, b->worst_block, sizeof a->worst_block) == 0 &&
           a->worst_warp == b->worst_warp && a->worst_mask == b->worst_mask &&
           memcmp(a->worst_offsets, b->worst_offsets, sizeof a->worst_offsets) == 0;
}

// The row of `launch` that is about the same access. NULL: there is none.
static const struct profile_site *find(const struct profile_launch *launch,
                                       const struct profile_site *row) {
    for (size_t i = 0; i < launch->site_count; i++)
        if (are_same(&launch->sites[i], row))
            return &launch->sites[i];
    return NULL;
}

static const char *compare_rows(struct subject *s, const struct profile_launch *from,
                                const struct profile_launch *to, bool is_proved) {
    const bool may_guess = (is_proved ? from : to)->blocks.is_sectors_estimate;
    for (size_t i = 0; i < from->site_count; i++) {
        const struct profile_site *row = &from->sites[i], *other = find(to, row);
        const bool is_global = row->space == SITE_GLOBAL;
        const struct profile_site *guess = is_proved ? row : other;
        s->totals->rows++;
        s->totals->sectors += is_global;
        if (is_global && may_guess && (!guess || guess->is_estimate)) {
            s->totals->other_sectors++;
            continue;
        }
        if (!other)
            return is_global ? "a row of global memory is in one of them alone"
                             : "a row of shared memory is in one of them alone";
        if (!is_counted_alike(row, other))
            return is_global ? "a row of global memory differs" : "a row of shared memory differs";
    }
    return NULL;
}

static const char *compare(struct subject *s) {
    const struct profile_launch *whole = &s->profiles[0]->launches[0],
                                *proved = &s->profiles[1]->launches[0];
    const uint64_t blocks = (uint64_t)s->grid[0] * s->grid[1] * s->grid[2];
    s->totals->kernels++;
    if (whole->fault || proved->fault) { // of a block that was not run, or beyond the limit
        s->totals->faults++;
        return NULL;
    }
    if (!proved->blocks.is_proved) {
        s->totals->whole++;
        return proved->blocks_run == blocks ? NULL : "not all blocks were run";
    }
    s->totals->proved++;
    s->totals->bordered += proved->blocks_run > 1;
    s->totals->blocks += blocks;
    s->totals->spared += blocks - proved->blocks_run;
    if (!proved->blocks.is_work_estimate &&
        (whole->instructions != proved->instructions ||
         whole->thread_instructions != proved->thread_instructions))
        return "other instructions";
    const char *wrong = compare_rows(s, whole, proved, false);
    return wrong ? wrong : compare_rows(s, proved, whole, true);
}

static void report(const struct subject *s, const char *text, const char *wrong) {
    printf("%s\nseed %" PRIu64 ", grid %u x %u x %u, block %u x %u x %u: %s\n", text, s->seed,
           s->grid[0], s->grid[1], s->grid[2], s->block[0], s->block[1], s->block[2], wrong);
    for (int i = 0; i < SIDES; i++) {
        char *json = profile_launch_to_json(&s->profiles[i]->launches[0]);
        printf("%s\n", json);
        free(json);
    }
    fflush(stdout);
}

// ---- All kernels ----------------------------------------------------------------------------

static void launch_both(struct subject *s, const struct random_case *given) {
    choose_launch(s);
    random_parameters(&s->state, (uint64_t)(uintptr_t)given->buffer, s->parameters);
    random_content_make(given, &s->state, &s->content);
    for (int side = 0; side < SIDES; side++) {
        s->profiles[side] = profile_create(RANDOM_ARCH, NULL, 0);
        launch(s, given, side);
    }
}

static bool is_good(const struct random_case *given) {
    struct subject s = {.seed = given->seed,
                        .state = given->seed,
                        .parameters = base_alloc(1 << 12),
                        .totals = given->totals};
    launch_both(&s, given);
    const char *wrong = compare(&s);
    if (wrong)
        report(&s, strbuf_string(&given->text->text), wrong);
    for (int side = 0; side < SIDES; side++)
        profile_free(s.profiles[side]);
    free(s.parameters);
    return !wrong;
}

static void print_totals(const void *of) {
    const struct totals *totals = of;
    printf("%" PRIu64 " kernels, %" PRIu64 " ended in a fault; %" PRIu64 " were proved (%" PRIu64
           " of which had several kinds of blocks), %" PRIu64 " ran whole\n",
           totals->kernels, totals->faults, totals->proved, totals->bordered, totals->whole);
    printf("%" PRIu64 " of %" PRIu64 " blocks were spared; %" PRIu64 " rows, %" PRIu64
           " of global memory, %" PRIu64 " of which were estimates\n",
           totals->spared, totals->blocks, totals->rows, totals->sectors, totals->other_sectors);
}

int main(int argc, char **argv) {
    static const struct random_program program = {.name = "every_block",
                                                  .most_instructions = MOST_INSTRUCTIONS,
                                                  .is_silent = true,
                                                  .make = random_kernel_make,
                                                  .is_good = is_good,
                                                  .print_totals = print_totals};
    struct totals totals = {0};
    const int status = random_main(&program, &totals, argc, argv);
    return status ? status : !totals.proved;
}
