#define _GNU_SOURCE // nftw
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/strbuf.h"

enum { LARGEST_REGULAR = 1 << 30 };
enum { TEMPORARY_NAMES = 100 }; // tried before giving up: leftovers of killed processes

// Reads to the end instead of trusting the size: pipes and /proc have none.
static bool read_all(int descriptor, struct strbuf *text) {
    enum { CHUNK = 64 << 10 };
    char *chunk = base_alloc(CHUNK); // the stack of a program's thread may be small
    ssize_t count;
    while ((count = read(descriptor, chunk, CHUNK)) > 0 || (count < 0 && errno == EINTR))
        if (count > 0)
            strbuf_append(text, chunk, (size_t)count);
    free(chunk);
    return count == 0;
}

// Closes the descriptor, unless there is none.
static bool read_from(int descriptor, char **data, size_t *length) {
    *data = NULL;
    *length = 0;
    if (descriptor < 0)
        return false;
    struct strbuf text = {0};
    bool ok = read_all(descriptor, &text);
    int error = errno;
    close(descriptor);
    if (!ok) {
        strbuf_free(&text);
        errno = error;
        return false;
    }
    *length = text.length;
    *data = strbuf_take(&text);
    return true;
}

bool file_read(const char *path, char **data, size_t *length) {
    return read_from(open(path, O_RDONLY | O_CLOEXEC), data, length);
}

bool file_read_regular(const char *path, char **data, size_t *length) {
    struct stat info;
    // A pipe without a writer would let open() wait, too.
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    int error = descriptor < 0 || fstat(descriptor, &info) != 0 ? errno
                : S_ISDIR(info.st_mode)                         ? EISDIR
                : !S_ISREG(info.st_mode)                        ? ESPIPE
                : info.st_size > LARGEST_REGULAR                ? EFBIG
                                                                : 0;
    if (error && descriptor >= 0)
        close(descriptor);
    errno = error;
    return read_from(error ? -1 : descriptor, data, length);
}

static bool write_all(int descriptor, const char *data, size_t length) {
    while (length) {
        ssize_t count = write(descriptor, data, length);
        if (count < 0 && errno != EINTR)
            return false;
        if (count > 0) {
            data += count;
            length -= (size_t)count;
        }
    }
    return true;
}

// A new file beside `path`, opened for writing; its name is left in `name`. -1: errno says why.
static int create_beside(const char *path, struct strbuf *name) {
    for (unsigned attempt = 0; attempt < TEMPORARY_NAMES; attempt++) {
        name->length = 0;
        strbuf_printf(name, "%s.%ld-%u.tmp", path, (long)getpid(), attempt);
        int descriptor = open(name->data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0 || errno != EEXIST)
            return descriptor;
    }
    return -1;
}

// A file that is replaced keeps its permissions.
static bool keep_mode(int descriptor, const char *path) {
    struct stat old;
    return stat(path, &old) != 0 || fchmod(descriptor, old.st_mode & 07777) == 0;
}

static bool is_special(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode);
}

// A pipe or /dev/stdout cannot be replaced by a rename.
static bool write_in_place(const char *path, const char *data, size_t length) {
    int descriptor = open(path, O_WRONLY | O_CLOEXEC);
    if (descriptor < 0)
        return false;
    bool ok = write_all(descriptor, data, length);
    int error = errno;
    if (close(descriptor) != 0 && ok)
        return false;
    errno = error;
    return ok;
}

bool file_write(const char *path, const char *data, size_t length) {
    if (is_special(path))
        return write_in_place(path, data, length);
    // A symbolic link stays one: the file that it names is replaced.
    char *target = realpath(path, NULL);
    const char *final = target ? target : path;
    struct strbuf temporary = {0};
    int descriptor = create_beside(final, &temporary);
    bool ok = descriptor >= 0;
    int error = errno;
    if (ok) {
        ok = write_all(descriptor, data, length) && keep_mode(descriptor, final);
        error = errno;
        if (close(descriptor) != 0 && ok) {
            ok = false;
            error = errno;
        }
        if (ok && rename(temporary.data, final) != 0) {
            ok = false;
            error = errno;
        }
        if (!ok)
            unlink(temporary.data);
    }
    strbuf_free(&temporary);
    free(target);
    errno = error;
    return ok;
}

char *file_private_folder(const char *parent) {
    struct strbuf path = {0};
    strbuf_printf(&path, "%s/bankrun-XXXXXX", parent);
    if (mkdtemp(path.data))
        return strbuf_take(&path);
    strbuf_free(&path);
    return NULL;
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *walk) {
    (void)info, (void)type, (void)walk;
    remove(path);
    return 0;
}

void file_remove_folder(const char *folder) {
    enum { DESCRIPTORS = 16 };
    if (folder)
        nftw(folder, remove_entry, DESCRIPTORS, FTW_DEPTH | FTW_PHYS);
}

bool file_make_folders(const char *folder) {
    char *path = base_strdup(folder);
    for (char *slash = path + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
    bool is_there = mkdir(path, 0700) == 0 || errno == EEXIST;
    free(path);
    return is_there;
}
