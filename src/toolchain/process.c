#define _GNU_SOURCE // pipe2, execvpe, __WALL
#include "toolchain/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "toolchain/inputs.h"

int process_wait(pid_t child) {
    int status;
    while (waitpid(child, &status, __WALL) < 0)
        if (errno != EINTR)
            return 127;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int process_start(char *const *argv, char *const *environment, int output, int errors,
                  pid_t *child) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (output >= 0)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    if (errors >= 0)
        posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
    int error = posix_spawnp(child, argv[0], &actions, NULL, argv, environment);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static void read_all(int from, struct strbuf *text) {
    char buffer[4096];
    ssize_t count;
    while ((count = read(from, buffer, sizeof buffer)) > 0 || (count < 0 && errno == EINTR))
        if (count > 0)
            strbuf_append(text, buffer, (size_t)count);
}

// The C library says what cannot be started. Where a child does not share its parent's memory, as
// in qemu-user, it ends with 127 instead.
static bool is_not_there(const char *program, int exit_code) {
    if (exit_code != 127)
        return false;
    char *path = inputs_find_program(program);
    free(path);
    return !path;
}

enum { INTO_TEXT = -2 }; // where a stream of the command goes, beside what process_start takes

static int collect(char *const *argv, char *const *environment, int output, int errors,
                   struct strbuf *text, int *exit_code) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return errno;
    pid_t child;
    int error = process_start(argv, environment, output == INTO_TEXT ? ends[1] : output,
                              errors == INTO_TEXT ? ends[1] : errors, &child);
    close(ends[1]);
    if (!error) {
        read_all(ends[0], text);
        *exit_code = process_wait(child);
        error = is_not_there(argv[0], *exit_code) ? ENOENT : 0;
    }
    close(ends[0]);
    return error;
}

int process_read(char *const *argv, char *const *environment, struct strbuf *output,
                 int *exit_code) {
    return collect(argv, environment, INTO_TEXT, -1, output, exit_code);
}

int process_read_all(char *const *argv, char *const *environment, struct strbuf *text,
                     int *exit_code) {
    return collect(argv, environment, INTO_TEXT, INTO_TEXT, text, exit_code);
}

int process_read_errors(char *const *argv, char *const *environment, struct strbuf *errors,
                        int *exit_code) {
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere < 0)
        return errno;
    int error = collect(argv, environment, nowhere, INTO_TEXT, errors, exit_code);
    close(nowhere);
    return error;
}

// ---- Inside of somebody else's process -------------------------------------------------------

// As fork(), but nothing of the program's runs in it, not even what waits for a fork. `signal`:
// that its end sends.
static pid_t copy_process(int signal) {
    return (pid_t)syscall(SYS_clone, signal, NULL, NULL, NULL, 0);
}

_Noreturn static void become(char *const *argv, char *const *environment, int output,
                             const sigset_t *mask) {
    const struct sigaction usual = {.sa_handler = SIG_DFL};
    for (int number = 1; number < NSIG; number++) {
        struct sigaction now;
        const bool is_ignored = sigaction(number, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
        if (!is_ignored || number == SIGCHLD)
            sigaction(number, &usual, NULL);
    }
    // A command's end sends SIGCHLD, whatever was asked for before it was one: so it has a parent
    // of its own.
    const pid_t command = copy_process(SIGCHLD);
    if (command != 0)
        _exit(command > 0 ? process_wait(command) : 127);
    sigprocmask(SIG_SETMASK, mask, NULL);
    if (dup2(output, STDOUT_FILENO) >= 0)
        execvpe(argv[0], argv, environment);
    _exit(127);
}

int process_read_unseen(char *const *argv, char *const *environment, struct strbuf *output,
                        int *exit_code) {
    int ends[2];
    sigset_t all, mask;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return errno;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &mask);
    const pid_t child = copy_process(0);
    const int error = errno;
    if (child == 0)
        become(argv, environment, ends[1], &mask);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    close(ends[1]);
    if (child > 0) {
        read_all(ends[0], output);
        *exit_code = process_wait(child);
    }
    close(ends[0]);
    return child > 0 ? 0 : error;
}
