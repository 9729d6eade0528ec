// What the programs of the gallery share: checked calls, buffers, and a line for each kernel.
#ifndef GALLERY_CUH
#define GALLERY_CUH

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t error = (call);                                                                \
        if (error != cudaSuccess) {                                                                \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,                          \
                    cudaGetErrorString(error));                                                    \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

// An array in device memory; starts as bytes of 0xff, or as a copy.
template <class T> class Buffer {
  public:
    explicit Buffer(size_t count) : count(count) {
        CHECK(cudaMalloc(&memory, count * sizeof(T)));
        clear();
    }
    explicit Buffer(const std::vector<T> &values) : Buffer(values.size()) {
        CHECK(cudaMemcpy(memory, values.data(), count * sizeof(T), cudaMemcpyHostToDevice));
    }
    Buffer(const Buffer &) = delete;
    ~Buffer() {
        cudaFree(memory);
    }
    void clear() {
        CHECK(cudaMemset(memory, 0xff, count * sizeof(T)));
    }
    std::vector<T> read() const {
        std::vector<T> values(count);
        CHECK(cudaMemcpy(values.data(), memory, count * sizeof(T), cudaMemcpyDeviceToHost));
        return values;
    }
    operator T *() const {
        return memory;
    }

  private:
    T *memory = nullptr;
    size_t count;
};

// Numbers that look random and are the same everywhere.
inline unsigned scrambled(unsigned index) {
    index = (index ^ index >> 16) * 0x7feb352du;
    index = (index ^ index >> 15) * 0x846ca68bu;
    return index ^ index >> 16;
}

// Without arguments a program runs few blocks, so that it is quick without a GPU; with --time it
// runs many, and prints how long each kernel took.
class Show {
  public:
    Show(int argc, char **argv) : is_timed(argc > 1 && strcmp(argv[1], "--time") == 0) {
        if (argc > 1 + is_timed) {
            fprintf(stderr, "usage: %s [--time]\n", argv[0]);
            exit(2);
        }
    }
    unsigned blocks(unsigned few, unsigned many) const {
        return is_timed ? many : few;
    }
    // Launches once, asks how many results are wrong, says so, and takes the time.
    template <class Launch, class CountWrong>
    void kernel(const char *name, Launch launch, CountWrong count_wrong) {
        launch();
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
        size_t wrong = count_wrong();
        is_failed |= wrong != 0;
        printf("%-24s %s", name, wrong ? "FAIL" : "PASS");
        if (wrong)
            printf("  %zu results are wrong", wrong);
        if (is_timed)
            printf("  %.2f us", median_us(launch));
        printf("\n");
    }
    int status() const {
        return is_failed ? 1 : 0;
    }

  private:
    // Ten launches back to back at a time, and as many before as it takes to wake the GPU up.
    template <class Launch> static double median_us(Launch launch) {
        enum { ROUNDS = 9, LAUNCHES = 10, WAKE_MS = 30 };
        cudaEvent_t begin, end;
        CHECK(cudaEventCreate(&begin));
        CHECK(cudaEventCreate(&end));
        auto round = [&] {
            CHECK(cudaEventRecord(begin));
            for (int i = 0; i < LAUNCHES; i++)
                launch();
            CHECK(cudaEventRecord(end));
            CHECK(cudaEventSynchronize(end));
            float ms;
            CHECK(cudaEventElapsedTime(&ms, begin, end));
            return ms;
        };
        for (float ms = 0; ms < WAKE_MS;)
            ms += round();
        std::vector<double> times;
        for (int i = 0; i < ROUNDS; i++)
            times.push_back(1e3 * round() / LAUNCHES);
        CHECK(cudaEventDestroy(begin));
        CHECK(cudaEventDestroy(end));
        std::sort(times.begin(), times.end());
        return times[ROUNDS / 2];
    }

    bool is_timed, is_failed = false;
};

// How many elements differ from expected(index).
template <class T, class Expected> size_t count_wrong(const Buffer<T> &buffer, Expected expected) {
    std::vector<T> values = buffer.read();
    size_t wrong = 0;
    for (size_t i = 0; i < values.size(); i++)
        wrong += values[i] != T(expected(i));
    return wrong;
}

#endif
