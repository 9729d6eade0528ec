// Boxes of blocks are asked for, beginning with the whole grid. One of which only the index of the
// block keeps the proof is cut: first its last rows away, where a grid is larger than what it works
// on, then its first ones, where a halo is, then it is halved. A box of one block needs no proof.
#include "run/every_block.h"

#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "prove/prove.h"

// What a launch may wait for: proofs, of so many instructions each.
enum { MOST_PROOFS = 96, MOST_STEPS = 150000 };

struct box {
    uint32_t first[3], last[3];
    unsigned cuts;
};

struct search {
    struct run_every_block *every;
    const struct run_launch *launch;
    const struct ir_function *kernel;
    VEC(struct box) boxes; // left to look at
    unsigned proofs;
};

// ---- Boxes ----------------------------------------------------------------------------------

static uint64_t blocks_of(const struct box *box) {
    uint64_t blocks = 1;
    for (int axis = 0; axis < 3; axis++)
        blocks *= (uint64_t)box->last[axis] - box->first[axis] + 1;
    return blocks;
}

static uint64_t first_of(const struct search *search, const struct box *box) {
    const uint32_t *grid = search->launch->sim.grid;
    return box->first[0] + grid[0] * (box->first[1] + (uint64_t)grid[1] * box->first[2]);
}

// At `at` begins the second part.
static void cut_axis(struct search *search, size_t from, int axis, uint32_t at_end, bool is_first) {
    const size_t end = search->boxes.length;
    for (size_t i = from; i < end; i++) {
        struct box other = search->boxes.data[i];
        if (other.first[axis] == other.last[axis])
            continue;
        const uint32_t at = is_first ? other.first[axis] + 1 : at_end;
        other.first[axis] = at;
        search->boxes.data[i].last[axis] = at - 1;
        vec_push(&search->boxes, other);
    }
}

static int longest_axis(const struct box *box) {
    int longest = 0;
    for (int axis = 1; axis < 3; axis++)
        if (box->last[axis] - box->first[axis] > box->last[longest] - box->first[longest])
            longest = axis;
    return longest;
}

static void cut(struct search *search, struct box box) {
    const size_t from = search->boxes.length;
    const unsigned cuts = box.cuts++;
    vec_push(&search->boxes, box);
    if (cuts < 2) {
        for (int axis = 0; axis < 3; axis++)
            cut_axis(search, from, axis, box.last[axis], cuts == 1);
        return;
    }
    const int axis = longest_axis(&box);
    cut_axis(search, from, axis, box.first[axis] + (box.last[axis] - box.first[axis]) / 2 + 1,
             false);
}

// ---- Proofs ---------------------------------------------------------------------------------

static void refuse(struct search *search, const char *why, uint32_t line) {
    struct strbuf text = {0};
    strbuf_puts(&text, why);
    if (line)
        strbuf_printf(&text, " at line %u", line);
    search->every->why = strbuf_take(&text);
    search->every->is_open = true;
}

static void pick(struct search *search, const struct box *box) {
    const struct sim_pick found = {first_of(search, box), blocks_of(box)};
    vec_push(&search->every->picks, found);
}

static void note(struct search *search, const struct prove_blocks *blocks, uint32_t sites) {
    struct run_every_block *every = search->every;
    every->has_other_work |= blocks->has_other_work;
    for (uint32_t s = 0; s < sites; s++) {
        every->has_other_sectors[s] |= blocks->has_other_sectors[s];
        every->has_any_other_sectors |= blocks->has_other_sectors[s];
    }
}

// False: there is no use in going on.
static bool look_at(struct search *search, const struct box *box) {
    const struct run_launch *launch = search->launch;
    struct prove_launch asked = {.arch = launch->arch,
                                 .has_grid = true,
                                 .has_dynamic = true,
                                 .dynamic_bytes = launch->sim.dynamic_shared_bytes,
                                 .parameters = launch->sim.parameters,
                                 .parameter_bytes = search->kernel->parameter_bytes,
                                 .most_steps = MOST_STEPS,
                                 .asks_blocks = true};
    memcpy(asked.block, launch->sim.block, sizeof asked.block);
    memcpy(asked.grid, launch->sim.grid, sizeof asked.grid);
    memcpy(asked.first, box->first, sizeof asked.first);
    memcpy(asked.last, box->last, sizeof asked.last);
    struct prove_result *result = prove_kernel(search->kernel, &asked);
    const struct prove_blocks *blocks = &result->blocks;
    if (!search->every->has_other_sectors)
        search->every->has_other_sectors =
            base_alloc((result->site_count + 1) * sizeof *search->every->has_other_sectors);
    bool goes_on = true;
    search->proofs++;
    if (!blocks->varies) {
        note(search, blocks, result->site_count);
        pick(search, box);
    } else if (blocks->varies > PROVE_BY_BLOCK || search->proofs >= MOST_PROOFS) {
        refuse(search, blocks->why, prove_line(blocks->function, blocks->instruction));
        goes_on = false;
    } else {
        cut(search, *box);
    }
    prove_free(result);
    return goes_on;
}

static void look_at_all(struct search *search) {
    const bool must_know = search->launch->profile->has_left_out_blocks;
    while (search->boxes.length) {
        const struct box box = search->boxes.data[--search->boxes.length];
        if (blocks_of(&box) > 1 || must_know) {
            if (!look_at(search, &box))
                return;
        } else {
            pick(search, &box);
        }
    }
}

// ---- Launches -------------------------------------------------------------------------------

// Why nothing can be said of single blocks, whatever they do.
static const char *why_not(const struct run_launch *launch) {
    const struct sim_launch *sim = &launch->sim;
    for (int axis = 0; axis < 3; axis++)
        if (sim->cluster[axis] > 1)
            return "its blocks are in clusters";
    if (sim->is_cooperative)
        return "its blocks may wait for each other";
    if (sim->first_block || sim->block_count)
        return "only some of its blocks are asked for";
    if (launch->compiled)
        return "shared memory is counted as the machine code accesses it";
    if (launch->profile->checks)
        return "its blocks are checked";
    if (launch->schedule.runs)
        return "it is run in several orders";
    return sim_kernel_needs_all_blocks(launch->kernel);
}

static int by_block(const void *a, const void *b) {
    const struct sim_pick *x = a, *y = b;
    return x->block < y->block ? -1 : x->block > y->block;
}

static void settle(struct run_every_block *every, uint64_t blocks) {
    if (every->why || every->picks.length == blocks) // nothing would be spared
        every->picks.length = 0;
    if (!every->picks.length)
        return;
    qsort(every->picks.data, every->picks.length, sizeof *every->picks.data, by_block);
    for (size_t i = 0; i < every->picks.length; i++)
        vec_push(&every->pieces, every->picks.data[i].blocks);
}

bool run_every_block_refuse(struct run_every_block *every, const struct run_launch *launch) {
    struct search search = {.every = every};
    const char *reason = why_not(launch);
    if (reason)
        refuse(&search, reason, 0);
    return reason != NULL;
}

void run_every_block_search(struct run_every_block *every, const struct run_launch *launch) {
    struct box all = {.cuts = 0};
    struct search search = {
        .every = every, .launch = launch, .kernel = sim_kernel_function(launch->kernel)};
    for (int axis = 0; axis < 3; axis++)
        all.last[axis] = launch->sim.grid[axis] - 1;
    vec_push(&search.boxes, all);
    look_at_all(&search);
    vec_free(&search.boxes);
    settle(every, blocks_of(&all));
}
