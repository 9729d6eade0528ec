// Running a program as a child process.
#ifndef BANKRUN_CLI_CHILD_H
#define BANKRUN_CLI_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

struct child {
    // Called in the child before it becomes the program; NULL: nothing is.
    void (*prepare)(void *context);
    void *context;
    const char *name; // what messages call it; NULL: argv[0]
    bool adopts;      // processes whose parents end become ours, so that child_others finds them
    // What became of it:
    pid_t pid;        // -1: it could not be started
    int signal;       // that killed it; 0: it exited
    bool is_stopping; // bankrun was asked to end, and handed that on
};

// Runs the executable with these arguments (NULL at the end) and our environment, and waits.
// Signals that ask bankrun to end are handed on to it. Returns its exit status, 128 + N when
// signal N killed it, or -1 when it could not be started, which was printed.
int child_run(const char *path, char *const *argv, struct child *child);

// Asks the child that runs to end, as a signal to bankrun would. From another thread.
void child_stop(void);

#endif
