// Inside the toolchain: the compiler and its kin as subprocesses.
#ifndef BANKRUN_TOOLCHAIN_PROCESS_H
#define BANKRUN_TOOLCHAIN_PROCESS_H

#include <sys/types.h>

#include "base/strbuf.h"

// Starts argv[0], searched in PATH, its standard output and its messages going to `output` and
// `errors` (-1: to ours). Returns errno.
int process_start(char *const *argv, char *const *environment, int output, int errors,
                  pid_t *child);

// Exit status as a shell shows it.
int process_wait(pid_t child);

// Runs a command and collects its standard output. Returns errno of the start.
int process_read(char *const *argv, char *const *environment, struct strbuf *output,
                 int *exit_code);
// Collects its messages instead; its standard output goes nowhere.
int process_read_errors(char *const *argv, char *const *environment, struct strbuf *errors,
                        int *exit_code);
// Collects both.
int process_read_all(char *const *argv, char *const *environment, struct strbuf *text,
                     int *exit_code);

// As process_read, inside of a process that is somebody else's program: the child is none that its
// wait() finds, and its end is no SIGCHLD. A command that is not there has the exit code 127.
int process_read_unseen(char *const *argv, char *const *environment, struct strbuf *output,
                        int *exit_code);

#endif
