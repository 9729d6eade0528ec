#include "cuda/memory/returned.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/hash.h"
#include "cuda/memory/pointer.h"

// NULL: nobody asked, or the file cannot be mapped, which was said.
static struct cuda_returned *map_file(void) {
    const char *path = getenv("BANKRUN_RETURNED");
    if (!path || !*path)
        return NULL;
    const int file = open(path, O_RDWR | O_CLOEXEC);
    void *at = MAP_FAILED;
    if (file >= 0 && ftruncate(file, sizeof(struct cuda_returned)) == 0)
        at = mmap(NULL, sizeof(struct cuda_returned), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (at == MAP_FAILED)
        cuda_say("%s: what is copied back cannot be written down: %s", path, strerror(errno));
    if (file >= 0)
        close(file);
    return at == MAP_FAILED ? NULL : at;
}

static bool is_to_host(const struct cuda_state *state, const struct cuda_copy *copy) {
    if (copy->kind == CUDA_DEFAULT)
        return !cuda_allocation(state, copy->target.at) && cuda_allocation(state, copy->source.at);
    return copy->kind == CUDA_DEVICE_TO_HOST;
}

void cuda_returned_add(struct cuda_state *state, const struct cuda_copy *copy) {
    static struct cuda_returned *returned;
    static bool is_open;
    const struct cuda_place *from = &copy->source;
    uint64_t hash = 0;
    if (!is_open)
        returned = map_file();
    is_open = true;
    if (!returned || !is_to_host(state, copy))
        return;
    for (size_t z = 0; z < copy->extent.depth; z++)
        for (size_t y = 0; y < copy->extent.height; y++) {
            const uint64_t parts[2] = {
                hash, hash_bytes(from->at + (z * from->slice_rows + y) * from->pitch,
                                 copy->extent.width)};
            hash = hash_bytes(parts, sizeof parts);
        }
    returned->copies++;
    returned->bytes += copy->extent.depth * copy->extent.height * copy->extent.width;
    returned->sum += hash;
}
