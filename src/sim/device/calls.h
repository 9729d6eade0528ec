// Inside the simulator: the functions that device code may call without bringing them along.
//
//   name          parameters                                     result
//   vprintf       b64 format, b64 arguments                      b32: number of arguments parsed
//   malloc        b64 bytes                                      b64: address, 0: no memory left
//   free          b64 address
//   __assertfail  b64 message, b64 file, b32 line,
//                 b64 function, b64 character size               (does not return)
//   cudaGraphSetConditional  b64 handle, b32 value
//
// and those by which kernels launch kernels, see device_launch.c. All addresses are generic ones.
#ifndef BANKRUN_SIM_DEVICE_CALLS_H
#define BANKRUN_SIM_DEVICE_CALLS_H

#include "base/strbuf.h"
#include "base/vec.h"
#include "sim/exec.h"
#include "sim/sim.h"

enum { SIM_DEVICE_MAX_ARGUMENTS = 5, SIM_DEVICE_MAX_BYTES = 12 };

struct sim_device {
    const char *name;
    uint32_t arguments;                               // number of parameters
    uint8_t argument_bytes[SIM_DEVICE_MAX_ARGUMENTS]; // 4 or 8, or 12 of a dim3
    uint8_t result_bytes;                             // 0, 4 or 8
    // Runs the function for the lanes of warp->mask, in lane order. arguments[i] and result are
    // 32 lanes of the width above; lanes that are off are neither read nor written. Text goes to
    // sim_block_of(warp)->output. False: a fault was raised.
    bool (*call)(struct sim_warp *warp, const struct sim_instr *instr, const void *const *arguments,
                 void *result);
    bool launches; // kernels: no block may be left out
};

// NULL: there is no such function.
const struct sim_device *sim_device_find(const char *name);

// It allocates device memory, or frees it.
bool sim_device_allocates(const struct sim_device *device);

// device_launch.c: the same for functions of the device runtime.
const struct sim_device *sim_device_launch_find(const char *name);

// What a block has launched, and asked for without launching it yet.
struct sim_device_wish {
    uint64_t buffer; // where the kernel writes the parameters
    struct sim_child child;
};
struct sim_device_launches {
    VEC(struct sim_device_wish) wishes;
    VEC(struct sim_child) children;
};
void sim_device_launches_free(struct sim_device_launches *launches);

// device_printf.c
bool sim_device_vprintf(struct sim_warp *warp, const struct sim_instr *instr,
                        const void *const *arguments, void *result);
// Appends the text at a generic address, up to its NUL or `limit` bytes. False: it runs out of
// the memory that may be read, and a fault was raised; `what` names it in the message.
bool sim_device_string(struct sim_warp *warp, const struct sim_instr *instr, unsigned lane,
                       uint64_t address, uint64_t limit, const char *what, struct strbuf *out);

#endif
