// Hash map from strings to pointers. Keys are borrowed: they must outlive the map.
#ifndef BANKRUN_BASE_MAP_H
#define BANKRUN_BASE_MAP_H

#include <stddef.h>

struct map_entry {
    const char *key; // not NUL-terminated
    size_t length;
    void *value;
};

struct map { // a zeroed struct is an empty map
    struct map_entry *entries;
    size_t count, capacity;
};

void *map_get(const struct map *map, const char *key, size_t length); // NULL when absent
void *map_get_string(const struct map *map, const char *key);
void map_put(struct map *map, const char *key, size_t length, void *value); // replaces
void map_free(struct map *map);                                             // not the values

#endif
