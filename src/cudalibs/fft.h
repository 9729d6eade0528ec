// cuFFT as programs see it; FFTW of the host does the work.
#ifndef BANKRUN_CUDALIBS_FFT_H
#define BANKRUN_CUDALIBS_FFT_H

#include "cudalibs/call.h"

enum fft_status {
    FFT_SUCCESS = 0,
    FFT_INVALID_PLAN = 1,
    FFT_ALLOC_FAILED = 2,
    FFT_INVALID_TYPE = 3,
    FFT_INVALID_VALUE = 4,
    FFT_INTERNAL_ERROR = 5,
    FFT_EXEC_FAILED = 6,
    FFT_SETUP_FAILED = 7,
    FFT_INVALID_SIZE = 8,
    FFT_NOT_SUPPORTED = 16,
};

enum fft_type { // cufftType
    FFT_C2C = 0x29,
    FFT_R2C = 0x2a,
    FFT_C2R = 0x2c,
    FFT_Z2Z = 0x69,
    FFT_D2Z = 0x6a,
    FFT_Z2D = 0x6c,
};

enum { FFT_FORWARD = -1, FFT_INVERSE = 1, FFT_MOST_DIMENSIONS = 3 };

// Where the elements of one side are: strides of each dimension and between transforms.
struct fft_side {
    int64_t count[FFT_MOST_DIMENSIONS]; // elements; fewer than n where half of them say all
    int64_t stride[FFT_MOST_DIMENSIONS], distance;
    size_t element; // bytes
};

struct fft_plan {
    struct lib_handle base;
    bool is_made, is_basic; // basic: no layout was told
    enum fft_type type;
    int rank;
    int64_t n[FFT_MOST_DIMENSIONS], batch;
    struct fft_side in, out;     // as told, or out of place
    struct fft_side in_of_place; // of a real input or output in place
    struct fft_side out_of_place;
    void *plans[2][2]; // FFTW's: of the inverse, in place; NULL: not asked for yet
};

bool fft_is_double(enum fft_type type);
bool fft_is_real_to_complex(enum fft_type type);
bool fft_is_complex_to_real(enum fft_type type);

// FFTW is loaded, for that precision. False: *why says what was tried.
bool fft_backend_is_there(bool is_double, const char **why);
// Executes a made plan: arguments of a call.
struct fft_exec {
    const void *in;
    void *out;
    int direction;
};
void fft_execute(struct lib_call *call, const void *arguments);
// Frees what FFTW has of it.
void fft_plan_free(struct fft_plan *plan);

#endif
