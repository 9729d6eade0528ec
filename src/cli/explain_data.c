// The answers of bankrun explain for other programs: CSV and JSON.
#include <stdlib.h>
#include <string.h>

#include "cli/explain.h"
#include "profile/json_make.h"

static const char *const number_names[] = {"wavefronts", "min",    "max",   "ideal",
                                           "degree",     "phases", "cycles"};
enum { NUMBERS = sizeof number_names / sizeof *number_names };

static const char *certainty_text(const struct explain_group *group) {
    return group->status == BANKRUN_OK ? bankrun_certainty_text(group->cost.certainty)
                                       : "misaligned";
}

static void list_numbers(unsigned arch, const struct explain_group *group, uint32_t *numbers) {
    const struct bankrun_cost *cost = &group->cost;
    struct bankrun_request request = explain_bank_request(group);
    const uint32_t values[NUMBERS] = {cost->wavefronts,
                                      cost->min,
                                      cost->max,
                                      cost->ideal,
                                      cost->degree,
                                      cost->phases,
                                      bankrun_cycles(arch, &request, cost)};
    memcpy(numbers, values, sizeof values);
}

void explain_write_csv(const struct explain_answer *answer, struct strbuf *out) {
    for (size_t i = 0; i < answer->sweep_count; i++)
        strbuf_printf(out, "%s,", answer->sweeps[i]);
    strbuf_puts(out, "arch,warps,active_mask,width,");
    for (size_t i = 0; i < NUMBERS; i++)
        strbuf_printf(out, "%s,", number_names[i]);
    strbuf_puts(out, "certainty,outside\n");
    for (size_t r = 0; r < answer->rows.length; r++) {
        const struct explain_row *row = &answer->rows.data[r];
        for (size_t g = 0; g < row->group_count; g++) {
            const struct explain_group *group = &row->groups[g];
            uint32_t numbers[NUMBERS];
            list_numbers(row->arch, group, numbers);
            for (size_t i = 0; i < answer->sweep_count; i++)
                strbuf_printf(out, "%lld,", (long long)row->values[i]);
            strbuf_printf(out, "sm_%u,%d,0x%08x,%u,", explain_plain_arch(row->arch),
                          __builtin_popcount(group->warps), group->request.mask,
                          group->request.width);
            for (size_t i = 0; i < NUMBERS; i++)
                if (group->status == BANKRUN_OK)
                    strbuf_printf(out, "%u,", numbers[i]);
                else
                    strbuf_puts(out, ",");
            strbuf_printf(out, "%s,0x%08x\n", certainty_text(group), group->request.outside);
        }
    }
}

static json_t *variables_of(const struct explain_answer *answer, const struct explain_row *row) {
    json_t *object = json_object();
    for (size_t i = 0; i < answer->sweep_count; i++)
        set(object, answer->sweeps[i], number(row->values[i]));
    return object;
}

static json_t *bits_of(uint32_t set) {
    json_t *array = json_array();
    for (uint32_t rest = set; rest != 0; rest &= rest - 1)
        append(array, number(__builtin_ctz(rest)));
    return array;
}

static json_t *offsets_of(const struct explain_request *request) {
    json_t *array = json_array();
    for (unsigned lane = 0; lane < BANKRUN_LANES; lane++)
        append(array, request->mask >> lane & 1 ? number(request->offsets[lane]) : json_null());
    return array;
}

static json_t *group_of(const struct explain_answer *answer, const struct explain_row *row,
                        const struct explain_group *group) {
    json_t *object = json_object();
    char arch[16];
    uint32_t numbers[NUMBERS];
    snprintf(arch, sizeof arch, "sm_%u", explain_plain_arch(row->arch));
    set(object, "arch", json_string(arch));
    set(object, "bank_bytes", number(bankrun_bank_bytes(row->arch)));
    set(object, "let", variables_of(answer, row));
    set(object, "warps", bits_of(group->warps));
    set(object, "active_mask", number(group->request.mask));
    set(object, "width", number(group->request.width));
    set(object, "outside", number(group->request.outside));
    set(object, "offsets", offsets_of(&group->request));
    list_numbers(row->arch, group, numbers);
    for (size_t i = 0; i < NUMBERS && group->status == BANKRUN_OK; i++)
        set(object, number_names[i], number(numbers[i]));
    set(object, "certainty", json_string(certainty_text(group)));
    uint32_t wavefronts;
    const char *which = explain_compiled(row->arch, group, &wavefronts);
    if (which)
        set(object, "as_compiled",
            json_pack("{sssI}", "of", which, "wavefronts", (json_int_t)wavefronts));
    return object;
}

void explain_write_json(const struct explain_answer *answer, struct strbuf *out) {
    json_t *root = json_object(), *block = json_array(), *requests = json_array();
    for (int axis = 0; axis < 3; axis++)
        append(block, number(answer->question->launch.block[axis]));
    for (size_t r = 0; r < answer->rows.length; r++)
        for (size_t g = 0; g < answer->rows.data[r].group_count; g++)
            append(requests,
                   group_of(answer, &answer->rows.data[r], &answer->rows.data[r].groups[g]));
    set(root, "schema", json_string("bankrun-explain/1"));
    set(root, "expression", text(answer->question->expression));
    set(root, "access", json_string(explain_access_text(answer->question->access)));
    set(root, "block", block);
    set(root, "requests", requests);
    profile_put_json(out, root, JSON_PRESERVE_ORDER);
}
