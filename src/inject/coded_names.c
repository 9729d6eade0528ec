// Which functions of the toolkit's libraries stay what they are, and which are ours: handles, which
// packages have made before they know what they will compute.
#include <fnmatch.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "inject/coded.h"
#include "inject/cupti.h"

// ---- Handles ----------------------------------------------------------------------------------

enum { SUCCESS = 0, SETTINGS = 3 };

struct handle {
    void *stream;
    int settings[SETTINGS];
};

static int create(struct handle **handle, int bad_value) {
    if (!handle)
        return bad_value;
    *handle = base_alloc(sizeof **handle);
    return SUCCESS;
}

static int set(struct handle *handle, size_t which, int value, int no_handle) {
    if (!handle)
        return no_handle;
    handle->settings[which] = value;
    return SUCCESS;
}

static int get(const struct handle *handle, size_t which, int *value, int no_handle,
               int bad_value) {
    if (!handle || !value)
        return handle ? bad_value : no_handle;
    *value = handle->settings[which];
    return SUCCESS;
}

// The same functions, by the numbers of a library.
#define HANDLES(of, no_handle, bad_value)                                                          \
    static int of##_create(struct handle **handle) {                                               \
        return create(handle, bad_value);                                                          \
    }                                                                                              \
    static int of##_destroy(struct handle *handle) {                                               \
        free(handle);                                                                              \
        return handle ? SUCCESS : no_handle;                                                       \
    }                                                                                              \
    static int of##_set_stream(struct handle *handle, void *stream) {                              \
        if (!handle)                                                                               \
            return no_handle;                                                                      \
        handle->stream = stream;                                                                   \
        return SUCCESS;                                                                            \
    }                                                                                              \
    static int of##_get_stream(const struct handle *handle, void **stream) {                       \
        if (!handle || !stream)                                                                    \
            return handle ? bad_value : no_handle;                                                 \
        *stream = handle->stream;                                                                  \
        return SUCCESS;                                                                            \
    }

#define SETTING(of, which, no_handle, bad_value)                                                   \
    static int of##_set_##which(struct handle *handle, int value) {                                \
        return set(handle, which, value, no_handle);                                               \
    }                                                                                              \
    static int of##_get_##which(const struct handle *handle, int *value) {                         \
        return get(handle, which, value, no_handle, bad_value);                                    \
    }

HANDLES(blas, 1, 7)
SETTING(blas, 0, 1, 7)
SETTING(blas, 1, 1, 7)
SETTING(blas, 2, 1, 7)
HANDLES(dnn, 2000, 2000)
HANDLES(old_dnn, 3, 3) // before cuDNN 9
HANDLES(solver, 1, 3)
SETTING(solver, 0, 1, 3)
HANDLES(sparse, 1, 3)
SETTING(sparse, 0, 1, 3)

// Memory that a library may work in, and that it does not need here.
static int blas_set_workspace(struct handle *handle, void *memory, size_t bytes) {
    (void)memory, (void)bytes;
    return handle ? SUCCESS : 1;
}

#define OWN(name, function)                                                                        \
    { name, (void (*)(void))(function) }
#define OWN_HANDLE(of, create_name, destroy_name, set_name, get_name)                              \
    OWN(create_name, of##_create), OWN(destroy_name, of##_destroy),                                \
        OWN(set_name, of##_set_stream), OWN(get_name, of##_get_stream)
#define OWN_SETTING(of, which, set_name, get_name)                                                 \
    OWN(set_name, of##_set_##which), OWN(get_name, of##_get_##which)

static const struct coded_own blas_own[] = {
    OWN_HANDLE(blas, "cublasCreate_v2", "cublasDestroy_v2", "cublasSetStream_v2",
               "cublasGetStream_v2"),
    OWN_SETTING(blas, 0, "cublasSetPointerMode_v2", "cublasGetPointerMode_v2"),
    OWN_SETTING(blas, 1, "cublasSetMathMode", "cublasGetMathMode"),
    OWN_SETTING(blas, 2, "cublasSetAtomicsMode", "cublasGetAtomicsMode"),
    OWN("cublasSetWorkspace_v2", blas_set_workspace),
    {NULL, NULL}};
static const struct coded_own lt_own[] = {
    OWN("cublasLtCreate", blas_create), OWN("cublasLtDestroy", blas_destroy), {NULL, NULL}};
static const struct coded_own dnn_own[] = {
    OWN_HANDLE(dnn, "cudnnCreate", "cudnnDestroy", "cudnnSetStream", "cudnnGetStream"),
    {NULL, NULL}};
static const struct coded_own old_dnn_own[] = {
    OWN_HANDLE(old_dnn, "cudnnCreate", "cudnnDestroy", "cudnnSetStream", "cudnnGetStream"),
    {NULL, NULL}};
static const struct coded_own solver_own[] = {
    OWN_HANDLE(solver, "cusolverDnCreate", "cusolverDnDestroy", "cusolverDnSetStream",
               "cusolverDnGetStream"),
    OWN_HANDLE(solver, "cusolverSpCreate", "cusolverSpDestroy", "cusolverSpSetStream",
               "cusolverSpGetStream"),
    OWN_SETTING(solver, 0, "cusolverDnSetDeterministicMode", "cusolverDnGetDeterministicMode"),
    {NULL, NULL}};
static const struct coded_own sparse_own[] = {
    OWN_HANDLE(sparse, "cusparseCreate", "cusparseDestroy", "cusparseSetStream",
               "cusparseGetStream"),
    OWN_SETTING(sparse, 0, "cusparseSetPointerMode", "cusparseGetPointerMode"),
    {NULL, NULL}};
static const struct coded_own cupti_own[] = {OWN("cuptiGetVersion", inject_cupti_version),
                                             OWN("cuptiGetResultString", inject_cupti_text),
                                             OWN("cuptiGetLastError", inject_cupti_last_error),
                                             {NULL, NULL}};

// ---- Which functions --------------------------------------------------------------------------

// Of all libraries: versions, texts and what is logged.
static const char *const told[] = {
    "*Version", "*VersionCheck", "*GetVersion_v2", "*String",      "*Name", "*GetProperty",
    "*Logger*", "*LastError",    "*SetCallback",   "*GetCallback", NULL};

static const char *const dnn_kept[] = {
    "cudnnCreate*Descriptor",        "cudnnDestroy*Descriptor",
    "cudnnGet*Descriptor",           "cudnnSet*Descriptor",
    "cudnn?et*4dDescriptorEx",       "cudnn?et*NdDescriptorEx",
    "cudnnDeriveBNTensorDescriptor", "cudnn?etConvolutionMathType",
    "cudnn?etConvolutionGroupCount", "cudnn?etConvolutionReorderType",
    "cudnnGet*ForwardOutputDim",     "cudnnGetTensorSizeInBytes",
    "cudnnGetFilterSizeInBytes",     NULL};
static const char *const solver_kept[] = {"cusolverDn*Params",       "cusolverDnIRSParams*",
                                          "cusolverDnIRSInfos*",     "cusolver*Create*Info",
                                          "cusolver*Destroy*Info",   "cusolverDnX*jSet*",
                                          "cusolverDnSetAdvOptions", NULL};
static const char *const sparse_kept[] = {"cusparseCreate?*",
                                          "cusparseDestroy?*",
                                          "cusparse?etMat*",
                                          "cusparse*_createDescr",
                                          "cusparse*_destroyDescr",
                                          "cusparse*SetPointers",
                                          "cusparse*SetStridedBatch",
                                          "cusparse*GetStridedBatch",
                                          "cusparse*Vec[GS]et*",
                                          "cusparse*Mat[GS]et*",
                                          "cusparse*C[os][orc]Get",
                                          "cusparse*BlockedEllGet",
                                          NULL};
static const char *const nccl_kept[] = {"ncclGetUniqueId", "ncclGroup*", "ncclParam*",
                                        "ncclResetDebug*", "ncclTeam*",  NULL};
static const char *const npp_kept[] = {"nppGetStream", "npp?Free*", "nppiFree*", NULL};
// Generators for the host need no device.
static const char *const rand_only[] = {"curandCreateGenerator", "curandCreatePoissonDistribution",
                                        NULL};

// Which patterns above take for one of theirs, and that take a handle, or memory of a device.
static const char *const needs_device[] = {
    "cudnn?etDropoutDescriptor", "cusparseCreateIdentityPermutation", "cusparseSpMVOp_*",
    "cusparseCreate*ilu02Info",  "cusparseCreatePruneInfo",           NULL};

// What of cuSOLVER is computed (cudalibs/solver_calls.c, solver_told.c).
static const char *const solver_computes[] = {"cusolverDn?potr[fs]*", "cusolverDn?potri*",
                                              "cusolverDn?getr[fs]*", "cusolverDn?geqrf*",
                                              "cusolverDn?*[rn]gqr*", "cusolverDn?*mqr*",
                                              "cusolverDn?gesvd",     "cusolverDn?gesvd_*",
                                              "cusolverDn?*[ye]evd",  "cusolverDn?*[ye]evd_*",
                                              "cusolverDn?*[ye]gvd",  "cusolverDn?*[ye]gvd_*",
                                              "cusolverDnXgeev*",     "cusolverDn?gesvdj*",
                                              "cusolverDn?*[ye]evj*", NULL};

static const struct coded_library libraries[] = {
    {"libcublasLt.", "cublasLt", "cuBLASLt", "OpenBLAS", NULL, 15, NULL, NULL, lt_own},
    {"libcublas.", "cublas", "cuBLAS", "OpenBLAS", NULL, 15, NULL, NULL, blas_own},
    {"libcudnn.so.8", "cudnn", "cuDNN", NULL, NULL, 9, dnn_kept, NULL, old_dnn_own},
    {"libcudnn", "cudnn", "cuDNN", NULL, NULL, 3000, dnn_kept, NULL, dnn_own},
    {"libcufft.", "cufft", "cuFFT", "FFTW", NULL, 16, NULL, NULL, NULL},
    {"libcurand.", "curand", "cuRAND", "its own generators for the host", NULL, 203, NULL,
     rand_only, NULL},
    {"libcusolverMg.", "cusolver", "cuSOLVER", NULL, NULL, 9, NULL, NULL, NULL},
    {"libcusolver", "cusolver", "cuSOLVER", "OpenBLAS's LAPACK", solver_computes, 9, solver_kept,
     NULL, solver_own},
    {"libcusparseLt.", "cusparseLt", "cuSPARSELt", NULL, NULL, 10, NULL, NULL, NULL},
    {"libcusparse.", "cusparse", "cuSPARSE", NULL, NULL, 10, sparse_kept, NULL, sparse_own},
    {"libcutensor", "cutensor", "cuTENSOR", NULL, NULL, 15, NULL, NULL, NULL},
    {"libcudss", "cudss", "cuDSS", NULL, NULL, 4, NULL, NULL, NULL},
    {"libnccl.", "nccl", "NCCL", NULL, NULL, 1, nccl_kept, NULL, NULL},
    {"libnvjpeg", "nvjpeg", "nvJPEG", NULL, NULL, 9, NULL, NULL, NULL},
    {"libnpp", "npp", "NPP", NULL, NULL, -9999, npp_kept, NULL, NULL},
    {"libcupti.", "cupti", "CUPTI", NULL, NULL, CUPTI_NOT_SUPPORTED, NULL, NULL, cupti_own},
};

static bool starts_with(const char *text, const char *prefix) {
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool is_one_of(const char *const *patterns, const char *name) {
    while (patterns && *patterns && fnmatch(*patterns, name, 0) != 0)
        patterns++;
    return patterns && *patterns;
}

const struct coded_library *coded_library_of(const char *path) {
    const char *file = text_file_name(path);
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (starts_with(file, libraries[i].file))
            return &libraries[i];
    return NULL;
}

static bool measures(const struct coded_library *library) {
    return library->own == cupti_own;
}

const char *coded_reason(const struct coded_library *library) {
    return measures(library) ? "measures a GPU" : "is machine code only";
}

const char *coded_way_out(const struct coded_library *library) {
    return measures(library) ? "leave the profiler out: bankrun counts itself" : NULL;
}

bool coded_is_computed(const struct coded_library *library, const char *name) {
    return library->computed && (!library->computes || is_one_of(library->computes, name));
}

enum coded_fate coded_fate_of(const struct coded_library *library, const char *name,
                              void (**own)(void)) {
    if (!starts_with(name, library->prefix))
        return CODED_KEPT;
    for (const struct coded_own *one = library->own; one && one->name; one++)
        if (strcmp(name, one->name) == 0) {
            *own = one->function;
            return CODED_OWN;
        }
    if (library->only)
        return is_one_of(library->only, name) ? CODED_REFUSED : CODED_KEPT;
    if (!measures(library) && is_one_of(told, name))
        return CODED_KEPT;
    return is_one_of(library->kept, name) && !is_one_of(needs_device, name) ? CODED_KEPT
                                                                            : CODED_REFUSED;
}
