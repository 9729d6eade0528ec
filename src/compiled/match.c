// Which access of the machine code an access of PTX became, where that can be told: both have
// offsets from some register, and those of one place in the source cover the same bytes.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "compiled/plan.h"

struct set { // accesses from one base, by offset
    uint64_t base;
    uint32_t first, count; // in an array of struct part
    bool is_matched;
};

struct part {
    uint64_t base; // a group of sites, or the registers of an address in machine code
    int64_t offset;
    uint32_t site;
    uint8_t width;
};

struct parts { // all of one place and kind of access, in sets
    struct part *data;
    uint32_t count;
    struct set *sets;
    uint32_t set_count;
};

static int by_offset(const void *left, const void *right) {
    const struct part *a = left, *b = right;
    if (a->base != b->base)
        return a->base < b->base ? -1 : 1;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    return a->width - b->width;
}

// Code that was copied has an access several times.
static void drop_copies(struct parts *parts) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < parts->count; i++)
        if (!kept || by_offset(&parts->data[kept - 1], &parts->data[i]) != 0)
            parts->data[kept++] = parts->data[i];
    parts->count = kept;
}

static void make_sets(struct parts *parts) {
    parts->sets = base_alloc((parts->count + 1) * sizeof *parts->sets);
    for (uint32_t i = 0; i < parts->count; i++) {
        if (!i || parts->data[i].base != parts->data[i - 1].base)
            parts->sets[parts->set_count++] = (struct set){.base = parts->data[i].base, .first = i};
        parts->sets[parts->set_count - 1].count++;
    }
}

static void free_parts(struct parts *parts) {
    free(parts->data);
    free(parts->sets);
}

struct piece { // the access of the machine code that a site is in
    uint8_t width;
    uint32_t first; // of its sites
};

// How many accesses of the machine code from the first on, moved to where the first site is, take
// the row of whole sites; 0: they do not. pieces[n]: the access that site n of the set is in.
static uint32_t cover(const struct parts *sites, const struct set *group, const struct part *piece,
                      uint32_t count, struct piece *pieces) {
    const struct part *site = &sites->data[group->first];
    const int64_t distance = site->offset - piece->offset;
    uint32_t s = 0, p = 0;
    for (; p < count && s < group->count; p++) {
        int64_t at = piece[p].offset + distance, end = at + piece[p].width;
        const uint32_t first = site[s].site;
        while (s < group->count && site[s].offset == at && at < end) {
            pieces[s] = (struct piece){piece[p].width, first};
            at += site[s++].width;
        }
        if (at != end)
            return 0;
    }
    return s == group->count ? p : 0;
}

// Of a loop that the code generator has unrolled once more there are as many copies of what one
// round accesses, each moved as a whole.
static bool are_copies(const struct part *piece, uint32_t count, uint32_t length) {
    for (uint32_t p = length; p < count; p++) {
        const uint32_t first = p / length * length;
        if (piece[p].width != piece[p % length].width ||
            piece[p].offset - piece[first].offset != piece[p % length].offset - piece[0].offset)
            return false;
    }
    return count % length == 0;
}

// Is all that the set accesses the group's?
static bool match(const struct parts *sites, const struct set *group, const struct parts *code,
                  const struct set *set, struct piece *pieces) {
    const struct part *piece = &code->data[set->first];
    const uint32_t length = cover(sites, group, piece, set->count, pieces);
    return length && are_copies(piece, set->count, length);
}

// True: all sets of machine code that the group may be agree on the widths.
static bool match_group(const struct parts *sites, const struct set *group, struct parts *code,
                        struct piece *pieces) {
    struct piece *other = base_alloc(group->count * sizeof *other);
    bool found = false, agree = true;
    for (uint32_t c = 0; c < code->set_count; c++) {
        struct piece *result = found ? other : pieces;
        if (!match(sites, group, code, &code->sets[c], result))
            continue;
        code->sets[c].is_matched = true;
        for (uint32_t s = 0; found && s < group->count; s++)
            agree &= pieces[s].width == other[s].width && pieces[s].first == other[s].first;
        found = true;
    }
    free(other);
    return found && agree;
}

static void match_place(struct combine_site *planned, const struct parts *sites,
                        struct parts *code) {
    struct piece *pieces = base_alloc((sites->count + 1) * sizeof *pieces);
    bool all = sites->set_count <= code->set_count; // else one has gone to another place
    for (uint32_t g = 0; g < sites->set_count && all; g++)
        all = match_group(sites, &sites->sets[g], code, &pieces[sites->sets[g].first]);
    for (uint32_t c = 0; c < code->set_count; c++)
        all &= code->sets[c].is_matched;
    for (uint32_t i = 0; all && i < sites->count; i++) {
        struct combine_site *site = &planned[sites->data[i].site];
        site->is_exact = true;
        site->is_copied = site->reads_past = false;
        site->widths = pieces[i].width > sites->data[i].width ? pieces[i].width : 0;
        site->first = pieces[i].first;
    }
    free(pieces);
}

// The sites of a place; false: there is one of which nothing is known.
static bool collect_sites(struct parts *parts, const struct combine_site *planned,
                          const struct ir_kernel_site *sites, const uint64_t *places,
                          uint32_t count, uint32_t first) {
    enum site_op op = sites[first].site->op;
    bool known = true;
    parts->data = base_alloc((count - first) * sizeof *parts->data);
    for (uint32_t s = first; s < count; s++)
        if (places[s] == places[first] && sites[s].site->op == op) {
            known &= planned[s].group != 0;
            parts->data[parts->count++] = (struct part){.base = planned[s].group,
                                                        .offset = (int64_t)planned[s].address,
                                                        .site = s,
                                                        .width = (uint8_t)sites[s].site->width};
        }
    qsort(parts->data, parts->count, sizeof *parts->data, by_offset);
    make_sets(parts);
    return known;
}

static void collect_code(struct parts *parts, const struct compiled_access *accesses,
                         uint32_t count, uint64_t place, enum site_op op) {
    parts->data = base_alloc((count + 1) * sizeof *parts->data);
    for (uint32_t a = 0; a < count; a++)
        if (accesses[a].place == place && accesses[a].op == op)
            parts->data[parts->count++] = (struct part){
                .base = accesses[a].base, .offset = accesses[a].offset, .width = accesses[a].width};
    qsort(parts->data, parts->count, sizeof *parts->data, by_offset);
    drop_copies(parts);
    make_sets(parts);
}

// How far apart the offsets of a place are in PTX and in machine code, where both have one base:
// the first site may be anywhere in the first piece.
struct distance {
    uint64_t group, base;
    int64_t least, most;
    bool is_known, is_alone; // one access became one as wide
};

static struct distance distance_of(const struct parts *sites, const struct parts *code) {
    if (sites->set_count != 1 || code->set_count != 1)
        return (struct distance){0};
    const struct part *site = &sites->data[0], *piece = &code->data[0];
    const int64_t most = site->offset - piece->offset;
    return (struct distance){.group = site->base,
                             .base = piece->base,
                             .least = most + site->width - piece->width,
                             .most = most,
                             .is_known = true,
                             .is_alone = sites->count == 1 && code->count == 1 &&
                                         site->width == piece->width};
}

// One access that became one as wide may as well have gone to a neighbour's place, and what is at
// its place be another neighbour's: so it is where those have other distances.
static bool is_doubtful(const struct distance *distances, uint32_t count, uint32_t s) {
    const struct distance *mine = &distances[s];
    for (uint32_t t = 0; mine->is_alone && t < count; t++)
        if (distances[t].is_known && distances[t].group == mine->group &&
            distances[t].base == mine->base &&
            (mine->most < distances[t].least || mine->most > distances[t].most))
            return true;
    return false;
}

void combine_match(struct combine_site *planned, const struct ir_kernel_site *sites,
                   const uint64_t *places, uint32_t count, const struct compiled_access *accesses,
                   uint32_t access_count) {
    bool *is_done = base_alloc(count + 1);
    struct distance *distances = base_alloc((count + 1) * sizeof *distances);
    struct combine_site *before = base_alloc((count + 1) * sizeof *before);
    memcpy(before, planned, count * sizeof *before);
    for (uint32_t s = 0; s < count; s++) {
        if (is_done[s] || !planned[s].group)
            continue;
        for (uint32_t t = s; t < count; t++)
            is_done[t] |= places[t] == places[s] && sites[t].site->op == sites[s].site->op;
        struct parts mine = {0}, code = {0};
        collect_code(&code, accesses, access_count, places[s], sites[s].site->op);
        if (collect_sites(&mine, planned, sites, places, count, s) && code.count) {
            match_place(planned, &mine, &code);
            distances[s] = distance_of(&mine, &code);
        }
        free_parts(&mine);
        free_parts(&code);
    }
    for (uint32_t s = 0; s < count; s++)
        if (is_doubtful(distances, count, s))
            planned[s] = before[s];
    free(before);
    free(distances);
    free(is_done);
}
