// A program that takes the place of `nvlink` in the processes that bankrun follows: what is given
// to it holds PTX there, and is linked as PTX.
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "standin/tool.h"

static const char name[] = "nvlink";

struct nvlink_options {
    argument_list inputs;
    const char *output;
    unsigned arch;
    bool prints; // its version or help, and no more
};

// Options whose value is the next argument.
static bool takes_value(const char *option) {
    static const char *const valued[] = {"-o",
                                         "--output-file",
                                         "-arch",
                                         "--arch",
                                         "-L",
                                         "-l",
                                         "-m",
                                         "--machine",
                                         "-Xptxas",
                                         "--options-file",
                                         "-optf",
                                         "--library",
                                         "--library-path",
                                         "--nvvmpath"};
    for (size_t i = 0; i < sizeof valued / sizeof *valued; i++)
        if (strcmp(option, valued[i]) == 0)
            return true;
    return false;
}

static void apply(const char *option, const char *value, struct nvlink_options *options) {
    const char *word = option + strspn(option, "-");
    if (strncmp(word, "arch", 4) == 0)
        options->arch = tool_arch(value);
    else if (strcmp(word, "o") == 0 || strncmp(word, "output-file", 11) == 0)
        options->output = value;
}

static void read_options(char **arguments, struct nvlink_options *options) {
    for (; *arguments; arguments++) {
        const char *argument = *arguments, *value = strchr(argument, '=');
        if (argument[0] != '-')
            vec_push(&options->inputs, argument);
        else if (value)
            apply(argument, value + 1, options);
        else if (takes_value(argument) && arguments[1])
            apply(argument, *++arguments, options);
        options->prints |= text_is_same(argument, "--version") || text_is_same(argument, "-V") ||
                           text_is_same(argument, "--help") || text_is_same(argument, "-h");
    }
}

int main(int count, char **argv) {
    struct nvlink_options options = {.output = "a.out"};
    argument_list all = {0};
    tool_path(name);
    for (int i = 1; i < count; i++)
        vec_push(&all, argv[i]);
    read_options(argv + (count > 0), &options);
    if (options.prints)
        tool_become(name, &all);
    if (!options.arch)
        return !tool_fail(name,
                          "elfLink arch error: no architecture of machine code is given (-arch)");
    return !tool_link(name, (char *const *)options.inputs.data, options.inputs.length, options.arch,
                      options.output);
}
