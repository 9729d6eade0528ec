// bankrun run: runs a CUDA source, an executable or a PTX kernel and reports.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/strbuf.h"
#include "cli/as.h"
#include "cli/commands.h"
#include "cli/cuda_source.h"
#include "cli/engine.h"
#include "cli/ranks.h"
#include "profile/record.h"

static void help(void) {
    fputs(
        "Usage: bankrun [run] [OPTIONS] FILE [ARGUMENTS...]\n"
        "\n"
        "Runs a CUDA program on the CPU, counts every wavefront of its shared-memory accesses and\n"
        "reports bank conflicts by source line on stderr. FILE is\n"
        "  - a CUDA source (.cu), which is compiled with nvcc;\n"
        "  - an executable that uses the CUDA runtime or driver and holds PTX;\n"
        "  - a PTX module (.ptx), or a source without a main(), one kernel of which is launched\n"
        "    as --launch says;\n"
        "  - a command or a script that starts such programs (make check, ./run_tests.sh): each\n"
        "    process that uses CUDA is simulated, and the report is on all of them.\n"
        "What follows a source or an executable belongs to the program, whose output and exit\n"
        "status stay what they are.\n"
        "\n"
        "    bankrun transpose.cu\n"
        "    bankrun --arch sm_80 -O3 transpose.cu 4000 4000\n"
        "    bankrun --format json -o run.json ./app --size 4096\n"
        "    bankrun --fail-on excess transpose.cu        # status 3 when conflicts remain, 4\n"
        "                                                 # when it did not run to its end\n"
        "    bankrun run -- make check\n"
        "    bankrun kernels.cu --launch 'scale<<<8, 128>>>(f32[1024]=iota, 1024)'\n"
        "    bankrun scan.ptx --launch 'scan<<<64, 256>>>(out:u64[16384], u8[16384]=iota, 16384)' "
        "\\\n"
        "        --dump out=-\n"
        "\n",
        stdout);
    options_print_help(CLI_RUN, stdout);
    fputs("\n"
          "A launch: kernel<<<GRID, BLOCK[, SHARED_BYTES]>>>(ARGUMENTS)\n"
          "  GRID, BLOCK    N, NxM, NxMxK or (x, y, z)\n"
          "  a buffer       [name:]type[count][=init], init: zero, iota, rand:SEED, NUMBER,\n"
          "                 {NUMBER, ...} or @FILE\n"
          "  a scalar       [name:]type=NUMBER, or a bare number\n"
          "  types          u8 u16 u32 u64 s8 s16 s32 s64 b8 b16 b32 b64 f16 bf16 f32 f64\n",
          stdout);
}

// --trace FILE:LINE[:N]
static bool check_trace(const struct cli_options *options) {
    struct profile_trace *trace =
        options->trace ? profile_trace_create(options->trace, NULL, false) : NULL;
    profile_trace_free(trace);
    if (options->trace && !trace)
        cli_error("--trace: '%s' is not of the form FILE:LINE or FILE:LINE:N", options->trace);
    else if (options->trace && options->no_count)
        cli_error("--trace shows what is counted: leave --no-count out");
    else if (options->trace_output && !options->trace)
        cli_error("--trace-output: nothing is traced without --trace FILE:LINE");
    else
        return true;
    return false;
}

// What is about counts and checks.
static bool check_counting(const struct cli_options *options) {
    const char *counts = options->as_compiled    ? "--as compiled"
                         : options->trace        ? "--trace"
                         : options->gates.length ? "--fail-on excess"
                         : options->metrics      ? "--metrics"
                                                 : NULL;
    if (options->only_checks && counts)
        cli_error("bankrun check counts nothing, and %s is about counts; use bankrun run --check "
                  "all",
                  counts);
    else if (options->checks && options->no_count)
        cli_error("--%s puts what it finds into the report: leave --no-count out, or use "
                  "bankrun check",
                  options->schedule.runs ? "schedule" : "check");
    else
        return true;
    return false;
}

// Rather said before the run than after it.
static bool has_baseline_of_run(const struct cli_options *options) {
    const struct profile *baseline = options->baseline;
    if (baseline && baseline->arch != options->arch)
        cli_error("--baseline: %s is of sm_%u, and this runs on sm_%u", options->baseline_path,
                  baseline->arch, options->arch);
    else if (baseline && baseline->is_as_compiled != options->as_compiled)
        cli_error("--baseline: %s is counted %s: run it likewise", options->baseline_path,
                  baseline->is_as_compiled ? "--as compiled" : "--as written");
    else
        return true;
    return false;
}

static bool check_gates(const struct cli_options *options) {
    if (options->fail_on_fault && options->no_count)
        cli_error("--fail-on looks at the profile: leave --no-count out");
    return !(options->fail_on_fault && options->no_count) && gate_is_ready(options) &&
           has_baseline_of_run(options);
}

static bool prepare_output(const struct cli_options *options, const char *input) {
    return output_prepare(options, input) && output_keep(options);
}

// Standard output has room for one of the two.
static bool can_dump(const struct cli_options *options) {
    for (size_t i = 0; i < options->dumps.length; i++)
        if (output_is_for_machines(options) && !strcmp(strchr(options->dumps.data[i], '='), "=-")) {
            cli_error("--dump %s and the report both go to standard output: name a file with -o",
                      options->dumps.data[i]);
            return false;
        }
    return true;
}

// One kernel of a PTX module or of a CUDA source.
static int run_kernel(enum cli_kind kind, int argc, char **argv, struct cli_options *options) {
    int rest = options_parse(options, CLI_RUN, argc, argv, 1); // options may follow the file
    if (rest < 0 || !as_settle(options) || !engine_settle(options) || !check_trace(options) ||
        !check_counting(options) || !check_gates(options) || !as_is_possible(options))
        return CLI_USAGE;
    if (rest < argc) {
        cli_error("'%s': a kernel takes its arguments through --launch", argv[rest]);
        return CLI_USAGE;
    }
    if (options->devices > 1) {
        cli_error("--devices: a kernel is launched on one device; programs see several");
        return CLI_USAGE;
    }
    struct source source = {.name = argv[0]};
    struct strbuf name = {0};
    char *text = NULL;
    if (!can_dump(options) || !prepare_output(options, argv[0]))
        return CLI_USAGE;
    if (kind == CLI_KIND_CUDA) {
        text = cuda_source_ptx(argv[0], options, &source.length);
        strbuf_printf(&name, "PTX of %s", argv[0]);
        source.name = name.data;
    } else if (!file_read_regular(argv[0], &text, &source.length)) {
        cli_error("%s: %s", argv[0], strerror(errno));
        text = NULL;
    }
    source.text = text;
    int status = text ? run_ptx(&source, argv[0], options) : CLI_USAGE;
    strbuf_free(&name);
    free(text);
    return status;
}

// Before a source --launch is ours. Behind it everything belongs to the program, if it is one.
static bool launches_kernel(int argc, char **argv, const struct cli_options *options) {
    bool has_launch = options->launch != NULL;
    for (int i = 1; i < argc && !has_launch; i++)
        has_launch = (!strcmp(argv[i], "--launch") || !strncmp(argv[i], "--launch=", 9)) &&
                     !cuda_source_has_main(argv[0]);
    return has_launch;
}

// A script, or a command that PATH knows: what it starts is what counts.
static bool is_script(const char *path, const char *head, long length) {
    return length > 2 && !memcmp(head, "#!", 2) && access(path, X_OK) == 0;
}

// A folder does not stand in the way of a command: `bankrun python` where there is ./python.
static bool is_command_name(const char *word) {
    struct stat status;
    return !strchr(word, '/') && (stat(word, &status) != 0 || S_ISDIR(status.st_mode));
}

static int run_command_line(char **argv, const struct cli_options *options) {
    char *path = command_find(argv[0]);
    if (options->launch || options->dumps.length)
        cli_error("--launch and --dump are for .ptx and .cu files");
    else if (!path)
        cli_error("%s: %s", argv[0], strerror(errno ? errno : ENOENT));
    bool can = path && !options->launch && !options->dumps.length && prepare_output(options, path);
    int status = can ? run_command(path, argv, options) : CLI_USAGE;
    free(path);
    return status;
}

static int run_file(int argc, char **argv, struct cli_options *options) {
    enum { HEAD_BYTES = 65536 };
    if (is_command_name(argv[0])) {
        char *path = command_find(argv[0]);
        free(path);
        if (path)
            return run_command_line(argv, options);
    }
    char *head = base_alloc(HEAD_BYTES);
    long length = cli_read_head(argv[0], head, HEAD_BYTES);
    enum cli_kind kind = length < 0 ? CLI_KIND_OTHER : cli_kind_of(argv[0], head, (size_t)length);
    bool starts_others =
        is_script(argv[0], head, length) || (kind == CLI_KIND_ELF && options->follow);
    free(head);
    if (length < 0)
        return CLI_USAGE;
    if (starts_others)
        return run_command_line(argv, options);
    if (options->follow) {
        cli_error("--follow: %s is neither an executable nor a script", argv[0]);
        return CLI_USAGE;
    }
    if (kind == CLI_KIND_PTX || (kind == CLI_KIND_CUDA && launches_kernel(argc, argv, options)))
        return run_kernel(kind, argc, argv, options);
    if (kind == CLI_KIND_PROFILE)
        cli_error("%s is a saved profile; show it with: bankrun report %s", argv[0], argv[0]);
    else if (kind == CLI_KIND_OTHER)
        cli_error("%s: not a CUDA program: neither a CUDA source (.cu), nor PTX, nor an executable",
                  argv[0]);
    else if (options->launch)
        cli_error("--launch is for .ptx and .cu files; %s launches its kernels itself", argv[0]);
    else if (options->dumps.length)
        cli_error("--dump writes a buffer of --launch, which is not given");
    else
        return check_trace(options) && prepare_output(options, argv[0])
                   ? run_program(kind, argv, options)
                   : CLI_USAGE;
    return CLI_USAGE;
}

static int run_with(struct cli_options *options, int argc, char **argv, void (*show_help)(void)) {
    int status = CLI_USAGE;
    int file = options_parse(options, CLI_RUN, argc, argv, 0);
    const bool is_settled =
        file >= 0 && (options->help || (as_settle(options) && engine_settle(options)));
    if (file >= 0 && options->help) {
        show_help();
        status = CLI_OK;
    } else if (file == argc) {
        cli_error("which program? bankrun [OPTIONS] FILE [ARGUMENTS...]; see bankrun --help");
    } else if (is_settled && check_counting(options) && check_gates(options) &&
               as_is_possible(options) && accept_by_default(options)) {
        const enum ranks_role role = ranks_join(options, &status);
        if (role == RANKS_ALONE || role == RANKS_FIRST) {
            status = ranks_leave(options, run_file(argc - file, argv + file, options));
            output_discard(options, argv[file]);
        }
    }
    options_free(options);
    return status;
}

int cmd_run(int argc, char **argv) {
    struct cli_options options;
    options_init(&options);
    return run_with(&options, argc, argv, help);
}

static void help_check(void) {
    fputs("Usage: bankrun check [OPTIONS] FILE [ARGUMENTS...]\n"
          "\n"
          "Runs a program as bankrun run does, and looks for defects that its results need not\n"
          "show. Counts nothing. Ends with status 5 when it found something, with 4 when the\n"
          "program did not run to its end.\n"
          "\n"
          "    bankrun check transpose.cu\n"
          "    bankrun check --check sync ./app --size 4096\n"
          "\n",
          stdout);
    options_print_help(CLI_RUN, stdout);
}

int cmd_check(int argc, char **argv) {
    struct cli_options options;
    options_init(&options);
    options.only_checks = options.fail_on_fault = options.fail_on_check = true;
    options.checks = CLI_ALL_CHECKS;
    return run_with(&options, argc, argv, help_check);
}
