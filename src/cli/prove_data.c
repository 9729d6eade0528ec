// Proofs for other programs: CSV and JSON, for which docs/prove.schema.json says what there is.
#include <string.h>

#include "cli/prove.h"
#include "profile/json_make.h"

static const char *const verdict_names[] = {
    [PROVE_NOT_REACHED] = "unreached", [PROVE_EXACT] = "exact",     [PROVE_FULL] = "full",
    [PROVE_DEPENDS] = "depends",       [PROVE_BOUNDED] = "bounded", [PROVE_OBSERVED] = "unknown",
};

static bool knows_degree(const struct prove_row *row) {
    return row->site.verdict != PROVE_NOT_REACHED && row->site.verdict != PROVE_OBSERVED;
}

// ---- JSON -----------------------------------------------------------------------------------

static void set_text(json_t *object, const char *key, const char *bytes) {
    if (bytes)
        set(object, key, text(bytes));
}

static void set_number(json_t *object, const char *key, uint64_t value) {
    set(object, key, number(value));
}

// Of each residue, or of the degrees that occur.
static json_t *residues_of(const struct prove_site *site) {
    json_t *array = json_array();
    for (unsigned r = 0; r < PROVE_RESIDUES; r++)
        append(array, json_integer(site->residues[r]));
    return array;
}

static json_t *degrees_of(uint64_t degrees) {
    json_t *array = json_array();
    for (unsigned n = 1; n <= PROVE_MAX_DEGREE; n++)
        if (degrees >> (n - 1) & 1)
            append(array, json_integer(n));
    return array;
}

static json_t *rounds_of(const struct prove_site *site) {
    json_t *array = json_array();
    for (unsigned r = 0; r < site->round_count; r++)
        append(array, degrees_of(site->rounds[r]));
    return array;
}

static json_t *frames_of(const struct profile_site *about) {
    json_t *array = json_array();
    for (uint32_t i = 0; i < about->inlined_count; i++) {
        const struct profile_frame *frame = &about->inlined_at[i];
        json_t *object = json_object();
        set_text(object, "file", frame->file);
        set_number(object, "line", frame->line);
        set_text(object, "function", frame->function);
        append(array, object);
    }
    return array;
}

static const char *const fit_names[] = {[PROVE_FITS] = "proved",
                                        [PROVE_FITS_IF] = "conditional",
                                        [PROVE_FIT_UNKNOWN] = "unknown",
                                        [PROVE_MISFITS] = "violated"};

static json_t *thread_of(const uint32_t thread[3]) {
    json_t *array = json_array();
    for (int axis = 0; axis < 3; axis++)
        append(array, json_integer(thread[axis]));
    return array;
}

static void set_offset(json_t *object, const char *key, int64_t number) {
    set(object, key, json_integer(number));
}

static json_t *bounds_of(const struct prove_row *row) {
    const struct prove_bounds *bounds = &row->site.bounds;
    json_t *object = json_object();
    set_text(object, "verdict", fit_names[bounds->fit]);
    if (bounds->has_bytes)
        set_number(object, "bytes", bounds->bytes);
    if (bounds->has_reach) {
        set_offset(object, "low", bounds->low);
        set_offset(object, "high", bounds->high);
    }
    if (bounds->fit == PROVE_FITS_IF) {
        set_text(object, "condition", row->bounds);
        set_number(object, "parameter_offset", bounds->condition.offset);
        if (!bounds->condition.may_be_negative)
            set_number(object, "from", 0);
        set_number(object, "most", bounds->condition.most);
    }
    if (bounds->fit == PROVE_MISFITS) {
        set(object, "always", json_boolean(bounds->is_sure));
        set(object, "thread", thread_of(bounds->thread));
        set_offset(object, "byte", bounds->byte);
        set(object, "leaves_block", json_boolean(bounds->leaves_block));
        set_text(object, "into", row->into);
    }
    if (bounds->fit == PROVE_FIT_UNKNOWN) {
        set_text(object, "reason", bounds->what);
        if (row->bounds_line)
            set_number(object, "reason_line", row->bounds_line);
    }
    return object;
}

static json_t *alignment_of(const struct prove_row *row) {
    const struct prove_alignment *alignment = &row->site.alignment;
    json_t *object = json_object();
    set_text(object, "verdict", fit_names[alignment->fit]);
    if (alignment->fit == PROVE_MISFITS) {
        set(object, "always", json_boolean(alignment->is_sure));
        set(object, "thread", thread_of(alignment->thread));
    }
    if (alignment->fit == PROVE_FIT_UNKNOWN) {
        set_text(object, "reason", alignment->what);
        if (row->alignment_line)
            set_number(object, "reason_line", row->alignment_line);
    }
    return object;
}

static json_t *access_of(const struct prove_row *row) {
    const struct prove_site *site = &row->site;
    json_t *object = json_object();
    set_number(object, "count", row->count);
    set_text(object, "file", row->about.file);
    if (row->about.line)
        set_number(object, "line", row->about.line);
    if (row->column_count)
        set_number(object, "column", row->columns[0]);
    if (row->about.inlined_count && row->site.has_excess)
        set(object, "inlined_at", frames_of(&row->about));
    set_text(object, "instruction", row->about.instruction);
    set_text(object, "operation", profile_op_text[row->about.op]);
    set_text(object, "array", row->about.array);
    set_number(object, "width", row->about.width);
    set_text(object, "verdict", verdict_names[site->verdict]);
    set(object, "free", json_boolean(!site->has_excess));
    if (knows_degree(row))
        set_number(object, "degree", site->degree);
    if (site->verdict == PROVE_EXACT || site->verdict == PROVE_FULL)
        set(object, "degrees", degrees_of(site->degrees));
    if (site->verdict == PROVE_EXACT && site->round_count && !site->has_other_rounds)
        set(object, "rounds", rounds_of(site));
    if (site->verdict == PROVE_DEPENDS) {
        set(object, "residues", residues_of(site));
        set(object, "residues_are", json_string(site->is_most ? "most" : "exact"));
    }
    if (site->verdict >= PROVE_DEPENDS)
        set_text(object, "reason", site->what);
    if (site->verdict >= PROVE_DEPENDS && row->reason_line)
        set_number(object, "reason_line", row->reason_line);
    if (row->bounds)
        set(object, "bounds", bounds_of(row));
    if (row->alignment)
        set(object, "alignment", alignment_of(row));
    return object;
}

static void set_place(json_t *object, const struct prove_place *place) {
    set_text(object, "file", place->file);
    if (place->line)
        set_number(object, "line", place->line);
    if (place->column)
        set_number(object, "column", place->column);
}

static json_t *races_of(const struct prove_race_rows *races) {
    static const char *const names[] = {
        [PROVE_FREE] = "free", [PROVE_RACE] = "race", [PROVE_NOT_FREE] = "unknown"};
    json_t *object = json_object(), *accesses = json_array();
    set_text(object, "verdict", names[races->freedom]);
    set_text(object, "reason", races->why);
    if (races->reason.line)
        set_number(object, "reason_line", races->reason.line);
    for (unsigned i = 0; i < races->count; i++) {
        const struct prove_race_row *row = &races->rows[i];
        json_t *access = json_object(), *thread = json_array();
        set_place(access, &row->place);
        set_text(access, "instruction", row->instruction);
        set_text(access, "role", row->is_write ? "writes" : "reads");
        for (int axis = 0; axis < 3; axis++)
            append(thread, json_integer(row->thread[axis]));
        set(access, "thread", thread);
        append(accesses, access);
    }
    if (races->count)
        set(object, "accesses", accesses);
    else
        json_decref(accesses);
    return object;
}

static json_t *proof_of(const struct prove_proof *proof, const struct prove_shape *shape) {
    json_t *object = json_object(), *block = json_array(), *accesses = json_array();
    for (int axis = 0; axis < 3; axis++)
        append(block, json_integer(shape->block[axis]));
    for (size_t i = 0; i < proof->rows.length; i++)
        append(accesses, access_of(&proof->rows.data[i]));
    for (size_t i = 0; i < proof->unseen.length; i++)
        if (proof->unseen.data[i].site.verdict == PROVE_NOT_REACHED)
            append(accesses, access_of(&proof->unseen.data[i]));
    set_text(object, "kernel", proof->kernel);
    set_text(object, "symbol", proof->symbol);
    set(object, "block", block);
    set_text(object, "block_is", prove_choice_text[proof->choice]);
    set_text(object, "trouble", proof->trouble);
    if (proof->races.is_asked)
        set(object, "races", races_of(&proof->races));
    set(object, "accesses", accesses);
    return object;
}

void prove_write_json(const struct prove_report *report, struct strbuf *out) {
    json_t *root = json_object(), *proofs = json_array();
    char arch[16];
    snprintf(arch, sizeof arch, "sm_%u", report->options->arch);
    for (size_t i = 0; i < report->proofs.length; i++) {
        const struct prove_proof *proof = &report->proofs.data[i];
        for (size_t s = 0; s < proof->shapes.length; s++)
            append(proofs, proof_of(proof, &proof->shapes.data[s]));
    }
    set_text(root, "schema", "bankrun-proofs/1");
    set_text(root, "file", report->name);
    set_text(root, "arch", arch);
    set(root, "proofs", proofs);
    profile_put_json(out, root, JSON_SORT_KEYS);
}

// ---- CSV ------------------------------------------------------------------------------------

// Tables of residues have lines of their own.
static void put_line(struct strbuf *out, const char *detail) {
    struct strbuf line = {0};
    for (const char *at = detail; at && *at; at++)
        if (*at == '\n')
            strbuf_puts(&line, "; ");
        else
            strbuf_append(&line, at, 1);
    report_csv_field(out, strbuf_string(&line));
    strbuf_free(&line);
}

static void put_row(struct strbuf *out, const struct prove_proof *proof,
                    const struct prove_shape *shape, const struct prove_row *row) {
    const uint32_t *block = shape->block;
    report_csv_text(out, proof->kernel);
    strbuf_printf(out, "%ux%ux%u,", block[0], block[1], block[2]);
    report_csv_text(out, row->about.file);
    if (row->about.line)
        strbuf_printf(out, "%u", row->about.line);
    strbuf_puts(out, ",");
    report_csv_text(out, row->about.instruction);
    report_csv_text(out, profile_op_text[row->about.op]);
    report_csv_text(out, row->about.array);
    strbuf_printf(out, "%u,%u,%s,%s,", row->about.width, row->count,
                  verdict_names[row->site.verdict], row->site.has_excess ? "no" : "yes");
    if (knows_degree(row))
        strbuf_printf(out, "%u", row->site.degree);
    strbuf_puts(out, ",");
    report_csv_text(out, row->verdict);
    put_line(out, row->detail);
    strbuf_puts(out, ",");
    struct strbuf bounds = {0};
    strbuf_puts(&bounds, row->bounds ? row->bounds : "");
    prove_put_reach(&bounds, &row->site);
    report_csv_text(out, strbuf_string(&bounds));
    strbuf_free(&bounds);
    put_line(out, row->alignment);
    strbuf_puts(out, "\r\n");
}

void prove_write_csv(const struct prove_report *report, struct strbuf *out) {
    strbuf_puts(out, "kernel,block,file,line,instruction,operation,array,width,count,verdict,free,"
                     "degree,words,detail,bounds,alignment\r\n");
    for (size_t i = 0; i < report->proofs.length; i++) {
        const struct prove_proof *proof = &report->proofs.data[i];
        for (size_t s = 0; s < proof->shapes.length; s++)
            for (size_t r = 0; r < proof->rows.length; r++)
                put_row(out, proof, &proof->shapes.data[s], &proof->rows.data[r]);
    }
}
