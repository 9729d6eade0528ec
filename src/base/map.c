// Open addressing with linear probing; the table is a power of two and at most 3/4 full.
// A slot is free when its key is NULL, so a key's pointer must not be NULL even when empty.
#include "base/map.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

enum { MAP_FIRST_CAPACITY = 16 };

static struct map_entry *find(const struct map *map, const char *key, size_t length) {
    size_t mask = map->capacity - 1;
    for (size_t at = hash_bytes(key, length) & mask;; at = (at + 1) & mask) {
        struct map_entry *entry = &map->entries[at];
        if (!entry->key)
            return entry;
        if (entry->length == length && memcmp(entry->key, key, length) == 0)
            return entry;
    }
}

void *map_get(const struct map *map, const char *key, size_t length) {
    return map->capacity ? find(map, key, length)->value : NULL;
}

void *map_get_string(const struct map *map, const char *key) {
    return map_get(map, key, strlen(key));
}

static void grow(struct map *map) {
    struct map larger = {.count = map->count,
                         .capacity = map->capacity ? map->capacity * 2 : MAP_FIRST_CAPACITY};
    larger.entries = base_alloc(larger.capacity * sizeof *larger.entries);
    for (size_t i = 0; i < map->capacity; i++) {
        const struct map_entry *entry = &map->entries[i];
        if (entry->key)
            *find(&larger, entry->key, entry->length) = *entry;
    }
    free(map->entries);
    *map = larger;
}

void map_put(struct map *map, const char *key, size_t length, void *value) {
    assert(key);
    if ((map->count + 1) * 4 > map->capacity * 3)
        grow(map);
    struct map_entry *entry = find(map, key, length);
    if (!entry->key) {
        entry->key = key;
        entry->length = length;
        map->count++;
    }
    entry->value = value;
}

void map_free(struct map *map) {
    free(map->entries);
    *map = (struct map){0};
}
