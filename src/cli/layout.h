// Inside bankrun layout: what was asked, and the answers.
#ifndef BANKRUN_CLI_LAYOUT_H
#define BANKRUN_CLI_LAYOUT_H

#include "base/arena.h"
#include "base/map.h"
#include "base/strbuf.h"
#include "cli/options.h"
#include "explain/explain.h"
#include "fix/search.h"

struct layout_access { // one expression, and the options that stood before it
    const char *expression;
    struct cli_explain asked;
    uint64_t requests; // that it makes
};

struct layout_result { // of one architecture
    unsigned arch;
    fix_answers answers; // the first is the array as it is
};

struct layout_question {
    const struct cli_options *options; // those that hold for all
    struct explain_launch launch;
    struct arena *arena; // of the texts and requests that follow
    VEC(struct layout_access) accesses;
    const char *array; // that all of them access; NULL: nothing is known yet
    struct explain_shape shape;
    uint64_t bytes; // that are accessed, where the declaration gives no size
    VEC(struct fix_request) requests;
    struct map seen; // of equal ones the first
    VEC(struct layout_result) results;
};

// Evaluates all expressions for all warps and values of sweeps. False: diags say why.
bool layout_ask(struct layout_question *question, struct diag_list *diags);
// Searches the layouts of each architecture. False: the accesses cannot be made, as diags say.
bool layout_search(struct layout_question *question, struct diag_list *diags);

// ---- In words -----------------------------------------------------------------------------

// "float tile[32][33]": the declaration, with padding where the layout has it.
void layout_declaration(const struct layout_question *question, const struct fix_layout *layout,
                        struct strbuf *out);
// What an index becomes: "tile[y][x ^ (y & 31)]", "s[i + i / 32]"; nothing where the declaration
// alone does it.
void layout_index(const struct layout_question *question, const struct fix_layout *layout,
                  struct strbuf *out);
// "Swizzle<5, 0, 5>", counting elements as CuTe does. Nothing of what is no swizzle.
void layout_swizzle(const struct layout_question *question, const struct fix_layout *layout,
                    struct strbuf *out);
// What made the accesses: "store", "ldmatrix.x4".
const char *layout_access_text(const struct layout_access *access);

// width: columns, 0: the page's own.
void layout_write_text(const struct layout_question *question, bool color, unsigned width,
                       struct strbuf *out);
void layout_write_csv(const struct layout_question *question, struct strbuf *out);
void layout_write_json(const struct layout_question *question, struct strbuf *out);

#endif
