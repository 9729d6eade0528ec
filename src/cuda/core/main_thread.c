// The end of a program whose main thread calls pthread_exit: such a process ends when its last
// thread does. The runtime's own threads never end, and are not to count.
#define _GNU_SOURCE // gettid
#include <dirent.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "cuda/core/own_thread.h"

static pthread_key_t key; // its destructor is called at the end of the main thread
static bool has_key;

// `number`: a thread of this process, as /proc/self/task names it. Its line there has the name in
// brackets and the state behind it; Z: the main thread after its end.
static bool is_of_program(const char *number) {
    char path[64], *text;
    size_t length;
    snprintf(path, sizeof path, "/proc/self/task/%.20s/stat", number);
    if (!file_read(path, &text, &length))
        return false; // it has ended
    const char *name = strchr(text, '('), *end = strrchr(text, ')');
    bool is = name && end && strncmp(name + 1, POOL_THREADS, strlen(POOL_THREADS)) != 0 &&
              strncmp(end, ") Z", 3) != 0 && strncmp(end, ") X", 3) != 0;
    free(text);
    return is;
}

static bool program_has_threads(void) {
    DIR *threads = opendir("/proc/self/task");
    if (!threads)
        return true;
    bool has = false;
    for (const struct dirent *entry; !has && (entry = readdir(threads));)
        has = entry->d_name[0] != '.' && is_of_program(entry->d_name);
    closedir(threads);
    return has;
}

static void *wait_for_last(void *unused) {
    const struct timespec moment = {.tv_nsec = 50 * 1000 * 1000};
    (void)unused;
    while (program_has_threads())
        nanosleep(&moment, NULL);
    exit(0); // as the C library does when the last thread ends
}

// The main thread goes; who joins it does not wait for the others.
static void main_ends(void *unused) {
    cuda_own_thread(POOL_THREADS "last", wait_for_last, unused);
}

// A library that another thread loads does not hear of the main thread's end.
__attribute__((constructor)) static void watch_main(void) {
    has_key = gettid() == getpid() && pthread_key_create(&key, main_ends) == 0;
    if (has_key)
        pthread_setspecific(key, &key);
}

__attribute__((destructor)) static void forget_main(void) {
    if (has_key)
        pthread_key_delete(key);
}
