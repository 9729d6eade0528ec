// bankrun fix: edits of a CUDA source that cure its bank conflicts, tried before they are shown.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/say.h"
#include "cli/commands.h"
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
          "or why not, on stderr; files are changed by --write alone. Arrays may be declared in\n"
          "files that FILE.cu includes with quotes, from its folder or below.\n"
          "\n"
          "    bankrun fix transpose.cu\n"
          "    bankrun fix transpose.cu 1024 > transpose.diff\n"
          "    bankrun fix --write --prefer swizzle gemm.cu --size 512\n"
          "\n",
          stdout);
    options_print_help(CLI_FIX, stdout);
    fputs("\nExit status: 0: no conflict is left that a layout cures; 1: some is left; 2: the "
          "command\nline or the input is wrong; 4: the program did not run to its end.\n",
          stdout);
}

// ---- Folder ---------------------------------------------------------------------------------

static bool make_folder(struct repair *repair) {
    const char *parent = environment_temporary_folder();
    repair->folder = file_private_folder(parent);
    if (!repair->folder)
        cli_error("%s: no folder can be made there: %s", parent, strerror(errno));
    return repair->folder;
}

// ---- The source -----------------------------------------------------------------------------

// What the compiler says of the arrays. False: the questions do not compile.
static bool ask_about(struct repair *repair) {
    char *ptx = repair_ptx(repair, REPAIR_ASKING);
    for (size_t n = 0; ptx && n < repair->arrays.length; n++)
        patch_read_shapes(ptx, &repair->arrays, n, &repair->shapes[n]);
    const bool is_answered = ptx != NULL;
    free(ptx);
    return is_answered;
}

// A file that is read in another way, too, as it is, can have no questions: then FILE alone has.
static void ask_shapes(struct repair *repair) {
    size_t elsewhere = 0;
    repair->shapes = base_alloc((repair->arrays.length + 1) * sizeof *repair->shapes);
    for (size_t n = 0; n < repair->files.length; n++) {
        struct repair_file *file = &repair->files.data[n];
        if (!file->problem) // what is read twice would ask twice
            patch_ask(&file->source, &repair->arrays, &file->questions);
        elsewhere += n > 0 ? file->questions.length : 0;
    }
    if ((!elsewhere && !repair->files.data[0].questions.length) || ask_about(repair) || !elsewhere)
        return;
    for (size_t n = 1; n < repair->files.length; n++)
        patch_edits_free(&repair->files.data[n].questions);
    if (repair->files.data[0].questions.length)
        ask_about(repair);
}

static int first_run(struct repair *repair) {
    if (!repair_measure(repair, REPAIR_AS_IS, &repair->before))
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

// False: it cannot be made, which was printed.
static bool add_diff(const struct repair *repair, const struct repair_file *file,
                     struct strbuf *diff) {
    struct strbuf old_name = {0}, new_name = {0};
    int status = 0;
    char *copy = repair_copy_path(repair, file);
    const char *slash = *file->name == '/' ? "" : "/";
    strbuf_printf(&old_name, "--label=a%s%s", slash, file->name);
    strbuf_printf(&new_name, "--label=b%s%s", slash, file->name);
    char *const argv[] = {"diff", "-u", old_name.data, new_name.data, "--", file->path, copy, NULL};
    const int error = process_read(argv, environ, diff, &status);
    if (error || status != 1)
        cli_error("diff failed: %s", error ? strerror(error) : "see above");
    free(copy);
    strbuf_free(&old_name);
    strbuf_free(&new_name);
    return !error && status == 1;
}

// Caller frees; "" where nothing was edited, NULL: it cannot be made, which was printed.
static char *make_diff(struct repair *repair) {
    struct strbuf diff = {0};
    char *path = repair_write(repair, REPAIR_EDITED);
    bool is_made = path != NULL;
    for (size_t n = 0; n < repair->files.length && is_made; n++)
        if (repair->files.data[n].edits.length)
            is_made = add_diff(repair, &repair->files.data[n], &diff);
    free(path);
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
    else if (options->format == REPORT_SARIF)
        repair_write_sarif(repair, &answer);
    else
        strbuf_puts(&answer, diff);
    const bool is_written = show_answer(&answer, false, options);
    strbuf_free(&text);
    strbuf_free(&answer);
    return is_written;
}

static int finish(struct repair *repair) {
    char *diff = make_diff(repair);
    int status = diff && show(repair, diff) ? CLI_OK : CLI_USAGE;
    if (status == CLI_OK && repair->options->writes && !repair_save(repair))
        status = CLI_USAGE;
    for (size_t i = 0; i < repair->results.length && status == CLI_OK; i++)
        if (repair->results.data[i].outcome == REPAIR_REFUSED)
            status = CLI_UNFIXED;
    free(diff);
    return status;
}

// ---- All of it ------------------------------------------------------------------------------

static void free_repair(struct repair *repair) {
    for (size_t i = 0; i < repair->results.length; i++) {
        free(repair->results.data[i].kernel);
        free(repair->results.data[i].name);
        free(repair->results.data[i].why);
        free(repair->results.data[i].file);
        free(repair->results.data[i].done);
    }
    for (size_t i = 0; i < repair->places.length; i++) {
        free(repair->places.data[i].kernel);
        free(repair->places.data[i].array);
        free(repair->places.data[i].file);
    }
    for (size_t n = 0; repair->shapes && n < repair->arrays.length; n++)
        vec_free(&repair->shapes[n]);
    vec_free(&repair->results);
    vec_free(&repair->places);
    free(repair->shapes);
    patch_arrays_free(&repair->arrays);
    repair_run_free(&repair->before);
    repair_run_free(&repair->again);
    repair_run_free(&repair->after);
    repair_free_files(repair);
    file_remove_folder(repair->folder);
    free(repair->folder);
    free(repair->source_folder);
}

static int fix(struct cli_options *options, char **argv) {
    struct repair repair = {.options = options, .argv = argv};
    int status = CLI_USAGE;
    if (repair_read(&repair) && output_prepare(options, argv[0]) && make_folder(&repair)) {
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
    } else if (file >= 0) {
        status = fix(&options, argv + file);
        output_discard(&options, argv[file]);
    }
    options_free(&options);
    return status;
}
