// Devices and their memory.
#include <string.h>

#include "base/alloc.h"
#include "base/mapping.h"
#include "run/api/api.h"

enum { DEFAULT_ARCH = 90, MOST_THREADS = 1024 };

struct bankrun_device *bankrun_open(const struct bankrun_config *config, char **message) {
    const struct bankrun_config defaults = {0};
    if (!config)
        config = &defaults;
    const unsigned arch = config->arch ? config->arch : DEFAULT_ARCH;
    const unsigned chip = arch & ~(unsigned)BANKRUN_EIGHT_BYTE_BANKS;
    if (!bankrun_banks(arch) || !bankrun_limits_of(chip)) {
        api_fail(message, BANKRUN_BAD_CALL, "there is no architecture %u%s", chip,
                 arch == chip ? "" : " with banks of 8 bytes");
        return NULL;
    }
    if (config->threads > MOST_THREADS) {
        api_fail(message, BANKRUN_BAD_CALL, "%u threads are more than %d", config->threads,
                 MOST_THREADS);
        return NULL;
    }
    struct bankrun_device *device = base_alloc(sizeof *device);
    device->arch = arch;
    device->limits = run_limits_of(chip);
    device->sim =
        sim_create(&(struct sim_config){.arch = chip,
                                        .threads = (int)config->threads,
                                        .engine = SIM_ENGINE_INTERPRET,
                                        .max_instructions = config->max_instructions,
                                        .lets_pass = config->lets_pass,
                                        .tracks_undefined = config->tracks_undefined,
                                        .output = config->output,
                                        .device_bytes = config->memory_bytes,
                                        .sample = {.blocks = config->sample_blocks},
                                        .multiprocessors = device->limits.multiprocessors});
    device->tracks_undefined = config->tracks_undefined;
    api_succeed(message);
    return device;
}

void bankrun_close(struct bankrun_device *device) {
    if (!device)
        return;
    while (device->modules.length)
        bankrun_unload(device->modules.data[0]);
    vec_free(&device->modules);
    sim_destroy(device->sim);
    free(device);
}

unsigned bankrun_threads(const struct bankrun_device *device) {
    return (unsigned)sim_threads(device->sim);
}

void bankrun_interrupt(struct bankrun_device *device) {
    sim_interrupt(device->sim);
}

void *bankrun_alloc(struct bankrun_device *device, size_t bytes) {
    void *memory = sim_alloc(device->sim, bytes, SIM_DEVICE);
    if (memory)
        memset(memory, 0, bytes);
    return memory;
}

bool bankrun_free(struct bankrun_device *device, void *memory) {
    const struct sim_allocation *found = sim_find(device->sim, (uint64_t)(uintptr_t)memory, false);
    return found && found->kind == SIM_DEVICE && sim_free(device->sim, memory);
}

bool bankrun_register(struct bankrun_device *device, void *memory, size_t bytes) {
    return mapping_allows((uintptr_t)memory, bytes, false) &&
           sim_register_host(device->sim, memory, bytes);
}

bool bankrun_unregister(struct bankrun_device *device, void *memory) {
    return sim_unregister_host(device->sim, memory);
}
