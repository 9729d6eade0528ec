// Inside combine.h: what is known of a kernel's sites before it runs.
#ifndef BANKRUN_PROFILE_COMBINE_PLAN_H
#define BANKRUN_PROFILE_COMBINE_PLAN_H

#include "profile/combine.h"

struct combine_site {
    uint64_t address; // the same for two sites of a group at one address; 0: not known
    uint32_t twin;    // the site before this one that loads the same, when the machine code loads
                      // once for both; IR_NONE: none
    uint64_t group;   // sites of one group are at constant distances; 0: of none
    uint8_t widths;   // that the machine code has there, their sum; 0: it is never combined
    bool reads_past;  // it reads more than PTX does: wider accesses than there are bytes for
    bool is_copied;   // the machine code has its loop unrolled: rounds of it are combined, too
    bool is_exact;    // `widths` is that of the access that it is in, or 0: it is one of its own
};

struct combine_plan {
    const struct recorded_site *sites;
    uint32_t site_count;
    struct combine_site *planned; // of each site
};

// combine_match.c: finds the sites of which that can be told. `places`: of each site.
void combine_match(struct combine_site *planned, const struct recorded_site *sites,
                   const uint64_t *places, uint32_t count, const struct compiled_access *accesses,
                   uint32_t access_count);

#endif
