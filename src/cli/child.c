#include "cli/child.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/options.h"

static volatile sig_atomic_t running; // process id of the child; 0: none
static volatile sig_atomic_t is_stopping;

// A terminal sends SIGINT to the whole group, the child included; a process sends it to us alone.
static void forward(int signal, siginfo_t *info, void *context) {
    (void)context;
    int saved = errno;
    if (signal != SIGUSR1 && signal != SIGUSR2)
        is_stopping = 1;
    if (running && (info->si_code <= 0 || signal == SIGTERM || signal == SIGHUP))
        kill((pid_t)running, signal);
    errno = saved;
}

void child_stop(void) {
    is_stopping = 1;
    if (running)
        kill((pid_t)running, SIGTERM);
}

static const int forwarded[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
enum { FORWARDED = sizeof forwarded / sizeof *forwarded };

static int wait_for(struct child *child, const char *path) {
    int status;
    while (waitpid(child->pid, &status, 0) < 0)
        if (errno != EINTR) {
            cli_error("%s: %s", path, strerror(errno));
            return -1;
        }
    if (!WIFSIGNALED(status))
        return WEXITSTATUS(status);
    child->signal = WTERMSIG(status);
    if (child->signal == SIGINT)
        cli_error("%s was interrupted (SIGINT)", path);
    else
        cli_error("%s was killed by signal %d (%s)", path, child->signal, strsignal(child->signal));
    return 128 + WTERMSIG(status);
}

// What bankrun started does not outlive it, however it ends. A command is asked to end, and so
// takes along what it started itself (make does); a program is nobody's parent that would have to
// clean up.
static void end_with(pid_t bankrun, const struct child *child) {
    const int signal = child->adopts ? SIGTERM : SIGKILL;
    prctl(PR_SET_PDEATHSIG, signal);
    if (getppid() != bankrun) // it ended before that
        raise(signal);
}

int child_run(const char *path, char *const *argv, struct child *child) {
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
    is_stopping = 0;
    if (child->adopts)
        prctl(PR_SET_CHILD_SUBREAPER, 1);
    const pid_t bankrun = getpid();
    child->pid = fork();
    if (child->pid == 0) {
        for (int i = 0; i < FORWARDED; i++)
            sigaction(forwarded[i], &old[i], NULL);
        signal(SIGXFSZ, SIG_DFL); // which bankrun ignores
        sigprocmask(SIG_SETMASK, &before, NULL);
        end_with(bankrun, child);
        if (child->prepare)
            child->prepare(child->context);
        execv(path, argv);
        cli_error("%s: %s", path, strerror(errno));
        _exit(127);
    }
    running = child->pid > 0 ? child->pid : 0;
    sigprocmask(SIG_SETMASK, &before, NULL);
    int status = -1;
    if (child->pid < 0)
        cli_error("%s: %s", path, strerror(errno));
    else
        status = wait_for(child, child->name ? child->name : argv[0]);
    running = 0;
    child->is_stopping = is_stopping != 0;
    for (int i = 0; i < FORWARDED; i++)
        sigaction(forwarded[i], &old[i], NULL);
    return status;
}
