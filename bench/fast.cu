// Times gallery/lib against a device-to-device copy and the vendor's transpose, all in one run.
//
//     nvcc -std=c++17 -arch=native -o fast bench/fast.cu -lcublas && ./fast
//
// A line for each case: name, what is timed, microseconds (the median of 13 batches of 8 launches
// back to back), GB/s counting bytes read and written, and per cent of the copy of as many bytes.
// Results are checked on the device. With --rotate four pairs of buffers take turns, so that no
// cache helps.
#include "../gallery/gallery.cuh"
#include "../gallery/lib/scan2d.cuh"
#include "../gallery/lib/transpose.cuh"
#include <cublas_v2.h>
#include <functional>

typedef unsigned long long Count;

__device__ unsigned char byte_of(size_t element, int byte) {
    return (unsigned char)((unsigned(element) * 2654435761u) >> (24 - byte % 4 * 8));
}

template <int SIZE> __global__ void fill(unsigned char *to, size_t count) {
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count * SIZE;
         i += gridDim.x * size_t(blockDim.x))
        to[i] = byte_of(i / SIZE, int(i % SIZE));
}

template <int SIZE>
__global__ void check(const unsigned char *out, size_t width, size_t height, Count *wrong) {
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < width * height * SIZE;
         i += gridDim.x * size_t(blockDim.x)) {
        size_t x = i / SIZE / height, y = i / SIZE % height;
        if (out[i] != byte_of(y * width + x, int(i % SIZE)))
            atomicAdd(wrong, 1ull);
    }
}

// A sum follows from its neighbours and its pixel.
__global__ void check_sums(const fast::sum_t *out, const unsigned char *pixels, size_t width,
                           size_t height, Count *wrong) {
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < width * height;
         i += gridDim.x * size_t(blockDim.x)) {
        size_t x = i % width, y = i / width;
        fast::sum_t sum = fast::sum_t(pixels[i]) * pixels[i] + (x ? out[i - 1] : 0) +
                          (y ? out[i - width] : 0) - (x && y ? out[i - width - 1] : 0);
        if (sum != out[i])
            atomicAdd(wrong, 1ull);
    }
}

static double median_us(const std::function<void(int)> &launch) {
    enum { BATCHES = 13, LAUNCHES = 8 };
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    for (int i = 0; i < 4; i++)
        launch(i);
    std::vector<double> times;
    for (int batch = 0; batch < BATCHES; batch++) {
        CHECK(cudaEventRecord(begin));
        for (int i = 0; i < LAUNCHES; i++)
            launch(batch * LAUNCHES + i);
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        float ms;
        CHECK(cudaEventElapsedTime(&ms, begin, end));
        times.push_back(1e3 * ms / LAUNCHES);
    }
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
    std::sort(times.begin(), times.end());
    return times[BATCHES / 2];
}

static bool is_failed;
static int pairs = 1;

static void print_case(const char *name, const char *what, double us, double bytes, double copy_us,
                       Count wrong) {
    is_failed |= wrong != 0;
    printf("%-26s  %-16s  %9.2f us  %5.0f GB/s  %5.1f %%  %s\n", name, what, us, 1e-3 * bytes / us,
           100 * copy_us / us, wrong ? "FAIL" : "PASS");
    fflush(stdout);
}

template <int SIZE> struct Element { alignas(SIZE) unsigned char bytes[SIZE]; };

template <int SIZE> static void time_transpose(size_t width, size_t height, cublasHandle_t blas) {
    size_t count = width * height, bytes = count * SIZE;
    std::vector<unsigned char *> in(pairs), out(pairs);
    for (int i = 0; i < pairs; i++) {
        CHECK(cudaMalloc(&in[i], bytes));
        CHECK(cudaMalloc(&out[i], bytes));
        fill<SIZE><<<1024, 256>>>(in[i], count);
    }
    Buffer<Count> wrong(std::vector<Count>(1));
    char name[64];
    snprintf(name, sizeof name, "%zu x %zu, %d B", width, height, SIZE);
    double copy = median_us([&](int i) {
        CHECK(cudaMemcpyAsync(out[i % pairs], in[i % pairs], bytes, cudaMemcpyDeviceToDevice));
    });
    print_case(name, "copy", copy, 2. * bytes, copy, 0);
    if (SIZE == 4) {
        const float one = 1, none = 0;
        double us = median_us([&](int i) {
            const float *a = reinterpret_cast<const float *>(in[i % pairs]);
            cublasSgeam(blas, CUBLAS_OP_T, CUBLAS_OP_T, int(height), int(width), &one, a,
                        int(width), &none, a, int(width), reinterpret_cast<float *>(out[i % pairs]),
                        int(height));
        });
        print_case(name, "cuBLAS geam", us, 2. * bytes, copy, 0);
    }
    typedef Element<SIZE> T;
    auto launch = [&](int i) {
        CHECK(fast::transpose(reinterpret_cast<T *>(out[i % pairs]),
                              reinterpret_cast<const T *>(in[i % pairs]), width, height));
    };
    CHECK(cudaMemset(out[0], 0xee, bytes));
    launch(0);
    check<SIZE><<<1024, 256>>>(out[0], width, height, wrong);
    print_case(name, "fast::transpose", median_us(launch), 2. * bytes, copy, wrong.read()[0]);
    for (int i = 0; i < pairs; i++) {
        CHECK(cudaFree(in[i]));
        CHECK(cudaFree(out[i]));
    }
}

static void time_scan(size_t width, size_t height) {
    size_t count = width * height;
    unsigned char *pixels, *from, *to;
    fast::sum_t *sums;
    CHECK(cudaMalloc(&pixels, count));
    CHECK(cudaMalloc(&sums, count * sizeof *sums));
    CHECK(cudaMalloc(&from, count * 9 / 2));
    CHECK(cudaMalloc(&to, count * 9 / 2));
    fill<1><<<1024, 256>>>(pixels, count);
    Buffer<Count> wrong(std::vector<Count>(1));
    char name[64];
    snprintf(name, sizeof name, "scan %zu x %zu", width, height);
    double copy = median_us(
        [&](int) { CHECK(cudaMemcpyAsync(to, from, count * 9 / 2, cudaMemcpyDeviceToDevice)); });
    print_case(name, "copy", copy, 9. * count, copy, 0);
    fast::scan2d_plan plan;
    CHECK(fast::scan2d_create(&plan, width, height));
    auto launch = [&](int) { CHECK(fast::scan2d(plan, sums, pixels)); };
    CHECK(cudaMemset(sums, 0xee, count * sizeof *sums));
    launch(0);
    check_sums<<<1024, 256>>>(sums, pixels, width, height, wrong);
    print_case(name, "fast::scan2d", median_us(launch), 9. * count, copy, wrong.read()[0]);
    CHECK(fast::scan2d_destroy(&plan));
    CHECK(cudaFree(pixels));
    CHECK(cudaFree(sums));
    CHECK(cudaFree(from));
    CHECK(cudaFree(to));
}

int main(int argc, char **argv) {
    pairs = argc > 1 && strcmp(argv[1], "--rotate") == 0 ? 4 : 1;
    cublasHandle_t blas;
    if (cublasCreate(&blas) != CUBLAS_STATUS_SUCCESS) {
        fprintf(stderr, "fast: cuBLAS does not start\n");
        return 1;
    }
    time_transpose<4>(4000, 4000, blas);
    time_transpose<4>(16384, 16384, blas);
    if (pairs == 1) {
        time_transpose<4>(16384, 8192, blas);
        time_transpose<4>(1000, 100000, blas);
        time_transpose<4>(100000, 1000, blas);
        time_transpose<4>(16386, 16382, blas);
        time_transpose<4>(16385, 16383, blas);
        time_transpose<4>(4001, 3999, blas);
        time_transpose<1>(32768, 32768, blas);
        time_transpose<1>(16388, 16380, blas);
        time_transpose<1>(16385, 16383, blas);
        time_transpose<2>(16384, 16384, blas);
        time_transpose<2>(16385, 16383, blas);
        time_transpose<8>(8192, 16384, blas);
        time_transpose<8>(8193, 16383, blas);
        time_transpose<16>(8192, 8192, blas);
        time_transpose<16>(8193, 8191, blas);
        for (size_t side = 1024; side <= 16384; side *= 2)
            time_scan(side, side);
        time_scan(4001, 3999);
        time_scan(16382, 16383);
    }
    cublasDestroy(blas);
    return is_failed ? 1 : 0;
}
