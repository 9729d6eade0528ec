// Makes the n-th call of a function fail, in one process of a run: loaded by LD_PRELOAD, told by a
// file that tests/cli/faults.py maps too. Only calls from bankrun, its libraries and what they are
// made of count, not those of the C library or of the program.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

// In the order of the names in faults.py.
enum function {
    ALLOCATE, // malloc and its family
    MAP,
    OPEN,
    WRITE,
    READ,
    CLOSE,
    RENAME,
    TRUNCATE,
    MODE,
    FLUSH, // of stdio: fopen, fflush, fclose
    FORK,
    THREAD,
    SHARE,  // shmget, shmat, memfd_create, socket
    INSIDE, // functions of the C library that allocate: setenv, realpath, opendir ...
    FUNCTIONS
};

static struct order {
    int32_t function; // that fails; -1: none does
    int32_t goes_on;  // all later calls fail, too
    int64_t at;       // which call, from 1
    _Atomic int64_t made[FUNCTIONS];
} * order; // NULL: not this process

// ---- Whose call it is ---------------------------------------------------------------------------

enum { RANGES = 64 };
static struct range { uintptr_t first, last; } ranges[RANGES];
static unsigned range_count;
static unsigned long long objects_seen;
// In the memory that each thread has from its start: asking for memory for it would be a call, too.
static __attribute__((tls_model("initial-exec"))) _Thread_local bool is_looking;

static bool is_meant(const char *path) {
    static const char *const names[] = {"bankrun", "libcuda", "libjansson"};
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0 ||
            strncmp(name, "libbankrun", strlen("libbankrun")) == 0)
            return true;
    return false;
}

static int add_object(struct dl_phdr_info *info, size_t size, void *context) {
    char program[PATH_MAX] = "";
    (void)size, (void)context;
    const char *path = info->dlpi_name;
    if (!path || !*path) {
        ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
        path = length > 0 && info->dlpi_addr ? program : "";
    }
    for (int i = 0; i < info->dlpi_phnum && is_meant(path) && range_count < RANGES; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t first = info->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_LOAD && part->p_flags & PF_X)
            ranges[range_count++] = (struct range){first, first + part->p_memsz};
    }
    return 0;
}

static int count_objects(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size;
    *(unsigned long long *)context = info->dlpi_adds;
    return 1;
}

static bool is_known(uintptr_t address) {
    for (unsigned i = 0; i < range_count; i++)
        if (address >= ranges[i].first && address < ranges[i].last)
            return true;
    return false;
}

static bool is_ours(const void *caller) {
    unsigned long long objects = 0;
    if (is_known((uintptr_t)caller))
        return true;
    dl_iterate_phdr(count_objects, &objects);
    if (objects == objects_seen)
        return false;
    objects_seen = objects;
    range_count = 0;
    dl_iterate_phdr(add_object, NULL);
    return is_known((uintptr_t)caller);
}

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("FAULTS_ORDER"), *process = getenv("FAULTS_PROCESS");
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    const char *slash = strrchr(program, '/');
    int file = path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0 || !process || !slash || strcmp(slash + 1, process) != 0)
        return;
    void *memory =
        (void *)syscall(SYS_mmap, NULL, sizeof *order, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    syscall(SYS_close, file);
    order = memory == MAP_FAILED ? NULL : memory;
}

static bool must_fail(enum function function, const void *caller) {
    if (!order || is_looking)
        return false;
    is_looking = true;
    bool counts = is_ours(caller);
    is_looking = false;
    if (!counts)
        return false;
    int64_t call = atomic_fetch_add(&order->made[function], 1) + 1;
    return order->function == (int32_t)function &&
           (order->goes_on ? call >= order->at : call == order->at);
}

#define FAILS(function, error, result)                                                             \
    do {                                                                                           \
        if (must_fail(function, __builtin_return_address(0))) {                                    \
            errno = error;                                                                         \
            return result;                                                                         \
        }                                                                                          \
    } while (0)

// The next function of that name.
#define NEXT(name, pointer)                                                                        \
    do {                                                                                           \
        void *address = dlsym(RTLD_NEXT, name);                                                    \
        memcpy(&(pointer), &address, sizeof address);                                              \
    } while (0)

// ---- Memory -------------------------------------------------------------------------------------

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *old, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

void *malloc(size_t bytes) {
    FAILS(ALLOCATE, ENOMEM, NULL);
    return __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes) {
    FAILS(ALLOCATE, ENOMEM, NULL);
    return __libc_calloc(count, bytes);
}

void *realloc(void *old, size_t bytes) {
    FAILS(ALLOCATE, ENOMEM, NULL);
    return __libc_realloc(old, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes) {
    FAILS(ALLOCATE, ENOMEM, NULL);
    return __libc_memalign(alignment, bytes);
}

int posix_memalign(void **memory, size_t alignment, size_t bytes) {
    FAILS(ALLOCATE, ENOMEM, ENOMEM);
    *memory = __libc_memalign(alignment, bytes);
    return *memory ? 0 : ENOMEM;
}

void *mmap(void *address, size_t bytes, int protection, int flags, int file, off_t offset) {
    FAILS(MAP, ENOMEM, MAP_FAILED);
    return (void *)syscall(SYS_mmap, address, bytes, protection, flags, file, offset);
}

int shmget(int key, size_t bytes, int flags) {
    FAILS(SHARE, ENOSPC, -1);
    return (int)syscall(SYS_shmget, key, bytes, flags);
}

void *shmat(int id, const void *address, int flags) {
    FAILS(SHARE, ENOMEM, (void *)-1);
    return (void *)syscall(SYS_shmat, id, address, flags);
}

int memfd_create(const char *name, unsigned flags) {
    FAILS(SHARE, EMFILE, -1);
    return (int)syscall(SYS_memfd_create, name, flags);
}

int socket(int domain, int type, int protocol) {
    FAILS(SHARE, EMFILE, -1);
    return (int)syscall(SYS_socket, domain, type, protocol);
}

// ---- Files --------------------------------------------------------------------------------------

int open(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    unsigned mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, unsigned) : 0;
    va_end(arguments);
    FAILS(OPEN, EMFILE, -1);
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

ssize_t write(int file, const void *data, size_t bytes) {
    FAILS(WRITE, ENOSPC, -1);
    return syscall(SYS_write, file, data, bytes);
}

ssize_t read(int file, void *data, size_t bytes) {
    FAILS(READ, EIO, -1);
    return syscall(SYS_read, file, data, bytes);
}

int close(int file) {
    syscall(SYS_close, file);
    FAILS(CLOSE, EIO, -1);
    return 0;
}

int rename(const char *from, const char *to) {
    FAILS(RENAME, ENOSPC, -1);
    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int ftruncate(int file, off_t bytes) {
    FAILS(TRUNCATE, ENOSPC, -1);
    return (int)syscall(SYS_ftruncate, file, bytes);
}

int truncate(const char *path, off_t bytes) {
    FAILS(TRUNCATE, ENOSPC, -1);
    return (int)syscall(SYS_truncate, path, bytes);
}

int fchmod(int file, mode_t mode) {
    FAILS(MODE, EPERM, -1);
    return (int)syscall(SYS_fchmod, file, mode);
}

FILE *fopen(const char *path, const char *mode) {
    FILE *(*next)(const char *, const char *);
    FAILS(FLUSH, EMFILE, NULL);
    NEXT("fopen", next);
    return next(path, mode);
}

int fflush(FILE *file) {
    int (*next)(FILE *);
    FAILS(FLUSH, ENOSPC, EOF);
    NEXT("fflush", next);
    return next(file);
}

int fclose(FILE *file) {
    int (*next)(FILE *);
    NEXT("fclose", next);
    int result = next(file);
    FAILS(FLUSH, ENOSPC, EOF);
    return result;
}

// The C library has each of these under a second name, for large files.
#define LARGE(name, type, parameters) extern type name##64 parameters __attribute__((alias(#name)))
LARGE(mmap, void *, (void *, size_t, int, int, int, off_t));
LARGE(open, int, (const char *, int, ...));
LARGE(ftruncate, int, (int, off_t));
LARGE(truncate, int, (const char *, off_t));
LARGE(fopen, FILE *, (const char *, const char *));

int setenv(const char *name, const char *value, int overwrites) {
    int (*next)(const char *, const char *, int);
    FAILS(INSIDE, ENOMEM, -1);
    NEXT("setenv", next);
    return next(name, value, overwrites);
}

char *realpath(const char *path, char *resolved) {
    char *(*next)(const char *, char *);
    FAILS(INSIDE, ENOMEM, NULL);
    NEXT("realpath", next);
    return next(path, resolved);
}

DIR *opendir(const char *path) {
    DIR *(*next)(const char *);
    FAILS(INSIDE, EMFILE, NULL);
    NEXT("opendir", next);
    return next(path);
}

int vasprintf(char **text, const char *format, va_list arguments) {
    int (*next)(char **, const char *, va_list);
    FAILS(INSIDE, ENOMEM, -1);
    NEXT("vasprintf", next);
    return next(text, format, arguments);
}

FILE *open_memstream(char **text, size_t *bytes) {
    FILE *(*next)(char **, size_t *);
    FAILS(INSIDE, ENOMEM, NULL);
    NEXT("open_memstream", next);
    return next(text, bytes);
}

// ---- Processes and threads ----------------------------------------------------------------------

pid_t fork(void) {
    pid_t (*next)(void);
    FAILS(FORK, EAGAIN, -1);
    NEXT("fork", next);
    return next();
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                   void *argument) {
    int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    FAILS(THREAD, EAGAIN, EAGAIN);
    NEXT("pthread_create", next);
    return next(thread, attributes, run, argument);
}
