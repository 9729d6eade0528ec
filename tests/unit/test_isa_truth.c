// The simulator against what an H200 computed for each instruction form (truth/isa): the kernels of
// a file run here on the same operands, and every row of results is compared.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa_truth.h"
#include "sim/sim.h"

enum {
    MOST_FAMILIES = 64,
    SHOWN_FORMS = 12, // of those that disagree
    SHOWN_ROWS = 3,   // of each
};

// A sanitized build runs one form of so many: it is slow, and the code is the same.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { STEP = 11 };
#else
enum { STEP = 1 };
#endif

struct device {
    struct source source;
    struct ptx_module *ptx;
    struct ir_module *ir;
    struct diag_list diags;
    struct sim *sim;
    struct sim_module *module;
    uint8_t **tables; // in the device's memory
};

struct tally {
    unsigned forms, agreed, stated; // stated to differ, and they do
    bool is_quiet;
};

// ---- One file -----------------------------------------------------------------------------------

static char *module_text(const struct truth_file *file, unsigned step) {
    size_t size = strlen(file->head) + 1, at;
    for (unsigned i = 0; i < file->form_count; i += step)
        size += strlen(file->forms[i].kernel);
    char *text = malloc(size);
    assert_non_null(text);
    at = strlen(file->head);
    memcpy(text, file->head, at + 1);
    for (unsigned i = 0; i < file->form_count; i += step) {
        const size_t length = strlen(file->forms[i].kernel);
        memcpy(text + at, file->forms[i].kernel, length + 1);
        at += length;
    }
    return text;
}

static void open_device(struct device *d, const struct truth_file *file, char *text) {
    *d = (struct device){.source = {"truth.ptx", text, strlen(text)}};
    d->ptx = ptx_parse(&d->source, &d->diags);
    if (!d->diags.errors)
        d->ir = ir_build(d->ptx, &d->diags);
    if (d->diags.errors)
        diag_print(&d->diags, stderr, false);
    assert_int_equal(d->diags.errors, 0);
    d->sim = sim_create(&(struct sim_config){.arch = 90, .threads = 1});
    d->module = sim_module_load(d->sim, d->ir, NULL, &d->diags);
    assert_non_null(d->module);
    d->tables = calloc(file->table_count, sizeof *d->tables);
    assert_non_null(d->tables);
    for (unsigned i = 0; i < file->table_count; i++) {
        const struct truth_table *table = &file->tables[i];
        const size_t bytes = (size_t)table->rows * table->layout.row_bytes;
        d->tables[i] = sim_alloc(d->sim, bytes, SIM_DEVICE);
        assert_non_null(d->tables[i]);
        memcpy(d->tables[i], table->data, bytes);
    }
}

static void close_device(struct device *d) {
    free(d->tables);
    sim_module_unload(d->module, NULL);
    sim_destroy(d->sim);
    ir_free(d->ir);
    ptx_module_free(d->ptx);
    diag_free(&d->diags);
}

static void show_row(const struct truth_form *form, unsigned row, const uint8_t *got) {
    char operands[512], expected[256], given[256];
    const struct truth_layout *in = &form->table->layout, *out = &form->results;
    truth_print_row(operands, sizeof operands, in, true, form->table->data + row * in->row_bytes);
    truth_print_row(expected, sizeof expected, out, false, form->expect + row * out->row_bytes);
    truth_print_row(given, sizeof given, out, false, got + row * out->row_bytes);
    print_error("    row %u: of %s\n        expected %s\n        got      %s\n", row, operands,
                expected, given);
}

static bool agrees(const struct truth_form *form, const uint8_t *got, bool shows) {
    unsigned wrong = 0;
    for (unsigned row = 0; row < form->table->rows; row++) {
        const size_t at = (size_t)row * form->results.row_bytes;
        if (truth_row_agrees(form, form->expect + at, got + at))
            continue;
        if (wrong == 0 && shows)
            print_error("%s\n", form->text);
        if (++wrong <= SHOWN_ROWS && shows)
            show_row(form, row, got);
    }
    if (wrong > SHOWN_ROWS && shows)
        print_error("    %u rows of %u differ\n", wrong, form->table->rows);
    return wrong == 0;
}

// Runs a form's kernel; false: it was refused or failed.
static bool run_form(struct device *d, const struct truth_file *file, unsigned index,
                     uint8_t *out) {
    const struct truth_form *form = &file->forms[index];
    char name[16];
    snprintf(name, sizeof name, "k%u", index);
    struct sim_kernel *kernel = sim_module_kernel(d->module, name, &d->diags);
    if (!kernel) {
        print_error("%s\n    is refused\n", form->text);
        return false;
    }
    const void *parameters[2] = {d->tables[form->table - file->tables], out};
    const struct sim_launch launch = {.grid = {form->table->rows / form->block, 1, 1},
                                      .block = {form->block, 1, 1},
                                      .dynamic_shared_bytes = form->shared,
                                      .parameters = parameters};
    struct sim_result result;
    sim_launch(kernel, &launch, &result);
    if (result.fault)
        print_error("%s\n    %s\n", form->text, result.message);
    const bool is_fine = !result.fault;
    sim_result_free(&result);
    return is_fine;
}

static void compare_form(struct device *d, const struct truth_file *file, unsigned index,
                         struct tally *tally) {
    const struct truth_form *form = &file->forms[index];
    const size_t bytes = (size_t)form->table->rows * form->results.row_bytes;
    const unsigned disagreeing = tally->forms - tally->agreed - tally->stated;
    uint8_t *out = sim_alloc(d->sim, bytes, SIM_DEVICE);
    assert_non_null(out);
    memset(out, 0, bytes);
    tally->forms++;
    if (run_form(d, file, index, out)) {
        const bool shows = !tally->is_quiet && !form->is_stated && disagreeing < SHOWN_FORMS;
        const bool is_equal = agrees(form, out, shows);
        if (is_equal && form->is_stated)
            print_error("%s\n    is stated to differ, and does not\n", form->text);
        tally->agreed += is_equal && !form->is_stated;
        tally->stated += !is_equal && form->is_stated;
    }
    sim_free(d->sim, out);
}

static void compare_file(const struct truth_file *file, unsigned step, struct tally *tally) {
    struct device device;
    char *text = module_text(file, step);
    open_device(&device, file, text);
    for (unsigned i = 0; i < file->form_count; i += step)
        compare_form(&device, file, i, tally);
    close_device(&device);
    free(text);
}

// ---- All files ----------------------------------------------------------------------------------

struct family {
    char path[512], name[64];
    char *differences; // path of the list
};

static void read_family(struct truth_file *file, const struct family *family) {
    char error[256];
    if (!truth_read(file, family->path, error))
        fail_msg("%s", error);
    assert_true(file->form_count > 0);
    assert_true(truth_state_differences(file, family->differences));
}

static void test_family(void **state) {
    const struct family *family = *state;
    struct truth_file file;
    struct tally tally = {0};
    read_family(&file, family);
    compare_file(&file, STEP, &tally);
    print_message("%s: agree %u of %u forms", family->name, tally.agreed, tally.forms);
    print_message(tally.stated ? ", %u more are stated to differ\n" : "\n", tally.stated);
    truth_free(&file);
    assert_int_equal(tally.agreed + tally.stated, tally.forms);
}

// One bit of the results is changed: the form that it belongs to, and no other, disagrees.
static void test_changed_bit(void **state) {
    const struct family *family = *state;
    struct truth_file file;
    read_family(&file, family);
    const unsigned step = file.form_count / 5 + 1;
    struct tally before = {.is_quiet = true}, after = {.is_quiet = true};
    compare_file(&file, step, &before);
    struct truth_form *form = &file.forms[step];
    form->expect[form->results.row_bytes * (size_t)(form->table->rows - 1)] ^= 1;
    compare_file(&file, step, &after);
    assert_int_equal(before.agreed, before.forms);
    assert_int_equal(after.agreed, before.agreed - 1);
    truth_free(&file);
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const struct family *)a)->name, ((const struct family *)b)->name);
}

static size_t list_families(struct family *families) {
    const char *root = getenv("BANKRUN_SOURCE");
    static char folder[256], differences[300];
    snprintf(folder, sizeof folder, "%s/truth/isa", root ? root : ".");
    snprintf(differences, sizeof differences, "%s/differences.txt", folder);
    DIR *dir = opendir(folder);
    size_t count = 0;
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        const char *end = strstr(entry->d_name, ".gz");
        if (!end || end[3] || count == MOST_FAMILIES)
            continue;
        struct family *family = &families[count++];
        family->differences = differences;
        snprintf(family->name, sizeof family->name, "%.*s", (int)(end - entry->d_name),
                 entry->d_name);
        snprintf(family->path, sizeof family->path, "%s/%.200s", folder, entry->d_name);
    }
    if (dir)
        closedir(dir);
    qsort(families, count, sizeof *families, by_name);
    return count;
}

int main(void) {
    static struct family families[MOST_FAMILIES];
    struct CMUnitTest tests[MOST_FAMILIES + 1];
    const size_t count = list_families(families);
    if (count == 0) {
        print_error("no file in truth/isa\n");
        return 1;
    }
    for (size_t i = 0; i < count; i++)
        tests[i] = (struct CMUnitTest){families[i].name, test_family, NULL, NULL, &families[i]};
    tests[count] = (struct CMUnitTest){"changed_bit", test_changed_bit, NULL, NULL, &families[0]};
    return _cmocka_run_group_tests("isa_truth", tests, count + 1, NULL, NULL);
}
