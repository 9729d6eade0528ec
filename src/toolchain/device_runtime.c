#include "toolchain/device_runtime.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "toolchain/link.h"
#include "toolchain/pieces.h"

// A grid's handle is its workspace's address, as the kernel's registers have it: 0 where the launch
// is not cooperative. The count of the blocks that have come is its second word, which functions
// that compilers put in line (grid_group::sync) use, too: each block adds 1, and block 0 as much as
// makes the topmost bit change when all have come. To wait without a workspace is a fault, as it is
// there.
#define SYNCHRONIZE(name)                                                                          \
    ".weak .func (.param .b32 error) " name "(.param .b64 handle, .param .b32 flags)\n"            \
    "{\n"                                                                                          \
    ".reg .pred %p<4>;\n"                                                                          \
    ".reg .b32 %r<12>;\n"                                                                          \
    ".reg .b64 %rd<2>;\n"                                                                          \
    ".loc 1 2 1\n"                                                                                 \
    "ld.param.u64 %rd1, [handle];\n"                                                               \
    "setp.ne.u64 %p1, %rd1, 0;\n"                                                                  \
    "@%p1 bra $come;\n"                                                                            \
    "trap;\n"                                                                                      \
    "$come:\n"                                                                                     \
    "barrier.sync 0;\n"                                                                            \
    "mov.u32 %r1, %tid.x;\n"                                                                       \
    "mov.u32 %r2, %tid.y;\n"                                                                       \
    "mov.u32 %r3, %tid.z;\n"                                                                       \
    "or.b32 %r1, %r1, %r2;\n"                                                                      \
    "or.b32 %r1, %r1, %r3;\n"                                                                      \
    "setp.ne.u32 %p2, %r1, 0;\n"                                                                   \
    "@%p2 bra $go;\n"                                                                              \
    "mov.u32 %r4, %nctaid.x;\n"                                                                    \
    "mov.u32 %r5, %nctaid.y;\n"                                                                    \
    "mov.u32 %r6, %nctaid.z;\n"                                                                    \
    "mul.lo.u32 %r4, %r4, %r5;\n"                                                                  \
    "mul.lo.u32 %r4, %r4, %r6;\n"                                                                  \
    "sub.u32 %r4, 0x80000001, %r4;\n"                                                              \
    "mov.u32 %r5, %ctaid.x;\n"                                                                     \
    "mov.u32 %r6, %ctaid.y;\n"                                                                     \
    "mov.u32 %r7, %ctaid.z;\n"                                                                     \
    "or.b32 %r5, %r5, %r6;\n"                                                                      \
    "or.b32 %r5, %r5, %r7;\n"                                                                      \
    "setp.eq.u32 %p3, %r5, 0;\n"                                                                   \
    "selp.b32 %r8, %r4, 1, %p3;\n"                                                                 \
    "atom.add.release.gpu.u32 %r9, [%rd1+4], %r8;\n"                                               \
    "$wait:\n"                                                                                     \
    "ld.acquire.gpu.u32 %r10, [%rd1+4];\n"                                                         \
    "xor.b32 %r11, %r9, %r10;\n"                                                                   \
    "setp.ge.s32 %p3, %r11, 0;\n"                                                                  \
    "@%p3 bra $wait;\n"                                                                            \
    "$go:\n"                                                                                       \
    "barrier.sync 0;\n"                                                                            \
    "mov.u32 %r1, 0;\n"                                                                            \
    "st.param.b32 [error], %r1;\n"                                                                 \
    "ret;\n"                                                                                       \
    "}\n"

static const char cooperative_groups[] =
    ".version 6.0\n.target sm_70\n.address_size 64\n"
    ".weak .func (.param .b64 handle) cudaCGGetIntrinsicHandle(.param .b32 scope)\n"
    "{\n"
    ".reg .pred %p<2>;\n"
    ".reg .b32 %r<4>;\n"
    ".reg .b64 %rd<3>;\n"
    ".loc 1 1 1\n"
    "ld.param.u32 %r1, [scope];\n"
    "mov.u32 %r2, %envreg2;\n"
    "mov.u32 %r3, %envreg1;\n"
    "mov.b64 %rd1, {%r2, %r3};\n"
    "setp.eq.u32 %p1, %r1, 1;\n" // cudaCGScopeGrid
    "selp.b64 %rd2, %rd1, 0, %p1;\n"
    "st.param.b64 [handle], %rd2;\n"
    "ret;\n"
    "}\n" SYNCHRONIZE("cudaCGSynchronize")
        SYNCHRONIZE("cudaCGSynchronizeGrid") ".file 1 \"libcudadevrt\"\n";

static bool is_ours(const struct piece *piece) {
    static const char *const names[] = {"cudaCGGetIntrinsicHandle", "cudaCGSynchronize",
                                        "cudaCGSynchronizeGrid"};
    for (size_t i = 0; piece->name && i < sizeof names / sizeof *names; i++)
        if (piece->name_length == strlen(names[i]) &&
            memcmp(piece->name, names[i], piece->name_length) == 0)
            return true;
    return false;
}

char *toolchain_add_device_runtime(char *text) {
    bool is_asked = false;
    struct piece piece;
    if (!strstr(text, "cudaCG"))
        return text; // nearly all modules
    for (const char *at = text; toolchain_piece(&at, &piece);)
        is_asked |= piece.kind == PIECE_DECLARATION && is_ours(&piece);
    if (!is_asked)
        return text;
    char *library = base_strdup(cooperative_groups);
    char *texts[] = {text, library};
    char *linked = toolchain_link_ptx(texts, 2);
    free(library);
    free(text);
    return linked;
}
