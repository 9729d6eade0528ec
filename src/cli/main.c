// bankrun: runs CUDA programs without a GPU and reports their shared-memory bank conflicts.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "base/alloc.h"
#include "cli/commands.h"
#include "cli/environment.h"
#include "sim/sim.h"

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    enum cli_command options;
    const char *help;
} commands[] = {
    {"run", cmd_run, CLI_RUN,
     "run a .cu, an executable, a command or a .ptx and report (the default)"},
    {"check", cmd_check, CLI_RUN, "run it and look for defects that its results do not show"},
    {"report", cmd_report, CLI_REPORT, "show a saved profile"},
    {"diff", cmd_diff, CLI_DIFF, "show what changed between two saved profiles"},
    {"explain", cmd_explain, CLI_EXPLAIN, "show how an index expression meets the banks"},
    {"layout", cmd_layout, CLI_LAYOUT,
     "find the padding or swizzle in which accesses do not conflict"},
    {"fix", cmd_fix, CLI_FIX, "edit a .cu so that its bank conflicts go, and try the edits"},
    {"prove", cmd_prove, CLI_PROVE, "show what holds for every block, round of a loop and input"},
    {"nvcc-flags", cmd_nvcc_flags, CLI_NVCC_FLAGS,
     "print the flags that a build system hands to nvcc"},
    {"doctor", cmd_doctor, CLI_DOCTOR, "say what is found on this machine, and what is missing"},
    {"calibrate", cmd_calibrate, CLI_CALIBRATE, "hold the bank model against this machine's GPU"},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static void help(FILE *out) {
    fputs(
        "Usage: bankrun FILE [ARGUMENTS...]\n"
        "       bankrun COMMAND [OPTIONS] ...\n"
        "\n"
        "Runs a CUDA program without a GPU, counts every wavefront that its shared-memory "
        "accesses\n"
        "take, and says which source line has bank conflicts, how many, and why.\n"
        "\n"
        "    bankrun transpose.cu                  compile, run on the CPU, report by source line\n"
        "    bankrun ./app --size 4096             an executable\n"
        "    bankrun make check                    a command that starts such programs\n"
        "    bankrun k.ptx --launch 'k<<<8, 256>>>(out:u32[2048], 2048)' --dump out=-\n"
        "    bankrun --format json -o run.json transpose.cu\n"
        "    bankrun report run.json\n"
        "    bankrun diff old.json new.json        what became worse, and what better\n"
        "    bankrun fix transpose.cu              edits that cure its conflicts, as a diff\n"
        "    bankrun check ./app                   look for defects\n"
        "    bankrun prove transpose.cu            what holds for every input\n"
        "    bankrun explain 'tile[threadIdx.x][threadIdx.y]' --shared 'float tile[32][32]' "
        "--block 32x32\n"
        "    bankrun layout 'tile[ty][tx]' 'tile[tx][ty]' --shared 'float tile[32][32]' "
        "--block 32x32\n"
        "\n"
        "Commands (bankrun COMMAND --help says more):\n",
        out);
    for (size_t i = 0; i < COMMANDS; i++)
        fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].help);
    fputs("  help       show this help, or that of a command\n"
          "\n"
          "Options of bankrun run:\n",
          out);
    options_print_help(CLI_RUN, out);
    fputs(
        "      --version           show the version\n"
        "\n"
        "Exit status: the program's; 1: a kernel of --launch faulted; 2: the command line or the "
        "input\n"
        "is wrong; 3: --fail-on excess or degree; 4: --fail-on, the run faulted or is "
        "incomplete;\n"
        "5: a check found something; 6: --fail-on regression; 128 + N: the program was killed by\n"
        "signal N.\n",
        out);
}

static int find_command(const char *name) {
    for (int i = 0; i < COMMANDS; i++)
        if (!strcmp(name, commands[i].name))
            return i;
    return -1;
}

// A first word that is neither a command nor a file is most likely a misspelt command.
static const char *misspelt_command(const char *word) {
    const char *names[COMMANDS + 2] = {"help"};
    for (int i = 0; i < COMMANDS; i++)
        names[i + 1] = commands[i].name;
    names[COMMANDS + 1] = NULL;
    char *found = command_find(word);
    free(found);
    if (found || strpbrk(word, "/.") || access(word, F_OK) == 0)
        return NULL;
    return cli_suggest(word, names);
}

static int no_command(const char *name) {
    cli_error("no command '%s'; see bankrun --help", name);
    return CLI_USAGE;
}

// What completions are made of: all commands, or the options of one.
static int list(const char *name) {
    int command = name ? find_command(name) : -1;
    for (int i = 0; !name && i < COMMANDS; i++)
        printf("%s\t%s\n", commands[i].name, commands[i].help);
    if (!name)
        puts("help\tshow this help, or that of a command");
    else if (command >= 0)
        options_print_list(commands[command].options, stdout);
    else if (strcmp(name, "help") != 0)
        return no_command(name);
    return CLI_OK;
}

static int run_help(const char *topic) {
    if (!topic) {
        help(stdout);
        return CLI_OK;
    }
    int command = find_command(topic);
    if (command < 0)
        return no_command(topic);
    return commands[command].run(1, (char *[]){(char[]){"--help"}, NULL});
}

static int run(int argc, char **argv) {
    if (argc < 2) {
        help(stderr);
        return CLI_USAGE;
    }
    const char *first = argv[1];
    if (!strcmp(first, "--help") || !strcmp(first, "-h") || !strcmp(first, "help"))
        return argc > 2 && !strcmp(argv[2], "--list") ? list(argv[3])
                                                      : run_help(argc > 2 ? argv[2] : NULL);
    if (!strcmp(first, "--version")) {
        printf("bankrun %s\n", BANKRUN_VERSION);
        return CLI_OK;
    }
    int command = find_command(first);
    if (command >= 0)
        return commands[command].run(argc - 2, argv + 2);
    const char *meant = first[0] == '-' ? NULL : misspelt_command(first);
    if (meant) {
        cli_error("no command and no file '%s'; did you mean 'bankrun %s'?", first, meant);
        return CLI_USAGE;
    }
    return cmd_run(argc - 1, argv + 1);
}

int main(int argc, char **argv) {
    json_set_alloc_funcs(base_alloc, free); // what it cannot allocate it would leave out
    signal(SIGXFSZ, SIG_IGN);               // a file that may not grow is an error like others
    environment_use_packages();
    sim_limit_lanes(getenv("BANKRUN_LANES"));
    int status = run(argc, argv);
    return output_close() || status ? status : CLI_USAGE;
}
