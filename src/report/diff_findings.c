// Which findings of checkers are new, and which are gone. The same finding is one of the same kind,
// in the same kernel, about the same memory, at lines with the same text; of what is left over, one
// without its lines, which an edit may have changed.
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/text.h"
#include "profile/quotes.h"
#include "report/diff_build.h"

struct item {
    const char *kernel; // NULL: what the host does
    const struct profile_finding *finding;
    const char *exact, *rough; // keys
    bool is_matched;
};

struct side {
    struct item *items; // each once, however many launches have it
    size_t count;
};

static const char *kernel_of(const struct profile_launch *launch) {
    return launch->kernel ? launch->kernel : launch->symbol;
}

// "bins" of "bins[5]": which element a race hits first says little.
static int object_length(const char *object) {
    return object ? (int)strcspn(object, "[") : 0;
}

static const char *rough_key(struct arena *arena, const struct item *item) {
    const struct profile_finding *finding = item->finding;
    return arena_printf(arena, "%s\n%d %s\n%.*s", item->kernel ? item->kernel : "", finding->check,
                        finding->kind, object_length(finding->object),
                        finding->object ? finding->object : "");
}

static const char *exact_key(struct arena *arena, const struct profile *profile,
                             const struct item *item) {
    struct strbuf key = {0};
    strbuf_puts(&key, item->rough);
    for (size_t i = 0; i < item->finding->place_count; i++) {
        const struct profile_place *place = &item->finding->places[i];
        const char *quote = profile_quote_of(profile, place->file, place->line);
        strbuf_printf(&key, "\n%s %s ", place->role ? place->role : "",
                      place->instruction ? place->instruction : "");
        if (quote)
            strbuf_puts(&key, quote);
        else
            strbuf_printf(&key, "%s:%u", place->file ? text_file_name(place->file) : "",
                          place->line);
    }
    const char *kept = arena_strndup(arena, strbuf_string(&key), key.length);
    strbuf_free(&key);
    return kept;
}

static void add_items(struct arena *arena, const struct profile *profile, const char *kernel,
                      const struct profile_findings *findings, struct map *known,
                      struct side *side) {
    for (size_t i = 0; i < findings->count; i++) {
        struct item item = {.kernel = kernel, .finding = &findings->list[i]};
        item.rough = rough_key(arena, &item);
        item.exact = exact_key(arena, profile, &item);
        if (map_get_string(known, item.exact))
            continue;
        map_put(known, item.exact, strlen(item.exact), (void *)item.exact);
        side->items[side->count++] = item;
    }
}

static struct side side_of(struct arena *arena, const struct profile *profile) {
    size_t most = profile->findings.count;
    struct map known = {0};
    for (size_t l = 0; l < profile->launch_count; l++)
        most += profile->launches[l].findings.count;
    struct side side = {.items = ARENA_ARRAY(arena, struct item, most + 1)};
    for (size_t l = 0; l < profile->launch_count; l++)
        add_items(arena, profile, kernel_of(&profile->launches[l]), &profile->launches[l].findings,
                  &known, &side);
    add_items(arena, profile, NULL, &profile->findings, &known, &side);
    map_free(&known);
    return side;
}

// Each of OLD takes at most one of NEW.
static void match(struct side *old, struct side *now, bool is_exact) {
    for (size_t o = 0; o < old->count; o++)
        for (size_t n = 0; n < now->count && !old->items[o].is_matched; n++) {
            const struct item *a = &old->items[o], *b = &now->items[n];
            if (!b->is_matched &&
                strcmp(is_exact ? a->exact : a->rough, is_exact ? b->exact : b->rough) == 0)
                old->items[o].is_matched = now->items[n].is_matched = true;
        }
}

// What the other run has not looked for is neither new nor gone.
static void add_rest(struct diff *diff, const struct side *side, enum diff_change change,
                     uint32_t looked_for) {
    for (size_t i = 0; i < side->count; i++) {
        const struct item *item = &side->items[i];
        if (item->is_matched || !(looked_for & profile_check_bit(item->finding->check)))
            continue;
        diff->findings[diff->finding_count++] =
            (struct diff_finding){change, item->kernel, item->finding};
    }
}

void diff_match_findings(struct diff *diff) {
    struct side old = side_of(diff->arena, diff->old), now = side_of(diff->arena, diff->now);
    diff->findings = ARENA_ARRAY(diff->arena, struct diff_finding, old.count + now.count + 1);
    match(&old, &now, true);
    match(&old, &now, false);
    for (size_t n = 0; n < now.count; n++)
        diff->same_findings += now.items[n].is_matched;
    add_rest(diff, &now, DIFF_NEW, diff->old->checks);
    add_rest(diff, &old, DIFF_GONE, diff->now->checks);
}
