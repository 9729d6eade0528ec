// Where a note is in the source, and whose it is.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "base/strbuf.h"
#include "check/notes.h"
#include "profile/recorder.h"
#include "ptx/ptx.h"

const struct ir_instruction *check_instruction(const struct check_launch *launch, uint32_t number) {
    struct ir_code code = ir_code_of(launch->kernel);
    const struct ir_instruction *found = ir_code_instruction(&code, number);
    ir_code_free(&code);
    return found;
}

void check_put_element(const struct check_launch *launch, const struct ir_variable *variable,
                       int64_t place, uint32_t bytes, struct strbuf *out) {
    char *name = profile_array_name(variable->name);
    const struct profile_elements elements = profile_find_elements(launch->kernel, variable, bytes);
    if (place >= 0 && elements.rank)
        profile_put_element(out, name, &elements, (uint64_t)place);
    else if (place % bytes == 0)
        strbuf_printf(out, "%s[%" PRId64 "]", name, place / bytes);
    else
        strbuf_printf(out, "%s%+" PRId64 " bytes", name, place);
    free(name);
}

bool check_put_shared(const struct check_launch *launch, uint64_t offset, uint32_t bytes,
                      struct strbuf *out) {
    const struct ir_variable *variable =
        ir_shared_variable_at(launch->layout, offset, launch->dynamic_shared_bytes);
    if (!variable)
        return false;
    const uint64_t place = offset - variable->offset;
    check_put_element(launch, variable, (int64_t)(place - place % bytes), bytes, out);
    return true;
}

static void split(uint64_t linear, const uint32_t size[3], uint32_t at[3]) {
    for (int i = 0; i < 3; i++) {
        const uint64_t extent = size[i] ? size[i] : 1;
        at[i] = (uint32_t)(linear % extent);
        linear /= extent;
    }
}

void check_find_instruction(const struct ir_function *kernel, uint32_t number,
                            struct profile_place *place) {
    struct ir_code code = ir_code_of(kernel);
    const struct ir_function *function = ir_code_function(&code, &number);
    ir_code_free(&code);
    if (!function)
        return;
    const struct ir_instruction *instruction = &function->instructions[number];
    const struct ir_source_place at = ir_instruction_place(function, number);
    struct strbuf mnemonic = {0};
    ptx_print_mnemonic(instruction->ptx, &mnemonic);
    place->instruction = strbuf_take(&mnemonic);
    place->function = base_demangle(at.function);
    place->file = (char *)at.file;
    place->line = at.line;
    place->column = at.column;
}

static void describe_place(const struct check_launch *launch, const struct check_at *at,
                           struct profile_place *place) {
    *place = (struct profile_place){.role = (char *)at->role, .has_thread = at->has_thread};
    if (at->instruction != EVENT_NONE)
        check_find_instruction(launch->kernel, at->instruction, place);
    if (!at->has_thread)
        return;
    split(at->block, launch->grid, place->block);
    split(at->thread, launch->block, place->thread);
}

void check_describe(const struct check_launch *launch, enum profile_check check,
                    const struct check_note *note, struct profile_finding *finding) {
    *finding = (struct profile_finding){.check = check,
                                        .kind = (char *)note->kind,
                                        .message = (char *)note->message,
                                        .help = (char *)note->help,
                                        .count = note->count,
                                        .place_count = note->at_count};
    for (unsigned i = 0; i < note->at_count; i++)
        describe_place(launch, &note->at[i], &finding->places[i]);
}

void check_free_described(struct profile_finding *finding) {
    for (size_t i = 0; i < finding->place_count; i++) {
        free(finding->places[i].function);
        free(finding->places[i].instruction);
    }
}

static void push(const struct check_launch *launch, enum profile_check check,
                 const struct check_note *note, check_say say, const void *context,
                 struct profile_findings *findings) {
    struct profile_finding finding;
    struct check_words words = {0};
    check_describe(launch, check, note, &finding);
    say(context, note, &finding, &words);
    finding.message = words.message.length ? words.message.data : finding.message;
    finding.object = words.object.length ? words.object.data : finding.object;
    finding.help = words.help.length ? words.help.data : finding.help;
    profile_push_finding(findings, &finding);
    check_free_described(&finding);
    strbuf_free(&words.message);
    strbuf_free(&words.object);
    strbuf_free(&words.help);
}

void check_push_notes(const struct check_launch *launch, enum profile_check check,
                      struct check_notes *notes, check_say say, const void *context,
                      struct profile_findings *findings) {
    for (size_t i = 0; i < notes->list.length; i++)
        push(launch, check, &notes->list.data[i], say, context, findings);
    check_free_notes(notes);
}
