#define _GNU_SOURCE // memfd_create
#include "base/unnamed.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

bool unnamed_file_make(struct unnamed_file *file, const char *name) {
    struct stat status;
    const int descriptor = memfd_create(name, MFD_CLOEXEC);
    if (descriptor < 0)
        return false;
    if (fstat(descriptor, &status) != 0) {
        close(descriptor);
        return false;
    }
    *file = (struct unnamed_file){
        .number = descriptor + 1, .device = status.st_dev, .inode = status.st_ino};
    return true;
}

int unnamed_file_descriptor(const struct unnamed_file *file) {
    struct stat status;
    if (file->number && fstat(file->number - 1, &status) == 0 && status.st_dev == file->device &&
        status.st_ino == file->inode)
        return file->number - 1;
    return -1;
}

bool unnamed_file_reach(struct unnamed_file *file, uint64_t bytes) {
    struct rlimit limit;
    const int descriptor = unnamed_file_descriptor(file);
    if (descriptor < 0) {
        errno = EBADF;
        return false;
    }
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        bytes > limit.rlim_cur) {
        errno = EFBIG;
        return false;
    }
    if (bytes <= file->bytes)
        return true;
    if (ftruncate(descriptor, (off_t)bytes) != 0)
        return false;
    file->bytes = bytes;
    return true;
}

void unnamed_file_close(struct unnamed_file *file) {
    const int descriptor = unnamed_file_descriptor(file);
    if (descriptor >= 0)
        close(descriptor);
    *file = (struct unnamed_file){0};
}
