// Level 1: rotations of the plane, made and done, of types that are named or told.
#include "cudalibs/gemm.h"
#include "ir/number/half.h"

struct rotation {
    const void *c, *s; // where the handle says
    const char *name;  // of the backend's function; NULL: no such types
    int64_t n;
    void *x;
    int64_t incx;
    void *y;
    int64_t incy;
    size_t element, c_bytes, s_bytes;
    const void *parameters; // of rotm, where the handle says
    int type, scalar_type;  // of halves
};

static bool has_both(struct lib_call *call, const struct rotation *r) {
    return blas_is_small(call, r->n) && blas_is_small(call, r->incx) &&
           blas_is_small(call, r->incy) &&
           lib_has_vector(call, "x", r->x, r->n, r->incx, r->element, true) &&
           lib_has_vector(call, "y", r->y, r->n, r->incy, r->element, true) && r->n > 0;
}

static bool has_type(struct lib_call *call, const struct rotation *r) {
    if (!r->name)
        lib_refuse(call, "with these types of data");
    return call->status == LIB_SUCCESS;
}

// ---- Done ---------------------------------------------------------------------------------------

static float of_half(const struct rotation *r, const void *from, int64_t at) {
    const uint16_t value = ((const uint16_t *)from)[at];
    return r->type == GEMM_F16 ? num_f32_of_f16(value) : num_f32_of_bf16(value);
}

static void put_half(const struct rotation *r, void *to, int64_t at, float value) {
    ((uint16_t *)to)[at] = r->type == GEMM_F16 ? num_f16_of_f32(value) : num_bf16_of_f32(value);
}

// Computed as floats, and rounded once.
static void rotate_halves(const struct rotation *r) {
    const bool is_float = r->scalar_type == GEMM_F32;
    const float c = is_float ? *(const float *)r->c : of_half(r, r->c, 0);
    const float s = is_float ? *(const float *)r->s : of_half(r, r->s, 0);
    for (int64_t i = 0; i < r->n; i++) {
        const int64_t at_x = (r->incx < 0 ? i - r->n + 1 : i) * r->incx;
        const int64_t at_y = (r->incy < 0 ? i - r->n + 1 : i) * r->incy;
        const float x = of_half(r, r->x, at_x), y = of_half(r, r->y, at_y);
        put_half(r, r->x, at_x, c * x + s * y);
        put_half(r, r->y, at_y, c * y - s * x);
    }
}

static void rot(struct lib_call *call, const void *arguments) {
    const struct rotation *r = arguments;
    void (*work)(const int *, void *, const int *, void *, const int *, const void *, const void *);
    const int n = (int)r->n, incx = (int)r->incx, incy = (int)r->incy;
    if (!has_type(call, r) || !blas_has_scalar(call, "c", r->c, r->c_bytes) ||
        !blas_has_scalar(call, "s", r->s, r->s_bytes) || !has_both(call, r))
        return;
    if (!*r->name)
        rotate_halves(r);
    else if (BLAS_FIND(r->name, work))
        work(&n, r->x, &incx, r->y, &incy, r->c, r->s);
}

static void rotm(struct lib_call *call, const void *arguments) {
    const struct rotation *r = arguments;
    void (*work)(const int *, void *, const int *, void *, const int *, const void *);
    const int n = (int)r->n, incx = (int)r->incx, incy = (int)r->incy;
    if (!has_type(call, r))
        return;
    if (call->is_dry && call->handle->scalars == LIB_ON_HOST)
        lib_refuse(call, "in a captured stream with parameters on the host");
    else if (blas_has_scalar(call, "param", r->parameters, 5 * r->element) && has_both(call, r) &&
             BLAS_FIND(r->name, work))
        work(&n, r->x, &incx, r->y, &incy, r->parameters);
}

#define ROT_OF(size, suffix, Name, name, type, cosine, sine)                                       \
    CUDA_API enum lib_status cublas##Name##suffix(void *handle, size n, type *x, size incx,        \
                                                  type *y, size incy, const cosine *c,             \
                                                  const sine *s) {                                 \
        return BLAS_DO(rot, LIB_SCALARS(sizeof(cosine), sizeof(sine)),                             \
                       (struct rotation){c, s, #name "_", n, x, incx, y, incy, sizeof(type),       \
                                         sizeof(cosine), sizeof(sine), NULL, 0, 0});               \
    }
#define ROT(Name, name, type, cosine, sine) BLAS_BOTH(ROT_OF, Name, name, type, cosine, sine)
ROT(Srot, srot, float, float, float)
ROT(Drot, drot, double, double, double)
ROT(Csrot, csrot, complex_float, float, float)
ROT(Zdrot, zdrot, complex_double, double, double)
ROT(Crot, crot, complex_float, float, complex_float)
ROT(Zrot, zrot, complex_double, double, complex_double)

#define ROTM_OF(size, suffix, Name, name, type)                                                    \
    CUDA_API enum lib_status cublas##Name##suffix(void *handle, size n, type *x, size incx,        \
                                                  type *y, size incy, const type *parameters) {    \
        return BLAS_DO(rotm, 0,                                                                    \
                       (struct rotation){NULL, NULL, #name "_", n, x, incx, y, incy, sizeof(type), \
                                         0, 0, parameters, 0, 0});                                 \
    }
#define ROTM(Name, name, type) BLAS_BOTH(ROTM_OF, Name, name, type)
ROTM(Srotm, srotm, float)
ROTM(Drotm, drotm, double)

// ---- Made ---------------------------------------------------------------------------------------

// Where two numbers are and what is made of them, all where the handle says.
struct making {
    const char *name; // of the backend's function; NULL: no such types
    void *places[5];
    size_t bytes[5];
    int count, given; // of them: the last of rotmg's coordinates is only read
};

static void make(struct lib_call *call, const void *arguments) {
    const struct making *m = arguments;
    static const char *const words[] = {"1st number", "2nd number", "3rd number", "4th number",
                                        "param"};
    void (*four)(void *, void *, void *, void *);
    void (*five)(void *, void *, void *, void *, void *);
    void *const *at = m->places;
    if (!m->name) {
        lib_refuse(call, "with these types of data");
        return;
    }
    for (int i = 0; i < m->count; i++)
        if (i == m->given ? !blas_has_scalar(call, words[i], at[i], m->bytes[i])
                          : !blas_takes(call, words[i], at[i], m->bytes[i]))
            return;
    if (call->is_dry)
        return;
    if (m->count == 4 && BLAS_FIND(m->name, four))
        four(at[0], at[1], at[2], at[3]);
    else if (m->count == 5 && BLAS_FIND(m->name, five))
        five(at[0], at[1], at[2], at[3], at[4]);
    for (int i = 0; call->handle->scalars == LIB_ON_DEVICE && i < m->count; i++)
        if (i != m->given)
            blas_was_given(call, at[i], m->bytes[i]);
}

#define ROTG(Name, name, type, cosine)                                                             \
    CUDA_API enum lib_status cublas##Name##_v2(void *handle, type *a, type *b, cosine *c,          \
                                               type *s) {                                          \
        return BLAS_DO(make, 0,                                                                    \
                       (struct making){#name "_",                                                  \
                                       {a, b, c, s},                                               \
                                       {sizeof(type), sizeof(type), sizeof(cosine), sizeof(type)}, \
                                       4,                                                          \
                                       -1});                                                       \
    }
ROTG(Srotg, srotg, float, float)
ROTG(Drotg, drotg, double, double)
ROTG(Crotg, crotg, complex_float, float)
ROTG(Zrotg, zrotg, complex_double, double)

#define ROTMG(Name, name, type)                                                                    \
    CUDA_API enum lib_status cublas##Name##_v2(void *handle, type *d1, type *d2, type *x1,         \
                                               const type *y1, type *parameters) {                 \
        const size_t one = sizeof(type);                                                           \
        return BLAS_DO(make, 0,                                                                    \
                       (struct making){#name "_",                                                  \
                                       {d1, d2, x1, (void *)(uintptr_t)y1, parameters},            \
                                       {one, one, one, one, 5 * one},                              \
                                       5,                                                          \
                                       3});                                                        \
    }
ROTMG(Srotmg, srotmg, float)
ROTMG(Drotmg, drotmg, double)

// ---- Of types that are told ---------------------------------------------------------------------

static const struct {
    int type, scalar_type;
    const char *rot, *rotg, *rotm, *rotmg; // rot "": halves
} told[] = {
    {GEMM_F32, GEMM_F32, "srot_", "srotg_", "srotm_", "srotmg_"},
    {GEMM_F64, GEMM_F64, "drot_", "drotg_", "drotm_", "drotmg_"},
    {GEMM_C32, GEMM_F32, "csrot_", NULL, NULL, NULL},
    {GEMM_C64, GEMM_F64, "zdrot_", NULL, NULL, NULL},
    {GEMM_F16, GEMM_F32, "", NULL, NULL, NULL},
    {GEMM_F16, GEMM_F16, "", NULL, NULL, NULL},
    {GEMM_BF16, GEMM_F32, "", NULL, NULL, NULL},
    {GEMM_BF16, GEMM_BF16, "", NULL, NULL, NULL},
};

static bool is_work_type(int type, int work_type) {
    return work_type == (type == GEMM_F16 || type == GEMM_BF16 ? GEMM_F32 : type);
}

// Which row; -1: none.
static int row_of(int type, int scalar_type, int work_type) {
    for (int i = 0; i < (int)(sizeof told / sizeof *told); i++)
        if (told[i].type == type && told[i].scalar_type == scalar_type &&
            is_work_type(type, work_type))
            return i;
    return -1;
}

#define EX_OF(size, suffix, nothing)                                                               \
    CUDA_API enum lib_status cublasRotEx##suffix(                                                  \
        void *handle, size n, void *x, int x_type, size incx, void *y, int y_type, size incy,      \
        const void *c, const void *s, int scalar_type, int work_type) {                            \
        const int row = x_type == y_type ? row_of(x_type, scalar_type, work_type) : -1;            \
        const size_t bytes = gemm_bytes(scalar_type);                                              \
        return BLAS_DO(rot, row < 0 ? 0 : bytes,                                                   \
                       (struct rotation){c, s, row < 0 ? NULL : told[row].rot, n, x, incx, y,      \
                                         incy, gemm_bytes(x_type), bytes, bytes, NULL, x_type,     \
                                         scalar_type});                                            \
    }                                                                                              \
    CUDA_API enum lib_status cublasRotmEx##suffix(                                                 \
        void *handle, size n, void *x, int x_type, size incx, void *y, int y_type, size incy,      \
        const void *parameters, int scalar_type, int work_type) {                                  \
        const int row = x_type == y_type ? row_of(x_type, scalar_type, work_type) : -1;            \
        return BLAS_DO(rotm, 0,                                                                    \
                       (struct rotation){NULL, NULL, row < 0 ? NULL : told[row].rotm, n, x, incx,  \
                                         y, incy, gemm_bytes(x_type), 0, 0, parameters, x_type,    \
                                         scalar_type});                                            \
    }
BLAS_BOTH_NEW(EX_OF, )

CUDA_API enum lib_status cublasRotgEx(void *handle, void *a, void *b, int type, void *c, void *s,
                                      int scalar_type, int work_type) {
    const int row = row_of(type, scalar_type, work_type);
    const size_t one = gemm_bytes(type);
    return BLAS_DO(make, 0,
                   (struct making){row < 0 ? NULL : told[row].rotg,
                                   {a, b, c, s},
                                   {one, one, gemm_bytes(scalar_type), one},
                                   4,
                                   -1});
}

CUDA_API enum lib_status cublasRotmgEx(void *handle, void *d1, int d1_type, void *d2, int d2_type,
                                       void *x1, int x1_type, const void *y1, int y1_type,
                                       void *parameters, int scalar_type, int work_type) {
    const bool is_same = d1_type == d2_type && d2_type == x1_type && x1_type == y1_type;
    const int row = is_same ? row_of(d1_type, scalar_type, work_type) : -1;
    const size_t one = gemm_bytes(d1_type);
    return BLAS_DO(make, 0,
                   (struct making){row < 0 ? NULL : told[row].rotmg,
                                   {d1, d2, x1, (void *)(uintptr_t)y1, parameters},
                                   {one, one, one, one, 5 * one},
                                   5,
                                   3});
}
