#include "base/kept.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define XXH_INLINE_ALL // no library of it where only this is linked
#include <xxhash.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "base/vec.h"

// ---- Keys ------------------------------------------------------------------------------------

struct kept_key {
    XXH3_state_t state;
};

struct kept_key *kept_key_begin(void) {
    struct kept_key *key = base_alloc_aligned(64, sizeof *key);
    XXH3_128bits_reset(&key->state);
    return key;
}

void kept_key_add(struct kept_key *key, const void *bytes, size_t length) {
    XXH3_128bits_update(&key->state, bytes, length);
}

void kept_key_end(struct kept_key *key, char text[KEPT_KEY]) {
    const XXH128_hash_t hash = XXH3_128bits_digest(&key->state);
    snprintf(text, KEPT_KEY, "%016llx%016llx", (unsigned long long)hash.high64,
             (unsigned long long)hash.low64);
    free(key);
}

// ---- Files -----------------------------------------------------------------------------------

static const char magic[16] = "bankrun cache 2\n";

struct stored { // stands before the data
    char magic[sizeof magic];
    XXH128_canonical_t checksum;
};
_Static_assert(sizeof(struct stored) == KEPT_CHECKSUM, "the header says how much");

static void fill_header(struct stored *header, const char *data, size_t length) {
    memcpy(header->magic, magic, sizeof magic);
    XXH128_canonicalFromHash(&header->checksum, XXH3_128bits(data, length));
}

static bool is_intact(const char *data, size_t length) {
    struct stored expected;
    if (length <= sizeof expected)
        return false;
    fill_header(&expected, data + sizeof expected, length - sizeof expected);
    return memcmp(data, &expected, sizeof expected) == 0;
}

char *kept_load(const char *path, size_t *length) {
    char *data;
    if (!file_read_regular(path, &data, length))
        return NULL;
    if (!is_intact(data, *length)) {
        free(data);
        return NULL;
    }
    utimensat(AT_FDCWD, path, NULL, 0);
    return data;
}

// What is no file is taken away: it is nothing of ours, and a FIFO would be written to and waited
// for.
bool kept_store_text(const char *path, const char *data, size_t length) {
    struct stat status;
    if (lstat(path, &status) == 0 && !S_ISREG(status.st_mode))
        unlink(path);
    return (lstat(path, &status) != 0 || S_ISREG(status.st_mode)) && file_write(path, data, length);
}

bool kept_store(const char *path, const char *data, size_t length) {
    struct stored header;
    struct strbuf text = {0};
    fill_header(&header, data, length);
    strbuf_append(&text, (const char *)&header, sizeof header);
    strbuf_append(&text, data, length);
    bool good = kept_store_text(path, text.data, text.length);
    strbuf_free(&text);
    return good;
}

// ---- What is dropped ------------------------------------------------------------------------

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

void kept_drop_oldest(const char *folder, unsigned long long most) {
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
    if (total > most)
        qsort(kept.data, kept.length, sizeof *kept.data, by_use);
    for (size_t i = 0; i < kept.length; i++) {
        if (total > most && unlink(kept.data[i].path) == 0)
            total -= kept.data[i].bytes;
        free(kept.data[i].path);
    }
    vec_free(&kept);
}
