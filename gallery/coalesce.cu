// Neighbouring lanes that want elements which are no neighbours, in global memory.
//
//     bankrun gallery/coalesce.cu
//
// What to look at: global memory moves sectors of 32 bytes. 32 lanes that want 32 floats side by
// side take four of them; at a stride of 32 bytes or more each lane takes one, and most of what is
// moved is thrown away. "chunks" gives each lane 16 elements in a row of its own, which puts
// neighbouring lanes 64 bytes apart in every step; "turns" deals the elements out like cards.
// "records" wants one member of a structure of 32 bytes; "arrays" has the members apart. "gathered"
// wants elements in the order that an index says: no arrangement suits all data. The report says of
// these three what the lanes do, how many of the sectors are in vain, and what usually helps.
//
// bankrun counts  op    requests  sectors   ideal
//   chunks        load     8,192  262,144  32,768
//   turns         load     8,192   32,768  32,768
//   records       load       512   16,384   2,048
//   arrays        load       512    2,048   2,048
//   gathered      load     1,024   18,425   4,096
#include "gallery.cuh"

constexpr unsigned THREADS = 256, EACH = 16;

struct Record {
    float mass, rest[7];
};

struct Input {
    const float *values;
    const Record *records;
    const unsigned *order;
};

// The sums of EACH elements that lie `step` apart.
__device__ float sum(const float *values, unsigned step) {
    float sum = 0;
#pragma unroll 1 // or the compiler may load several at a time
    for (unsigned k = 0; k < EACH; k++)
        sum += values[k * step];
    return sum;
}

__global__ void chunks(float *out, Input in) {
    unsigned i = blockIdx.x * THREADS + threadIdx.x;
    out[i] = sum(in.values + i * EACH, 1);
}

__global__ void turns(float *out, Input in) {
    unsigned i = blockIdx.x * THREADS + threadIdx.x;
    out[i] = sum(in.values + blockIdx.x * THREADS * EACH + threadIdx.x, THREADS);
}

__global__ void records(float *out, Input in) {
    unsigned i = blockIdx.x * THREADS + threadIdx.x;
    out[i] = in.records[i].mass;
}

__global__ void arrays(float *out, Input in) {
    unsigned i = blockIdx.x * THREADS + threadIdx.x;
    out[i] = in.values[i];
}

__global__ void gathered(float *out, Input in) {
    unsigned i = blockIdx.x * THREADS + threadIdx.x;
    out[i] = in.values[in.order[i]];
}

int main(int argc, char **argv) {
    Show show(argc, argv);
    const unsigned blocks = show.blocks(64, 16384), threads = blocks * THREADS;
    std::vector<float> values(threads * EACH), sums(threads), turned(threads), found(threads);
    std::vector<Record> structures(threads);
    std::vector<unsigned> order(threads);
    for (unsigned i = 0; i < values.size(); i++)
        values[i] = float(scrambled(i) % 1024);
    for (unsigned i = 0; i < threads; i++) {
        structures[i].mass = values[i];
        order[i] = scrambled(i) % values.size();
        found[i] = values[order[i]];
        for (unsigned k = 0; k < EACH; k++) {
            sums[i] += values[i * EACH + k];
            turned[i] += values[i / THREADS * THREADS * EACH + k * THREADS + i % THREADS];
        }
    }
    Buffer<float> memory(values), out(threads);
    Buffer<Record> records_memory(structures);
    Buffer<unsigned> order_memory(order);
    const Input in = {memory, records_memory, order_memory};
    struct {
        const char *name;
        void (*kernel)(float *, Input);
        const std::vector<float> &expected;
    } ways[] = {{"chunks", chunks, sums},
                {"turns", turns, turned},
                {"records", records, values},
                {"arrays", arrays, values},
                {"gathered", gathered, found}};
    for (auto &way : ways) {
        out.clear();
        show.kernel(
            way.name, [&] { way.kernel<<<blocks, THREADS>>>(out, in); },
            [&] { return count_wrong(out, [&](size_t i) { return way.expected[i]; }); });
    }
    return show.status();
}
