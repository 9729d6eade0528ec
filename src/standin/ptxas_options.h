// Inside the stand-in for ptxas: its command line.
#ifndef BANKRUN_STANDIN_PTXAS_OPTIONS_H
#define BANKRUN_STANDIN_PTXAS_OPTIONS_H

#include <stdbool.h>

struct strbuf;

struct ptxas_options { // texts are those of argv
    const char *input, *output;
    unsigned arch, most_registers; // 0: no limit
    bool is_relocatable, is_verbose, is_quiet, warnings_are_errors;
    bool only_checks; // for an architecture of PTX
    bool wants_help, wants_version;
};

// False: `problem` says what is wrong.
bool ptxas_options_read(int count, char **argv, struct ptxas_options *options,
                        struct strbuf *problem);

#endif
