// A site's worst request on the banks, for display.
#include <string.h>

#include "bankrun/banks.h"
#include "profile/profile.h"

// How the request was made, as far as the profile keeps it: enough to find its phases.
static enum bankrun_access access_of(const struct profile_site *site) {
    switch (site->op) {
    case PROFILE_LOAD:
        return BANKRUN_LOAD;
    case PROFILE_STORE:
        return BANKRUN_STORE;
    case PROFILE_MATRIX_LOAD:
        return BANKRUN_MATRIX_LOAD;
    case PROFILE_MATRIX_STORE:
        return BANKRUN_MATRIX_STORE;
    case PROFILE_ASYNC_COPY:
        return BANKRUN_ASYNC_COPY;
    case PROFILE_ATOMIC:
    case PROFILE_OPS:
        break;
    }
    if (strstr(site->instruction, ".cas")) {
        return BANKRUN_ATOMIC_CAS;
    }
    return site->width == 4 ? BANKRUN_ATOMIC : BANKRUN_ATOMIC_LOOP;
}

static struct bankrun_request request_of(const struct profile_site *site) {
    struct bankrun_request request = {
        .access = access_of(site),
        .width = site->width,
        .mask = site->worst_mask,
        .offsets = site->worst_offsets,
    };
    if (site->op == PROFILE_MATRIX_LOAD || site->op == PROFILE_MATRIX_STORE) {
        request.matrices = strstr(site->instruction, ".x4")   ? 4
                           : strstr(site->instruction, ".x2") ? 2
                                                              : 1;
    }
    return request;
}

// Has a word (counted in units of a bank's width) been touched by a lane before `lane`, or by an
// earlier word of the same lane?
static bool is_repeated(const struct profile_site *site, uint32_t lanes, unsigned lane,
                        uint32_t word, unsigned bytes) {
    for (unsigned other = 0; other < lane; other++) {
        uint32_t first = site->worst_offsets[other] / bytes;
        uint32_t last = (site->worst_offsets[other] + site->width - 1) / bytes;
        if (lanes >> other & 1 && first <= word && word <= last) {
            return true;
        }
    }
    return false;
}

static struct profile_bank_map map_of(unsigned arch, const struct profile_site *site,
                                      uint32_t lanes) {
    struct profile_bank_map map = {
        .banks = bankrun_banks(arch),
        .bank_bytes = bankrun_bank_bytes(arch),
        .lanes = lanes,
    };
    for (unsigned lane = 0; lane < WARP_LANES; lane++) {
        if (!(lanes >> lane & 1)) {
            continue;
        }
        uint32_t first = site->worst_offsets[lane] / map.bank_bytes;
        uint32_t last = (site->worst_offsets[lane] + site->width - 1) / map.bank_bytes;
        for (uint32_t word = first; word <= last; word++) {
            unsigned bank = bankrun_bank(arch, word * map.bank_bytes);
            map.requests[bank]++;
            map.words[bank] += !is_repeated(site, lanes, lane, word, map.bank_bytes);
        }
    }
    for (unsigned bank = 0; bank < map.banks; bank++) {
        map.most_words = map.words[bank] > map.most_words ? map.words[bank] : map.most_words;
        map.most_requests =
            map.requests[bank] > map.most_requests ? map.requests[bank] : map.most_requests;
    }
    return map;
}

bool profile_map_banks(unsigned arch, const struct profile_site *site,
                       struct profile_bank_map *map) {
    unsigned banks = bankrun_banks(arch);
    if (site->worst_degree == 0 || site->width == 0 || banks == 0 || banks > PROFILE_MAX_BANKS) {
        return false;
    }
    struct bankrun_request request = request_of(site);
    uint32_t lanes = bankrun_phase_lanes(arch, &request, 0);
    *map = map_of(arch, site, lanes);
    for (unsigned phase = 1; lanes != 0; phase++) {
        lanes = bankrun_phase_lanes(arch, &request, phase);
        struct profile_bank_map other = map_of(arch, site, lanes);
        if (other.most_words > map->most_words) {
            *map = other;
        }
    }
    // Where an atomic's lanes are summed first, the distinct words decide after all.
    map->is_by_lane = site->op == PROFILE_ATOMIC && map->most_words != site->worst_degree;
    return map->lanes != 0;
}

unsigned profile_bank_of(unsigned arch, uint32_t offset) {
    return bankrun_bank(arch, offset);
}
