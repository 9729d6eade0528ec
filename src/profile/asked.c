// Keeps requests that differ, and counts those that do not. See asked.h.
#include "profile/asked.h"

#include <string.h>

#include "profile/key.h"

bool asked_add(struct asked_list *list, uint32_t mask, const uint32_t *offsets, uint32_t base) {
    struct event_shape key = {.mask = mask};
    for (int l = 0; l < WARP_LANES; l++)
        key.lanes[l] = mask >> l & 1 ? offsets[l] - base : 0;
    uint32_t at = key_hash(&key) >> 22;
    for (; list->slots[at]; at = (at + 1) % ASKED_SLOTS) {
        struct asked_request *known = &list->requests.data[list->slots[at] - 1];
        if (known->mask == mask && !memcmp(known->offsets, key.lanes, sizeof known->offsets)) {
            known->count++;
            return ++list->total < ASKED_MOST;
        }
    }
    struct asked_request request = {.mask = mask, .count = 1};
    memcpy(request.offsets, key.lanes, sizeof request.offsets);
    vec_push(&list->requests, request);
    list->slots[at] = (uint16_t)list->requests.length;
    return ++list->total < ASKED_MOST;
}
