// What the modifiers of an instruction ask for where it has so many that a row of value.def takes
// them all: the row names a reader, and its expression sees what that reads as `form`, or as imm.
#ifndef BANKRUN_IR_FORM_H
#define BANKRUN_IR_FORM_H

#include "ir/ir.h"
#include "ir/number/convert.h"
#include "ir/number/narrow.h"
#include "ir/number/video.h"

struct ir_form {
    union {
        struct video video;
        struct num_conversion conversion;
        struct {
            const struct num_narrow *format;
            unsigned bits; // from one number of a pair to the other
            bool relu;
        } narrow;
    };
    uint32_t immediate;
};

// Bits of ir_form.immediate.
enum {
    IR_FORM_RELU = 1,
    IR_FORM_FINITE = 2,
    IR_FORM_UP = 4,
    IR_FORM_BITS = 7, // of cvt.pack: bits of a part, less one
    IR_FORM_SIGNED = 8,
};

// False: nothing runs these modifiers together.
typedef bool ir_form_reader(const struct ir_function *function,
                            const struct ir_instruction *instruction, struct ir_form *out);
ir_form_reader ir_read_video; // of three sources
ir_form_reader ir_read_video_alone;
ir_form_reader ir_read_conversion;
ir_form_reader ir_read_pack_half;
ir_form_reader ir_read_narrow_to, ir_read_narrow_from, ir_read_narrow_four;
ir_form_reader ir_read_flags; // .relu, .satfinite and .rp as imm
ir_form_reader ir_read_pack_int;

#endif
