// Calibration without a GPU: patterns, kernels, comparison and files, with a meter that answers
// from the model itself, or wrongly.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "calibrate/calibrate.h"

struct fake {
    double unit;      // cycles of a wavefront
    const char *slow; // this instruction takes three wavefronts more; NULL: none
};

static bool measure(void *context, const struct calibrate_instruction *instruction,
                    const struct calibrate_pattern *patterns, size_t count, double *cycles,
                    struct diag_list *diags) {
    (void)diags;
    const struct fake *fake = context;
    for (size_t i = 0; i < count; i++) {
        struct bankrun_request request = {instruction->access, instruction->width,
                                          instruction->matrices, patterns[i].mask,
                                          patterns[i].offsets};
        struct bankrun_cost cost;
        assert_int_equal(bankrun_count(90, &request, &cost), BANKRUN_OK);
        cycles[i] = fake->unit * bankrun_cycles(90, &request, &cost);
        if (fake->slow && !strcmp(fake->slow, instruction->name))
            cycles[i] += 12 * fake->unit;
    }
    return true;
}

static void test_agreement(void **state) {
    (void)state;
    struct fake fake = {2.0, NULL};
    struct calibrate_meter meter = {measure, &fake};
    struct calibrate_plan plan = {.patterns = 50, .gpu_arch = 90, .model_arch = 90};
    struct calibrate_result result;
    struct diag_list diags = {0};
    size_t count;
    calibrate_instructions(&count);
    assert_true(calibrate_compare(&plan, &meter, &result, &diags));
    assert_int_equal(result.rows.length, 50 * count);
    assert_int_equal(result.agree, result.rows.length);
    assert_true(result.unit == 2.0);
    calibrate_free(&result);
    plan.gpu_arch = 80; // has no stmatrix
    assert_true(calibrate_compare(&plan, &meter, &result, &diags));
    assert_int_equal(result.left_out.length, 4);
    calibrate_free(&result);
}

static void test_disagreement(void **state) {
    (void)state;
    struct fake fake = {1.0, "st.shared.u64"};
    struct calibrate_meter meter = {measure, &fake};
    struct calibrate_plan plan = {.patterns = 10, .gpu_arch = 90, .model_arch = 90};
    struct calibrate_result result;
    struct diag_list diags = {0};
    struct strbuf text = {0};
    assert_true(calibrate_compare(&plan, &meter, &result, &diags));
    assert_true(result.agree < result.rows.length);
    assert_true(result.rows.length - result.agree <= 10);
    calibrate_write_report(&result, 1, &text);
    assert_non_null(
        strstr(text.data, "st.shared.u64\n    lanes 0xffffffff: model 2, measured 14.00"));
    assert_null(strstr(text.data, "st.shared.u32\n"));
    strbuf_free(&text);
    calibrate_write_truth(&result, &text);
    assert_int_equal(strncmp(text.data, "instruction,active_mask,byte_offsets,", 37), 0);
    assert_non_null(strstr(text.data, "\nst.shared.u64,0xffffffff,0 8 16 "));
    strbuf_free(&text);
    calibrate_free(&result);
    plan.only = calibrate_find("ld.shared.u32");
    assert_true(calibrate_compare(&plan, &meter, &result, &diags));
    assert_int_equal(result.rows.length, 10);
    calibrate_free(&result);
}

static bool break_off(void *context, const struct calibrate_instruction *instruction,
                      const struct calibrate_pattern *patterns, size_t count, double *cycles,
                      struct diag_list *diags) {
    (void)context, (void)instruction, (void)patterns, (void)count, (void)cycles;
    diag_error(diags, "gone");
    return false;
}

static void test_failure(void **state) {
    (void)state;
    struct calibrate_meter meter = {break_off, NULL};
    struct calibrate_plan plan = {.patterns = 10, .gpu_arch = 90, .model_arch = 90};
    struct calibrate_result result;
    struct diag_list diags = {0};
    assert_false(calibrate_compare(&plan, &meter, &result, &diags));
    assert_int_equal(diags.errors, 1);
    calibrate_free(&result);
    diag_free(&diags);
}

static void test_patterns(void **state) {
    (void)state;
    size_t count;
    const struct calibrate_instruction *all = calibrate_instructions(&count);
    for (size_t i = 0; i < count; i++) {
        struct calibrate_pattern patterns[200], again[200];
        calibrate_make_patterns(&all[i], 200, patterns);
        calibrate_make_patterns(&all[i], 200, again);
        assert_memory_equal(patterns, again, sizeof patterns);
        for (size_t n = 0; n < 200; n++) {
            assert_true(patterns[n].mask != 0);
            for (unsigned lane = 0; lane < BANKRUN_LANES; lane++) {
                assert_int_equal(patterns[n].offsets[lane] % all[i].width, 0);
                assert_true(patterns[n].offsets[lane] + all[i].width <= CALIBRATE_SHARED_BYTES);
            }
        }
        assert_ptr_equal(calibrate_find(all[i].name), &all[i]);
    }
    assert_null(calibrate_find("ld.shared"));
}

static void test_ptx(void **state) {
    (void)state;
    struct strbuf text = {0};
    calibrate_write_ptx(calibrate_find("ld.shared.u32"), 75, &text);
    assert_non_null(strstr(text.data, ".target sm_75\n"));
    assert_non_null(strstr(text.data, "ld.volatile.shared.u32 r0, [a];"));
    assert_non_null(strstr(text.data, "mov.u32 thread, %tid.x;"));
    strbuf_free(&text);
    calibrate_write_ptx(calibrate_find("ld.shared.u32"), 121,
                        &text); // the driver goes on from there
    assert_non_null(strstr(text.data, ".target sm_90\n"));
    strbuf_free(&text);
}

// Answers with what was measured on an H200: the rows of truth/h200_calibrate.csv.gz, in order.
static bool replay(void *context, const struct calibrate_instruction *instruction,
                   const struct calibrate_pattern *patterns, size_t count, double *cycles,
                   struct diag_list *diags) {
    (void)diags;
    FILE *file = context;
    char line[4096];
    if (count == 1) { // the unit
        *cycles = 32;
        return true;
    }
    for (size_t i = 0; i < count; i++) {
        assert_non_null(fgets(line, sizeof line, file));
        char *at = strchr(line, ',');
        assert_non_null(at);
        *at++ = '\0';
        assert_string_equal(line, instruction->name);
        assert_int_equal(strtoul(at, &at, 16), patterns[i].mask);
        at++;
        for (size_t lane = 0; lane < BANKRUN_LANES; lane++)
            assert_int_equal(strtoul(at, &at, 10), patterns[i].offsets[lane]);
        cycles[i] = strtod(at + 1, NULL);
    }
    return true;
}

static void test_truth(void **state) {
    (void)state;
    const char *root = getenv("BANKRUN_SOURCE");
    char command[4096], line[4096];
    snprintf(command, sizeof command, "zcat '%s/truth/h200_calibrate.csv.gz'", root ? root : ".");
    FILE *file = popen(command, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    struct calibrate_meter meter = {replay, file};
    struct calibrate_plan plan = {.patterns = CALIBRATE_PATTERNS, .gpu_arch = 90, .model_arch = 90};
    struct calibrate_result result;
    struct diag_list diags = {0};
    assert_true(calibrate_compare(&plan, &meter, &result, &diags));
    assert_null(fgets(line, sizeof line, file));
    assert_int_equal(pclose(file), 0);
    print_message("agree %zu of %zu\n", result.agree, result.rows.length);
    assert_int_equal(result.rows.length, 11100);
    assert_int_equal(result.agree, result.rows.length);
    calibrate_free(&result);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_agreement), cmocka_unit_test(test_disagreement),
        cmocka_unit_test(test_failure),   cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_ptx),       cmocka_unit_test(test_truth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
