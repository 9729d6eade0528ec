// Requests on their banks, by word, of the busiest phase.
#include "bankrun/banks.h"
#include "report/build.h"

struct view_banks *view_banks_of(struct view_builder *builder, unsigned arch,
                                 const struct profile_site *site) {
    struct profile_bank_map map;
    if (!profile_map_banks(arch, site, &map))
        return NULL;
    struct view_banks *banks = ARENA_NEW(builder->arena, struct view_banks);
    banks->map = map;
    for (uint32_t rest = map.lanes; rest != 0; rest &= rest - 1) {
        int lane = __builtin_ctz(rest);
        banks->of[lane].word = site->worst_offsets[lane] / 4;
        banks->of[lane].bank = bankrun_bank(arch, site->worst_offsets[lane]);
    }
    return banks;
}
