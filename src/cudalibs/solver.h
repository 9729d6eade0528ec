// cuSOLVER's dense factorizations as programs see them; the LAPACK of the host does the work.
#ifndef BANKRUN_CUDALIBS_SOLVER_H
#define BANKRUN_CUDALIBS_SOLVER_H

#include "cudalibs/matrix.h"

enum solver_status {
    SOLVER_SUCCESS = 0,
    SOLVER_NOT_INITIALIZED = 1,
    SOLVER_ALLOC_FAILED = 2,
    SOLVER_INVALID_VALUE = 3,
    SOLVER_EXECUTION_FAILED = 6,
    SOLVER_INTERNAL_ERROR = 7,
    SOLVER_NOT_SUPPORTED = 9,
};

// Arguments of all their functions; what one does not have is 0.
struct solver {
    char letter; // of LAPACK's functions
    int half, op, side, kind, vectors, more_vectors;
    bool is_economic; // as many columns of U and V as there are singular values
    char job_u, job_v;
    int64_t m, n, k; // k: of reflections; right-hand sides
    void *a;
    int64_t lda;
    void *b; // or C, or U
    int64_t ldb;
    void *v; // of a singular value decomposition, or of eigenvectors
    int64_t ldv;
    void *values; // tau, eigenvalues, singular values
    int *pivots;  // 32 bits, or
    int64_t *wide_pivots;
    int *info;
    bool has_area, wants_area;           // the program gave what *_bufferSize asks for
    void *const *a_list, *const *b_list; // of batches
    int64_t count;
};

// How much memory to work in functions ask for; they need none of it.
enum { SOLVER_AREA = 1 };

// ---- What works share ---------------------------------------------------------------------------

bool solver_is_complex(const struct solver *s);
size_t solver_real_bytes(const struct solver *s);
size_t solver_element_bytes(const struct solver *s);
// Sizes, and whether the program gave the memory that it was asked for.
bool solver_is_good(struct lib_call *call, const struct solver *s);
// The same, and which half of a square of n.
bool solver_is_half(struct lib_call *call, const struct solver *s);
bool solver_has(struct lib_call *call, const struct solver *s, const char *what, const void *at,
                int64_t rows, int64_t columns, int64_t pitch, bool is_written);
// By LAPACK, of any sizes; memory was looked at.
void solver_run_gesvd(struct lib_call *call, const struct solver *s);

// ---- Works --------------------------------------------------------------------------------------

void solver_potrf(struct lib_call *call, const void *arguments);
void solver_potrs(struct lib_call *call, const void *arguments);
void solver_potri(struct lib_call *call, const void *arguments);
void solver_potrf_batch(struct lib_call *call, const void *arguments);
void solver_potrs_batch(struct lib_call *call, const void *arguments);
void solver_getrf(struct lib_call *call, const void *arguments);
void solver_getrs(struct lib_call *call, const void *arguments);
void solver_geqrf(struct lib_call *call, const void *arguments);
void solver_orgqr(struct lib_call *call, const void *arguments);
void solver_ormqr(struct lib_call *call, const void *arguments);
void solver_gesvd(struct lib_call *call, const void *arguments);
void solver_syevd(struct lib_call *call, const void *arguments);
void solver_sygvd(struct lib_call *call, const void *arguments);
void solver_geev(struct lib_call *call, const void *arguments);

enum solver_status solver_status_of(enum lib_status status);
enum solver_status solver_do(void *handle, const char *function, lib_work work,
                             const struct solver *arguments);
// What *_bufferSize says: whether the arguments are good.
enum solver_status solver_ask(void *handle, bool is_good);

#endif
