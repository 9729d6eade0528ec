// Where reports and messages go.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/file.h"
#include "base/strbuf.h"
#include "cli/commands.h"
#include "report/report.h"

unsigned stream_width(FILE *stream) {
    enum { WIDEST = 120 };
    struct winsize size;
    if (!isatty(fileno(stream)) || ioctl(fileno(stream), TIOCGWINSZ, &size) || !size.ws_col)
        return 0;
    return size.ws_col < WIDEST ? size.ws_col : WIDEST;
}

static void render(const struct profile *profile, const struct cli_options *options, FILE *stream,
                   struct strbuf *out) {
    char folder[4096];
    struct report_options how = {.color = options->color == CLI_COLOR_ALWAYS,
                                 .verbose = options->verbose,
                                 .metrics = options->metrics,
                                 .source_root = getcwd(folder, sizeof folder)};
    if (stream) {
        how.color = options_use_color(options, stream);
        how.width = stream_width(stream);
    }
    report_write(profile, options->format, &how, out);
}

int write_report(const struct profile *profile, const struct cli_options *options, FILE *stream) {
    bool to_stdout = options->output && !strcmp(options->output, "-");
    bool to_file = options->output && !to_stdout;
    if (to_stdout)
        stream = stdout;
    int status = CLI_OK;
    if (to_file || to_stdout || !options->quiet) {
        struct strbuf text = {0};
        render(profile, options, to_file ? NULL : stream, &text);
        bool is_written;
        if (to_file)
            is_written = file_write(options->output, strbuf_string(&text), text.length);
        else
            is_written = fwrite(strbuf_string(&text), 1, text.length, stream) == text.length &&
                         fflush(stream) == 0;
        if (!is_written) {
            cli_error("cannot write the report to %s: %s", to_file ? options->output : "the output",
                      strerror(errno));
            status = CLI_USAGE;
        }
        strbuf_free(&text);
    }
    return status == CLI_OK ? gate_status(profile, options) : status;
}

void print_diags(struct diag_list *diags, const struct cli_options *options) {
    diag_print(diags, stderr, options_use_color(options, stderr));
    diag_free(diags);
}
