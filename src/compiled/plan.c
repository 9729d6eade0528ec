// Which sites of a kernel can be parts of one wider access: what the machine code has at their
// lines, and which of them the code generator can know to be neighbours.
#include <stdlib.h>

#include "base/alloc.h"
#include "compiled/plan.h"

struct place {
    uint64_t file;
    uint32_t line;
};

static struct place line_of(const struct ir_function *function, const struct ptx_location *at) {
    struct place place = {.file = compiled_file(NULL)};
    if (at) {
        place.file = compiled_file(ir_location_file(function, at->file));
        place.line = at->line;
    }
    return place;
}

uint64_t combine_place(const struct ir_function *function, uint32_t location) {
    const struct ptx_location *at = ir_location(function, location);
    uint64_t place = 0;
    for (int depth = 0; at && depth < 256; depth++) {
        struct place line = line_of(function, at);
        place = compiled_place(place, line.file, line.line);
        at = at->inlined_at ? ir_location(function, at->inlined_at) : NULL;
    }
    return place;
}

static bool is_plain(const struct ir_kernel_site *site) {
    return (site->site->op == SITE_LOAD || site->site->op == SITE_STORE) &&
           ir_may_be_shared(site->function, site->site);
}

bool combine_may(const struct ir_kernel_site *site) {
    return is_plain(site) && site->site->width <= 16 && !site->site->is_generic &&
           !site->site->is_volatile;
}

// ---- Lines --------------------------------------------------------------------------------

struct lines {
    const struct compiled_line *data;
    uint32_t count;
    struct place *places;               // of each site, without the calls around it
    uint32_t *written;                  // bytes of PTX's accesses at each line, op by op
    unsigned elsewhere[SITE_STORE + 1]; // widths at lines that no site is at: a wider access has
                                        // one of the lines that it is made of, or a caller's
    unsigned all[SITE_STORE + 1];
};

static uint32_t find_line(const struct lines *lines, struct place place) {
    uint32_t i = 0;
    while (i < lines->count &&
           (lines->data[i].line != place.line || lines->data[i].file != place.file))
        i++;
    return i;
}

static void read_lines(struct lines *lines, const struct ir_kernel_site *sites,
                       uint32_t site_count) {
    lines->places = base_alloc((site_count + 1) * sizeof *lines->places);
    lines->written = base_alloc((lines->count + 1) * (SITE_STORE + 1) * sizeof *lines->written);
    for (uint32_t s = 0; s < site_count; s++) {
        lines->places[s] =
            line_of(sites[s].function, ir_location(sites[s].function, sites[s].site->location));
        uint32_t line = find_line(lines, lines->places[s]);
        if (is_plain(&sites[s]) && line < lines->count)
            lines->written[line * (SITE_STORE + 1) + sites[s].site->op] += sites[s].site->width;
    }
    for (uint32_t i = 0; i < lines->count; i++)
        for (enum site_op op = SITE_LOAD; op <= SITE_STORE; op++) {
            lines->all[op] |= lines->data[i].widths[op];
            if (!lines->written[i * (SITE_STORE + 1) + op])
                lines->elsewhere[op] |= lines->data[i].widths[op];
        }
}

static void plan_site(struct lines *lines, const struct ir_kernel_site *recorded,
                      struct combine_site *planned, struct place place) {
    enum site_op op = recorded->site->op;
    uint32_t i = find_line(lines, place);
    unsigned widths = i < lines->count ? lines->data[i].widths[op] : 0;
    uint32_t written = i < lines->count ? lines->written[i * (SITE_STORE + 1) + op] : 0;
    // More than twice the bytes: the loop was unrolled once more. Just more: a wider access that
    // reads past what is wanted.
    planned->is_copied = widths && lines->data[i].bytes[op] >= 2 * written;
    planned->reads_past =
        op == SITE_LOAD && !planned->is_copied && widths && lines->data[i].bytes[op] > written;
    if (!widths) {
        widths = lines->elsewhere[op] ? lines->elsewhere[op] : lines->all[op];
        // A store is not left out: it is part of one at another line, maybe of a loop's first
        // round.
        planned->is_copied = lines->elsewhere[op] != 0 || op == SITE_STORE;
        planned->is_guess = true;
    }
    planned->widths = recorded->site->width < 16 ? (uint8_t)widths : 0;
}

// ---- Neighbours ---------------------------------------------------------------------------

static int by_group(const void *left, const void *right) {
    const struct combine_site *const *a = left, *const *b = right;
    return (*a)->group < (*b)->group ? -1 : (*a)->group > (*b)->group;
}

// A wider access has one of the lines that its parts are at: what a line has is for all of a group.
// What is guessed of a line that the machine code has not is no news of one that it has.
static void share_in_groups(struct combine_site *planned, uint32_t count) {
    struct combine_site **sorted = base_alloc((count + 1) * sizeof(struct combine_site *));
    uint32_t length = 0;
    for (uint32_t s = 0; s < count; s++)
        if (planned[s].group && planned[s].widths && !planned[s].is_exact)
            sorted[length++] = &planned[s];
    qsort(sorted, length, sizeof(struct combine_site *), by_group);
    for (uint32_t first = 0, end; first < length; first = end) {
        uint8_t widths = 0, guessed = 0;
        for (end = first; end < length && sorted[end]->group == sorted[first]->group; end++)
            *(sorted[end]->is_guess ? &guessed : &widths) |= sorted[end]->widths;
        for (uint32_t i = first; end - first > 1 && i < end; i++)
            sorted[i]->widths = widths | (sorted[i]->is_guess ? guessed : 0);
    }
    free(sorted);
}

// Where the machine code loads less than PTX does, a second load from an address is left out. True:
// there is such a load.
static bool find_twins(struct combine_site *planned, const struct lines *lines,
                       const struct ir_kernel_site *sites, uint32_t count) {
    bool is_any = false;
    for (uint32_t s = 0; s < count; s++) {
        planned[s].twin = IR_NONE;
        uint32_t line = find_line(lines, lines->places[s]);
        if (!combine_may(&sites[s]) || sites[s].site->op != SITE_LOAD || line == lines->count ||
            lines->data[line].bytes[SITE_LOAD] >= lines->written[line * (SITE_STORE + 1)])
            continue;
        for (uint32_t t = s; t-- > 0 && planned[s].twin == IR_NONE;)
            if (planned[t].group == planned[s].group && planned[s].group &&
                sites[t].function == sites[s].function &&
                sites[t].site->width >= sites[s].site->width &&
                planned[s].address - planned[t].address <= // it is all in there
                    sites[t].site->width - sites[s].site->width)
                planned[s].twin = planned[t].twin == IR_NONE ? t : planned[t].twin;
        is_any |= planned[s].twin != IR_NONE;
    }
    return is_any;
}

// ---- The plan -----------------------------------------------------------------------------

static void match_code(struct combine_plan *plan, const struct compiled_code *code,
                       const char *kernel) {
    uint32_t count;
    const struct compiled_access *accesses = compiled_code_accesses(code, kernel, &count);
    uint64_t *places = base_alloc((plan->site_count + 1) * sizeof *places);
    for (uint32_t s = 0; s < plan->site_count; s++)
        places[s] = combine_place(plan->sites[s].function, plan->sites[s].site->location);
    combine_match(plan->planned, plan->sites, places, plan->site_count, accesses, count);
    free(places);
}

struct combine_plan *combine_plan_create(const struct compiled_code *code,
                                         const struct ir_function *kernel,
                                         const struct ir_kernel_site *sites, uint32_t site_count) {
    struct lines lines = {0};
    lines.data = compiled_code_lines(code, kernel->name, &lines.count);
    if (!lines.data || !lines.count)
        return NULL;
    read_lines(&lines, sites, site_count);
    struct combine_plan *plan = base_alloc(sizeof *plan);
    plan->sites = sites;
    plan->site_count = site_count;
    plan->planned = base_alloc((site_count + 1) * sizeof *plan->planned);
    bool is_any = false;
    struct neighbours *neighbours = neighbours_create();
    for (uint32_t s = 0; s < site_count; s++) {
        if (!combine_may(&sites[s]))
            continue;
        plan_site(&lines, &sites[s], &plan->planned[s], lines.places[s]);
        plan->planned[s].group = neighbours_group(neighbours, &sites[s], &plan->planned[s].address);
    }
    neighbours_free(neighbours);
    match_code(plan, code, kernel->name);
    for (uint32_t s = 0; s < site_count; s++)
        is_any |= plan->planned[s].widths >= 2 * sites[s].site->width;
    share_in_groups(plan->planned, site_count);
    is_any |= find_twins(plan->planned, &lines, sites, site_count);
    free(lines.places);
    free(lines.written);
    combine_bundle(plan->planned, sites, site_count);
    if (is_any)
        return plan;
    combine_plan_free(plan);
    return NULL;
}

void combine_plan_free(struct combine_plan *plan) {
    if (plan)
        free(plan->planned);
    free(plan);
}
