// Runs a command that starts CUDA programs (make, a script, a test runner), and merges the profiles
// of all of them. Each process that uses CUDA puts its own into a private folder.
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/strbuf.h"
#include "cli/child.h"
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

// ---- What the processes left ------------------------------------------------------------------

static bool has_ending(const char *name, const char *ending) {
    size_t length = strlen(name), end = strlen(ending);
    return length >= end && !strcmp(name + length - end, ending);
}

static int is_ours(const struct dirent *entry) {
    return has_ending(entry->d_name, ".json") || has_ending(entry->d_name, ".note");
}

static void add_lost(struct profile *profile, const char *name, const char *why) {
    struct strbuf text = {0};
    strbuf_printf(&text, "%s%s", name, why);
    cli_error("%s", strbuf_string(&text));
    profile_add_gap(profile, PROFILE_GAP_LOST, strbuf_string(&text));
    strbuf_free(&text);
}

// A process that died before its end left its name in the place of a profile.
static void add_profile(struct profile *profile, const char *path,
                        const struct cli_options *options) {
    char *text;
    size_t length;
    if (!file_read(path, &text, &length)) {
        cli_error("%s: %s", path, strerror(errno));
        profile_add_gap(profile, PROFILE_GAP_LOST, "the profile of a process cannot be read");
        return;
    }
    if (*text != '{') {
        add_lost(profile, text,
                 " left no profile: it ended before the CUDA runtime could write one");
    } else {
        struct diag_list diags = {0};
        struct profile *process = profile_read(path, &diags);
        print_diags(&diags, options);
        if (process)
            profile_append(profile, process);
        else
            profile_add_gap(profile, PROFILE_GAP_LOST, "the profile of a process is broken");
    }
    free(text);
}

static void add_notes(struct profile *profile, const char *path) {
    char *text;
    size_t length;
    if (!file_read(path, &text, &length))
        return;
    for (char *line = text, *next; *line; line = next) {
        size_t end = strcspn(line, "\n");
        next = line + end + (line[end] != '\0');
        line[end] = '\0';
        cli_error("not simulated: %s", line);
        profile_add_gap(profile, PROFILE_GAP_UNSEEN, line);
    }
    free(text);
}

// Takes everything out of the folder and removes it.
static void collect(const char *folder, struct profile *profile,
                    const struct cli_options *options) {
    struct dirent **entries;
    int count = scandir(folder, &entries, is_ours, alphasort);
    for (int i = 0; i < count; i++) {
        struct strbuf path = {0};
        strbuf_printf(&path, "%s/%s", folder, entries[i]->d_name);
        if (has_ending(entries[i]->d_name, ".json"))
            add_profile(profile, strbuf_string(&path), options);
        else
            add_notes(profile, strbuf_string(&path));
        unlink(strbuf_string(&path));
        strbuf_free(&path);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    rmdir(folder);
}

static int count_arguments(char **argv) {
    int count = 0;
    while (argv[count])
        count++;
    return count;
}

// A check that saw nothing, or not all, has not passed.
static int report(const struct profile *profile, const char *name,
                  const struct cli_options *options) {
    if (!profile->process_count && !profile->gap_count)
        cli_error("%s: no process used CUDA", name);
    if (profile->process_count)
        return write_report(profile, options, stderr);
    int status = gate_status(profile, options);
    return status ? status : CLI_USAGE;
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
    char *folder = environment_private_folder();
    if (!folder) {
        environment_release_libraries(&libraries);
        return CLI_USAGE;
    }
    environment_use_libraries(&libraries, NULL);
    environment_set_options(options);
    if (!options->no_count)
        setenv("BANKRUN_PROFILE_FOLDER", folder, 1);
    int status = child_run(path, argv);
    struct profile *profile = profile_create(options->arch, argv, (size_t)count_arguments(argv));
    profile->is_as_compiled = options->as_compiled;
    collect(folder, profile, options);
    int report_status = CLI_OK;
    if (status < 0)
        report_status = CLI_USAGE;
    else if (!options->no_count)
        report_status = report(profile, argv[0], options);
    profile_free(profile);
    free(folder);
    environment_release_libraries(&libraries);
    return status > 0 ? status : report_status;
}
