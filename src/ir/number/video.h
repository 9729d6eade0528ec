// Video instructions on one lane's operands: parts of registers are selected, computed with in more
// than 32 bits, clamped, and combined with a third operand. (PTX ISA, scalar and SIMD video
// instructions; scalar ones as an H200 does them, which differs here and there.)
#ifndef BANKRUN_IR_NUMBER_VIDEO_H
#define BANKRUN_IR_NUMBER_VIDEO_H

#include <stdbool.h>
#include <stdint.h>

enum video_operation {
    VIDEO_ADD,
    VIDEO_SUB,
    VIDEO_AVERAGE,
    VIDEO_ABSDIFF,
    VIDEO_MIN,
    VIDEO_MAX,
    VIDEO_SHL,
    VIDEO_SHR,
    VIDEO_MAD,
    VIDEO_EQ, // comparisons: 1 or 0
    VIDEO_NE,
    VIDEO_LT,
    VIDEO_LE,
    VIDEO_GT,
    VIDEO_GE,
};

// What becomes of the result.
enum video_second {
    VIDEO_ALONE,
    VIDEO_MERGE,      // it takes the place of parts of c
    VIDEO_ACCUMULATE, // c is added
    VIDEO_LESSER,     // the minimum of it and c
    VIDEO_GREATER,
};

// Parts of a register, or of the pair {b, a} for SIMD: which ones, from the lowest of the result.
struct video_part {
    uint8_t bits;     // of a part: 8, 16 or 32
    uint8_t index[4]; // parts of this width
};

struct video {
    enum video_operation operation;
    enum video_second second;
    unsigned lanes; // parts that are computed at once: 1, 2 or 4
    struct video_part a, b;
    bool a_signed, b_signed, d_signed;
    bool sat;
    // The width of a result: 8, 16 or 32. Bit n of the mask: part n of the destination is written
    // (MERGE), or its result is added (ACCUMULATE with several lanes).
    uint8_t bits, mask;
    bool wrap;                // shifts: by the amount modulo 32, else by at most 32
    bool negate_ab, negate_c; // mad
    bool plus_one;
    uint8_t scale; // mad: bits to shift right
};

uint32_t num_video(const struct video *video, uint32_t a, uint32_t b, uint32_t c);

#endif
