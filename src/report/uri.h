// Paths and names as a URI has them.
#ifndef BANKRUN_REPORT_URI_H
#define BANKRUN_REPORT_URI_H

#include "base/strbuf.h"

// Bytes that mean something in a URI, or are no ASCII, as %XX; slashes stay.
void report_put_uri(struct strbuf *out, const char *path);

#endif
