#include "base/csv.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

const char *csv_next(const char **at, const char *end, struct csv_field *field) {
    const char *begin = *at, *comma;
    if (begin < end && *begin == '"') {
        const char *close = begin + 1;
        while (close < end && (*close != '"' || (close + 1 < end && close[1] == '"')))
            close += *close == '"' ? 2 : 1;
        *field = (struct csv_field){begin + 1, close < end ? close : end};
        if (close >= end)
            return "this quote does not end on its line";
        if (close + 1 < end && close[1] != ',')
            return "expected ',' behind the quote";
        comma = close + 1 < end ? close + 1 : NULL;
    } else {
        comma = memchr(begin, ',', (size_t)(end - begin));
        *field = (struct csv_field){begin, comma ? comma : end};
    }
    *at = comma ? comma + 1 : NULL;
    return NULL;
}
