// What instructions are to threads that meet, by the numbers that events give them.
#ifndef BANKRUN_CHECK_SYNC_CODE_H
#define BANKRUN_CHECK_SYNC_CODE_H

#include "ir/ir.h"

// The first instruction from this one on that does more than compute: whoever comes here comes
// there.
uint32_t sync_code_effect(const struct ir_code *code, uint32_t number);
bool sync_code_is_exit(const struct ir_code *code, uint32_t number);

// A barrier that all threads are to meet at once, in one place of the program: __syncthreads(), and
// not barrier.sync, at which they may come together from several.
bool sync_code_is_aligned(const struct ir_code *code, uint32_t number);

// Two instructions that are one in the source: the compiler copies some. Where it is not known what
// they are in the source, they are two.
bool sync_code_is_same_place(const struct ir_code *code, uint32_t a, uint32_t b);

// Where two instructions differ that are at one place of a function which was inlined twice: the
// calls, or what these were inlined by. False: they are at two places, or nothing is known.
bool sync_code_calls(const struct ir_code *code, uint32_t a, uint32_t b,
                     const struct ptx_location *calls[2]);

#endif
