// Where accesses lie, and which may race, in words.
#include "prove/words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "profile/recorder.h"

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

// ---- Rounds of a loop ------------------------------------------------------------------------

static void put_round(struct strbuf *out, uint64_t degrees) {
    const char *between = "";
    if (!degrees)
        strbuf_puts(out, "none"); // is made in it
    for (unsigned n = 1; n <= PROVE_MAX_DEGREE; n++)
        if (degrees >> (n - 1) & 1) {
            strbuf_printf(out, "%s%u", between, n);
            between = " or ";
        }
}

void prove_put_rounds(struct strbuf *out, const struct prove_site *site) {
    bool differ = false;
    for (unsigned r = 1; r < site->round_count; r++)
        differ |= site->rounds[r] != site->rounds[0];
    if (site->verdict != PROVE_EXACT || site->has_other_rounds || !differ)
        return;
    for (unsigned r = 0; r < site->round_count; r++) {
        strbuf_puts(out, r ? ", " : "");
        put_round(out, site->rounds[r]);
    }
}

// ---- Races ----------------------------------------------------------------------------------

static void put_place(struct strbuf *out, const struct ir_function *function,
                      uint32_t instruction) {
    const struct ir_source_place at =
        ir_source_place(function, function->instructions[instruction].location);
    if (at.line)
        strbuf_printf(out, " at %s:%u", at.file ? text_file_name(at.file) : "line", at.line);
}

static void put_side(struct strbuf *out, const struct prove_race_side *side,
                     const uint32_t block[3]) {
    const uint32_t thread[3] = {side->thread % block[0], side->thread / block[0] % block[1],
                                side->thread / block[0] / block[1]};
    put_thread(out, thread);
    strbuf_puts(out, side->is_write ? " writes" : " reads");
    put_place(out, side->function, side->instruction);
}

void prove_put_races(struct strbuf *out, const struct prove_races *races, const uint32_t block[3]) {
    if (races->why)
        strbuf_puts(out, races->why);
    if (races->function)
        put_place(out, races->function, races->instruction);
    if (!races->sides[0].function || !races->sides[1].function)
        return;
    strbuf_puts(out, races->why ? ": " : "");
    put_side(out, &races->sides[0], block);
    strbuf_puts(out, ", ");
    put_side(out, &races->sides[1], block);
}
