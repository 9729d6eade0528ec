// What is proved of a site, in words.
#include <string.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "profile/recorder.h"

const char *const profile_fit_text[PROFILE_FITS_COUNT] = {
    [PROFILE_FITS] = "proved",
    [PROFILE_FIT_UNKNOWN] = "unknown",
    [PROFILE_CAN_MISFIT] = "possible",
    [PROFILE_MISFITS] = "violated",
};
const char *const profile_freedom_text[PROFILE_FREEDOMS] = {
    [PROFILE_RACE_FREE] = "free",
    [PROFILE_FREEDOM_UNKNOWN] = "unknown",
    [PROFILE_RACES] = "race",
};

static void join_choices(struct profile_choice *to, const struct profile_choice *from) {
    if (to->is_width != from->is_width || to->offset != from->offset || to->bytes != from->bytes)
        *to = (struct profile_choice){0};
    for (int r = 0; r < 32; r++)
        if (from->degrees[r] > to->degrees[r])
            to->degrees[r] = from->degrees[r];
}

// Less is known of both than of either.
void profile_join_proofs(struct profile_proof *to, const struct profile_proof *from) {
    if (from->verdict < to->verdict) {
        to->verdict = from->verdict;
        to->why = from->why;
        to->line = from->line;
    }
    to->degrees |= from->degrees;
    if (from->degree > to->degree)
        to->degree = from->degree;
    if (from->fit > to->fit) {
        to->fit = from->fit;
        to->bounds = from->bounds;
    }
    join_choices(&to->choice, &from->choice);
    to->may_merge |= from->may_merge;
    to->moved_behind = to->moved_behind ? to->moved_behind : from->moved_behind;
}

void profile_put_degrees(struct strbuf *out, uint64_t degrees) {
    const char *between = "";
    for (unsigned n = 1; n <= PROFILE_MAX_DEGREE; n++)
        if (degrees >> (n - 1) & 1) {
            strbuf_printf(out, "%s%u", between, n);
            between = ", ";
        }
}

static void put_why(struct strbuf *out, const struct profile_proof *proof) {
    if (!proof->why)
        return;
    strbuf_printf(out, "%s%s", out->length ? ": " : "", proof->why);
    if (proof->line)
        strbuf_printf(out, " at line %u", proof->line);
}

// A request was counted that should not be: the proof is wrong, and nothing of it is worth saying.
static bool is_contradicted(const struct profile_site *site, const struct profile_proof *proof) {
    for (unsigned n = 1; n <= PROFILE_MAX_DEGREE; n++) {
        if (!site->degrees[n] || proof->verdict == PROFILE_OBSERVED)
            continue;
        if (n > proof->degree ||
            (proof->verdict == PROFILE_PROVED && !(proof->degrees >> (n - 1) & 1)))
            return true;
    }
    return false;
}

#define IN_EVERY_BLOCK "-way in every block"

bool profile_is_proved(const struct profile_site *site) {
    return site->verdict && !strcmp(site->verdict, "proved");
}

bool profile_is_proved_free(const struct profile_site *site) {
    return profile_is_proved(site) && site->proof && !strcmp(site->proof, "1" IN_EVERY_BLOCK);
}

void profile_say_proof(struct profile_site *site, const struct profile_proof *proof) {
    struct strbuf words = {0};
    const char *verdict = "observed";
    if (site->space == SITE_SHARED && is_contradicted(site, proof)) {
        strbuf_puts(&words, "the proof says otherwise: this is a defect of bankrun");
    } else if (proof->verdict == PROFILE_PROVED) {
        verdict = "proved";
        profile_put_degrees(&words, proof->degrees);
        strbuf_puts(&words, IN_EVERY_BLOCK);
    } else if (proof->verdict == PROFILE_BOUNDED) {
        verdict = "bounded";
        strbuf_printf(&words, "at most %u" IN_EVERY_BLOCK, proof->degree);
        put_why(&words, proof);
    } else {
        put_why(&words, proof);
    }
    site->verdict = base_strdup(verdict);
    site->fit = proof->fit;
    site->bounds = base_strdup(proof->bounds);
    site->may_merge = proof->may_merge;
    site->moved_behind = proof->moved_behind;
    site->is_estimate |= proof->moved_behind != 0;
    site->proof = words.length ? strbuf_take(&words) : NULL;
    strbuf_free(&words);
}
