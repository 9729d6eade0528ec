// Where a note is in the source, and whose it is.
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "base/strbuf.h"
#include "check/notes.h"
#include "ptx/ptx.h"

const struct ir_instruction *check_instruction(const struct check_launch *launch, uint32_t number) {
    struct ir_code code = ir_code_of(launch->kernel);
    const struct ir_instruction *found = ir_code_instruction(&code, number);
    ir_code_free(&code);
    return found;
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
    const struct ir_source_place at = ir_source_place(function, instruction->location);
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

void check_push_notes(const struct check_launch *launch, enum profile_check check,
                      const struct check_notes *notes, struct profile_findings *findings) {
    for (size_t i = 0; i < notes->list.length; i++) {
        struct profile_finding finding;
        check_describe(launch, check, &notes->list.data[i], &finding);
        profile_push_finding(findings, &finding);
        check_free_described(&finding);
    }
}
