// Which blocks of a launch are run when not all are: one of each stretch of equal length, at a
// place in it that follows no pattern of the grid, and is the same in every run.
#include "sim/sample.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool sim_sample_parse(const char *text, struct sim_sample *sample) {
    char *end;
    *sample = (struct sim_sample){.is_proved = strcmp(text, "auto") == 0};
    if (sample->is_proved)
        return true;
    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    const double number = strtod(text, &end);
    if (*end == '%' && !end[1]) {
        sample->share = number / 100;
        return number > 0 && number <= 100;
    }
    sample->blocks = strtoull(text, &end, 10);
    return !*end && !errno && sample->blocks > 0;
}

uint64_t sim_sample_size(const struct sim_sample *sample, uint64_t pieces, uint64_t piece_blocks) {
    uint64_t size = pieces;
    if (sample->share > 0)
        size = (uint64_t)((double)pieces * sample->share + 0.5);
    else if (sample->blocks > 0)
        size = (sample->blocks + piece_blocks - 1) / piece_blocks;
    return size == 0 ? 1 : size < pieces ? size : pieces;
}

static uint64_t border(uint64_t n, uint64_t size, uint64_t pieces) {
    const uint64_t whole = pieces / size, rest = pieces % size;
    return n * whole + n * rest / size; // n * rest stays below 2^62: grids have at most 2^31 rows
}

uint64_t sim_sample_pick(uint64_t n, uint64_t size, uint64_t pieces) {
    const uint64_t begin = border(n, size, pieces), end = border(n + 1, size, pieces);
    uint64_t mixed = (n + 1) * 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ mixed >> 31) * 0xd1342543de82ef95u;
    return begin + (mixed >> 32) % (end - begin);
}
