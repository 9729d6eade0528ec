#include "cli/child.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/options.h"

static volatile sig_atomic_t child; // process id; 0: none

// A terminal sends SIGINT to the whole group, the child included; a process sends it to us alone.
static void forward(int signal, siginfo_t *info, void *context) {
    (void)context;
    int saved = errno;
    if (child && (info->si_code <= 0 || signal == SIGTERM || signal == SIGHUP))
        kill((pid_t)child, signal);
    errno = saved;
}

static const int forwarded[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
enum { FORWARDED = sizeof forwarded / sizeof *forwarded };

static int wait_for(pid_t process, const char *path) {
    int status;
    while (waitpid(process, &status, 0) < 0)
        if (errno != EINTR) {
            cli_error("%s: %s", path, strerror(errno));
            return -1;
        }
    if (!WIFSIGNALED(status))
        return WEXITSTATUS(status);
    cli_error("%s was killed by signal %d (%s)", path, WTERMSIG(status),
              strsignal(WTERMSIG(status)));
    return 128 + WTERMSIG(status);
}

int child_run(const char *path, char *const *argv) {
    sigset_t set, before;
    sigemptyset(&set);
    for (int i = 0; i < FORWARDED; i++)
        sigaddset(&set, forwarded[i]);
    // No signal may come between the fork and the moment that we know the child.
    sigprocmask(SIG_BLOCK, &set, &before);
    struct sigaction action = {.sa_sigaction = forward, .sa_flags = SA_SIGINFO | SA_RESTART};
    struct sigaction old[FORWARDED];
    for (int i = 0; i < FORWARDED; i++)
        sigaction(forwarded[i], &action, &old[i]);
    pid_t process = fork();
    if (process == 0) {
        for (int i = 0; i < FORWARDED; i++)
            sigaction(forwarded[i], &old[i], NULL);
        sigprocmask(SIG_SETMASK, &before, NULL);
        execv(path, argv);
        cli_error("%s: %s", path, strerror(errno));
        _exit(127);
    }
    child = process > 0 ? process : 0;
    sigprocmask(SIG_SETMASK, &before, NULL);
    int status = -1;
    if (process < 0)
        cli_error("%s: %s", path, strerror(errno));
    else
        status = wait_for(process, argv[0]);
    child = 0;
    for (int i = 0; i < FORWARDED; i++)
        sigaction(forwarded[i], &old[i], NULL);
    return status;
}
