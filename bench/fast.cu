// Times gallery/lib against a device-to-device copy and the vendor's transpose, all in one run.
//
//     nvcc -std=c++17 -arch=native -o fast bench/fast.cu -lcublas && ./fast
//
// A line for each case: name, what is timed, microseconds (the median of 13 batches of 8 launches
// back to back, a launch's own cost included), GB/s counting bytes read and written, and per cent
// of the copy of as many bytes. All is timed in the same way: the device is kept busy until a batch
// is queued, so that the host's speed does not matter, and no launch overlaps the one before it.
// All work on the same buffers again and again, so what fits the cache is there, for copies too.
// With --rotate four pairs of buffers take turns, so that no cache helps. Copies and scans for one
// image size are timed a second time, "cold": so many pairs of buffers take turns that they have
// 256 MiB and more, so that no launch finds its input in the cache. Results are checked on the
// device. With --scans only scans are timed, with --random N those of N sizes between one and 280
// million pixels, drawn by a generator that N starts: the line at the end says how many stay below
// 80 per cent.
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

// Keeps the device busy while the host queues launches.
__global__ void spin(unsigned long long nanoseconds) {
    unsigned long long begin, now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
    do
        asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    while (now - begin < nanoseconds);
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
        spin<<<1, 1>>>(100000);
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

template <int SIZE>
static void transpose(unsigned char *out, const unsigned char *in, size_t width, size_t height) {
    typedef Element<SIZE> T;
    CHECK(fast::transpose(reinterpret_cast<T *>(out), reinterpret_cast<const T *>(in), width,
                          height));
}

// What the vendor has, for floats and doubles.
template <int SIZE>
static void geam(cublasHandle_t blas, unsigned char *to, const unsigned char *from, int width,
                 int height) {
    if (SIZE == 4) {
        const float one = 1, none = 0;
        auto a = reinterpret_cast<const float *>(from);
        cublasSgeam(blas, CUBLAS_OP_T, CUBLAS_OP_T, height, width, &one, a, width, &none, a, width,
                    reinterpret_cast<float *>(to), height);
    } else {
        const double one = 1, none = 0;
        auto a = reinterpret_cast<const double *>(from);
        cublasDgeam(blas, CUBLAS_OP_T, CUBLAS_OP_T, height, width, &one, a, width, &none, a, width,
                    reinterpret_cast<double *>(to), height);
    }
}

// The matrices begin `shift` elements behind the beginning of their memory.
template <int SIZE>
static void time_transpose(size_t width, size_t height, cublasHandle_t blas, int shift = 0) {
    size_t count = width * height, bytes = count * SIZE;
    std::vector<unsigned char *> in(pairs), out(pairs);
    for (int i = 0; i < pairs; i++) {
        CHECK(cudaMalloc(&in[i], bytes + shift * SIZE));
        CHECK(cudaMalloc(&out[i], bytes + shift * SIZE));
        in[i] += shift * SIZE;
        out[i] += shift * SIZE;
        fill<SIZE><<<1024, 256>>>(in[i], count);
    }
    Buffer<Count> wrong(std::vector<Count>(1));
    char name[64];
    snprintf(name, sizeof name, "%zu x %zu, %d B%s", width, height, SIZE, shift ? ", shifted" : "");
    double copy = median_us([&](int i) {
        CHECK(cudaMemcpyAsync(out[i % pairs] - shift * SIZE, in[i % pairs] - shift * SIZE, bytes,
                              cudaMemcpyDeviceToDevice));
    });
    print_case(name, "copy", copy, 2. * bytes, copy, 0);
    if (SIZE == 4 || SIZE == 8) {
        double us = median_us([&](int i) {
            geam<SIZE>(blas, out[i % pairs], in[i % pairs], int(width), int(height));
        });
        print_case(name, "cuBLAS geam", us, 2. * bytes, copy, 0);
    }
    CHECK(cudaMemset(out[0], 0xee, bytes));
    transpose<SIZE>(out[0], in[0], width, height);
    check<SIZE><<<1024, 256>>>(out[0], width, height, wrong);
    double us =
        median_us([&](int i) { transpose<SIZE>(out[i % pairs], in[i % pairs], width, height); });
    print_case(name, "fast::transpose", us, 2. * bytes, copy, wrong.read()[0]);
    for (int i = 0; i < pairs; i++) {
        CHECK(cudaFree(in[i] - shift * SIZE));
        CHECK(cudaFree(out[i] - shift * SIZE));
    }
}

// Whether the bytes before and behind a result are as they were.
__global__ void check_outside(const unsigned char *memory, size_t begin, size_t end, size_t bytes,
                              Count *wrong) {
    for (size_t i = threadIdx.x; i < bytes; i += blockDim.x) {
        if ((i < begin || i >= end) && memory[i] != 0xee)
            atomicAdd(wrong, 1ull);
    }
}

// Shapes of all kinds at places of all kinds.
template <int SIZE> static void check_shapes() {
    const size_t widths[] = {1, 2, 3, 5, 31, 64, 127, 128, 129, 255, 256, 521, 1000};
    const size_t heights[] = {1, 2, 7, 31, 33, 64, 100, 129, 257, 530, 1024};
    const size_t behind = 64;
    unsigned char *in, *out;
    size_t most = (1000 * 1024 + behind) * SIZE;
    CHECK(cudaMalloc(&in, most));
    CHECK(cudaMalloc(&out, most));
    Buffer<Count> wrong(std::vector<Count>(1));
    int shapes = 0;
    for (size_t width : widths) {
        for (size_t height : heights) {
            size_t from = shapes % 5 * SIZE, to = shapes % 7 * SIZE, bytes = width * height * SIZE;
            CHECK(cudaMemset(out, 0xee, bytes + behind * SIZE));
            fill<SIZE><<<256, 256>>>(in + from, width * height);
            transpose<SIZE>(out + to, in + from, width, height);
            check<SIZE><<<256, 256>>>(out + to, width, height, wrong);
            check_outside<<<1, 256>>>(out, to, to + bytes, bytes + behind * SIZE, wrong);
            shapes++;
        }
    }
    Count count = wrong.read()[0];
    is_failed |= count != 0;
    printf("%d shapes of %d B: %s\n", shapes, SIZE, count ? "FAIL" : "PASS");
    if (count)
        fprintf(stderr, "fast: %llu bytes are wrong in small shapes of %d B\n", count, SIZE);
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
}

static void time_transposes(cublasHandle_t blas) {
    time_transpose<4>(16384, 8192, blas);
    time_transpose<4>(1000, 100000, blas);
    time_transpose<4>(100000, 1000, blas);
    time_transpose<4>(16388, 16380, blas);
    time_transpose<4>(16386, 16382, blas);
    time_transpose<4>(16385, 16383, blas);
    time_transpose<4>(16384, 16384, blas, 1);
    time_transpose<4>(4001, 3999, blas);
    time_transpose<4>(1001, 99999, blas);
    time_transpose<4>(99999, 1001, blas);
    time_transpose<1>(32768, 32768, blas);
    time_transpose<1>(16388, 16380, blas);
    time_transpose<1>(16385, 16383, blas);
    time_transpose<1>(4001, 3999, blas);
    time_transpose<1>(99999, 1001, blas);
    time_transpose<2>(16384, 16384, blas);
    time_transpose<2>(16385, 16383, blas);
    time_transpose<2>(4001, 3999, blas);
    time_transpose<8>(8192, 16384, blas);
    time_transpose<8>(8193, 16383, blas);
    time_transpose<8>(4001, 3999, blas);
    time_transpose<16>(8192, 8192, blas);
    time_transpose<16>(8193, 8191, blas);
    time_transpose<16>(2001, 1999, blas);
    check_shapes<1>();
    check_shapes<2>();
    check_shapes<4>();
    check_shapes<8>();
    check_shapes<16>();
}

// Reads pixels and writes words of eight bytes, but adds up nothing.
__global__ void widen(fast::sum_t *out, const unsigned char *pixels, size_t count) {
    for (size_t i = 2 * (blockIdx.x * size_t(blockDim.x) + threadIdx.x); i + 1 < count;
         i += 2 * gridDim.x * size_t(blockDim.x)) {
        unsigned two = *reinterpret_cast<const unsigned short *>(pixels + i);
        *reinterpret_cast<ulonglong2 *>(out + i) = ulonglong2{two & 255, two >> 8};
    }
}

// What no scan can beat by much where launches are short: to write the result, and to read and
// write without a sum.
static void time_bounds(const char *name, fast::sum_t *sums, const unsigned char *pixels,
                        size_t count, double copy) {
    double us = median_us([&](int) { CHECK(cudaMemsetAsync(sums, 1, count * sizeof *sums)); });
    print_case(name, "memset of sums", us, 8. * count, copy, 0);
    us = median_us([&](int) { widen<<<2112, 512>>>(sums, pixels, count); });
    print_case(name, "widened, no sums", us, 9. * count, copy, 0);
}

// Buffers of a scan and of the copy it is compared with, for so many images that no cache holds
// all.
struct Images {
    size_t count, half; // pixels; bytes of a copy of as many bytes as a scan has to move, nine a
    int number;         // pixel: whole pages, with which it is the fastest
    std::vector<unsigned char *> pixels, from, to;
    std::vector<fast::sum_t *> sums;

    explicit Images(size_t count) : count(count), half(count * 9 / 2 / 4096 * 4096) {
        number = int((size_t(256) << 20) / (count * 9) + 1);
        for (auto *each : {&pixels, &from, &to})
            each->resize(number);
        sums.resize(number);
        for (int i = 0; i < number; i++) {
            CHECK(cudaMalloc(&pixels[i], count));
            CHECK(cudaMalloc(&sums[i], count * sizeof *sums[i]));
            CHECK(cudaMalloc(&from[i], half));
            CHECK(cudaMalloc(&to[i], half));
            fill<1><<<1024, 256>>>(from[i], half);
            fill<1><<<1024, 256>>>(pixels[i], count);
            CHECK(cudaMemset(sums[i], 0xee, count * sizeof *sums[i]));
        }
    }
    ~Images() {
        for (int i = 0; i < number; i++)
            for (void *each : {(void *)pixels[i], (void *)sums[i], (void *)from[i], (void *)to[i]})
                CHECK(cudaFree(each));
    }
};

// A scan against a copy, each of the same image again and again, or of many in turn. Returns the
// share of the copy's speed at which the scan runs as fast::scan2d launches it.
static double time_scan_of(const Images &images, int number, size_t width, size_t height,
                           const char *name) {
    Buffer<Count> wrong(std::vector<Count>(1));
    double copy = median_us([&](int i) {
        i %= number;
        CHECK(cudaMemcpyAsync(images.to[i], images.from[i], images.half, cudaMemcpyDeviceToDevice));
    });
    print_case(name, "copy", copy, 2. * images.half, copy, 0);
    if (number == 1)
        time_bounds(name, images.sums[0], images.pixels[0], images.count, copy);
    fast::scan2d_plan plan;
    CHECK(fast::scan2d_create(&plan, width, height));
    auto launch = [&](int i) {
        CHECK(fast::scan2d(plan, images.sums[i % number], images.pixels[i % number]));
    };
    bool is_overlapping = plan.is_overlapping;
    plan.is_overlapping = false; // as for the copy
    double us = median_us(launch);
    plan.is_overlapping = is_overlapping;
    double overlapped = is_overlapping ? median_us(launch) : 0;
    for (int i = 0; i < number; i++)
        check_sums<<<1024, 256>>>(images.sums[i], images.pixels[i], width, height, wrong);
    print_case(name, "fast::scan2d", us, 9. * images.count, copy, wrong.read()[0]);
    if (is_overlapping) // each is launched before the one in front of it ends, and waits for it
        print_case(name, "... overlapped", overlapped, 9. * images.count, copy, wrong.read()[0]);
    CHECK(fast::scan2d_destroy(&plan));
    return copy / (is_overlapping ? overlapped : us);
}

static void time_scan(size_t width, size_t height) {
    Images images(width * height);
    char name[64];
    snprintf(name, sizeof name, "scan %zu x %zu", width, height);
    time_scan_of(images, 1, width, height, name);
    if (images.number == 1) // such an image alone is more than a cache holds
        return;
    snprintf(name, sizeof name, "scan %zu x %zu, cold", width, height);
    time_scan_of(images, images.number, width, height, name);
}

static void time_scans() {
    for (size_t side = 1024; side <= 16384; side *= 2)
        time_scan(side, side);
    time_scan(1280, 720);
    time_scan(1920, 1080);
    time_scan(3840, 2160);
    time_scan(12000, 9000);
    time_scan(1001, 1001);
    time_scan(1023, 1025);
    time_scan(1500, 1500);
    time_scan(2047, 2049);
    time_scan(3001, 2999);
    time_scan(4001, 3999);
    time_scan(3913, 7044);
    time_scan(8190, 8193);
    time_scan(16382, 16383);
    time_scan(16383, 16382);
}

// Sizes of which as many lie between one and two million pixels as between two and four, up to
// twice as wide as high or as high as wide; a third of them, and more, are odd in width.
static void time_random_scans(int count) {
    const double least = log(1 << 20), most = log(2.8e8);
    unsigned state = unsigned(count);
    auto draw = [&] { return (scrambled(state++) >> 8) / double(1 << 24); };
    int below = 0, widths = 0;
    double worst = 1;
    for (int i = 0; i < count; i++) {
        double pixels = exp(least + draw() * (most - least)), aspect = exp2(2 * draw() - 1);
        size_t width = size_t(sqrt(pixels * aspect)) | (i % 3 == 0);
        Images images(width * (size_t(pixels / double(width)) + 1));
        char name[64];
        snprintf(name, sizeof name, "scan %zu x %zu", width, images.count / width);
        double share = time_scan_of(images, images.number, width, images.count / width, name);
        below += share < 0.8;
        widths += width % 2;
        worst = std::min(worst, share);
    }
    printf("%d of %d sizes, %d of odd width, below 80 %% of the copy; the least: %.1f %%\n", below,
           count, widths, 100 * worst);
}

int main(int argc, char **argv) {
    pairs = argc > 1 && strcmp(argv[1], "--rotate") == 0 ? 4 : 1;
    if (argc > 1 && strcmp(argv[1], "--scans") == 0) {
        time_scans();
        return is_failed ? 1 : 0;
    }
    if (argc > 2 && strcmp(argv[1], "--random") == 0) {
        time_random_scans(atoi(argv[2]));
        return is_failed ? 1 : 0;
    }
    cublasHandle_t blas;
    if (cublasCreate(&blas) != CUBLAS_STATUS_SUCCESS) {
        fprintf(stderr, "fast: cuBLAS does not start\n");
        return 1;
    }
    time_transpose<4>(4000, 4000, blas);
    time_transpose<4>(16384, 16384, blas);
    if (pairs == 1) {
        time_transposes(blas);
        time_scans();
    }
    cublasDestroy(blas);
    return is_failed ? 1 : 0;
}
