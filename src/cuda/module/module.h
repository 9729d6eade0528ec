// Modules: what one __cudaRegisterFatBinary call brought, with its kernels and variables. PTX is
// unpacked and parsed when a kernel or a variable of the module is first used.
#ifndef BANKRUN_CUDA_MODULE_MODULE_H
#define BANKRUN_CUDA_MODULE_MODULE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/vec.h"
#include "compiled/code.h"
#include "cuda/core/abi.h"
#include "cuda/core/handles.h"
#include "sim/sim.h"
#include "toolchain/fatbin.h"

struct cuda_state;

// What is kept of PTX that was parsed; survives cudaDeviceReset.
struct cuda_code {
    char *text, *text_file; // text_file: where it is kept for the report; NULL: nowhere
    struct source source;
    struct ptx_module *ptx;
    struct ir_module *ir;
    struct compiled_code *compiled; // its machine code; NULL: not looked at, or there is none
    bool was_compiled;              // it was looked at
    char *listing;                  // that `compiled` was read of, for other ranks; NULL: none
};

struct cuda_module {
    const struct toolchain_wrapper *wrapper; // in the program's own memory; NULL: see code.text
    bool is_loaded;                          // by the program, from memory or a file
    void *context;                           // of the driver API that loaded it; NULL: none
    unsigned device;                         // of that context
    FILE *log;                               // gets the messages about its PTX, too; NULL: none
    bool was_read;                           // `code` or `error` is set
    enum cuda_error error;                   // why it cannot be used
    struct cuda_code code;
    struct sim_module *sim[SIM_DEVICES]; // NULL: not on that device (yet, or since a reset)
    VEC(struct cuda_variable *) variables;
    VEC(struct cuda_function *) functions;
};

struct cuda_variable {
    const void *host; // its shadow in the program: the key
    const char *name; // borrowed from the program
    struct cuda_module *module;
    size_t bytes;
    void **managed_slot; // managed: where the program looks for the address; else NULL
};

// What a kernel is on one device, and what was set for it there.
struct cuda_function_on {
    struct sim_kernel *kernel;    // decoded; NULL: not yet, or since a reset
    enum cuda_error decode_error; // it cannot be decoded
    uint32_t max_dynamic_shared;  // what launches may ask for
    int carveout, cluster_scheduling;
    int shared_config;            // 0: the device's
    uint32_t required_cluster[3]; // set where the kernel itself says none; 0: not set
    bool allows_large_clusters;
};

// What the oldest of the driver's calls set for the next launch.
struct cuda_old_launch {
    struct cuda_dim3 block;
    unsigned shared_bytes, parameter_bytes;
    unsigned char parameters[IR_MAX_KERNEL_PARAMETER_BYTES];
};

struct cuda_function {
    struct cuda_handle handle;
    const void *host; // its stub in the program: the key
    const char *name; // borrowed from the program
    struct cuda_module *module;
    const struct ir_function *ir; // set once the module was read
    const struct ir_shared_layout *layout;
    struct cuda_function_on on[SIM_DEVICES];
    struct cuda_old_launch *old_launch; // NULL: none of them was made
};

// Reads the module and puts it on the device. Lock held, device made.
enum cuda_error cuda_module_load(struct cuda_state *state, struct cuda_module *module);
// What is to be known of its machine code, read when a launch of a kernel of it that may access
// shared memory is first counted. NULL: nobody wants it, or it cannot be had, which was said.
const struct compiled_code *cuda_module_compiled(struct cuda_state *state,
                                                 struct cuda_module *module,
                                                 const struct ir_function *kernel);
// Takes it off a device; what was parsed stays.
void cuda_module_unload(struct cuda_state *state, struct cuda_module *module, unsigned device);
// All of it, when the program unregisters it.
void cuda_module_free(struct cuda_state *state, struct cuda_module *module);

// A new record of a kernel of the module. `host`: its stub, NULL: it has none. Lock held.
struct cuda_function *cuda_function_add(struct cuda_state *state, struct cuda_module *module,
                                        const void *host, const char *name);

// A new record of a variable. `slot`: where the program looks for its address, NULL: it is no
// managed one. Lock held.
void cuda_variable_add(struct cuda_state *state, struct cuda_module *module, const void *host,
                       void **slot, const char *name, size_t bytes);

// The function behind a host stub or a kernel handle; its module is on the device then.
enum cuda_error cuda_function_find(struct cuda_state *state, const void *stub,
                                   struct cuda_function **function);
// The same without loading anything. NULL: unknown.
struct cuda_function *cuda_function_known(struct cuda_state *state, const void *stub);
// Decodes it for the current device's simulator.
enum cuda_error cuda_function_decode(struct cuda_state *state, struct cuda_function *function);
// What it is on the current device.
const struct cuda_function_on *cuda_function_here(const struct cuda_state *state,
                                                  const struct cuda_function *function);

// The variable behind a host shadow, its address and size on the device.
enum cuda_error cuda_variable_find(struct cuda_state *state, const void *symbol, void **address,
                                   size_t *bytes);

// The cluster size that launches must have; x is 0: any.
struct cuda_dim3 cuda_required_cluster(const struct cuda_state *state,
                                       const struct cuda_function *function);

// Launch bounds of a kernel: the most threads of a block.
unsigned cuda_function_max_threads(const struct cuda_state *state,
                                   const struct cuda_function *function);
// Registers of a thread, estimated from how many are live at a time: machine code alone would
// tell. Never 0.
unsigned cuda_function_registers(const struct cuda_function *function);

#endif
