// The device.
#include <stdlib.h>

#include "sim/sim_internal.h"

enum { DEFAULT_ARCH = 90, DEFAULT_MULTIPROCESSORS = 132 };
enum { FIRST_TIME = 1000000000 }; // programs take a timer that says 0 for one that does not run

struct sim *sim_create(const struct sim_config *config) {
    struct sim *sim = base_alloc(sizeof *sim);
    sim->config = *config;
    if (!sim->config.arch)
        sim->config.arch = DEFAULT_ARCH;
    if (!sim->config.multiprocessors)
        sim->config.multiprocessors = DEFAULT_MULTIPROCESSORS;
    if (!sim->config.device_bytes)
        sim->config.device_bytes = SIM_DEVICE_BYTES;
    sim->memory = config->neighbour ? sim_memory_join(config->neighbour->memory, config->device,
                                                      sim->config.device_bytes)
                                    : sim_memory_create(sim->config.device_bytes, config->device,
                                                        config->devices, config->place);
    if (!config->neighbour)
        sim_memory_use_fill(sim->memory, &sim->config.fill);
    if (config->tracks_undefined && !config->neighbour)
        sim_memory_track_undefined(sim->memory);
    if (config->lets_pass && !config->neighbour)
        sim_memory_use_pages(sim->memory);
    sim->objects = sim_objects_create(config->device);
    sim->timer = FIRST_TIME;
    sim->target = sim_target_pick();
    sim->pool = pool_create(sim->config.threads);
    if (!config->neighbour)
        sim_memory_use_pool(sim->memory, sim->pool);
    return sim;
}

void sim_destroy(struct sim *sim) {
    if (!sim)
        return;
    if (!sim->config.neighbour)
        sim_memory_use_pool(sim->memory, NULL);
    pool_destroy(sim->pool);
    sim_objects_destroy(sim->objects);
    sim_memory_destroy(sim->memory);
    free(sim);
}

int sim_threads(const struct sim *sim) {
    return pool_threads(sim->pool);
}

bool sim_samples(const struct sim *sim) {
    return sim->config.sample.blocks || sim->config.sample.share > 0;
}

struct sim_memory *sim_memory_of(const struct sim *sim) {
    return sim->memory;
}

struct sim_objects *sim_objects_of(const struct sim *sim) {
    return sim->objects;
}

void sim_interrupt(struct sim *sim) {
    sim->interrupted = 1;
}

bool sim_tracks_undefined(const struct sim *sim) {
    return sim_memory_tracks_undefined(sim->memory);
}
