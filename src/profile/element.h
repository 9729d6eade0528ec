// Elements of shared arrays as the source names them: "tile[3][0]".
#ifndef BANKRUN_PROFILE_ELEMENT_H
#define BANKRUN_PROFILE_ELEMENT_H

#include <stdbool.h>
#include <stdint.h>

enum { PROFILE_MOST_RANK = 4 };

struct profile_elements {
    unsigned rank;                       // 0: not known
    uint64_t extents[PROFILE_MOST_RANK]; // the first is 0 where a launch says how much memory it is
    uint64_t bytes;                      // of an element
};

struct strbuf;
// The element `place` bytes behind the array's start; "tile[3][0]+2" where that is inside of one.
void profile_put_element(struct strbuf *out, const char *array,
                         const struct profile_elements *elements, uint64_t place);

struct ir_function;
struct ir_variable;
// As the source declares the array, which is looked for in the files that the function's lines are
// of, as far as they can be read; else as PTX does; rank 0: neither tells. `access_bytes`: what an
// access takes, where the type is a template's parameter. Safe to be called from several threads.
struct profile_elements profile_find_elements(const struct ir_function *function,
                                              const struct ir_variable *variable,
                                              uint64_t access_bytes);

#endif
