// --fail-on: whether a run passes.
#include <string.h>

#include "base/strbuf.h"
#include "cli/commands.h"
#include "profile/where.h"
#include "report/diff.h"

static void add_count(struct strbuf *text, uint64_t count, const char *one, const char *many) {
    if (count)
        strbuf_printf(text, "%s%llu %s", text->length ? ", " : "", (unsigned long long)count,
                      count == 1 ? one : many);
}

static void say_failed(const struct profile *profile, const char *of) {
    const struct profile_failures failures = profile_failures(profile);
    struct strbuf text = {0};
    add_count(&text, failures.faults, "launch ended in a fault", "launches ended in faults");
    add_count(&text, failures.passed, "launch accessed memory beyond its allocations",
              "launches accessed memory beyond their allocations");
    add_count(&text, failures.cut_short, "launch was cut short", "launches were cut short");
    add_count(&text, failures.refused, "launch was refused", "launches were refused");
    add_count(&text, failures.gaps, "reason why the profile is incomplete",
              "reasons why the profile is incomplete");
    cli_error("--fail-on: %s%s%s", of ? of : "", of ? ": " : "", strbuf_string(&text));
    strbuf_free(&text);
}

// ---- Excess and degrees ---------------------------------------------------------------------

static void say_place(struct strbuf *text, const char *file, uint32_t line) {
    if (file && line)
        strbuf_printf(text, "%s:%u", file, line);
    else
        strbuf_puts(text, "no known line");
}

struct gate_sum {
    uint64_t excess, accepted;
    uint32_t degree; // the worst of an access that conflicts
    const struct profile_site *worst;
    const char *kernel; // of it
    bool has_any;       // access to shared memory, or kernel, of that name
};

static void add_site(struct gate_sum *sum, const struct profile_launch *launch,
                     const struct profile_site *site) {
    const uint64_t excess = profile_excess_of(&site->counts);
    sum->has_any = true;
    if (site->suppressed) {
        sum->accepted += launch->repeats * excess;
        return;
    }
    sum->excess += launch->repeats * excess;
    if (excess && site->worst_degree > sum->degree) {
        sum->degree = site->worst_degree;
        sum->worst = site;
        sum->kernel = launch->kernel ? launch->kernel : launch->symbol;
    }
}

static struct gate_sum sum_up(const struct profile *profile, const char *where) {
    struct gate_sum sum = {0};
    for (size_t l = 0; l < profile->launch_count; l++) {
        const struct profile_launch *launch = &profile->launches[l];
        const char *kernel = launch->kernel ? launch->kernel : launch->symbol;
        sum.has_any |= !where || where_is_function(where, kernel);
        for (size_t s = 0; s < launch->site_count; s++) {
            const struct profile_site *site = &launch->sites[s];
            if (site->space == SITE_SHARED && (!where || where_is_site(where, kernel, site)))
                add_site(&sum, launch, site);
        }
    }
    return sum;
}

// A gate that is about nothing must not pass.
static int judge_nothing(const struct cli_gate *gate) {
    cli_error("--fail-on %.*s: no kernel and no access to shared memory is there", gate->length,
              gate->text);
    return CLI_FAILED_RUN;
}

static int judge_excess(const struct profile *profile, const struct cli_gate *gate) {
    const struct gate_sum sum = sum_up(profile, gate->where);
    if (gate->where && !sum.has_any)
        return judge_nothing(gate);
    if (sum.excess <= gate->most)
        return CLI_OK;
    struct strbuf accepted = {0};
    if (sum.accepted)
        strbuf_printf(&accepted, ", beside %llu that are accepted",
                      (unsigned long long)sum.accepted);
    cli_error("%llu excess wavefronts of shared memory%s%s%s; --fail-on allows %llu",
              (unsigned long long)sum.excess, gate->where ? " at " : "",
              gate->where ? gate->where : "", strbuf_string(&accepted),
              (unsigned long long)gate->most);
    strbuf_free(&accepted);
    return CLI_EXCESS;
}

static int judge_degree(const struct profile *profile, const struct cli_gate *gate) {
    const struct gate_sum sum = sum_up(profile, gate->where);
    if (gate->where && !sum.has_any)
        return judge_nothing(gate);
    if (sum.degree <= gate->most)
        return CLI_OK;
    struct strbuf text = {0};
    say_place(&text, sum.worst->file, sum.worst->line);
    cli_error("%s: %s conflicts %u ways in %s; --fail-on allows %llu", strbuf_string(&text),
              sum.worst->instruction, sum.degree, sum.kernel, (unsigned long long)gate->most);
    strbuf_free(&text);
    return CLI_EXCESS;
}

// ---- Regressions ----------------------------------------------------------------------------

static bool is_there(const struct cli_gate *gate, const struct report_row *row) {
    return row && row->space == SITE_SHARED &&
           (!gate->where || where_is_line(gate->where, row->file, row->line) ||
            where_is_function(gate->where, row->kernel));
}

static bool is_regression(const struct cli_gate *gate, const struct diff_line *line) {
    const uint64_t before = diff_excess(line->old), after = diff_excess(line->now);
    if (!is_there(gate, line->now) || line->now->is_accepted || after <= before)
        return false;
    return gate->is_percent ? (double)(after - before) * 100.0 > (double)gate->most * (double)before
                            : after - before > gate->most;
}

static void say_regression(const struct diff_line *line) {
    static const struct report_row nothing;
    const struct report_row *old = line->old ? line->old : &nothing, *now = line->now;
    struct strbuf text = {0};
    say_place(&text, now->file, now->line);
    cli_error("%s: excess %llu -> %llu of %llu -> %llu wavefronts%s, in %s", strbuf_string(&text),
              (unsigned long long)diff_excess(line->old), (unsigned long long)diff_excess(now),
              (unsigned long long)old->counts.units, (unsigned long long)now->counts.units,
              line->old ? "" : " (a new line)", now->kernel);
    strbuf_free(&text);
}

// A defect that the baseline, which was checked for it, has not. How much a line may lose is no
// matter of these.
static bool is_new_defect(const struct cli_gate *gate, const struct diff_finding *found) {
    const struct profile_finding *finding = found->finding;
    bool is_there = !gate->where || where_is_function(gate->where, found->kernel);
    for (size_t i = 0; i < finding->place_count && !is_there; i++)
        is_there = where_is_line(gate->where, finding->places[i].file, finding->places[i].line);
    return is_there && found->change == DIFF_NEW && !finding->is_note && !finding->suppressed;
}

static int judge_findings(const struct diff *diff, const struct cli_gate *gate,
                          const char *baseline) {
    uint64_t count = 0;
    for (size_t i = 0; i < diff->finding_count; i++) {
        const struct diff_finding *found = &diff->findings[i];
        static const struct profile_place nowhere;
        const struct profile_place *place =
            found->finding->place_count ? &found->finding->places[0] : &nowhere;
        if (!is_new_defect(gate, found))
            continue;
        struct strbuf text = {0};
        say_place(&text, place->file, place->line);
        cli_error("%s: %s/%s is new%s%s", strbuf_string(&text),
                  profile_check_text[found->finding->check], found->finding->kind,
                  found->kernel ? ", in " : "", found->kernel ? found->kernel : "");
        strbuf_free(&text);
        count++;
    }
    if (count)
        cli_error("%llu %s that %s has not", (unsigned long long)count,
                  count == 1 ? "finding" : "findings", baseline);
    return count ? CLI_REGRESSION : CLI_OK;
}

static int judge_lines(const struct diff *diff, const struct cli_gate *gate, const char *baseline) {
    enum { MOST_SAID = 8 };
    uint64_t count = 0;
    bool has_any = !gate->where;
    for (size_t i = 0; i < diff->count; i++) {
        has_any |= is_there(gate, diff->lines[i].now) || is_there(gate, diff->lines[i].old);
        if (is_regression(gate, &diff->lines[i]) && count++ < MOST_SAID)
            say_regression(&diff->lines[i]);
    }
    for (size_t i = 0; i < diff->kernel_count && !has_any; i++)
        has_any = where_is_function(gate->where, diff->kernels[i].name);
    if (!has_any)
        return judge_nothing(gate);
    if (!count)
        return CLI_OK;
    cli_error("%llu %s more excess than in %s; --fail-on allows %llu%s more of a line",
              (unsigned long long)count, count == 1 ? "line has" : "lines have", baseline,
              (unsigned long long)gate->most, gate->is_percent ? " %" : "");
    return CLI_REGRESSION;
}

static int judge_regression(const struct profile *profile, const struct cli_gate *gate,
                            const struct cli_options *options) {
    const struct profile *baseline = options->baseline;
    const char *problem = diff_problem(baseline, profile);
    if (problem) {
        cli_error("--fail-on regression: %s and this run %s", options->baseline_path, problem);
        return CLI_USAGE;
    }
    if (profile_has_failed(baseline)) {
        say_failed(baseline, options->baseline_path);
        return CLI_FAILED_RUN;
    }
    struct diff *diff = diff_create(baseline, profile);
    const int findings = judge_findings(diff, gate, options->baseline_path);
    int status = judge_lines(diff, gate, options->baseline_path);
    if (status == CLI_OK || (findings != CLI_OK && status == CLI_FAILED_RUN))
        status = findings;
    diff_free(diff);
    return status;
}

bool gate_is_ready(const struct cli_options *options) {
    bool has_gate = false;
    for (size_t i = 0; i < options->gates.length; i++)
        has_gate |= options->gates.data[i].kind == CLI_GATE_REGRESSION;
    if (has_gate && !options->baseline)
        cli_error("--fail-on regression: against what? --baseline FILE, a saved profile");
    else if (options->baseline && !has_gate)
        cli_error("--baseline is for --fail-on regression, which is not given");
    return has_gate == (options->baseline != NULL);
}

// ---- All of them ----------------------------------------------------------------------------

static int judge(const struct profile *profile, const struct cli_gate *gate,
                 const struct cli_options *options) {
    switch (gate->kind) {
    case CLI_GATE_EXCESS:
        return judge_excess(profile, gate);
    case CLI_GATE_DEGREE:
        return judge_degree(profile, gate);
    case CLI_GATE_REGRESSION:
        break;
    }
    return judge_regression(profile, gate, options);
}

// Excess is judged last: the counts of a run that failed are not those of the program.
int gate_status(const struct profile *profile, const struct cli_options *options) {
    if (options->fail_on_fault && profile_has_failed(profile)) {
        say_failed(profile, NULL);
        return CLI_FAILED_RUN;
    }
    const uint64_t findings = profile_count_findings(profile).defects;
    if (options->fail_on_check && findings) {
        cli_error("%llu %s of --check", (unsigned long long)findings,
                  findings == 1 ? "finding" : "findings");
        return CLI_FINDINGS;
    }
    int status = CLI_OK;
    for (size_t i = 0; i < options->gates.length; i++) {
        const int one = judge(profile, &options->gates.data[i], options);
        status = status == CLI_OK ? one : status;
    }
    return status;
}
