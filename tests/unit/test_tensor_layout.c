// The 128 bytes of tensor maps (sim/tensor/layout.c) against what the driver's encoder and
// tensormap.replace of an H100 made of the same fields (truth/h100_tensor_layout.txt.gz).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "sim/tensor/map.h"

enum { LINE = 1024, WORDS = SIM_TENSOR_MAP_BYTES / 4 };

static const char *text_of(const char *line, const char *name) {
    const size_t length = strlen(name);
    for (const char *at = strstr(line, name); at; at = strstr(at + 1, name))
        if (at[length] == '=' && (at == line || at[-1] == ' '))
            return at + length + 1;
    return NULL;
}

static uint64_t number_of(const char *line, const char *name) {
    const char *text = text_of(line, name);
    return text ? strtoull(text, NULL, 0) : 0;
}

static bool is_word(const char *line, const char *name, const char *word) {
    const char *text = text_of(line, name);
    const size_t length = strlen(word);
    return text && strncmp(text, word, length) == 0 &&
           (text[length] == ' ' || text[length] == '\n');
}

static void numbers_of(const char *line, const char *name, int64_t *to, unsigned count) {
    const char *text = text_of(line, name);
    for (unsigned i = 0; i < count; i++)
        to[i] = 0;
    for (unsigned i = 0; text && i < count; i++) {
        char *end;
        to[i] = strtoll(text, &end, 0);
        text = *end == ',' ? end + 1 : NULL;
    }
}

// `= ` and 32 words. False: something else.
static bool read_words(const char *line, uint32_t words[WORDS]) {
    char *at = (char *)(uintptr_t)line + 1;
    if (line[0] != '=' || strlen(line) < 9 * WORDS)
        return false;
    for (unsigned i = 0; i < WORDS; i++)
        words[i] = (uint32_t)strtoul(at, &at, 16);
    return *at == '\n';
}

static struct sim_tensor_map map_of(const char *line) {
    int64_t size[5], stride[4], step[5], box[5], lower[3], upper[3];
    numbers_of(line, "size", size, 5);
    numbers_of(line, "stride", stride, 4);
    numbers_of(line, "step", step, 5);
    numbers_of(line, "box", box, 5);
    numbers_of(line, "lower", lower, 3);
    numbers_of(line, "upper", upper, 3);
    struct sim_tensor_map map = {.address = number_of(line, "address"),
                                 .is_im2col = is_word(line, "map", "im2col"),
                                 .rank = (uint8_t)number_of(line, "rank"),
                                 .type = (uint8_t)number_of(line, "type"),
                                 .swizzle = (uint8_t)number_of(line, "sw"),
                                 .interleave = (uint8_t)number_of(line, "il"),
                                 .promotion = (uint8_t)number_of(line, "l2"),
                                 .fills_nan = number_of(line, "fill") != 0,
                                 .pixels = (uint16_t)number_of(line, "px")};
    for (unsigned i = 0; i < map.rank; i++) {
        map.last[i] = (uint32_t)(size[i] - 1);
        map.steps[i] = (uint8_t)step[i];
        map.box[i] = map.is_im2col ? 0 : (uint16_t)box[i];
        if (i > 0)
            map.strides[i - 1] = (uint64_t)stride[i - 1];
        if (i + 2u < map.rank) {
            map.lower[i] = (int16_t)lower[i];
            map.upper[i] = (int16_t)upper[i];
        }
    }
    if (map.is_im2col)
        map.box[0] = (uint16_t)number_of(line, "ch");
    return map;
}

static void hold_words(const char *line, const uint32_t *made, const uint32_t *wanted) {
    for (unsigned i = 0; i < WORDS; i++)
        if (made[i] != wanted[i])
            fail_msg("%sword %u is %08x, and %08x on the GPU", line, i, made[i], wanted[i]);
}

static void hold_encoded(const char *line, const uint32_t *wanted) {
    const struct sim_tensor_map map = map_of(line);
    struct sim_tensor_map back;
    uint32_t made[WORDS], again[WORDS];
    sim_tensor_map_write(&map, made);
    hold_words(line, made, wanted);
    // What copies read of it is what went in.
    sim_tensor_map_read(wanted, &back);
    sim_tensor_map_write(&back, again);
    assert_int_equal(back.rank, map.rank);
    assert_int_equal(back.type, map.type);
    assert_memory_equal(back.strides, map.strides, sizeof *map.strides * (map.rank - 1u));
    assert_memory_equal(back.lower, map.lower, sizeof map.lower);
    hold_words(line, again, wanted);
}

static void hold_replaced(const char *line, uint32_t *words, const uint32_t *wanted) {
    static const char *const names[] = {[SIM_TENSOR_ADDRESS] = "global_address",
                                        [SIM_TENSOR_RANK_LESS_ONE] = "rank",
                                        [SIM_TENSOR_BOX] = "box_dim",
                                        [SIM_TENSOR_SIZE] = "global_dim",
                                        [SIM_TENSOR_STRIDE] = "global_stride",
                                        [SIM_TENSOR_STEP] = "element_stride",
                                        [SIM_TENSOR_ELEMENT] = "elemtype",
                                        [SIM_TENSOR_INTERLEAVE] = "interleave_layout",
                                        [SIM_TENSOR_SWIZZLE] = "swizzle_mode",
                                        [SIM_TENSOR_ATOM] = "swizzle_atomicity",
                                        [SIM_TENSOR_FILL] = "fill_mode"};
    for (unsigned f = 0; f < sizeof names / sizeof *names; f++) {
        if (!is_word(line, "field", names[f]))
            continue;
        assert_true(sim_tensor_map_replace(words, (enum sim_tensor_field)f,
                                           (unsigned)number_of(line, "place"),
                                           number_of(line, "value")));
        hold_words(line, words, wanted);
        return;
    }
    fail_msg("%sno such field", line);
}

static void bytes_are_those_of_the_gpu(void **state) {
    (void)state;
    gzFile file = gzopen("truth/h100_tensor_layout.txt.gz", "rb");
    char given[LINE] = "", line[LINE];
    unsigned encoded = 0, replaced = 0;
    assert_non_null(file);
    while (gzgets(file, line, sizeof line)) {
        uint32_t wanted[WORDS], words[WORDS] = {0};
        if (strncmp(line, "op=", 3) == 0) {
            strcpy(given, line);
            continue;
        }
        if (!read_words(line, wanted))
            continue;
        // cuTensorMapEncodeIm2colWide, of devices of 10.0, has other corners.
        if (is_word(given, "op", "encode") && !text_of(given, "wide")) {
            hold_encoded(given, wanted);
            encoded++;
        }
        const bool is_ones = is_word(given, "from", "ones");
        if (is_word(given, "op", "replace") && (is_ones || is_word(given, "from", "zeros"))) {
            memset(words, is_ones ? 0xff : 0, sizeof words);
            hold_replaced(given, words, wanted);
            replaced++;
        }
    }
    gzclose(file);
    assert_int_equal(encoded, 1641);
    assert_int_equal(replaced, 1128);
}

// What a swizzle keeps together, of which 9.0 has no field; and nothing is read of the last 16
// words.
static void atoms_are_read_as_written(void **state) {
    (void)state;
    for (unsigned atom = SIM_TENSOR_ATOM_16; atom <= SIM_TENSOR_ATOM_64; atom++) {
        const struct sim_tensor_map map = {.last = {63, 63},
                                           .strides = {256},
                                           .box = {32, 32},
                                           .steps = {1, 1},
                                           .rank = 2,
                                           .type = SIM_TENSOR_F32,
                                           .swizzle = SIM_TENSOR_SWIZZLE_128,
                                           .atom = (uint8_t)atom};
        struct sim_tensor_map back;
        uint32_t words[WORDS];
        sim_tensor_map_write(&map, words);
        memset(words + WORDS / 2, 0xa5, sizeof words / 2);
        sim_tensor_map_read(words, &back);
        assert_int_equal(back.atom, atom);
        assert_int_equal(sim_tensor_map_is_good(&back), atom != SIM_TENSOR_ATOM_32_FLIP);
        assert_int_equal(sim_tensor_map_replace(words, SIM_TENSOR_ATOM, 0, SIM_TENSOR_ATOM_64),
                         true);
        sim_tensor_map_read(words, &back);
        assert_int_equal(back.atom, SIM_TENSOR_ATOM_64);
        assert_int_equal(back.swizzle, SIM_TENSOR_SWIZZLE_128);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_those_of_the_gpu),
        cmocka_unit_test(atoms_are_read_as_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
