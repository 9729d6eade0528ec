// Runs a command that starts CUDA programs (make, a script, a test runner), and merges the profiles
// of all of them.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "cli/collect.h"
#include "cli/commands.h"
#include "cli/environment.h"

char *command_find(const char *name) {
    const char *path = getenv("PATH");
    if (strchr(name, '/') || !path)
        return access(name, X_OK) == 0 ? base_strdup(name) : NULL;
    while (*path) {
        size_t length = strcspn(path, ":");
        struct strbuf candidate = {0};
        strbuf_printf(&candidate, "%.*s/%s", (int)length, path, name);
        if (length && access(strbuf_string(&candidate), X_OK) == 0)
            return strbuf_take(&candidate);
        strbuf_free(&candidate);
        path += length + (path[length] == ':');
    }
    return NULL;
}

// A check that saw nothing, or not all, has not passed.
static int report_nothing(struct profile *profile, const char *name,
                          const struct cli_options *options) {
    if (!profile->gap_count)
        cli_error("%s: no process used CUDA", name);
    if (output_is_read(options))
        write_run_report(profile, options);
    const bool is_incomplete = profile->gap_count && gate_status(profile, options) != CLI_OK;
    return is_incomplete ? CLI_FAILED_RUN : CLI_USAGE;
}

static int report(struct collection *collection, char **argv, const struct cli_options *options) {
    for (size_t i = 0; i < collection->notes.length; i++)
        cli_error("not simulated: %s", collection->notes.data[i]);
    struct profile *profile = collect_one(collection, argv, options);
    const int status = profile->process_count ? write_run_report(profile, options)
                                              : report_nothing(profile, argv[0], options);
    profile_free(profile);
    return status;
}

static int run_with_profile(const char *path, char **argv, struct environment_libraries *libraries,
                            const struct cli_options *options) {
    struct handover *handover;
    if (!collect_prepare(options, &handover))
        return CLI_USAGE;
    struct child child = {.adopts = true};
    struct collection collection = {0};
    environment_use_libraries(libraries, NULL);
    environment_tell_packages(libraries, options);
    environment_set_options(options);
    int status = child_run(path, argv, &child), report_status = status < 0 ? CLI_USAGE : CLI_OK;
    if (status >= 0 && !options->no_count) {
        collect(handover, &child, options, &collection);
        report_status = report(&collection, argv, options);
    }
    collection_free(&collection);
    handover_free(handover);
    return status > 0 ? status : report_status;
}

int run_command(const char *path, char **argv, const struct cli_options *options) {
    if (options->trace) {
        cli_error("--trace looks at one program; %s starts others: trace the program itself",
                  argv[0]);
        return CLI_USAGE;
    }
    struct environment_libraries libraries;
    if (!environment_find_libraries(&libraries, "libcuda.so.1", argv[0]))
        return CLI_USAGE;
    int status = run_with_profile(path, argv, &libraries, options);
    environment_release_libraries(&libraries);
    return status;
}
