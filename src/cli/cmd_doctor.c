// bankrun doctor: what was found, what is missing, and the command that gets it.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "cli/commands.h"
#include "cli/doctor.h"

static void help(void) {
    fputs(
        "Usage: bankrun doctor [OPTIONS]\n"
        "\n"
        "Says what this machine has of what bankrun works with - compiler, ptxas, nvdisasm, GPU,\n"
        "processors, cache - and whether it lets programs be run: then it compiles and runs one.\n"
        "Says of what is missing what for it is, and the command that gets it.\n"
        "\n"
        "    bankrun doctor\n"
        "    bankrun doctor --format json\n"
        "\n",
        stdout);
    options_print_help(CLI_DOCTOR, stdout);
    fputs(
        "\nExit status: 0: programs can be compiled and run; 1: they cannot; 2: the command line\n"
        "is wrong.\n",
        stdout);
}

struct strbuf doctor_text(const char *format, ...) {
    struct strbuf text = {0};
    va_list arguments;
    va_start(arguments, format);
    strbuf_vprintf(&text, format, arguments);
    va_end(arguments);
    return text;
}

void doctor_add(struct doctor *doctor, const char *name, enum doctor_state state,
                struct strbuf found, const char *lacks, const char *cure) {
    vec_push(&doctor->rows, (struct doctor_row){.name = name,
                                                .state = state,
                                                .found = strbuf_take(&found),
                                                .lacks = lacks ? base_strdup(lacks) : NULL,
                                                .cure = cure ? base_strdup(cure) : NULL});
}

void doctor_free(struct doctor *doctor) {
    for (size_t i = 0; i < doctor->rows.length; i++) {
        free(doctor->rows.data[i].found);
        free(doctor->rows.data[i].lacks);
        free(doctor->rows.data[i].cure);
    }
    vec_free(&doctor->rows);
}

bool doctor_has(const struct doctor *doctor, enum doctor_state state) {
    for (size_t i = 0; i < doctor->rows.length; i++)
        if (doctor->rows.data[i].state == state)
            return true;
    return false;
}

static int examine(const struct cli_options *options) {
    struct doctor doctor = {.options = options};
    doctor_look_at_tools(&doctor);
    doctor_look_at_machine(&doctor);
    doctor_look_at_system(&doctor);
    doctor_try(&doctor);
    const struct answer_look look = answer_look(options);
    struct strbuf text = {0};
    if (options->format == REPORT_TEXT)
        doctor_write_text(&doctor, look.has_color, look.width, &text);
    else
        doctor_write_json(&doctor, &text);
    int status = doctor_has(&doctor, DOCTOR_MISSING) ? CLI_UNREADY : CLI_OK;
    if (!show_answer(&text, options->format == REPORT_TEXT, options))
        status = CLI_USAGE;
    strbuf_free(&text);
    doctor_free(&doctor);
    return status;
}

int cmd_doctor(int argc, char **argv) {
    struct cli_options options;
    options_init(&options);
    int status = CLI_USAGE;
    const int rest = options_parse(&options, CLI_DOCTOR, argc, argv, 0);
    if (rest >= 0 && rest < argc) {
        cli_error("doctor takes no arguments: '%s'", argv[rest]);
    } else if (rest >= 0 && options.help) {
        help();
        status = CLI_OK;
    } else if (rest >= 0) {
        status = examine(&options);
    }
    options_free(&options);
    return status;
}
