#define _GNU_SOURCE // vasprintf
#include "run/api/api.h"

#include <stdlib.h>

#include "base/alloc.h"

const char *bankrun_version(void) {
    return BANKRUN_VERSION;
}

const char *bankrun_error_text(enum bankrun_error error) {
    static const char *const texts[] = {
        [BANKRUN_SUCCESS] = "success",
        [BANKRUN_BAD_CALL] = "the call makes no sense",
        [BANKRUN_BAD_FILE] = "a file cannot be read or written",
        [BANKRUN_BAD_PTX] = "the PTX is wrong",
        [BANKRUN_NO_KERNEL] = "the module has no such kernel",
        [BANKRUN_BAD_ARGUMENTS] = "the kernel's arguments do not fit",
        [BANKRUN_NOT_SIMULATED] = "the kernel holds what cannot be simulated",
        [BANKRUN_REFUSED] = "the launch is beyond a limit of the device",
        [BANKRUN_NO_MEMORY] = "the device has no memory left",
        [BANKRUN_FAULTED] = "the launch ended in a fault",
        [BANKRUN_STOPPED] = "the launch was stopped",
        [BANKRUN_BAD_PROFILE] = "the file holds no good profile",
    };
    const size_t count = sizeof texts / sizeof *texts;
    return (size_t)error < count ? texts[error] : "an unknown error";
}

enum bankrun_error api_fail_text(char **message, enum bankrun_error error, struct strbuf *text) {
    if (message)
        *message = strbuf_take(text);
    else
        strbuf_free(text);
    return error;
}

enum bankrun_error api_fail(char **message, enum bankrun_error error, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = NULL;
    if (message && vasprintf(&text, format, arguments) >= 0)
        *message = text;
    va_end(arguments);
    return error;
}

enum bankrun_error api_fail_diags(char **message, enum bankrun_error error,
                                  struct diag_list *diags) {
    char *text = NULL;
    size_t length = 0;
    FILE *out = message ? open_memstream(&text, &length) : NULL;
    if (out) {
        diag_print(diags, out, false);
        fclose(out);
        if (length && text[length - 1] == '\n')
            text[length - 1] = '\0';
        *message = text;
    }
    diag_free(diags);
    return error;
}

enum bankrun_error api_succeed(char **message) {
    if (message)
        *message = NULL;
    return BANKRUN_SUCCESS;
}
