// bankrun fix: edits of a CUDA source that cure its bank conflicts, tried before they are shown.
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/say.h"
#include "cli/commands.h"
#include "cli/cuda_source.h"
#include "cli/environment.h"
#include "cli/repair.h"
#include "toolchain/process.h"

extern char **environ;

static void help(void) {
    fputs("Usage: bankrun fix [OPTIONS] FILE.cu [ARGUMENTS...]\n"
          "\n"
          "Runs a CUDA program, finds the padding or the swizzle that cures the bank conflicts of\n"
          "each shared array, and edits its declaration (and, where elements move, its index\n"
          "expressions). The edited source is compiled and run on the same input: an edit is kept\n"
          "only if the output, the exit status and all bytes that are copied back are the same,\n"
          "the checkers of bankrun check find nothing new, other arrays are as they were, and the\n"
          "wavefronts are those that were foretold. Prints a diff on stdout and what was done,\n"
          "or why not, on stderr; the file itself is changed by --write alone.\n"
          "\n"
          "    bankrun fix transpose.cu\n"
          "    bankrun fix transpose.cu 1024 > transpose.diff\n"
          "    bankrun fix --write --prefer swizzle -O3 gemm.cu --size 512\n"
          "\n",
          stdout);
    options_print_help(CLI_FIX, stdout);
    fputs("\nExit status: 0: no conflict is left that a layout cures; 1: some is left; 2: the "
          "command\nline or the input is wrong; 4: the program did not run to its end.\n",
          stdout);
}

// ---- Folders --------------------------------------------------------------------------------

static bool make_folder(struct repair *repair) {
    const char *parent = environment_temporary_folder();
    repair->folder = file_private_folder(parent);
    if (!repair->folder)
        cli_error("%s: no folder can be made there: %s", parent, strerror(errno));
    return repair->folder;
}

static void remove_folder(const char *folder) {
    DIR *entries = folder ? opendir(folder) : NULL;
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        struct strbuf path = {0};
        strbuf_printf(&path, "%s/%s", folder, entry->d_name);
        unlink(path.data);
        strbuf_free(&path);
    }
    if (entries)
        closedir(entries);
    if (folder)
        rmdir(folder);
}

// Where quoted includes of the file are looked for, too.
static char *folder_of(const char *path) {
    char *full = realpath(path, NULL), *slash = full ? strrchr(full, '/') : NULL;
    if (slash)
        slash[slash == full] = 0;
    return full;
}

// ---- The source -----------------------------------------------------------------------------

// What the compiler says of the arrays; none where the questions do not compile.
static void ask_shapes(struct repair *repair) {
    patch_edits questions = {0};
    repair->shapes = base_alloc((repair->arrays.length + 1) * sizeof *repair->shapes);
    patch_ask(&repair->source, &repair->arrays, &questions);
    char *text = patch_apply(repair->text, repair->length, &questions);
    char *ptx = questions.length ? repair_ptx(repair, text, strlen(text)) : NULL;
    for (size_t n = 0; ptx && n < repair->arrays.length; n++)
        patch_read_shapes(ptx, &repair->arrays, n, &repair->shapes[n]);
    free(ptx);
    free(text);
    patch_edits_free(&questions);
}

static bool read_source(struct repair *repair) {
    const char *path = repair->argv[0];
    if (!file_read_regular(path, &repair->text, &repair->length)) {
        cli_error("%s: %s", path, strerror(errno));
        return false;
    }
    if (strlen(repair->text) != repair->length || repair->length >= UINT32_MAX) {
        cli_error("%s: not a CUDA source", path);
        return false;
    }
    patch_tokenize(&repair->source, repair->text, repair->length);
    if (!cuda_source_names_main(&repair->source)) {
        cli_error("%s has no main(): a fix is tried by running the program", path);
        return false;
    }
    repair->source_folder = folder_of(path);
    patch_find_arrays(&repair->source, &repair->arrays);
    return repair->source_folder != NULL;
}

static int first_run(struct repair *repair) {
    if (!repair_measure(repair, repair->text, repair->length, &repair->before))
        return CLI_USAGE;
    const struct profile *profile = repair->before.profile;
    if (!profile) {
        say_text(stderr, repair->before.said);
        cli_error("%s does not compile, or uses no device: there is nothing to fix",
                  repair->argv[0]);
        return CLI_USAGE;
    }
    if (!profile_has_failed(profile))
        return CLI_OK;
    cli_error("%s does not run to its end: see what bankrun %s says", repair->argv[0],
              repair->argv[0]);
    return CLI_FAILED_RUN;
}

// ---- The answer -----------------------------------------------------------------------------

// Caller frees; "" where nothing was edited, NULL: it cannot be made, which was printed.
static char *make_diff(struct repair *repair, const char *text) {
    struct strbuf diff = {0}, old_name = {0}, new_name = {0};
    int status = 0, error = 0;
    if (repair->edits.length == 0)
        return base_strdup("");
    char *path = repair_write(repair, text, strlen(text));
    const char *slash = *repair->argv[0] == '/' ? "" : "/";
    strbuf_printf(&old_name, "--label=a%s%s", slash, repair->argv[0]);
    strbuf_printf(&new_name, "--label=b%s%s", slash, repair->argv[0]);
    char *const argv[] = {"diff",          "-u", old_name.data, new_name.data, "--",
                          repair->argv[0], path, NULL};
    if (path)
        error = process_read(argv, environ, &diff, &status);
    if (path && (error || status != 1))
        cli_error("diff failed: %s", error ? strerror(error) : "see above");
    const bool is_made = path && !error && status == 1;
    free(path);
    strbuf_free(&old_name);
    strbuf_free(&new_name);
    if (!is_made)
        strbuf_free(&diff);
    return is_made ? strbuf_take(&diff) : NULL;
}

static bool show(const struct repair *repair, const char *diff) {
    const struct cli_options *options = repair->options;
    struct strbuf text = {0}, answer = {0};
    repair_write_text(repair, &text);
    make_safe(&text, stderr);
    if (!options->quiet)
        fputs(strbuf_string(&text), stderr);
    if (options->format == REPORT_JSON)
        repair_write_json(repair, diff, &answer);
    else
        strbuf_puts(&answer, diff);
    const bool is_written = show_answer(&answer, false, options);
    strbuf_free(&text);
    strbuf_free(&answer);
    return is_written;
}

// With a copy of the file beside it. False: it was not, which was printed.
static bool write_source(const struct repair *repair, const char *text) {
    const char *path = repair->argv[0];
    struct strbuf kept = {0};
    char *now = NULL;
    size_t length;
    bool is_written = false;
    strbuf_printf(&kept, "%s.orig", path);
    if (!file_read_regular(path, &now, &length))
        cli_error("%s: %s", path, strerror(errno));
    else if (length != repair->length || memcmp(now, repair->text, length) != 0)
        cli_error("%s was changed meanwhile: nothing is written", path);
    else if (access(kept.data, F_OK) == 0)
        cli_error("%s is there already: nothing is written", kept.data);
    else if (!file_write(kept.data, repair->text, repair->length))
        cli_error("%s: %s", kept.data, strerror(errno));
    else if (!file_write(path, text, strlen(text)))
        cli_error("%s: %s", path, strerror(errno));
    else
        is_written = true;
    free(now);
    strbuf_free(&kept);
    return is_written;
}

static int finish(struct repair *repair) {
    char *text = patch_apply(repair->text, repair->length, &repair->edits);
    char *diff = make_diff(repair, text);
    int status = diff && show(repair, diff) ? CLI_OK : CLI_USAGE;
    if (status == CLI_OK && repair->options->writes && repair->edits.length &&
        !write_source(repair, text))
        status = CLI_USAGE;
    for (size_t i = 0; i < repair->results.length && status == CLI_OK; i++)
        if (repair->results.data[i].outcome == REPAIR_REFUSED)
            status = CLI_UNFIXED;
    free(diff);
    free(text);
    return status;
}

// ---- All of it ------------------------------------------------------------------------------

static void free_repair(struct repair *repair) {
    for (size_t i = 0; i < repair->results.length; i++) {
        free(repair->results.data[i].kernel);
        free(repair->results.data[i].name);
        free(repair->results.data[i].why);
        free(repair->results.data[i].done);
    }
    for (size_t i = 0; i < repair->places.length; i++) {
        free(repair->places.data[i].kernel);
        free(repair->places.data[i].array);
    }
    for (size_t n = 0; repair->shapes && n < repair->arrays.length; n++)
        vec_free(&repair->shapes[n]);
    vec_free(&repair->results);
    vec_free(&repair->places);
    free(repair->shapes);
    patch_arrays_free(&repair->arrays);
    patch_text_free(&repair->source);
    patch_edits_free(&repair->edits);
    repair_run_free(&repair->before);
    repair_run_free(&repair->again);
    repair_run_free(&repair->after);
    remove_folder(repair->folder);
    free(repair->folder);
    free(repair->source_folder);
    free(repair->text);
}

static int fix(struct cli_options *options, char **argv) {
    struct repair repair = {.options = options, .argv = argv};
    int status = CLI_USAGE;
    if (read_source(&repair) && output_prepare(options, argv[0]) && make_folder(&repair)) {
        ask_shapes(&repair);
        status = first_run(&repair);
        if (status == CLI_OK)
            status = repair_all(&repair) ? finish(&repair) : CLI_USAGE;
    }
    free_repair(&repair);
    return status;
}

int cmd_fix(int argc, char **argv) {
    struct cli_options options;
    options_init(&options);
    int status = CLI_USAGE;
    const int file = options_parse(&options, CLI_FIX, argc, argv, 0);
    if (file >= 0 && options.help) {
        help();
        status = CLI_OK;
    } else if (file == argc) {
        cli_error("which source? bankrun fix [OPTIONS] FILE.cu [ARGUMENTS...]; see bankrun fix "
                  "--help");
    } else if (file >= 0 && options.format == REPORT_CSV) {
        cli_error("--format csv: a fix is a diff (text) or json");
    } else if (file >= 0) {
        status = fix(&options, argv + file);
        output_discard(&options, argv[file]);
    }
    options_free(&options);
    return status;
}
