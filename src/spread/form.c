#include "spread/form.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

static const struct ptx_module *ptx_of(const struct run_launch *launch) {
    return sim_kernel_function(launch->kernel)->module->ptx;
}

uint64_t spread_module_name(const struct run_launch *launch, const char *listing) {
    const struct ptx_module *ptx = ptx_of(launch);
    const uint64_t parts[] = {hash_bytes(ptx->source->text, ptx->source->length),
                              listing ? hash_bytes(listing, strlen(listing)) : 0,
                              ptx->text_file != NULL};
    return hash_bytes(parts, sizeof parts);
}

void spread_put_module(struct strbuf *out, const struct run_launch *launch, const char *listing) {
    const struct ptx_module *ptx = ptx_of(launch);
    ranks_put_number(out, spread_module_name(launch, listing));
    ranks_put_text(out, ptx->source->text);
    ranks_put_text(out, ptx->source->name);
    ranks_put_text(out, ptx->text_file);
    ranks_put_text(out, listing);
}

bool spread_get_module(struct ranks_reader *in, struct spread_module *module) {
    module->name = ranks_get_number(in);
    module->text = ranks_get_text(in);
    module->source_name = ranks_get_text(in);
    module->text_file = ranks_get_text(in);
    module->listing = ranks_get_text(in);
    return !in->is_bad && module->text && module->source_name;
}

// Of the simulator's configuration what its blocks can see.
static void put_config(struct strbuf *out, const struct sim_config *config) {
    const uint64_t numbers[] = {
        config->arch,      config->max_instructions, config->multiprocessors, config->engine,
        config->fill.kind, config->fill.seed,        config->device_bytes};
    ranks_put(out, numbers, sizeof numbers);
}

static struct sim_config get_config(struct ranks_reader *in) {
    struct sim_config config = {0};
    config.arch = (unsigned)ranks_get_number(in);
    config.max_instructions = ranks_get_number(in);
    config.multiprocessors = (unsigned)ranks_get_number(in);
    config.engine = (enum sim_engine)ranks_get_number(in);
    config.fill.kind = (enum sim_fill_kind)ranks_get_number(in);
    config.fill.seed = ranks_get_number(in);
    config.device_bytes = ranks_get_number(in);
    return config;
}

static void put_shape(struct strbuf *out, const struct sim_launch *sim) {
    ranks_put(out, sim->grid, sizeof sim->grid);
    ranks_put(out, sim->block, sizeof sim->block);
    ranks_put(out, sim->cluster, sizeof sim->cluster);
    ranks_put_number(out, sim->dynamic_shared_bytes);
    ranks_put_number(out, sim->stack_bytes);
    ranks_put_number(out, sim->resident_blocks);
}

static void get(struct ranks_reader *in, void *to, size_t bytes) {
    const void *from = ranks_get(in, bytes);
    if (from)
        memcpy(to, from, bytes);
}

static struct sim_launch get_shape(struct ranks_reader *in) {
    struct sim_launch sim = {0};
    get(in, sim.grid, sizeof sim.grid);
    get(in, sim.block, sizeof sim.block);
    get(in, sim.cluster, sizeof sim.cluster);
    sim.dynamic_shared_bytes = (uint32_t)ranks_get_number(in);
    sim.stack_bytes = ranks_get_number(in);
    sim.resident_blocks = ranks_get_number(in);
    return sim;
}

void spread_put_launch(struct strbuf *out, const struct run_launch *launch, uint64_t module,
                       const struct ranks_range *ranges, size_t count,
                       const struct ranks_run_list *unwritten) {
    const struct sim *device = sim_kernel_device(launch->kernel);
    const struct ir_function *kernel = sim_kernel_function(launch->kernel);
    uint64_t base, bytes;
    size_t variables;
    uint64_t *addresses = sim_kernel_variables(launch->kernel, &variables);
    sim_space_of(device, &base, &bytes);
    ranks_put_number(out, module);
    ranks_put_text(out, kernel->name);
    ranks_put_number(out, variables);
    ranks_put(out, addresses, variables * sizeof *addresses);
    put_config(out, sim_config_of(device));
    put_shape(out, &launch->sim);
    ranks_put_number(out, launch->arch);
    ranks_put_number(out, launch->profile && !launch->profile->is_uncounted);
    ranks_put_number(out, base);
    ranks_put_number(out, bytes / RANKS_PAGE * RANKS_PAGE);
    ranks_put_number(out, count);
    ranks_put(out, ranges, count * sizeof *ranges);
    ranks_put_number(out, unwritten->length);
    ranks_put(out, unwritten->data, unwritten->length * sizeof *unwritten->data);
    ranks_put_number(out, kernel->parameter_bytes);
    ranks_put(out, launch->sim.parameters, kernel->parameter_bytes);
    free(addresses);
}

// Of a count and so many elements. Caller frees.
static void *get_list(struct ranks_reader *in, size_t bytes, size_t *count) {
    *count = ranks_get_count(in, bytes);
    void *list = base_alloc((*count + 1) * bytes);
    get(in, list, *count * bytes);
    return list;
}

bool spread_get_launch(struct ranks_reader *in, struct spread_launch *launch) {
    size_t parameter_bytes;
    *launch = (struct spread_launch){.module = ranks_get_number(in)};
    launch->kernel = ranks_get_text(in);
    launch->variables = get_list(in, sizeof *launch->variables, &launch->variable_count);
    launch->config = get_config(in);
    launch->sim = get_shape(in);
    launch->arch = (unsigned)ranks_get_number(in);
    launch->is_counted = ranks_get_number(in) != 0;
    launch->base = ranks_get_number(in);
    launch->bytes = ranks_get_number(in);
    launch->ranges = get_list(in, sizeof *launch->ranges, &launch->range_count);
    launch->unwritten = get_list(in, sizeof *launch->unwritten, &launch->unwritten_count);
    launch->sim.parameters = get_list(in, 1, &parameter_bytes);
    return !in->is_bad && launch->kernel;
}

void spread_free_launch(struct spread_launch *launch) {
    free((void *)(uintptr_t)launch->sim.parameters);
    free(launch->kernel);
    free(launch->variables);
    free(launch->ranges);
    free(launch->unwritten);
    *launch = (struct spread_launch){0};
}
