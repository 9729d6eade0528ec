#include "profile/declared.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

struct declared {
    char *array;
    uint64_t bytes;
    struct profile_rows rows;
};

static VEC(struct declared) all;

static bool read_number(const char **at, uint64_t *number) {
    char *end;
    if (**at != ':')
        return false;
    *number = strtoull(*at + 1, &end, 10);
    const bool is_number = end > *at + 1;
    *at = end;
    return is_number;
}

static bool is_known;

bool profile_knows_rows(void) {
    return is_known;
}

bool profile_declare_rows(const char *text) {
    is_known = true;
    while (*text) {
        const size_t length = strcspn(text, ":,");
        struct declared declared = {.array = base_strndup(text, length)};
        text += length;
        const bool is_good =
            read_number(&text, &declared.bytes) && read_number(&text, &declared.rows.row_bytes) &&
            read_number(&text, &declared.rows.element_bytes) && declared.rows.row_bytes &&
            declared.rows.element_bytes && (*text == ',' || !*text);
        if (!is_good) {
            free(declared.array);
            all.length = 0;
            return false;
        }
        vec_push(&all, declared);
        text += *text == ',';
    }
    return true;
}

bool profile_declared_rows(const char *array, uint64_t bytes, unsigned n,
                           struct profile_rows *rows) {
    for (size_t i = 0; i < all.length; i++)
        if ((all.data[i].bytes == bytes || !all.data[i].bytes) &&
            !strcmp(all.data[i].array, array) && n-- == 0) {
            *rows = all.data[i].rows;
            return true;
        }
    return false;
}
