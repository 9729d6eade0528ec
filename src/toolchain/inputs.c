#define _GNU_SOURCE // memmem
#include "toolchain/inputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"

void inputs_hash_text(XXH3_state_t *state, const char *text) {
    XXH3_128bits_update(state, text, strlen(text) + 1); // the end counts: "ab" "c" is not "a" "bc"
}

// ---- Programs ---------------------------------------------------------------------------------

static char *find_in_path(const char *name) {
    const char *at = getenv("PATH");
    for (; at && *at; at += strspn(at, ":")) {
        size_t length = strcspn(at, ":");
        struct strbuf path = {0};
        strbuf_append(&path, at, length);
        strbuf_printf(&path, "/%s", name);
        char *real = access(path.data, X_OK) == 0 ? realpath(path.data, NULL) : NULL;
        strbuf_free(&path);
        if (real)
            return real;
        at += length;
    }
    return NULL;
}

char *inputs_find_program(const char *name) {
    return strchr(name, '/') ? realpath(name, NULL) : find_in_path(name);
}

// Another version of a compiler is another file.
bool inputs_hash_program(XXH3_state_t *state, const char *name) {
    struct stat status;
    char *real = inputs_find_program(name);
    bool is_there = real && stat(real, &status) == 0 && S_ISREG(status.st_mode);
    if (is_there) {
        char text[96];
        snprintf(text, sizeof text, "%lld %lld.%09ld", (long long)status.st_size,
                 (long long)status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
        inputs_hash_text(state, real);
        inputs_hash_text(state, text);
    }
    free(real);
    return is_there;
}

// ---- Files and look-ups -----------------------------------------------------------------------

static bool is_later(struct timespec time, const struct timespec *since) {
    return time.tv_sec != since->tv_sec ? time.tv_sec > since->tv_sec
                                        : time.tv_nsec > since->tv_nsec;
}

static bool was_written_after(const char *path, const struct timespec *since) {
    struct stat status;
    return stat(path, &status) != 0 || is_later(status.st_mtim, since);
}

static bool hash_file(XXH3_state_t *state, const char *path, const struct timespec *since) {
    char *data;
    size_t length;
    if (!file_read_regular(path, &data, &length))
        return false;
    XXH3_128bits_update(state, &length, sizeof length);
    XXH3_128bits_update(state, data, length);
    bool is_own = strncmp(path, "/usr/", 5) != 0;
    bool tells_time =
        is_own && (memmem(data, length, "__TIME", 6) || memmem(data, length, "__DATE__", 8));
    free(data);
    return !tells_time && !(since && was_written_after(path, since));
}

// Preprocessors pass over folders where they look for a file.
static void hash_lookup(XXH3_state_t *state, const char *path) {
    struct stat status;
    char found = stat(path, &status) != 0 ? 0 : S_ISDIR(status.st_mode) ? 1 : 2;
    XXH3_128bits_update(state, &found, sizeof found);
}

static void hash_folder(XXH3_state_t *state, const char *path) {
    struct stat status;
    struct timespec changed = {0};
    if (stat(path, &status) == 0)
        changed = status.st_mtim;
    XXH3_128bits_update(state, &changed, sizeof changed);
}

static bool hash_input(XXH3_state_t *state, const char *line, const struct timespec *since) {
    if (line[0] == '\0' || line[1] != ' ')
        return false;
    const char *path = line + 2;
    inputs_hash_text(state, line);
    switch (line[0]) {
    case 'f':
        return hash_file(state, path, since);
    case 'l':
        hash_lookup(state, path);
        return true;
    case 'd':
        hash_folder(state, path);
        return true;
    case 'p':
        if (!inputs_hash_program(state, path))
            inputs_hash_text(state, "");
        return true;
    default:
        return false;
    }
}

bool inputs_hash(XXH3_state_t *state, const char *list, const struct timespec *since) {
    struct strbuf line = {0};
    bool good = *list != '\0';
    for (const char *end; good && *list; list = end + 1) {
        end = strchr(list, '\n');
        line.length = 0;
        if (end)
            strbuf_append(&line, list, (size_t)(end - list));
        good = end && hash_input(state, strbuf_string(&line), since);
        if (!end)
            break;
    }
    strbuf_free(&line);
    return good;
}
