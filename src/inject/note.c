#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "inject/inject.h"

// A child's stderr may go anywhere: the note's file reaches bankrun.
void inject_note(const char *format, ...) {
    char text[1024], path[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "bankrun: %s\n", text);
    const char *folder = getenv("BANKRUN_PROFILE_FOLDER");
    if (!folder || !*folder)
        return;
    snprintf(path, sizeof path, "%s/%ld.note", folder, (long)getpid());
    FILE *file = fopen(path, "ae");
    if (!file)
        return;
    fprintf(file, "%s\n", text);
    fclose(file);
}
