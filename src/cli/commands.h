// The subcommands and the ways to run a program. All return the process's exit status.
#ifndef BANKRUN_CLI_COMMANDS_H
#define BANKRUN_CLI_COMMANDS_H

#include "base/diag.h"
#include "cli/options.h"
#include "profile/profile.h"

// argv[0] is the command's first argument.
int cmd_run(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_layout(int argc, char **argv);
int cmd_prove(int argc, char **argv);
int cmd_fix(int argc, char **argv);
int cmd_calibrate(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_nvcc_flags(int argc, char **argv);

// What a file is, by its content where that tells; its first kilobytes do.
enum cli_kind { CLI_KIND_ELF, CLI_KIND_PTX, CLI_KIND_CUDA, CLI_KIND_PROFILE, CLI_KIND_OTHER };
enum cli_kind cli_kind_of(const char *path, const char *data, size_t length);
// The first bytes of a file; -1: it cannot be read, which was printed.
long cli_read_head(const char *path, char *head, size_t size);

// Runs one launch of a PTX module. `name`: of the file that the user gave.
int run_ptx(const struct source *source, const char *name, const struct cli_options *options);

// Runs argv[0], a CUDA source or an executable, with its arguments (NULL at the end) as a child
// process.
int run_program(enum cli_kind kind, char **argv, const struct cli_options *options);

// Runs the command `path`, with the argument list argv, and reports on all processes of it and of
// its children that use CUDA.
int run_command(const char *path, char **argv, const struct cli_options *options);
// The file that a command's name means, by PATH where it has no slash. Caller frees; NULL: none.
char *command_find(const char *name);

// Whether -o names the file of that path.
bool output_is(const struct cli_options *options, const char *path);
// Before a run: a file of -o that is there already is emptied, so that nobody takes it for what
// this run makes, should it not come to its end. False: it cannot be, or none can be made there, or
// it is the input, which was printed.
bool output_prepare(const struct cli_options *options, const char *input);
// Whether the report of a run is for other programs and goes to stdout, which is then its own.
bool output_is_for_machines(const struct cli_options *options);
// Who reads standard output gets a report of every run, if only one without launches; a file is not
// made where nothing was seen.
bool output_is_read(const struct cli_options *options);
// Before such a run: what the program writes to its stdout goes to stderr until the report is due.
// False: there is no stdout, which was printed.
bool output_keep(const struct cli_options *options);
// After it: a file of -o that was not written is not left behind, unless it is the input.
void output_discard(const struct cli_options *options, const char *input);
// At the end: false, which was printed: stdout did not take all.
bool output_close(void);

// A terminal's columns, within what still reads well; 0 (the page's own) for what is none.
unsigned stream_width(FILE *stream);
// Takes out of what is written on the stream what a terminal might act on, if the stream is one.
void make_safe(struct strbuf *text, FILE *stream);
// How a text is to look that show_answer will write.
struct answer_look {
    bool has_color;
    unsigned width; // as stream_width
};
struct answer_look answer_look(const struct cli_options *options);
// Writes it to -o, or to stdout, made safe there unless its writer has seen to that. False: it
// cannot be written, which was printed.
bool show_answer(struct strbuf *text, bool is_safe, const struct cli_options *options);
// A saved profile, of standard input where the path is -. NULL: it cannot be read, which was
// printed.
struct profile *read_saved(const char *path, const struct cli_options *options);
// Reads what is accepted, in place of what was read before; "" is no file. False: the file cannot
// be read or is wrong, which was printed.
bool accept_from(struct cli_options *options, const char *path);
// The same of .bankrun, where the options name no file, and that is there.
bool accept_by_default(struct cli_options *options);
// Marks what the options accept, and says what of that is nowhere any more.
void accept(struct profile *profile, const struct cli_options *options);
// Leaves what --kernel and --line name, of the baseline, too. False: there is nothing like that,
// which was printed, and all is as it was.
bool narrow(struct profile *profile, const struct cli_options *options);
// Writes the report to -o or to `stream` and applies --fail-on: as gate_status, or CLI_USAGE when a
// file cannot be written.
int write_report(struct profile *profile, const struct cli_options *options, FILE *stream);
// The same at the end of a run, on stderr, or on stdout where output_is_for_machines, of what
// --suppressions accepts and --kernel and --line name; where nothing is like these, of all, with
// CLI_USAGE. The profile gets its source lines, too.
int write_run_report(struct profile *profile, const struct cli_options *options);
// Before a run: whether --fail-on regression and --baseline are both there, or neither. False: that
// was printed.
bool gate_is_ready(const struct cli_options *options);
// What --fail-on says of the run: CLI_OK, or CLI_FAILED_RUN, CLI_FINDINGS, CLI_EXCESS or
// CLI_REGRESSION, and why on stderr.
int gate_status(const struct profile *profile, const struct cli_options *options);

// Prints all messages on stderr and empties the list.
void print_diags(struct diag_list *diags, const struct cli_options *options);

#endif
