#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/say.h"
#include "handover/handover.h"
#include "inject/inject.h"

enum { TEXT_BYTES = 1024 };

// A child's stderr may go anywhere: the note reaches bankrun.
static void hand_over(const char *text) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct handover_writer *writer;
    pthread_mutex_lock(&lock);
    if (!writer && handover_is_wanted())
        writer = handover_open();
    if (writer)
        handover_write(writer, HANDOVER_NOTE, text, strlen(text));
    pthread_mutex_unlock(&lock);
}

void inject_note(const char *format, ...) {
    char text[TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    say(stderr, "%s", text);
    hand_over(text);
}

// What bankrun puts before it need not be said twice.
void inject_note_missing(const char *format, ...) {
    static const char words[] = ": not simulated";
    char text[TEXT_BYTES], *found;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    say(stderr, "%s", text);
    if ((found = strstr(text, words)))
        memmove(found, found + strlen(words), strlen(found + strlen(words)) + 1);
    hand_over(text);
}

void inject_tell_replaced(void) {
    struct handover_writer *writer = handover_is_wanted() ? handover_open() : NULL;
    if (writer)
        handover_replaced(writer);
    handover_close(writer);
}
