// What went wrong: faults, launches that were cut short or refused, and why a profile is not of all
// that the program did.
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "profile/recorder.h"

// ---- Faults ---------------------------------------------------------------------------------

static void copy_fault(struct profile_fault *kept, const struct profile_fault *fault) {
    *kept = *fault;
    kept->kind = base_strdup(fault->kind);
    kept->message = base_strdup(fault->message);
    kept->file = base_strdup(fault->file);
    kept->function = base_strdup(fault->function);
    kept->instruction = base_strdup(fault->instruction);
}

void profile_add_fault(struct profile_launch *launch, const struct profile_fault *fault) {
    launch->faults =
        base_realloc(launch->faults, (launch->fault_count + 1) * sizeof *launch->faults);
    copy_fault(&launch->faults[launch->fault_count++], fault);
}

void profile_add_passed(struct profile_launch *launch, const struct profile_passed *passed) {
    launch->passed =
        base_realloc(launch->passed, (launch->passed_count + 1) * sizeof *launch->passed);
    struct profile_passed *kept = &launch->passed[launch->passed_count++];
    copy_fault(&kept->first, &passed->first);
    kept->count = passed->count;
}

static bool is_same_fault(const struct profile_fault *a, const struct profile_fault *b) {
    return text_is_same(a->kind, b->kind) && text_is_same(a->message, b->message) &&
           text_is_same(a->file, b->file) && a->line == b->line && a->column == b->column &&
           text_is_same(a->function, b->function) && text_is_same(a->instruction, b->instruction) &&
           a->has_address == b->has_address && a->address == b->address &&
           a->has_thread == b->has_thread && memcmp(a->block, b->block, sizeof a->block) == 0 &&
           memcmp(a->thread, b->thread, sizeof a->thread) == 0;
}

bool profile_faults_are_same(const struct profile_launch *a, const struct profile_launch *b) {
    if (a->fault_count != b->fault_count || a->passed_count != b->passed_count)
        return false;
    for (size_t i = 0; i < a->fault_count; i++)
        if (!is_same_fault(&a->faults[i], &b->faults[i]))
            return false;
    for (size_t i = 0; i < a->passed_count; i++)
        if (a->passed[i].count != b->passed[i].count ||
            !is_same_fault(&a->passed[i].first, &b->passed[i].first))
            return false;
    return true;
}

static void free_fault(struct profile_fault *fault) {
    free(fault->kind);
    free(fault->message);
    free(fault->file);
    free(fault->function);
    free(fault->instruction);
}

void profile_free_faults(struct profile_launch *launch) {
    for (size_t i = 0; i < launch->fault_count; i++)
        free_fault(&launch->faults[i]);
    for (size_t i = 0; i < launch->passed_count; i++)
        free_fault(&launch->passed[i].first);
    free(launch->faults);
    free(launch->passed);
}

// ---- Launches that were cut short -----------------------------------------------------------

static const char *signal_name(int number) {
    static const struct {
        int number;
        const char *name;
    } names[] = {{SIGHUP, "SIGHUP"},   {SIGINT, "SIGINT"},   {SIGQUIT, "SIGQUIT"},
                 {SIGILL, "SIGILL"},   {SIGTRAP, "SIGTRAP"}, {SIGABRT, "SIGABRT"},
                 {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},   {SIGKILL, "SIGKILL"},
                 {SIGUSR1, "SIGUSR1"}, {SIGSEGV, "SIGSEGV"}, {SIGUSR2, "SIGUSR2"},
                 {SIGPIPE, "SIGPIPE"}, {SIGALRM, "SIGALRM"}, {SIGTERM, "SIGTERM"},
                 {SIGXCPU, "SIGXCPU"}, {SIGXFSZ, "SIGXFSZ"}, {SIGSYS, "SIGSYS"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].number == number)
            return names[i].name;
    return NULL;
}

char *profile_cut_text(enum profile_cut why, int signal) {
    static const char *const texts[PROFILE_CUTS] = {
        [PROFILE_WHOLE] = "ran to its end",
        [PROFILE_CUT_SIGNAL] = "cut short by a signal",
        [PROFILE_CUT_INSTRUCTIONS] = "cut short: it executed as many instructions as it may",
        [PROFILE_CUT_EXIT] = "cut short: the program ended in the midst of it",
        [PROFILE_CUT_DEATH] = "cut short: the process was killed in the midst of it",
        [PROFILE_CUT_CALLER] = "cut short by who ran it",
    };
    struct strbuf text = {0};
    if (signal && (why == PROFILE_CUT_SIGNAL || why == PROFILE_CUT_DEATH)) {
        const char *name = signal_name(signal);
        strbuf_printf(&text, "%s by signal %d", signal == SIGINT ? "interrupted" : "cut short",
                      signal);
        if (name)
            strbuf_printf(&text, " (%s)", name);
    } else {
        strbuf_puts(&text, texts[why]);
    }
    return strbuf_take(&text);
}

void profile_cut_short(struct profile_launch *launch, enum profile_cut why, int signal) {
    launch->cut = why;
    launch->cut_signal = signal;
    if (!launch->fault)
        launch->fault = profile_cut_text(why, signal);
}

// ---- Launches that were refused -------------------------------------------------------------

void profile_free_refused(struct profile_refused *refused) {
    free(refused->kernel);
    free(refused->symbol);
    free(refused->parent);
    free(refused->error);
    for (size_t i = 0; i < refused->limit_count; i++) {
        free(refused->limits[i].limit);
        free(refused->limits[i].text);
        free(refused->limits[i].cure);
    }
    free(refused->limits);
}

static bool are_limits_same(const struct profile_refused *a, const struct profile_refused *b) {
    if (a->limit_count != b->limit_count)
        return false;
    for (size_t i = 0; i < a->limit_count; i++)
        if (!text_is_same(a->limits[i].limit, b->limits[i].limit) ||
            !text_is_same(a->limits[i].text, b->limits[i].text) ||
            !text_is_same(a->limits[i].cure, b->limits[i].cure))
            return false;
    return true;
}

bool profile_refused_are_same(const struct profile_refused *a, const struct profile_refused *b) {
    return text_is_same(a->symbol, b->symbol) && text_is_same(a->parent, b->parent) &&
           text_is_same(a->error, b->error) && memcmp(a->grid, b->grid, sizeof a->grid) == 0 &&
           memcmp(a->block, b->block, sizeof a->block) == 0 &&
           memcmp(a->cluster, b->cluster, sizeof a->cluster) == 0 &&
           a->dynamic_bytes == b->dynamic_bytes && are_limits_same(a, b);
}

void profile_repeat_refused(struct profile_refused *kept, struct profile_refused *again) {
    kept->repeats += again->repeats;
    profile_free_refused(again);
}

uint64_t profile_launched_by(const struct profile *profile, uint32_t thread) {
    uint64_t count = 0;
    for (size_t i = 0; i < profile->launch_count; i++)
        count += profile->launches[i].thread == thread ? profile->launches[i].repeats : 0;
    return count;
}

static void push_refused(struct profile *profile, const struct profile_refused *refused) {
    profile->refused =
        base_realloc(profile->refused, (profile->refused_count + 1) * sizeof *profile->refused);
    profile->refused[profile->refused_count++] = *refused;
    if (profile->on_failure)
        profile->on_failure(profile);
}

void profile_add_refused(struct profile *profile, struct profile_refused *refused) {
    enum { LOOK_BACK = 256 };
    for (size_t back = 1; back <= profile->refused_count && back <= LOOK_BACK; back++) {
        struct profile_refused *kept = &profile->refused[profile->refused_count - back];
        if (kept->thread != refused->thread || !profile_refused_are_same(kept, refused))
            continue;
        profile_repeat_refused(kept, refused);
        return;
    }
    push_refused(profile, refused);
}

// ---- Gaps -----------------------------------------------------------------------------------

static void push_gap(struct profile *profile, const struct profile_gap *gap) {
    profile->gaps = base_realloc(profile->gaps, (profile->gap_count + 1) * sizeof *profile->gaps);
    profile->gaps[profile->gap_count++] = *gap;
    if (profile->on_failure)
        profile->on_failure(profile);
}

void profile_add_gap(struct profile *profile, enum profile_gap_kind kind, const char *text) {
    for (size_t i = 0; i < profile->gap_count; i++) {
        struct profile_gap *gap = &profile->gaps[i];
        if (gap->kind == kind && !gap->has_process && strcmp(gap->text, text) == 0) {
            gap->count++;
            return;
        }
    }
    push_gap(profile, &(struct profile_gap){.kind = kind, .text = base_strdup(text), .count = 1});
}

char *profile_fault_summary(const char *kernel, const struct profile_fault *fault) {
    struct strbuf text = {0};
    strbuf_printf(&text, "%s: %s", kernel, fault->kind);
    if (fault->file)
        strbuf_printf(&text, " at line %u of %s", fault->line, text_file_name(fault->file));
    return strbuf_take(&text);
}

static void forget_faults(struct profile *profile, const struct profile_launch *launch) {
    for (size_t i = 0; i < launch->fault_count; i++) {
        char *text = profile_fault_summary(launch->kernel, &launch->faults[i]);
        profile_add_gap(profile, PROFILE_GAP_FAULT, text);
        free(text);
    }
    if (launch->fault && !launch->fault_count)
        profile_add_gap(profile, PROFILE_GAP_FAULT, launch->fault);
}

void profile_forget_launches(struct profile *profile) {
    for (size_t i = 0; i < profile->launch_count; i++) {
        forget_faults(profile, &profile->launches[i]);
        profile_free_launch(&profile->launches[i]);
    }
    for (size_t i = 0; i < profile->refused_count; i++)
        profile->refused[i].after = 0;
    profile->launch_count = 0;
    profile->launched = 0;
}

// ---- Of a whole profile ---------------------------------------------------------------------

void profile_append_failures(struct profile *profile, struct profile *from, uint64_t before,
                             size_t processes) {
    const bool is_one = profile->process_count == processes + 1;
    for (size_t i = 0; i < from->refused_count; i++) {
        from->refused[i].after += before;
        push_refused(profile, &from->refused[i]);
    }
    for (size_t i = 0; i < from->gap_count; i++) {
        struct profile_gap *gap = &from->gaps[i];
        gap->process = gap->has_process ? gap->process + processes : processes;
        gap->has_process |= is_one;
        push_gap(profile, gap);
    }
    from->refused_count = from->gap_count = 0;
}

void profile_free_failures(struct profile *profile) {
    for (size_t i = 0; i < profile->refused_count; i++)
        profile_free_refused(&profile->refused[i]);
    for (size_t i = 0; i < profile->gap_count; i++)
        free(profile->gaps[i].text);
    free(profile->refused);
    free(profile->gaps);
}

struct profile_failures profile_failures(const struct profile *profile) {
    struct profile_failures sums = {0};
    for (size_t i = 0; i < profile->gap_count; i++)
        sums.gaps += profile->gaps[i].kind != PROFILE_GAP_LIBRARY;
    for (size_t i = 0; i < profile->launch_count; i++) {
        const struct profile_launch *launch = &profile->launches[i];
        if (launch->cut)
            sums.cut_short += launch->repeats;
        else if (launch->fault || launch->fault_count)
            sums.faults += launch->repeats;
        sums.passed += launch->passed_count ? launch->repeats : 0;
    }
    for (size_t i = 0; i < profile->refused_count; i++)
        sums.refused += profile->refused[i].repeats;
    return sums;
}

bool profile_has_failed(const struct profile *profile) {
    const struct profile_failures sums = profile_failures(profile);
    return sums.faults || sums.passed || sums.cut_short || sums.refused || sums.gaps;
}
