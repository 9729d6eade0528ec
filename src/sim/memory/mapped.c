// Host memory that kernels may use: the program can take it away at any time.
#include "base/mapping.h"
#include "sim/memory/memory.h"

static bool is_same(const struct sim_site_cache *a, const struct sim_site_cache *b) {
    return a->address == b->address && a->bytes == b->bytes && a->generation == b->generation;
}

bool sim_memory_touch(struct sim_worker *worker, uint64_t address, uint64_t bytes, bool write,
                      struct sim_site_cache *hit) {
    const struct sim_space *space = worker->memory->space;
    struct sim_site_cache found;
    if (!sim_memory_lookup(worker->memory, address, bytes, write, &found))
        return false;
    if (found.address - space->begin >= space->end - space->begin &&
        found.address - space->kept >= space->kept_bytes) {
        enum { UNIT = 4096 };
        struct sim_site_cache *known =
            &worker->mapped[write][found.address / UNIT % SIM_MAPPED_CACHES];
        if (!is_same(known, &found) && !mapping_allows(found.address, found.bytes, write))
            return false;
        *known = found;
    }
    *hit = found;
    return true;
}
