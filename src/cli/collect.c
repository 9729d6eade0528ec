#include "cli/collect.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/demangle.h"
#include "cli/commands.h"
#include "cli/environment.h"
#include "cli/others.h"
#include "profile/as.h"

// How long processes get that a signal ends: a little more than they take for it at most.
enum { PATIENCE_SECONDS = 6 };

bool collect_prepare(const struct cli_options *options, struct handover **handover) {
    *handover = handover_create();
    environment_set_handover(*handover, !options->no_count);
    if (!*handover && !options->no_count)
        cli_error("no shared memory can be had for the profile: %s", strerror(errno));
    return *handover || options->no_count;
}

// ---- One process --------------------------------------------------------------------------------

static bool is_lost(const struct handover_process *process) {
    return process->end == HANDOVER_OPEN || process->end == HANDOVER_ENDING;
}

// Records that count: what comes after the last HANDOVER_RESTART. The profile's own is the last of
// its kind. NULL: the process used no device, and has notes only.
static struct profile *read_head(const struct handover_process *process, size_t *launches,
                                 struct collection *collection, struct diag_list *diags) {
    struct handover_record record, head = {.data = NULL};
    *launches = 0;
    for (size_t at = 0; handover_next(&process->stream, &at, &record);) {
        if (record.kind == HANDOVER_PROFILE)
            head = record;
        else if (record.kind == HANDOVER_RESTART)
            *launches = at;
        else if (record.kind == HANDOVER_NOTE)
            vec_push(&collection->notes, base_strndup(record.data, record.length));
        else if (record.kind == HANDOVER_FAILURE)
            collection->has_failed = true;
    }
    return head.data ? profile_parse("<process>", head.data, head.length, diags) : NULL;
}

static bool read_launch(struct profile *profile, const struct handover_record *record,
                        struct diag_list *diags) {
    uint32_t kept = UINT32_MAX;
    if (record->kind == HANDOVER_LAUNCH)
        return profile_parse_launch(profile, "<process>", record->data, record->length, diags);
    if (record->kind != HANDOVER_REPEAT)
        return true;
    if (record->length == sizeof kept)
        memcpy(&kept, record->data, sizeof kept);
    return profile_count_repeat(profile, kept);
}

// False: the program wrote over it.
static bool read_launches(const struct handover_process *process, size_t at,
                          struct profile *profile, struct diag_list *diags) {
    struct handover_record record;
    while (handover_next(&process->stream, &at, &record))
        if (!read_launch(profile, &record, diags))
            return false;
    return at == process->stream.length;
}

// The launch that the process was in.
static void add_cut(struct profile *profile, const struct handover_process *process,
                    enum profile_cut why, int signal) {
    struct profile_launch *launch = profile_add_launch(profile);
    const struct handover_launch *begun = &process->launch;
    launch->symbol = base_strdup(process->symbol);
    launch->kernel = base_demangle(process->symbol);
    memcpy(launch->grid, begun->grid, sizeof launch->grid);
    memcpy(launch->block, begun->block, sizeof launch->block);
    launch->shared_bytes = begun->shared_bytes;
    launch->bank_bytes = begun->bank_bytes;
    launch->is_of_several = begun->is_of_several != 0;
    launch->device = begun->device;
    profile_cut_short(launch, why, signal);
}

static void add_lost(struct profile *profile, const char *why, bool is_said) {
    struct strbuf text = {0};
    strbuf_printf(&text, "%s %s", profile->program_count ? profile->program[0] : "a process", why);
    profile_add_gap(profile, PROFILE_GAP_LOST, strbuf_string(&text));
    if (!is_said)
        cli_error("%s", strbuf_string(&text));
    strbuf_free(&text);
}

// Who is asked to end has come to its end, a server, for example.
static bool is_crash(int signal) {
    return signal && signal != SIGINT && signal != SIGTERM && signal != SIGHUP && signal != SIGQUIT;
}

// Of the child itself its exit status tells; of others what they said, and whether they are there.
static void judge(struct profile *profile, const struct handover_process *process,
                  const struct child *child) {
    bool is_child = process->pid == child->pid;
    bool is_alive = is_lost(process) && !is_child && handover_is_alive(process->pid);
    bool is_killed = is_lost(process) && !is_alive && !(is_child && !child->signal);
    int signal = is_child && child->signal ? child->signal : process->signal;
    if (process->is_launching)
        add_cut(profile, process,
                is_killed  ? PROFILE_CUT_DEATH
                : is_alive ? PROFILE_CUT_CALLER
                : signal   ? PROFILE_CUT_SIGNAL
                           : PROFILE_CUT_EXIT,
                signal);
    if (is_alive)
        add_lost(profile, "is still running: what it has launched so far is counted", false);
    else if (is_killed)
        add_lost(profile, "was killed: what it had launched until then is counted", false);
    else if (is_crash(signal)) // child_run has said it of the child
        add_lost(profile, "crashed: what it had launched until then is counted", is_child);
    if (process->is_cut)
        add_lost(profile, "counted more than the shared memory holds: the rest is not there",
                 false);
}

static void take(const struct handover_process *process, const struct child *child,
                 const struct cli_options *options, struct collection *collection) {
    struct diag_list diags = {0};
    size_t at;
    struct profile *profile = read_head(process, &at, collection, &diags);
    bool is_read = profile ? read_launches(process, at, profile, &diags) : diags.count == 0;
    print_diags(&diags, options);
    if (profile) {
        profile_sort_threads(profile);
        judge(profile, process, child);
        vec_push(&collection->profiles, profile);
    }
    if (profile && !is_read)
        add_lost(profile, "left a profile that cannot be read: the program wrote over it", false);
    else if (!is_read)
        vec_push(&collection->lost, base_strdup("a process left a profile that cannot be read: "
                                                "the program wrote over it"));
}

// ---- All ----------------------------------------------------------------------------------------

// Is a process at its end, but has not handed over all?
static bool has_ending(struct handover *handover, const struct child *child) {
    bool is_found = false;
    for (size_t i = 0; i < handover_count(handover) && !is_found; i++) {
        struct handover_process process;
        handover_peek(handover, i, &process);
        is_found = is_lost(&process) && process.pid != child->pid &&
                   (child->is_stopping || process.end == HANDOVER_ENDING) &&
                   handover_is_alive(process.pid);
    }
    return is_found;
}

static void wait_a_moment(void) {
    const struct timespec moment = {.tv_nsec = 10 * 1000 * 1000};
    nanosleep(&moment, NULL);
}

static void wait_for_endings(struct handover *handover, const struct child *child) {
    for (int i = 0; i < PATIENCE_SECONDS * 100 && has_ending(handover, child); i++)
        wait_a_moment();
}

static bool has_others(void) {
    struct strbuf names = {0};
    others_list(NULL, 0, &names);
    const bool is_found = names.length > 0;
    strbuf_free(&names);
    return is_found;
}

// Processes that end with the program, as Python's resource tracker, which waits for its parent's
// end, get a moment for it.
static void wait_for_others(const struct child *child) {
    enum { MOMENTS = 200 };
    for (int i = 0; i < MOMENTS && child->adopts && !child->is_stopping && has_others(); i++)
        wait_a_moment();
}

// Processes that may use CUDA later, or begin to just now. `known`: processes that were taken and
// are still there.
static void find_others(struct handover *handover, const struct child *child, const pid_t *known,
                        size_t count, struct collection *collection) {
    struct strbuf names = {0}, text = {0};
    if (child->adopts)
        others_list(known, count, &names);
    if (names.length || handover_users(handover) > count) {
        strbuf_printf(&text, "still running, and not counted should they use CUDA: %s",
                      names.length ? names.data : "processes that the program started");
        cli_error("%s", text.data);
        vec_push(&collection->lost, strbuf_take(&text));
    }
    strbuf_free(&names);
}

void collect(struct handover *handover, const struct child *child,
             const struct cli_options *options, struct collection *collection) {
    VEC(pid_t) alive = {0};
    wait_for_others(child);
    wait_for_endings(handover, child);
    for (size_t i = 0, count = handover_count(handover); i < count; i++) {
        struct handover_process process;
        handover_read(handover, i, &process);
        if (handover_is_alive(process.pid))
            vec_push(&alive, process.pid);
        take(&process, child, options, collection);
        handover_process_free(&process);
    }
    find_others(handover, child, alive.data, alive.length, collection);
    vec_free(&alive);
}

// ---- One profile of all -------------------------------------------------------------------------

static struct profile *merge(struct collection *collection, char **argv,
                             const struct cli_options *options) {
    size_t count = 0;
    while (argv[count])
        count++;
    struct profile *profile = profile_create(options->arch, argv, count);
    profile->is_as_compiled = options->as_compiled;
    profile->is_uncounted = options->only_checks;
    profile->checks = options->checks;
    for (size_t i = 0; i < collection->profiles.length; i++)
        profile_append(profile, collection->profiles.data[i]);
    return profile;
}

struct profile *collect_one(struct collection *collection, char **argv,
                            const struct cli_options *options) {
    const size_t count = collection->profiles.length;
    if (!count && !argv)
        return NULL;
    struct profile *profile = count ? collection->profiles.data[0] : NULL;
    if (argv || count > 1)
        profile = merge(collection, argv ? argv : profile->program, options);
    collection->profiles.length = 0;
    for (size_t i = 0; i < collection->lost.length; i++)
        profile_add_gap(profile, PROFILE_GAP_LOST, collection->lost.data[i]);
    if (options->as_reason)
        profile_note_written(profile, options->as_reason);
    for (size_t i = 0; i < collection->notes.length; i++)
        profile_add_gap(profile, PROFILE_GAP_UNSEEN, collection->notes.data[i]);
    return profile;
}

void collection_free(struct collection *collection) {
    for (size_t i = 0; i < collection->profiles.length; i++)
        profile_free(collection->profiles.data[i]);
    for (size_t i = 0; i < collection->lost.length; i++)
        free(collection->lost.data[i]);
    for (size_t i = 0; i < collection->notes.length; i++)
        free(collection->notes.data[i]);
    vec_free(&collection->profiles);
    vec_free(&collection->lost);
    vec_free(&collection->notes);
}
