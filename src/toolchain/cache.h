// Inside the toolchain: compiled programs, kept by the content of all that they were made from.
//
// A folder holds two kinds of files, both written beside their place and renamed into it:
//   <key>.deps     what a compilation depended on (inputs.h); the key covers the command line, the
//                  working folder, the compiler and the environment that it heeds
//   <key>.program  a checksum and the program; the key covers the above and the state of all inputs
#ifndef BANKRUN_TOOLCHAIN_CACHE_H
#define BANKRUN_TOOLCHAIN_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

struct toolchain_cache { // a zeroed struct is a cache that keeps nothing
    char *folder;        // NULL: nothing is kept
    char key[33];        // of the command
    char *compiler;      // as the caller named it
    struct timespec opened;
};

// `command`: all that decides what is made, except for the paths of the outputs; ends in NULL.
// `folder` is made when it is not there; NULL: no cache.
void toolchain_cache_open(struct toolchain_cache *cache, const char *folder, const char *compiler,
                          char *const *command);
void toolchain_cache_close(struct toolchain_cache *cache);

// Writes the program to `path`. False: it is not there, damaged, or a file has changed since.
bool toolchain_cache_load(const struct toolchain_cache *cache, const char *path);

// Keeps the program at `path`, made from the inputs of `list` after the cache was opened. Does
// nothing when something fails: the cache only saves time. Then drops what was not used for longest
// until `most_bytes` are left.
void toolchain_cache_store(const struct toolchain_cache *cache, const char *path, const char *list,
                           unsigned long long most_bytes);

#endif
