// Which sites can be dealt with one by one. Where it is known which access of the machine code a
// site is in, and all of that access's sites run together, its first one can tell of it, and the
// others of nothing: no request has to wait for another, and those that repeat each other need not
// be told (event/filter.h). The others are held back until it shows what they become.
#include <stdlib.h>

#include "base/alloc.h"
#include "compiled/plan.h"

static uint32_t block_of(const struct ir_kernel_site *site) {
    return ir_block_of(site->function, site->site->instruction);
}

static bool is_guarded(const struct ir_kernel_site *site) {
    return site->function->instructions[site->site->instruction].guard != IR_NONE;
}

// Whenever one of both runs so does the other, for the same lanes.
static bool run_together(const struct ir_kernel_site *a, const struct ir_kernel_site *b) {
    return a->function == b->function && !is_guarded(a) && !is_guarded(b) &&
           block_of(a) == block_of(b);
}

// Only whole accesses: of one that reads past what is wanted, or of which a part is left out, it
// shows as the program runs.
static void bundle_pieces(struct combine_site *planned, const struct ir_kernel_site *sites,
                          uint32_t count) {
    bool *is_apart = base_alloc((count + 1) * sizeof *is_apart);
    for (uint32_t s = 0; s < count; s++)
        if (planned[s].is_exact && planned[s].widths)
            is_apart[planned[s].first] |= !run_together(&sites[s], &sites[planned[s].first]);
    for (uint32_t s = 0; s < count; s++)
        if (planned[s].is_exact && planned[s].widths && !is_apart[planned[s].first])
            planned[s].way = s == planned[s].first ? COMBINE_FIRST : COMBINE_PART;
    free(is_apart);
}

// Requests that are held back are told when one comes that nothing may be moved over.
static void watch(struct combine_site *planned, const struct ir_kernel_site *sites,
                  uint32_t count) {
    bool holds_loads = false, holds_stores = false;
    for (uint32_t s = 0; s < count; s++)
        if (planned[s].way == COMBINE_HELD) {
            holds_loads |= sites[s].site->op == SITE_LOAD;
            holds_stores |= sites[s].site->op == SITE_STORE;
        }
    for (uint32_t s = 0; s < count; s++) {
        const enum site_op op = sites[s].site->op;
        planned[s].is_watched =
            (op != SITE_LOAD && holds_loads) || (op != SITE_STORE && holds_stores);
    }
}

void combine_bundle(struct combine_site *planned, const struct ir_kernel_site *sites,
                    uint32_t count) {
    bundle_pieces(planned, sites, count);
    for (uint32_t s = 0; s < count; s++) {
        const uint32_t twin = planned[s].twin;
        if (planned[s].way == COMBINE_ALONE && planned[s].widths >= 2 * sites[s].site->width)
            planned[s].way = COMBINE_HELD;
        if (twin != IR_NONE)
            planned[s].way = planned[twin].way = COMBINE_HELD;
    }
    // A bundle is one as a whole, or none.
    for (uint32_t s = 0; s < count; s++)
        if (planned[s].is_exact && planned[s].way == COMBINE_HELD && planned[s].widths)
            planned[planned[s].first].way = COMBINE_HELD;
    for (uint32_t s = 0; s < count; s++)
        if (planned[s].way == COMBINE_PART && planned[planned[s].first].way == COMBINE_HELD)
            planned[s].way = COMBINE_HELD;
    watch(planned, sites, count);
}
