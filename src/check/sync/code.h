// The instructions of a kernel and of what it calls, by the numbers that events give them.
#ifndef BANKRUN_CHECK_SYNC_CODE_H
#define BANKRUN_CHECK_SYNC_CODE_H

#include "ir/ir.h"

struct sync_code {
    const struct ir_function **functions;
    uint32_t count;
};

struct sync_code sync_code_of(const struct ir_function *kernel);
void sync_code_free(struct sync_code *code);

// The first instruction from this one on that does more than compute: whoever comes here comes
// there.
uint32_t sync_code_effect(const struct sync_code *code, uint32_t number);
bool sync_code_is_exit(const struct sync_code *code, uint32_t number);

// A barrier that all threads are to meet at once, in one place of the program: __syncthreads(), and
// not barrier.sync, at which they may come together from several.
bool sync_code_is_aligned(const struct sync_code *code, uint32_t number);

// Two instructions that are one in the source: the compiler copies some. Where it is not known what
// they are in the source, they are two.
bool sync_code_is_same_place(const struct sync_code *code, uint32_t a, uint32_t b);

// Where two instructions differ that are at one place of a function which was inlined twice: the
// calls, or what these were inlined by. False: they are at two places, or nothing is known.
bool sync_code_calls(const struct sync_code *code, uint32_t a, uint32_t b,
                     const struct ptx_location *calls[2]);

#endif
