// Fat binaries, program files, the linker of PTX texts, and the compiler as a subprocess.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/file.h"
#include "toolchain/compile.h"
#include "toolchain/device_runtime.h"
#include "toolchain/elf_info.h"
#include "toolchain/fatbin.h"
#include "toolchain/link.h"
#include "toolchain/registers.h"

// ---- Helpers ------------------------------------------------------------------------------

static char *read_source(const char *path, size_t *length) {
    const char *root = getenv("BANKRUN_SOURCE");
    char full[1024], *data;
    snprintf(full, sizeof full, "%s/%s", root ? root : ".", path);
    if (!file_read(full, &data, length))
        fail_msg("%s cannot be read", full);
    return data;
}

static void assert_says(const struct diag_list *diags, const char *part) {
    for (size_t i = 0; i < diags->count; i++)
        if (strstr(diags->items[i].message, part))
            return;
    fail_msg("no message says '%s'; the first is '%s'", part,
             diags->count ? diags->items[0].message : "(none)");
}

// Everything that can be read from the data, or the expectation that nothing can.
static void expect_broken(const void *data, size_t length, const char *message) {
    struct toolchain_images images = {0};
    struct diag_list diags = {0};
    assert_false(toolchain_images_of_file(data, length, "x", &images, &diags));
    assert_says(&diags, message);
    toolchain_images_free(&images);
    diag_free(&diags);
}

static void put16(uint8_t *p, unsigned value) {
    p[0] = (uint8_t)value;
    p[1] = (uint8_t)(value >> 8);
}

static void put64(uint8_t *p, uint64_t value) {
    for (int i = 0; i < 8; i++)
        p[i] = (uint8_t)(value >> (8 * i));
}

enum { HEADER = 16, ENTRY = 64, PAYLOAD = 16 };

// A container with one plain entry of 16 bytes.
static void make_container(uint8_t out[HEADER + ENTRY + PAYLOAD], unsigned kind, unsigned arch) {
    memset(out, 0, HEADER + ENTRY + PAYLOAD);
    memcpy(out, "\x50\xed\x55\xba", 4);
    put16(out + 4, 1);
    put16(out + 6, HEADER);
    put64(out + 8, ENTRY + PAYLOAD);
    uint8_t *entry = out + HEADER;
    put16(entry, kind);
    put16(entry + 4, ENTRY);
    put64(entry + 8, PAYLOAD);
    put16(entry + 28, arch);
    memcpy(entry + ENTRY, ".version 9.0\n", 13);
}

// ---- Fat binaries that nvcc made -------------------------------------------------------------

static void expect_ptx(const char *path, enum toolchain_packing packing) {
    size_t length, text_length;
    char *data = read_source(path, &length);
    struct toolchain_images images = {0};
    struct diag_list diags = {0};
    assert_true(toolchain_images_of_file(data, length, path, &images, &diags));
    assert_int_equal(images.count, 1);
    assert_int_equal(images.items[0].kind, TOOLCHAIN_PTX);
    assert_int_equal(images.items[0].arch, 90);
    assert_int_equal(images.items[0].packing, packing);
    char *text = toolchain_unpack(&images.items[0], &text_length, &diags);
    assert_non_null(text);
    assert_int_equal(strlen(text), text_length);
    assert_non_null(strstr(text, ".visible .entry add("));
    assert_int_equal(diags.errors, 0);
    free(text);
    free(data);
    toolchain_images_free(&images);
}

static void test_every_packing(void **state) {
    (void)state;
    expect_ptx("tests/fuzz/corpus/fatbin/none.fatbin", TOOLCHAIN_PLAIN);
    expect_ptx("tests/fuzz/corpus/fatbin/speed.fatbin", TOOLCHAIN_LZ4);
    expect_ptx("tests/fuzz/corpus/fatbin/size.fatbin", TOOLCHAIN_ZSTD);
    expect_ptx("tests/fuzz/corpus/fatbin/object.elf", TOOLCHAIN_ZSTD);
}

// Every cut of a good file is an error or has fewer images; every changed byte harms nobody.
static void test_cuts_and_changes(void **state) {
    (void)state;
    size_t length;
    char *data = read_source("tests/fuzz/corpus/fatbin/two.fatbin", &length);
    for (size_t cut = 0; cut < length; cut++) {
        struct toolchain_images images = {0};
        struct diag_list diags = {0};
        char *exact = malloc(cut + 1);
        assert_non_null(exact);
        memcpy(exact, data, cut);
        bool is_good = toolchain_fatbin_read(exact, cut, "x", &images, &diags);
        assert_true(!is_good || cut == 0);
        toolchain_images_free(&images);
        diag_free(&diags);
        free(exact);
    }
    for (size_t at = 0; at < length; at++) {
        struct toolchain_images images = {0};
        struct diag_list diags = {0};
        data[at] ^= 0x5a;
        toolchain_fatbin_read(data, length, "x", &images, &diags);
        for (size_t i = 0; i < images.count; i++) {
            size_t text_length;
            free(toolchain_unpack(&images.items[i], &text_length, &diags));
        }
        data[at] ^= 0x5a;
        toolchain_images_free(&images);
        diag_free(&diags);
    }
    free(data);
}

static void test_broken_containers(void **state) {
    (void)state;
    _Alignas(8) uint8_t data[HEADER + ENTRY + PAYLOAD];
    expect_broken("// not a container", 18, "not a fat binary (magic 0x6e202f2f at byte 0)");
    expect_broken("\x01\x5a\xe5\x1e            ", 16, "before CUDA 4");
    make_container(data, 1, 90);
    expect_broken(data, 12, "12 bytes where a header of 16 should be");
    expect_broken(data, sizeof data - 1,
                  "truncated fat binary: it says 16 + 80 bytes, 95 are there");
    put64(data + 8, UINT64_MAX);
    expect_broken(data, sizeof data, "truncated fat binary");
    make_container(data, 1, 90);
    put16(data + 4, 7);
    expect_broken(data, sizeof data, "unknown version 7");
    make_container(data, 1, 90);
    put16(data + HEADER + 4, 8);
    expect_broken(data, sizeof data, "an entry's header has 8 bytes");
    make_container(data, 1, 90);
    put64(data + HEADER + 8, PAYLOAD + 1);
    expect_broken(data, sizeof data, "an entry takes 64 + 17 bytes, 80 are left");
    make_container(data, 1, 90);
    put64(data + 8, 24);
    expect_broken(data, HEADER + 24, "24 bytes left for an entry's header");
}

static void expect_no_unpack(uint64_t flags, uint64_t unpacked, const char *message) {
    uint8_t data[HEADER + ENTRY + PAYLOAD];
    struct toolchain_images images = {0};
    struct diag_list diags = {0};
    size_t length;
    make_container(data, 1, 90);
    put64(data + HEADER + 40, flags);
    put64(data + HEADER + 56, unpacked);
    assert_true(toolchain_fatbin_read(data, sizeof data, "x", &images, &diags));
    assert_null(toolchain_unpack(&images.items[0], &length, &diags));
    assert_says(&diags, message);
    toolchain_images_free(&images);
    diag_free(&diags);
}

static void test_corrupt_data(void **state) {
    (void)state;
    expect_no_unpack(0x2000, 100, "the LZ4 data of the PTX for compute_90 do not unpack");
    expect_no_unpack(0x2000, UINT64_MAX, "16 compressed bytes cannot hold");
    expect_no_unpack(0x2000, 0, "cannot hold the 0");
    expect_no_unpack(0x8000, 100, "cannot hold the 100");
    expect_no_unpack(0x1000, 100, "compressed in a way that is not known");
}

static void test_containers_in_a_row(void **state) {
    (void)state;
    enum { SIZE = HEADER + ENTRY + PAYLOAD, GAP = 16 };
    uint8_t data[2 * SIZE + GAP] = {0};
    make_container(data, 1, 80);
    make_container(data + SIZE + GAP, 2, 90);
    struct toolchain_images images = {0};
    struct diag_list diags = {0};
    assert_true(toolchain_fatbin_read(data, sizeof data, "x", &images, &diags));
    assert_int_equal(images.count, 2);
    assert_int_equal(images.items[1].kind, TOOLCHAIN_MACHINE_CODE);
    assert_int_equal(toolchain_fatbin_bytes(data), SIZE);
    assert_int_equal(toolchain_fatbin_bytes(data + 1), 0);
    toolchain_images_free(&images);
}

// ---- Which PTX ------------------------------------------------------------------------------

static void expect_pick(unsigned arch, unsigned expected, char suffix, bool above) {
    struct toolchain_image items[] = {
        {.kind = TOOLCHAIN_PTX, .arch = 75},
        {.kind = TOOLCHAIN_MACHINE_CODE, .arch = 86},
        {.kind = TOOLCHAIN_PTX, .arch = 90, .suffix = 'a'},
        {.kind = TOOLCHAIN_PTX, .arch = 90},
        {.kind = TOOLCHAIN_PTX, .arch = 100, .suffix = 'f'},
    };
    struct toolchain_images images = {items, sizeof items / sizeof *items, 0};
    bool is_above;
    const struct toolchain_image *image = toolchain_pick_ptx(&images, arch, &is_above);
    assert_non_null(image);
    assert_int_equal(image->arch, expected);
    assert_int_equal(image->suffix, suffix);
    assert_int_equal(is_above, above);
}

static void test_pick(void **state) {
    (void)state;
    expect_pick(90, 90, 0, false);
    expect_pick(89, 75, 0, false);
    expect_pick(75, 75, 0, false);
    expect_pick(70, 75, 0, true);
    expect_pick(103, 100, 'f', false);
    expect_pick(120, 90, 0, false); // code for the family of 10.x does not run on 12.x
    struct toolchain_images none = {0};
    bool is_above;
    assert_null(toolchain_pick_ptx(&none, 90, &is_above));
    assert_false(is_above);
}

// ---- Program files --------------------------------------------------------------------------

static void test_program_kinds(void **state) {
    (void)state;
    struct toolchain_program program;
    struct diag_list diags = {0};
    assert_true(toolchain_inspect_memory("#!/bin/sh", 9, "x", &program, &diags));
    assert_int_equal(program.kind, TOOLCHAIN_NOT_ELF);
    assert_true(toolchain_inspect("/proc/self/exe", &program, &diags)); // this test
    assert_int_equal(program.kind, TOOLCHAIN_NO_CUDA);
    size_t length;
    char *data = read_source("tests/fuzz/corpus/fatbin/object.elf", &length);
    assert_true(toolchain_inspect_memory(data, length, "x", &program, &diags));
    assert_int_equal(program.kind, TOOLCHAIN_OBJECT);
    assert_int_equal(program.ptx_count, 1);
    assert_int_equal(program.code_count, 0);
    data[16] = 3; // say that it is linked: then the runtime must be inside, without symbols
    assert_true(toolchain_inspect_memory(data, length, "x", &program, &diags));
    assert_int_equal(program.kind, TOOLCHAIN_STRIPPED);
    assert_int_equal(diags.errors, 0);
    expect_broken(data, length / 2, "truncated file");
    data[4] = 1;
    expect_broken(data, length, "not a 64-bit little-endian program");
    free(data);
}

static void test_problems(void **state) {
    (void)state;
    assert_null(toolchain_program_problem(TOOLCHAIN_SHARED_RUNTIME));
    assert_null(toolchain_program_problem(TOOLCHAIN_STATIC_RUNTIME));
    assert_null(toolchain_program_problem(TOOLCHAIN_DRIVER));
    assert_non_null(strstr(toolchain_program_problem(TOOLCHAIN_STRIPPED), "nvcc -cudart shared"));
    assert_non_null(strstr(toolchain_program_problem(TOOLCHAIN_NO_PTX), "code=compute_XX"));
    struct toolchain_program program;
    struct diag_list diags = {0};
    assert_false(toolchain_inspect("/no/such/file", &program, &diags));
    assert_says(&diags, "/no/such/file: No such file or directory");
    diag_free(&diags);
}

// ---- Linking --------------------------------------------------------------------------------

static void test_link(void **state) {
    (void)state;
    char first[] = ".version 9.0\n.target sm_90\n.address_size 64\n"
                   ".extern .func f\n(\n.param .b32 p\n)\n;\n"
                   ".global .align 4 .u32 mine = 1;\n.global .b8 $str[2] = {97};\n"
                   ".weak .func both()\n{\nret;\n}\n"
                   ".weak .global .u32 chosen = 1;\n.common .global .u32 common;\n"
                   ".visible .entry k()\n{\n.loc 1 2 3\nmov.u64 %rd1, $str; // it's {\nret;\n}\n"
                   ".file 1 \"a.cu\"\n";
    char second[] =
        ".version 9.0\n.target sm_90\n.address_size 64\n"
        ".extern .global .u32 seen;\n"
        ".global .align 4 .u32 mine = 2;\n.global .b8 $str[2] = {98};\n"
        ".weak .func both()\n{\nret;\n}\n"
        ".visible .global .u32 chosen = 2;\n.common .global .u32 common;\n"
        ".visible .func f(.param .b32 p)\n{\n.loc 1 5 6, function_name $L__info_string0,"
        " inlined_at 1 9 9\nld.global.u32 %r1, [mine];\nret;\n}\n"
        ".file 1 \"b.cu\"\n";
    char runtime[] = ".visible .global .u32 __CNPRT_VERSION_NUMBER__ = 6000;\n";
    char *texts[] = {first, second, runtime};
    char *linked = toolchain_link_ptx(texts, 3);
    assert_non_null(strstr(linked, ".file 1 \"a.cu\""));
    assert_non_null(strstr(linked, ".file 2 \"b.cu\""));
    assert_non_null(strstr(linked, ".loc 1 2 3"));
    assert_non_null(strstr(linked, ".loc 2 5 6, function_name $L__info_string0$m1, inlined_at 2"));
    assert_non_null(strstr(linked, ".u32 mine = 1"));
    assert_non_null(strstr(linked, ".u32 mine$m1 = 2"));
    assert_non_null(strstr(linked, "ld.global.u32 %r1, [mine$m1]"));
    assert_non_null(strstr(linked, "mov.u64 %rd1, $str;"));
    assert_non_null(strstr(linked, "$str$m1[2] = {98}"));
    assert_non_null(strstr(linked, ".visible .func f(.param .b32 p)"));
    const char *weak = strstr(linked, ".weak .func both()");
    assert_non_null(weak);
    assert_null(strstr(weak + 1, ".weak .func both()"));
    // A definition that is neither weak nor common takes the place of one that is.
    assert_null(strstr(linked, "chosen = 1"));
    assert_non_null(strstr(linked, "chosen = 2"));
    const char *common = strstr(linked, ".u32 common");
    assert_non_null(common);
    assert_null(strstr(common + 1, ".u32 common"));
    const char *version = strstr(linked, ".version");
    assert_non_null(version);
    assert_null(strstr(version + 1, ".version"));
    assert_null(strstr(linked, "__CNPRT"));
    assert_true(toolchain_is_device_runtime(runtime));
    assert_false(toolchain_is_device_runtime(first));
    free(linked);
}

static void assert_limited(const char *text, unsigned most, const char *wanted) {
    char *limited = toolchain_limit_registers(base_strdup(text), most);
    assert_string_equal(limited, wanted);
    free(limited);
}

static void test_limits_of_registers(void **state) {
    (void)state;
    const char *plain =
        ".version 8.0\n// .entry c() {\n.visible .entry k(.param .u32 p)\n{\nret;\n}\n";
    assert_limited(plain, 0, plain);
    assert_limited(
        plain, 32,
        ".version 8.0\n// .entry c() {\n.visible .entry k(.param .u32 p)\n .maxnreg 32 {\n"
        "ret;\n}\n");
    assert_limited(plain, 999,
                   ".version 8.0\n// .entry c() {\n.visible .entry k(.param .u32 p)\n .maxnreg 255 "
                   "{\nret;\n}\n");
    // What a kernel says itself counts; functions and declarations have no limit.
    const char *const same[] = {
        ".version 8.0\n.entry k() .maxnreg 16 { ret; }\n",
        ".version 8.0\n.entry k()\n.maxntid 128, 1, 1\n.minnctapersm 4\n{ ret; }\n",
        ".version 8.0\n.entry k() .reqntid 32 { ret; }\n",
        ".version 8.0\n.func f() { { .reg .b32 r; } ret; }\n",
        ".version 8.0\n.extern .entry k();\n.global .u32 x[2] = {1, 2};\n",
        "no PTX {{{ .entry",
        "",
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        assert_limited(same[i], 32, same[i]);
    assert_int_equal(toolchain_registers_of("-maxrregcount=57"), 57);
    assert_int_equal(toolchain_registers_of("--maxrregcount=1000"), 255);
    const char *const others[] = {"-maxrregcount=", "-maxrregcount=-1", "-maxrregcount",
                                  "maxrregcount=57", "-arch=sm_90"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_int_equal(toolchain_registers_of(others[i]), 0);
    const struct {
        const char *line;
        unsigned most;
    } lines[] = {
        {" -maxrregcount=40 ", 40},
        {"--maxrregcount 40", 40},
        {"-maxrregcount=40 -maxrregcount=32", 32},
        {"-O3 -maxrregcount 999", 255},
        {"-maxrregcount", 0},
        {"-maxrregcount=0", 0},
        {"maxrregcount 40", 0},
        {"", 0},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        assert_int_equal(toolchain_registers_of_line(lines[i].line, strlen(lines[i].line)),
                         lines[i].most);
    assert_int_equal(toolchain_registers_of_line("-maxrregcount=40", 15), 4); // no NUL is needed
}

// What nvcc was told of registers is in the entry's header, and nowhere in the PTX.
static void test_limit_in_a_fat_binary(void **state) {
    (void)state;
    size_t length, text_length;
    char *data = read_source("tests/fuzz/corpus/fatbin/limited.fatbin", &length);
    struct toolchain_images images = {0};
    struct diag_list diags = {0};
    assert_true(toolchain_fatbin_read(data, length, "limited", &images, &diags));
    assert_int_equal(images.items[0].most_registers, 40);
    char *text = toolchain_unpack(&images.items[0], &text_length, &diags);
    assert_int_equal(strlen(text), text_length);
    assert_non_null(strstr(text, " .maxnreg 40 {"));
    free(text);
    // Wherever the header says that options are, they are read inside it alone.
    uint8_t *record = (uint8_t *)data + HEADER + 20, *options = (uint8_t *)data + HEADER + ENTRY;
    for (unsigned at = 0; at < 0x80; at++) {
        toolchain_images_free(&images);
        record[0] = (uint8_t)at;
        assert_true(toolchain_fatbin_read(data, length, "limited", &images, &diags));
        assert_int_equal(images.items[0].most_registers, at == ENTRY ? 40 : 0);
    }
    record[0] = ENTRY;
    for (unsigned byte = 0; byte < 8; byte++) {
        toolchain_images_free(&images);
        options[byte] ^= 0x80;
        assert_true(toolchain_fatbin_read(data, length, "limited", &images, &diags));
        options[byte] ^= 0x80;
        assert_int_equal(images.items[0].most_registers, 0);
    }
    toolchain_images_free(&images);
    free(data);
    diag_free(&diags);
}

static void test_device_runtime_is_added(void **state) {
    (void)state;
    char *other = base_strdup(".version 8.0\n// cudaCGSynchronize\n.visible .entry k() { ret; }\n");
    assert_ptr_equal(toolchain_add_device_runtime(other), other);
    free(other);
    char *own = base_strdup(".version 8.0\n.visible .func cudaCGSynchronize() { ret; }\n");
    assert_ptr_equal(toolchain_add_device_runtime(own), own);
    free(own);
    char *text = toolchain_add_device_runtime(base_strdup(
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".extern .func (.param .b32 r) cudaCGSynchronize(.param .b64 a, .param .b32 b);\n"
        ".visible .func (.param .b64 r) cudaCGGetIntrinsicHandle(.param .b32 s)\n"
        "{\nmine: ret;\n}\n"
        ".visible .entry k()\n{\n.loc 1 2 3\nret;\n}\n.file 1 \"a.cu\"\n"));
    assert_non_null(strstr(text, ".weak .func (.param .b32 error) cudaCGSynchronize("));
    assert_non_null(strstr(text, "mine: ret;")); // what the module has itself stays
    assert_null(strstr(text, ".weak .func (.param .b64 handle) cudaCGGetIntrinsicHandle"));
    assert_non_null(strstr(text, ".loc 1 2 3"));
    assert_non_null(strstr(text, ".file 1 \"a.cu\""));
    assert_non_null(strstr(text, ".file 2 \"libcudadevrt\""));
    assert_null(strstr(text, ".version 6.0"));
    free(text);
}

static void test_link_of_nonsense(void **state) {
    (void)state;
    char *texts[] = {".func {{{", "\"open", "}} ; /* open", ""};
    free(toolchain_link_ptx(texts, 4));
    free(toolchain_link_ptx(texts, 0));
}

// ---- The compiler ---------------------------------------------------------------------------

static void test_clamp(void **state) {
    (void)state;
    const char *list = "compute_75\ncompute_80\ncompute_90\ncompute_100\n";
    assert_int_equal(toolchain_clamp_arch(list, 90), 90);
    assert_int_equal(toolchain_clamp_arch(list, 89), 80);
    assert_int_equal(toolchain_clamp_arch(list, 13), 75);
    assert_int_equal(toolchain_clamp_arch(list, 121), 100);
    assert_int_equal(toolchain_clamp_arch("nothing", 90), 0);
}

// A compiler that knows two architectures and runs `rest` when it is to compile.
static void make_compiler(const char *path, const char *rest) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file,
            "#!/bin/sh\n"
            "[ \"$1\" = --list-gpu-arch ] && { echo compute_80; echo compute_90; exit; }\n"
            "while [ \"$1\" != -o ]; do arguments=\"$arguments $1\"; shift; done; out=$2\n"
            "%s\n",
            rest);
    fclose(file);
    chmod(path, 0700);
}

struct compiler_case {
    const char *rest;
    enum toolchain_status status;
    int exit_code;
};

static void test_compile(void **state) {
    (void)state;
    static const struct compiler_case cases[] = {
        {"echo \"#!$arguments\" > \"$out\"; chmod +x \"$out\"", TOOLCHAIN_OK, 0},
        {"exit 3", TOOLCHAIN_REFUSED, 3},
        {"kill -TERM $$", TOOLCHAIN_REFUSED, 128 + 15},
        {"exit 0", TOOLCHAIN_REFUSED, 0}, // says yes and writes nothing
    };
    char folder[] = "/tmp/test-toolchain-XXXXXX", compiler[64], source[64];
    assert_non_null(mkdtemp(folder));
    snprintf(compiler, sizeof compiler, "%s/cc", folder);
    snprintf(source, sizeof source, "%s/some.name.cu", folder);
    assert_true(file_write(source, "", 0));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        make_compiler(compiler, cases[i].rest);
        char *flags[] = {(char *)"-O0", (char *)"-rdc=true"};
        struct toolchain_options options = {.source = source,
                                            .arch = 89,
                                            .flags = flags,
                                            .flag_count = i == 0 ? 2 : 1,
                                            .compiler = compiler,
                                            .temp_folder = folder};
        struct toolchain_build build;
        struct diag_list diags = {0};
        assert_int_equal(toolchain_compile(&options, &build, &diags), cases[i].status);
        assert_int_equal(build.exit_code, cases[i].exit_code);
        assert_int_equal(build.arch, 80);
        assert_string_equal(strrchr(build.path, '/'), "/some.name");
        if (cases[i].status == TOOLCHAIN_OK) {
            char *text;
            size_t length;
            assert_true(file_read(build.path, &text, &length));
            assert_non_null(
                strstr(text, "-cudart shared -gencode arch=compute_80,code=compute_80"));
            assert_non_null(strstr(text, "-lineinfo"));
            free(text);
        }
        char *path = strdup(build.path);
        toolchain_build_remove(&build);
        assert_int_not_equal(access(path, F_OK), 0);
        free(path);
        diag_free(&diags);
    }
    unlink(compiler);
    unlink(source);
    assert_int_equal(rmdir(folder), 0); // nothing is left
}

static void test_no_compiler(void **state) {
    (void)state;
    struct toolchain_build build;
    struct diag_list diags = {0};
    struct toolchain_options options = {.source = "/proc/self/exe", .arch = 90};
    options.compiler = "/no/such/nvcc";
    assert_int_equal(toolchain_compile(&options, &build, &diags), TOOLCHAIN_NO_COMPILER);
    assert_says(&diags, "/no/such/nvcc was not found");
    toolchain_build_remove(&build);
    options.compiler = "/bin/true"; // runs, but is no nvcc
    assert_int_equal(toolchain_compile(&options, &build, &diags), TOOLCHAIN_NO_COMPILER);
    assert_says(&diags, "does not say which architectures");
    toolchain_build_remove(&build);
    options.source = "/no/such.cu";
    assert_int_equal(toolchain_compile(&options, &build, &diags), TOOLCHAIN_SYSTEM);
    assert_says(&diags, "/no/such.cu: No such file");
    toolchain_build_remove(&build);
    diag_free(&diags);
}

// A script whose own program is missing is there itself.
static void test_status_127(void **state) {
    (void)state;
    static const char text[] = "#!/bin/sh\nexit 127\n";
    char script[] = "/tmp/bankrun-test-XXXXXX";
    const int file = mkstemp(script);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, sizeof text - 1), sizeof text - 1);
    assert_int_equal(fchmod(file, 0700), 0);
    close(file);
    struct toolchain_build build;
    struct diag_list diags = {0};
    const struct toolchain_options options = {
        .source = "/proc/self/exe", .arch = 90, .compiler = script};
    const int result = (int)toolchain_compile(&options, &build, &diags);
    unlink(script);
    assert_int_equal(result, TOOLCHAIN_NO_COMPILER);
    assert_says(&diags, "exit status 127");
    toolchain_build_remove(&build);
    diag_free(&diags);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_packing),
        cmocka_unit_test(test_cuts_and_changes),
        cmocka_unit_test(test_broken_containers),
        cmocka_unit_test(test_corrupt_data),
        cmocka_unit_test(test_containers_in_a_row),
        cmocka_unit_test(test_pick),
        cmocka_unit_test(test_program_kinds),
        cmocka_unit_test(test_problems),
        cmocka_unit_test(test_link),
        cmocka_unit_test(test_limits_of_registers),
        cmocka_unit_test(test_limit_in_a_fat_binary),
        cmocka_unit_test(test_device_runtime_is_added),
        cmocka_unit_test(test_link_of_nonsense),
        cmocka_unit_test(test_clamp),
        cmocka_unit_test(test_compile),
        cmocka_unit_test(test_no_compiler),
        cmocka_unit_test(test_status_127),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
