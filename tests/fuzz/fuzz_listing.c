// Any text as what nvdisasm prints: what is read of it names places in order, and widths that there
// are.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "compiled/code.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// The kernels that a listing names, and one that it does not.
static void ask(const struct compiled_code *code, const char *kernel) {
    uint32_t lines = 0, accesses = 0, branches = 0;
    const struct compiled_line *line = compiled_code_lines(code, kernel, &lines);
    const struct compiled_access *access = compiled_code_accesses(code, kernel, &accesses);
    const struct compiled_branch *branch = compiled_code_branches(code, kernel, &branches);
    uint64_t sum = 0;
    for (uint32_t i = 0; line && i < lines; i++)
        sum += line[i].bytes[SITE_LOAD] + line[i].widths[SITE_STORE];
    for (uint32_t i = 0; access && i < accesses; i++)
        if (access[i].width == 0 || access[i].width > 16 ||
            (access[i].width & (access[i].width - 1)))
            abort();
    for (uint32_t i = 0; branch && i < branches; i++)
        if (branch[i].end && (branch[i].first > branch[i].end || branch[i].end > accesses))
            abort();
    (void)sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    struct compiled_code *code = compiled_code_parse(text);
    if (!compiled_code_maker(code))
        abort();
    ask(code, "none");
    for (char *at = text; (at = strstr(at, ".text.")) != NULL;) {
        at += strlen(".text.");
        const size_t length = strcspn(at, ",:; \n");
        const char end = at[length];
        at[length] = '\0';
        ask(code, at);
        at[length] = end;
    }
    compiled_code_free(code);
    free(text);
    return 0;
}
