// Fat binaries: the containers in which nvcc puts PTX and machine code for several architectures.
//
// Layout, as nvcc 13 writes it and as older versions back to 9 do (all little endian):
//   container   u32 magic 0xBA55ED50, u16 version 1, u16 header bytes (16), u64 bytes that follow
//   entries     one after the other: a header, then its payload padded to 8 bytes
//     +0  u16 kind: 1 PTX, 2 ELF machine code       +2  u16 version (0x101)
//     +4  u32 header bytes (64, more with names)    +8  u64 payload bytes, padding included
//     +16 u32 compressed bytes without padding      +20 u32 where what ptxas is told is said
//     +28 u32 architecture (90)
//     +40 u64 flags: 0x2000 LZ4, 0x8000 zstd, 0x100000 suffix `a`, 0x200000 suffix `f`
//     +56 u64 bytes once unpacked (compressed entries)
// What ptxas is told (` -maxrregcount=32 `) is in the header: u32 where, and u32 bytes, counted as
// +20 is from the entry's begin.
// A section or an object file may hold several containers in a row, with zeros between them.
#ifndef BANKRUN_TOOLCHAIN_FATBIN_H
#define BANKRUN_TOOLCHAIN_FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

#define TOOLCHAIN_WRAPPER_MAGIC 0x466243b1u
#define TOOLCHAIN_FATBIN_MAGIC 0xba55ed50u

// What __cudaRegisterFatBinary gets, and what section .nvFatBinSegment holds.
struct toolchain_wrapper {
    uint32_t magic;   // TOOLCHAIN_WRAPPER_MAGIC
    uint32_t version; // 1; 2: relocatable device code, see `extra`
    const void *data; // the container
    void *extra;      // version 2: NULL-terminated array of pointers to containers
};

enum toolchain_image_kind { TOOLCHAIN_PTX, TOOLCHAIN_MACHINE_CODE };
enum toolchain_packing { TOOLCHAIN_PLAIN, TOOLCHAIN_LZ4, TOOLCHAIN_ZSTD, TOOLCHAIN_UNKNOWN };

struct toolchain_image {
    enum toolchain_image_kind kind;
    unsigned arch; // 90 for compute_90 or sm_90
    char suffix;   // 'a', 'f' or 0
    enum toolchain_packing packing;
    const uint8_t *payload;  // points into the text that was read
    size_t stored_bytes;     // of the payload, without padding when that is known
    uint64_t unpacked_bytes; // 0 for plain images
    unsigned most_registers; // that ptxas is told for PTX; 0: no limit
};

struct toolchain_images { // a zeroed struct is an empty list
    struct toolchain_image *items;
    size_t count, capacity;
};
void toolchain_images_free(struct toolchain_images *images);

// Appends the images of all containers in data[0..length). `name` is for messages. False: diags
// say what is wrong (truncated, bad magic, ...); images before the damage are kept.
bool toolchain_fatbin_read(const void *data, size_t length, const char *name,
                           struct toolchain_images *images, struct diag_list *diags);

// Bytes of the container that starts here, header included; 0: it is none. Reads 16 bytes.
uint64_t toolchain_fatbin_bytes(const void *container);

// Unpacks an image: *length bytes, and a NUL behind them, that the caller frees. PTX is a text
// without NULs, its kernels limited to most_registers as by toolchain_limit_registers. NULL: diags
// say why.
char *toolchain_unpack(const struct toolchain_image *image, size_t *length,
                       struct diag_list *diags);

// The PTX to run on an architecture: the one for the highest architecture that is not above it,
// else the lowest one above (*is_above is set then). NULL: there is no PTX.
const struct toolchain_image *toolchain_pick_ptx(const struct toolchain_images *images,
                                                 unsigned arch, bool *is_above);

struct toolchain_ptx_image {
    const char *ptx;
    unsigned arch; // 90 of compute_90a
    char suffix;   // and its 'a', or 'f'; 0
};

// A container that holds PTX, not packed, and no machine code. Caller frees; *length bytes long.
char *toolchain_fatbin_make(const struct toolchain_ptx_image *images, size_t count, size_t *length);

#endif
