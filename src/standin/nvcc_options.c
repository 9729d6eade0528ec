#define _GNU_SOURCE // strchrnul
#include "standin/nvcc_options.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum meaning {
    MODE,
    STOP,
    DEVICE_LINK,
    OUTPUT,
    FOLDER,
    GENCODE,
    ARCH,
    CODE,
    LINES,
    LTO,
    REGISTERS,
    VALUE
};

// What means something here, and options whose value may be the next argument.
static const struct row {
    const char *name;
    enum meaning meaning;
    int mode;
} rows[] = {
    {"ptx", MODE, NVCC_PTX},
    {"cubin", MODE, NVCC_CUBIN},
    {"fatbin", MODE, NVCC_FATBIN},
    {"dlink", DEVICE_LINK, 0},
    {"device-link", DEVICE_LINK, 0},
    {"E", STOP, 0},
    {"preprocess", STOP, 0},
    {"M", STOP, 0},
    {"MM", STOP, 0},
    {"generate-dependencies", STOP, 0},
    {"generate-nonsystem-dependencies", STOP, 0},
    {"cuda", STOP, 0},
    {"optix-ir", STOP, 0},
    {"ltoir", STOP, 0},
    {"dryrun", STOP, 0},
    {"version", STOP, 0},
    {"V", STOP, 0},
    {"help", STOP, 0},
    {"h", STOP, 0},
    {"list-gpu-arch", STOP, 0},
    {"list-gpu-code", STOP, 0},
    {"o", OUTPUT, 0},
    {"output-file", OUTPUT, 0},
    {"odir", FOLDER, 0},
    {"output-directory", FOLDER, 0},
    {"gencode", GENCODE, 0},
    {"generate-code", GENCODE, 0},
    {"arch", ARCH, 0},
    {"gpu-architecture", ARCH, 0},
    {"code", CODE, 0},
    {"gpu-code", CODE, 0},
    {"lineinfo", LINES, 0},
    {"generate-line-info", LINES, 0},
    {"G", LINES, 0},
    {"device-debug", LINES, 0},
    {"dlto", LTO, 0},
    {"dlink-time-opt", LTO, 0},
    {"lto", LTO, 0},
    {"maxrregcount", REGISTERS, 0},
#define HAS_VALUE(name)                                                                            \
    { name, VALUE, 0 }
    HAS_VALUE("include"),
    HAS_VALUE("pre-include"),
    HAS_VALUE("l"),
    HAS_VALUE("library"),
    HAS_VALUE("D"),
    HAS_VALUE("define-macro"),
    HAS_VALUE("U"),
    HAS_VALUE("undefine-macro"),
    HAS_VALUE("I"),
    HAS_VALUE("include-path"),
    HAS_VALUE("isystem"),
    HAS_VALUE("system-include"),
    HAS_VALUE("L"),
    HAS_VALUE("library-path"),
    HAS_VALUE("ccbin"),
    HAS_VALUE("compiler-bindir"),
    HAS_VALUE("MF"),
    HAS_VALUE("dependency-output"),
    HAS_VALUE("MT"),
    HAS_VALUE("dependency-target-name"),
    HAS_VALUE("cudart"),
    HAS_VALUE("cudadevrt"),
    HAS_VALUE("ldir"),
    HAS_VALUE("target-dir"),
    HAS_VALUE("opt-info"),
    HAS_VALUE("x"),
    HAS_VALUE("std"),
    HAS_VALUE("m"),
    HAS_VALUE("machine"),
    HAS_VALUE("Xcompiler"),
    HAS_VALUE("compiler-options"),
    HAS_VALUE("Xlinker"),
    HAS_VALUE("linker-options"),
    HAS_VALUE("Xarchive"),
    HAS_VALUE("Xptxas"),
    HAS_VALUE("ptxas-options"),
    HAS_VALUE("Xnvlink"),
    HAS_VALUE("nvlink-options"),
    HAS_VALUE("t"),
    HAS_VALUE("threads"),
    HAS_VALUE("split-compile"),
    HAS_VALUE("keep-dir"),
    HAS_VALUE("fmad"),
    HAS_VALUE("ftz"),
    HAS_VALUE("prec-div"),
    HAS_VALUE("prec-sqrt"),
    HAS_VALUE("rdc"),
    HAS_VALUE("relocatable-device-code"),
    HAS_VALUE("default-stream"),
    HAS_VALUE("diag-suppress"),
    HAS_VALUE("diag-error"),
    HAS_VALUE("diag-warn"),
    HAS_VALUE("optf"),
    HAS_VALUE("options-file"),
#undef HAS_VALUE
};

// The option that an argument is; *value: behind its '=', NULL: there is none.
static const struct row *find_row(const char *argument, const char **value) {
    const char *name = argument + strspn(argument, "-");
    const size_t length = (size_t)(strchrnul(name, '=') - name);
    *value = name[length] ? name + length + 1 : NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strlen(rows[i].name) == length && memcmp(name, rows[i].name, length) == 0)
            return &rows[i];
    return NULL;
}

static bool takes_value(const struct row *row) {
    switch (row->meaning) {
    case OUTPUT:
    case FOLDER:
    case GENCODE:
    case ARCH:
    case CODE:
    case REGISTERS:
    case VALUE:
        return true;
    default:
        return false;
    }
}

// "arch=compute_90,code=[sm_90,compute_90]", with quotes or without.
static struct nvcc_code read_gencode(const char *text) {
    struct nvcc_code read = {"", ""};
    const char *arch = strstr(text, "arch="), *code = strstr(text, "code=");
    if (arch)
        read.arch = base_strndup(arch + strlen("arch="), strcspn(arch + strlen("arch="), ", "));
    if (code) {
        code += strlen("code=");
        code += strspn(code, "[\"' ");
        read.code = base_strndup(code, strcspn(code, "]\"' "));
    }
    return read;
}

struct reading {
    bool links, stops;
};

static void apply(const struct row *row, const char *value, struct nvcc_options *options,
                  struct reading *reading) {
    switch (row->meaning) {
    case MODE:
        options->mode = (enum nvcc_mode)row->mode;
        break;
    case STOP:
        reading->stops = true;
        break;
    case DEVICE_LINK:
        reading->links = true;
        break;
    case OUTPUT:
        options->output = value;
        break;
    case FOLDER:
        options->folder = value;
        break;
    case GENCODE:
        vec_push(&options->gencodes, read_gencode(value));
        break;
    case ARCH:
        options->single.arch = value;
        break;
    case CODE:
        options->single.code = value;
        break;
    case LINES:
        options->has_lines = true;
        break;
    case LTO:
        options->is_for_linking = true;
        break;
    case REGISTERS:
        options->most_registers = (unsigned)strtoul(value, NULL, 10);
        break;
    case VALUE:
        break;
    }
}

void nvcc_options_read(char **arguments, struct nvcc_options *options) {
    struct reading reading = {0};
    *options = (struct nvcc_options){.mode = NVCC_HOST};
    for (char **at = arguments; *at; at++) {
        const char *value;
        const struct row *row = **at == '-' ? find_row(*at, &value) : NULL;
        const bool has_next = row && takes_value(row) && !value && at[1];
        if (has_next)
            value = at[1];
        if (row && row->meaning < VALUE && (value || !takes_value(row)))
            apply(row, value, options, &reading);
        if (!row || row->meaning >= LINES) {
            vec_push(&options->rest, *at);
            if (has_next)
                vec_push(&options->rest, at[1]);
        }
        if (**at != '-')
            vec_push(&options->inputs, *at);
        at += has_next;
    }
    if (reading.links)
        options->mode = options->mode == NVCC_CUBIN ? NVCC_LINK : NVCC_OTHER;
    if (reading.stops || !options->inputs.length)
        options->mode = NVCC_OTHER;
}

// ---- Architectures
// --------------------------------------------------------------------------------

// What the simulated device is, for `native` and for `all`.
static const char *own_arch(void) {
    const char *arch = getenv("BANKRUN_ARCH");
    return arch && tool_arch(arch) ? arch : "sm_90";
}

static bool is_word(const char *arch) {
    return strcmp(arch, "native") == 0 || strcmp(arch, "all") == 0 ||
           strcmp(arch, "all-major") == 0;
}

static char *join(const char *a, const char *b) {
    struct strbuf made = {0};
    strbuf_printf(&made, "%s%s", a, b);
    return strbuf_take(&made);
}

// "compute_90a" of "sm_90a".
static const char *virtual_of(const char *arch) {
    if (is_word(arch))
        arch = own_arch();
    return tool_arch(arch) ? join("compute_", arch + strlen("sm_")) : arch;
}

static bool has_ptx(const char *codes) {
    return strstr(codes, "compute_") || strstr(codes, "lto_");
}

bool nvcc_options_are_of_one_code(const struct nvcc_options *options) {
    const struct nvcc_code *single = &options->single;
    const char *code = single->code ? single->code : single->arch ? single->arch : "sm_75";
    if (options->gencodes.length + (single->arch || single->code) > 1)
        return false;
    if (options->gencodes.length)
        code = options->gencodes.data[0].code;
    return (tool_arch(code) || strcmp(code, "native") == 0) && !strchr(code, ',');
}

unsigned nvcc_options_arch(const struct nvcc_options *options) {
    const struct nvcc_code *single = &options->single;
    const char *code = options->gencodes.length ? options->gencodes.data[0].code
                       : single->code           ? single->code
                       : single->arch           ? single->arch
                                                : "sm_75";
    return tool_arch(is_word(code) ? own_arch() : code);
}

static void add_gencode(argument_list *arguments, const char *arch, const char *code) {
    struct strbuf made = {0};
    strbuf_printf(&made, "-gencode=arch=%s,code=[%s]", arch, code);
    vec_push(arguments, strbuf_take(&made));
}

void nvcc_add_codes(const struct nvcc_options *options, argument_list *arguments) {
    for (size_t i = 0; i < options->gencodes.length; i++)
        add_gencode(arguments, options->gencodes.data[i].arch, options->gencodes.data[i].code);
    const char *arch = options->single.arch, *code = options->single.code;
    if (arch)
        vec_push(arguments, join("-arch=", strcmp(arch, "native") == 0 ? own_arch() : arch));
    if (code)
        vec_push(arguments, join("-code=", code));
}

void nvcc_add_ptx_codes(const struct nvcc_options *options, argument_list *arguments) {
    for (size_t i = 0; i < options->gencodes.length; i++) {
        const char *arch = virtual_of(options->gencodes.data[i].arch);
        add_gencode(arguments, arch, arch);
    }
    if (options->single.arch)
        vec_push(arguments, join("-arch=", virtual_of(options->single.arch)));
    else if (!options->gencodes.length)
        vec_push(arguments, "-arch=compute_75");
}

void nvcc_add_missing_ptx(const struct nvcc_options *options, argument_list *arguments) {
    for (size_t i = 0; i < options->gencodes.length; i++) {
        const struct nvcc_code *given = &options->gencodes.data[i];
        if (!has_ptx(given->code))
            add_gencode(arguments, given->arch, virtual_of(given->arch));
    }
    if (options->single.arch && options->single.code && !has_ptx(options->single.code))
        add_gencode(arguments, virtual_of(options->single.arch), virtual_of(options->single.arch));
}
