// Inside the simulator: turning IR into decoded instructions.
#ifndef BANKRUN_SIM_DECODE_DECODE_H
#define BANKRUN_SIM_DECODE_DECODE_H

#include "base/vec.h"
#include "ir/address.h"
#include "ptx/facts.h"
#include "sim/flow/control.h"
#include "sim/sim_internal.h"

struct sim_shadow;

struct sim_decoder {
    struct sim_kernel *kernel;
    struct sim_code *code;
    const struct ir_function *function;
    const struct sim_target *target;
    struct diag_list *diags;
    bool *undefined;     // registers of the function that may be; NULL: it is not tracked
    const bool *ordered; // of each instruction of the kernel; see ir_block_ordered()
    VEC(struct sim_instr) instrs;
    uint32_t ordinal;
    bool failed;
};

void sim_decode_error(struct sim_decoder *decoder, const struct ir_instruction *ir,
                      const char *format, ...) __attribute__((format(printf, 3, 4)));

// decode/operand.c
sim_ref sim_register_ref(const struct sim_decoder *decoder, uint32_t reg);
sim_ref sim_constant_ref(struct sim_decoder *decoder, struct sim_constant constant);
sim_ref sim_operand_ref(struct sim_decoder *decoder, const struct ir_instruction *ir,
                        const struct ir_operand *operand);
// The place's offset with the address of its variable added. Reports a variable that has none.
uint64_t sim_place_offset(struct sim_decoder *decoder, const struct ir_instruction *ir,
                          const struct ir_place *place);

// decode/access.c
const struct sim_access *sim_decode_access(struct sim_decoder *decoder,
                                           const struct ir_instruction *ir);
bool sim_decode_kernel_parameter(struct sim_decoder *decoder, const struct ir_instruction *ir,
                                 struct sim_instr *instr);

// An instruction that executes the next one where the guard holds, if the instruction has one.
void sim_append_guard(struct sim_decoder *decoder, const struct ir_instruction *ir,
                      const struct sim_instr *like);

// decode/undefined.c: registers that may be undefined, by number. Caller frees.
bool *sim_find_undefined(const struct ir_function *function);
// Puts what tracks the instruction in front of it. Not NULL: what sim_finish_shadow takes once its
// handlers are chosen, and it has been pushed.
struct sim_shadow *sim_append_shadow(struct sim_decoder *decoder, const struct ir_instruction *ir,
                                     const struct sim_instr *like);
void sim_finish_shadow(struct sim_decoder *decoder, struct sim_shadow *shadow,
                       const struct sim_instr *like);

// decode/call.c
const struct sim_call *sim_decode_call(struct sim_decoder *decoder,
                                       const struct ir_instruction *ir);

// decode/local.c: sets what a thread takes of local memory. False: diags grew.
bool sim_decode_local(struct sim_kernel *kernel, struct diag_list *diags);

// constants.c: the constant block of a launch. Caller frees.
uint8_t *sim_fill_constants(const struct sim_kernel *kernel, const struct sim_launch *launch,
                            const void *parameters, const void *workspace);

#endif
