#include "profile/since.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "profile/recorder.h"

struct profile_moment profile_moment_of(const struct profile *profile) {
    struct profile_moment moment = {
        .launched = profile->launched,
        .refused_count = profile->refused_count,
        .gap_count = profile->gap_count,
        .finding_count = profile->findings.count,
    };
    moment.refused = base_alloc((moment.refused_count + 1) * sizeof *moment.refused);
    for (size_t i = 0; i < moment.refused_count; i++)
        moment.refused[i] = profile->refused[i].repeats;
    moment.gaps = base_alloc((moment.gap_count + 1) * sizeof *moment.gaps);
    for (size_t i = 0; i < moment.gap_count; i++)
        moment.gaps[i] = profile->gaps[i].count;
    moment.findings = base_alloc((moment.finding_count + 1) * sizeof *moment.findings);
    for (size_t i = 0; i < moment.finding_count; i++)
        moment.findings[i] = profile->findings.list[i].count;
    return moment;
}

void profile_free_moment(struct profile_moment *moment) {
    free(moment->refused);
    free(moment->gaps);
    free(moment->findings);
    *moment = (struct profile_moment){0};
}

// How many of a kept launch's are number `first` or later.
static uint64_t launches_from(const struct profile_launch *launch, uint64_t first) {
    uint64_t count = 0;
    for (size_t i = 0; i < launch->run_count; i++) {
        const struct profile_run *run = &launch->runs[i];
        const uint64_t before =
            run->first >= first ? 0 : (first - run->first + run->step - 1) / run->step;
        count += before < run->count ? run->count - before : 0;
    }
    return count;
}

// A copy by the form in which processes hand over. It was written here: it can be read.
static void add_launches(struct profile *made, const struct profile_launch *launch,
                         uint64_t count) {
    struct diag_list diags = {0};
    struct profile_run run = {(uint32_t)made->launched, 1, 1};
    struct profile_launch first = *launch; // as when it was the only one of its kind
    first.index = run.first;
    first.repeats = first.run_count = 1;
    first.runs = &run;
    char *text = profile_launch_to_json(&first);
    if (!profile_parse_launch(made, "a launch", text, strlen(text), &diags))
        assert(!"a launch that cannot be read back");
    free(text);
    diag_free(&diags);
    for (uint64_t i = 1; i < count; i++)
        profile_count_repeat(made, made->launch_count - 1);
}

// How often, without what there was: the first `old_count` of a list had been there.
static uint64_t news(uint64_t now, const uint64_t *old, size_t old_count, size_t number) {
    return number < old_count ? now - old[number] : now;
}

static void keep_refused(struct profile *made, const struct profile_moment *moment) {
    size_t kept = 0;
    for (size_t i = 0; i < made->refused_count; i++) {
        struct profile_refused *refused = &made->refused[i];
        refused->repeats = news(refused->repeats, moment->refused, moment->refused_count, i);
        refused->after = refused->after > moment->launched ? refused->after - moment->launched : 0;
        if (refused->repeats)
            made->refused[kept++] = *refused;
        else
            profile_free_refused(refused);
    }
    made->refused_count = kept;
}

static void keep_gaps(struct profile *made, const struct profile_moment *moment) {
    size_t kept = 0;
    for (size_t i = 0; i < made->gap_count; i++) {
        struct profile_gap *gap = &made->gaps[i];
        gap->count = news(gap->count, moment->gaps, moment->gap_count, i);
        if (gap->count)
            made->gaps[kept++] = *gap;
        else
            free(gap->text);
    }
    made->gap_count = kept;
}

static void keep_findings(struct profile *made, const struct profile_moment *moment) {
    struct profile_findings *findings = &made->findings;
    size_t kept = 0;
    for (size_t i = 0; i < findings->count; i++) {
        struct profile_finding *finding = &findings->list[i];
        finding->count = news(finding->count, moment->findings, moment->finding_count, i);
        if (finding->count)
            findings->list[kept++] = *finding;
        else
            profile_free_finding(finding);
    }
    findings->count = kept;
}

struct profile *profile_since(const struct profile *profile, const struct profile_moment *moment) {
    struct diag_list diags = {0};
    char *text = profile_head_to_json(profile);
    struct profile *made = profile_parse("a profile", text, strlen(text), &diags);
    assert(made);
    free(text);
    diag_free(&diags);
    for (size_t i = 0; i < profile->launch_count; i++) {
        const uint64_t count = launches_from(&profile->launches[i], moment->launched);
        if (count)
            add_launches(made, &profile->launches[i], count);
    }
    keep_refused(made, moment);
    keep_gaps(made, moment);
    keep_findings(made, moment);
    return made;
}
