// What a comparison found: a table for people, and a file of measurements.
#include "calibrate/calibrate.h"

struct tally {
    size_t patterns, agree, shown;
};

static struct tally tally_of(const struct calibrate_result *result, size_t first) {
    struct tally tally = {0};
    for (size_t i = first; i < result->rows.length; i++) {
        if (result->rows.data[i].instruction != result->rows.data[first].instruction)
            break;
        tally.patterns++;
        tally.agree += result->rows.data[i].agrees;
    }
    return tally;
}

static void write_offsets(const struct calibrate_pattern *pattern, struct strbuf *out) {
    for (uint32_t lane = 0; lane < BANKRUN_LANES; lane++)
        strbuf_printf(out, "%s%u", lane ? " " : "", pattern->offsets[lane]);
}

static void write_examples(const struct calibrate_result *result, size_t first, size_t count,
                           size_t examples, struct strbuf *out) {
    size_t shown = 0;
    for (size_t i = first; i < first + count && shown < examples; i++) {
        const struct calibrate_row *row = &result->rows.data[i];
        if (row->agrees)
            continue;
        strbuf_printf(out, "%s\n    lanes 0x%08x: model %s%g, measured %.2f\n    offsets ",
                      shown == 0 ? row->instruction->name : "", row->pattern.mask,
                      row->instruction->clock == CALIBRATE_LOOP ? ">= " : "", row->model,
                      row->cycles / result->unit);
        write_offsets(&row->pattern, out);
        strbuf_puts(out, "\n");
        shown++;
    }
}

void calibrate_write_report(const struct calibrate_result *result, size_t examples,
                            struct strbuf *out) {
    strbuf_printf(out, "One wavefront takes %.2f cycles.\n\n", result->unit);
    strbuf_printf(out, "%-26s %9s %9s %9s\n", "instruction", "patterns", "agree", "differ");
    for (size_t i = 0; i < result->rows.length;) {
        struct tally tally = tally_of(result, i);
        const struct calibrate_instruction *instruction = result->rows.data[i].instruction;
        strbuf_printf(out, "%-26s %9zu %9zu %9zu%s\n", instruction->name, tally.patterns,
                      tally.agree, tally.patterns - tally.agree,
                      instruction->clock == CALIBRATE_LOOP ? "  (a loop: lower bound only)" : "");
        i += tally.patterns;
    }
    for (size_t i = 0; i < result->left_out.length; i++)
        strbuf_printf(out, "%-26s not on this GPU\n", result->left_out.data[i]->name);
    strbuf_puts(out, "\n");
    for (size_t i = 0; i < result->rows.length;) {
        struct tally tally = tally_of(result, i);
        write_examples(result, i, tally.patterns, examples, out);
        i += tally.patterns;
    }
    strbuf_printf(out, "agree %zu of %zu with the model of sm_%u\n", result->agree,
                  result->rows.length, result->model_arch);
}

void calibrate_write_truth(const struct calibrate_result *result, struct strbuf *out) {
    strbuf_puts(out, "instruction,active_mask,byte_offsets,cycles_per_instruction,wavefronts\n");
    for (size_t i = 0; i < result->rows.length; i++) {
        const struct calibrate_row *row = &result->rows.data[i];
        strbuf_printf(out, "%s,0x%08x,", row->instruction->name, row->pattern.mask);
        write_offsets(&row->pattern, out);
        strbuf_printf(out, ",%.4f,\n", row->cycles);
    }
}
