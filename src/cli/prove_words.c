// What is known of an access, in words.
#include "cli/prove.h"
#include "profile/recorder.h"

void prove_put_verdict(struct strbuf *out, const struct prove_site *site) {
    switch (site->verdict) {
    case PROVE_NOT_REACHED:
        strbuf_puts(out, site->bounds.fit == PROVE_FIT_NONE ? "never reached" : "never aligned");
        return;
    case PROVE_EXACT:
    case PROVE_FULL:
        if (!site->has_excess && !(site->degrees >> 1)) {
            strbuf_puts(out, "proved free");
            return;
        }
        strbuf_puts(out, "proved ");
        profile_put_degrees(out, site->degrees);
        strbuf_puts(out, "-way");
        return;
    case PROVE_DEPENDS:
        if (site->is_most)
            strbuf_printf(out, "at most %u-way, by s", site->degree);
        else
            strbuf_puts(out, "depends on s");
        return;
    case PROVE_BOUNDED:
        strbuf_printf(out, "at most %u-way", site->degree);
        return;
    case PROVE_OBSERVED:
        strbuf_puts(out, "not proved");
        return;
    }
}

// ---- Residues -------------------------------------------------------------------------------

// "4, 12, 20, 28", or where these are all that have so many low bits in common "s mod 8 = 4".
static void put_residues(struct strbuf *out, const struct prove_site *site, uint32_t degree) {
    uint32_t set = 0;
    for (unsigned r = 0; r < PROVE_RESIDUES; r++)
        set |= (uint32_t)(site->residues[r] == degree) << r;
    const unsigned count = (unsigned)__builtin_popcount(set), period = PROVE_RESIDUES / count;
    const unsigned first = (unsigned)__builtin_ctz(set);
    bool is_class = (count & (count - 1)) == 0 && first < period;
    for (unsigned r = first; is_class && r < PROVE_RESIDUES; r += period)
        is_class = set >> r & 1;
    if (is_class && period == 1) {
        strbuf_puts(out, "every s");
    } else if (is_class && period == 2) {
        strbuf_puts(out, first ? "odd s" : "even s");
    } else if (is_class) {
        strbuf_printf(out, "s mod %u = %u", period, first);
    } else {
        strbuf_puts(out, "s mod 32 = ");
        strbuf_set(out, set);
    }
}

// "32-way for s mod 32 = 0", "16-way for s mod 32 = 16", ..., "free for odd s", a line each.
static void put_table(struct strbuf *out, const struct prove_site *site) {
    for (uint32_t degree = PROVE_MAX_DEGREE; degree > 0; degree--) {
        bool is_any = false;
        for (unsigned r = 0; r < PROVE_RESIDUES; r++)
            is_any |= site->residues[r] == degree;
        if (!is_any)
            continue;
        if (degree > 1)
            strbuf_printf(out, "%u-way for ", degree);
        else
            strbuf_puts(out, "free for ");
        put_residues(out, site, degree);
        strbuf_puts(out, "\n");
    }
}

void prove_put_detail(struct strbuf *out, const struct prove_site *site) {
    const bool is_free = !site->has_excess && !(site->degrees >> 1);
    if (site->verdict == PROVE_FULL && !is_free)
        strbuf_puts(out, "where all lanes take part");
    // The bank model has no exact number for it: asynchronous copies that pass the cache by.
    if (site->verdict == PROVE_EXACT && !is_free && site->degree == 1)
        strbuf_puts(out, "what it costs is not known exactly");
    struct strbuf rounds = {0};
    prove_put_rounds(&rounds, site);
    if (rounds.length)
        strbuf_printf(out, "round by round: %s", rounds.data);
    strbuf_free(&rounds);
    if (site->verdict < PROVE_DEPENDS)
        return;
    if (site->verdict == PROVE_DEPENDS) {
        put_table(out, site);
        strbuf_puts(out, "s: ");
    }
    strbuf_puts(out, site->what ? site->what : "nothing is known of the address");
    const uint32_t line = prove_line(site->function, site->instruction);
    if (line)
        strbuf_printf(out, ", line %u", line);
}
