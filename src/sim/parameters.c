// Addresses in the space of parameters may be of 32 bits: `mov.b32 %r, parameter` and what follows,
// as Triton has for tensor maps. They are generic addresses here, so the block of a kernel that
// takes one lies where 32 bits reach.
#include "sim/parameters.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "base/strbuf.h"

// Nothing lies behind the block that a kernel could read by mistake.
enum { PARAMETERS_ALIGN = 256, GAP = 256, PAGE = 65536 };
#define LOW_FIRST 0x10000000ull
#define LOW_END 0x7f000000ull

static bool takes_short_address(const struct sim_kernel *kernel) {
    for (size_t i = 0; i < kernel->constants.length; i++)
        if (kernel->constants.data[i].kind == SIM_CONSTANT_ADDRESS &&
            kernel->constants.data[i].width < sizeof(uint64_t))
            return true;
    return false;
}

// NULL: there is no room, or the system gives no more. Kernels before 4.17 take the place for a
// wish.
static uint8_t *map_low(uint64_t bytes) {
    static uint64_t next;
    const uint64_t places = (LOW_END - LOW_FIRST) / bytes;
    for (uint64_t tries = 0; tries < places; tries++) {
        const uint64_t place = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED) % places;
        void *want = (void *)(uintptr_t)(LOW_FIRST + place * bytes);
        void *at = mmap(want, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
        if (at == want)
            return at;
        if (at != MAP_FAILED)
            munmap(at, bytes);
        else if (errno != EEXIST)
            return NULL;
    }
    return NULL;
}

static void refuse(const struct sim_kernel *kernel, struct sim_result *result) {
    struct strbuf text = {0};
    strbuf_printf(&text,
                  "%s takes the address of a parameter in 32 bits, and there is no room for its "
                  "parameters below 2 GB: other memory of the process lies there, or the system "
                  "gives no more (ulimit -v, vm.max_map_count)",
                  kernel->ir->name);
    result->fault = SIM_FAULT_TRAP;
    result->message = strbuf_take(&text);
}

bool sim_parameters_copy(const struct sim_kernel *kernel, const void *from,
                         struct sim_parameters *parameters, struct sim_result *result) {
    const uint64_t bytes = kernel->ir->parameter_bytes;
    *parameters = (struct sim_parameters){0};
    if (takes_short_address(kernel)) {
        parameters->mapped = (bytes + GAP + PAGE - 1) / PAGE * PAGE;
        parameters->data = map_low(parameters->mapped);
    } else {
        parameters->data = base_alloc_aligned(PARAMETERS_ALIGN, bytes + GAP);
    }
    if (!parameters->data)
        refuse(kernel, result);
    else if (bytes)
        memcpy(parameters->data, from, bytes);
    return parameters->data;
}

void sim_parameters_free(struct sim_parameters *parameters) {
    if (parameters->mapped)
        munmap(parameters->data, parameters->mapped);
    else
        free(parameters->data);
}
