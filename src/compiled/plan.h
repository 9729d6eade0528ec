// Inside the room: what is known of a kernel's sites before it runs.
#ifndef BANKRUN_COMPILED_PLAN_H
#define BANKRUN_COMPILED_PLAN_H

#include "compiled/code.h"
#include "ir/ir.h"

enum combine_way { // how requests of a site are dealt with
    COMBINE_ALONE, // each is told as it is
    COMBINE_FIRST, // each is told as the wide access that begins with it
    COMBINE_PART,  // each is in one that its bundle's first site tells of
    COMBINE_HELD,  // by what they turn out to be as the program runs
};

struct combine_site {
    enum combine_way way;
    bool is_watched;  // not held back itself, but what is held back depends on it
    uint64_t address; // the same for two sites of a group at one address; 0: not known
    uint32_t twin;    // the site before this one that loads the same, when the machine code loads
                      // once for both; IR_NONE: none
    uint64_t group;   // sites of one group are at constant distances; 0: of none
    uint8_t widths;   // that the machine code has there, their sum; 0: it is never combined
    bool is_guess;    // the machine code has nothing at its line: `widths` are those of other lines
    bool reads_past;  // it reads more than PTX does: wider accesses than there are bytes for
    bool is_copied;   // the machine code has its loop unrolled: rounds of it are combined, too
    bool is_exact;    // `widths` is that of the access that it is in, or 0: it is one of its own
    uint32_t first;   // where is_exact: the site that this access begins with
};

// Number of site `s` with accesses of `bytes` a lane: s + combine_variant(bytes) * (their count).
static inline uint32_t combine_variant(unsigned bytes) {
    return (uint32_t)__builtin_ctz(bytes);
}
enum { COMBINE_VARIANTS = 5 }; // as written (or of one byte), 2, 4, 8 and 16 bytes

struct combine_plan {
    const struct ir_kernel_site *sites;
    uint32_t site_count;
    struct combine_site *planned; // of each site
};

// NULL: nothing of the kernel is combined, or the machine code of it is not known. The sites are
// borrowed.
struct combine_plan *combine_plan_create(const struct compiled_code *code,
                                         const struct ir_function *kernel,
                                         const struct ir_kernel_site *sites, uint32_t count);
void combine_plan_free(struct combine_plan *plan); // NULL is allowed

// plan.c: the place (compiled_place) of a location, with the calls that it was inlined by.
uint64_t combine_place(const struct ir_function *function, uint32_t location);
// plan.c: can the code generator merge it with others at all? A load or store of shared memory.
bool combine_may(const struct ir_kernel_site *site);

// neighbours.c. Accesses of one group are at constant distances from one base, with no barrier
// between them; a base that is set at several places is one only within a block. 0: of none.
// *distance tells the addresses of a group apart.
struct neighbours;
struct neighbours *neighbours_create(void);
void neighbours_free(struct neighbours *neighbours);
uint64_t neighbours_group(struct neighbours *neighbours, const struct ir_kernel_site *site,
                          uint64_t *distance);

// bundle.c: decides the ways.
void combine_bundle(struct combine_site *planned, const struct ir_kernel_site *sites,
                    uint32_t count);

// match.c: finds the sites of which that can be told. `places`: of each site.
void combine_match(struct combine_site *planned, const struct ir_kernel_site *sites,
                   const uint64_t *places, uint32_t count, const struct compiled_access *accesses,
                   uint32_t access_count);

#endif
