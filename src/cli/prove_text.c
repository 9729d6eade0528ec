// Proofs as text.
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "base/strbuf.h"
#include "cli/commands.h"
#include "cli/prove.h"
#include "ptx/ptx.h"

// "2, 4, 8" of bits 1, 3 and 7.
static void put_degrees(struct strbuf *out, uint64_t degrees) {
    const char *between = "";
    for (unsigned n = 1; n <= PROVE_MAX_DEGREE; n++)
        if (degrees >> (n - 1) & 1) {
            strbuf_printf(out, "%s%u", between, n);
            between = ", ";
        }
}

// "8 for s = 4, 12, 20, 28": the residues by falling degree, of which one covers several.
static void put_residues(struct strbuf *out, const struct prove_site *site) {
    const char *between = "";
    for (uint32_t degree = PROVE_MAX_DEGREE; degree > 0; degree--) {
        unsigned count = 0;
        for (unsigned r = 0; r < PROVE_RESIDUES; r++)
            count += site->residues[r] == degree;
        if (!count)
            continue;
        strbuf_printf(out, "%s%u-way for s %% 32 = ", between, degree);
        const char *comma = "";
        for (unsigned r = 0; r < PROVE_RESIDUES; r++)
            if (site->residues[r] == degree) {
                strbuf_printf(out, "%s%u", comma, r);
                comma = ",";
            }
        between = "; ";
    }
}

static uint32_t line_of(const struct prove_site *site) {
    if (site->instruction == IR_NONE || !site->function)
        return 0;
    const struct ptx_location *at =
        ir_location(site->function, site->function->instructions[site->instruction].location);
    at = at ? ir_program_location(site->function, at) : NULL;
    return at ? at->line : 0;
}

static void put_reason(struct strbuf *out, const struct prove_site *site) {
    strbuf_printf(out, ": %s", site->what ? site->what : "nothing is known");
    if (line_of(site))
        strbuf_printf(out, " at line %u", line_of(site));
}

char *prove_words(const struct prove_site *site) {
    struct strbuf out = {0};
    switch (site->verdict) {
    case PROVE_NOT_REACHED:
        strbuf_puts(&out, "no warp comes here");
        break;
    case PROVE_EXACT:
        strbuf_puts(&out, "proved ");
        if (site->degrees == 1) {
            strbuf_puts(&out, site->has_excess ? "1-way" : "free");
            break;
        }
        put_degrees(&out, site->degrees);
        strbuf_puts(&out, "-way");
        break;
    case PROVE_FULL:
        strbuf_puts(&out, "proved ");
        put_degrees(&out, site->degrees);
        strbuf_puts(&out, "-way where all lanes take part");
        break;
    case PROVE_DEPENDS:
        strbuf_puts(&out, "depends: ");
        put_residues(&out, site);
        put_reason(&out, site);
        break;
    case PROVE_BOUNDED:
        strbuf_printf(&out, "at most %u-way", site->degree);
        put_reason(&out, site);
        break;
    case PROVE_OBSERVED:
        strbuf_puts(&out, "not proved");
        put_reason(&out, site);
        break;
    }
    return strbuf_take(&out);
}

static void put_place(struct strbuf *out, const struct ir_function *function, uint32_t location) {
    const struct ptx_location *at = ir_location(function, location);
    at = at ? ir_program_location(function, at) : NULL;
    const char *path = at ? ir_location_file(function, at->file) : NULL;
    if (!path) {
        strbuf_puts(out, "?");
        return;
    }
    const char *slash = strrchr(path, '/');
    strbuf_printf(out, "%s:%u", slash ? slash + 1 : path, at->line);
}

void prove_print(struct prove_run *run, const struct ir_function *kernel,
                 const struct prove_launch *launch, const char *why_block,
                 const struct prove_result *result) {
    struct strbuf out = {0};
    char *name = base_demangle(kernel->name);
    uint32_t count;
    struct ir_kernel_site *sites = ir_kernel_sites(kernel, &count);
    strbuf_printf(&out, "%s, blocks of %ux%ux%u%s\n", name, launch->block[0], launch->block[1],
                  launch->block[2], why_block);
    if (result->trouble)
        strbuf_printf(&out, "  nothing is proved of it: %s\n", result->trouble);
    for (uint32_t s = 0; s < count; s++) {
        const struct prove_site *site = &result->sites[s];
        const size_t begin = out.length;
        if (site->verdict == PROVE_NOT_REACHED)
            continue;
        run->sites++;
        run->counts[site->verdict]++;
        strbuf_puts(&out, "  ");
        put_place(&out, sites[s].function, sites[s].site->location);
        while (out.length < begin + 28)
            strbuf_puts(&out, " ");
        strbuf_printf(&out, " %-24s ", sites[s].site->text);
        char *words = prove_words(site);
        strbuf_puts(&out, words);
        strbuf_puts(&out, "\n");
        free(words);
    }
    free(sites);
    free(name);
    make_safe(&out, run->out);
    fwrite(out.data, 1, out.length, run->out);
    strbuf_free(&out);
}
