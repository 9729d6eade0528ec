// --fail-on: whether a run passes.
#include "base/strbuf.h"
#include "cli/commands.h"

static void add_count(struct strbuf *text, uint64_t count, const char *one, const char *many) {
    if (count)
        strbuf_printf(text, "%s%llu %s", text->length ? ", " : "", (unsigned long long)count,
                      count == 1 ? one : many);
}

// Excess is judged last: the counts of a run that failed are not those of the program.
int gate_status(const struct profile *profile, const struct cli_options *options) {
    const struct profile_failures failures = profile_failures(profile);
    if (options->fail_on_fault && profile_has_failed(profile)) {
        struct strbuf text = {0};
        add_count(&text, failures.faults, "launch ended in a fault", "launches ended in faults");
        add_count(&text, failures.passed, "launch accessed memory beyond its allocations",
                  "launches accessed memory beyond their allocations");
        add_count(&text, failures.cut_short, "launch was cut short", "launches were cut short");
        add_count(&text, failures.refused, "launch was refused", "launches were refused");
        add_count(&text, failures.gaps, "reason why the profile is incomplete",
                  "reasons why the profile is incomplete");
        cli_error("--fail-on: %s", strbuf_string(&text));
        strbuf_free(&text);
        return CLI_FAILED_RUN;
    }
    const uint64_t findings = profile_count_findings(profile).defects;
    if (options->fail_on_check && findings) {
        cli_error("%llu %s of --check", (unsigned long long)findings,
                  findings == 1 ? "finding" : "findings");
        return CLI_FINDINGS;
    }
    const uint64_t excess = profile_excess(profile);
    if (options->fail_on_excess && excess > options->allowed_excess) {
        cli_error("%llu excess wavefronts of shared memory; --fail-on allows %llu",
                  (unsigned long long)excess, (unsigned long long)options->allowed_excess);
        return CLI_EXCESS;
    }
    return CLI_OK;
}
