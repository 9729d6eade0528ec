// Objects of the program that graphs keep alive. Lock held.
#ifndef BANKRUN_CUDART_GRAPH_OBJECT_H
#define BANKRUN_CUDART_GRAPH_OBJECT_H

#include "cudart/graph_abi.h"
#include "cudart/state.h"

void cudart_object_retain(struct cudart_user_object *object, unsigned count);
// The last reference that goes calls the destructor, once the lock is free: see graph_state.h.
void cudart_object_release(struct cudart_state *state, struct cudart_user_object *object,
                           unsigned count);

#endif
