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

struct bankrun_request explain_bank_request(const struct explain_group *group);

// Reads --requests and writes its rows with their costs. The exit status.
int explain_requests_run(const struct cli_options *options);

#endif
