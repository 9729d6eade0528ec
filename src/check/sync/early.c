#include "check/sync/early.h"

#include <stdlib.h>

#include "base/alloc.h"

struct place {
    const struct ir_function *function;
    uint32_t base; // number of its first instruction
    struct ir_early_touch touch;
};

struct sync_early {
    VEC(struct place) places;
    uint32_t instructions;
    bool *heard; // of each instruction that orders something, whether it was executed
};

// Another touch of the line is there: all registers of an accumulator are read in one.
static bool is_told(const struct sync_early *early, const struct ir_code *code,
                    const struct place *place) {
    for (size_t i = 0; i < early->places.length; i++) {
        const struct place *other = &early->places.data[i];
        if (other->function != place->function ||
            other->touch.is_unfenced != place->touch.is_unfenced)
            continue;
        if (place->touch.is_unfenced
                ? sync_code_is_same_place(code, other->base + other->touch.product,
                                          place->base + place->touch.product)
                : other->touch.product == place->touch.product &&
                      sync_code_is_same_place(code, other->base + other->touch.touch,
                                              place->base + place->touch.touch))
            return true;
    }
    return false;
}

struct sync_early *sync_early_of(const struct ir_code *code) {
    struct sync_early *early = base_alloc(sizeof *early);
    for (uint32_t f = 0; f < code->count; f++) {
        const struct ir_function *function = code->functions[f];
        uint32_t count;
        struct ir_early_touch *touches = ir_early_touches(function, &count);
        for (uint32_t i = 0; i < count; i++) {
            const struct place place = {function, early->instructions, touches[i]};
            if ((touches[i].is_unfenced ||
                 ir_follows_surely(function, touches[i].product, touches[i].touch)) &&
                !is_told(early, code, &place))
                vec_push(&early->places, place);
        }
        free(touches);
        early->instructions += function->instruction_count;
    }
    if (early->places.length) {
        early->heard = base_alloc(early->instructions * sizeof *early->heard);
        return early;
    }
    sync_early_free(early);
    return NULL;
}

void sync_early_free(struct sync_early *early) {
    if (!early)
        return;
    vec_free(&early->places);
    free(early->heard);
    free(early);
}

void sync_early_hear(struct sync_early *early, uint32_t instruction) {
    if (instruction < early->instructions)
        __atomic_store_n(&early->heard[instruction], true, __ATOMIC_RELAXED);
}

// Something behind the product, whoever came to which came from there.
static bool was_executed(const struct sync_early *early, const struct place *place) {
    const struct ir_function *function = place->function;
    const struct ir_block *block = &function->blocks[ir_block_of(function, place->touch.product)];
    for (uint32_t i = 0; i < block->count; i++)
        if (early->heard[place->base + block->first + i])
            return true;
    return false;
}

static void note_unfenced(const struct place *place, struct check_notes *notes) {
    const bool has_writer = place->touch.touch != IR_NONE;
    check_note(notes,
               &(struct check_note){
                   .kind = "wgmma-not-fenced",
                   .details = {has_writer},
                   .count = 1,
                   .at = {{.role = "begins the product",
                           .instruction = place->base + place->touch.product},
                          {.role = "writes",
                           .instruction = has_writer ? place->base + place->touch.touch : 0}},
                   .at_count = has_writer ? 2 : 1});
}

static void note_touched(const struct place *place, struct check_notes *notes) {
    check_note(notes,
               &(struct check_note){.kind = "wgmma-not-waited",
                                    .count = 1,
                                    .at = {{.role = place->touch.is_written ? "writes" : "reads",
                                            .instruction = place->base + place->touch.touch},
                                           {.role = "begins the product",
                                            .instruction = place->base + place->touch.product}},
                                    .at_count = 2});
}

void sync_early_end(const struct sync_early *early, struct check_notes *notes) {
    for (size_t i = 0; i < early->places.length; i++) {
        const struct place *place = &early->places.data[i];
        if (was_executed(early, place))
            (place->touch.is_unfenced ? note_unfenced : note_touched)(place, notes);
    }
}
