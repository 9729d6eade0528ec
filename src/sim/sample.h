// Running some blocks of a launch instead of all.
#ifndef BANKRUN_SIM_SAMPLE_H
#define BANKRUN_SIM_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

struct sim_sample { // all 0: all blocks
    uint64_t blocks;
    double share;   // of a launch's blocks, up to 1
    bool is_proved; // one of those that are proved to do the same: who launches says which
};

// "100", "2.5%" or "auto". False: none of them.
bool sim_sample_parse(const char *text, struct sim_sample *sample);

// How many of a launch's pieces (blocks, or clusters of piece_blocks blocks) are run: 1 to pieces.
uint64_t sim_sample_size(const struct sim_sample *sample, uint64_t pieces, uint64_t piece_blocks);
// The n-th of them, ascending.
uint64_t sim_sample_pick(uint64_t n, uint64_t size, uint64_t pieces);

#endif
