// cuSOLVER's functions of types that are told, with sizes of 64 bits.
#include "cudalibs/gemm.h"
#include "cudalibs/solver.h"

// What LAPACK calls the type. 'x': it has none such, and nothing is done.
static char letter_of(int type, int compute) {
    switch (type == compute ? type : -1) {
    case GEMM_F32:
        return 's';
    case GEMM_F64:
        return 'd';
    case GEMM_C32:
        return 'c';
    case GEMM_C64:
        return 'z';
    default:
        return 'x';
    }
}

static int real_of(int type) {
    return type == GEMM_C32 ? GEMM_F32 : type == GEMM_C64 ? GEMM_F64 : type;
}

static int complex_of(int type) {
    return type == GEMM_F32 ? GEMM_C32 : type == GEMM_F64 ? GEMM_C64 : type;
}

static void refuse_types(struct lib_call *call, const void *arguments) {
    (void)arguments;
    lib_refuse(call, "with these types of data");
}

static enum solver_status do_told(void *handle, const char *function, lib_work work,
                                  const struct solver *arguments) {
    return solver_do(handle, function, arguments->letter == 'x' ? refuse_types : work, arguments);
}

static enum solver_status ask(void *handle, const char *function, char letter, bool is_good,
                              size_t *on_device, size_t *on_host) {
    const struct solver none = {0};
    if (letter == 'x')
        return solver_do(handle, function, refuse_types, &none);
    const enum solver_status status = solver_ask(handle, is_good && on_device && on_host);
    if (status == SOLVER_SUCCESS)
        *on_device = 16, *on_host = 0;
    return status;
}

#define DO(work, ...) do_told(handle, __func__, work, &(struct solver){__VA_ARGS__})
#define ASK(letter, is_good) ask(handle, __func__, letter, is_good, on_device, on_host)
#define AREA_ASKED size_t *on_device, size_t *on_host
#define AREA_GIVEN void *device_area, size_t device_bytes, void *host_area, size_t host_bytes
#define AREA .wants_area = true, .has_area = device_bytes >= 16
#define UNUSED (void)params, (void)device_area, (void)host_area, (void)host_bytes
#define GIVEN(pointer) (void *)(uintptr_t)(pointer)

CUDA_API enum solver_status cusolverDnXpotrf_bufferSize(void *handle, void *params, int half,
                                                        int64_t n, int type, const void *a,
                                                        int64_t lda, int compute, AREA_ASKED) {
    (void)params, (void)a, (void)lda;
    return ASK(letter_of(type, compute), (half == 0 || half == 1) && n >= 0);
}

CUDA_API enum solver_status cusolverDnXpotrf(void *handle, void *params, int half, int64_t n,
                                             int type, void *a, int64_t lda, int compute,
                                             AREA_GIVEN, int *info) {
    UNUSED;
    return DO(solver_potrf, letter_of(type, compute), .half = half, .n = n, .a = a, .lda = lda,
              .info = info, AREA);
}

CUDA_API enum solver_status cusolverDnXpotrs(void *handle, void *params, int half, int64_t n,
                                             int64_t k, int type, const void *a, int64_t lda,
                                             int b_type, void *b, int64_t ldb, int *info) {
    (void)params;
    return DO(solver_potrs, letter_of(type, b_type), .half = half, .n = n, .k = k, .a = GIVEN(a),
              .lda = lda, .b = b, .ldb = ldb, .info = info);
}

CUDA_API enum solver_status cusolverDnXgetrf_bufferSize(void *handle, void *params, int64_t m,
                                                        int64_t n, int type, const void *a,
                                                        int64_t lda, int compute, AREA_ASKED) {
    (void)params, (void)a, (void)lda;
    return ASK(letter_of(type, compute), m >= 0 && n >= 0);
}

CUDA_API enum solver_status cusolverDnXgetrf(void *handle, void *params, int64_t m, int64_t n,
                                             int type, void *a, int64_t lda, int64_t *pivots,
                                             int compute, AREA_GIVEN, int *info) {
    UNUSED;
    return DO(solver_getrf, letter_of(type, compute), .m = m, .n = n, .a = a, .lda = lda,
              .wide_pivots = pivots, .info = info, AREA);
}

CUDA_API enum solver_status cusolverDnXgetrs(void *handle, void *params, int op, int64_t n,
                                             int64_t k, int type, const void *a, int64_t lda,
                                             const int64_t *pivots, int b_type, void *b,
                                             int64_t ldb, int *info) {
    (void)params;
    return DO(solver_getrs, letter_of(type, b_type), .op = op, .n = n, .k = k, .a = GIVEN(a),
              .lda = lda, .wide_pivots = GIVEN(pivots), .b = b, .ldb = ldb, .info = info);
}

CUDA_API enum solver_status cusolverDnXgeqrf_bufferSize(void *handle, void *params, int64_t m,
                                                        int64_t n, int type, const void *a,
                                                        int64_t lda, int tau_type, const void *tau,
                                                        int compute, AREA_ASKED) {
    (void)params, (void)a, (void)lda, (void)tau;
    return ASK(tau_type == type ? letter_of(type, compute) : 'x', m >= 0 && n >= 0);
}

CUDA_API enum solver_status cusolverDnXgeqrf(void *handle, void *params, int64_t m, int64_t n,
                                             int type, void *a, int64_t lda, int tau_type,
                                             void *tau, int compute, AREA_GIVEN, int *info) {
    UNUSED;
    return DO(solver_geqrf, tau_type == type ? letter_of(type, compute) : 'x', .m = m, .n = n,
              .a = a, .lda = lda, .values = tau, .info = info, AREA);
}

CUDA_API enum solver_status cusolverDnXsyevd_bufferSize(void *handle, void *params, int vectors,
                                                        int half, int64_t n, int type,
                                                        const void *a, int64_t lda, int value_type,
                                                        const void *values, int compute,
                                                        AREA_ASKED) {
    (void)params, (void)a, (void)lda, (void)values;
    return ASK(value_type == real_of(type) ? letter_of(type, compute) : 'x',
               (vectors == 0 || vectors == 1) && (half == 0 || half == 1) && n >= 0);
}

CUDA_API enum solver_status cusolverDnXsyevd(void *handle, void *params, int vectors, int half,
                                             int64_t n, int type, void *a, int64_t lda,
                                             int value_type, void *values, int compute, AREA_GIVEN,
                                             int *info) {
    UNUSED;
    return DO(solver_syevd, value_type == real_of(type) ? letter_of(type, compute) : 'x',
              .vectors = vectors, .half = half, .n = n, .a = a, .lda = lda, .values = values,
              .info = info, AREA);
}

CUDA_API enum solver_status cusolverDnXgesvd_bufferSize(
    void *handle, void *params, signed char job_u, signed char job_v, int64_t m, int64_t n,
    int type, const void *a, int64_t lda, int value_type, const void *values, int u_type,
    const void *u, int64_t ldu, int v_type, const void *v, int64_t ldv, int compute, AREA_ASKED) {
    (void)params, (void)job_u, (void)job_v, (void)a, (void)lda, (void)values, (void)u, (void)v;
    const bool is_same = value_type == real_of(type) && u_type == type && v_type == type;
    return ASK(is_same ? letter_of(type, compute) : 'x', m >= n && n >= 0 && ldu >= 1 && ldv >= 1);
}

CUDA_API enum solver_status cusolverDnXgesvd(void *handle, void *params, signed char job_u,
                                             signed char job_v, int64_t m, int64_t n, int type,
                                             void *a, int64_t lda, int value_type, void *values,
                                             int u_type, void *u, int64_t ldu, int v_type, void *v,
                                             int64_t ldv, int compute, AREA_GIVEN, int *info) {
    UNUSED;
    const bool is_same = value_type == real_of(type) && u_type == type && v_type == type;
    return DO(solver_gesvd, is_same ? letter_of(type, compute) : 'x', .job_u = (char)job_u,
              .job_v = (char)job_v, .m = m, .n = n, .a = a, .lda = lda, .values = values, .b = u,
              .ldb = ldu, .v = v, .ldv = ldv, .info = info, AREA);
}

CUDA_API enum solver_status
cusolverDnXgeev_bufferSize(void *handle, void *params, int left, int right, int64_t n, int type,
                           const void *a, int64_t lda, int value_type, const void *values,
                           int left_type, const void *vl, int64_t ldl, int right_type,
                           const void *vr, int64_t ldr, int compute, AREA_ASKED) {
    (void)params, (void)a, (void)lda, (void)values, (void)vl, (void)vr, (void)ldl, (void)left_type;
    const bool is_same = value_type == complex_of(type) && right_type == type;
    return ASK(is_same ? letter_of(type, compute) : 'x',
               (left == 0 || left == 1) && (right == 0 || right == 1) && n >= 0 && ldr >= 1);
}

CUDA_API enum solver_status cusolverDnXgeev(void *handle, void *params, int left, int right,
                                            int64_t n, int type, void *a, int64_t lda,
                                            int value_type, void *values, int left_type, void *vl,
                                            int64_t ldl, int right_type, void *vr, int64_t ldr,
                                            int compute, AREA_GIVEN, int *info) {
    UNUSED;
    (void)left_type, (void)vl, (void)ldl;
    const bool is_same = value_type == complex_of(type) && right_type == type;
    return DO(solver_geev, is_same ? letter_of(type, compute) : 'x', .vectors = left,
              .more_vectors = right, .n = n, .a = a, .lda = lda, .values = values, .v = vr,
              .ldv = ldr, .info = info, AREA);
}
