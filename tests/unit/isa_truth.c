#include "isa_truth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

enum { MOST_BYTES = 1 << 28 };

// ---- Reading ------------------------------------------------------------------------------------

static char *read_all(const char *path, size_t *size) {
    gzFile in = gzopen(path, "rb");
    size_t room = 1 << 20, used = 0;
    char *data = in ? malloc(room + 1) : NULL;
    int got = 0;
    while (data && (got = gzread(in, data + used, (unsigned)(room - used))) > 0) {
        used += (size_t)got;
        if (used == room && room < MOST_BYTES) {
            room *= 2;
            char *more = realloc(data, room + 1);
            if (!more)
                free(data);
            data = more;
        }
    }
    if (in)
        gzclose(in);
    if (data)
        data[used] = 0;
    *size = used;
    return data;
}

// Takes the next line out of the text and ends it.
static char *next_line(char **at) {
    char *line = *at, *end = strchr(line, '\n');
    if (!end)
        return NULL;
    *end = 0;
    *at = end + 1;
    return line;
}

// Joins lines that begin with a tab, without it, in place.
static char *take_text(char **at) {
    char *text = *at, *write = *at;
    while (**at == '\t') {
        char *line = *at + 1, *end = strchr(line, '\n');
        if (!end)
            break;
        memmove(write, line, (size_t)(end + 1 - line));
        write += end + 1 - line;
        *at = end + 1;
    }
    if (write == *at)
        return NULL;
    *write = 0;
    return text;
}

static bool read_table(struct truth_file *file, const char *line) {
    struct truth_table *more =
        realloc(file->tables, (file->table_count + 1) * sizeof *file->tables);
    if (!more || file->form_count) // forms point at tables
        return false;
    file->tables = more;
    struct truth_table *table = &file->tables[file->table_count++];
    *table = (struct truth_table){0};
    return sscanf(line, "table %u %u %255s", &table->rows, &table->layout.row_bytes,
                  table->layout.kinds) == 3;
}

static bool read_compare(struct truth_form *form, const char *word) {
    form->is_stated = strcmp(word, "stated") == 0;
    return form->is_stated || strcmp(word, "exact") == 0 || sscanf(word, "ulp:%u", &form->ulp) == 1;
}

static bool read_form(struct truth_file *file, char *line, char **at) {
    struct truth_form *more = realloc(file->forms, (file->form_count + 1) * sizeof *file->forms);
    if (!more)
        return false;
    file->forms = more;
    struct truth_form *form = &file->forms[file->form_count++];
    *form = (struct truth_form){0};
    unsigned table = 0;
    int text = 0;
    char compare[16];
    if (sscanf(line, "form %u %u %u %u %255s %15s %n", &table, &form->block, &form->shared,
               &form->results.row_bytes, form->results.kinds, compare, &text) != 6 ||
        table >= file->table_count || form->block == 0 || !read_compare(form, compare))
        return false;
    form->table = &file->tables[table];
    form->text = line + text;
    form->kernel = take_text(at);
    return form->kernel && form->table->rows % form->block == 0;
}

// Gives tables and forms their parts of the data, in their order.
static bool share_data(struct truth_file *file, uint8_t *data, size_t size) {
    size_t at = 0;
    for (unsigned i = 0; i < file->table_count; i++) {
        file->tables[i].data = data + at;
        at += (size_t)file->tables[i].rows * file->tables[i].layout.row_bytes;
    }
    for (unsigned i = 0; i < file->form_count; i++) {
        file->forms[i].expect = data + at;
        at += (size_t)file->forms[i].table->rows * file->forms[i].results.row_bytes;
    }
    return at == size;
}

// Lines with other words say where the file comes from.
static bool read_line(struct truth_file *file, char *line, char **at) {
    if (strncmp(line, "table ", 6) == 0)
        return read_table(file, line);
    if (strncmp(line, "form ", 5) == 0)
        return read_form(file, line, at);
    if (strcmp(line, "head") == 0)
        file->head = take_text(at);
    return line[0] != '\t';
}

bool truth_read(struct truth_file *file, const char *path, char error[256]) {
    *file = (struct truth_file){0};
    size_t size = 0;
    char *at = file->contents = read_all(path, &size);
    char *line = at ? next_line(&at) : NULL;
    if (!line || strcmp(line, "bankrun-isa-truth 1") != 0) {
        snprintf(error, 256, "%s: not a file of instruction truth", path);
        return false;
    }
    while ((line = next_line(&at)) && strncmp(line, "data ", 5) != 0)
        if (!read_line(file, line, &at)) {
            snprintf(error, 256, "%s: cannot read '%s'", path, line);
            return false;
        }
    const size_t rest = size - (size_t)(at - file->contents);
    if (!line || !file->head || strtoul(line + 5, NULL, 10) != rest ||
        !share_data(file, (uint8_t *)at, rest)) {
        snprintf(error, 256, "%s: the data is not as long as its tables and forms say", path);
        return false;
    }
    return true;
}

void truth_free(struct truth_file *file) {
    free(file->contents);
    free(file->tables);
    free(file->forms);
    *file = (struct truth_file){0};
}

bool truth_state_differences(struct truth_file *file, const char *path) {
    size_t size = 0;
    char *list = read_all(path, &size);
    if (!list)
        return false;
    for (unsigned i = 0; i < file->form_count; i++) {
        struct truth_form *form = &file->forms[i];
        const size_t length = strlen(form->text);
        for (const char *at = list; !form->is_stated && (at = strstr(at, form->text)); at++)
            form->is_stated = (at == list || at[-1] == '\n') && at[length] == '\n';
    }
    free(list);
    return true;
}

// ---- Fields -------------------------------------------------------------------------------------

struct field {
    char kind[16];
    unsigned bytes, offset;
};

static unsigned result_bytes(const char *kind) {
    if (strcmp(kind, "pred") == 0)
        return 1;
    if (strstr(kind, "x2") || strcmp(kind, "tf32") == 0)
        return strncmp(kind, "e", 1) == 0 ? 2 : 4;
    return (unsigned)strtoul(kind + strcspn(kind, "0123456789"), NULL, 10) / 8;
}

// Steps through the kinds of a layout; the first call has a zeroed field.
static bool next_field(const char **kinds, bool is_operands, struct field *field) {
    int length = 0;
    if (sscanf(*kinds, "%15[^,]%n", field->kind, &length) != 1)
        return false;
    *kinds += length + ((*kinds)[length] == ',');
    const unsigned end = field->offset + field->bytes;
    field->bytes = result_bytes(field->kind);
    if (is_operands)
        field->bytes = field->bytes == 8 ? 8 : 4;
    field->offset = field->bytes ? (end + field->bytes - 1) / field->bytes * field->bytes : end;
    return field->bytes == 1 || field->bytes == 2 || field->bytes == 4 || field->bytes == 8;
}

static uint64_t field_value(const struct field *field, const uint8_t *row) {
    uint64_t value = 0;
    memcpy(&value, row + field->offset, field->bytes);
    return value;
}

void truth_print_row(char *out, size_t size, const struct truth_layout *layout, bool is_operands,
                     const uint8_t *row) {
    struct field field = {0};
    const char *kinds = layout->kinds;
    size_t at = 0;
    out[0] = 0;
    while (at < size && next_field(&kinds, is_operands, &field))
        at += (size_t)snprintf(out + at, size - at, "%s%s 0x%llx", at ? ", " : "", field.kind,
                               (unsigned long long)field_value(&field, row));
}

// Bits of a float in the order of their values: neighbours differ by one. NaN: *is_nan.
static int64_t ordered(const struct field *field, uint64_t bits, bool *is_nan) {
    const bool is_brain = strncmp(field->kind, "bf16", 4) == 0;
    const unsigned fraction = field->bytes == 8 ? 52 : field->bytes == 4 ? 23 : is_brain ? 7 : 10;
    const uint64_t sign = UINT64_C(1) << (8 * field->bytes - 1), size = bits & (sign - 1);
    const uint64_t infinity = (sign - 1) >> fraction << fraction;
    *is_nan = size > infinity;
    return bits & sign ? -(int64_t)size : (int64_t)size;
}

bool truth_row_agrees(const struct truth_form *form, const uint8_t *expect, const uint8_t *got) {
    if (memcmp(expect, got, form->results.row_bytes) == 0)
        return true;
    struct field field = {0};
    const char *kinds = form->results.kinds;
    if (!form->ulp)
        return false;
    while (next_field(&kinds, false, &field)) {
        bool want_nan, got_nan;
        const int64_t want = ordered(&field, field_value(&field, expect), &want_nan);
        const int64_t have = ordered(&field, field_value(&field, got), &got_nan);
        const int64_t apart = want > have ? want - have : have - want;
        if (want_nan != got_nan || (!want_nan && apart > (int64_t)form->ulp))
            return false;
    }
    return true;
}
