// Machine code as it is kept: what an object becomes, and that what is none is refused.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <elf.h>

#include "compile/image.h"
#include "random_bits.h"
#include "sim/native/image.h"

#if defined(__x86_64__)
// float scale(float x, float y, float z): fmaf(x, y, z) * *factor, with both in other sections.
static const uint8_t code[] = {
    0x48, 0x83, 0xec, 0x08,             // sub $8, %rsp
    0xe8, 0,    0,    0,    0,          // call fmaf
    0xf3, 0x0f, 0x59, 0x05, 0, 0, 0, 0, // mulss factor(%rip), %xmm0
    0x48, 0x83, 0xc4, 0x08,             // add $8, %rsp
    0xc3,
};
static const float factor = 0.5f;

enum { NOTHING, TEXT, RELA, DATA, SYMBOLS, NAMES, SECTIONS };
enum { FIRST_SYMBOL, FACTOR_SYMBOL, SCALE_SYMBOL, OUTSIDE_SYMBOL, SYMBOL_COUNT };

struct object {
    Elf64_Ehdr head;
    Elf64_Shdr sections[SECTIONS];
    Elf64_Rela rela[2];
    Elf64_Sym symbols[SYMBOL_COUNT];
    uint8_t text[sizeof code];
    float data;
    char names[32];
};

static Elf64_Shdr section(uint32_t type, uint64_t flags, size_t offset, size_t bytes) {
    return (Elf64_Shdr){.sh_type = type,
                        .sh_flags = flags,
                        .sh_offset = offset,
                        .sh_size = bytes,
                        .sh_addralign = 16};
}

static struct object make_object(void) {
    struct object object = {
        .head = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64},
                 .e_machine = EM_X86_64,
                 .e_type = ET_REL,
                 .e_shoff = offsetof(struct object, sections),
                 .e_shnum = SECTIONS,
                 .e_shstrndx = NAMES},
        .rela = {{5, ELF64_R_INFO(OUTSIDE_SYMBOL, R_X86_64_PLT32), -4},
                 {13, ELF64_R_INFO(FACTOR_SYMBOL, R_X86_64_PC32), -4}},
        .symbols = {[FACTOR_SYMBOL] = {.st_shndx = DATA},
                    [SCALE_SYMBOL] = {.st_name = 1, .st_shndx = TEXT},
                    [OUTSIDE_SYMBOL] = {.st_name = 7}},
        .data = factor,
        .names = "\0scale\0fmaf",
    };
    memcpy(object.text, code, sizeof code);
    Elf64_Shdr *sections = object.sections;
    sections[TEXT] = section(SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, offsetof(struct object, text),
                             sizeof code);
    sections[RELA] = section(SHT_RELA, 0, offsetof(struct object, rela), sizeof object.rela);
    sections[RELA].sh_info = TEXT;
    sections[DATA] = section(SHT_PROGBITS, SHF_ALLOC, offsetof(struct object, data), sizeof(float));
    sections[SYMBOLS] =
        section(SHT_SYMTAB, 0, offsetof(struct object, symbols), sizeof object.symbols);
    sections[SYMBOLS].sh_link = NAMES;
    sections[NAMES] = section(SHT_STRTAB, 0, offsetof(struct object, names), sizeof object.names);
    return object;
}

static uint8_t *make(const struct object *object, const char *entry, size_t *bytes) {
    const char *why;
    uint8_t *image = image_make(object, sizeof *object, entry, bytes, &why);
    assert_true((image == NULL) == (why != NULL));
    return image;
}

static void test_runs(void **state) {
    (void)state;
    const struct object object = make_object();
    size_t bytes;
    uint8_t *made = make(&object, "scale", &bytes);
    assert_non_null(made);
    for (int round = 0; round < 3; round++) { // each at another place
        struct native_image image;
        assert_true(native_image_load(made, bytes, &image));
        float (*scale)(float, float, float);
        memcpy(&scale, &image.entry, sizeof scale);
        assert_true(scale(3, 5, 7) == 11);
        native_image_free(&image);
        assert_null(image.at);
    }
    free(made);
}

static void refuse(const struct object *object, const char *entry) {
    size_t bytes;
    assert_null(make(object, entry, &bytes));
}

static void test_objects(void **state) {
    (void)state;
    refuse(&(struct object){0}, "scale");
    struct object object = make_object();
    refuse(&object, "other");
    object.head.e_machine = EM_AARCH64;
    refuse(&object, "scale");
    object = make_object();
    object.names[7] = 'g'; // calls gmaf
    refuse(&object, "scale");
    object = make_object();
    object.rela[1].r_info = ELF64_R_INFO(FACTOR_SYMBOL, R_X86_64_32);
    refuse(&object, "scale");
    object = make_object();
    object.sections[DATA].sh_flags |= SHF_WRITE;
    refuse(&object, "scale");
    object = make_object();
    object.symbols[FACTOR_SYMBOL].st_shndx = NAMES;
    refuse(&object, "scale");
    object = make_object();
    object.rela[1].r_addend = 1ll << 32;
    refuse(&object, "scale");
}

// The head of what is loaded says where its parts are: whatever it says nothing is read beyond.
static void test_images(void **state) {
    (void)state;
    const struct object object = make_object();
    size_t bytes;
    uint8_t *made = make(&object, "scale", &bytes), *copy = malloc(bytes);
    struct native_image image;
    for (size_t length = 0; length < bytes; length++) {
        memcpy(copy, made, length);
        assert_false(native_image_load(copy, length, &image));
        assert_null(image.at);
    }
    for (int i = 0; i < 3000; i++) {
        memcpy(copy, made, bytes);
        const uint64_t word = i % 2 ? random_bits() : random_bits() % (2 * bytes);
        memcpy(copy + random_bits() % (sizeof(struct native_image_head) / 8) * 8, &word, 8);
        if (native_image_load(copy, bytes, &image))
            native_image_free(&image);
    }
    struct native_image_head head;
    memcpy(&head, made, sizeof head);
    memset(made + head.slots, 0xff, 8); // no function has that number
    assert_false(native_image_load(made, bytes, &image));
    free(copy);
    free(made);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs),
        cmocka_unit_test(test_objects),
        cmocka_unit_test(test_images),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
static void test_nothing(void **state) {
    (void)state;
    size_t bytes;
    const char *why;
    const uint64_t object[16] = {0};
    assert_null(image_make(object, sizeof object, "scale", &bytes, &why));
    assert_non_null(why);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
