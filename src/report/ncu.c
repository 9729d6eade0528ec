// See ncu.h. Two forms: a row for each metric of each launch, or a row for each launch with a
// column for each metric, below the heading a row of units.
#include "report/ncu.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/csv.h"

const enum report_metric ncu_held[NCU_HELD] = {
    [NCU_LOADS] = REPORT_LOAD_WAVEFRONTS,       [NCU_STORES] = REPORT_STORE_WAVEFRONTS,
    [NCU_ATOMICS] = REPORT_ATOMIC_WAVEFRONTS,   [NCU_SECTOR_LOADS] = REPORT_LOAD_SECTORS,
    [NCU_SECTOR_STORES] = REPORT_STORE_SECTORS,
};

const char *ncu_metric_name(enum ncu_metric metric) {
    if (metric < NCU_HELD)
        return report_metric_names[ncu_held[metric]];
    return metric == NCU_SASS_LOADS
               ? "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"
               : "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum";
}

enum column { ID, KERNEL, BLOCK, GRID, ARCH, METRIC, UNIT, VALUE, COLUMNS };
static const char *const column_text[COLUMNS] = {
    [ID] = "ID",   [KERNEL] = "Kernel Name", [BLOCK] = "Block Size", [GRID] = "Grid Size",
    [ARCH] = "CC", [METRIC] = "Metric Name", [UNIT] = "Metric Unit", [VALUE] = "Metric Value"};

enum { MOST_COLUMNS = 8192 };

struct table {
    VEC(struct csv_field) row;
    bool is_quoted;                // the heading, and so all rows
    int at[COLUMNS];               // -1: there is no such column
    int metrics[NCU_METRIC_COUNT]; // of the form with a column for each
    VEC(struct csv_field) heading;
};

static bool is_text(struct csv_field field, const char *text) {
    const size_t length = (size_t)(field.end - field.begin);
    return length == strlen(text) && memcmp(field.begin, text, length) == 0;
}

// NULL: it was split.
static const char *split(struct table *table, const char *line, const char *end) {
    table->row.length = 0;
    for (const char *at = line; at;) {
        struct csv_field field;
        const char *problem = csv_next(&at, end, &field);
        if (!problem && table->row.length == MOST_COLUMNS)
            problem = "it has more than 8192 columns";
        if (problem)
            return problem;
        vec_push(&table->row, field);
    }
    return NULL;
}

static int column_of(const struct table *table, const char *name) {
    for (size_t i = 0; i < table->row.length; i++)
        if (is_text(table->row.data[i], name))
            return (int)i;
    return -1;
}

static bool is_long(const struct table *table) {
    return table->at[METRIC] >= 0;
}

// The heading. NULL: it has what is needed.
static const char *read_heading(struct table *table) {
    bool has_metric = false;
    for (int i = 0; i < COLUMNS; i++)
        table->at[i] = column_of(table, column_text[i]);
    for (int m = 0; m < NCU_METRIC_COUNT; m++) {
        table->metrics[m] = column_of(table, ncu_metric_name((enum ncu_metric)m));
        has_metric |= table->metrics[m] >= 0;
    }
    for (int i = 0; i <= ARCH; i++)
        if (table->at[i] < 0)
            return "a column is missing: of ID, Kernel Name, Block Size, Grid Size, CC";
    if (is_long(table) ? table->at[VALUE] < 0 || table->at[UNIT] < 0 : !has_metric)
        return "no counter that bankrun has a count for";
    for (size_t i = 0; i < table->row.length; i++)
        vec_push(&table->heading, table->row.data[i]);
    return NULL;
}

// "4,096": digits, with commas between them.
static bool read_count(struct csv_field field, uint64_t *value) {
    *value = 0;
    if (field.begin == field.end)
        return false;
    for (const char *c = field.begin; c < field.end; c++) {
        const unsigned digit = (unsigned)(*c - '0');
        if (*c == ',')
            continue;
        if (digit > 9 || __builtin_mul_overflow(*value, 10, value) ||
            __builtin_add_overflow(*value, digit, value))
            return false;
    }
    return true;
}

// "(32, 32, 1)"
static bool read_shape(struct csv_field field, uint32_t shape[3]) {
    const char *c = field.begin;
    for (int axis = 0; axis < 3; axis++) {
        uint64_t value = 0;
        while (c < field.end && (*c == '(' || *c == ' ' || *c == ','))
            c++;
        const char *begin = c;
        for (; c < field.end && *c >= '0' && *c <= '9' && value <= UINT32_MAX; c++)
            value = value * 10 + (unsigned)(*c - '0');
        if (c == begin || value > UINT32_MAX)
            return false;
        shape[axis] = (uint32_t)value;
    }
    return true;
}

// "9.0", "12.0"
static bool read_arch(struct csv_field field, unsigned *arch) {
    unsigned numbers[2] = {0}, number = 0, digits = 0;
    for (const char *c = field.begin; c < field.end; c++) {
        if (*c == '.' && number == 0 && digits)
            number++;
        else if (*c >= '0' && *c <= '9' && digits++ < 4)
            numbers[number] = 10 * numbers[number] + (unsigned)(*c - '0');
        else
            return false;
    }
    *arch = 10 * numbers[0] + numbers[1];
    return number == 1;
}

// The launch that the row is of: the one before, or a new one. NULL: *problem says why.
static struct ncu_launch *launch_of(const struct table *table, ncu_launches *launches,
                                    const char **problem) {
    const struct csv_field *row = table->row.data;
    const struct csv_field kernel = row[table->at[KERNEL]];
    struct ncu_launch launch = {0};
    *problem = "the launch's number, its shape or its architecture cannot be read";
    if (!read_count(row[table->at[ID]], &launch.id))
        return NULL;
    if (launches->length && launches->data[launches->length - 1].id == launch.id)
        return &launches->data[launches->length - 1];
    if (!read_shape(row[table->at[BLOCK]], launch.block) ||
        !read_shape(row[table->at[GRID]], launch.grid) ||
        !read_arch(row[table->at[ARCH]], &launch.arch))
        return NULL;
    launch.kernel = base_strndup(kernel.begin, (size_t)(kernel.end - kernel.begin));
    vec_push(launches, launch);
    return &launches->data[launches->length - 1];
}

static const char *read_value(struct ncu_launch *launch, int metric, struct csv_field field) {
    if (!read_count(field, &launch->values[metric]))
        return "a counter is no whole number: `ncu --print-units base` gives such";
    launch->has[metric] = true;
    return NULL;
}

static const char *read_row(const struct table *table, ncu_launches *launches) {
    const char *problem;
    if (table->row.length != table->heading.length)
        return "it has not as many columns as the heading";
    struct ncu_launch *launch = launch_of(table, launches, &problem);
    if (!launch)
        return problem;
    problem = NULL;
    for (int m = 0; m < NCU_METRIC_COUNT && !problem; m++) {
        if (is_long(table) &&
            is_text(table->row.data[table->at[METRIC]], ncu_metric_name((enum ncu_metric)m)))
            problem = read_value(launch, m, table->row.data[table->at[VALUE]]);
        if (!is_long(table) && table->metrics[m] >= 0)
            problem = read_value(launch, m, table->row.data[table->metrics[m]]);
    }
    return problem;
}

static bool is_units(const struct table *table) {
    const struct csv_field *row = table->row.data;
    return !is_long(table) && table->row.length == table->heading.length &&
           row[table->at[ID]].begin == row[table->at[ID]].end;
}

static bool is_heading(const char *line, const char *end) {
    static const char quoted[] = "\"ID\",", plain[] = "ID,";
    return ((size_t)(end - line) >= sizeof quoted - 1 &&
            !memcmp(line, quoted, sizeof quoted - 1)) ||
           ((size_t)(end - line) >= sizeof plain - 1 && !memcmp(line, plain, sizeof plain - 1));
}

// One line, of which `table` knows the heading or not. NULL: it is read, or passed over.
static const char *read_line(struct table *table, const char *line, const char *end,
                             ncu_launches *launches) {
    const bool has_heading = table->heading.length > 0;
    // What the program and the tool print may stand between the rows, too.
    if (has_heading ? line == end || *line == '=' || (table->is_quoted && *line != '"')
                    : !is_heading(line, end))
        return NULL;
    const char *problem = split(table, line, end);
    if (problem)
        return problem;
    if (!has_heading) {
        table->is_quoted = *line == '"';
        return read_heading(table);
    }
    return is_units(table) ? NULL : read_row(table, launches);
}

bool ncu_read(const char *text, size_t length, ncu_launches *launches, struct strbuf *problem) {
    struct table table = {0};
    const char *wrong = NULL, *end = text + length;
    uint64_t number = 0;
    for (const char *line = text, *next; line < end && !wrong; line = next) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        next = stop ? stop + 1 : end;
        stop = stop ? stop : end;
        if (stop > line && stop[-1] == '\r')
            stop--;
        number++;
        wrong = read_line(&table, line, stop, launches);
    }
    if (wrong)
        strbuf_printf(problem, "line %llu: %s", (unsigned long long)number, wrong);
    else if (!table.heading.length)
        strbuf_puts(problem, "there is no row of headings that begins with ID: export it with "
                             "ncu --csv, or ncu --import FILE --csv");
    else if (!launches->length)
        strbuf_puts(problem, "there is no launch in it");
    vec_free(&table.row);
    vec_free(&table.heading);
    return problem->length == 0;
}

void ncu_free(ncu_launches *launches) {
    for (size_t i = 0; i < launches->length; i++)
        free(launches->data[i].kernel);
    vec_free(launches);
}
