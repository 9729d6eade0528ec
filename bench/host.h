// What both hosts share: which kernels there are, how many blocks and words each wants, the input
// and the checksum.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bench {
    const char *name;
    int side;      // the work is a square of this many words, 0: a row
    int threads;   // of a block
    int per_block; // words that a block makes (or reads: histogram)
};
static const struct bench benches[] = {
    {"matmul", 1, 1024, 1024},  {"blocked", 1, 256, 4096}, {"transpose", 1, 256, 1024},
    {"reduction", 0, 256, 256}, {"bitonic", 0, 256, 256},  {"histogram", 0, 256, 4096},
    {"stencil", 1, 256, 256},   {"scan", 0, 256, 256},     {"mandelbrot", 1, 256, 256},
    {"mixing", 0, 256, 256},    {"nbody", 0, 256, 256},
};
enum { BENCHES = sizeof benches / sizeof *benches };

static int find_bench(const char *name) {
    for (int i = 0; i < (int)BENCHES; i++)
        if (strcmp(benches[i].name, name) == 0)
            return i;
    fprintf(stderr, "no kernel %s\n", name);
    exit(2);
}

static size_t words_of(int kernel, int n) {
    return benches[kernel].side ? (size_t)n * (size_t)n : (size_t)n;
}

static void fill(float *data, size_t words) {
    unsigned state = 1;
    for (size_t i = 0; i < words; i++) {
        state = state * 1664525u + 1013904223u;
        data[i] = (float)(state >> 8) / 16777216.0f;
    }
}

static void print_sum(const float *data, size_t words) {
    double sum = 0;
    for (size_t i = 0; i < words; i++)
        sum += fabs((double)data[i]) * (double)(i % 7 + 1);
    printf("%.4e\n", sum);
}
