// Loaded modules: memory for variables, kernels by name.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "sim/sim_internal.h"

static bool has_memory(const struct ir_variable *variable) {
    return (variable->space == PTX_SPACE_GLOBAL || variable->space == PTX_SPACE_CONST) &&
           !variable->ptx->is_extern;
}

// A managed variable that a twin has already is that one.
static bool borrow(struct sim_module *module, const struct sim_module *twin,
                   const struct ir_variable *ir) {
    void *address = twin && ir->ptx->is_managed ? sim_variable_address(twin, ir) : NULL;
    struct sim_variable variable = {.ir = ir, .address = address, .is_borrowed = true};
    if (address)
        vec_push(&module->variables, variable);
    return address != NULL;
}

static bool place(struct sim_module *module, const struct sim_module *twin,
                  const struct ir_variable *ir, struct diag_list *diags) {
    if (!has_memory(ir) || borrow(module, twin, ir))
        return true;
    struct sim_memory *memory = module->sim->memory;
    struct sim_allocation *allocation =
        ir->ptx->is_managed ? sim_memory_alloc_shown(memory, ir->ptx->bytes, SIM_VARIABLE)
                            : sim_memory_alloc(memory, ir->ptx->bytes, SIM_VARIABLE);
    if (!allocation) {
        diag_error(diags, "the device is full: no %llu bytes for the variable '%s'",
                   (unsigned long long)ir->ptx->bytes, ir->name);
        return false;
    }
    allocation->name = ir->name;
    allocation->is_read_only = ir->space == PTX_SPACE_CONST;
    void *address = (void *)(uintptr_t)allocation->address;
    if (ir->ptx->is_managed)
        sim_set_access(module->sim, address, SIM_ALL_DEVICES, SIM_ALL_DEVICES);
    if (ir->ptx->initial)
        memcpy(address, ir->ptx->initial, ir->ptx->bytes);
    else
        memset(address, 0, ir->ptx->bytes);
    struct sim_variable variable = {.ir = ir, .address = address};
    vec_push(&module->variables, variable);
    return true;
}

static int by_ir(const void *a, const void *b) {
    const struct sim_variable *x = a, *y = b;
    return x->ir < y->ir ? -1 : x->ir > y->ir;
}

void *sim_variable_address(const struct sim_module *module, const struct ir_variable *variable) {
    if (!module->variables.length)
        return NULL;
    struct sim_variable key = {.ir = variable};
    const struct sim_variable *found =
        bsearch(&key, module->variables.data, module->variables.length,
                sizeof *module->variables.data, by_ir);
    return found ? found->address : NULL;
}

// Initial values may hold addresses of variables and functions.
static bool fix_up(struct sim_module *module, const struct sim_variable *variable,
                   struct diag_list *diags) {
    const struct ptx_variable *ptx = variable->ir->ptx;
    for (size_t i = 0; i < ptx->fixup_count; i++) {
        const struct ptx_fixup *fixup = &ptx->fixups[i];
        const struct ir_variable *target = ir_find_variable(module->ir, fixup->symbol);
        uint64_t address = 0;
        if (target)
            address = (uint64_t)(uintptr_t)sim_variable_address(module, target);
        else
            address = (uint64_t)(uintptr_t)ir_find_function(module->ir, fixup->symbol);
        if (!address) {
            diag_add(diags, DIAG_ERROR, module->ir->ptx->source, fixup->range,
                     "'%s' has no address that could be an initial value", fixup->symbol);
            return false;
        }
        assert(fixup->bytes <= sizeof address && fixup->offset + fixup->bytes <= ptx->bytes);
        address += (uint64_t)fixup->addend;
        memcpy((uint8_t *)variable->address + fixup->offset, &address, fixup->bytes);
    }
    return true;
}

static bool place_all(struct sim_module *module, const struct sim_module *twin,
                      struct diag_list *diags) {
    const struct ir_module *ir = module->ir;
    bool ok = true;
    for (uint32_t i = 0; i < ir->variable_count; i++)
        ok &= place(module, twin, &ir->variables[i], diags);
    for (uint32_t f = 0; f < ir->function_count; f++)
        for (uint32_t i = 0; i < ir->functions[f]->variable_count; i++)
            ok &= place(module, twin, ir->functions[f]->variables[i], diags);
    if (module->variables.length)
        qsort(module->variables.data, module->variables.length, sizeof *module->variables.data,
              by_ir);
    for (size_t i = 0; ok && i < module->variables.length; i++)
        ok &= module->variables.data[i].is_borrowed ||
              fix_up(module, &module->variables.data[i], diags);
    return ok;
}

struct sim_module *sim_module_load(struct sim *sim, const struct ir_module *ir,
                                   const struct sim_module *twin, struct diag_list *diags) {
    struct sim_module *module = base_alloc(sizeof *module);
    assert(!twin || twin->ir == ir);
    module->sim = sim;
    module->ir = ir;
    if (place_all(module, twin, diags))
        return module;
    sim_module_unload(module, NULL);
    return NULL;
}

// ---- In another process -----------------------------------------------------------------------

typedef VEC(const struct ir_variable *) variable_list;

static variable_list list_variables(const struct ir_module *ir) {
    variable_list list = {0};
    for (uint32_t i = 0; i < ir->variable_count; i++)
        if (has_memory(&ir->variables[i]))
            vec_push(&list, &ir->variables[i]);
    for (uint32_t f = 0; f < ir->function_count; f++)
        for (uint32_t i = 0; i < ir->functions[f]->variable_count; i++)
            if (has_memory(ir->functions[f]->variables[i]))
                vec_push(&list, ir->functions[f]->variables[i]);
    return list;
}

uint64_t *sim_module_addresses(const struct sim_module *module, size_t *count) {
    variable_list list = list_variables(module->ir);
    uint64_t *addresses = base_alloc((list.length + 1) * sizeof *addresses);
    for (size_t i = 0; i < list.length; i++)
        addresses[i] = (uint64_t)(uintptr_t)sim_variable_address(module, list.data[i]);
    *count = list.length;
    vec_free(&list);
    return addresses;
}

uint64_t *sim_kernel_variables(const struct sim_kernel *kernel, size_t *count) {
    return sim_module_addresses(kernel->module, count);
}

struct sim_module *sim_module_load_at(struct sim *sim, const struct ir_module *ir,
                                      const uint64_t *addresses, size_t count) {
    variable_list list = list_variables(ir);
    struct sim_module *module = NULL;
    if (list.length == count) {
        module = base_alloc(sizeof *module);
        module->sim = sim;
        module->ir = ir;
    }
    for (size_t i = 0; module && i < count; i++) {
        struct sim_variable variable = {
            .ir = list.data[i], .address = (void *)(uintptr_t)addresses[i], .is_borrowed = true};
        vec_push(&module->variables, variable);
    }
    if (module && count)
        qsort(module->variables.data, count, sizeof *module->variables.data, by_ir);
    vec_free(&list);
    return module;
}

// ---- The end ----------------------------------------------------------------------------------

// The heir's variable of the same name becomes its own.
static void bequeath(const struct sim_variable *variable, struct sim_module *heir) {
    for (size_t i = 0; i < heir->variables.length; i++)
        if (heir->variables.data[i].ir == variable->ir)
            heir->variables.data[i].is_borrowed = false;
    sim_memory_adopt(heir->sim->memory, (uint64_t)(uintptr_t)variable->address);
}

void sim_module_unload(struct sim_module *module, struct sim_module *heir) {
    if (!module)
        return;
    for (size_t i = 0; i < module->variables.length; i++) {
        const struct sim_variable *variable = &module->variables.data[i];
        if (variable->is_borrowed)
            continue;
        if (heir && variable->ir->ptx->is_managed)
            bequeath(variable, heir);
        else
            sim_free(module->sim, variable->address);
    }
    for (size_t i = 0; i < module->kernels.length; i++)
        sim_kernel_free(module->kernels.data[i]);
    vec_free(&module->variables);
    vec_free(&module->kernels);
    free(module);
}

void *sim_module_variable(const struct sim_module *module, const char *name, size_t *bytes) {
    const struct ir_variable *ir = ir_find_variable(module->ir, name);
    void *address = ir ? sim_variable_address(module, ir) : NULL;
    if (address && bytes)
        *bytes = ir->ptx->bytes;
    return address;
}

// Why a `refuse` row has no lane code; NULL: it has none yet.
static const char *reason_of(const struct ptx_instruction *refused) {
    switch (refused->isa) {
    case PTX_ISA_tcgen05_any:
        return "the tensor memory and matrix units of 10.x are not simulated";
    case PTX_ISA_multimem_any:
        return "it reaches the memory of several devices at once";
    case PTX_ISA_clusterlaunchcontrol_any:
        return "it takes over blocks that another cluster was to run, on 10.x";
    default:
        return NULL;
    }
}

static bool is_refused(const struct ir_function *ir, struct diag_list *diags) {
    const struct ptx_instruction *refused = ir_first_refused(ir);
    if (!refused)
        return false;
    const char *reason = reason_of(refused);
    struct strbuf text = {0};
    ptx_print_mnemonic(refused, &text);
    diag_add(diags, DIAG_ERROR, ir->module->ptx->source, refused->range,
             "instruction '%s' is not supported%s%s", text.data, reason ? ": " : " yet",
             reason ? reason : "");
    strbuf_free(&text);
    return true;
}

struct sim_kernel *sim_module_kernel(struct sim_module *module, const char *name,
                                     struct diag_list *diags) {
    for (size_t i = 0; i < module->kernels.length; i++)
        if (strcmp(module->kernels.data[i]->ir->name, name) == 0)
            return module->kernels.data[i];
    const struct ir_function *ir = ir_find_function(module->ir, name);
    if (!ir || !ir->ptx->is_entry) {
        diag_error(diags, "the module has no kernel '%s'", name);
        return NULL;
    }
    if (is_refused(ir, diags))
        return NULL;
    struct sim_kernel *kernel = sim_decode(module, ir, diags);
    if (kernel)
        vec_push(&module->kernels, kernel);
    return kernel;
}

const struct ir_function *sim_kernel_function(const struct sim_kernel *kernel) {
    return kernel->ir;
}

const struct ir_shared_layout *sim_kernel_layout(const struct sim_kernel *kernel) {
    return kernel->layout;
}

bool sim_kernel_is_ordered(const struct sim_kernel *kernel) {
    return kernel->is_ordered;
}

const char *sim_kernel_needs_all_blocks(const struct sim_kernel *kernel) {
    if (kernel->waits_for_blocks)
        return "its blocks may wait for each other";
    return kernel->launches ? "it launches kernels" : NULL;
}

const char *sim_kernel_varies(const struct sim_kernel *kernel) {
    return kernel->reads_clock ? "reads a clock" : kernel->allocates ? "allocates memory" : NULL;
}

const struct sim *sim_kernel_device(const struct sim_kernel *kernel) {
    return kernel->module->sim;
}
