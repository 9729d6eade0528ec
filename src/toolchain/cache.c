#include "toolchain/cache.h"

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
#include "base/kept.h"
#include "base/strbuf.h"
#include "toolchain/inputs.h"

static const char magic[16] = "bankrun cache 2\n";

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

bool toolchain_cache_load(const struct toolchain_cache *cache, const char *path) {
    if (!cache->folder)
        return false;
    char *deps = path_of(cache, cache->key, "deps"), *list = NULL, *program = NULL, *data = NULL;
    char key[33];
    size_t length;
    bool good = file_read_regular(deps, &list, &length) && key_of_contents(cache, list, NULL, key);
    if (good) {
        program = path_of(cache, key, "program");
        data = kept_load(program, &length);
        good = data && file_write(path, data + KEPT_CHECKSUM, length - KEPT_CHECKSUM) &&
               chmod(path, 0700) == 0;
    }
    if (good)
        utimensat(AT_FDCWD, deps, NULL, 0); // the time of the last use
    free(data);
    free(program);
    free(list);
    free(deps);
    return good;
}

// ---- Storing --------------------------------------------------------------------------------

void toolchain_cache_store(const struct toolchain_cache *cache, const char *path,
                           const char *list) {
    char *data = NULL, key[33];
    size_t length;
    if (key_of_contents(cache, list, &cache->opened, key) &&
        file_read_regular(path, &data, &length)) {
        char *program = path_of(cache, key, "program");
        char *deps = path_of(cache, cache->key, "deps");
        if (kept_store(program, data, length) && kept_store_text(deps, list, strlen(list)))
            kept_drop_oldest(cache->folder, KEPT_BYTES);
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
    char *path = listing_path(folder, hash), *text = NULL;
    size_t length;
    char *data = kept_load(path, &length);
    if (data)
        text = base_strndup(data + KEPT_CHECKSUM, length - KEPT_CHECKSUM);
    free(data);
    free(path);
    return text;
}

void toolchain_cache_store_listing(const char *folder, const XXH3_state_t *hash, const char *text,
                                   size_t length) {
    if (!folder || !file_make_folders(folder))
        return;
    char *path = listing_path(folder, hash);
    if (kept_store(path, text, length))
        kept_drop_oldest(folder, KEPT_BYTES);
    free(path);
}
