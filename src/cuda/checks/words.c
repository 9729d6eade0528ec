// Operations and memory in words. Addresses differ from run to run: allocations have numbers.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "check/check.h"
#include "cuda/checks/checker.h"
#include "cuda/memory/pointer.h"
#include "cuda/stream/stream.h"

// `end`: behind it lies something else.
static void name_memory(const struct cuda_state *state, uint64_t address, uint64_t *base,
                        uint64_t *end, char *text, size_t size) {
    const struct check_allocation *known = check_ledger_around(state->checker->ledger, address);
    const struct sim_allocation *found = sim_find(cuda_any_sim(state), address, false);
    *base = known ? known->address : found ? found->address : address;
    *end = known ? *base + known->bytes : found ? *base + found->bytes : UINT64_MAX;
    if (known)
        snprintf(text, size, "allocation %" PRIu64 " (%" PRIu64 " bytes by %s)", known->number,
                 known->bytes, known->call);
    else if (found && found->name)
        snprintf(text, size, "the variable `%s`", found->name);
    else if (found)
        snprintf(text, size, "memory of %" PRIu64 " bytes", found->bytes);
    else
        snprintf(text, size, "memory that is gone");
}

void cuda_check_name_bytes(const struct cuda_state *state, uint64_t first, uint64_t last,
                           char text[CUDA_CHECK_TEXT]) {
    char memory[CUDA_CHECK_TEXT / 2];
    uint64_t base, end;
    name_memory(state, first, &base, &end, memory, sizeof memory);
    if (last >= end)
        snprintf(text, CUDA_CHECK_TEXT, "bytes from %" PRIu64 " on of %s, and other memory",
                 first - base, memory);
    else if (first == last)
        snprintf(text, CUDA_CHECK_TEXT, "byte %" PRIu64 " of %s", first - base, memory);
    else
        snprintf(text, CUDA_CHECK_TEXT, "bytes %" PRIu64 " to %" PRIu64 " of %s", first - base,
                 last - base, memory);
}

void cuda_check_name_stream(const struct cuda_state *state, cuda_stream stream,
                            char text[CUDA_CHECK_TEXT]) {
    if (!stream || stream == CUDA_STREAM_LEGACY)
        snprintf(text, CUDA_CHECK_TEXT, "the default stream");
    else if (stream == CUDA_STREAM_PER_THREAD)
        snprintf(text, CUDA_CHECK_TEXT, "the thread's default stream");
    else
        snprintf(text, CUDA_CHECK_TEXT, "stream %llu", cuda_stream_number(stream));
    if (state->device_count > 1)
        snprintf(text + strlen(text), CUDA_CHECK_TEXT - strlen(text), " of device %u",
                 cuda_stream_device(state, stream)->number);
}

// The only instruction that can have touched the address in this way; NULL: there are several.
static const struct check_range *range_of(const struct check_trace *trace, enum check_touch touch,
                                          uint64_t address) {
    const struct check_range *found = NULL;
    for (size_t i = 0; i < trace->ranges.length; i++) {
        const struct check_range *range = &trace->ranges.data[i];
        if (range->touch != touch || address < range->first || address > range->last)
            continue;
        if (found)
            return NULL;
        found = range;
    }
    return found;
}

void cuda_check_place(const struct check_operation *operation, const char *role,
                      enum check_touch touch, uint64_t address, struct profile_place *place) {
    const struct check_range *range = range_of(&operation->trace, touch, address);
    *place = (struct profile_place){0};
    if (range)
        check_find_instruction(range->kernel, range->instruction, place);
    else
        place->function = base_strdup(operation->what);
    place->role = (char *)role;
}

void cuda_check_free_place(struct profile_place *place) {
    free(place->function);
    free(place->instruction);
}
