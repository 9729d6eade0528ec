// A module of PTX on a device: parsed, checked, its variables in memory; and what its kernels
// ask for.
#ifndef BANKRUN_RUN_MODULE_H
#define BANKRUN_RUN_MODULE_H

#include "base/strbuf.h"
#include "sim/sim.h"

struct run_module { // zeroed: none
    struct ptx_module *ptx;
    struct ir_module *ir;
    struct sim_module *sim;
};

// Each needs the one before. False: diags grew. `source` must outlive the module.
bool run_module_parse(struct run_module *module, const struct source *source,
                      struct diag_list *diags);
bool run_module_load(struct run_module *module, struct sim *sim, struct diag_list *diags);
void run_module_free(struct run_module *module); // before its device

// The kernel with this symbol, or of this plain C++ name, when only one has it. NULL: *matches
// says how many have it.
const struct ptx_function *run_find_kernel(const struct ptx_module *ptx, const char *name,
                                           size_t *matches);
// Why there is none, with the names of those that there are.
void run_describe_missing(const struct ptx_module *ptx, const char *name, size_t matches,
                          struct strbuf *out);
bool run_is_kernel(const struct ptx_function *function); // with a body

// Whether an argument of one type may be given for a parameter of another: bit types fit everything
// of their size; otherwise both are floats or both are integers.
bool run_types_fit(enum ptx_type argument, enum ptx_type parameter);
// "a structure of 24 bytes", "u32"
void run_describe_parameter(const struct ptx_variable *parameter, struct strbuf *out);
// "k takes 2 arguments (u64, u32)": the kernel and its parameters.
void run_describe_parameters(const struct ptx_function *kernel, struct strbuf *out);

// Where the n-th argument lies in the parameter block.
uint64_t run_parameter_offset(const struct ir_function *kernel, size_t index);

// The machine code that ptxas makes of the module, as nvdisasm lists it. The module's own target
// comes before `arch` where it asks for the features of one architecture alone. `cache_folder`:
// where it is kept; NULL: nowhere. Caller frees; NULL: diags grew.
char *run_list_code(const struct ptx_module *ptx, const struct source *source, unsigned arch,
                    const char *cache_folder, struct diag_list *diags);

#endif
