// What is put into streams. Each call that queues work makes an operation of it; it is run at once,
// or becomes a node of the graph that its stream is captured into. A graph's nodes hold operations
// too, and launching a graph runs them.
#ifndef BANKRUN_CUDA_STREAM_OPERATION_H
#define BANKRUN_CUDA_STREAM_OPERATION_H

#include "cuda/graph/abi.h"
#include "cuda/launch/launch.h"
#include "cuda/memory/copy.h"
#include "cuda/memory/fill.h"
#include "cuda/module/module.h"

struct cuda_region;

enum { CUDA_MOST_BODIES = 1024 };

struct cuda_kernel {
    struct cuda_function *function;
    struct cuda_device *device; // where it runs
    struct cuda_launch launch;
    uint8_t *parameters;                          // as the kernel declares them; owned
    void **pointers;                              // to each of them, once a program asked; owned
    VEC(struct cuda_launch_attribute) attributes; // what was set for a node beside the launch
};

struct cuda_operation {
    enum cuda_node_type kind;
    union {
        struct cuda_kernel kernel;
        struct {
            struct cuda_copy copy;
            struct cuda_memcpy_3d asked; // the same as the program tells it
        } copy;
        struct cuda_fill fill;
        struct cuda_host_node host;
        struct cuda_graph *child; // owned
        struct cuda_event *event;
        struct {
            struct cuda_region *region; // a reference is owned
            struct cuda_allocate_node asked;
        } allocate;
        struct cuda_region *freed; // a reference is owned
        struct {
            cuda_condition handle;
            enum cuda_conditional_type type;
            unsigned size;
            struct cuda_graph **bodies; // owned
        } conditional;
    } u;
};

// All of them: lock held, device made.

// Runs the operation, or hands it over to a capture. Frees it in any case. is_lost: nothing more is
// executed on the device.
enum cuda_error cuda_enqueue(struct cuda_state *state, cuda_stream stream,
                             struct cuda_operation *operation, bool is_lost);
// Runs all kinds but child graphs and conditional nodes. A host function runs without the lock.
enum cuda_error cuda_operation_run(struct cuda_state *state,
                                   const struct cuda_operation *operation);
void cuda_operation_free(struct cuda_state *state, struct cuda_operation *operation);

#endif
