// Files by which programs tell that a machine has a GPU: /dev/nvidia0 and its like, and what the
// kernel's driver says of itself. They seem to be there in followed processes. Who asks whether
// they are is told of the devices' nodes; who opens one wants to speak to a driver in the kernel,
// which nobody simulates, and is refused. Folders are listed as they are.
#undef _FILE_OFFSET_BITS // which has the names mean others
#undef _FORTIFY_SOURCE   // which defines some of them, too
#define _GNU_SOURCE      // RTLD_NEXT, memfd_create, statx
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/say.h"
#include "inject/inject.h"
#include "toolchain/driver.h"

// Sanitizers open files before they have set themselves up.
#define EARLY __attribute__((visibility("default"), no_sanitize("address", "thread", "undefined")))

enum { MAJOR = 195, MINOR_CONTROL = 255, MAJOR_UVM = 238 };

static const char driver_file[] = "/proc/driver/nvidia/version";

struct node {
    bool is_file; // that can be read; else a device
    unsigned major, minor;
};

// The C library's functions, or a sanitizer's.
static struct {
    int (*stat)(const char *, struct stat *), (*lstat)(const char *, struct stat *);
    int (*fstatat)(int, const char *, struct stat *, int);
    int (*statx)(int, const char *, int, unsigned, struct statx *);
    int (*access)(const char *, int), (*faccessat)(int, const char *, int, int);
    int (*open)(const char *, int, ...), (*openat)(int, const char *, int, ...);
    FILE *(*fopen)(const char *, const char *);
    bool is_ready;
} next;

__attribute__((no_sanitize("address", "thread", "undefined"))) static void find(const char *name,
                                                                                void *function) {
    void *found = inject_dlsym(RTLD_NEXT, name);
    memcpy(function, &found, sizeof found);
}

// Here before a signal's handler or a child of vfork() could need one.
__attribute__((no_sanitize("address", "thread", "undefined"))) void inject_find_files(void) {
    if (next.is_ready)
        return;
    find("stat", &next.stat);
    find("lstat", &next.lstat);
    find("fstatat", &next.fstatat);
    find("statx", &next.statx);
    find("access", &next.access);
    find("faccessat", &next.faccessat);
    find("open", &next.open);
    find("openat", &next.openat);
    find("fopen", &next.fopen);
    next.is_ready = true;
}

// ---- What seems to be there -------------------------------------------------------------------

static unsigned long device_count(void) {
    const char *count = getenv("BANKRUN_DEVICES");
    return count ? strtoul(count, NULL, 10) : 1;
}

__attribute__((no_sanitize("address", "thread", "undefined"))) static bool
is_node(const char *path, struct node *node) {
    static const char prefix[] = "/dev/nvidia";
    inject_find_files();
    if (!path || path[0] != '/' || (path[1] != 'd' && path[1] != 'p'))
        return false;
    *node = (struct node){.is_file = strcmp(path, driver_file) == 0};
    if (node->is_file)
        return true;
    if (strncmp(path, prefix, sizeof prefix - 1) != 0)
        return false;
    const char *rest = path + sizeof prefix - 1;
    node->major = MAJOR;
    node->minor = MINOR_CONTROL;
    if (strcmp(rest, "ctl") == 0)
        return true;
    if (strcmp(rest, "-uvm") == 0) {
        node->major = MAJOR_UVM;
        node->minor = 0;
        return true;
    }
    char *end;
    if (rest[0] < '0' || rest[0] > '9' || (rest[0] == '0' && rest[1]))
        return false;
    const unsigned long number = strtoul(rest, &end, 10);
    node->minor = (unsigned)number;
    return !*end && number < device_count();
}

static int describe(const struct node *node, struct stat *to) {
    *to = (struct stat){.st_nlink = 1, .st_blksize = 4096};
    to->st_mode = node->is_file ? S_IFREG | 0444 : S_IFCHR | 0666;
    if (!node->is_file)
        to->st_rdev = makedev(node->major, node->minor);
    return 0;
}

static int describe_x(const struct node *node, struct statx *to) {
    *to = (struct statx){.stx_mask = STATX_BASIC_STATS, .stx_nlink = 1, .stx_blksize = 4096};
    to->stx_mode = node->is_file ? S_IFREG | 0444 : S_IFCHR | 0666;
    to->stx_rdev_major = node->major;
    to->stx_rdev_minor = node->minor;
    return 0;
}

static int may_access(const struct node *node, int how) {
    if (!(how & X_OK) && !(node->is_file && how & W_OK))
        return 0;
    errno = EACCES;
    return -1;
}

// What the driver's version file says. -1: errno says why not.
static int open_node(const char *path, const struct node *node, int flags) {
    static bool was_said;
    if (node->is_file && (flags & O_ACCMODE) == O_RDONLY) {
        static const char text[] =
            "NVRM version: NVIDIA UNIX x86_64 Kernel Module  " TOOLCHAIN_DRIVER
            "  (simulated by bankrun)\n";
        const int file = memfd_create("nvidia-version", flags & O_CLOEXEC ? MFD_CLOEXEC : 0);
        if (file < 0)
            return -1;
        if (write(file, text, sizeof text - 1) == (ssize_t)sizeof text - 1 &&
            lseek(file, 0, SEEK_SET) == 0)
            return file;
        close(file);
        errno = EIO;
        return -1;
    }
    const char *quiet = getenv("BANKRUN_QUIET");
    if (!node->is_file && !(quiet && *quiet == '1') &&
        !__atomic_exchange_n(&was_said, true, __ATOMIC_RELAXED)) // who asks may have another way
        say(stderr, "%s cannot be opened: no driver in the kernel is simulated", path);
    errno = node->is_file ? EACCES : ENODEV;
    return -1;
}

// ---- The C library's functions ----------------------------------------------------------------

#define ASKS(result, name, parameters, path, answer, forward)                                      \
    EARLY result name parameters;                                                                  \
    result name parameters {                                                                       \
        struct node node;                                                                          \
        return is_node(path, &node) ? (answer) : (forward);                                        \
    }

ASKS(int, stat, (const char *path, struct stat *to), path, describe(&node, to), next.stat(path, to))
ASKS(int, lstat, (const char *path, struct stat *to), path, describe(&node, to),
     next.lstat(path, to))
ASKS(int, fstatat, (int at, const char *path, struct stat *to, int flags), path,
     describe(&node, to), next.fstatat(at, path, to, flags))
ASKS(int, statx, (int at, const char *path, int flags, unsigned mask, struct statx *to), path,
     describe_x(&node, to), next.statx(at, path, flags, mask, to))
ASKS(int, access, (const char *path, int how), path, may_access(&node, how), next.access(path, how))
ASKS(int, faccessat, (int at, const char *path, int how, int flags), path, may_access(&node, how),
     next.faccessat(at, path, how, flags))

static bool is_for_reading(const char *mode) {
    return mode[0] == 'r' && !strchr(mode, '+');
}

static FILE *open_stream(const char *path, const struct node *node, const char *mode) {
    const int flags =
        (is_for_reading(mode) ? O_RDONLY : O_RDWR) | (strchr(mode, 'e') ? O_CLOEXEC : 0);
    const int file = open_node(path, node, flags);
    return file < 0 ? NULL : fdopen(file, "r");
}

ASKS(FILE *, fopen, (const char *path, const char *mode), path, open_stream(path, &node, mode),
     next.fopen(path, mode))

// With the permissions of a file that it makes.
#define OPENS(name, parameters, last, path, flags, forward)                                        \
    EARLY int name parameters;                                                                     \
    int name parameters {                                                                          \
        struct node node;                                                                          \
        mode_t mode = 0;                                                                           \
        if ((flags) & (O_CREAT | __O_TMPFILE)) {                                                   \
            va_list arguments;                                                                     \
            va_start(arguments, last);                                                             \
            mode = va_arg(arguments, mode_t);                                                      \
            va_end(arguments);                                                                     \
        }                                                                                          \
        return is_node(path, &node) ? open_node(path, &node, flags) : (forward);                   \
    }

OPENS(open, (const char *path, int flags, ...), flags, path, flags, next.open(path, flags, mode))
OPENS(openat, (int at, const char *path, int flags, ...), flags, path, flags,
      next.openat(at, path, flags, mode))

// ---- Their other names ------------------------------------------------------------------------

// The same where a file's length has 64 bits anyway.
__asm__(".globl stat64, lstat64, fstatat64, open64, openat64, fopen64\n"
        ".set stat64, stat\n"
        ".set lstat64, lstat\n"
        ".set fstatat64, fstatat\n"
        ".set open64, open\n"
        ".set openat64, openat\n"
        ".set fopen64, fopen\n");

// Of programs that were built for older C libraries, and of those whose builds check arguments.
#define ALSO(name, parameters, call)                                                               \
    EARLY int name parameters;                                                                     \
    int name parameters {                                                                          \
        return call;                                                                               \
    }
ALSO(__open_2, (const char *path, int flags), open(path, flags))
ALSO(__open64_2, (const char *path, int flags), open(path, flags))
ALSO(__openat_2, (int at, const char *path, int flags), openat(at, path, flags))
ALSO(__openat64_2, (int at, const char *path, int flags), openat(at, path, flags))
#if defined __x86_64__ // elsewhere the version counts
ALSO(__xstat, (int version, const char *path, struct stat *to), ((void)version, stat(path, to)))
ALSO(__xstat64, (int version, const char *path, struct stat *to), ((void)version, stat(path, to)))
ALSO(__lxstat, (int version, const char *path, struct stat *to), ((void)version, lstat(path, to)))
ALSO(__lxstat64, (int version, const char *path, struct stat *to), ((void)version, lstat(path, to)))
ALSO(__fxstatat, (int version, int at, const char *path, struct stat *to, int flags),
     ((void)version, fstatat(at, path, to, flags)))
ALSO(__fxstatat64, (int version, int at, const char *path, struct stat *to, int flags),
     ((void)version, fstatat(at, path, to, flags)))
#endif
