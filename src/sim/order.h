// Inside the simulator: how an instruction says that it is ordered with others, for observers.
#ifndef BANKRUN_SIM_ORDER_H
#define BANKRUN_SIM_ORDER_H

#include "event/event.h"
#include "ptx/ptx.h"

// What is written, or `otherwise`.
enum event_order sim_order_of(const struct ptx_instruction *ptx, enum event_order otherwise);
enum event_scope sim_scope_of(const struct ptx_instruction *ptx, enum event_scope otherwise);

#endif
