#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/say.h"
#include "handover/handover.h"
#include "inject/inject.h"

// A child's stderr may go anywhere: the note reaches bankrun.
void inject_note(const char *format, ...) {
    static struct handover_writer *writer;
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    say(stderr, "%s", text);
    if (!writer && handover_is_wanted())
        writer = handover_open();
    if (writer)
        handover_write(writer, HANDOVER_NOTE, text, strlen(text));
}

void inject_tell_replaced(void) {
    struct handover_writer *writer = handover_is_wanted() ? handover_open() : NULL;
    if (writer)
        handover_replaced(writer);
    handover_close(writer);
}
