// Machine code as it is kept: one piece of bytes that runs wherever it is mapped. It holds no
// address; what it calls outside of itself it finds in slots at its end.
#ifndef BANKRUN_SIM_NATIVE_IMAGE_H
#define BANKRUN_SIM_NATIVE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Functions of the C library that code may call where the processor has no instruction for them.
// Numbers are kept: a change is one of COMPILE_VERSION.
#define NATIVE_OUTSIDE(X)                                                                          \
    X(fma) X(fmaf) X(rint) X(rintf) X(trunc) X(truncf) X(floor) X(floorf) X(ceil) X(ceilf)

struct native_image_head { // where the bytes begin
    uint64_t bytes;        // of all
    uint64_t entry;        // where the function begins
    uint64_t slots;        // where they begin; each of 8 bytes holds the number of a function
    uint64_t slot_count;
};

struct native_image { // that can be run
    void *at;         // NULL: none
    size_t bytes;
    void *entry;
};

// False: it is none, or the system does not allow that.
bool native_image_load(const void *bytes, size_t length, struct native_image *image);
void native_image_free(struct native_image *image);

#endif
