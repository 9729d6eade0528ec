// Narrow floats and video arithmetic, number by number.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ir/number/half.h"
#include "ir/number/narrow.h"
#include "ir/number/video.h"

static const enum ptx_type types[] = {PTX_E4M3X2, PTX_E5M2X2, PTX_E2M1X2, PTX_E2M3X2, PTX_E3M2X2};
enum { TYPES = sizeof types / sizeof *types };

static float value_of(const struct num_narrow *format, uint32_t bits) {
    return num_f32_of_f16((uint16_t)num_f16_of_narrow(format, bits, false));
}

// Every number comes back as it was; infinity and what is too large becomes the largest.
static void test_narrow_numbers_return(void **state) {
    (void)state;
    for (int t = 0; t < TYPES; t++) {
        const struct num_narrow *format = num_narrow_format(types[t]);
        const uint32_t sign = 1u << (format->fraction + format->exponent);
        for (uint32_t bits = 0; bits <= format->largest; bits++) {
            assert_int_equal(num_narrow_of_f32(format, value_of(format, bits), false), bits);
            assert_int_equal(num_narrow_of_f32(format, value_of(format, bits | sign), false),
                             bits | sign);
            assert_int_equal(num_narrow_of_f32(format, value_of(format, bits | sign), true), 0);
        }
        assert_int_equal(num_narrow_of_f32(format, INFINITY, false), format->largest);
        assert_int_equal(num_narrow_of_f32(format, -3e38f, false), format->largest | sign);
        assert_int_equal(num_narrow_of_f32(format, NAN, false), format->nan);
    }
}

// Halfway between neighbours the even one wins; a little more, and the upper one does.
static void test_narrow_rounds_to_even(void **state) {
    (void)state;
    for (int t = 0; t < TYPES; t++) {
        const struct num_narrow *format = num_narrow_format(types[t]);
        for (uint32_t bits = 0; bits < format->largest; bits++) {
            const float low = value_of(format, bits), high = value_of(format, bits + 1);
            const float middle = (low + high) / 2;
            assert_int_equal(num_narrow_of_f32(format, middle, false), bits + (bits & 1));
            assert_int_equal(num_narrow_of_f32(format, nextafterf(middle, 0), false), bits);
            assert_int_equal(num_narrow_of_f32(format, nextafterf(middle, 1e9f), false), bits + 1);
        }
    }
}

static void test_scales(void **state) {
    (void)state;
    assert_int_equal(num_scale_of_f32(1, false, false), 127);
    assert_int_equal(num_scale_of_f32(1.5f, false, false), 127);
    assert_int_equal(num_scale_of_f32(1.5f, true, false), 128);
    assert_int_equal(num_scale_of_f32(-1.5f, true, false), 128);
    assert_int_equal(num_scale_of_f32(0, true, false), 0);
    assert_int_equal(num_scale_of_f32(0x1p-127f, true, false), 0);
    assert_int_equal(num_scale_of_f32(0x1.8p-127f, true, false), 1);
    assert_int_equal(num_scale_of_f32(0x1.8p127f, true, false), 255);
    assert_int_equal(num_scale_of_f32(0x1.8p127f, true, true), 254);
    assert_int_equal(num_scale_of_f32(INFINITY, false, true), 254);
    assert_int_equal(num_scale_of_f32(NAN, false, true), 255);
    for (uint32_t scale = 0; scale < 255; scale++) {
        const float value = num_f32_of_bf16((uint16_t)num_bf16_of_scale(scale));
        assert_true(value == ldexpf(1, (int)scale - 127));
        assert_int_equal(num_scale_of_f32(value, true, false), scale);
    }
}

static struct video whole(enum video_operation operation, bool is_signed) {
    return (struct video){.operation = operation,
                          .lanes = 1,
                          .bits = 32,
                          .a = {.bits = 32},
                          .b = {.bits = 32},
                          .a_signed = is_signed,
                          .b_signed = is_signed,
                          .d_signed = is_signed};
}

// The PTX ISA computes with more than 32 bits; the GPU's code generator does not always.
static void test_video_saturates_wide_results(void **state) {
    (void)state;
    struct video v = whole(VIDEO_ADD, false);
    v.sat = true;
    assert_int_equal(num_video(&v, 0xffffffff, 1, 0), 0);
    v = whole(VIDEO_SUB, true);
    v.sat = true;
    assert_int_equal(num_video(&v, 0x80000000, 1, 0), 0x80000000);
    v.d_signed = false;
    assert_int_equal(num_video(&v, 1, 2, 0), 0);
    v = whole(VIDEO_SHL, false);
    assert_int_equal(num_video(&v, 3, 40, 0), 0);
    v.wrap = true;
    assert_int_equal(num_video(&v, 3, 40, 0), 0x300);
}

// What a sum of 32 bits has lost is not there for the minimum with c; a difference keeps 33 bits.
static void test_video_second_operations(void **state) {
    (void)state;
    struct video v = whole(VIDEO_ADD, true);
    v.second = VIDEO_GREATER;
    assert_int_equal(num_video(&v, 0x7fffffff, 8, 0x80), 0x80);
    v.d_signed = false;
    assert_int_equal(num_video(&v, 0xffffff00, 0, 0xfffffff0), 0xffffff00);
    v = whole(VIDEO_ABSDIFF, true);
    v.second = VIDEO_GREATER;
    assert_int_equal(num_video(&v, 0x80000000, 1, 5), 0x80000001);
    v = whole(VIDEO_SHR, false);
    v.second = VIDEO_LESSER;
    assert_int_equal(num_video(&v, 0x80000000, 0, 0xffffff00), 0x80000000);
    v.sat = v.wrap = true;
    assert_int_equal(num_video(&v, 0x80000000, 0, 0xffffff00), 0xffffff00);
}

static void test_video_multiply_add(void **state) {
    (void)state;
    struct video v = whole(VIDEO_MAD, false);
    v.scale = 15;
    assert_int_equal(num_video(&v, 0xffffffff, 0xffffffff, 0xffffffff), 0);
    v.sat = true;
    assert_int_equal(num_video(&v, 0xffffffff, 0xffffffff, 0), 0);
    v.scale = 0;
    assert_int_equal(num_video(&v, 0xffffffff, 0xffffffff, 0), 1);
    v = whole(VIDEO_MAD, true);
    v.sat = v.negate_ab = true;
    assert_int_equal(num_video(&v, 0x80000000, 0x80000000, 0), 0x80000000);
    v.negate_ab = false;
    v.negate_c = true;
    assert_int_equal(num_video(&v, 2, 3, 7), 0xffffffff);
}

static void test_video_merges_and_selects(void **state) {
    (void)state;
    struct video v = whole(VIDEO_ADD, false);
    v.a = (struct video_part){8, {2}};
    v.b = (struct video_part){16, {1}};
    v.second = VIDEO_MERGE;
    v.bits = 16;
    v.mask = 2;
    assert_int_equal(num_video(&v, 0x00ab0000, 0x10010000, 0x12345678), 0x00005678);
    v.mask = 1;
    assert_int_equal(num_video(&v, 0x00ab0000, 0x10010000, 0x12345678), 0x123410ac);
    v.d_signed = v.b_signed = v.sat = true; // too small: the largest
    assert_int_equal(num_video(&v, 0x00ab0000, 0x80010000, 0x12345678), 0x12347fff);
    // Four bytes of {b, a}, two of which are added up.
    struct video four = {.operation = VIDEO_MAX,
                         .second = VIDEO_ACCUMULATE,
                         .lanes = 4,
                         .bits = 8,
                         .mask = 5,
                         .a = {8, {0, 1, 2, 3}},
                         .b = {8, {4, 5, 6, 7}}};
    assert_int_equal(num_video(&four, 0x01020304, 0x04030201, 1000), 1000 + 4 + 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_narrow_numbers_return),
        cmocka_unit_test(test_narrow_rounds_to_even),
        cmocka_unit_test(test_scales),
        cmocka_unit_test(test_video_saturates_wide_results),
        cmocka_unit_test(test_video_second_operations),
        cmocka_unit_test(test_video_multiply_add),
        cmocka_unit_test(test_video_merges_and_selects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
