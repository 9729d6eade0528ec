// Numbers for people.
#include <stdio.h>

#include "report/page.h"

const char *report_number(char buffer[REPORT_NUMBER], uint64_t number) {
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)number);
    char *to = buffer;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return buffer;
}

const char *report_percent(char buffer[REPORT_NUMBER], uint64_t part, uint64_t whole) {
    double percent = whole ? 100.0 * (double)part / (double)whole : 0;
    if (part > 0 && percent < 1)
        snprintf(buffer, REPORT_NUMBER, "<1 %%");
    else if (part < whole && percent > 99)
        snprintf(buffer, REPORT_NUMBER, ">99 %%");
    else
        snprintf(buffer, REPORT_NUMBER, "%.0f %%", percent);
    return buffer;
}

const char *report_ratio(char buffer[REPORT_NUMBER], uint64_t part, uint64_t whole) {
    if (whole == 0)
        snprintf(buffer, REPORT_NUMBER, "-");
    else if (part % whole == 0)
        report_number(buffer, part / whole);
    else
        snprintf(buffer, REPORT_NUMBER, "%.2f", (double)part / (double)whole);
    return buffer;
}
