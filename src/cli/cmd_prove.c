// bankrun prove: what holds for every block, every round of a loop and every input.
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/prove.h"

static void help(void) {
    fputs(
        "Usage: bankrun prove [OPTIONS] FILE\n"
        "\n"
        "Proves what accesses to shared memory cost in every block, every round of a loop and\n"
        "for every input, and whether kernels are free of races in it. Nothing is run: no GPU,\n"
        "no inputs and no main() are needed. FILE is a CUDA source, which is compiled with nvcc,\n"
        "a PTX module, or an executable that holds PTX.\n"
        "\n"
        "    bankrun prove transpose.cu --block 32x32\n"
        "    bankrun prove -Iinclude -DN=64 --kernel '^scan' kernels.cu\n"
        "    bankrun prove --fail-on excess kernels.ptx     # status 3 unless all is proved free\n"
        "\n"
        "What is said of an access:\n"
        "  proved free      no request of any warp has a conflict\n"
        "  proved 32-way    every request is so; of several numbers each occurs, as warps or the\n"
        "                   rounds of a loop differ\n"
        "  depends on s     one number decides; the degree for each value of it\n"
        "  at most 8-way    no request is worse\n"
        "  not proved       and why; bankrun run counts what it costs for one input\n"
        "  leaves t         a thread accesses what is not in the array t; of other accesses it is\n"
        "                   proved that they stay in it, of some if a parameter is not too\n"
        "                   large, or said why it is not known\n"
        "\n",
        stdout);
    options_print_help(CLI_PROVE, stdout);
    fputs("\nExit status: 0; 2: the command line or the input is wrong; 3: --fail-on.\n", stdout);
}

// "256", "32x8", "8x8x4".
static bool read_shape(const char *text, uint32_t block[3]) {
    const char *at = text;
    block[0] = block[1] = block[2] = 1;
    for (int axis = 0; axis < 3; axis++) {
        char *end;
        const unsigned long number = strtoul(at, &end, 10);
        if (*at < '0' || *at > '9' || number == 0 || number > INT32_MAX)
            break;
        block[axis] = (uint32_t)number;
        if (!*end) {
            const uint64_t threads = (uint64_t)block[0] * block[1];
            if (threads <= 1024 && threads * block[2] <= 1024)
                return true;
            cli_error("--block: %s: a block has at most 1024 threads", text);
            return false;
        }
        if (*end != 'x' && *end != ',')
            break;
        at = end + 1;
    }
    cli_error("--block: '%s' is not of the form N, NxM or NxMxK", text);
    return false;
}

static bool prepare(const struct cli_options *options, const char *file, struct prove_run *run) {
    run->report = (struct prove_report){.options = options, .name = file, .arena = arena_create()};
    profile_choose_kernels(&run->kernels, options->only.kernel);
    if (options->prove.block && !read_shape(options->prove.block, run->block))
        return false;
    run->has_block = options->prove.block != NULL;
    return true;
}

static bool has_proofs(const struct prove_run *run) {
    if (run->report.proofs.length)
        return true;
    if (run->has_kernel)
        cli_error("--kernel: no kernel of %s has a name that '%s' matches", run->report.name,
                  run->report.options->only.kernel);
    else
        cli_error("%s has no kernel%s", run->report.name,
                  run->is_source ? "; of templates there are those that it instantiates" : "");
    return false;
}

static bool passes_races(const struct prove_report *report) {
    size_t open = 0;
    for (size_t i = 0; i < report->proofs.length; i++)
        open += report->proofs.data[i].races.is_asked &&
                report->proofs.data[i].races.freedom != PROVE_FREE;
    if (!report->options->prove.fail_on_race || !open)
        return true;
    cli_error("--fail-on race: %zu of %zu proofs %s not say that a kernel is free of races", open,
              report->proofs.length, open == 1 ? "does" : "do");
    return false;
}

static int gate(const struct prove_report *report) {
    struct prove_sums sums = {0};
    for (size_t i = 0; i < report->proofs.length; i++) {
        const struct prove_sums one = prove_sums_of(&report->proofs.data[i]);
        sums.all += one.all;
        sums.excess += one.excess;
        sums.misplaced += one.misplaced;
    }
    const uint64_t excess = report->options->fail_on_excess ? sums.excess : 0;
    const uint64_t misplaced = report->options->prove.fail_on_bounds ? sums.misplaced : 0;
    if (excess)
        cli_error("--fail-on excess: %llu of %llu accesses %s not proved free of conflicts",
                  (unsigned long long)excess, (unsigned long long)sums.all,
                  excess == 1 ? "is" : "are");
    if (misplaced)
        cli_error("--fail-on bounds: %llu of %llu accesses %s not proved to stay in %s, aligned",
                  (unsigned long long)misplaced, (unsigned long long)sums.all,
                  misplaced == 1 ? "is" : "are", misplaced == 1 ? "its array" : "their arrays");
    return excess || misplaced || !passes_races(report) ? CLI_EXCESS : CLI_OK;
}

static int show(const struct prove_report *report) {
    const struct cli_options *options = report->options;
    const struct answer_look look = answer_look(options);
    struct strbuf text = {0};
    if (options->format == REPORT_TEXT)
        prove_write_text(report, look.has_color, look.width, &text);
    else if (options->format == REPORT_CSV)
        prove_write_csv(report, &text);
    else
        prove_write_json(report, &text);
    const bool is_written = show_answer(&text, options->format == REPORT_TEXT, options);
    strbuf_free(&text);
    return is_written ? gate(report) : CLI_USAGE;
}

static int prove(const struct cli_options *options, const char *file) {
    struct prove_run run = {0};
    int status = CLI_USAGE;
    if (prepare(options, file, &run) && output_prepare(options, file)) {
        if (prove_file(file, &run) && has_proofs(&run))
            status = show(&run.report);
        output_discard(options, file);
    }
    profile_free_kernels(&run.kernels);
    prove_report_free(&run.report);
    return status;
}

int cmd_prove(int argc, char **argv) {
    struct cli_options options;
    options_init(&options);
    int status = CLI_USAGE;
    const char *file = NULL;
    int at = 0;
    while ((at = options_parse(&options, CLI_PROVE, argc, argv, at)) >= 0 && at < argc) {
        if (file) {
            cli_error("one file at a time: '%s' and '%s'", file, argv[at]);
            at = -1;
            break;
        }
        file = argv[at++];
    }
    if (at >= 0 && options.help) {
        help();
        status = CLI_OK;
    } else if (at >= 0 && !file) {
        cli_error("prove what? bankrun prove [OPTIONS] FILE; see bankrun prove --help");
    } else if (at >= 0) {
        status = prove(&options, file);
    }
    options_free(&options);
    return status;
}
