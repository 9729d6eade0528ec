#include "sim/fill.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool sim_fill_parse(const char *text, struct sim_fill *fill) {
    static const char random[] = "random";
    *fill = (struct sim_fill){.seed = 1};
    if (!strcmp(text, "zero") || !strcmp(text, "pattern")) {
        fill->kind = *text == 'z' ? SIM_FILL_ZERO : SIM_FILL_PATTERN;
        return true;
    }
    if (strncmp(text, random, sizeof random - 1) != 0)
        return false;
    fill->kind = SIM_FILL_RANDOM;
    text += sizeof random - 1;
    if (!*text)
        return true;
    char *end;
    errno = 0;
    if (*text != ':' || text[1] < '0' || text[1] > '9')
        return false;
    fill->seed = strtoull(text + 1, &end, 10);
    return !*end && !errno;
}

// One round of a generator whose states are a counter: any word can be had without those before.
static uint64_t mixed(uint64_t z) {
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static void fill_randomly(uint64_t state, uint8_t *at, size_t bytes) {
    static const uint64_t step = 0x9e3779b97f4a7c15u;
    size_t i = 0;
    for (uint64_t word; i + sizeof word <= bytes; i += sizeof word) {
        word = mixed(state += step);
        memcpy(at + i, &word, sizeof word);
    }
    const uint64_t last = mixed(state + step);
    memcpy(at + i, &last, bytes - i);
}

void sim_fill_bytes(const struct sim_fill *fill, uint64_t salt, void *at, size_t bytes) {
    if (!bytes)
        return;
    if (fill->kind == SIM_FILL_RANDOM)
        fill_randomly(mixed(fill->seed ^ mixed(salt)), at, bytes);
    else
        memset(at, fill->kind == SIM_FILL_ZERO ? 0 : SIM_FILL_BYTE, bytes);
}
