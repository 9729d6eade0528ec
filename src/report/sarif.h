// What SARIF 2.1.0 logs of bankrun have in common, whatever they are about.
#ifndef BANKRUN_REPORT_SARIF_H
#define BANKRUN_REPORT_SARIF_H

#include <jansson.h>
#include <stdint.h>

#include "base/strbuf.h"

json_t *sarif_message(const char *words);
// A path as a URI has it. One that is not absolute starts at the root of the sources.
json_t *sarif_artifact(const char *file);
// Sets the location's place in a source, if that is known. column 0: unknown; words: the line's,
// NULL: unknown.
void sarif_set_place(json_t *location, const char *file, uint32_t line, uint32_t column,
                     const char *words);
// Takes over the rules, and `run`, which has all but the tool.
void sarif_put(json_t *rules, json_t *run, struct strbuf *out);

#endif
