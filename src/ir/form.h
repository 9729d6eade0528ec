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

// False: nothing runs these modifiers together.
typedef bool ir_form_reader(const struct ir_function *function,
                            const struct ir_instruction *instruction, struct ir_form *out);
ir_form_reader ir_read_video; // of three sources
ir_form_reader ir_read_video_alone;

#endif
