// Several arrays in one piece of dynamic shared memory, whose size the launch decides.
//
//     bankrun gallery/dynamic.cu
//
// What to look at: "records" keeps the fields of a particle together, 12 bytes of position and 4 of
// charge: each field is read at a stride of four words, 4-way. "arrays" puts the same fields into
// four arrays one after the other in the same memory: free. To bankrun both are one array,
// "memory"; the lines tell the accesses apart.
//
// bankrun counts       op     array   requests  wavefronts  ideal  degree
//   interact<Records>  store  memory        64         256     64       4
//   interact<Records>  load   memory        64         256     64       4
//   interact<Arrays>   load   memory        64          64     64       1
#include "gallery.cuh"

constexpr int THREADS = 128;

struct Records {
    static __device__ int place(int particle, int field) {
        return 4 * particle + field;
    }
};

struct Arrays {
    static __device__ int place(int particle, int field) {
        return field * THREADS + particle;
    }
};

extern __shared__ float memory[];

// What all particles of the block do to each, as sums of whole numbers.
template <class Layout> __global__ void interact(float *out, const float *in) {
    int t = threadIdx.x, own = (t * 7 + 3) % THREADS;
    in += blockIdx.x * THREADS * 4;
#pragma unroll 1
    for (int field = 0; field < 4; field++)
        memory[Layout::place(t, field)] = in[t * 4 + field];
    __syncthreads();
    float sum = 0;
#pragma unroll 1
    for (int field = 0; field < 4; field++)
        sum += memory[Layout::place(own, field)] * (field + 1);
    out[blockIdx.x * THREADS + t] = sum;
}

int main(int argc, char **argv) {
    Show show(argc, argv);
    unsigned blocks = show.blocks(4, 65536);
    std::vector<float> values(blocks * THREADS * 4);
    for (unsigned i = 0; i < values.size(); i++)
        values[i] = float(scrambled(i) % 1000);
    Buffer<float> in(values), out(blocks * THREADS);
    auto wrong = [&] {
        size_t count = count_wrong(out, [&](size_t i) {
            const float *at =
                &values[(i / THREADS * THREADS + (i % THREADS * 7 + 3) % THREADS) * 4];
            return at[0] + 2 * at[1] + 3 * at[2] + 4 * at[3];
        });
        out.clear();
        return count;
    };
    size_t bytes = 4 * THREADS * sizeof(float);
    show.kernel(
        "records", [&] { interact<Records><<<blocks, THREADS, bytes>>>(out, in); }, wrong);
    show.kernel(
        "arrays", [&] { interact<Arrays><<<blocks, THREADS, bytes>>>(out, in); }, wrong);
    return show.status();
}
