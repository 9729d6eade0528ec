// bankrun explain --requests: a file of raw requests in, the same with their costs out.
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "cli/commands.h"
#include "cli/explain.h"

enum { PIECE = 1 << 20 };

// False: the output cannot be written, which was printed.
static bool write_out(struct strbuf *out, FILE *file, const char *name) {
    bool is_written = fwrite(strbuf_string(out), 1, out->length, file) == out->length;
    if (!is_written)
        cli_error("%s: %s", name, strerror(errno));
    out->length = 0;
    return is_written;
}

static int copy(gzFile in, FILE *out, const char *in_name, const char *out_name,
                const struct cli_options *options) {
    struct explain_requests *requests =
        explain_requests_create(in_name, explain_arch(options->arch, options->explain.bank_mode),
                                options->explain.keep_going);
    struct diag_list diags = {0};
    struct strbuf text = {0};
    char *piece = base_alloc(PIECE);
    int status = CLI_OK, length;
    bool goes_on = true;
    do {
        length = gzread(in, piece, PIECE);
        int error = Z_OK;
        const char *message = gzerror(in, &error);
        bool is_cut_off = length == 0 && error == Z_BUF_ERROR;
        if (length < 0 || is_cut_off) {
            cli_error("%s: %s", in_name,
                      is_cut_off         ? "the compressed file ends too early"
                      : error == Z_ERRNO ? strerror(errno)
                                         : message);
            status = CLI_USAGE;
            break;
        }
        goes_on =
            explain_requests_feed(requests, piece, (size_t)length, length == 0, &text, &diags);
        if (!write_out(&text, out, out_name)) {
            status = CLI_USAGE;
            break;
        }
    } while (goes_on && length > 0);
    free(piece);
    strbuf_free(&text);
    if (diags.errors)
        status = CLI_USAGE;
    print_diags(&diags, options);
    explain_requests_free(requests);
    return status;
}

int explain_requests_run(const struct cli_options *options) {
    const char *path = options->explain.requests;
    bool is_stdin = !strcmp(path, "-");
    int descriptor = is_stdin ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    gzFile in = descriptor < 0 ? NULL : gzdopen(descriptor, "rb");
    if (!in) {
        cli_error("%s: %s", path, strerror(errno));
        return CLI_USAGE;
    }
    gzbuffer(in, 1 << 18);
    const char *out_name = options->output ? options->output : "-";
    bool is_stdout = !strcmp(out_name, "-");
    FILE *out = is_stdout ? stdout : fopen(out_name, "wb");
    int status = CLI_USAGE;
    if (!out)
        cli_error("%s: %s", out_name, strerror(errno));
    else
        status = copy(in, out, is_stdin ? "<stdin>" : path, out_name, options);
    if (out && (is_stdout ? fflush(out) : fclose(out)) != 0) {
        cli_error("%s: %s", out_name, strerror(errno));
        status = CLI_USAGE;
    }
    gzclose(in);
    return status;
}
