// Why functions are refused for good.
#include <string.h>

#include "cuda/core/gap.h"
#include "cuda/core/refuse.h"
#include "cuda/core/state.h"

struct reason {
    const char *part; // of the names of the functions
    const char *text;
    atomic_flag was_said;
};

static struct reason reasons[] = {
    {"ToShareableHandle", "pools cannot be shared with other processes", ATOMIC_FLAG_INIT},
    {"FromShareableHandle", "pools cannot be shared with other processes", ATOMIC_FLAG_INIT},
    {"PoolExport", "pools cannot be shared with other processes", ATOMIC_FLAG_INIT},
    {"PoolImport", "pools cannot be shared with other processes", ATOMIC_FLAG_INIT},
    {"External", "there is no other driver whose memory and semaphores could be shared",
     ATOMIC_FLAG_INIT},
    {"NvSci", "there is no other driver whose memory and semaphores could be shared",
     ATOMIC_FLAG_INIT},
    {"EGL", "there are no video streams to share", ATOMIC_FLAG_INIT},
    {"Egl", "there are no video streams to share", ATOMIC_FLAG_INIT},
    {"GL", "there is no graphics driver whose buffers and images could be shared",
     ATOMIC_FLAG_INIT},
    {"Graphics", "there is no graphics driver whose buffers and images could be shared",
     ATOMIC_FLAG_INIT},
    {"VDPAU", "there is no graphics driver whose buffers and images could be shared",
     ATOMIC_FLAG_INIT},
    {"Multicast", "no memory lies on several devices at once", ATOMIC_FLAG_INIT},
    {"MultiDevice", "launches on several devices do not run at the same time", ATOMIC_FLAG_INIT},
    {"TexRef", "texture references went with CUDA 12; texture objects are there", ATOMIC_FLAG_INIT},
    {"SurfRef", "surface references went with CUDA 12; surface objects are there",
     ATOMIC_FLAG_INIT},
    {"BindTexture", "texture references went with CUDA 12; texture objects are there",
     ATOMIC_FLAG_INIT},
    {"UnbindTexture", "texture references went with CUDA 12; texture objects are there",
     ATOMIC_FLAG_INIT},
    {"TextureReference", "texture references went with CUDA 12; texture objects are there",
     ATOMIC_FLAG_INIT},
    {"BindSurface", "surface references went with CUDA 12; surface objects are there",
     ATOMIC_FLAG_INIT},
    {"SurfaceReference", "surface references went with CUDA 12; surface objects are there",
     ATOMIC_FLAG_INIT},
    {"Checkpoint", "processes cannot be frozen and moved", ATOMIC_FLAG_INIT},
};

// The first with the same words stands for all of them.
static struct reason *reason_of(const char *name) {
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (strstr(name, reasons[i].part))
            for (size_t first = 0; first <= i; first++)
                if (strcmp(reasons[first].text, reasons[i].text) == 0)
                    return &reasons[first];
    return NULL;
}

// What a program asks before it decides what to do, and what only its debugging needs.
static bool is_question(const char *name) {
    static const char *const parts[] = {
        "AtomicCapabilities",
        "ExecAffinity",
        "NvSciSyncAttributes",
        "GetLuid",
        "GLGetDevices",
        "VDPAUGetDevice",
        "MulticastGetGranularity",
        "GetDevResource",
        "Logs",
        "Coredump",
        "AsyncNotification",
        "ProfilerInitialize",
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(name, parts[i]))
            return true;
    return false;
}

static void say(const char *name, struct reason *reason) {
    if (!reason)
        cuda_say("%s is not supported yet", name);
    else if (!atomic_flag_test_and_set(&reason->was_said))
        cuda_say("%s is not supported: %s", name, reason->text);
}

void cuda_refuse(const char *name, bool is_first) {
    struct reason *reason = reason_of(name);
    if (is_first)
        say(name, reason);
    if (is_question(name))
        return;
    struct cuda_state *state = cuda_begin();
    if (state && reason)
        cuda_gap(state, PROFILE_GAP_UNSUPPORTED, "%s is not supported: %s", name, reason->text);
    else if (state)
        cuda_gap(state, PROFILE_GAP_UNSUPPORTED, "%s is not supported yet", name);
    if (state)
        cuda_end(state, cudaSuccess);
}
