// What is put into streams. Each call that queues work makes an operation of it; it is run at once,
// or becomes a node of the graph that its stream is captured into. A graph's nodes hold operations
// too, and launching a graph runs them.
#ifndef BANKRUN_CUDART_OPERATION_H
#define BANKRUN_CUDART_OPERATION_H

#include "cudart/copy.h"
#include "cudart/fill.h"
#include "cudart/graph_abi.h"
#include "cudart/launch.h"
#include "cudart/module.h"

struct cudart_region;

enum { CUDART_MOST_BODIES = 1024 };

struct cudart_kernel {
    struct cudart_function *function;
    struct cudart_device *device; // where it runs
    struct cudart_launch launch;
    uint8_t *parameters;                          // as the kernel declares them; owned
    void **pointers;                              // to each of them, once a program asked; owned
    VEC(struct cuda_launch_attribute) attributes; // what was set for a node beside the launch
};

struct cudart_operation {
    enum cuda_node_type kind;
    union {
        struct cudart_kernel kernel;
        struct {
            struct cudart_copy copy;
            struct cuda_memcpy_3d asked; // the same as the program tells it
        } copy;
        struct cudart_fill fill;
        struct cuda_host_node host;
        struct cudart_graph *child; // owned
        struct cudart_event *event;
        struct {
            struct cudart_region *region; // a reference is owned
            struct cuda_allocate_node asked;
        } allocate;
        struct cudart_region *freed; // a reference is owned
        struct {
            cuda_condition handle;
            enum cuda_conditional_type type;
            unsigned size;
            struct cudart_graph **bodies; // owned
        } conditional;
    } u;
};

// All of them: lock held, device made.

// Runs the operation, or hands it over to a capture. Frees it in any case. is_lost: nothing more is
// executed on the device.
enum cuda_error cudart_enqueue(struct cudart_state *state, cuda_stream stream,
                               struct cudart_operation *operation, bool is_lost);
// Runs all kinds but child graphs and conditional nodes. A host function runs without the lock.
enum cuda_error cudart_operation_run(struct cudart_state *state,
                                     const struct cudart_operation *operation);
void cudart_operation_free(struct cudart_state *state, struct cudart_operation *operation);

#endif
