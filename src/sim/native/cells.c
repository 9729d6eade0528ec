// What compiled code may assume of accesses: cells, and how they are filled. See cell.h.
#include <stdlib.h>
#include <string.h>

#include "sim/flow/warp.h"
#include "sim/native/native_internal.h"

// ---- Cells ------------------------------------------------------------------------------------

// What was counted goes where the observer keeps it.
static void settle(struct sim_native_worker *own, uint32_t group, unsigned way) {
    const struct compiled *compiled = &own->native->compiled;
    struct native_cell *cell = &own->cells[group * NATIVE_WAYS + way];
    const struct native_segment *segment =
        &compiled->segments[own->native->segment_of_group[group]];
    for (uint32_t m = segment->member; cell->count && m < segment->member + segment->members; m++) {
        uint64_t *repeats = own->repeats[m * NATIVE_WAYS + way];
        if (compiled->members[m].group == group && repeats)
            *repeats += cell->count;
    }
    own->learning[own->native->segment_of_group[group]].hits += cell->count;
    cell->count = 0;
}

static void empty(struct sim_native_worker *own, uint32_t group, unsigned way) {
    struct native_cell *cell = &own->cells[group * NATIVE_WAYS + way];
    settle(own, group, way);
    cell->base = cell->mask = UINT64_MAX;
    cell->limit = 0;
    own->armed[group] &= (uint8_t) ~(1u << way);
}

static void settle_all(struct sim_native_worker *own, uint32_t group) {
    EACH_LANE(way, own->armed[group]) {
        settle(own, group, way);
    }
}

static void empty_all(struct sim_native_worker *own, uint32_t group) {
    EACH_LANE(way, own->armed[group]) {
        empty(own, group, way);
    }
}

void sim_native_flush(struct sim_worker *worker) {
    struct sim_native_worker *own = worker->native;
    for (uint32_t g = 0; own && g < own->native->compiled.group_count; g++)
        empty_all(own, g);
}

// What cells have counted is of what the memo's places stand for now; to be told may change that.
void sim_native_tell(struct sim_worker *worker, uint32_t site) {
    struct sim_native_worker *own = worker->native;
    const struct sim_native *native = own->native;
    for (uint32_t m = site == IR_NONE ? (uint32_t)IR_NONE : native->first_member[site];
         m != IR_NONE; m = native->next_member[m]) {
        settle_all(own, native->compiled.members[m].group);
    }
}

// The observer wants to hear of warps in front of what it shows. When it has heard of one it shows
// that, so that the number falls, too.
static void note_since(struct sim_worker *worker, uint32_t site, enum site_space space) {
    struct sim_native_worker *own = worker->native;
    struct native_known *known = &own->known[site * SITE_SPACES + space];
    const struct event_memo *memo = worker->memos[site * SITE_SPACES + space];
    const uint64_t since = memo ? memo->since : 0;
    own->may_fall |= since < known->since;
    known->since = since;
    if (since > own->since) {
        own->since = since;
        own->turns.stops = true; // the next warp may be in front of that
    }
}

void sim_native_told(struct sim_worker *worker, uint32_t site, enum site_space space) {
    struct sim_native_worker *own = worker->native;
    if (site == IR_NONE || !worker->memos)
        return;
    struct native_known *known = &own->known[site * SITE_SPACES + space];
    const struct event_memo *memo = worker->memos[site * SITE_SPACES + space];
    note_since(worker, site, space);
    if (known->memo == memo && (!memo || known->version == memo->version))
        return;
    known->memo = memo;
    known->version = memo ? memo->version : 0;
    const struct sim_native *native = own->native;
    for (uint32_t m = native->first_member[site]; m != IR_NONE; m = native->next_member[m])
        empty_all(own, native->compiled.members[m].group);
}

// Cells may rely on memos that are older than they.
static void note_memos(struct sim_worker *worker, const struct native_segment *segment) {
    const struct native_member *members = worker->native->native->compiled.members;
    for (uint32_t m = segment->member; worker->memos && m < segment->member + segment->members; m++)
        for (unsigned space = 0; space < SITE_SPACES; space++)
            note_since(worker, members[m].site, (enum site_space)space);
}

static void renew_since(struct sim_worker *worker) {
    struct sim_native_worker *own = worker->native;
    own->since = 0;
    own->may_fall = false;
    for (size_t i = 0; i < (size_t)worker->kernel->site_count * SITE_SPACES; i++)
        if (own->known[i].since > own->since)
            own->since = own->known[i].since;
}

bool sim_native_takes_warp(struct sim_worker *worker, const struct sim_warp *warp) {
    if (warp->number < worker->native->since && worker->native->may_fall)
        renew_since(worker);
    return warp->number >= worker->native->since;
}

struct request {
    unsigned lane;                     // that all are told from: native_lane()
    _Alignas(64) uint64_t first, base; // its place, and its base
    uint32_t lanes[LANES];             // all lanes' distances from it
    enum event_pattern pattern;
    int64_t below, above; // how far lanes reach from its first byte, or in front of it
    uint32_t mask;        // lanes that are on
    bool is_once;         // of shared memory, whichever lanes are on; of global memory one lane
    uint64_t once_keep;   // then: bits of the place that must stay
    bool is_whole;        // the reach is that of all lanes, so that it does not matter who is on
};

struct range { // of that lane's offset or address, which may be below 0 where it is off
    int64_t first, last;
};

static void find_reach(struct request *request, uint32_t mask, unsigned width) {
    const struct native_reach reach = native_reach_of(request->lanes, mask);
    request->below = -reach.low;
    request->above = reach.high + width;
}

static void read_shared(const struct sim_warp *warp, const struct sim_access *access,
                        unsigned width, struct request *request) {
    const uint32_t *base = access->has_base ? sim_at(warp, access->base) : NULL;
    const uint32_t offset = (uint32_t)access->offset;
    const uint32_t first = base ? base[request->lane] + offset : offset;
    bool is_linear = true, is_uniform = true;
    for (uint32_t l = 0; l < LANES; l++) {
        const uint32_t lane = base ? base[l] + offset - first : 0;
        request->lanes[l] = lane;
        is_linear &= lane == l * width;
        is_uniform &= lane == 0;
    }
    request->first = (uint64_t)(int64_t)(int32_t)first;
    request->base = base ? base[request->lane] : 0;
    find_reach(request, EVENT_ALL_LANES, width);
    request->pattern = is_linear ? EVENT_LINEAR : is_uniform ? EVENT_UNIFORM : EVENT_ANY_PATTERN;
}

// False: lanes are more than 2 GiB apart.
static bool read_global(const struct sim_warp *warp, const struct sim_access *access,
                        unsigned width, struct request *request) {
    const uint64_t *base = access->has_base ? sim_at(warp, access->base) : NULL;
    const uint64_t stride = base ? base[1] - base[0] : 0;
    request->base = base ? base[request->lane] : 0;
    request->first = request->base + access->offset;
    bool is_even = stride == 0 || stride == width, is_near = true;
    for (uint32_t l = 0; base && l < LANES; l++) {
        const uint64_t lane = base[l] - request->base;
        is_even &= lane == l * stride;
        is_near &= !(request->mask >> l & 1) || (uint64_t)(int64_t)(int32_t)lane == lane;
        request->lanes[l] = (uint32_t)lane;
    }
    find_reach(request, EVENT_ALL_LANES, width);
    request->pattern = !is_even ? EVENT_ANY_PATTERN : stride == 0 ? EVENT_UNIFORM : EVENT_LINEAR;
    return is_near;
}

// Lanes that store to one place are the interpreter's: it knows who wins.
static bool has_overlap(const struct request *request, unsigned width) {
    const uint32_t mask = request->is_whole ? EVENT_ALL_LANES : request->mask;
    EACH_LANE(l, mask) {
        EACH_LANE(k, mask & ((1u << l) - 1)) {
            const uint32_t distance = request->lanes[l] - request->lanes[k];
            if (distance < width || 0u - distance < width)
                return true;
        }
    }
    return false;
}

static bool is_within(const struct request *request, const struct range *range) {
    return (int64_t)request->first >= range->first && (int64_t)request->first <= range->last;
}

// Where that lane may be so that all lanes' bytes are the block's, or the allocation's.
static bool find_bounds(const struct sim_warp *warp, const struct sim_access *access,
                        const struct request *request, struct range *range) {
    const struct sim_worker *worker = warp->block->worker;
    uint64_t begin = 0, bytes = warp->block->shared_bytes;
    if (access->space == PTX_SPACE_GLOBAL) {
        const struct sim_site_cache *cache = &worker->cache[access->site];
        if (cache->generation != worker->native->generation)
            return false;
        begin = cache->address;
        bytes = cache->bytes;
    }
    range->first = (int64_t)begin + request->below;
    range->last = (int64_t)(begin + bytes) - request->above;
    return true;
}

static void narrow(struct range *range, uint64_t first, uint64_t bytes) {
    if (bytes == UINT64_MAX)
        return;
    const int64_t begin = (int64_t)first, end = (int64_t)(first + bytes);
    range->first = range->first < begin ? begin : range->first;
    range->last = range->last < end ? range->last : end - 1;
}

static bool fits(const struct event_shape *shape, const struct request *request, uint64_t origin) {
    uint64_t differ = shape->mask ^ request->mask;
    EACH_LANE(l, request->mask) {
        const int64_t known = (int32_t)shape->lanes[l], lane = (int32_t)request->lanes[l];
        differ |= (uint64_t)known ^ (request->first + (uint64_t)lane - origin);
    }
    return !differ;
}

// Of lanes that are not side by side, or not all on. It does not matter where those are that the
// observer counts alike.
static bool find_shape(struct event_memo *memo, const struct request *request, uint64_t origin,
                       uint64_t *keep, uint64_t **repeats) {
    *repeats = &memo->once.repeats;
    if (request->is_once && memo->once.is_known) {
        *keep = request->once_keep;
        return true;
    }
    for (int s = 0; s < EVENT_MEMO_SHAPES; s++) {
        struct event_memo_shape *known = &memo->shapes[s];
        *repeats = &known->repeats;
        if (!request->is_whole && known->shape.mask && fits(&known->shape, request, origin))
            return true;
    }
    return false;
}

// The same where not all lanes are on: the array of the first one that is on.
static bool find_memo_of_some(const struct sim_warp *warp, struct event_memo *memo,
                              const struct request *request, struct range *range, uint64_t *keep,
                              uint64_t **repeats) {
    const unsigned first_lane = (unsigned)__builtin_ctz(request->mask);
    const uint64_t first = request->first + (uint64_t)(int32_t)request->lanes[first_lane];
    if (!event_memo_is_about(memo, first, warp->number))
        return false;
    if (memo->bytes != UINT64_MAX) {
        const int64_t begin = (int64_t)memo->first + request->below;
        const int64_t last = (int64_t)(memo->first + memo->bytes) - request->above;
        range->first = range->first < begin ? begin : range->first;
        range->last = range->last < last ? range->last : last;
    }
    *keep = memo->keep;
    return find_shape(memo, request, event_origin(first, memo->keep), keep, repeats);
}

// Whether the observer knows requests like this one, and where it counts them.
static bool find_memo(const struct sim_warp *warp, const struct sim_access *access,
                      const struct request *request, struct range *range, uint64_t *keep,
                      uint64_t **repeats) {
    const struct sim_worker *worker = warp->block->worker;
    const enum site_space space = access->space == PTX_SPACE_SHARED ? SITE_SHARED : SITE_GLOBAL;
    if (!worker->hears_access)
        return true;
    struct event_memo *memo =
        worker->memos ? worker->memos[access->site * SITE_SPACES + space] : NULL;
    if (request->mask != EVENT_ALL_LANES)
        return memo && find_memo_of_some(warp, memo, request, range, keep, repeats);
    if (!memo || !event_memo_is_about(memo, request->first, warp->number))
        return false;
    narrow(range, memo->first, memo->bytes);
    *keep = memo->keep;
    if (request->pattern != EVENT_ANY_PATTERN) {
        const uint32_t tag = event_memo_tag(request->pattern, request->first, memo->keep);
        struct event_memo_place *place = event_memo_place(memo, tag);
        *repeats = &place->repeats;
        return place->tag == tag;
    }
    return find_shape(memo, request, event_origin(request->first, memo->keep), keep, repeats);
}

static bool is_aligned(const struct request *request, uint32_t mask, unsigned width) {
    uint32_t bits = (uint32_t)request->first;
    EACH_LANE(l, mask) {
        bits |= request->lanes[l];
    }
    return (bits & (width - 1)) == 0;
}

enum { WORD = 4 };

// Whether any of the lanes are served at once: each has a bank of its own, or all have one word.
static bool is_once(const struct request *request, unsigned width) {
    uint32_t banks = 0;
    if (request->pattern == EVENT_UNIFORM || width > WORD)
        return width <= WORD;
    for (uint32_t l = 0; l < LANES; l++)
        banks |= 1u << (((uint32_t)request->first + request->lanes[l]) / WORD % LANES);
    return banks == EVENT_ALL_LANES;
}

// How far lanes reach: where it does not matter which of them are on, all of them.
static void choose_reach(const struct sim_warp *warp, const struct sim_access *access,
                         unsigned width, struct request *request) {
    struct range range;
    request->is_whole = request->is_once && access->space == PTX_SPACE_SHARED &&
                        is_aligned(request, EVENT_ALL_LANES, width) &&
                        find_bounds(warp, access, request, &range) && is_within(request, &range);
    if (!request->is_whole)
        find_reach(request, request->mask, width);
}

static bool read_request(const struct sim_warp *warp, const struct sim_access *access,
                         uint32_t mask, struct request *request) {
    const unsigned width = access->bytes * access->count;
    request->mask = mask;
    if (access->space != PTX_SPACE_SHARED) {
        request->is_once = (mask & (mask - 1)) == 0;
        request->once_keep = 0;
        return read_global(warp, access, width, request);
    }
    read_shared(warp, access, width, request);
    request->is_once = is_once(request, width);
    // Lanes in a word each may be two in one where all are moved by less than a word.
    request->once_keep = request->pattern == EVENT_UNIFORM ? 0 : WORD - 1;
    return true;
}

// Adds what is known of a member to its group's draft.
static void add_member(const struct sim_warp *warp, const struct sim_instr *instr, uint32_t member,
                       struct request *request) {
    const struct sim_native_worker *own = warp->block->worker->native;
    const struct sim_access *access = instr->access;
    const unsigned width = access->bytes * access->count;
    struct native_draft *draft = &own->drafts[own->native->compiled.members[member].group];
    struct range range;
    uint64_t keep = 0, *repeats = NULL;
    if (request->mask != EVENT_ALL_LANES)
        choose_reach(warp, access, width, request);
    if (!is_aligned(request, request->mask, width) ||
        (access->is_store && own->native->compiled.members[member].is_anywhere &&
         has_overlap(request, width)) ||
        !find_bounds(warp, access, request, &range) ||
        !find_memo(warp, access, request, &range, &keep, &repeats) || !is_within(request, &range))
        return;
    own->repeats[member * NATIVE_WAYS + native_way(request->base, request->mask)] = repeats;
    const uint64_t below = request->first - (uint64_t)range.first,
                   above = (uint64_t)range.last - request->first;
    draft->base = request->base;
    draft->is_shared = access->space == PTX_SPACE_SHARED;
    draft->below = below < draft->below ? below : draft->below;
    draft->above = above < draft->above ? above : draft->above;
    draft->mask |= keep | (width - 1);
    draft->care |= request->is_whole ? 0 : UINT32_MAX;
    memcpy(draft->shape, request->lanes, sizeof draft->shape);
    draft->members++;
}

static uint32_t members_of(const struct compiled *compiled, const struct native_segment *segment,
                           uint32_t group) {
    uint32_t count = 0;
    for (uint32_t m = segment->member; m < segment->member + segment->members; m++)
        count += compiled->members[m].group == group;
    return count;
}

static void begin_drafts(const struct sim_native_worker *own,
                         const struct native_segment *segment) {
    for (uint32_t g = segment->group; g < segment->group + segment->groups; g++) {
        own->drafts[g].below = own->drafts[g].above = UINT64_MAX;
        own->drafts[g].mask = own->drafts[g].care = own->drafts[g].members = 0;
    }
}

static void end_drafts(struct sim_native_worker *own, const struct native_segment *segment,
                       uint32_t mask) {
    for (uint32_t g = segment->group; g < segment->group + segment->groups; g++) {
        const struct native_draft *draft = &own->drafts[g];
        if (draft->members != members_of(&own->native->compiled, segment, g))
            continue;
        const unsigned way = native_way(draft->base, mask);
        struct native_cell *cell = &own->cells[g * NATIVE_WAYS + way];
        const uint64_t below = draft->below < draft->base ? draft->below : draft->base;
        cell->mask = draft->mask;
        cell->base = draft->base - (below & ~draft->mask);
        cell->limit = draft->base - cell->base + draft->above;
        cell->lanes = mask;
        cell->care = draft->care;
        memcpy(cell->shape->lanes, draft->shape, sizeof draft->shape);
        cell->windows = native_find_windows(cell->shape, draft->is_shared);
        own->armed[g] |= (uint8_t)(1u << way);
    }
}

const struct sim_instr *sim_native_some(struct sim_warp *warp, uint32_t first, uint32_t end,
                                        uint32_t mask) {
    const struct sim_instr *instrs = warp->block->worker->native->native->code.instrs;
    const struct sim_instr *pc = instrs + first;
    sim_set_mask(warp, mask);
    while (pc && pc != instrs + end)
        pc = pc->run[0](warp, pc);
    sim_set_mask(warp, EVENT_ALL_LANES);
    return pc;
}

// The handler of the lanes that are on.
static sim_handler handler_of(const struct sim_native *native, uint32_t instr, uint32_t mask) {
    return mask == EVENT_ALL_LANES ? native->original[instr] : native->code.instrs[instr].run[0];
}

// Whether it is worth looking what is known of the segment's accesses. Where mostly they were not,
// it is left alone for a while.
static bool is_learning(struct sim_native_worker *own, uint32_t number) {
    enum { TRIES = 64, PAUSE = 4096 };
    struct native_learning *learning = &own->learning[number];
    const struct native_segment *segment = &own->native->compiled.segments[number];
    if (learning->pause) {
        learning->pause--;
        return false;
    }
    if (++learning->tries < TRIES)
        return true;
    for (uint32_t g = segment->group; g < segment->group + segment->groups; g++)
        settle_all(own, g);
    learning->pause = learning->hits < TRIES ? PAUSE : 0;
    learning->hits = learning->tries = 0;
    return !learning->pause;
}

static const struct sim_instr *run_handlers(struct sim_warp *warp, const struct sim_native *native,
                                            const struct native_segment *segment, uint32_t mask) {
    const struct sim_instr *instrs = native->code.instrs, *pc = instrs + segment->first;
    while (pc && pc != instrs + segment->end)
        pc = handler_of(native, (uint32_t)(pc - instrs), mask)(warp, pc);
    return pc;
}

const struct sim_instr *sim_native_segment(struct sim_warp *warp, uint32_t number, uint32_t mask) {
    struct sim_native_worker *own = warp->block->worker->native;
    const struct compiled *compiled = &own->native->compiled;
    const struct native_segment *segment = &compiled->segments[number];
    const struct sim_instr *instrs = own->native->code.instrs, *pc = instrs + segment->first;
    uint32_t member = segment->member;
    own->slow += segment->end - segment->first;
    own->turns.stops = true; // whose instructions these are is to be told
    sim_native_spread(warp, segment->ramp, segment->ramps);
    if (mask != EVENT_ALL_LANES)
        sim_set_mask(warp, mask);
    const bool learns = is_learning(own, number);
    if (learns)
        begin_drafts(own, segment);
    else
        pc = run_handlers(warp, own->native, segment, mask);
    while (pc && pc != instrs + segment->end) {
        const uint32_t index = (uint32_t)(pc - instrs);
        struct request request; // a member's alone is looked at
        bool is_member =
            member < segment->member + segment->members && compiled->members[member].instr == index;
        const uint32_t m = member;
        member += is_member;
        if (is_member)
            request = (struct request){.lane = native_lane(&compiled->members[m], mask)};
        if (is_member && (is_member = read_request(warp, pc->access, mask, &request)))
            empty(own, compiled->members[m].group, native_way(request.base, mask));
        const struct sim_instr *at = pc;
        pc = handler_of(own->native, index, mask)(warp, pc);
        if (pc && is_member)
            add_member(warp, at, m, &request);
    }
    if (mask != EVENT_ALL_LANES)
        sim_set_mask(warp, EVENT_ALL_LANES);
    if (pc && learns) {
        note_memos(warp->block->worker, segment);
        end_drafts(own, segment, mask);
    }
    return pc;
}

// ---- Workers ----------------------------------------------------------------------------------

void sim_native_begin(struct sim_worker *worker) {
    const struct sim_native *native = __atomic_load_n(&worker->kernel->native, __ATOMIC_ACQUIRE);
    const bool has_whole_rows = worker->launch->block[0] % LANES == 0;
    if (!native || worker->native || worker->shuffle || worker->lost || worker->journal ||
        worker->hears_unsited || worker->hears_values || (worker->hears_access && !worker->memos) ||
        native->has_whole_rows != has_whole_rows)
        return;
    const struct compiled *compiled = &native->compiled;
    const size_t cells = (size_t)compiled->group_count * NATIVE_WAYS;
    struct sim_native_worker *own = base_alloc(sizeof *own);
    own->native = native;
    own->cells = base_alloc_aligned(64, (cells + 1) * sizeof *own->cells);
    own->shapes = base_alloc_aligned(64, (cells + 1) * sizeof *own->shapes);
    own->repeats = base_alloc((compiled->member_count * NATIVE_WAYS + 1) * sizeof *own->repeats);
    own->armed = base_alloc(compiled->group_count + 1);
    own->drafts = base_alloc((compiled->group_count + 1) * sizeof *own->drafts);
    own->known = base_alloc((worker->kernel->site_count + 1) * SITE_SPACES * sizeof *own->known);
    own->learning = base_alloc((compiled->segment_count + 1) * sizeof *own->learning);
    own->entries = base_alloc((native->code.instr_count + 1) * sizeof *own->entries);
    for (uint32_t e = 0; e < compiled->entry_count; e++)
        own->entries[compiled->entries[e].instr].is_open = true;
    for (size_t c = 0; c < cells; c++)
        own->cells[c] =
            (struct native_cell){.base = UINT64_MAX, .mask = UINT64_MAX, .shape = &own->shapes[c]};
    worker->native = own;
}

void sim_native_end(struct sim_worker *worker) {
    struct sim_native_worker *own = worker->native;
    if (!own)
        return;
    sim_native_flush(worker);
    free(own->entries);
    free(own->learning);
    free(own->known);
    free(own->drafts);
    free(own->armed);
    free(own->repeats);
    free(own->shapes);
    free(own->cells);
    free(own);
    worker->native = NULL;
}
