// Objects of the program that graphs keep alive. Lock held.
#ifndef BANKRUN_CUDA_GRAPH_OBJECT_H
#define BANKRUN_CUDA_GRAPH_OBJECT_H

#include "cuda/core/state.h"
#include "cuda/graph/abi.h"

void cuda_object_retain(struct cuda_user_object *object, unsigned count);
// The last reference that goes calls the destructor, once the lock is free.
void cuda_object_release(struct cuda_state *state, struct cuda_user_object *object, unsigned count);

#endif
