// Inside the profile: reading values of a JSON object with errors that say where they are.
#ifndef BANKRUN_PROFILE_JSON_CHECK_H
#define BANKRUN_PROFILE_JSON_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "base/diag.h"
#include "base/strbuf.h"

// After the first error all readers return zeros, NULLs and empty arrays and report no more.
struct profile_reader {
    struct diag_list *diags;
    const char *file;
    unsigned arch;       // of the profile
    struct strbuf where; // "launches[0].sites[2]"
    bool failed;
};

// A message about a member starts with its key, "line: expected ...", one about the value that
// `where` names starts with a colon, ": expected ...".
void profile_fail(struct profile_reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Appends a step to `where`; give the result to profile_leave().
size_t profile_enter(struct profile_reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void profile_leave(struct profile_reader *reader, size_t length);

uint64_t profile_check_number(struct profile_reader *reader, const char *key, const json_t *value,
                              uint64_t most);
uint64_t profile_read_number(struct profile_reader *reader, const json_t *object, const char *key,
                             uint64_t most);
bool profile_read_boolean(struct profile_reader *reader, const json_t *object, const char *key);
char *profile_read_text(struct profile_reader *reader, const json_t *object, const char *key,
                        bool may_be_null);
int profile_read_name(struct profile_reader *reader, const json_t *object, const char *key,
                      const char *const *names, int count); // index of the name
const json_t *profile_read_object(struct profile_reader *reader, const json_t *object,
                                  const char *key);
// length 0: any.
const json_t *profile_read_array(struct profile_reader *reader, const json_t *object,
                                 const char *key, size_t length);
void profile_read_triple(struct profile_reader *reader, const json_t *object, const char *key,
                         uint32_t values[3]);
const json_t *profile_read_element(struct profile_reader *reader, const json_t *array,
                                   size_t index); // an object

#endif
