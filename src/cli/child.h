// Running a program as a child process.
#ifndef BANKRUN_CLI_CHILD_H
#define BANKRUN_CLI_CHILD_H

// Runs the executable with these arguments (NULL at the end) and our environment, and waits.
// Signals that ask bankrun to end are handed on to it. Returns its exit status, 128 + N when
// signal N killed it, or -1 when it could not be started, which was printed.
int child_run(const char *path, char *const *argv);

#endif
