#include "check/order.h"

#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "check/notes.h"
#include "check/schedule/watch.h"
#include "ptx/ptx.h"

// ---- Values ---------------------------------------------------------------------------------

// The element that holds the first byte that differs, as who wrote it sees it.
struct element {
    uint64_t address;
    unsigned bytes;
    enum ptx_type type;
};

static struct element element_of(const struct check_launch *launch,
                                 const struct check_different *different,
                                 const struct check_write *write) {
    struct element element = {different->address, 1, PTX_B8};
    const struct ir_instruction *instruction =
        write->is_known ? check_instruction(launch, write->instruction) : NULL;
    if (!instruction || !instruction->ptx->types[0])
        return element;
    const enum ptx_type type = (enum ptx_type)instruction->ptx->types[0];
    const unsigned bytes = ptx_type_bytes(type);
    const uint64_t before = different->address - write->begin;
    const uint64_t address = write->begin + before / (bytes ? bytes : 1) * bytes;
    if (bytes && address % CHECK_VALUE_BYTES + bytes <= CHECK_VALUE_BYTES &&
        address / CHECK_VALUE_BYTES == different->address / CHECK_VALUE_BYTES)
        element = (struct element){address, bytes, type};
    return element;
}

static bool is_float(enum ptx_type type) {
    return ptx_type_class(type) == PTX_CLASS_FLOAT;
}

static void print_value(struct strbuf *out, const struct element *element,
                        const uint8_t held[CHECK_VALUE_BYTES]) {
    const uint8_t *at = held + element->address % CHECK_VALUE_BYTES;
    uint64_t bits[2] = {0};
    float narrow;
    double wide;
    memcpy(bits, at, element->bytes);
    memcpy(&narrow, at, sizeof narrow < element->bytes ? sizeof narrow : element->bytes);
    memcpy(&wide, bits, sizeof wide);
    if (is_float(element->type) && element->bytes == sizeof wide)
        strbuf_printf(out, "%.17g", wide);
    else if (is_float(element->type) && element->bytes == sizeof narrow)
        strbuf_printf(out, "%.9g", (double)narrow);
    else if (ptx_type_class(element->type) == PTX_CLASS_SIGNED)
        strbuf_printf(out, "%lld",
                      (long long)(bits[0] << (64 - 8 * element->bytes)) >>
                          (64 - 8 * element->bytes));
    else if (ptx_type_class(element->type) == PTX_CLASS_UNSIGNED)
        strbuf_printf(out, "%llu", (unsigned long long)bits[0]);
    else if (element->bytes > sizeof bits[0])
        strbuf_printf(out, "0x%016llx%016llx", (unsigned long long)bits[1],
                      (unsigned long long)bits[0]);
    else
        strbuf_printf(out, "0x%0*llx", (int)(2 * element->bytes), (unsigned long long)bits[0]);
}

static void print_object(const struct check_launch *launch, const struct element *element,
                         struct strbuf *out) {
    struct check_memory memory;
    if (!launch->find_memory || !launch->find_memory(launch->context, element->address, &memory))
        return;
    const uint64_t offset = element->address - memory.address;
    if (memory.name && memory.bytes == element->bytes)
        strbuf_puts(out, memory.name);
    else if (memory.name)
        strbuf_printf(out, "%s[%llu]", memory.name, (unsigned long long)(offset / element->bytes));
    else
        strbuf_printf(out, "byte %llu of an allocation of %llu bytes", (unsigned long long)offset,
                      (unsigned long long)memory.bytes);
}

// ---- Findings -------------------------------------------------------------------------------

// Takes over the texts.
static void push(struct profile_finding *finding, bool is_note, char *message, char *help,
                 struct profile_findings *findings) {
    finding->check = PROFILE_CHECK_SCHEDULE;
    finding->count = 1;
    finding->is_note = is_note;
    finding->message = message;
    finding->help = help;
    profile_push_finding(findings, finding);
    free(message);
    free(help);
}

static char *again(uint64_t seed) {
    struct strbuf text = {0};
    strbuf_printf(&text,
                  "bankrun --schedule %llu:1 shows it again; --check race names accesses that "
                  "nothing orders",
                  (unsigned long long)seed);
    return strbuf_take(&text);
}

static struct check_at place_of(const struct check_write *write, const char *role) {
    return (struct check_at){.role = role,
                             .instruction = write->instruction,
                             .has_thread = true,
                             .thread = write->thread,
                             .block = write->block};
}

static char *message_of(const struct check_different *different, const struct element *element,
                        bool is_sum) {
    struct strbuf text = {0};
    print_value(&text, element, different->usual);
    strbuf_puts(&text, " in the usual order of warps and blocks, ");
    print_value(&text, element, different->other);
    strbuf_printf(&text, " in that of seed %llu%s; %u of %u other orders differ",
                  (unsigned long long)different->seed, is_sum ? ": atomics round each sum" : "",
                  different->count, different->runs);
    return strbuf_take(&text);
}

void check_push_different(const struct check_launch *launch,
                          const struct check_different *different, size_t index,
                          const struct check_watch *usual, const struct check_watch *other,
                          struct profile_findings *findings) {
    const struct check_write *writes[] = {check_watched(usual, index), check_watched(other, index)};
    const struct element element =
        element_of(launch, different, writes[writes[0]->is_known ? 0 : 1]);
    const bool is_sum = writes[0]->is_only_atomic && writes[1]->is_only_atomic &&
                        writes[0]->instruction == writes[1]->instruction && is_float(element.type);
    struct check_note note = {.kind = is_sum ? "order-of-sums" : "order-dependent", .count = 1};
    for (int i = 0; i < 2; i++)
        if (writes[i]->is_known)
            note.at[note.at_count++] = place_of(writes[i], i == 0 ? "writes last in the usual order"
                                                                  : "writes last in the other");
    struct profile_finding finding;
    struct strbuf object = {0};
    print_object(launch, &element, &object);
    check_describe(launch, PROFILE_CHECK_SCHEDULE, &note, &finding);
    finding.object = object.length ? object.data : NULL;
    push(&finding, is_sum, message_of(different, &element, is_sum), again(different->seed),
         findings);
    check_free_described(&finding);
    strbuf_free(&object);
}

void check_push_order_fault(uint64_t seed, unsigned count, unsigned runs, const char *message,
                            struct profile_findings *findings) {
    struct profile_finding finding = {.kind = (char *)"order-dependent"};
    struct strbuf text = {0};
    strbuf_printf(&text, "the kernel faults in %u of %u other orders; in that of seed %llu: %s",
                  count, runs, (unsigned long long)seed, message ? message : "it failed");
    push(&finding, false, strbuf_take(&text), again(seed), findings);
}

void check_push_order_endless(uint64_t seed, unsigned count, unsigned runs, uint64_t instructions,
                              struct profile_findings *findings) {
    struct profile_finding finding = {.kind = (char *)"order-not-tried"};
    struct strbuf text = {0};
    strbuf_printf(&text,
                  "the kernel was given up after %llu warp instructions in %u of %u other orders, "
                  "that of seed %llu among them",
                  (unsigned long long)instructions, count, runs, (unsigned long long)seed);
    push(&finding, true, strbuf_take(&text), NULL, findings);
}

void check_push_order_untried(const char *why, struct profile_findings *findings) {
    struct profile_finding finding = {.kind = (char *)"order-not-tried"};
    struct strbuf text = {0};
    strbuf_printf(&text, "the kernel was run in no other order: it %s", why);
    push(&finding, true, strbuf_take(&text), NULL, findings);
}
