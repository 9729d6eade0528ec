#include "toolchain/cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "toolchain/inputs.h"

static const char magic[16] = "bankrun cache 2\n";

struct stored { // stands before the program
    char magic[sizeof magic];
    XXH128_canonical_t checksum;
};

// Variables that change what the compiler makes.
static const char *const variables[] = {"NVCC_PREPEND_FLAGS",
                                        "NVCC_APPEND_FLAGS",
                                        "NVCC_CCBIN",
                                        "PATH",
                                        "COMPILER_PATH",
                                        "GCC_EXEC_PREFIX",
                                        "CPATH",
                                        "C_INCLUDE_PATH",
                                        "CPLUS_INCLUDE_PATH",
                                        "LIBRARY_PATH",
                                        "SOURCE_DATE_EPOCH"};

static void write_key(const XXH3_state_t *state, char key[33]) {
    XXH128_hash_t hash = XXH3_128bits_digest(state);
    snprintf(key, 33, "%016llx%016llx", (unsigned long long)hash.high64,
             (unsigned long long)hash.low64);
}

// ---- The key of the command -----------------------------------------------------------------

void toolchain_cache_open(struct toolchain_cache *cache, const char *folder, const char *compiler,
                          char *const *command) {
    *cache = (struct toolchain_cache){0};
    char working[4096];
    XXH3_state_t *state = folder ? XXH3_createState() : NULL;
    if (!state)
        return;
    XXH3_128bits_reset(state);
    if (inputs_hash_program(state, compiler) && getcwd(working, sizeof working) &&
        file_make_folders(folder)) {
        XXH3_128bits_update(state, magic, sizeof magic);
        inputs_hash_text(state, working);
        for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
            const char *value = getenv(variables[i]);
            inputs_hash_text(state, value ? value : "");
        }
        for (; *command; command++)
            inputs_hash_text(state, *command);
        write_key(state, cache->key);
        cache->folder = base_strdup(folder);
        cache->compiler = base_strdup(compiler);
        clock_gettime(CLOCK_REALTIME, &cache->opened); // never behind the clock of files
    }
    XXH3_freeState(state);
}

void toolchain_cache_close(struct toolchain_cache *cache) {
    free(cache->folder);
    free(cache->compiler);
    *cache = (struct toolchain_cache){0};
}

static char *path_of(const struct toolchain_cache *cache, const char *key, const char *kind) {
    struct strbuf path = {0};
    strbuf_printf(&path, "%s/%s.%s", cache->folder, key, kind);
    return strbuf_take(&path);
}

// ---- The key of the contents ----------------------------------------------------------------

// Of the list of inputs; see inputs_hash.
static bool key_of_contents(const struct toolchain_cache *cache, const char *list,
                            const struct timespec *since, char key[33]) {
    XXH3_state_t *state = XXH3_createState();
    if (!state)
        return false;
    XXH3_128bits_reset(state);
    inputs_hash_text(state, cache->key);
    bool good = inputs_hash(state, list, since);
    if (good)
        write_key(state, key);
    XXH3_freeState(state);
    return good;
}

// ---- Loading --------------------------------------------------------------------------------

static bool is_intact(const char *data, size_t length) {
    struct stored header;
    if (length <= sizeof header)
        return false;
    memcpy(&header, data, sizeof header);
    XXH128_canonical_t checksum;
    XXH128_canonicalFromHash(&checksum, XXH3_128bits(data + sizeof header, length - sizeof header));
    return memcmp(header.magic, magic, sizeof magic) == 0 &&
           memcmp(&header.checksum, &checksum, sizeof checksum) == 0;
}

bool toolchain_cache_load(const struct toolchain_cache *cache, const char *path) {
    if (!cache->folder)
        return false;
    char *deps = path_of(cache, cache->key, "deps"), *list = NULL, *program = NULL, *data = NULL;
    char key[33];
    size_t length;
    bool good = file_read_regular(deps, &list, &length) && key_of_contents(cache, list, NULL, key);
    if (good) {
        program = path_of(cache, key, "program");
        good = file_read_regular(program, &data, &length) && is_intact(data, length) &&
               file_write(path, data + sizeof(struct stored), length - sizeof(struct stored)) &&
               chmod(path, 0700) == 0;
    }
    if (good) { // the time of the last use
        utimensat(AT_FDCWD, deps, NULL, 0);
        utimensat(AT_FDCWD, program, NULL, 0);
    }
    free(data);
    free(program);
    free(list);
    free(deps);
    return good;
}

// ---- Storing --------------------------------------------------------------------------------

struct kept {
    char *path;
    struct timespec used;
    unsigned long long bytes;
};

static int by_use(const void *a, const void *b) {
    const struct timespec *x = &((const struct kept *)a)->used,
                          *y = &((const struct kept *)b)->used;
    if (x->tv_sec != y->tv_sec)
        return x->tv_sec < y->tv_sec ? -1 : 1;
    return x->tv_nsec < y->tv_nsec ? -1 : x->tv_nsec > y->tv_nsec;
}

static void drop_oldest(const char *folder) {
    DIR *entries = opendir(folder);
    VEC(struct kept) kept = {0};
    unsigned long long total = 0;
    for (const struct dirent *entry; entries && (entry = readdir(entries));) {
        struct strbuf path = {0};
        struct stat status;
        strbuf_printf(&path, "%s/%s", folder, entry->d_name);
        if (stat(path.data, &status) == 0 && S_ISREG(status.st_mode)) {
            struct kept file = {strbuf_take(&path), status.st_mtim,
                                (unsigned long long)status.st_size};
            total += file.bytes;
            vec_push(&kept, file);
        }
        strbuf_free(&path);
    }
    if (entries)
        closedir(entries);
    if (total > TOOLCHAIN_CACHE_BYTES)
        qsort(kept.data, kept.length, sizeof *kept.data, by_use);
    for (size_t i = 0; i < kept.length; i++) {
        if (total > TOOLCHAIN_CACHE_BYTES && unlink(kept.data[i].path) == 0)
            total -= kept.data[i].bytes;
        free(kept.data[i].path);
    }
    vec_free(&kept);
}

// What is no file is taken away: it is nothing of ours, and a FIFO would be written to and waited
// for.
static bool write_entry(const char *path, const char *data, size_t length) {
    struct stat status;
    if (lstat(path, &status) == 0 && !S_ISREG(status.st_mode))
        unlink(path);
    return (lstat(path, &status) != 0 || S_ISREG(status.st_mode)) && file_write(path, data, length);
}

static bool write_checked(const char *path, const char *data, size_t length) {
    struct stored header;
    struct strbuf text = {0};
    memcpy(header.magic, magic, sizeof magic);
    XXH128_canonicalFromHash(&header.checksum, XXH3_128bits(data, length));
    strbuf_append(&text, (const char *)&header, sizeof header);
    strbuf_append(&text, data, length);
    bool good = write_entry(path, text.data, text.length);
    strbuf_free(&text);
    return good;
}

void toolchain_cache_store(const struct toolchain_cache *cache, const char *path,
                           const char *list) {
    char *data = NULL, key[33];
    size_t length;
    if (key_of_contents(cache, list, &cache->opened, key) &&
        file_read_regular(path, &data, &length)) {
        char *program = path_of(cache, key, "program");
        char *deps = path_of(cache, cache->key, "deps");
        if (write_checked(program, data, length) && write_entry(deps, list, strlen(list)))
            drop_oldest(cache->folder);
        free(deps);
        free(program);
    }
    free(data);
}

// ---- Listings -------------------------------------------------------------------------------

static char *listing_path(const char *folder, const XXH3_state_t *hash) {
    const struct toolchain_cache cache = {.folder = (char *)folder};
    char key[33];
    write_key(hash, key);
    return path_of(&cache, key, "listing");
}

char *toolchain_cache_load_listing(const char *folder, const XXH3_state_t *hash) {
    if (!folder)
        return NULL;
    char *path = listing_path(folder, hash), *data = NULL, *text = NULL;
    size_t length;
    if (file_read_regular(path, &data, &length) && is_intact(data, length)) {
        text = base_strndup(data + sizeof(struct stored), length - sizeof(struct stored));
        utimensat(AT_FDCWD, path, NULL, 0); // the time of the last use
    }
    free(data);
    free(path);
    return text;
}

void toolchain_cache_store_listing(const char *folder, const XXH3_state_t *hash, const char *text,
                                   size_t length) {
    if (!folder || !file_make_folders(folder))
        return;
    char *path = listing_path(folder, hash);
    if (write_checked(path, text, length))
        drop_oldest(folder);
    free(path);
}
