// Inside the simulator: the functions that device code may call without bringing them along.
//
//   name          parameters                                     result
//   vprintf       b64 format, b64 arguments                      b32: number of arguments parsed
//   malloc        b64 bytes                                      b64: address, 0: no memory left
//   free          b64 address
//   __assertfail  b64 message, b64 file, b32 line,
//                 b64 function, b64 character size               (does not return)
//
// All addresses are generic ones.
#ifndef BANKRUN_SIM_DEVICE_CALLS_H
#define BANKRUN_SIM_DEVICE_CALLS_H

#include "base/strbuf.h"
#include "sim/exec.h"

enum { SIM_DEVICE_MAX_ARGUMENTS = 5 };

struct sim_device {
    const char *name;
    uint32_t arguments;                               // number of parameters
    uint8_t argument_bytes[SIM_DEVICE_MAX_ARGUMENTS]; // 4 or 8
    uint8_t result_bytes;                             // 0, 4 or 8
    // Runs the function for the lanes of warp->mask, in lane order. arguments[i] and result are
    // 32 lanes of the width above; lanes that are off are neither read nor written. Text goes to
    // sim_block_of(warp)->output. False: a fault was raised.
    bool (*call)(struct sim_warp *warp, const struct sim_instr *instr, const void *const *arguments,
                 void *result);
};

// NULL: there is no such function.
const struct sim_device *sim_device_find(const char *name);

// device_printf.c
bool sim_device_vprintf(struct sim_warp *warp, const struct sim_instr *instr,
                        const void *const *arguments, void *result);
// Appends the text at a generic address, up to its NUL or `limit` bytes. False: it runs out of
// the memory that may be read, and a fault was raised; `what` names it in the message.
bool sim_device_string(struct sim_warp *warp, const struct sim_instr *instr, unsigned lane,
                       uint64_t address, uint64_t limit, const char *what, struct strbuf *out);

#endif
