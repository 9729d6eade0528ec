// Where reports and messages go.
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/path.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "cli/commands.h"
#include "profile/quotes.h"
#include "report/report.h"

static bool is_written; // the file of -o

// The regular file that -o names.
static bool find_output(const struct cli_options *options, struct stat *info) {
    return options->output && strcmp(options->output, "-") && stat(options->output, info) == 0 &&
           S_ISREG(info->st_mode);
}

bool output_is(const struct cli_options *options, const char *path) {
    struct stat output, other;
    return find_output(options, &output) && stat(path, &other) == 0 &&
           other.st_dev == output.st_dev && other.st_ino == output.st_ino;
}

// Whether a file of that path can be made, or replaced, which takes a folder that can be written.
static bool can_be_made(const char *path) {
    struct stat info;
    const bool is_there = stat(path, &info) == 0;
    if (is_there && !S_ISREG(info.st_mode)) {
        errno = EISDIR;
        return !S_ISDIR(info.st_mode);
    }
    if (!is_there && errno != ENOENT)
        return false;
    char *target = realpath(path, NULL); // a link stays
    char *folder = path_folder(target ? target : path);
    const bool can = access(folder, W_OK | X_OK) == 0;
    const int error = errno;
    free(folder);
    free(target);
    errno = error;
    return can;
}

bool output_prepare(const struct cli_options *options, const char *input) {
    struct stat output;
    const bool is_to_file = options->output && strcmp(options->output, "-") != 0;
    const bool is_there = find_output(options, &output);
    if (is_there && output_is(options, input)) {
        cli_error("-o %s would write over the input", options->output);
        return false;
    }
    if ((!is_to_file || can_be_made(options->output)) &&
        (!is_there || truncate(options->output, 0) == 0 || unlink(options->output) == 0))
        return true;
    cli_error("cannot write the report to %s: %s", options->output, strerror(errno));
    return false;
}

static int kept_stdout = -1; // while a program writes to stderr instead

bool output_is_for_machines(const struct cli_options *options) {
    return options->format != REPORT_TEXT && !options->output && !options->no_count;
}

bool output_is_read(const struct cli_options *options) {
    return options->format != REPORT_TEXT && (!options->output || !strcmp(options->output, "-"));
}

bool output_keep(const struct cli_options *options) {
    if (!output_is_for_machines(options) || kept_stdout >= 0)
        return true;
    fflush(stdout);
    kept_stdout = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (kept_stdout >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
        return true;
    cli_error("standard output, which the report goes to, or standard error is closed");
    return false;
}

static void give_back_stdout(void) {
    if (kept_stdout < 0)
        return;
    fflush(stdout);
    dup2(kept_stdout, STDOUT_FILENO);
    close(kept_stdout);
    kept_stdout = -1;
}

void output_discard(const struct cli_options *options, const char *input) {
    struct stat output;
    if (is_written || !find_output(options, &output) || output_is(options, input))
        return;
    char *target = realpath(options->output, NULL); // a link stays
    unlink(target ? target : options->output);
    free(target);
}

bool output_close(void) {
    bool is_good = !ferror(stdout);
    if (fclose(stdout) != 0 && errno != EBADF) // which it is where it was closed from the start
        is_good = false;
    if (!is_good)
        cli_error("not all of the output could be written");
    return is_good;
}

unsigned stream_width(FILE *stream) {
    enum { WIDEST = 120 };
    struct winsize size;
    if (!isatty(fileno(stream)) || ioctl(fileno(stream), TIOCGWINSZ, &size) || !size.ws_col)
        return 0;
    return size.ws_col < WIDEST ? size.ws_col : WIDEST;
}

void make_safe(struct strbuf *text, FILE *stream) {
    if (!text->length || !isatty(fileno(stream)))
        return;
    struct strbuf clean = {0};
    utf8_clean(&clean, text->data);
    strbuf_free(text);
    *text = clean;
}

// Of the whole program, as --fail-on has it.
static uint64_t allowed_excess(const struct cli_options *options) {
    for (size_t i = 0; i < options->gates.length; i++) {
        const struct cli_gate *gate = &options->gates.data[i];
        if (gate->kind == CLI_GATE_EXCESS && !gate->where)
            return gate->most;
    }
    return 0;
}

static void render(const struct profile *profile, const struct cli_options *options, FILE *stream,
                   struct strbuf *out) {
    char folder[4096];
    struct report_options how = {.color = options->color == CLI_COLOR_ALWAYS,
                                 .verbose = options->verbose,
                                 .metrics = options->metrics,
                                 .allowed_excess = allowed_excess(options),
                                 .by = options->by,
                                 .top = options->top,
                                 .source_root = getcwd(folder, sizeof folder)};
    if (stream) {
        how.color = options_use_color(options, stream);
        how.links = how.color && isatty(fileno(stream));
        how.width = stream_width(stream);
    }
    report_write(profile, options->format, &how, out);
    if (stream && options->format != REPORT_TEXT)
        make_safe(out, stream);
}

// Once it was said that the stream takes no more, output_close need not.
static bool put(const struct strbuf *text, FILE *stream) {
    if (fwrite(strbuf_string(text), 1, text->length, stream) == text->length && fflush(stream) == 0)
        return true;
    int error = errno;
    clearerr(stream);
    errno = error;
    return false;
}

static bool is_to_file(const struct cli_options *options) {
    return options->output && strcmp(options->output, "-");
}

struct answer_look answer_look(const struct cli_options *options) {
    if (is_to_file(options))
        return (struct answer_look){options->color == CLI_COLOR_ALWAYS, 0};
    return (struct answer_look){options_use_color(options, stdout), stream_width(stdout)};
}

bool show_answer(struct strbuf *text, bool is_safe, const struct cli_options *options) {
    const bool to_file = is_to_file(options);
    if (!to_file && !is_safe)
        make_safe(text, stdout);
    const bool is_good = to_file ? file_write(options->output, strbuf_string(text), text->length)
                                 : put(text, stdout);
    is_written = to_file && is_good;
    if (!is_good)
        cli_error("%s: %s", to_file ? options->output : "the output", strerror(errno));
    return is_good;
}

int write_report(struct profile *profile, const struct cli_options *options, FILE *stream) {
    bool to_stdout = options->output && !strcmp(options->output, "-");
    bool to_file = options->output && !to_stdout;
    if (to_stdout)
        stream = stdout;
    int status = CLI_OK;
    if (to_file || stream == stdout || !options->quiet) {
        struct strbuf text = {0};
        render(profile, options, to_file ? NULL : stream, &text);
        bool is_good = to_file ? file_write(options->output, strbuf_string(&text), text.length)
                               : put(&text, stream);
        is_written = to_file && is_good;
        if (!is_good) {
            cli_error("cannot write the report to %s: %s", to_file ? options->output : "the output",
                      strerror(errno));
            status = CLI_USAGE;
        }
        strbuf_free(&text);
    }
    return status == CLI_OK ? gate_status(profile, options) : status;
}

// The end of a run whose kernels could not be loaded: a program may go on without them, as one that
// catches the error, and seem to have been counted.
static void say_not_simulated(const struct profile *profile) {
    for (size_t i = 0; i < profile->gap_count; i++)
        if (profile->gaps[i].kind == PROFILE_GAP_MODULE)
            cli_error("not simulated: %s", profile->gaps[i].text);
}

int write_run_report(struct profile *profile, const struct cli_options *options) {
    struct diag_list diags = {0};
    if (options->format != REPORT_TEXT || options->baseline)
        profile_quote_lines(profile, &diags);
    print_diags(&diags, options);
    give_back_stdout();
    accept(profile, options);
    const bool is_narrow = narrow(profile, options);
    const int status =
        write_report(profile, options, output_is_for_machines(options) ? stdout : stderr);
    say_not_simulated(profile);
    return is_narrow ? status : CLI_USAGE;
}

void print_diags(struct diag_list *diags, const struct cli_options *options) {
    diag_print(diags, stderr, options_use_color(options, stderr));
    diag_free(diags);
}
