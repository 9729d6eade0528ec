// Textures and surfaces: what is fetched is the same on every machine, see texture/run.c.
#include "sim/lanes/lanes.h"
#include "sim/texture/access.h"

static const sim_handler texture[2] = {sim_run_texture, sim_run_texture};
static const sim_handler surface[2] = {sim_run_surface, sim_run_surface};

LANES_SELECT(tex) {
    return out->extra && lanes_use(out, texture);
}

static const sim_handler query[2] = {sim_run_txq, sim_run_txq};

LANES_SELECT(txq) {
    return out->extra && lanes_use(out, query);
}

LANES_SELECT(suq) {
    return out->extra && lanes_use(out, query);
}

LANES_SELECT(suld) {
    return out->extra && lanes_use(out, surface);
}

LANES_SELECT(sust) {
    return out->extra && lanes_use(out, surface);
}

LANES_SELECT(sured) {
    return out->extra && lanes_use(out, surface);
}
