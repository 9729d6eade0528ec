// From named fields to a question, and its answer or what is wrong with it.
#include "explorer/explorer.h"

#include <stdlib.h>
#include <string.h>

#include "explorer/write.h"

typedef VEC(const char *) strings;

struct fields {
    struct explain_question question;
    strings lets;
    const char *block, *grid, *block_index, *access, *width, *base, *arch, *bank_mode, *pictures;
};

// Where a field's value goes; NULL: no such name.
static const char **place_of(struct fields *fields, const char *name) {
    struct {
        const char *name, **place;
    } const rows[] = {
        {"expression", &fields->question.expression},
        {"shared", &fields->question.shared},
        {"if", &fields->question.condition},
        {"warp", &fields->question.warp},
        {"block", &fields->block},
        {"grid", &fields->grid},
        {"block-index", &fields->block_index},
        {"access", &fields->access},
        {"width", &fields->width},
        {"base", &fields->base},
        {"arch", &fields->arch},
        {"bank-mode", &fields->bank_mode},
        {"pictures", &fields->pictures},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(name, rows[i].name) == 0)
            return rows[i].place;
    return NULL;
}

static bool split(const char *text, size_t length, struct fields *fields, struct diag_list *diags) {
    const char *end = text + length;
    if (length && end[-1]) {
        diag_error(diags, "the last field does not end in a zero byte");
        return false;
    }
    while (text < end) {
        const char *name = text, *value = name + strlen(name) + 1;
        if (value >= end) {
            diag_error(diags, "the field '%s' has no value", name);
            return false;
        }
        text = value + strlen(value) + 1;
        const char **place = place_of(fields, name);
        if (strcmp(name, "let") == 0) {
            vec_push(&fields->lets, value);
        } else if (!place) {
            diag_error(diags, "there is no field '%s'", name);
            return false;
        } else {
            *place = *value || place == &fields->question.expression ? value : NULL;
        }
    }
    return true;
}

// One of the words, by its number; -1: it is none, which was said.
static int choose(const char *name, const char *value, const char *const *words, int count,
                  struct diag_list *diags) {
    for (int i = 0; i < count; i++)
        if (!value || strcmp(value, words[i]) == 0)
            return i;
    diag_error(diags, "%s: '%s' is not one that is known", name, value);
    return -1;
}

static bool read_number(const char *name, const char *value, uint32_t *number,
                        struct diag_list *diags) {
    char *end = NULL;
    unsigned long long read = value ? strtoull(value, &end, 10) : 0;
    if (value && (*value < '0' || *value > '9' || *end || read > INT32_MAX)) {
        diag_error(diags, "%s: '%s' is no number from 0 to %d", name, value, INT32_MAX);
        return false;
    }
    *number = (uint32_t)read;
    return true;
}

static bool read_shape(const char *name, const char *value, uint32_t least, uint32_t shape[3],
                       struct diag_list *diags) {
    if (!value || explain_read_shape(value, least, shape))
        return true;
    diag_error(diags, "--%s: '%s' is not of the form %s", name, value,
               least ? "N, NxM or NxMxK" : "X, X,Y or X,Y,Z");
    return false;
}

static bool read_launch(const struct fields *fields, struct explain_launch *launch,
                        struct diag_list *diags) {
    *launch = (struct explain_launch){.grid = {1, 1, 1}, .block = {BANKRUN_LANES, 1, 1}};
    if (fields->block)
        launch->block[0] = 1;
    if (!read_shape("block", fields->block, 1, launch->block, diags) ||
        !read_shape("grid", fields->grid, 1, launch->grid, diags) ||
        !read_shape("block-index", fields->block_index, 0, launch->block_index, diags))
        return false;
    const char *wrong = explain_check_block(launch->block);
    if (wrong)
        diag_error(diags, "--block: %s: %s", fields->block, wrong);
    for (int axis = 0; axis < 3 && !wrong && fields->grid; axis++)
        if (launch->block_index[axis] >= launch->grid[axis]) {
            wrong = "it lies outside of the grid";
            diag_error(diags, "--block-index: %s lies outside of the grid", fields->block_index);
        }
    return !wrong;
}

static bool read_question(struct fields *fields, struct diag_list *diags) {
    static const char *const accesses[] = {"load", "store", "atomic"};
    static const char *const widths[] = {"", "1", "2", "4", "8", "16"};
    static const char *const modes[] = {"4", "8"};
    struct explain_question *question = &fields->question;
    uint32_t base, arch;
    const int access = choose("access", fields->access, accesses, 3, diags);
    const int width = choose("width", fields->width, widths, 6, diags);
    const int mode = choose("bank-mode", fields->bank_mode, modes, 2, diags);
    if (access < 0 || width < 0 || mode < 0 || !read_number("base", fields->base, &base, diags) ||
        !read_number("arch", fields->arch, &arch, diags) ||
        !read_launch(fields, &question->launch, diags))
        return false;
    if ((fields->arch && !bankrun_banks(arch)) || (arch && mode == 1 && arch / 10 != 3)) {
        diag_error(diags,
                   fields->bank_mode ? "sm_%u has no such bank mode, or no bank model"
                                     : "there is no bank model of sm_%u",
                   arch);
        return false;
    }
    if (!question->expression) {
        diag_error(diags, "which expression?");
        return false;
    }
    question->access = (enum explain_direction)access;
    question->launch.width = (unsigned)strtoul(widths[width], NULL, 10);
    question->launch.base = base;
    question->arch = arch;
    question->bank_mode = mode == 1 ? 8 : 4;
    question->is_single = true;
    question->lets = fields->lets.data;
    question->let_count = fields->lets.length;
    return true;
}

static void answer(struct fields *fields, struct strbuf *out) {
    struct diag_list diags = {0};
    struct explain_answer found = {.question = &fields->question, .arena = arena_create()};
    if (read_question(fields, &diags) && explain_ask(&found, &diags))
        explorer_write(&found, fields->pictures != NULL, out);
    else
        explorer_write_error(&diags, out);
    diag_free(&diags);
    vec_free(&found.rows);
    arena_destroy(found.arena);
}

void explorer_answer(const char *text, size_t length, struct strbuf *out) {
    struct fields fields = {0};
    struct diag_list diags = {0};
    if (split(text, length, &fields, &diags))
        answer(&fields, out);
    else
        explorer_write_error(&diags, out);
    diag_free(&diags);
    vec_free(&fields.lets);
}
