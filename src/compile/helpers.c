// Functions beside the kernel's, which its code calls: what it would have many times. See build.h.
#include "compile/build.h"

LLVMValueRef build_helper(struct build *build, const char *name, LLVMTypeRef type,
                          void (*make)(struct build *build, const void *context),
                          const void *context) {
    LLVMValueRef made = LLVMGetNamedFunction(build->module, name), kernel = build->function;
    if (made)
        return made;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(build->builder);
    build->function = made = LLVMAddFunction(build->module, name, type);
    LLVMSetLinkage(made, LLVMInternalLinkage);
    build_name_processor(build);
    LLVMPositionBuilderAtEnd(build->builder, build_block(build, "begin"));
    make(build, context);
    build->function = kernel;
    LLVMPositionBuilderAtEnd(build->builder, before);
    return made;
}
