// Measures the patterns of each instruction and holds the clock against the model.
#include <stdlib.h>

#include "calibrate/calibrate.h"

// Margins from 2,000 patterns of 9.0 whose wavefronts were counted as well: clocks of stores and
// atomics scatter by up to a fifth.
bool calibrate_agrees(enum calibrate_clock clock, double model, double cycles, double unit) {
    double found = cycles / unit;
    switch (clock) {
    case CALIBRATE_EXACT:
        return found > model - 0.5 - model / 5 && found < model + 0.6 + model / 10;
    case CALIBRATE_SWAP:
        return found > model - 0.5 - model / 9 && found < model + 0.6 + model / 10;
    case CALIBRATE_LOOP: // no faster than its wavefronts
        return found > model - 0.5 - model / 9;
    }
    return false;
}

// What 32 words of one bank cost, which every architecture serves in 32 wavefronts.
static bool measure_unit(const struct calibrate_meter *meter, double *unit,
                         struct diag_list *diags) {
    const struct calibrate_instruction *load = calibrate_find("ld.shared.u32");
    struct calibrate_pattern column = {.mask = UINT32_MAX};
    for (uint32_t lane = 0; lane < BANKRUN_LANES; lane++)
        column.offsets[lane] = lane * 256; // also one bank where banks are 8 bytes wide
    double cycles = 0;
    if (!meter->measure(meter->context, load, &column, 1, &cycles, diags))
        return false;
    *unit = cycles / 32;
    if (*unit > 0)
        return true;
    diag_error(diags, "the GPU's clock stands still");
    return false;
}

static bool judge(unsigned arch, const struct calibrate_instruction *instruction,
                  struct calibrate_row *row, double unit, struct diag_list *diags) {
    struct bankrun_request request = {instruction->access, instruction->width,
                                      instruction->matrices, row->pattern.mask,
                                      row->pattern.offsets};
    enum bankrun_status status = bankrun_count(arch, &request, &row->cost);
    if (status != BANKRUN_OK) {
        diag_error(diags, "%s: %s", instruction->name, bankrun_status_text(status));
        return false;
    }
    row->model = bankrun_cycles(arch, &request, &row->cost);
    if (instruction->clock == CALIBRATE_LOOP)
        row->model = row->cost.min;
    row->agrees = calibrate_agrees(instruction->clock, row->model, row->cycles, unit);
    return true;
}

static bool compare_one(const struct calibrate_plan *plan, const struct calibrate_meter *meter,
                        const struct calibrate_instruction *instruction,
                        struct calibrate_result *result, struct diag_list *diags) {
    struct calibrate_pattern *patterns = base_alloc(plan->patterns * sizeof *patterns);
    double *cycles = base_alloc(plan->patterns * sizeof *cycles);
    calibrate_make_patterns(instruction, plan->patterns, patterns);
    bool is_done =
        meter->measure(meter->context, instruction, patterns, plan->patterns, cycles, diags);
    for (size_t i = 0; i < plan->patterns && is_done; i++) {
        struct calibrate_row row = {
            .instruction = instruction, .pattern = patterns[i], .cycles = cycles[i]};
        is_done = judge(plan->model_arch, instruction, &row, result->unit, diags);
        result->agree += row.agrees;
        vec_push(&result->rows, row);
    }
    free(patterns);
    free(cycles);
    return is_done;
}

bool calibrate_compare(const struct calibrate_plan *plan, const struct calibrate_meter *meter,
                       struct calibrate_result *result, struct diag_list *diags) {
    size_t count;
    const struct calibrate_instruction *all = calibrate_instructions(&count);
    *result = (struct calibrate_result){.model_arch = plan->model_arch};
    if (!measure_unit(meter, &result->unit, diags))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (plan->only && plan->only != &all[i])
            continue;
        if (all[i].arch > plan->gpu_arch)
            vec_push(&result->left_out, &all[i]);
        else if (!compare_one(plan, meter, &all[i], result, diags))
            return false;
    }
    return true;
}

void calibrate_free(struct calibrate_result *result) {
    vec_free(&result->rows);
    vec_free(&result->left_out);
}
