// Inside the injected library: the toolkit's libraries that exist only as machine code, like
// cuSOLVER, or measure a GPU (CUPTI), and what becomes of their functions.
#ifndef BANKRUN_INJECT_CODED_H
#define BANKRUN_INJECT_CODED_H

#include "inject/inject.h"

struct coded_own { // a function of ours in the place of one of the library's
    const char *name;
    void (*function)(void);
};

struct coded_library {
    const char *file;            // what its file's name begins with
    const char *prefix;          // of the names of its functions
    const char *name;            // as its users call it
    const char *computed;        // by what --libraries cpu computes it; NULL: it does not
    const char *const *computes; // names, with * and ?; NULL: all of it
    int refused;                 // the status with which it says that it does not do something
    // Names, with * and ?, of functions that need no device: what only tells something, or
    // describes what another call would compute. They stay the library's own.
    const char *const *kept;
    const char *const *only; // NULL: all that are not kept are refused
    const struct coded_own *own;
};

// By the path of its file. NULL: none of them.
const struct coded_library *coded_library_of(const char *path);

// Does --libraries cpu compute the function?
bool coded_is_computed(const struct coded_library *library, const char *name);

// Why it is not simulated. And what to do about it, where that does not depend on who calls.
const char *coded_reason(const struct coded_library *library);
const char *coded_way_out(const struct coded_library *library);

enum coded_fate { CODED_KEPT, CODED_OWN, CODED_REFUSED };

// What becomes of a function of the library. Sets *own where it is CODED_OWN.
enum coded_fate coded_fate_of(const struct coded_library *library, const char *name,
                              void (**own)(void));

#endif
