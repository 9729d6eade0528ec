// Tools of the CUDA toolkit that a process starts (nvcc, ptxas, fatbinary, nvlink): programs of
// ours are started in their place, wherever they lie and however they were named, and are told
// where the tool is. Nothing else of a process changes: who looks for a toolkit by `which nvcc`
// finds it.
//
// Between vfork() and exec nothing may be allocated: all here lies on the stack.
#define _GNU_SOURCE // execvpe, dladdr, program_invocation_short_name
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/text.h"
#include "inject/inject.h"

#define INJECT_API __attribute__((visibility("default")))

extern char **environ;

typedef int (*spawn_function)(pid_t *, const char *, const posix_spawn_file_actions_t *,
                              const posix_spawnattr_t *, char *const *, char *const *);
typedef int (*execute_function)(const char *, char *const *, char *const *);

static const char *const tools[] = {"nvcc", "ptxas", "fatbinary", "nvlink"};
static const char variable[] = "BANKRUN_TOOL=";

static char folder[PATH_MAX]; // of our programs; "": not known
static spawn_function real_spawn, real_spawn_by_name;
static execute_function real_execute_by_name;

static bool is_tool(const char *name) {
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
        if (strcmp(name, tools[i]) == 0)
            return true;
    return false;
}

static void find(const char *name, void *function) {
    void *found = inject_dlsym(RTLD_NEXT, name);
    memcpy(function, &found, sizeof found);
}

void inject_find_tools(void) {
    static const char anchor;
    Dl_info own;
    find("posix_spawn", &real_spawn);
    find("posix_spawnp", &real_spawn_by_name);
    find("execvpe", &real_execute_by_name);
    const char *slash = dladdr(&anchor, &own) && own.dli_fname ? strrchr(own.dli_fname, '/') : NULL;
    if (slash)
        snprintf(folder, sizeof folder, "%.*s/standin/", (int)(slash - own.dli_fname),
                 own.dli_fname);
    // What a tool starts itself is its own.
    if (is_tool(program_invocation_short_name))
        setenv("BANKRUN_TOOL", program_invocation_short_name, 1);
}

static const char *value_of(char *const *environment, const char *name) {
    const size_t length = strlen(name);
    for (; environment && *environment; environment++)
        if (strncmp(*environment, name, length) == 0)
            return *environment + length;
    return NULL;
}

// Whether a process with this environment is one that bankrun follows, and none of a tool's own.
static bool is_followed(char *const *environment) {
    const char *preloaded = value_of(environment, "LD_PRELOAD=");
    return preloaded && strstr(preloaded, "libbankrun-inject.so") &&
           !value_of(environment, variable);
}

static bool is_program(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

// The file that a name in PATH stands for.
static bool find_in_path(const char *name, char *path) {
    const char *list = getenv("PATH");
    for (list = list ? list : "/bin:/usr/bin"; list; list = strchr(list, ':')) {
        list += *list == ':';
        const size_t length = strcspn(list, ":");
        const int written =
            snprintf(path, PATH_MAX, "%.*s%s%s", (int)length, list, length ? "/" : "./", name);
        if (written < PATH_MAX && is_program(path))
            return true;
        list += length;
        if (!*list)
            break;
    }
    return false;
}

// What is started instead.
struct standin {
    char program[PATH_MAX + 16];
    char tool[sizeof variable + PATH_MAX];
};

static bool find_standin(struct standin *standin, const char *path, bool in_path,
                         char *const *environment) {
    const char *name = path ? text_file_name(path) : NULL;
    if (!name || !is_tool(name) || !*folder || !is_followed(environment))
        return false;
    char *tool = standin->tool + strlen(variable);
    memcpy(standin->tool, variable, sizeof variable);
    if (in_path && name == path) {
        if (!find_in_path(name, tool))
            return false;
    } else if (strlen(path) >= PATH_MAX || !is_program(path)) {
        return false; // as the caller will hear
    } else {
        strcpy(tool, path);
    }
    snprintf(standin->program, sizeof standin->program, "%s%s", folder, name);
    struct stat ours, its;
    return stat(standin->program, &ours) == 0 && stat(tool, &its) == 0 &&
           (ours.st_ino != its.st_ino || ours.st_dev != its.st_dev);
}

static size_t count_of(char *const *list) {
    size_t count = 0;
    while (list && list[count])
        count++;
    return count;
}

// `made` has room for one more than there are, and NULL.
static void add_tool(char **made, char *const *environment, struct standin *standin) {
    const size_t count = count_of(environment);
    memcpy(made, environment, count * sizeof *made);
    made[count] = standin->tool;
    made[count + 1] = NULL;
}

static int execute(const char *path, char *const *argv, char *const *environment) {
    return (int)syscall(SYS_execve, path, argv, environment);
}

static int execute_standin(struct standin *standin, char *const *argv, char *const *environment) {
    char **made = __builtin_alloca((count_of(environment) + 2) * sizeof *made);
    add_tool(made, environment, standin);
    return execute(standin->program, argv, made);
}

// ---- Before the C library's
// -----------------------------------------------------------------------

INJECT_API int execve(const char *path, char *const argv[], char *const environment[]) {
    struct standin standin;
    return find_standin(&standin, path, false, environment)
               ? execute_standin(&standin, argv, environment)
               : execute(path, argv, environment);
}

INJECT_API int execv(const char *path, char *const argv[]) {
    return execve(path, argv, environ);
}

INJECT_API int execvpe(const char *name, char *const argv[], char *const environment[]) {
    struct standin standin;
    if (find_standin(&standin, name, true, environment))
        return execute_standin(&standin, argv, environment);
    if (!real_execute_by_name)
        find("execvpe", &real_execute_by_name);
    return real_execute_by_name(name, argv, environment);
}

INJECT_API int execvp(const char *name, char *const argv[]) {
    return execvpe(name, argv, environ);
}

static int spawn(spawn_function real, bool in_path, pid_t *child, const char *path,
                 const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
                 char *const argv[], char *const environment[]) {
    struct standin standin;
    if (!find_standin(&standin, path, in_path, environment))
        return real(child, path, actions, attributes, argv, environment);
    char **made = __builtin_alloca((count_of(environment) + 2) * sizeof *made);
    add_tool(made, environment, &standin);
    return real(child, standin.program, actions, attributes, argv, made);
}

INJECT_API int posix_spawn(pid_t *child, const char *path,
                           const posix_spawn_file_actions_t *actions,
                           const posix_spawnattr_t *attributes, char *const argv[],
                           char *const environment[]) {
    if (!real_spawn)
        find("posix_spawn", &real_spawn);
    return spawn(real_spawn, false, child, path, actions, attributes, argv, environment);
}

INJECT_API int posix_spawnp(pid_t *child, const char *name,
                            const posix_spawn_file_actions_t *actions,
                            const posix_spawnattr_t *attributes, char *const argv[],
                            char *const environment[]) {
    if (!real_spawn_by_name)
        find("posix_spawnp", &real_spawn_by_name);
    return spawn(real_spawn_by_name, true, child, name, actions, attributes, argv, environment);
}
