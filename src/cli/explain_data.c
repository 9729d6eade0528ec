// The answers of bankrun explain for other programs: CSV and JSON.
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/utf8.h"
#include "cli/explain.h"

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

static json_t *text(const char *bytes) {
    struct strbuf clean = {0};
    utf8_repair(&clean, bytes);
    json_t *value = json_string(strbuf_string(&clean));
    strbuf_free(&clean);
    return value;
}

static json_t *number(int64_t value) {
    return json_integer((json_int_t)value);
}

static json_t *variables_of(const struct explain_answer *answer, const struct explain_row *row) {
    json_t *object = json_object();
    for (size_t i = 0; i < answer->sweep_count; i++)
        json_object_set_new(object, answer->sweeps[i], number(row->values[i]));
    return object;
}

static json_t *bits_of(uint32_t set) {
    json_t *array = json_array();
    for (uint32_t rest = set; rest != 0; rest &= rest - 1)
        json_array_append_new(array, number(__builtin_ctz(rest)));
    return array;
}

static json_t *offsets_of(const struct explain_request *request) {
    json_t *array = json_array();
    for (unsigned lane = 0; lane < BANKRUN_LANES; lane++)
        json_array_append_new(array, request->mask >> lane & 1 ? number(request->offsets[lane])
                                                               : json_null());
    return array;
}

static json_t *group_of(const struct explain_answer *answer, const struct explain_row *row,
                        const struct explain_group *group) {
    json_t *object = json_object();
    char arch[16];
    uint32_t numbers[NUMBERS];
    snprintf(arch, sizeof arch, "sm_%u", explain_plain_arch(row->arch));
    json_object_set_new(object, "arch", json_string(arch));
    json_object_set_new(object, "bank_bytes", number(bankrun_bank_bytes(row->arch)));
    json_object_set_new(object, "let", variables_of(answer, row));
    json_object_set_new(object, "warps", bits_of(group->warps));
    json_object_set_new(object, "active_mask", number(group->request.mask));
    json_object_set_new(object, "width", number(group->request.width));
    json_object_set_new(object, "outside", number(group->request.outside));
    json_object_set_new(object, "offsets", offsets_of(&group->request));
    list_numbers(row->arch, group, numbers);
    for (size_t i = 0; i < NUMBERS && group->status == BANKRUN_OK; i++)
        json_object_set_new(object, number_names[i], number(numbers[i]));
    json_object_set_new(object, "certainty", json_string(certainty_text(group)));
    return object;
}

void explain_write_json(const struct explain_answer *answer, struct strbuf *out) {
    json_t *root = json_object(), *block = json_array(), *requests = json_array();
    for (int axis = 0; axis < 3; axis++)
        json_array_append_new(block, number(answer->launch.block[axis]));
    for (size_t r = 0; r < answer->rows.length; r++)
        for (size_t g = 0; g < answer->rows.data[r].group_count; g++)
            json_array_append_new(
                requests, group_of(answer, &answer->rows.data[r], &answer->rows.data[r].groups[g]));
    json_object_set_new(root, "schema", json_string("bankrun-explain/1"));
    json_object_set_new(root, "expression", text(answer->expression));
    json_object_set_new(root, "access", json_string(explain_access_text(answer->options)));
    json_object_set_new(root, "block", block);
    json_object_set_new(root, "requests", requests);
    char *json = json_dumps(root, JSON_PRESERVE_ORDER);
    strbuf_printf(out, "%s\n", json);
    free(json);
    json_decref(root);
}
