// Inside the simulator: texture and surface instructions, decoded.
#ifndef BANKRUN_SIM_TEXTURE_ACCESS_H
#define BANKRUN_SIM_TEXTURE_ACCESS_H

#include "ptx/facts.h"
#include "sim/exec.h"
#include "sim/texture/object.h"

enum { SIM_TEXTURE_COORDINATES = 4 };

struct sim_texture_access {
    enum ptx_access access;
    bool is_surface;
    sim_ref object; // 64 bits
    enum sim_image_shape shape;
    bool is_integer; // coordinates
    unsigned coordinate_count;
    sim_ref coordinate[SIM_TEXTURE_COORDINATES]; // the layer first, where there is one
    unsigned value_count;
    sim_ref value[SIM_TEXTURE_CHANNELS]; // results, or what is stored
    enum ptx_type type;                  // of a value
    bool has_level, has_gradient, has_offset, has_predicate;
    sim_ref level, dx[3], dy[3], offset[3];
    sim_ref predicate;          // of tex: there is memory behind all texels, which is always true
    unsigned component;         // tld4
    enum ptx_modifier boundary; // trap, clamp, zero
    enum ptx_modifier op;       // sured, txq, suq
    bool is_formatted;          // surfaces: x counts texels, values are converted
};

// Queries ask any shape.
static inline bool sim_is_query(const struct sim_texture_access *access) {
    return access->access == PTX_ACCESS_TEXTURE_QUERY || access->access == PTX_ACCESS_SURFACE_QUERY;
}

// NULL: reported, or of a form that is not supported.
const struct sim_texture_access *sim_decode_texture(struct sim_decoder *decoder,
                                                    const struct ir_instruction *ir);
bool sim_is_texture(const struct ir_instruction *ir);

const struct sim_instr *sim_run_texture(struct sim_warp *warp, const struct sim_instr *instr);
const struct sim_instr *sim_run_txq(struct sim_warp *warp, const struct sim_instr *instr);
const struct sim_instr *sim_run_surface(struct sim_warp *warp, const struct sim_instr *instr);

// The live object of this kind that a lane names. NULL: a fault was raised.
const struct sim_object *sim_texture_object(struct sim_warp *warp, const struct sim_instr *instr,
                                            enum sim_object_kind kind, unsigned lane);
unsigned sim_shape_axes(enum sim_image_shape shape);
bool sim_shape_has_layers(enum sim_image_shape shape);

#endif
