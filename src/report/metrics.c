// The figures that profilers have names for, of each launch: today's names and those of the visual
// profiler and of compute capability 1.x. docs/metrics.md says what each counts.
#include <string.h>

#include "report/columns.h"
#include "report/report.h"

struct sums {
    struct profile_counts load, store, atomic; // shared
    struct profile_counts global_load, global_store;
    uint64_t serialized; // shared requests of more than one wavefront a phase
    uint64_t instructions;
    uint64_t copied; // wavefronts of cp.async
};

static struct sums sum_up(const struct profile_launch *launch) {
    const struct profile_counts *shared = launch->totals[SITE_SHARED];
    const struct profile_counts *global = launch->totals[SITE_GLOBAL];
    struct sums sums = {.atomic = shared[PROFILE_ATOMIC],
                        .load = shared[PROFILE_LOAD],
                        .store = shared[PROFILE_STORE],
                        .global_load = global[PROFILE_LOAD],
                        .global_store = global[PROFILE_STORE],
                        .copied = shared[PROFILE_ASYNC_COPY].units,
                        .instructions = launch->instructions};
    profile_add_counts(&sums.load, &shared[PROFILE_MATRIX_LOAD], 1);
    profile_add_counts(&sums.store, &shared[PROFILE_MATRIX_STORE], 1);
    profile_add_counts(&sums.global_load, &global[PROFILE_ASYNC_COPY], 1);
    for (size_t i = 0; i < launch->site_count; i++)
        for (unsigned degree = 2; degree <= PROFILE_MAX_DEGREE; degree++)
            sums.serialized += launch->sites[i].degrees[degree];
    return sums;
}

static void put_name(struct strbuf *out, const char *name) {
    strbuf_printf(out, "  %-66s", name);
}

static void put_count(struct strbuf *out, const char *name, uint64_t count) {
    put_name(out, name);
    strbuf_printf(out, " %16llu\n", (unsigned long long)count);
}

// "-" for a quotient by 0.
static void put_ratio(struct strbuf *out, const char *name, uint64_t part, uint64_t whole,
                      bool is_percent) {
    put_name(out, name);
    double scale = is_percent ? 100.0 : 1.0;
    if (whole)
        strbuf_printf(out, " %16.2f%s\n", scale * (double)part / (double)whole,
                      is_percent ? " %" : "");
    else
        strbuf_printf(out, " %16s\n", "-");
}

#define X(id, name) [REPORT_##id] = name,
const char *const report_metric_names[REPORT_METRICS] = {REPORT_METRIC_LIST(X)};
#undef X

static void fill_today(const struct sums *sums, uint64_t values[REPORT_METRICS]) {
    const uint64_t all[REPORT_METRICS] = {
        [REPORT_WAVEFRONTS] =
            sums->load.units + sums->store.units + sums->atomic.units + sums->copied,
        [REPORT_LOAD_WAVEFRONTS] = sums->load.units,
        [REPORT_STORE_WAVEFRONTS] = sums->store.units,
        [REPORT_ATOMIC_WAVEFRONTS] = sums->atomic.units,
        [REPORT_LOAD_CONFLICTS] = profile_excess_of(&sums->load),
        [REPORT_STORE_CONFLICTS] = profile_excess_of(&sums->store),
        [REPORT_LOAD_INSTRUCTIONS] = sums->load.requests,
        [REPORT_STORE_INSTRUCTIONS] = sums->store.requests,
        [REPORT_LOAD_REQUESTS] = sums->global_load.requests,
        [REPORT_STORE_REQUESTS] = sums->global_store.requests,
        [REPORT_LOAD_SECTORS] = sums->global_load.units,
        [REPORT_STORE_SECTORS] = sums->global_store.units,
    };
    memcpy(values, all, sizeof all);
}

void report_metrics_of_launch(const struct profile_launch *launch,
                              uint64_t values[REPORT_METRICS]) {
    const struct sums sums = sum_up(launch);
    fill_today(&sums, values);
}

void report_metrics_of_site(const struct profile_site *site, uint64_t values[REPORT_METRICS]) {
    struct profile_launch alone = {0};
    alone.totals[site->space][site->op] = site->counts;
    report_metrics_of_launch(&alone, values);
}

static void put_today(struct strbuf *out, const struct sums *sums) {
    uint64_t values[REPORT_METRICS];
    fill_today(sums, values);
    for (int i = 0; i < REPORT_METRICS; i++)
        put_count(out, report_metric_names[i], values[i]);
}

static void put_old(struct strbuf *out, const struct sums *sums) {
    uint64_t requests = sums->load.requests + sums->store.requests + sums->atomic.requests;
    uint64_t wavefronts = sums->load.units + sums->store.units + sums->atomic.units;
    uint64_t ideal = sums->load.ideal + sums->store.ideal + sums->atomic.ideal;
    put_ratio(out, "shared_load_transactions_per_request", sums->load.units, sums->load.requests,
              false);
    put_ratio(out, "shared_store_transactions_per_request", sums->store.units, sums->store.requests,
              false);
    put_count(out, "shared_load_transactions", sums->load.units);
    put_count(out, "shared_store_transactions", sums->store.units);
    put_ratio(out, "shared_efficiency", ideal, wavefronts, true);
    put_ratio(out, "shared_replay_overhead", wavefronts > requests ? wavefronts - requests : 0,
              sums->instructions, false);
    put_count(out, "warp_serialize", sums->serialized);
    put_ratio(out, "gld_efficiency", sums->global_load.ideal, sums->global_load.units, true);
    put_ratio(out, "gst_efficiency", sums->global_store.ideal, sums->global_store.units, true);
    put_ratio(out, "gld_transactions_per_request", sums->global_load.units,
              sums->global_load.requests, false);
    put_ratio(out, "gst_transactions_per_request", sums->global_store.units,
              sums->global_store.requests, false);
}

// The least sure rule of the launch's shared-memory accesses.
static void put_certainty(struct strbuf *out, unsigned arch, const struct profile_launch *launch) {
    enum bankrun_certainty least = BANKRUN_MEASURED;
    bool has_any = false;
    for (size_t i = 0; i < launch->site_count; i++) {
        if (launch->sites[i].space == SITE_SHARED) {
            enum bankrun_certainty one = profile_certainty(arch, &launch->sites[i]);
            least = one > least ? one : least;
            has_any = true;
        }
    }
    if (has_any) {
        put_name(out, "bankrun__bank_rules");
        strbuf_printf(out, " %16s\n", bankrun_certainty_text(least));
    }
}

static void put_problem(struct strbuf *out, const char *what, const char *text) {
    strbuf_printf(out, "  %s: ", what);
    report_clean(out, text);
    strbuf_puts(out, "\n");
}

static void put_missing(struct strbuf *out, const struct profile *profile) {
    for (size_t i = 0; i < profile->refused_count; i++) {
        const struct profile_refused *refused = &profile->refused[i];
        strbuf_printf(out, "\n%llu refused: ", (unsigned long long)refused->repeats);
        report_clean(out, refused->kernel);
        strbuf_puts(out, "\n");
        for (size_t k = 0; k < refused->limit_count; k++)
            put_problem(out, refused->error, refused->limits[k].text);
    }
    if (profile->gap_count)
        strbuf_puts(out, "\nnot all of the program is here\n");
    for (size_t i = 0; i < profile->gap_count; i++)
        put_problem(out, "missing", profile->gaps[i].text);
}

void report_metrics(const struct profile *profile, struct strbuf *out) {
    for (size_t i = 0; i < profile->launch_count; i++) {
        const struct profile_launch *launch = &profile->launches[i];
        struct sums sums = sum_up(launch);
        strbuf_printf(out, "%slaunch %u: ", i ? "\n" : "", launch->index);
        report_clean(out, launch->kernel);
        strbuf_printf(out, ", sm_%u", profile->arch);
        if (launch->repeats > 1)
            strbuf_printf(out, ", each of %llu launches alike",
                          (unsigned long long)launch->repeats);
        strbuf_puts(out, "\n");
        if (launch->fault)
            put_problem(out, launch->cut ? "end" : "fault", launch->fault);
        put_today(out, &sums);
        put_old(out, &sums);
        put_certainty(out, profile_launch_arch(profile->arch, launch), launch);
    }
    put_missing(out, profile);
}
