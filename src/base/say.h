// The one door through which messages reach a terminal. They hold names of kernels, paths and
// source text, which may hold anything.
#ifndef BANKRUN_BASE_SAY_H
#define BANKRUN_BASE_SAY_H

#include <stdarg.h>
#include <stdio.h>

// "bankrun: ", the message and a newline, in one piece and safe for a terminal (utf8_clean).
void say(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void say_list(FILE *out, const char *format, va_list arguments);

// The text alone.
void say_text(FILE *out, const char *text);

#endif
