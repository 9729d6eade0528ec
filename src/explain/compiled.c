// An atomic as it is written, and as the code generator makes it.
#include "explain/ask.h"

const char *explain_compiled(unsigned arch, const struct explain_group *group,
                             uint32_t *wavefronts) {
    struct bankrun_request request = explain_bank_request(group);
    struct bankrun_cost cost;
    const bool is_uniform = group->request.is_uniform;
    if (group->access != BANKRUN_ATOMIC || group->status != BANKRUN_OK ||
        arch < (is_uniform ? 75 : 80))
        return NULL;
    request.access = BANKRUN_ATOMIC_CONSTANT;
    if (bankrun_count(arch, &request, &cost) != BANKRUN_OK ||
        cost.wavefronts == group->cost.wavefronts)
        return NULL;
    *wavefronts = cost.wavefronts;
    return is_uniform ? "an atomicAdd, Sub, Min, Max, And, Or or Xor whose result is not used"
                      : "an atomicAdd of 1 whose result is not used";
}
