// The table of texture and surface objects. Numbers are never given out twice, so that a stale one
// is recognised.
#include <stdlib.h>

#include "base/alloc.h"
#include "base/vec.h"
#include "sim/texture_object.h"

struct sim_objects {
    VEC(struct sim_object *) list; // by number, from 1 on
};

struct sim_objects *sim_objects_create(void) {
    return base_alloc(sizeof(struct sim_objects));
}

void sim_objects_destroy(struct sim_objects *objects) {
    if (!objects)
        return;
    for (size_t i = 0; i < objects->list.length; i++)
        free(objects->list.data[i]);
    vec_free(&objects->list);
    free(objects);
}

const struct sim_object *sim_object_find(const struct sim_objects *objects, uint64_t number) {
    return number && number <= objects->list.length ? objects->list.data[number - 1] : NULL;
}

static uint64_t create(struct sim *sim, enum sim_object_kind kind, const struct sim_image *image) {
    struct sim_objects *objects = sim_objects_of(sim);
    struct sim_object *object = base_alloc(sizeof *object);
    object->kind = kind;
    object->is_live = true;
    object->image = *image;
    vec_push(&objects->list, object);
    return objects->list.length;
}

uint64_t sim_texture_create(struct sim *sim, const struct sim_image *image,
                            const struct sim_sampler *sampler) {
    uint64_t number = create(sim, SIM_OBJECT_TEXTURE, image);
    sim_objects_of(sim)->list.data[number - 1]->sampler = *sampler;
    return number;
}

uint64_t sim_surface_create(struct sim *sim, const struct sim_image *image) {
    return create(sim, SIM_OBJECT_SURFACE, image);
}

static bool destroy(struct sim *sim, enum sim_object_kind kind, uint64_t number) {
    struct sim_objects *objects = sim_objects_of(sim);
    if (!number || number > objects->list.length)
        return false;
    struct sim_object *object = objects->list.data[number - 1];
    if (object->kind != kind || !object->is_live)
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
