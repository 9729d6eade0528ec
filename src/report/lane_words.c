#include "report/lane_words.h"

enum { WARP = 32 };

struct lanes {
    uint32_t mask;
    int64_t element[WARP]; // of the active ones
};

// element = first + step * (lane % period) + jump * (lane / period)
struct affine {
    unsigned period;
    int64_t first, step, jump;
};

static int64_t at(const struct affine *affine, unsigned lane) {
    return affine->first + affine->step * (lane % affine->period) +
           affine->jump * (lane / affine->period);
}

static bool is_active(const struct lanes *lanes, unsigned lane) {
    return lanes->mask >> lane & 1;
}

static bool fits(const struct lanes *lanes, const struct affine *affine) {
    for (unsigned lane = 0; lane < WARP; lane++)
        if (is_active(lanes, lane) && at(affine, lane) != lanes->element[lane])
            return false;
    return true;
}

// Through the first two lanes that take part.
static bool is_straight(const struct lanes *lanes, struct affine *affine) {
    const uint32_t rest = lanes->mask & (lanes->mask - 1);
    const unsigned first = (unsigned)__builtin_ctz(lanes->mask);
    *affine = (struct affine){.period = WARP};
    if (rest) {
        const unsigned second = (unsigned)__builtin_ctz(rest);
        affine->step = (lanes->element[second] - lanes->element[first]) / (int)(second - first);
    }
    affine->first = lanes->element[first] - affine->step * first;
    return fits(lanes, affine);
}

// In groups of lanes from lane 0 on.
static bool is_grouped(const struct lanes *lanes, unsigned period, struct affine *affine) {
    if (!is_active(lanes, 0) || !is_active(lanes, 1) || !is_active(lanes, period))
        return false;
    *affine = (struct affine){.period = period,
                              .first = lanes->element[0],
                              .step = lanes->element[1] - lanes->element[0],
                              .jump = lanes->element[period] - lanes->element[0]};
    return fits(lanes, affine);
}

static void put_term(struct strbuf *out, const char *what, int64_t factor) {
    if (factor == 0)
        return;
    if (out->data[out->length - 1] != '[')
        strbuf_puts(out, factor < 0 ? " - " : " + ");
    else if (factor < 0)
        strbuf_puts(out, "-");
    const long long size = factor < 0 ? -factor : factor;
    if (!*what)
        strbuf_printf(out, "%lld", size);
    else if (size == 1)
        strbuf_puts(out, what);
    else
        strbuf_printf(out, "%s * %lld", what, size);
}

static void put_affine(struct strbuf *out, const struct affine *affine) {
    struct strbuf low = {0}, high = {0};
    strbuf_printf(&low, affine->period < WARP ? "laneid %% %u" : "laneid", affine->period);
    strbuf_printf(&high, "laneid / %u", affine->period);
    strbuf_puts(out, "'s[");
    put_term(out, low.data, affine->step);
    put_term(out, high.data, affine->jump);
    put_term(out, "", affine->first);
    strbuf_puts(out, out->data[out->length - 1] == '[' ? "0]'" : "]'");
    strbuf_free(&low);
    strbuf_free(&high);
}

static void put_table(struct strbuf *out, const struct lanes *lanes) {
    strbuf_puts(out, "'s[e[laneid]]' --let \"e[]=");
    for (unsigned lane = 0; lane < WARP; lane++)
        strbuf_printf(out, "%s%lld", lane ? "," : "", (long long)lanes->element[lane]);
    strbuf_puts(out, "\"");
}

static void put_mask(struct strbuf *out, uint32_t mask) {
    if (mask == UINT32_MAX)
        return;
    if ((mask & (mask + 1)) == 0)
        strbuf_printf(out, " --if 'laneid < %u'", (unsigned)__builtin_ctz(~mask));
    else
        strbuf_printf(out, " --if '0x%xu >> laneid & 1'", mask);
}

bool lane_words_put(struct strbuf *out, const struct profile_site *site) {
    struct lanes lanes = {.mask = site->worst_mask};
    struct affine affine;
    for (unsigned lane = 0; lane < WARP; lane++) {
        if (!is_active(&lanes, lane))
            continue;
        if (site->worst_offsets[lane] % site->width)
            return false;
        lanes.element[lane] = site->worst_offsets[lane] / site->width;
    }
    bool is_found = is_straight(&lanes, &affine);
    for (unsigned period = WARP / 2; !is_found && period > 1; period /= 2)
        is_found = is_grouped(&lanes, period, &affine);
    if (is_found)
        put_affine(out, &affine);
    else
        put_table(out, &lanes);
    put_mask(out, lanes.mask);
    return true;
}
