#include "cli/others.h"

#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/vec.h"

struct other {
    pid_t pid, parent, session;
    char name[32];
    bool is_ours, is_over;
};
typedef VEC(struct other) other_list;

// "123 (name) S 1 ...": the name may hold anything.
static bool parse(const char *text, struct other *other) {
    const char *open = strchr(text, '('), *close = strrchr(text, ')');
    int pid, parent, session;
    char state;
    if (!open || !close || sscanf(text, "%d", &pid) != 1 ||
        sscanf(close + 1, " %c %d %*d %d", &state, &parent, &session) != 3)
        return false;
    *other = (struct other){
        .pid = pid, .parent = parent, .session = session, .is_over = state == 'Z' || state == 'X'};
    snprintf(other->name, sizeof other->name, "%.*s", (int)(close - open - 1), open + 1);
    return true;
}

// False: nothing can be seen there.
static bool read_all(other_list *list) {
    DIR *folder = opendir("/proc");
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        char path[300], *text;
        size_t length;
        struct other other;
        if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
            continue;
        snprintf(path, sizeof path, "/proc/%s/stat", entry->d_name);
        if (!file_read(path, &text, &length))
            continue;
        if (parse(text, &other))
            vec_push(list, other);
        free(text);
    }
    if (folder)
        closedir(folder);
    return list->length > 0;
}

static bool is_ours(const other_list *list, pid_t pid) {
    for (size_t i = 0; i < list->length; i++)
        if (list->data[i].pid == pid)
            return list->data[i].is_ours;
    return pid == getpid();
}

static void find_ours(other_list *list) {
    bool has_new = true;
    while (has_new) {
        has_new = false;
        for (size_t i = 0; i < list->length; i++) {
            struct other *other = &list->data[i];
            if (!other->is_ours && (other->parent == getpid() || is_ours(list, other->parent)))
                has_new = other->is_ours = true;
        }
    }
}

static bool is_known(pid_t pid, const pid_t *known, size_t count) {
    while (count > 0)
        if (known[--count] == pid)
            return true;
    return false;
}

void others_list(const pid_t *known, size_t count, struct strbuf *names) {
    other_list list = {0};
    siginfo_t info;
    while (waitpid(-1, NULL, WNOHANG) > 0)
        continue;
    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0) // there are no children
        return;
    if (!read_all(&list))
        strbuf_puts(names, "processes that /proc does not show");
    find_ours(&list);
    for (size_t i = 0; i < list.length; i++) {
        const struct other *other = &list.data[i];
        if (other->is_ours && !other->is_over && other->session == getsid(0) &&
            !is_known(other->pid, known, count))
            strbuf_printf(names, "%s%d (%s)", names->length ? ", " : "", (int)other->pid,
                          other->name);
    }
    vec_free(&list);
}
