// Distances over edges that all threads relax at once, in no order: who comes first says which
// parent a vertex gets and how many rounds it takes, so both tell in which order warps took turns.
#include <cstdio>
#include <cuda_runtime.h>

enum { VERTICES = 512, EDGES = 5000, THREADS = 256, GRAPHS = 8, REPEATS = 10 };

__managed__ int from[EDGES], to[EDGES], distance[VERTICES], parent[VERTICES], rounds;

__global__ void relax() {
    __shared__ bool changed;
    volatile int *known = distance;
    for (bool goes_on = true; goes_on;) {
        __syncthreads();
        if (threadIdx.x == 0)
            changed = false;
        __syncthreads();
        for (int e = threadIdx.x; e < EDGES; e += THREADS) {
            const int a = from[e], b = to[e];
#pragma unroll
            for (int i = 0; i < REPEATS; i++) {
                const int longer = known[a] + 1;
                if (longer < known[b]) {
                    parent[b] = a;
                    __threadfence();
                    known[b] = longer;
                    changed = true;
                } else if (known[b] + 1 < known[a]) {
                    known[a] = known[b] + 1;
                    __threadfence();
                    parent[a] = -b;
                    changed = true;
                }
            }
        }
        __syncthreads();
        goes_on = changed;
        if (threadIdx.x == 0)
            rounds++;
    }
}

static unsigned state = 1;
static int draw(int below) {
    state = state * 1664525u + 1013904223u;
    return (int)((state >> 8) % (unsigned)below);
}

int main() {
    for (int graph = 0; graph < GRAPHS; graph++) {
        for (int e = 0; e < EDGES; e++) {
            from[e] = draw(VERTICES);
            to[e] = (from[e] + draw(5) - 1 + VERTICES) % VERTICES;
        }
        for (int v = 0; v < VERTICES; v++) {
            distance[v] = v ? VERTICES : 0;
            parent[v] = 0;
        }
        rounds = 0;
        relax<<<1, THREADS>>>();
        cudaDeviceSynchronize();
        unsigned parents = 0, distances = 0;
        for (int v = 0; v < VERTICES; v++) {
            parents = parents * 31 + (unsigned)parent[v];
            distances += (unsigned)distance[v];
        }
        printf("%u %08x, %d rounds\n", distances, parents, rounds);
    }
}
