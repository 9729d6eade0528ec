// Hints in words.
#include "profile/hint_words.h"
#include "base/strbuf.h"

typedef unsigned long long number;

const char *const profile_hint_text[PROFILE_HINTS] = {
    [PROFILE_HINT_SUBWORD] = "subword_stores",  [PROFILE_HINT_ONE_ELEMENT] = "one_element",
    [PROFILE_HINT_INTERLEAVED] = "interleaved", [PROFILE_HINT_STRUCTURES] = "structures",
    [PROFILE_HINT_ORDER] = "lane_order",        [PROFILE_HINT_RANDOM] = "random",
    [PROFILE_HINT_LAUNCH] = "launch_stride",    [PROFILE_HINT_UNCOALESCED] = "uncoalesced",
};

static const char *const words[PROFILE_HINTS] = {
    [PROFILE_HINT_SUBWORD] = "several lanes store into one word: let one lane store all of it",
    [PROFILE_HINT_ONE_ELEMENT] =
        "lanes that update one element wait for each other wherever it lies: add up in registers "
        "or with shuffles first, or give each warp a copy",
    [PROFILE_HINT_INTERLEAVED] =
        "strides double from turn to turn: in a reduction let neighbouring lanes take neighbouring "
        "elements (sequential addressing: `tid < s`, and s halves)",
    [PROFILE_HINT_ORDER] = "lanes that are served together meet: in ascending order of lanes the "
                           "same places meet less",
    [PROFILE_HINT_RANDOM] = "the index is loaded from memory, and lanes go everywhere: no layout "
                            "suits all data",
};

static void put_parameter(struct strbuf *out, const struct profile_other *parameter) {
    strbuf_puts(out, "the stride is ");
    if (parameter->byte)
        strbuf_printf(out, "byte %u of ", parameter->byte);
    if (parameter->number)
        strbuf_printf(out, "parameter %u of the kernel", parameter->number);
    else
        strbuf_puts(out, "blockDim.x");
    strbuf_printf(out, ", %llu here: %llu %swould be free in every block, if the array has room",
                  (number)parameter->is, (number)parameter->free,
                  parameter->number ? "" : "in its place ");
}

static void put_words(struct strbuf *out, enum profile_hint hint, const struct profile_site *site) {
    if (hint == PROFILE_HINT_LAUNCH)
        put_parameter(out, &site->hints.parameter);
    else if (hint == PROFILE_HINT_STRUCTURES)
        strbuf_printf(out,
                      "each lane has %u bytes of its own side by side: store members apart, in an "
                      "array for each",
                      site->hints.stride);
    else
        strbuf_puts(out, words[hint]);
    if (hint == PROFILE_HINT_RANDOM && site->request.width <= 4)
        strbuf_printf(out,
                      "; 32 lanes at random places of 32 banks meet about 3.5-fold, here "
                      "requests take %.1f wavefronts",
                      (double)site->counts.units / (double)site->counts.requests);
}

void profile_put_hints(struct strbuf *out, const struct profile_site *site) {
    enum { LEAST = 10 }; // percent of the excess that are worth a line
    const struct profile_hints *hints = &site->hints;
    for (int hint = 0; hint < PROFILE_HINTS; hint++) {
        const uint64_t gain = hints->gains[hint];
        if (!gain || gain * 100 < hints->excess * LEAST)
            continue;
        strbuf_puts(out, out->length ? "\n" : "");
        put_words(out, (enum profile_hint)hint, site);
        strbuf_printf(out, " (%llu of %llu excess wavefronts of block 0 here)", (number)gain,
                      (number)hints->excess);
    }
}
