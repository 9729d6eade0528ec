// cuBLASLt: a product of matrices that is described piece by piece. There is one algorithm, which
// the heuristic names. Of what may be done to the result on its way a bias and ReLU are.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cudalibs/gemm.h"
#include "cudalibs/handle.h"
#include "ir/number/half.h"

enum { EPILOGUE_NONE = 1, EPILOGUE_RELU = 2, EPILOGUE_BIAS = 4 };
enum { ATTRIBUTE_BYTES = 8 };

// ---- Descriptions -------------------------------------------------------------------------------
// Attributes are kept by number, in up to 8 bytes each, as they were set.

enum { ATTRIBUTES = 40 };

struct description {
    unsigned char bytes[ATTRIBUTES];                   // how many it has; 0: nobody set it
    unsigned char values[ATTRIBUTES][ATTRIBUTE_BYTES]; // and which
};

enum { // of a product
    COMPUTE_TYPE = 0,
    SCALE_TYPE = 1,
    POINTER_MODE = 2,
    OP_A = 3,
    OP_B = 4,
    OP_C = 5,
    EPILOGUE = 7,
    BIAS = 8,
    BIAS_STRIDE = 10,
    SM_TARGET = 15,
    FAST_ACCUMULATION = 25,
    BIAS_TYPE = 26,
};

enum { // of a matrix
    TYPE = 0,
    ORDER = 1,
    ROWS = 2,
    COLUMNS = 3,
    PITCH = 4,
    COUNT = 5,
    STRIDE = 6,
};

// What a program initialises in memory of its own, which is smaller: where the description is. It
// is kept until the process ends, as nobody says when such memory is no longer used.
struct place {
    uint64_t mark;
    struct description *description;
};
enum { PLACE_BYTES = 64 };                             // that programs have at least
static const uint64_t place_mark = 0x6272746c74706c63; // no description begins so

static struct description *description_at(const void *at) {
    struct place place;
    if (!at)
        return NULL;
    memcpy(&place, at, sizeof place);
    return place.mark == place_mark ? place.description : (struct description *)(uintptr_t)at;
}

static struct description *place_description(void *at, size_t bytes) {
    static struct description **all; // for who looks for memory that nobody refers to
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static size_t count;
    if (!at || bytes < PLACE_BYTES)
        return NULL;
    const struct place place = {place_mark, base_alloc(sizeof *place.description)};
    pthread_mutex_lock(&lock);
    all = base_realloc(all, (count + 1) * sizeof(struct description *));
    all[count++] = place.description;
    pthread_mutex_unlock(&lock);
    memcpy(at, &place, sizeof place);
    return place.description;
}

static enum lib_status set(struct description *to, int attribute, const void *value, size_t bytes) {
    if (!to || !value || attribute < 0 || attribute >= ATTRIBUTES || bytes > ATTRIBUTE_BYTES)
        return LIB_INVALID_VALUE;
    to->bytes[attribute] = (unsigned char)bytes;
    memset(to->values[attribute], 0, ATTRIBUTE_BYTES);
    memcpy(to->values[attribute], value, bytes);
    return LIB_SUCCESS;
}

static enum lib_status get(const struct description *from, int attribute, void *value, size_t bytes,
                           size_t *written) {
    if (!from || attribute < 0 || attribute >= ATTRIBUTES || (bytes && !value))
        return LIB_INVALID_VALUE;
    if (written)
        *written = from->bytes[attribute];
    if (!bytes)
        return written ? LIB_SUCCESS : LIB_INVALID_VALUE;
    if (bytes < from->bytes[attribute])
        return LIB_INVALID_VALUE;
    memcpy(value, from->values[attribute], from->bytes[attribute]);
    return LIB_SUCCESS;
}

static int64_t number(const struct description *from, int attribute) {
    int64_t value = 0;
    int32_t small = 0;
    if (from->bytes[attribute] == sizeof small) { // with its sign
        memcpy(&small, from->values[attribute], sizeof small);
        return small;
    }
    memcpy(&value, from->values[attribute], sizeof value);
    return value;
}

static enum lib_status create(void **to) {
    if (!to)
        return LIB_INVALID_VALUE;
    *to = base_alloc(sizeof(struct description));
    return LIB_SUCCESS;
}

static void set_number(struct description *to, int attribute, int64_t value, size_t bytes) {
    set(to, attribute, &value, bytes); // little-endian
}

static void begin_product(struct description *to, int compute, int scale) {
    set_number(to, COMPUTE_TYPE, compute, 4);
    set_number(to, SCALE_TYPE, scale, 4);
    set_number(to, POINTER_MODE, LIB_ON_HOST, 4);
    set_number(to, OP_A, BLAS_N, 4);
    set_number(to, OP_B, BLAS_N, 4);
    set_number(to, OP_C, BLAS_N, 4);
    set_number(to, EPILOGUE, EPILOGUE_NONE, 4);
}

CUDA_API enum lib_status cublasLtMatmulDescCreate(void **to, int compute, int scale) {
    enum lib_status status = create(to);
    if (status == LIB_SUCCESS)
        begin_product(*to, compute, scale);
    return status;
}

CUDA_API enum lib_status cublasLtMatmulDescInit_internal(void *at, size_t bytes, int compute,
                                                         int scale) {
    struct description *to = place_description(at, bytes);
    if (!to)
        return LIB_INVALID_VALUE;
    begin_product(to, compute, scale);
    return LIB_SUCCESS;
}

static void begin_matrix(struct description *to, int type, uint64_t rows, uint64_t columns,
                         int64_t pitch) {
    set_number(to, TYPE, type, 4);
    set_number(to, ORDER, 0, 4);
    set_number(to, ROWS, (int64_t)rows, 8);
    set_number(to, COLUMNS, (int64_t)columns, 8);
    set_number(to, PITCH, pitch, 8);
    set_number(to, COUNT, 1, 4);
    set_number(to, STRIDE, 0, 8);
}

CUDA_API enum lib_status cublasLtMatrixLayoutCreate(void **to, int type, uint64_t rows,
                                                    uint64_t columns, int64_t pitch) {
    enum lib_status status = create(to);
    if (status == LIB_SUCCESS)
        begin_matrix(*to, type, rows, columns, pitch);
    return status;
}

CUDA_API enum lib_status cublasLtMatrixLayoutInit_internal(void *at, size_t bytes, int type,
                                                           uint64_t rows, uint64_t columns,
                                                           int64_t pitch) {
    struct description *to = place_description(at, bytes);
    if (!to)
        return LIB_INVALID_VALUE;
    begin_matrix(to, type, rows, columns, pitch);
    return LIB_SUCCESS;
}

CUDA_API enum lib_status cublasLtMatmulPreferenceInit_internal(void *at, size_t bytes) {
    return place_description(at, bytes) ? LIB_SUCCESS : LIB_INVALID_VALUE;
}

CUDA_API enum lib_status cublasLtMatmulPreferenceCreate(void **to) {
    return create(to);
}

#define DESCRIPTION(name)                                                                          \
    CUDA_API enum lib_status cublasLt##name##Destroy(struct description *of) {                     \
        free(of);                                                                                  \
        return LIB_SUCCESS;                                                                        \
    }                                                                                              \
    CUDA_API enum lib_status cublasLt##name##SetAttribute(struct description *of, int attribute,   \
                                                          const void *value, size_t bytes) {       \
        return set(description_at(of), attribute, value, bytes);                                   \
    }                                                                                              \
    CUDA_API enum lib_status cublasLt##name##GetAttribute(                                         \
        const struct description *of, int attribute, void *value, size_t bytes, size_t *written) { \
        return get(description_at(of), attribute, value, bytes, written);                          \
    }
DESCRIPTION(MatmulDesc)
DESCRIPTION(MatrixLayout)
DESCRIPTION(MatmulPreference)

// ---- The product --------------------------------------------------------------------------------

// What nobody here knows to be without effect.
static const char *unknown_in(const struct description *product) {
    static const bool is_known[ATTRIBUTES] = {
        [COMPUTE_TYPE] = true, [SCALE_TYPE] = true, [POINTER_MODE] = true,
        [OP_A] = true,         [OP_B] = true,       [OP_C] = true,
        [EPILOGUE] = true,     [BIAS] = true,       [BIAS_STRIDE] = true,
        [SM_TARGET] = true,    [BIAS_TYPE] = true,  [FAST_ACCUMULATION] = true,
    };
    for (int i = 0; i < ATTRIBUTES; i++)
        if (!is_known[i] && product->bytes[i] && number(product, i))
            return "with scales or further results (attributes of the description)";
    int64_t epilogue = number(product, EPILOGUE);
    if (epilogue & ~(int64_t)(EPILOGUE_NONE | EPILOGUE_RELU | EPILOGUE_BIAS))
        return "with this epilogue: only a bias and ReLU are";
    if (number(product, OP_C) != BLAS_N)
        return "with C transposed";
    if (number(product, POINTER_MODE) > LIB_ON_DEVICE)
        return "with a vector of alphas";
    return NULL;
}

enum { ORDER_COLUMN = 0, ORDER_ROW = 1 };

static const char *unknown_of(const struct description *matrix) {
    const int64_t order = number(matrix, ORDER);
    return order != ORDER_COLUMN && order != ORDER_ROW ? "with tiled matrices" : NULL;
}

static bool is_by_rows(const struct description *matrix) {
    return number(matrix, ORDER) == ORDER_ROW;
}

// Of matrices by rows that go with others.
static const char *unknown_orders(const struct description *product, const struct description *a,
                                  const struct description *b, const struct description *c,
                                  const struct description *d) {
    // A matrix by rows is its transpose by columns; no product has a conjugate without a transpose.
    if (number(product, OP_A) == BLAS_C && is_by_rows(a) != is_by_rows(d))
        return "with a conjugate transpose of A by rows, or for a result by rows";
    if (number(product, OP_B) == BLAS_C && is_by_rows(b) != is_by_rows(d))
        return "with a conjugate transpose of B by rows, or for a result by rows";
    if (is_by_rows(c) != is_by_rows(d))
        return "with C and D in different orders";
    if (is_by_rows(d) && number(product, EPILOGUE) & EPILOGUE_BIAS)
        return "with a bias for a result by rows";
    return NULL;
}

static const char *unknown_to_all(const struct description *product, const struct description *a,
                                  const struct description *b, const struct description *c,
                                  const struct description *d) {
    const struct description *const matrices[] = {a, b, c, d};
    const char *what = unknown_in(product);
    for (int i = 0; i < 4 && !what; i++)
        what = unknown_of(matrices[i]);
    return what ? what : unknown_orders(product, a, b, c, d);
}

static float element(const void *from, int type, int64_t at) {
    if (type == GEMM_F32)
        return ((const float *)from)[at];
    uint16_t bits = ((const uint16_t *)from)[at];
    return type == GEMM_F16 ? num_f32_of_f16(bits) : num_f32_of_bf16(bits);
}

static void put_element(void *to, int type, int64_t at, float value) {
    if (type == GEMM_F32)
        ((float *)to)[at] = value;
    else
        ((uint16_t *)to)[at] = type == GEMM_F16 ? num_f16_of_f32(value) : num_bf16_of_f32(value);
}

static bool takes_epilogue(int type) {
    return type == GEMM_F32 || type == GEMM_F16 || type == GEMM_BF16;
}

// A bias for each row, then what is negative becomes 0.
static void finish(struct lib_call *call, const struct description *product,
                   const struct gemm *gemm, void *to, const void *bias) {
    const int64_t epilogue = number(product, EPILOGUE);
    int bias_type = product->bytes[BIAS_TYPE] ? (int)number(product, BIAS_TYPE) : gemm->c_type;
    if (bias_type < 0) // the default
        bias_type = gemm->c_type;
    if (!(epilogue & (EPILOGUE_BIAS | EPILOGUE_RELU)))
        return;
    if (!takes_epilogue(gemm->c_type) || !takes_epilogue(bias_type)) {
        lib_refuse(call, "with an epilogue for these types of data");
        return;
    }
    if ((epilogue & EPILOGUE_BIAS) &&
        !lib_can_use(call, "the bias", bias, (size_t)gemm->m * gemm_bytes(bias_type), false))
        return;
    for (int64_t j = 0; j < gemm->n; j++)
        for (int64_t i = 0; i < gemm->m; i++) {
            float value = element(to, gemm->c_type, j * gemm->ldc + i);
            if (epilogue & EPILOGUE_BIAS)
                value += element(bias, bias_type, i);
            put_element(to, gemm->c_type, j * gemm->ldc + i,
                        epilogue & EPILOGUE_RELU && value < 0 ? 0 : value);
        }
}

// The descriptions themselves: the program may change or free its own while a graph keeps this.
struct matmul {
    const void *alpha, *beta;
    struct description product, a, b, c, d;
    const void *at_a, *at_b, *at_c;
    void *at_d;
};

static bool has_shape(const struct description *matrix, int64_t rows, int64_t columns) {
    return number(matrix, ROWS) == rows && number(matrix, COLUMNS) == columns;
}

static bool describe(struct lib_call *call, const struct matmul *all, struct gemm *gemm) {
    const char *what = unknown_to_all(&all->product, &all->a, &all->b, &all->c, &all->d);
    if (what) {
        lib_refuse(call, what);
        return false;
    }
    const int op_a = (int)number(&all->product, OP_A), op_b = (int)number(&all->product, OP_B);
    *gemm = (struct gemm){
        .op_a = op_a,
        .op_b = op_b,
        .m = number(&all->d, ROWS),
        .n = number(&all->d, COLUMNS),
        .k = number(&all->a, op_a == BLAS_N ? COLUMNS : ROWS),
        .a_type = (int)number(&all->a, TYPE),
        .b_type = (int)number(&all->b, TYPE),
        .c_type = (int)number(&all->d, TYPE),
        .scale_type = (int)number(&all->product, SCALE_TYPE),
        .alpha = all->alpha,
        .beta = all->beta,
        .a = all->at_a,
        .b = all->at_b,
        .c_in = all->at_c,
        .c = all->at_d,
        .lda = number(&all->a, PITCH),
        .ldb = number(&all->b, PITCH),
        .ldc = number(&all->d, PITCH),
        .ldc_in = number(&all->c, PITCH),
    };
    const int64_t least = is_by_rows(&all->d) ? gemm->n : gemm->m;
    bool has_c = has_shape(&all->c, gemm->m, gemm->n) && number(&all->c, TYPE) == gemm->c_type &&
                 gemm->ldc_in >= (least > 1 ? least : 1);
    return lib_require(call, has_c) &&
           lib_require(call, op_a == BLAS_N ? has_shape(&all->a, gemm->m, gemm->k)
                                            : has_shape(&all->a, gemm->k, gemm->m)) &&
           lib_require(call, op_b == BLAS_N ? has_shape(&all->b, gemm->k, gemm->n)
                                            : has_shape(&all->b, gemm->n, gemm->k)) &&
           lib_require(call, op_a >= BLAS_N && op_a <= BLAS_C && op_b >= BLAS_N && op_b <= BLAS_C);
}

// op() of a matrix that is the transpose of what it was.
static int turned(int op) {
    return op == BLAS_N ? BLAS_T : BLAS_N;
}

// Everything by columns: what is by rows is its transpose, and D' = op(B)' * op(A)'.
static void order_by_columns(const struct matmul *all, struct gemm *gemm) {
    const struct gemm was = *gemm;
    if (!is_by_rows(&all->d)) {
        gemm->op_a = is_by_rows(&all->a) ? turned(was.op_a) : was.op_a;
        gemm->op_b = is_by_rows(&all->b) ? turned(was.op_b) : was.op_b;
        return;
    }
    gemm->op_a = is_by_rows(&all->b) ? was.op_b : turned(was.op_b);
    gemm->op_b = is_by_rows(&all->a) ? was.op_a : turned(was.op_a);
    gemm->m = was.n, gemm->n = was.m;
    gemm->a = was.b, gemm->a_type = was.b_type, gemm->lda = was.ldb;
    gemm->b = was.a, gemm->b_type = was.a_type, gemm->ldb = was.lda;
}

static void multiply(struct lib_call *call, const void *arguments) {
    const struct matmul *all = arguments;
    struct gemm gemm;
    if (!describe(call, all, &gemm))
        return;
    order_by_columns(all, &gemm);
    if (!gemm_is_good(call, &gemm))
        return;
    const bool is_turned = is_by_rows(&all->d);
    const struct description *first = is_turned ? &all->b : &all->a;
    const struct description *second = is_turned ? &all->a : &all->b;
    const char *bias = NULL;
    int64_t address = number(&all->product, BIAS), count = number(&all->d, COUNT);
    memcpy(&bias, &address, sizeof bias);
    size_t bias_step = (size_t)number(&all->product, BIAS_STRIDE) * gemm_bytes(gemm.c_type);
    gemm_run_strided(call, &gemm, number(first, STRIDE), number(second, STRIDE),
                     number(&all->d, STRIDE), number(&all->c, STRIDE), count);
    for (int64_t i = 0; i < count && call->status == LIB_SUCCESS && !call->is_dry; i++)
        finish(call, &all->product, &gemm,
               (char *)gemm.c + (size_t)(i * number(&all->d, STRIDE)) * gemm_bytes(gemm.c_type),
               bias ? bias + (size_t)i * bias_step : NULL);
}

CUDA_API enum lib_status cublasLtMatmul(void *handle, const struct description *product,
                                        const void *alpha, const void *at_a,
                                        const struct description *a, const void *at_b,
                                        const struct description *b, const void *beta,
                                        const void *at_c, const struct description *c, void *at_d,
                                        const struct description *d, const void *algorithm,
                                        void *space, size_t space_bytes, cuda_stream stream) {
    (void)algorithm, (void)space, (void)space_bytes;
    if (!product || !a || !b || !c || !d)
        return LIB_INVALID_VALUE;
    product = description_at(product), a = description_at(a), b = description_at(b);
    c = description_at(c), d = description_at(d);
    struct matmul all = {alpha, beta, *product, *a, *b, *c, *d, at_a, at_b, at_c, at_d};
    return lib_do_with(LIB_BLAS, handle, __func__, multiply, &all, sizeof all,
                       gemm_bytes((int)number(product, SCALE_TYPE)), stream,
                       (int)number(product, POINTER_MODE));
}

// ---- What there is to choose from ---------------------------------------------------------------

struct algorithm {
    uint64_t data[8];
};

struct heuristic {
    struct algorithm algorithm;
    size_t space_bytes;
    enum lib_status status;
    float waves;
    int reserved[4];
};

CUDA_API enum lib_status cublasLtMatmulAlgoGetHeuristic(
    void *handle, const struct description *product, const struct description *a,
    const struct description *b, const struct description *c, const struct description *d,
    const struct description *preference, int wanted, struct heuristic *results, int *found) {
    if (!handle || !product || !a || !b || !c || !d || !preference || !results || !found ||
        wanted < 1)
        return LIB_INVALID_VALUE;
    const char *what = unknown_to_all(description_at(product), description_at(a), description_at(b),
                                      description_at(c), description_at(d));
    *found = !what;
    if (what) {
        lib_refuse_call("cublasLtMatmul", what);
        return LIB_NOT_SUPPORTED;
    }
    *results = (struct heuristic){.status = LIB_SUCCESS, .waves = 1};
    return LIB_SUCCESS;
}

CUDA_API enum lib_status cublasLtCreate(void **handle) {
    return blas_handle_create(handle);
}

CUDA_API enum lib_status cublasLtDestroy(void *handle) {
    return blas_handle_destroy(handle);
}

CUDA_API size_t cublasLtGetVersion(void) {
    return BLAS_VERSION;
}

CUDA_API size_t cublasLtGetCudartVersion(void) {
    return (size_t)cuda_version();
}
