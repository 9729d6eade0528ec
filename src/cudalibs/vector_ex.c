// Level 1 of types that are told: float, double, half and bfloat16, computed as float or double.
// Sums are of doubles: one float after the other would be less exact than a GPU's tree of sums.
#include <math.h>
#include <string.h>

#include "cudalibs/gemm.h"
#include "ir/number/half.h"

struct told {
    const void *alpha, *beta; // beta: none
    int alpha_type, type, y_type, work_type;
    int64_t n;
    void *x;
    int64_t incx;
    void *y;
    int64_t incy;
    void *result;
};

static bool is_real(int type) {
    return type == GEMM_F32 || type == GEMM_F64 || type == GEMM_F16 || type == GEMM_BF16;
}

// Sums of a narrow type are made in a float; doubles stay doubles.
static bool has_types(struct lib_call *call, const struct told *t) {
    const bool is_wide = t->type == GEMM_F64;
    if (!is_real(t->type) || t->y_type != t->type ||
        t->work_type != (is_wide ? GEMM_F64 : GEMM_F32) ||
        (t->alpha_type != t->work_type && t->alpha_type != t->type))
        lib_refuse(call, "with these types of data");
    return call->status == LIB_SUCCESS;
}

static double element(const void *from, int type, int64_t at) {
    switch (type) {
    case GEMM_F16:
        return num_f32_of_f16(((const uint16_t *)from)[at]);
    case GEMM_BF16:
        return num_f32_of_bf16(((const uint16_t *)from)[at]);
    case GEMM_F32:
        return ((const float *)from)[at];
    default:
        return ((const double *)from)[at];
    }
}

static void put(void *to, int type, int64_t at, double value) {
    switch (type) {
    case GEMM_F16:
        ((uint16_t *)to)[at] = num_f16_of_f32((float)value);
        break;
    case GEMM_BF16:
        ((uint16_t *)to)[at] = num_bf16_of_f32((float)value);
        break;
    case GEMM_F32:
        ((float *)to)[at] = (float)value;
        break;
    default:
        ((double *)to)[at] = value;
    }
}

// Where element i of a vector is: of a negative step the last comes first.
static int64_t at(int64_t i, int64_t n, int64_t step) {
    return (step < 0 ? i - n + 1 : i) * step;
}

static bool has_x(struct lib_call *call, const struct told *t, bool is_written) {
    return lib_has_vector(call, "x", t->x, t->n, t->incx, gemm_bytes(t->type), is_written);
}

static bool has_y(struct lib_call *call, const struct told *t, bool is_written) {
    return lib_has_vector(call, "y", t->y, t->n, t->incy, gemm_bytes(t->type), is_written);
}

// One product and one sum, each rounded as the type of the work is.
static double rounded(const struct told *t, double value) {
    return t->work_type == GEMM_F64 ? value : (float)value;
}

static void axpy(struct lib_call *call, const void *arguments) {
    const struct told *t = arguments;
    if (!has_types(call, t) ||
        !blas_has_scalar(call, "alpha", t->alpha, gemm_bytes(t->alpha_type)) ||
        !has_x(call, t, false) || !has_y(call, t, true))
        return;
    const double alpha = element(t->alpha, t->alpha_type, 0);
    for (int64_t i = 0; i < t->n; i++) {
        const int64_t to = at(i, t->n, t->incy);
        put(t->y, t->type, to,
            rounded(t, alpha * element(t->x, t->type, at(i, t->n, t->incx)) +
                           element(t->y, t->type, to)));
    }
}

static void scal(struct lib_call *call, const void *arguments) {
    const struct told *t = arguments;
    if (!has_types(call, t) ||
        !blas_has_scalar(call, "alpha", t->alpha, gemm_bytes(t->alpha_type)) || t->incx <= 0 ||
        !has_x(call, t, true))
        return;
    const double alpha = element(t->alpha, t->alpha_type, 0);
    for (int64_t i = 0; i < t->n; i++)
        put(t->x, t->type, i * t->incx, rounded(t, alpha * element(t->x, t->type, i * t->incx)));
}

// The sum is given in the vectors' type.
static void give(struct lib_call *call, const struct told *t, double value) {
    double result = 0;
    put(&result, t->type, 0, value);
    if (call->status == LIB_SUCCESS && !call->is_dry)
        blas_give(call, t->result, &result, gemm_bytes(t->type));
}

static bool takes_result(struct lib_call *call, const struct told *t) {
    if (has_types(call, t) && t->alpha_type != t->type) // the result's
        lib_refuse(call, "with a result of another type than the vectors'");
    return call->status == LIB_SUCCESS &&
           blas_takes(call, "result", t->result, gemm_bytes(t->type));
}

static void dot(struct lib_call *call, const void *arguments) {
    const struct told *t = arguments;
    double sum = 0;
    if (!takes_result(call, t))
        return;
    const bool is_ready = has_x(call, t, false) && has_y(call, t, false);
    for (int64_t i = 0; is_ready && i < t->n; i++)
        sum += element(t->x, t->type, at(i, t->n, t->incx)) *
               element(t->y, t->type, at(i, t->n, t->incy));
    give(call, t, sum);
}

// Of complex numbers, which are those of one type.
#define COMPLEX_DOT(type)                                                                          \
    static complex_double dot_of_##type(const struct told *t, double sign) {                       \
        complex_double sum = {0, 0};                                                               \
        for (int64_t i = 0; i < t->n; i++) {                                                       \
            const type *a = (const type *)t->x + at(i, t->n, t->incx);                             \
            const type *b = (const type *)t->y + at(i, t->n, t->incy);                             \
            sum.re += (double)a->re * b->re - sign * a->im * b->im;                                \
            sum.im += (double)a->re * b->im + sign * a->im * b->re;                                \
        }                                                                                          \
        return sum;                                                                                \
    }
COMPLEX_DOT(complex_float)
COMPLEX_DOT(complex_double)

static void complex_dot(struct lib_call *call, const struct told *t, int sign) {
    complex_double wide = {0, 0};
    const bool is_wide = t->type == GEMM_C64;
    if (t->y_type != t->type || t->work_type != t->type || t->alpha_type != t->type)
        lib_refuse(call, "with these types of data");
    if (call->status != LIB_SUCCESS || !blas_takes(call, "result", t->result, gemm_bytes(t->type)))
        return;
    if (has_x(call, t, false) && has_y(call, t, false))
        wide = is_wide ? dot_of_complex_double(t, sign) : dot_of_complex_float(t, sign);
    const complex_float narrow = {(float)wide.re, (float)wide.im};
    if (call->status == LIB_SUCCESS && !call->is_dry)
        blas_give(call, t->result, is_wide ? (const void *)&wide : &narrow, gemm_bytes(t->type));
}

static bool is_complex(const struct told *t) {
    return t->type == GEMM_C32 || t->type == GEMM_C64;
}

static void dotu(struct lib_call *call, const void *arguments) {
    const struct told *t = arguments;
    if (is_complex(t))
        complex_dot(call, t, 1);
    else
        dot(call, t);
}

static void dotc(struct lib_call *call, const void *arguments) {
    const struct told *t = arguments;
    if (is_complex(t))
        complex_dot(call, t, -1);
    else
        dot(call, t);
}

static void asum(struct lib_call *call, const void *arguments) {
    const struct told *t = arguments;
    double sum = 0;
    if (!takes_result(call, t))
        return;
    const bool is_ready = t->incx > 0 && has_x(call, t, false);
    for (int64_t i = 0; is_ready && i < t->n; i++)
        sum += fabs(element(t->x, t->type, i * t->incx));
    give(call, t, sum);
}

// copy, and swap: elements of any type.
static void move(struct lib_call *call, const struct told *t, bool is_swap) {
    const size_t bytes = gemm_bytes(t->type);
    if (!bytes || t->y_type != t->type) {
        lib_refuse(call, "with these types of data");
        return;
    }
    if (!has_x(call, t, is_swap) || !has_y(call, t, true))
        return;
    for (int64_t i = 0; i < t->n; i++) {
        char kept[16], *x = (char *)t->x + at(i, t->n, t->incx) * (int64_t)bytes,
                       *y = (char *)t->y + at(i, t->n, t->incy) * (int64_t)bytes;
        memcpy(kept, y, bytes);
        memmove(y, x, bytes);
        if (is_swap)
            memcpy(x, kept, bytes);
    }
}

static void copy(struct lib_call *call, const void *arguments) {
    move(call, arguments, false);
}

static void swap(struct lib_call *call, const void *arguments) {
    move(call, arguments, true);
}

static void nrm2(struct lib_call *call, const void *arguments) {
    const struct told *t = arguments;
    double sum = 0, scale = 0; // of the largest, so that no square is too large
    if (!takes_result(call, t))
        return;
    const bool is_ready = t->incx > 0 && has_x(call, t, false);
    for (int64_t i = 0; is_ready && i < t->n; i++)
        scale = fmax(scale, fabs(element(t->x, t->type, i * t->incx)));
    for (int64_t i = 0; is_ready && scale > 0 && i < t->n; i++) {
        const double part = element(t->x, t->type, i * t->incx) / scale;
        sum += part * part;
    }
    give(call, t, scale * sqrt(sum));
}

#define EX_OF(size, suffix, nothing)                                                               \
    CUDA_API enum lib_status cublasAxpyEx##suffix(void *handle, size n, const void *alpha,         \
                                                  int alpha_type, void *x, int x_type, size incx,  \
                                                  void *y, int y_type, size incy, int work_type) { \
        return BLAS_DO(axpy, gemm_bytes(alpha_type),                                               \
                       (struct told){alpha, NULL, alpha_type, x_type, y_type, work_type, n, x,     \
                                     incx, y, incy, NULL});                                        \
    }                                                                                              \
    CUDA_API enum lib_status cublasScalEx##suffix(void *handle, size n, const void *alpha,         \
                                                  int alpha_type, void *x, int x_type, size incx,  \
                                                  int work_type) {                                 \
        return BLAS_DO(scal, gemm_bytes(alpha_type),                                               \
                       (struct told){alpha, NULL, alpha_type, x_type, x_type, work_type, n, x,     \
                                     incx, NULL, 1, NULL});                                        \
    }                                                                                              \
    CUDA_API enum lib_status cublasDotEx##suffix(void *handle, size n, void *x, int x_type,        \
                                                 size incx, void *y, int y_type, size incy,        \
                                                 void *result, int result_type, int work_type) {   \
        return BLAS_DO(dotu, 0,                                                                    \
                       (struct told){NULL, NULL, result_type, x_type, y_type, work_type, n, x,     \
                                     incx, y, incy, result});                                      \
    }                                                                                              \
    CUDA_API enum lib_status cublasNrm2Ex##suffix(void *handle, size n, void *x, int x_type,       \
                                                  size incx, void *result, int result_type,        \
                                                  int work_type) {                                 \
        return BLAS_DO(nrm2, 0,                                                                    \
                       (struct told){NULL, NULL, result_type, x_type, x_type, work_type, n, x,     \
                                     incx, NULL, 1, result});                                      \
    }
BLAS_BOTH_NEW(EX_OF, )

#define MORE_OF(size, suffix, nothing)                                                             \
    CUDA_API enum lib_status cublasDotcEx##suffix(void *handle, size n, void *x, int x_type,       \
                                                  size incx, void *y, int y_type, size incy,       \
                                                  void *result, int result_type, int work_type) {  \
        return BLAS_DO(dotc, 0,                                                                    \
                       (struct told){NULL, NULL, result_type, x_type, y_type, work_type, n, x,     \
                                     incx, y, incy, result});                                      \
    }                                                                                              \
    CUDA_API enum lib_status cublasAsumEx##suffix(void *handle, size n, void *x, int x_type,       \
                                                  size incx, void *result, int result_type,        \
                                                  int work_type) {                                 \
        return BLAS_DO(asum, 0,                                                                    \
                       (struct told){NULL, NULL, result_type, x_type, x_type, work_type, n, x,     \
                                     incx, NULL, 1, result});                                      \
    }                                                                                              \
    CUDA_API enum lib_status cublasCopyEx##suffix(void *handle, size n, void *x, int x_type,       \
                                                  size incx, void *y, int y_type, size incy) {     \
        return BLAS_DO(                                                                            \
            copy, 0, (struct told){NULL, NULL, 0, x_type, y_type, 0, n, x, incx, y, incy, NULL});  \
    }                                                                                              \
    CUDA_API enum lib_status cublasSwapEx##suffix(void *handle, size n, void *x, int x_type,       \
                                                  size incx, void *y, int y_type, size incy) {     \
        return BLAS_DO(                                                                            \
            swap, 0, (struct told){NULL, NULL, 0, x_type, y_type, 0, n, x, incx, y, incy, NULL});  \
    }
BLAS_BOTH_NEW(MORE_OF, )
