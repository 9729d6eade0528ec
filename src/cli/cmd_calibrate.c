// bankrun calibrate: holds the bank model against the GPU of this machine.
#include <errno.h>
#include <string.h>
#include <zlib.h>

#include "base/strbuf.h"
#include "calibrate/calibrate.h"
#include "cli/commands.h"

enum { NO_GPU = 1, EXAMPLES = 3 };

static void help(void) {
    fputs(
        "Usage: bankrun calibrate [OPTIONS]\n"
        "\n"
        "Measures shared-memory instructions on the first GPU of this machine by the clock, over\n"
        "many patterns of lane addresses, and compares with the bank model of its architecture.\n"
        "Needs the CUDA driver, but no toolkit and no permission for hardware counters.\n"
        "\n"
        "    bankrun calibrate\n"
        "    bankrun calibrate --instruction ld.shared.v4.u32 --patterns 2000 --verbose\n"
        "    bankrun calibrate --save my_gpu.csv.gz\n"
        "\n",
        stdout);
    options_print_help(CLI_CALIBRATE, stdout);
    fputs("\nExit status: 0: every pattern agrees; 1: some differ, or there is no GPU; 2: the "
          "command\n"
          "line is wrong.\n",
          stdout);
}

// Compressed if its name says so.
static bool save(const struct calibrate_result *result, const char *path) {
    size_t length = strlen(path);
    bool is_packed = length > 3 && !strcmp(path + length - 3, ".gz");
    struct strbuf text = {0};
    calibrate_write_truth(result, &text);
    errno = 0;
    gzFile file = gzopen(path, is_packed ? "wb9" : "wbT");
    bool is_saved = file && gzwrite(file, text.data, (unsigned)text.length) == (int)text.length;
    if (file)
        is_saved &= gzclose(file) == Z_OK;
    if (!is_saved)
        cli_error("%s: %s", path, errno ? strerror(errno) : "cannot be written");
    strbuf_free(&text);
    return is_saved;
}

static int compare(struct calibrate_gpu *gpu, const struct cli_options *options,
                   struct diag_list *diags) {
    const struct cli_calibrate *asked = &options->calibrate;
    struct calibrate_plan plan = {
        .only = asked->instruction ? calibrate_find(asked->instruction) : NULL,
        .patterns = asked->patterns ? (size_t)asked->patterns : CALIBRATE_PATTERNS,
        .gpu_arch = calibrate_gpu_arch(gpu),
        .model_arch = options->arch ? options->arch : calibrate_gpu_arch(gpu)};
    struct calibrate_meter meter = calibrate_gpu_meter(gpu);
    struct calibrate_result result = {0};
    struct strbuf text = {0};
    int status = NO_GPU;
    printf("%s, compute capability %u.%u, driver for CUDA %u.%u\n", calibrate_gpu_name(gpu),
           plan.gpu_arch / 10, plan.gpu_arch % 10, calibrate_gpu_cuda(gpu) / 1000,
           calibrate_gpu_cuda(gpu) % 1000 / 10);
    fflush(stdout);
    if (calibrate_compare(&plan, &meter, &result, diags)) {
        calibrate_write_report(&result, options->verbose ? SIZE_MAX : EXAMPLES, &text);
        fputs(strbuf_string(&text), stdout);
        status = result.agree == result.rows.length ? CLI_OK : NO_GPU;
        if (asked->save && !save(&result, asked->save))
            status = CLI_USAGE;
    }
    strbuf_free(&text);
    calibrate_free(&result);
    return status;
}

static bool knows(const char *name) {
    size_t count;
    const struct calibrate_instruction *all = calibrate_instructions(&count);
    if (!name || calibrate_find(name))
        return true;
    struct strbuf list = {0};
    for (size_t i = 0; i < count; i++)
        strbuf_printf(&list, "%s %s", i ? "," : "", all[i].name);
    cli_error("--instruction: '%s' is none of%s", name, strbuf_string(&list));
    strbuf_free(&list);
    return false;
}

static int calibrate(const struct cli_options *options) {
    if (!knows(options->calibrate.instruction))
        return CLI_USAGE;
    struct diag_list diags = {0};
    struct calibrate_gpu *gpu = calibrate_open_gpu(&diags);
    int status = NO_GPU;
    if (gpu)
        status = compare(gpu, options, &diags);
    print_diags(&diags, options);
    calibrate_close_gpu(gpu);
    return status;
}

int cmd_calibrate(int argc, char **argv) {
    struct cli_options options;
    options_init(&options);
    options.arch = 0;
    int at = options_parse(&options, CLI_CALIBRATE, argc, argv, 0);
    int status = CLI_USAGE;
    if (at >= 0 && options.help) {
        help();
        status = CLI_OK;
    } else if (at >= 0 && at < argc) {
        cli_error("bankrun calibrate takes options only, not '%s'", argv[at]);
    } else if (at >= 0) {
        status = calibrate(&options);
    }
    options_free(&options);
    return status;
}
