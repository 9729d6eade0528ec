// cp.async: patterns of global lines crossed with patterns of shared addresses.
#include "bench.h"

#define COPY(id, text)                                                                       \
    struct id {                                                                              \
        static __device__ __forceinline__ void run(unsigned shared, const char *from,        \
                                                   unsigned, unsigned, unsigned &) {         \
            asm volatile("cp.async." text ";" ::"r"(shared),                                 \
                         "l"(__cvta_generic_to_global(from)) : "memory");                    \
        }                                                                                    \
        static __device__ __forceinline__ void finish() {                                    \
            asm volatile("cp.async.wait_all;" ::: "memory");                                 \
        }                                                                                    \
    };
COPY(copy_4, "ca.shared.global [%0], [%1], 4")
COPY(copy_8, "ca.shared.global [%0], [%1], 8")
COPY(copy_16, "ca.shared.global [%0], [%1], 16")
COPY(copy_past_16, "cg.shared.global [%0], [%1], 16")

static const operation operations[] = {
    ROW("cp.async.ca.4", copy_4, false),
    ROW("cp.async.ca.8", copy_8, false),
    ROW("cp.async.ca.16", copy_16, false),
    ROW("cp.async.cg.16", copy_past_16, false),
};
MAIN(operations)
