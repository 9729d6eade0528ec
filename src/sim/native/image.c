#include "sim/native/image.h"

#include <math.h>
#include <string.h>
#include <sys/mman.h>

typedef void (*outside)(void);

#define ADDRESS(name) (outside)(name),
static const outside functions[] = {NATIVE_OUTSIDE(ADDRESS)};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static bool is_whole(const struct native_image_head *head, size_t length) {
    return head->bytes == length && head->entry >= sizeof *head && head->entry < length &&
           head->slots % 8 == 0 && head->slots <= length &&
           head->slot_count <= (length - head->slots) / 8;
}

static bool fill_slots(uint8_t *at, const struct native_image_head *head) {
    uint64_t *slots = (uint64_t *)(void *)(at + head->slots);
    for (uint64_t i = 0; i < head->slot_count; i++) {
        if (slots[i] >= FUNCTIONS)
            return false;
        slots[i] = (uint64_t)(uintptr_t)functions[slots[i]];
    }
    return true;
}

bool native_image_load(const void *bytes, size_t length, struct native_image *image) {
    struct native_image_head head;
    *image = (struct native_image){0};
    if (length < sizeof head)
        return false;
    memcpy(&head, bytes, sizeof head);
    if (!is_whole(&head, length))
        return false;
    void *at = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return false;
    memcpy(at, bytes, length);
    if (!fill_slots(at, &head) || mprotect(at, length, PROT_READ | PROT_EXEC) != 0) {
        munmap(at, length);
        return false;
    }
    __builtin___clear_cache((char *)at, (char *)at + length);
    *image = (struct native_image){at, length, (uint8_t *)at + head.entry};
    return true;
}

void native_image_free(struct native_image *image) {
    if (image->at)
        munmap(image->at, image->bytes);
    *image = (struct native_image){0};
}
