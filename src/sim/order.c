// See order.h.
#include "sim/order.h"

enum event_order sim_order_of(const struct ptx_instruction *ptx, enum event_order otherwise) {
    switch (ptx_modifier_of(ptx, PTX_GROUP_sem)) {
    case PTX_MOD_relaxed:
        return EVENT_RELAXED;
    case PTX_MOD_acquire:
        return EVENT_ACQUIRE;
    case PTX_MOD_release:
        return EVENT_RELEASE;
    case PTX_MOD_acq_rel:
        return EVENT_ACQ_REL;
    case PTX_MOD_sc:
        return EVENT_SC;
    default:
        return otherwise;
    }
}

enum event_scope sim_scope_of(const struct ptx_instruction *ptx, enum event_scope otherwise) {
    switch (ptx_modifier_of(ptx, PTX_GROUP_scope)) {
    case PTX_MOD_cta:
        return EVENT_CTA;
    case PTX_MOD_cluster:
        return EVENT_CLUSTER;
    case PTX_MOD_gpu:
    case PTX_MOD_gl:
        return EVENT_GPU;
    case PTX_MOD_sys:
        return EVENT_SYS;
    default:
        return otherwise;
    }
}
