// The table of texture and surface objects. Numbers are never given out twice, so that a stale one
// is recognised.
#include <stdlib.h>

#include "base/alloc.h"
#include "base/vec.h"
#include "sim/texture/object.h"

struct sim_objects {
    uint64_t base;                 // of the device's numbers
    VEC(struct sim_object *) list; // by number, from 1 on
};

struct sim_objects *sim_objects_create(unsigned device) {
    struct sim_objects *objects = base_alloc(sizeof *objects);
    objects->base = (uint64_t)device << SIM_OBJECT_DEVICE_SHIFT;
    return objects;
}

void sim_objects_destroy(struct sim_objects *objects) {
    if (!objects)
        return;
    for (size_t i = 0; i < objects->list.length; i++)
        free(objects->list.data[i]);
    vec_free(&objects->list);
    free(objects);
}

// NULL: it is no number of this device's.
static struct sim_object *find(const struct sim_objects *objects, uint64_t number) {
    uint64_t place = number - objects->base;
    return place && place <= objects->list.length ? objects->list.data[place - 1] : NULL;
}

const struct sim_object *sim_object_find(const struct sim_objects *objects, uint64_t number) {
    return find(objects, number);
}

static uint64_t create(struct sim *sim, enum sim_object_kind kind, const struct sim_image *image) {
    struct sim_objects *objects = sim_objects_of(sim);
    struct sim_object *object = base_alloc(sizeof *object);
    object->kind = kind;
    object->is_live = true;
    object->image = *image;
    vec_push(&objects->list, object);
    return objects->base + objects->list.length;
}

uint64_t sim_texture_create(struct sim *sim, const struct sim_image *image,
                            const struct sim_sampler *sampler) {
    uint64_t number = create(sim, SIM_OBJECT_TEXTURE, image);
    find(sim_objects_of(sim), number)->sampler = *sampler;
    return number;
}

uint64_t sim_surface_create(struct sim *sim, const struct sim_image *image) {
    return create(sim, SIM_OBJECT_SURFACE, image);
}

static bool destroy(struct sim *sim, enum sim_object_kind kind, uint64_t number) {
    struct sim_objects *objects = sim_objects_of(sim);
    struct sim_object *object = find(objects, number);
    if (!object || object->kind != kind || !object->is_live)
        return false;
    object->is_live = false;
    return true;
}

bool sim_texture_destroy(struct sim *sim, uint64_t object) {
    return destroy(sim, SIM_OBJECT_TEXTURE, object);
}

bool sim_surface_destroy(struct sim *sim, uint64_t object) {
    return destroy(sim, SIM_OBJECT_SURFACE, object);
}
