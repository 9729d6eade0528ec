#include "spread/writers.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "base/text.h"

enum { MOST = 16 };

// The least numbers of instructions, ascending, each with the first and the last block.
struct writer {
    uint32_t instruction;
    uint64_t first, last;
};

struct writers {
    uint64_t address;
    unsigned bytes;
    pthread_mutex_t lock;
    struct writer list[MOST];
    unsigned count;
};

static void *begin(void *context, unsigned worker) {
    (void)worker;
    return context;
}

static bool overlaps(const struct writers *writers, uint64_t address, uint64_t bytes) {
    return address < writers->address + writers->bytes && writers->address < address + bytes;
}

static bool is_hit(const struct writers *writers, const struct event_access *event) {
    if (event->bulk_bytes && !event->pieces)
        return overlaps(writers, event->addresses[0], event->bulk_bytes);
    for (uint64_t piece = 0; event->bulk_bytes && piece < event->bulk_bytes / EVENT_PIECE; piece++)
        if (overlaps(writers, event->addresses[0] + event->pieces[piece], EVENT_PIECE))
            return true;
    for (unsigned lane = 0; !event->bulk_bytes && lane < WARP_LANES; lane++)
        if (event->mask >> lane & 1 && overlaps(writers, event->addresses[lane], event->width))
            return true;
    return false;
}

// Lock held.
static void note(struct writers *writers, uint32_t instruction, uint64_t block) {
    unsigned at = 0;
    while (at < writers->count && writers->list[at].instruction < instruction)
        at++;
    struct writer *writer = &writers->list[at];
    if (at < writers->count && writer->instruction == instruction) {
        writer->first = block < writer->first ? block : writer->first;
        writer->last = block > writer->last ? block : writer->last;
        return;
    }
    if (at == MOST)
        return;
    writers->count += writers->count < MOST;
    memmove(writer + 1, writer, (writers->count - 1 - at) * sizeof *writer);
    *writer = (struct writer){instruction, block, block};
}

static void hear(void *state, const struct event_access *event) {
    struct writers *writers = state;
    if (event->space != SITE_GLOBAL || event->intent == EVENT_READ || !event->addresses ||
        !is_hit(writers, event))
        return;
    pthread_mutex_lock(&writers->lock);
    note(writers, event->instruction, event->block_number);
    pthread_mutex_unlock(&writers->lock);
}

static bool put_place(const struct ir_function *kernel, uint32_t instruction, uint64_t block,
                      struct strbuf *out) {
    struct ir_code code = ir_code_of(kernel);
    const struct ir_function *function = ir_code_function(&code, &instruction);
    ir_code_free(&code);
    const struct ir_source_place at =
        function ? ir_instruction_place(function, instruction) : (struct ir_source_place){0};
    if (!at.file)
        return false;
    strbuf_printf(out, "%s:%" PRIu32 " in block %" PRIu64, text_file_name(at.file), at.line, block);
    return true;
}

static bool put(const struct writers *writers, const struct ir_function *kernel,
                struct strbuf *out) {
    const struct writer *one = &writers->list[0];
    const struct writer *other = writers->count > 1 ? one + 1 : one;
    if (!writers->count)
        return false;
    if (other->first < one->first) {
        other = one;
        one = &writers->list[1];
    }
    const uint64_t block = other->first != one->first ? other->first : other->last;
    if (!put_place(kernel, one->instruction, one->first, out))
        return false;
    strbuf_puts(out, " and ");
    return put_place(kernel, other->instruction, block, out);
}

char *spread_run_watched(const struct run_launch *launch, uint64_t address, unsigned bytes,
                         const char *failure, struct sim_result *result) {
    struct writers writers = {.address = address, .bytes = bytes};
    const struct event_observer observer = {
        .context = &writers, .worker_begin = begin, .access = hear, .wants_unsited = true};
    const struct event_observer *const observers[] = {&observer}; // others there are none of
    struct run_launch again = *launch;
    struct strbuf out = {0};
    again.spread = NULL;
    again.observers = observers;
    again.observer_count = 1;
    pthread_mutex_init(&writers.lock, NULL);
    run_launch(&again, result);
    pthread_mutex_destroy(&writers.lock);
    strbuf_printf(&out, "%s: ", failure);
    if (!put(&writers, sim_kernel_function(launch->kernel), &out)) {
        out.length = 0;
        strbuf_puts(&out, failure);
    }
    return strbuf_take(&out);
}
