// Inside bankrun explain: what was asked, and the answers.
#ifndef BANKRUN_CLI_EXPLAIN_H
#define BANKRUN_CLI_EXPLAIN_H

#include "base/strbuf.h"
#include "cli/options.h"
#include "explain/explain.h"

struct explain_group { // warps of a block whose requests are alike
    uint32_t warps;    // bit n = warp n; the lowest one's request is shown
    struct explain_request request;
    enum bankrun_access access;
    enum bankrun_status status; // of the count; `cost` is set when BANKRUN_OK
    struct bankrun_cost cost;
};

struct explain_row { // one architecture and one combination of the swept variables
    unsigned arch;
    int64_t *values; // of the sweeps
    struct explain_group *groups;
    size_t group_count;
};

struct explain_answer {
    const char *expression;
    const struct cli_options *options;
    struct explain_launch launch;
    struct arena *arena; // of all that follows
    const char **sweeps; // names
    size_t sweep_count, combinations;
    uint64_t shared_bytes; // of the first combination
    VEC(struct explain_row) rows;
};

// Asks for every combination and architecture. False: diags say why.
bool explain_ask(struct explain_answer *answer, struct diag_list *diags);

// width: columns, 0: the page's own.
void explain_write_text(const struct explain_answer *answer, bool color, unsigned width,
                        struct strbuf *out);
void explain_write_csv(const struct explain_answer *answer, struct strbuf *out);
void explain_write_json(const struct explain_answer *answer, struct strbuf *out);

const char *explain_access_text(const struct cli_options *options); // "load"

// In the bank mode that was asked for; and without it.
unsigned explain_arch(const struct cli_options *options, unsigned arch);
unsigned explain_plain_arch(unsigned arch);

// Of --block, --grid and --block-index. False: one is wrong, which was printed.
bool explain_read_launch(const struct cli_options *options, struct explain_launch *launch);
// What is asked about: one, or one for each generation, of which any device stands for all since
// all of it follows the same rules. How many they are.
size_t explain_architectures(const struct cli_options *options, unsigned archs[32]);
enum bankrun_access explain_access(const struct cli_options *options,
                                   const struct explain_request *request);

struct bankrun_request explain_bank_request(const struct explain_group *group);

// What ptxas makes of a native atomic by its address and use (docs/bank-rules.md), where that takes
// another number of wavefronts than one access a lane. NULL: it does not; else for which atomics.
const char *explain_compiled(unsigned arch, const struct explain_group *group,
                             uint32_t *wavefronts);

// Reads --requests and writes its rows with their costs. The exit status.
int explain_requests_run(const struct cli_options *options);

#endif
