#define _GNU_SOURCE // pipe2
#include "toolchain/process.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

int process_wait(pid_t child) {
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return 127;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int process_start(char *const *argv, char *const *environment, int output, pid_t *child) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (output >= 0)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    int error = posix_spawnp(child, argv[0], &actions, NULL, argv, environment);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

int process_read(char *const *argv, char *const *environment, struct strbuf *output,
                 int *exit_code) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return errno;
    pid_t child;
    int error = process_start(argv, environment, ends[1], &child);
    close(ends[1]);
    if (!error) {
        char buffer[4096];
        ssize_t count;
        while ((count = read(ends[0], buffer, sizeof buffer)) > 0 || (count < 0 && errno == EINTR))
            if (count > 0)
                strbuf_append(output, buffer, (size_t)count);
        *exit_code = process_wait(child);
    }
    close(ends[0]);
    return error;
}
