// The blocks that a kernel is looked at for: what is asked for, what the kernel is declared for, or
// what is usual.
#include <string.h>

#include "cli/prove.h"
#include "ptx/ptx.h"

const char *const prove_choice_text[] = {
    [PROVE_ASKED] = "asked",
    [PROVE_REQUIRED] = "required",
    [PROVE_DECLARED] = "declared",
    [PROVE_USUAL] = "usual",
};

// In how many axes the kernel asks where a thread is.
static unsigned axes_of(const struct ir_function *kernel) {
    unsigned axes = 1;
    uint32_t count;
    const struct ir_function **functions = ir_reachable(kernel, &count);
    for (uint32_t f = 0; f < count; f++)
        for (uint32_t i = 0; i < functions[f]->instruction_count; i++)
            for (uint32_t o = 0; o < functions[f]->instructions[i].operand_count; o++) {
                const struct ir_operand *operand = &functions[f]->instructions[i].operands[o];
                const unsigned axis = operand->kind != IR_OPERAND_SREG  ? 1
                                      : operand->sreg == PTX_SREG_tid_z ? 3
                                      : operand->sreg == PTX_SREG_tid_y ? 2
                                                                        : 1;
                axes = axis > axes ? axis : axes;
            }
    free(functions);
    return axes;
}

static uint32_t threads_of(const uint32_t block[3]) {
    return block[0] * (block[1] ? block[1] : 1) * (block[2] ? block[2] : 1);
}

static void add(struct prove_shape shapes[PROVE_SHAPES], size_t *count, uint32_t x, uint32_t y,
                uint32_t z) {
    const struct prove_shape shape = {{x, y, z}};
    for (size_t i = 0; i < *count; i++)
        if (!memcmp(&shapes[i], &shape, sizeof shape))
            return;
    if (*count < PROVE_SHAPES)
        shapes[(*count)++] = shape;
}

// A kernel that is declared for so many threads says nothing of their axes.
static void add_declared(struct prove_shape shapes[PROVE_SHAPES], size_t *count, unsigned axes,
                         uint32_t threads) {
    const uint32_t warps = threads / 32;
    if (axes == 1 || !warps) {
        add(shapes, count, threads, 1, 1);
        return;
    }
    if (axes == 3) {
        add(shapes, count, threads % 64 ? threads : 8, threads % 64 ? 1 : 8,
            threads % 64 ? 1 : threads / 64);
        return;
    }
    add(shapes, count, 32, warps, 1);
    for (uint32_t side = 8; side <= 32; side *= 2)
        if (side * side == threads)
            add(shapes, count, side, side, 1);
}

static void add_smaller(struct prove_shape shapes[PROVE_SHAPES], size_t *count, unsigned axes) {
    if (axes > 2)
        return;
    if (axes == 2)
        add(shapes, count, 8, 8, 1);
    for (uint32_t threads = axes == 1 ? 128 : 32; threads >= 16; threads /= 2)
        add(shapes, count, threads, 1, 1);
}

static void add_usual(struct prove_shape shapes[PROVE_SHAPES], size_t *count, unsigned axes) {
    if (axes == 1) {
        add(shapes, count, 256, 1, 1);
    } else if (axes == 2) {
        add(shapes, count, 32, 8, 1);
        add(shapes, count, 16, 16, 1);
        add(shapes, count, 32, 32, 1);
    } else {
        add(shapes, count, 8, 8, 4);
    }
}

static enum prove_choice choose(const struct prove_run *run, const struct ir_function *kernel,
                                struct prove_shape shapes[PROVE_SHAPES], size_t *count) {
    const uint32_t *required = kernel->ptx->required_threads, *most = kernel->ptx->max_threads;
    *count = 0;
    if (run->has_block) {
        add(shapes, count, run->block[0], run->block[1], run->block[2]);
        return PROVE_ASKED;
    }
    if (required[0] && threads_of(required) <= 1024) {
        add(shapes, count, required[0], required[1] ? required[1] : 1,
            required[2] ? required[2] : 1);
        return PROVE_REQUIRED;
    }
    if (most[0] && threads_of(most) <= 1024) {
        if (threads_of(most) > most[0])
            add(shapes, count, most[0], most[1], most[2] ? most[2] : 1);
        else
            add_declared(shapes, count, axes_of(kernel), most[0]);
        return PROVE_DECLARED;
    }
    add_usual(shapes, count, axes_of(kernel));
    return PROVE_USUAL;
}

enum prove_choice prove_shapes_of(const struct prove_run *run, const struct ir_function *kernel,
                                  struct prove_shape shapes[PROVE_SHAPES], size_t *wanted,
                                  size_t *count) {
    const enum prove_choice choice = choose(run, kernel, shapes, wanted);
    *count = *wanted;
    if (choice == PROVE_USUAL)
        add_smaller(shapes, count, axes_of(kernel));
    return choice;
}
