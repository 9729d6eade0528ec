// Runs a source as bankrun run does, in a process of its own, and takes what it shows.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/child.h"
#include "cli/cuda_source.h"
#include "cli/engine.h"
#include "cli/repair.h"

typedef VEC(char *) argument_list;

static void push(argument_list *arguments, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void push(argument_list *arguments, const char *format, ...) {
    struct strbuf text = {0};
    va_list list;
    va_start(list, format);
    strbuf_vprintf(&text, format, list);
    va_end(list);
    vec_push(arguments, strbuf_take(&text));
}

static char *path_in(const struct repair *repair, const char *name) {
    struct strbuf path = {0};
    strbuf_printf(&path, "%s/%s", repair->folder, name);
    return strbuf_take(&path);
}

// A run may take much longer than the one before it only where an edit made it run for ever.
static uint64_t most_instructions(const struct repair *repair) {
    enum { TIMES = 4, FREE = 1000000 };
    const struct profile *before = repair->before.profile;
    uint64_t most = 0;
    for (size_t i = 0; before && i < before->launch_count; i++)
        if (before->launches[i].instructions > most)
            most = before->launches[i].instructions;
    return before ? TIMES * most + FREE : repair->options->max_instructions;
}

static void push_options(const struct repair *repair, argument_list *arguments) {
    const struct cli_options *options = repair->options;
    push(arguments, "--arch=sm_%u%.1s", options->arch,
         options->arch_features ? &options->arch_features : "");
    push(arguments, "--threads=%d", options->threads);
    push(arguments, "--devices=%d", options->devices ? options->devices : 1);
    push(arguments, "--max-instructions=%llu", (unsigned long long)most_instructions(repair));
    push(arguments, "--as=written"); // one edit may change how others' accesses are merged
    if (options->computes_libraries)
        push(arguments, "--libraries=cpu");
    if (options->engine != CLI_ENGINE_USUAL)
        push(arguments, "--engine=%s", engine_word(options));
    if (options->lets_pass)
        push(arguments, "--on-fault=continue");
    if (options->fill_text)
        push(arguments, "--fill=%s", options->fill_text);
    if (!options->no_checks)
        push(arguments, "--check=all");
    if (options->no_cache)
        push(arguments, "--no-cache");
    if (options->nvcc)
        push(arguments, "--nvcc=%s", options->nvcc);
    for (size_t i = 0; i < options->nvcc_flags.length; i++)
        push(arguments, "--nvcc-flag=%s", options->nvcc_flags.data[i]);
    push(arguments, "--nvcc-flag=-I%s", repair->source_folder);
}

// ---- The process ----------------------------------------------------------------------------

struct files {
    char *profile, *output, *said, *returned;
    const char *rows; // BANKRUN_ROWS
};

static void redirect(const char *path, int to) {
    const int file =
        to == STDIN_FILENO ? open(path, O_RDONLY) : open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || dup2(file, to) < 0) {
        cli_error("%s: %s", path, strerror(errno));
        _exit(CLI_USAGE);
    }
    close(file);
}

// In the child.
static void prepare(void *context) {
    const struct files *files = context;
    setenv("BANKRUN_RETURNED", files->returned, 1);
    setenv("BANKRUN_ROWS", files->rows, 1);
    if (lseek(STDIN_FILENO, 0, SEEK_SET) < 0) // a pipe could be read but once
        redirect("/dev/null", STDIN_FILENO);
    redirect(files->output, STDOUT_FILENO);
    redirect(files->said, STDERR_FILENO);
}

static void read_profile(struct repair_run *run, const char *path) {
    struct diag_list diags = {0};
    char *text;
    size_t length;
    if (!file_read_regular(path, &text, &length))
        return;
    run->profile = length ? profile_parse(path, text, length, &diags) : NULL;
    diag_free(&diags);
    free(text);
}

static void read_files(struct repair_run *run, const struct files *files) {
    char *bytes;
    size_t length;
    read_profile(run, files->profile);
    if (!file_read_regular(files->output, &run->output, &run->output_length))
        run->output = base_strdup("");
    if (!file_read_regular(files->said, &run->said, &length))
        run->said = base_strdup("");
    if (!file_read_regular(files->returned, &bytes, &length))
        return;
    if (length == sizeof run->returned)
        memcpy(&run->returned, bytes, length);
    free(bytes);
}

static bool run_child(struct repair *repair, const char *path, struct files *files,
                      struct repair_run *run) {
    argument_list arguments = {0};
    struct child child = {.prepare = prepare, .context = files};
    push(&arguments, "bankrun");
    push(&arguments, "run");
    push_options(repair, &arguments);
    push(&arguments, "--format=json");
    push(&arguments, "--output=%s", files->profile);
    push(&arguments, "%s", path);
    for (char **argument = repair->argv + 1; *argument; argument++)
        push(&arguments, "%s", *argument);
    vec_push(&arguments, NULL);
    run->status = child_run("/proc/self/exe", arguments.data, &child);
    for (size_t i = 0; i < arguments.length; i++)
        free(arguments.data[i]);
    vec_free(&arguments);
    return run->status >= 0 && !child.is_stopping;
}

static void show_progress(const struct repair *repair) {
    if (!options_show_progress(repair->options))
        return;
    if (repair_has_edits(repair))
        fprintf(stderr, "\rbankrun: run %u of %s, with edits", repair->runs + 1, repair->argv[0]);
    else
        fprintf(stderr, "\rbankrun: running %s as it is", repair->argv[0]);
}

static void clear_progress(const struct repair *repair) {
    if (options_show_progress(repair->options))
        fputs("\r\033[K", stderr);
}

// "tile:4096:128:4": arrays with rows, by name and bytes, the bytes of a row and of an element.
static char *rows_of(const struct repair *repair) {
    struct strbuf rows = {0};
    for (size_t n = 0; repair->shapes && n < repair->arrays.length; n++)
        for (size_t i = 0; i < repair->shapes[n].length; i++) {
            const struct patch_shape *shape = &repair->shapes[n].data[i];
            const unsigned rank = repair->arrays.data[n].rank;
            if (rank > 1)
                strbuf_printf(&rows, "%s%s:%llu:%llu:%llu", rows.length ? "," : "",
                              repair->arrays.data[n].name, (unsigned long long)shape->bytes,
                              (unsigned long long)(shape->extents[rank - 1] * shape->element_bytes),
                              (unsigned long long)shape->element_bytes);
        }
    return rows.data ? strbuf_take(&rows) : base_strdup("");
}

bool repair_measure(struct repair *repair, enum repair_text which, struct repair_run *run) {
    char *path = repair_write(repair, which), *rows = rows_of(repair);
    struct files files = {path_in(repair, "profile"), path_in(repair, "output"),
                          path_in(repair, "said"), path_in(repair, "returned"), rows};
    bool is_run = path && file_write(files.returned, "", 0);
    *run = (struct repair_run){0};
    unlink(files.profile);
    show_progress(repair);
    is_run = is_run && run_child(repair, path, &files, run);
    clear_progress(repair);
    repair->runs++;
    if (is_run)
        read_files(run, &files);
    free(path);
    free(rows);
    free(files.profile);
    free(files.output);
    free(files.said);
    free(files.returned);
    return is_run;
}

void repair_run_free(struct repair_run *run) {
    profile_free(run->profile);
    free(run->output);
    free(run->said);
    *run = (struct repair_run){0};
}

char *repair_ptx(struct repair *repair, enum repair_text which) {
    struct cli_options options = *repair->options;
    struct strbuf include = {0};
    char *path = repair_write(repair, which), *ptx = NULL;
    size_t ptx_length;
    options.nvcc_flags = (cli_strings){0};
    for (size_t i = 0; i < repair->options->nvcc_flags.length; i++)
        vec_push(&options.nvcc_flags, repair->options->nvcc_flags.data[i]);
    strbuf_printf(&include, "-I%s", repair->source_folder);
    vec_push(&options.nvcc_flags, include.data);
    if (path)
        ptx = cuda_source_ptx(path, &options, &ptx_length);
    vec_free(&options.nvcc_flags);
    strbuf_free(&include);
    free(path);
    return ptx;
}
