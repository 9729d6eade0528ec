// An object file that LLVM made becomes an image (sim/native/image.h).
#ifndef BANKRUN_COMPILE_IMAGE_H
#define BANKRUN_COMPILE_IMAGE_H

#include <stddef.h>
#include <stdint.h>

// `object`: an ELF file of the machine that this is compiled for, position-independent; 8-byte
// aligned. `entry`: the function. The caller frees it. NULL: *why says what is in it that images
// cannot have.
uint8_t *image_make(const void *object, size_t length, const char *entry, size_t *bytes,
                    const char **why);

#endif
