#include "base/mapping.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool read_line(const char *line, uint64_t *begin, uint64_t *end, char access[5]) {
    return sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s", begin, end, access) == 3;
}

// /proc/self/maps is sorted. A line may be longer than the buffer: what follows is no range.
bool mapping_allows(uint64_t address, uint64_t bytes, bool write) {
    FILE *maps = fopen("/proc/self/maps", "re");
    if (!maps)
        return true;
    uint64_t at = address, begin, end;
    const uint64_t past = address + bytes < address ? UINT64_MAX : address + bytes;
    char line[256], access[5];
    bool is_allowed = true;
    while (is_allowed && at < past && fgets(line, sizeof line, maps)) {
        if (!read_line(line, &begin, &end, access) || end <= at)
            continue;
        is_allowed = begin <= at && access[0] == 'r' && (!write || access[1] == 'w');
        at = end;
    }
    fclose(maps);
    return is_allowed && at >= past;
}
