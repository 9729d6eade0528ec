// Inside the toolchain: compiled programs, kept by the content of all that they were made from.
//
// A folder holds three kinds of files (base/kept.h), beside those of others (sim/native/kept.h):
//   <key>.deps     what a compilation depended on (inputs.h); the key covers the command line, the
//                  working folder, the compiler and the environment that it heeds
//   <key>.program  a checksum and the program; the key covers the above and the state of all inputs
//   <key>.listing  a checksum and what is wanted of a disassembly (disassemble.h); the key
//                  covers the code and the tools
#ifndef BANKRUN_TOOLCHAIN_CACHE_H
#define BANKRUN_TOOLCHAIN_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>
#include <xxhash.h>

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
// until KEPT_BYTES are left.
void toolchain_cache_store(const struct toolchain_cache *cache, const char *path, const char *list);

// A text of which all that it was made from is in the hash. `folder` NULL: nothing is kept. The
// caller frees what is loaded; NULL: it is not there, or damaged. Storing may come to nothing.
char *toolchain_cache_load_listing(const char *folder, const XXH3_state_t *hash);
void toolchain_cache_store_listing(const char *folder, const XXH3_state_t *hash, const char *text,
                                   size_t length);

#endif
