// Levels 2 and 3 but the products of any matrices (gemm_calls.c). X is the letter of cuBLAS, x that
// of Fortran.
#include <string.h>

#include "cudalibs/backend.h"
#include "cudalibs/blas.h"

static const char ops[] = {'N', 'T', 'C'}, halves[] = {'L', 'U'}, sides[] = {'L', 'R'};
static const char diagonals[] = {'N', 'U'};

static bool is_pitch(struct blas_call *call, int64_t pitch, int64_t rows) {
    return blas_require(call, pitch >= (rows > 1 ? rows : 1));
}

static bool is_choice(struct blas_call *call, int value, int count) {
    return blas_require(call, value >= 0 && value < count);
}

// NULL, and the call is refused, where the backend has none.
static void *find(struct blas_call *call, const char *name) {
    void *address = backend_find(name);
    if (!address)
        blas_refuse(call, "by " BACKEND_LIBRARY);
    return address;
}
#define FIND(name) ((address = find(call, name)) && memcpy(&work, &address, sizeof work))

// ---- Level 2 ------------------------------------------------------------------------------------

struct product { // y = alpha * op(A) * x + beta * y
    int op, m, n;
    const void *alpha, *a;
    int lda;
    const void *x;
    int incx;
    const void *beta;
    void *y;
    int incy;
    size_t element;
};

static void multiply(struct blas_call *call, const char *name, const struct product *p) {
    void (*work)(const char *, const int *, const int *, const void *, const void *, const int *,
                 const void *, const int *, const void *, void *, const int *, size_t);
    void *address;
    int from = p->op == BLAS_N ? p->n : p->m, to = p->op == BLAS_N ? p->m : p->n;
    if (is_choice(call, p->op, 3) && blas_require(call, p->m >= 0 && p->n >= 0) &&
        blas_require(call, p->incx && p->incy) && is_pitch(call, p->lda, p->m) &&
        blas_has_scalar(call, "alpha", p->alpha, p->element) &&
        blas_has_scalar(call, "beta", p->beta, p->element) && p->m && p->n &&
        blas_has_matrix(call, "A", p->a, p->m, p->n, p->lda, p->element, false) &&
        blas_has_vector(call, "x", p->x, from, p->incx, p->element, false) &&
        blas_has_vector(call, "y", p->y, to, p->incy, p->element, true) && FIND(name))
        work(&ops[p->op], &p->m, &p->n, p->alpha, p->a, &p->lda, p->x, &p->incx, p->beta, p->y,
             &p->incy, 1);
}

#define GEMV(X, x, type)                                                                           \
    BLAS_CALL(cublas##X##gemv_v2(void *handle, int op, int m, int n, const type *alpha,            \
                                 const type *a, int lda, const type *vx, int incx,                 \
                                 const type *beta, type *vy, int incy),                            \
              multiply(call, #x "gemv_",                                                           \
                       &(struct product){op, m, n, alpha, a, lda, vx, incx, beta, vy, incy,        \
                                         sizeof(type)}))
GEMV(S, s, float)
GEMV(D, d, double)
GEMV(C, c, complex_float)
GEMV(Z, z, complex_double)

static void multiply_symmetric(struct blas_call *call, const char *name, int half,
                               const struct product *p) {
    void (*work)(const char *, const int *, const void *, const void *, const int *, const void *,
                 const int *, const void *, void *, const int *, size_t);
    void *address;
    if (is_choice(call, half, 2) && blas_require(call, p->n >= 0) &&
        blas_require(call, p->incx && p->incy) && is_pitch(call, p->lda, p->n) &&
        blas_has_scalar(call, "alpha", p->alpha, p->element) &&
        blas_has_scalar(call, "beta", p->beta, p->element) && p->n &&
        blas_has_matrix(call, "A", p->a, p->n, p->n, p->lda, p->element, false) &&
        blas_has_vector(call, "x", p->x, p->n, p->incx, p->element, false) &&
        blas_has_vector(call, "y", p->y, p->n, p->incy, p->element, true) && FIND(name))
        work(&halves[half], &p->n, p->alpha, p->a, &p->lda, p->x, &p->incx, p->beta, p->y, &p->incy,
             1);
}

#define SYMV(X, x, type)                                                                           \
    BLAS_CALL(cublas##X##symv_v2(void *handle, int half, int n, const type *alpha, const type *a,  \
                                 int lda, const type *vx, int incx, const type *beta, type *vy,    \
                                 int incy),                                                        \
              multiply_symmetric(call, #x "symv_", half,                                           \
                                 &(struct product){BLAS_N, n, n, alpha, a, lda, vx, incx, beta,    \
                                                   vy, incy, sizeof(type)}))
SYMV(S, s, float)
SYMV(D, d, double)

struct outer { // A += alpha * x * y'
    int m, n;
    const void *alpha, *x;
    int incx;
    const void *y;
    int incy;
    void *a;
    int lda;
    size_t element;
};

static void add_outer(struct blas_call *call, const char *name, const struct outer *o) {
    void (*work)(const int *, const int *, const void *, const void *, const int *, const void *,
                 const int *, void *, const int *);
    void *address;
    if (blas_require(call, o->m >= 0 && o->n >= 0) && blas_require(call, o->incx && o->incy) &&
        is_pitch(call, o->lda, o->m) && blas_has_scalar(call, "alpha", o->alpha, o->element) &&
        o->m && o->n && blas_has_vector(call, "x", o->x, o->m, o->incx, o->element, false) &&
        blas_has_vector(call, "y", o->y, o->n, o->incy, o->element, false) &&
        blas_has_matrix(call, "A", o->a, o->m, o->n, o->lda, o->element, true) && FIND(name))
        work(&o->m, &o->n, o->alpha, o->x, &o->incx, o->y, &o->incy, o->a, &o->lda);
}

#define GER(Name, name, type)                                                                      \
    BLAS_CALL(cublas##Name##_v2(void *handle, int m, int n, const type *alpha, const type *vx,     \
                                int incx, const type *vy, int incy, type *a, int lda),             \
              add_outer(call, #name "_",                                                           \
                        &(struct outer){m, n, alpha, vx, incx, vy, incy, a, lda, sizeof(type)}))
GER(Sger, sger, float)
GER(Dger, dger, double)
GER(Cgeru, cgeru, complex_float)
GER(Cgerc, cgerc, complex_float)
GER(Zgeru, zgeru, complex_double)
GER(Zgerc, zgerc, complex_double)

struct triangle {
    int side, half, op, diagonal, m, n;
    const void *alpha, *a;
    int lda;
    void *b; // a vector's elements are `ldb` apart
    int ldb;
    size_t element;
};

static bool is_triangle(struct blas_call *call, const struct triangle *t) {
    return is_choice(call, t->half, 2) && is_choice(call, t->op, 3) &&
           is_choice(call, t->diagonal, 2) && blas_require(call, t->m >= 0 && t->n >= 0);
}

static void solve_vector(struct blas_call *call, const char *name, const struct triangle *t) {
    void (*work)(const char *, const char *, const char *, const int *, const void *, const int *,
                 void *, const int *, size_t, size_t, size_t);
    void *address;
    if (is_triangle(call, t) && is_pitch(call, t->lda, t->n) && blas_require(call, t->ldb) &&
        t->n && blas_has_matrix(call, "A", t->a, t->n, t->n, t->lda, t->element, false) &&
        blas_has_vector(call, "x", t->b, t->n, t->ldb, t->element, true) && FIND(name))
        work(&halves[t->half], &ops[t->op], &diagonals[t->diagonal], &t->n, t->a, &t->lda, t->b,
             &t->ldb, 1, 1, 1);
}

#define TRSV(X, x, type)                                                                           \
    BLAS_CALL(cublas##X##trsv_v2(void *handle, int half, int op, int diagonal, int n,              \
                                 const type *a, int lda, type *vx, int incx),                      \
              solve_vector(call, #x "trsv_",                                                       \
                           &(struct triangle){.half = half,                                        \
                                              .op = op,                                            \
                                              .diagonal = diagonal,                                \
                                              .n = n,                                              \
                                              .a = a,                                              \
                                              .lda = lda,                                          \
                                              .b = vx,                                             \
                                              .ldb = incx,                                         \
                                              .element = sizeof(type)}))
TRSV(S, s, float)
TRSV(D, d, double)
TRSV(C, c, complex_float)
TRSV(Z, z, complex_double)

// ---- Level 3 ------------------------------------------------------------------------------------

static void solve(struct blas_call *call, const char *name, const struct triangle *t) {
    void (*work)(const char *, const char *, const char *, const char *, const int *, const int *,
                 const void *, const void *, const int *, void *, const int *, size_t, size_t,
                 size_t, size_t);
    void *address;
    int rows = t->side == BLAS_LEFT ? t->m : t->n;
    if (is_choice(call, t->side, 2) && is_triangle(call, t) && is_pitch(call, t->lda, rows) &&
        is_pitch(call, t->ldb, t->m) && blas_has_scalar(call, "alpha", t->alpha, t->element) &&
        t->m && t->n && blas_has_matrix(call, "A", t->a, rows, rows, t->lda, t->element, false) &&
        blas_has_matrix(call, "B", t->b, t->m, t->n, t->ldb, t->element, true) && FIND(name))
        work(&sides[t->side], &halves[t->half], &ops[t->op], &diagonals[t->diagonal], &t->m, &t->n,
             t->alpha, t->a, &t->lda, t->b, &t->ldb, 1, 1, 1, 1);
}

#define TRSM(X, x, type)                                                                           \
    BLAS_CALL(cublas##X##trsm_v2(void *handle, int side, int half, int op, int diagonal, int m,    \
                                 int n, const type *alpha, const type *a, int lda, type *b,        \
                                 int ldb),                                                         \
              solve(call, #x "trsm_",                                                              \
                    &(struct triangle){side, half, op, diagonal, m, n, alpha, a, lda, b, ldb,      \
                                       sizeof(type)}))
TRSM(S, s, float)
TRSM(D, d, double)
TRSM(C, c, complex_float)
TRSM(Z, z, complex_double)

struct symmetric { // C = alpha * A * B + beta * C, A symmetric
    int side, half, m, n;
    const void *alpha, *a;
    int lda;
    const void *b;
    int ldb;
    const void *beta;
    void *c;
    int ldc;
    size_t element;
};

static void multiply_by_symmetric(struct blas_call *call, const char *name,
                                  const struct symmetric *s) {
    void (*work)(const char *, const char *, const int *, const int *, const void *, const void *,
                 const int *, const void *, const int *, const void *, void *, const int *, size_t,
                 size_t);
    void *address;
    int rows = s->side == BLAS_LEFT ? s->m : s->n;
    if (is_choice(call, s->side, 2) && is_choice(call, s->half, 2) &&
        blas_require(call, s->m >= 0 && s->n >= 0) && is_pitch(call, s->lda, rows) &&
        is_pitch(call, s->ldb, s->m) && is_pitch(call, s->ldc, s->m) &&
        blas_has_scalar(call, "alpha", s->alpha, s->element) &&
        blas_has_scalar(call, "beta", s->beta, s->element) && s->m && s->n &&
        blas_has_matrix(call, "A", s->a, rows, rows, s->lda, s->element, false) &&
        blas_has_matrix(call, "B", s->b, s->m, s->n, s->ldb, s->element, false) &&
        blas_has_matrix(call, "C", s->c, s->m, s->n, s->ldc, s->element, true) && FIND(name))
        work(&sides[s->side], &halves[s->half], &s->m, &s->n, s->alpha, s->a, &s->lda, s->b,
             &s->ldb, s->beta, s->c, &s->ldc, 1, 1);
}

#define SYMM(X, x, type)                                                                           \
    BLAS_CALL(cublas##X##symm_v2(void *handle, int side, int half, int m, int n,                   \
                                 const type *alpha, const type *a, int lda, const type *b,         \
                                 int ldb, const type *beta, type *c, int ldc),                     \
              multiply_by_symmetric(call, #x "symm_",                                              \
                                    &(struct symmetric){side, half, m, n, alpha, a, lda, b, ldb,   \
                                                        beta, c, ldc, sizeof(type)}))
SYMM(S, s, float)
SYMM(D, d, double)
SYMM(C, c, complex_float)
SYMM(Z, z, complex_double)

struct rank { // half of C = alpha * op(A) * op(A)' + beta * C
    int half, op, n, k;
    const void *alpha, *a;
    int lda;
    const void *beta;
    void *c;
    int ldc;
    size_t element;
};

static bool has_half(struct blas_call *call, const struct rank *r) {
    if (!blas_has_matrix(call, "C", r->c, r->n, r->n, r->ldc, r->element, false))
        return false;
    for (int64_t j = 0; j < r->n; j++) { // the other half stays what it was
        int64_t first = r->half == BLAS_LOWER ? j : 0,
                count = r->half == BLAS_LOWER ? r->n - j : j + 1;
        const char *from = (const char *)r->c + (size_t)(j * r->ldc + first) * r->element;
        if (!blas_has_vector(call, "C", from, count, 1, r->element, true))
            return false;
    }
    return true;
}

static void update(struct blas_call *call, const char *name, const struct rank *r) {
    void (*work)(const char *, const char *, const int *, const int *, const void *, const void *,
                 const int *, const void *, void *, const int *, size_t, size_t);
    void *address;
    int rows = r->op == BLAS_N ? r->n : r->k, columns = r->op == BLAS_N ? r->k : r->n;
    if (is_choice(call, r->half, 2) && is_choice(call, r->op, 3) &&
        blas_require(call, r->n >= 0 && r->k >= 0) && is_pitch(call, r->lda, rows) &&
        is_pitch(call, r->ldc, r->n) && blas_has_scalar(call, "alpha", r->alpha, r->element) &&
        blas_has_scalar(call, "beta", r->beta, r->element) && r->n &&
        blas_has_matrix(call, "A", r->a, rows, columns, r->lda, r->element, false) &&
        has_half(call, r) && FIND(name))
        work(&halves[r->half], &ops[r->op], &r->n, &r->k, r->alpha, r->a, &r->lda, r->beta, r->c,
             &r->ldc, 1, 1);
}

#define SYRK(X, x, type)                                                                           \
    BLAS_CALL(cublas##X##syrk_v2(void *handle, int half, int op, int n, int k, const type *alpha,  \
                                 const type *a, int lda, const type *beta, type *c, int ldc),      \
              update(call, #x "syrk_",                                                             \
                     &(struct rank){half, op, n, k, alpha, a, lda, beta, c, ldc, sizeof(type)}))
SYRK(S, s, float)
SYRK(D, d, double)
