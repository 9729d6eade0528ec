// What is known of an access, in words.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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

// ---- Where accesses lie ---------------------------------------------------------------------

static void put_array(struct strbuf *out, const struct ir_variable *array) {
    char *name = array ? profile_array_name(array->name) : NULL;
    strbuf_puts(out, name ? name : "the block's shared memory");
    free(name);
}

static void put_thread(struct strbuf *out, const uint32_t thread[3]) {
    if (thread[2])
        strbuf_printf(out, "thread (%u, %u, %u)", thread[0], thread[1], thread[2]);
    else if (thread[1])
        strbuf_printf(out, "thread (%u, %u)", thread[0], thread[1]);
    else
        strbuf_printf(out, "thread %u", thread[0]);
}

static void put_reason(struct strbuf *out, const char *what, const struct ir_function *function,
                       uint32_t instruction) {
    const uint32_t line = prove_line(function, instruction);
    strbuf_printf(out, ": %s", what);
    if (line)
        strbuf_printf(out, ", line %u", line);
}

// "parameter 2 is at most 64". Compilers number what PTX calls KERNEL_param_1; others name it.
static void put_condition(struct strbuf *out, const struct prove_bounds *bounds) {
    const struct prove_assumption *condition = &bounds->condition;
    const struct ir_variable *formal = NULL;
    unsigned number = 0;
    for (uint32_t v = 0; v < bounds->kernel->variable_count && !formal; v++) {
        const struct ir_variable *variable = bounds->kernel->variables[v];
        number += variable->is_formal;
        if (variable->is_formal && condition->offset >= variable->offset &&
            condition->offset - variable->offset < variable->ptx->bytes)
            formal = variable;
    }
    const char *generated = formal ? strstr(formal->name, "_param_") : NULL;
    strbuf_printf(out, "parameter %u", number);
    if (formal && !generated)
        strbuf_printf(out, " (%s)", formal->name);
    if (formal && condition->offset != formal->offset)
        strbuf_printf(out, ", byte %" PRIu64 " of it,", condition->offset - formal->offset);
    if (condition->most == (condition->bytes == 8 ? INT64_MAX : INT32_MAX))
        strbuf_puts(out, " is not negative");
    else if (condition->may_be_negative)
        strbuf_printf(out, " is at most %" PRIu64, condition->most);
    else
        strbuf_printf(out, " is from 0 to %" PRIu64, condition->most);
}

static void put_misfit(struct strbuf *out, const struct prove_bounds *bounds, unsigned width) {
    strbuf_puts(out, bounds->is_sure ? "leaves " : "can leave ");
    put_array(out, bounds->array);
    strbuf_puts(out, ": ");
    put_thread(out, bounds->thread);
    strbuf_printf(out, "%s bytes %" PRId64 " to %" PRId64,
                  bounds->is_sure ? " accesses" : ", where it comes here, accesses", bounds->byte,
                  bounds->byte + width - 1);
    if (bounds->has_bytes)
        strbuf_printf(out, " of %" PRIu64, bounds->bytes);
    if (bounds->leaves_block)
        strbuf_puts(out, ", outside of the block's shared memory");
    else if (bounds->into && bounds->into != bounds->array) {
        strbuf_puts(out, ", which are in ");
        put_array(out, bounds->into);
    }
}

void prove_put_bounds(struct strbuf *out, const struct prove_site *site, unsigned width) {
    const struct prove_bounds *bounds = &site->bounds;
    switch (bounds->fit) {
    case PROVE_FIT_NONE:
        return;
    case PROVE_FITS:
        strbuf_puts(out, "stays in ");
        put_array(out, bounds->array);
        return;
    case PROVE_FITS_IF:
        strbuf_puts(out, "stays in ");
        put_array(out, bounds->array);
        strbuf_puts(out, " if ");
        put_condition(out, bounds);
        return;
    case PROVE_MISFITS:
        put_misfit(out, bounds, width);
        return;
    case PROVE_FIT_UNKNOWN:
        strbuf_puts(out, "not proved to stay in ");
        put_array(out, bounds->array);
        put_reason(out, bounds->what, bounds->function, bounds->instruction);
    }
}

void prove_put_reach(struct strbuf *out, const struct prove_site *site) {
    const struct prove_bounds *bounds = &site->bounds;
    if (bounds->fit != PROVE_FIT_UNKNOWN || bounds->lacks_size || !bounds->has_reach)
        return;
    strbuf_printf(out, "; bytes %" PRId64 " to %" PRId64, bounds->low, bounds->high);
    if (bounds->has_bytes)
        strbuf_printf(out, " of %" PRIu64, bounds->bytes);
}

void prove_put_alignment(struct strbuf *out, const struct prove_site *site, unsigned width) {
    const struct prove_alignment *alignment = &site->alignment;
    if (width < 2)
        return;
    switch (alignment->fit) {
    case PROVE_FIT_NONE:
        return;
    case PROVE_FITS:
    case PROVE_FITS_IF:
        strbuf_puts(out, "aligned");
        return;
    case PROVE_MISFITS:
        strbuf_printf(out, "%s: ", alignment->is_sure ? "misaligned" : "can be misaligned");
        put_thread(out, alignment->thread);
        strbuf_printf(out, " accesses %u bytes", width);
        if (alignment->is_sure)
            strbuf_printf(out, " at byte %" PRIu64 " of shared memory", alignment->byte);
        return;
    case PROVE_FIT_UNKNOWN:
        strbuf_puts(out, "not proved aligned");
        put_reason(out, alignment->what, alignment->function, alignment->instruction);
    }
}
