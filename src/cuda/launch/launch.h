// One kernel launch: checks, parameters, the run itself.
#ifndef BANKRUN_CUDA_LAUNCH_LAUNCH_H
#define BANKRUN_CUDA_LAUNCH_LAUNCH_H

#include <stdbool.h>

#include "cuda/core/state.h"

struct cuda_launch {
    struct cuda_dim3 grid, block;
    struct cuda_dim3 cluster; // 0, 0, 0: none asked for
    size_t dynamic_shared;
    cuda_stream stream;
    bool is_cooperative;
    const void *packed;  // all parameters as the kernel declares them; NULL: one pointer each
    size_t packed_bytes; // of them; what is missing is 0
    const char *parent;  // the kernel that launches it; NULL: the host does
};

// A whole call. `stub`: a stub or a kernel handle.
enum cuda_error cuda_launch_kernel(struct cuda_state *state, const void *stub,
                                   struct cuda_launch *launch, void **arguments);
// Reads parameters in one piece, the other way to hand them over: a list of names and values.
enum cuda_error cuda_launch_packed(void **extra, struct cuda_launch *launch);

struct cuda_kernel;
struct cuda_operation;
// Checks a launch and makes it an operation, with a copy of the parameters; one that fails is in
// the profile. Lock held.
enum cuda_error cuda_kernel_of(struct cuda_state *state, const void *stub,
                               const struct cuda_launch *launch, void **arguments,
                               struct cuda_operation *operation);
// Lock held. A fault of the kernel is no error of this call.
enum cuda_error cuda_kernel_run(struct cuda_state *state, const struct cuda_kernel *kernel);

// Attributes that only steer how fast a device runs the kernel are taken and have no effect.
enum cuda_error cuda_launch_attributes(const struct cuda_launch_attribute *attributes,
                                       uint32_t count, struct cuda_launch *launch);

// The error of a launch that breaks a limit, else cudaSuccess. The same codes as on a device, see
// limits.c.
enum cuda_error cuda_check_launch(const struct cuda_state *state,
                                  const struct cuda_function *function,
                                  const struct cuda_launch *launch);

// The profile gets to know of a launch that failed. `stub`: as the program gave it.
void cuda_note_refused(struct cuda_state *state, const void *stub, const struct cuda_launch *launch,
                       enum cuda_error error);

// What is to be launched, as the simulator takes it.
struct sim_launch cuda_launch_shape(const struct cuda_launch *launch);

// Whether the kernel's clusters, and the launch's, are of a good size that the grid is a multiple
// of.
bool cuda_is_cluster_good(const struct cuda_state *state, const struct cuda_function *function,
                          const struct cuda_launch *launch);

// A block's static shared memory.
uint32_t cuda_static_shared(const struct cuda_function *function);
// What a launch of this kernel may ask for beyond that, as things are set.
uint32_t cuda_dynamic_limit(const struct cuda_state *state, const struct cuda_function *function);
// Blocks that fit on one multiprocessor; 0: the block does not fit at all.
unsigned cuda_occupancy(const struct cuda_state *state, const struct cuda_function *function,
                        unsigned threads, size_t dynamic_shared);

#endif
