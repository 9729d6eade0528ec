#include "cudalibs/gemm.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ir/number/half.h"

size_t gemm_bytes(int type) {
    switch (type) {
    case GEMM_S8:
        return 1;
    case GEMM_F16:
    case GEMM_BF16:
        return 2;
    case GEMM_F32:
    case GEMM_S32:
        return 4;
    case GEMM_F64:
    case GEMM_C32:
        return 8;
    case GEMM_C64:
        return 16;
    default:
        return 0;
    }
}

int gemm_scale_type(int compute, int c_type) {
    if (compute == GEMM_IN_F16 || compute == GEMM_IN_F16_PEDANTIC)
        return GEMM_F16;
    if (compute == GEMM_IN_F64 || compute == GEMM_IN_F64_PEDANTIC)
        return c_type == GEMM_C64 ? GEMM_C64 : GEMM_F64;
    if (compute == GEMM_IN_S32 || compute == GEMM_IN_S32_PEDANTIC)
        return GEMM_S32;
    if (compute >= GEMM_IN_F32 && compute <= GEMM_IN_F32_LAST)
        return c_type == GEMM_C32 ? GEMM_C32 : GEMM_F32;
    return -1;
}

static bool is_half(int type) {
    return type == GEMM_F16 || type == GEMM_BF16;
}

// ---- One product by the backend ---------------------------------------------------------------

typedef void (*backend_gemm)(const char *, const char *, const int *, const int *, const int *,
                             const void *, const void *, const int *, const void *, const int *,
                             const void *, void *, const int *, size_t, size_t);

static void run_as(struct lib_call *call, const char *name, const struct gemm *gemm) {
    static const char ops[] = {'N', 'T', 'C'};
    backend_gemm work;
    if (!BLAS_FIND(name, work))
        return;
    const int m = (int)gemm->m, n = (int)gemm->n, k = (int)gemm->k;
    const int lda = (int)gemm->lda, ldb = (int)gemm->ldb, ldc = (int)gemm->ldc;
    work(&ops[gemm->op_a], &ops[gemm->op_b], &m, &n, &k, gemm->alpha, gemm->a, &lda, gemm->b, &ldb,
         gemm->beta, gemm->c, &ldc, 1, 1);
}

// ---- Halves: computed as floats -----------------------------------------------------------------

static float float_of(const void *from, int type, int64_t index) {
    switch (type) {
    case GEMM_F16:
        return num_f32_of_f16(((const uint16_t *)from)[index]);
    case GEMM_BF16:
        return num_f32_of_bf16(((const uint16_t *)from)[index]);
    default:
        return ((const float *)from)[index];
    }
}

static void put_float(void *to, int type, int64_t index, float value) {
    if (type == GEMM_F16)
        ((uint16_t *)to)[index] = num_f16_of_f32(value);
    else if (type == GEMM_BF16)
        ((uint16_t *)to)[index] = num_bf16_of_f32(value);
    else
        ((float *)to)[index] = value;
}

// The matrix as floats without gaps. Caller frees.
static float *floats_of(const void *from, int type, int64_t rows, int64_t columns, int64_t pitch) {
    size_t count = (size_t)rows * (size_t)columns;
    float *to = base_alloc((count ? count : 1) * sizeof *to);
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < rows; i++)
            to[j * rows + i] = float_of(from, type, j * pitch + i);
    return to;
}

static void run_halves(struct lib_call *call, const struct gemm *gemm) {
    int64_t rows_a = gemm->op_a == BLAS_N ? gemm->m : gemm->k;
    int64_t rows_b = gemm->op_b == BLAS_N ? gemm->k : gemm->n;
    int64_t columns_a = gemm->op_a == BLAS_N ? gemm->k : gemm->m;
    int64_t columns_b = gemm->op_b == BLAS_N ? gemm->n : gemm->k;
    float alpha = float_of(gemm->alpha, gemm->scale_type, 0);
    float beta = float_of(gemm->beta, gemm->scale_type, 0);
    float *a = floats_of(gemm->a, gemm->a_type, rows_a, columns_a, gemm->lda);
    float *b = floats_of(gemm->b, gemm->b_type, rows_b, columns_b, gemm->ldb);
    float *c = beta != 0 ? floats_of(gemm->c, gemm->c_type, gemm->m, gemm->n, gemm->ldc)
                         : base_alloc((size_t)(gemm->m * gemm->n) * sizeof *c);
    struct gemm same = *gemm;
    same.alpha = &alpha, same.beta = &beta;
    same.a = a, same.b = b, same.c = c;
    same.lda = rows_a > 1 ? rows_a : 1, same.ldb = rows_b > 1 ? rows_b : 1, same.ldc = gemm->m;
    run_as(call, "sgemm_", &same);
    for (int64_t j = 0; call->status == LIB_SUCCESS && j < gemm->n; j++)
        for (int64_t i = 0; i < gemm->m; i++)
            put_float(gemm->c, gemm->c_type, j * gemm->ldc + i, c[j * gemm->m + i]);
    free(a);
    free(b);
    free(c);
}

// ---- Bytes: sums of 32 bits that wrap -----------------------------------------------------------

static int32_t byte_of(const void *from, int op, int64_t pitch, int64_t row, int64_t column) {
    return ((const int8_t *)from)[op == BLAS_N ? column * pitch + row : row * pitch + column];
}

static void run_bytes(const struct gemm *gemm) {
    uint32_t alpha = *(const uint32_t *)gemm->alpha, beta = *(const uint32_t *)gemm->beta;
    for (int64_t j = 0; j < gemm->n; j++)
        for (int64_t i = 0; i < gemm->m; i++) {
            uint32_t sum = 0, *c = (uint32_t *)gemm->c + j * gemm->ldc + i;
            for (int64_t l = 0; l < gemm->k; l++)
                sum += (uint32_t)(byte_of(gemm->a, gemm->op_a, gemm->lda, i, l) *
                                  byte_of(gemm->b, gemm->op_b, gemm->ldb, l, j));
            *c = alpha * sum + (beta ? beta * *c : 0);
        }
}

// ---- All of them --------------------------------------------------------------------------------

// Another matrix to begin with becomes the result's.
static void take_over(const struct gemm *gemm) {
    size_t element = gemm_bytes(gemm->c_type);
    for (int64_t j = 0; gemm->c_in && gemm->c_in != gemm->c && j < gemm->n; j++)
        memcpy((char *)gemm->c + (size_t)(j * gemm->ldc) * element,
               (const char *)gemm->c_in + (size_t)(j * gemm->ldc_in) * element,
               (size_t)gemm->m * element);
}

static bool is_zero(const void *scalar, int type) {
    static const char zeros[16];
    float value = is_half(type) || type == GEMM_F32 ? float_of(scalar, type, 0) : 1;
    return value == 0 || memcmp(scalar, zeros, gemm_bytes(type)) == 0;
}

static bool has_memory(struct lib_call *call, const struct gemm *gemm) {
    bool is_n_a = gemm->op_a == BLAS_N, is_n_b = gemm->op_b == BLAS_N;
    bool reads_c = gemm->c_in && gemm->c_in != gemm->c && !call->is_dry &&
                   !is_zero(gemm->beta, gemm->scale_type);
    return lib_has_matrix(call, "A", gemm->a, is_n_a ? gemm->m : gemm->k,
                          is_n_a ? gemm->k : gemm->m, gemm->lda, gemm_bytes(gemm->a_type), false) &&
           lib_has_matrix(call, "B", gemm->b, is_n_b ? gemm->k : gemm->n,
                          is_n_b ? gemm->n : gemm->k, gemm->ldb, gemm_bytes(gemm->b_type), false) &&
           (!reads_c || lib_has_matrix(call, "C", gemm->c_in, gemm->m, gemm->n, gemm->ldc_in,
                                       gemm_bytes(gemm->c_type), false)) &&
           lib_has_matrix(call, reads_c ? "D" : "C", gemm->c, gemm->m, gemm->n, gemm->ldc,
                          gemm_bytes(gemm->c_type), true);
}

static const struct {
    int type;
    const char *name;
} same_types[] = {
    {GEMM_F32, "sgemm_"}, {GEMM_F64, "dgemm_"}, {GEMM_C32, "cgemm_"}, {GEMM_C64, "zgemm_"}};

// The backend's function where all is of one type that it has.
static const char *name_of(const struct gemm *gemm) {
    bool is_same = gemm->a_type == gemm->b_type && gemm->b_type == gemm->c_type &&
                   gemm->c_type == gemm->scale_type;
    for (size_t i = 0; is_same && i < sizeof same_types / sizeof *same_types; i++)
        if (same_types[i].type == gemm->a_type)
            return same_types[i].name;
    return NULL;
}

static bool is_of_halves(const struct gemm *gemm) {
    return is_half(gemm->a_type) && gemm->b_type == gemm->a_type &&
           (gemm->c_type == gemm->a_type || gemm->c_type == GEMM_F32) &&
           (gemm->scale_type == GEMM_F32 || gemm->scale_type == GEMM_F16);
}

static bool is_of_bytes(const struct gemm *gemm) {
    return gemm->a_type == GEMM_S8 && gemm->b_type == GEMM_S8 && gemm->c_type == GEMM_S32 &&
           gemm->scale_type == GEMM_S32;
}

static bool has_types(struct lib_call *call, const struct gemm *gemm) {
    if (!name_of(gemm) && !is_of_halves(gemm) && !is_of_bytes(gemm))
        lib_refuse(call, "with these types of data");
    return call->status == LIB_SUCCESS;
}

bool gemm_is_good(struct lib_call *call, const struct gemm *gemm) {
    int64_t rows_a = gemm->op_a == BLAS_N ? gemm->m : gemm->k;
    int64_t rows_b = gemm->op_b == BLAS_N ? gemm->k : gemm->n;
    return has_types(call, gemm) &&
           lib_require(call, gemm->op_a >= BLAS_N && gemm->op_a <= BLAS_C) &&
           lib_require(call, gemm->op_b >= BLAS_N && gemm->op_b <= BLAS_C) &&
           lib_require(call, gemm->m >= 0 && gemm->n >= 0 && gemm->k >= 0) &&
           lib_require(call,
                       gemm->m <= INT32_MAX && gemm->n <= INT32_MAX && gemm->k <= INT32_MAX) &&
           lib_require(call, gemm->lda >= (rows_a > 1 ? rows_a : 1) && gemm->lda <= INT32_MAX) &&
           lib_require(call, gemm->ldb >= (rows_b > 1 ? rows_b : 1) && gemm->ldb <= INT32_MAX) &&
           lib_require(call, gemm->ldc >= (gemm->m > 1 ? gemm->m : 1) && gemm->ldc <= INT32_MAX) &&
           blas_has_scalar(call, "alpha", gemm->alpha, gemm_bytes(gemm->scale_type)) &&
           blas_has_scalar(call, "beta", gemm->beta, gemm_bytes(gemm->scale_type));
}

void gemm_run(struct lib_call *call, const struct gemm *gemm) {
    if (!gemm->m || !gemm->n || !has_memory(call, gemm))
        return;
    if (!is_zero(gemm->beta, gemm->scale_type))
        take_over(gemm);
    gemm_compute(call, gemm);
}

void gemm_compute(struct lib_call *call, const struct gemm *gemm) {
    const char *name = name_of(gemm);
    if (name)
        run_as(call, name, gemm);
    else if (is_of_halves(gemm))
        run_halves(call, gemm);
    else
        run_bytes(gemm);
}

static const void *moved(const void *from, int64_t elements, int type) {
    return from ? (const char *)from + elements * (int64_t)gemm_bytes(type) : NULL;
}

void gemm_run_strided(struct lib_call *call, const struct gemm *gemm, int64_t stride_a,
                      int64_t stride_b, int64_t stride_c, int64_t stride_c_in, int64_t count) {
    struct gemm one = *gemm;
    for (int64_t i = 0; i < count && call->status == LIB_SUCCESS; i++) {
        one.a = moved(gemm->a, i * stride_a, gemm->a_type);
        one.b = moved(gemm->b, i * stride_b, gemm->b_type);
        one.c = (void *)(uintptr_t)moved(gemm->c, i * stride_c, gemm->c_type);
        one.c_in = moved(gemm->c_in, i * stride_c_in, gemm->c_type);
        gemm_run(call, &one);
    }
}
