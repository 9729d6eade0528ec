// Fields of comma-separated lines (RFC 4180), where no field has a line's end in it.
#ifndef BANKRUN_BASE_CSV_H
#define BANKRUN_BASE_CSV_H

struct csv_field {
    const char *begin, *end; // without quotes; a quote within is doubled still
};

// The field at *at, moved behind the comma that ends it; *at == NULL behind the last one. NULL:
// done; otherwise what is wrong with it.
const char *csv_next(const char **at, const char *end, struct csv_field *field);

#endif
