#include "profile/only.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "profile/recorder.h"
#include "profile/where.h"

static int compile(regex_t *pattern, const char *expression) {
    return regcomp(pattern, expression, REG_EXTENDED | REG_NOSUB);
}

bool profile_is_pattern(const char *kernel, struct strbuf *problem) {
    regex_t pattern;
    const int error = compile(&pattern, kernel);
    if (error) {
        char text[200];
        regerror(error, &pattern, text, sizeof text);
        strbuf_puts(problem, text);
    } else {
        regfree(&pattern);
    }
    return error == 0;
}

void profile_choose_kernels(struct profile_kernels *kernels, const char *expression) {
    kernels->is_all = !expression;
    if (expression && compile(&kernels->pattern, expression) != 0)
        base_out_of_memory(0); // it is a pattern
}

static bool matches(const struct profile_kernels *kernels, const char *name) {
    return name && regexec(&kernels->pattern, name, 0, NULL, 0) == 0;
}

bool profile_has_kernel(const struct profile_kernels *kernels, const char *name,
                        const char *symbol) {
    return kernels->is_all || matches(kernels, name) || matches(kernels, symbol);
}

void profile_free_kernels(struct profile_kernels *kernels) {
    if (!kernels->is_all)
        regfree(&kernels->pattern);
}

struct chosen {
    const struct profile_only *only;
    struct profile_kernels kernels;
};

static bool has_site(const struct chosen *chosen, const struct profile_site *site) {
    return !chosen->only->line || where_is_line(chosen->only->line, site->file, site->line);
}

static bool has_finding(const struct chosen *chosen, const struct profile_finding *finding) {
    bool has = !chosen->only->line;
    for (size_t i = 0; i < finding->place_count; i++)
        has |= !has &&
               where_is_line(chosen->only->line, finding->places[i].file, finding->places[i].line);
    return has;
}

// A launch whose kernel is named is there without sites, too, unless lines are named as well.
static bool has_launch(const struct chosen *chosen, const struct profile_launch *launch) {
    bool has = !chosen->only->line;
    if (!profile_has_kernel(&chosen->kernels, launch->kernel, launch->symbol))
        return false;
    for (size_t i = 0; i < launch->site_count && !has; i++)
        has = has_site(chosen, &launch->sites[i]);
    for (size_t i = 0; i < launch->findings.count && !has; i++)
        has = has_finding(chosen, &launch->findings.list[i]);
    return has;
}

static void keep_findings(const struct chosen *chosen, struct profile_findings *findings) {
    size_t kept = 0;
    for (size_t i = 0; i < findings->count; i++)
        if (has_finding(chosen, &findings->list[i]))
            findings->list[kept++] = findings->list[i];
        else
            profile_free_finding(&findings->list[i]);
    findings->count = kept;
}

static void keep_sites(const struct chosen *chosen, struct profile_launch *launch) {
    size_t kept = 0;
    memset(launch->totals, 0, sizeof launch->totals);
    for (size_t i = 0; i < launch->site_count; i++) {
        struct profile_site *site = &launch->sites[i];
        if (has_site(chosen, site)) {
            profile_add_counts(&launch->totals[site->space][site->op], &site->counts, 1);
            launch->sites[kept++] = *site;
        } else {
            profile_free_site(site);
        }
    }
    launch->site_count = kept;
    keep_findings(chosen, &launch->findings);
}

static void keep(const struct chosen *chosen, struct profile *profile) {
    size_t kept = 0;
    for (size_t i = 0; i < profile->launch_count; i++) {
        struct profile_launch *launch = &profile->launches[i];
        if (has_launch(chosen, launch)) {
            keep_sites(chosen, launch);
            profile->launches[kept++] = *launch;
        } else {
            profile_free_launch(launch);
        }
    }
    profile->launch_count = kept;
    keep_findings(chosen, &profile->findings);
}

void profile_only_text(const struct profile_only *only, struct strbuf *out) {
    if (only->kernel)
        strbuf_printf(out, "kernels like '%s'", only->kernel);
    if (only->line)
        strbuf_printf(out, "%slines at %s", only->kernel ? ", " : "", only->line);
}

static void remember(struct profile *profile, const struct profile_only *only) {
    struct strbuf text = {0};
    if (profile->only)
        strbuf_printf(&text, "%s; ", profile->only);
    profile_only_text(only, &text);
    free(profile->only);
    profile->only = strbuf_take(&text);
}

bool profile_has(const struct profile *profile, const struct profile_only *only) {
    struct chosen chosen = {.only = only};
    bool has_any = false;
    profile_choose_kernels(&chosen.kernels, only->kernel);
    for (size_t i = 0; i < profile->launch_count && !has_any; i++)
        has_any = has_launch(&chosen, &profile->launches[i]);
    profile_free_kernels(&chosen.kernels);
    return has_any;
}

void profile_narrow(struct profile *profile, const struct profile_only *only) {
    struct chosen chosen = {.only = only};
    profile_choose_kernels(&chosen.kernels, only->kernel);
    keep(&chosen, profile);
    profile_free_kernels(&chosen.kernels);
    remember(profile, only);
}
