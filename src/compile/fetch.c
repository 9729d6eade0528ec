// What will be accessed soon is fetched into caches ahead. See build.h.
#include <stddef.h>

#include "compile/build.h"
#include "sim/flow/warp.h"

static const char here[] = "";

enum { CACHE_LINE = 64 };

static void fetch(struct build *build, const struct op *op, LLVMValueRef first, unsigned bytes) {
    enum { NEAREST = 3, DATA = 1 };
    for (unsigned offset = 0; offset < bytes; offset += CACHE_LINE) {
        LLVMValueRef at = LLVMBuildIntToPtr(
            build->builder, LLVMBuildAdd(build->builder, first, build_number(build, offset), here),
            build->bytes, here);
        LLVMTypeRef type = LLVMTypeOf(at);
        LLVMValueRef arguments[] = {at, LLVMConstInt(build->i32, op->kind == OP_STORE, false),
                                    LLVMConstInt(build->i32, NEAREST, false),
                                    LLVMConstInt(build->i32, DATA, false)};
        build_intrinsic(build, "llvm.prefetch", &type, 1, arguments, 4);
    }
}

// Whether an access of the segment that lies less than a line away has done it.
static bool is_fetched(struct build *build, const struct op *op) {
    struct fetched *fetched = &build->fetched;
    LLVMValueRef base = build_source_first(build, &op->base);
    const int64_t offset = (int64_t)op->access->offset;
    for (unsigned i = 0; i < fetched->count; i++) {
        const int64_t distance = offset - fetched->all[i].offset;
        if (fetched->all[i].base == base && distance < CACHE_LINE && -distance < CACHE_LINE)
            return true;
    }
    if (fetched->count < MOST_FETCHED)
        fetched->all[fetched->count++] = (struct fetched_place){base, offset};
    return false;
}

// As far on as the warp has come since it was here last: in a loop, or in the block before.
static LLVMValueRef next_place(struct build *build, LLVMValueRef first) {
    LLVMBuilderRef b = build->builder;
    const size_t field =
        offsetof(struct sim_warp_flow, accessed) + build->fetched.predicted++ * sizeof(uint64_t);
    LLVMValueRef at = build_pointer(build, build->flow, field, build->i64);
    LLVMValueRef last = LLVMBuildLoad2(b, build->i64, at, here);
    LLVMBuildStore(b, first, at);
    return LLVMBuildAdd(b, first, LLVMBuildSub(b, first, last, here), here);
}

// The next warp, or the next block, often goes on where this one ends, and the warp itself comes
// back, in steps as before. Processors fetch ahead along one row, but not where warps go through
// memory beside each other, nor over pages: waiting took half the time of a histogram whose warps
// are 128 bytes apart, and of a transpose, and a quarter of that of a matrix product of 4096.
void build_fetch_ahead(struct build *build, const struct op *op, LLVMValueRef first) {
    const unsigned span = LANES * op->access->count * op->access->bytes;
    if (op->access->space == PTX_SPACE_SHARED || is_fetched(build, op))
        return;
    fetch(build, op, LLVMBuildAdd(build->builder, first, build_number(build, span), here), span);
    if (build->fetched.predicted < SIM_PREDICTED)
        fetch(build, op, next_place(build, first), span);
}
