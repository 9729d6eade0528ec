// The kernels of the comparison, once for CUDA and OpenCL: the includer defines KERNEL, GLOBAL,
// LOCAL, THREAD, BLOCK, SYNC and ADD. Each block is of 256 threads in a row,
// that of matmul of 1024; buffers are of 32-bit
// words, floats among them.
#define TILE 32

KERNEL(matmul)(GLOBAL const float *a, GLOBAL const float *b, GLOBAL float *out, int n) {
    LOCAL float left[TILE][TILE], right[TILE][TILE];
    int x = THREAD % TILE, y = THREAD / TILE, tiles = n / TILE;
    int column = BLOCK % tiles * TILE + x, row = BLOCK / tiles * TILE + y;
    float sum = 0;
    for (int t = 0; t < n; t += TILE) {
        left[y][x] = a[row * n + t + x];
        right[y][x] = b[(t + y) * n + column];
        SYNC;
        for (int k = 0; k < TILE; k++)
            sum += left[y][k] * right[k][x];
        SYNC;
    }
    out[row * n + column] = sum;
}

// Each thread makes 4x4 results of a 64x64 tile.
KERNEL(blocked)(GLOBAL const float *a, GLOBAL const float *b, GLOBAL float *out, int n) {
    LOCAL float left[16][64], right[16][64];
    int x = THREAD % 16, y = THREAD / 16, tiles = n / 64;
    int column = BLOCK % tiles * 64, row = BLOCK / tiles * 64;
    float sum[4][4];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            sum[i][j] = 0;
    for (int t = 0; t < n; t += 16) {
        for (int i = 0; i < 4; i++) {
            left[x][y + 16 * i] = a[(row + y + 16 * i) * n + t + x];
            right[y][x + 16 * i] = b[(t + y) * n + column + x + 16 * i];
        }
        SYNC;
        for (int k = 0; k < 16; k++)
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    sum[i][j] += left[k][y * 4 + i] * right[k][x + 16 * j];
        SYNC;
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            out[(row + y * 4 + i) * n + column + x + 16 * j] = sum[i][j];
}

KERNEL(transpose)(GLOBAL const float *a, GLOBAL const float *b, GLOBAL float *out, int n) {
    LOCAL float tile[32][32];
    int x = THREAD % 32, y = THREAD / 32, tiles = n / 32;
    int column = BLOCK % tiles * 32, row = BLOCK / tiles * 32;
    for (int i = y; i < 32; i += 8)
        tile[i][x] = a[(row + i) * n + column + x];
    SYNC;
    for (int i = y; i < 32; i += 8)
        out[(column + i) * n + row + x] = tile[x][i];
}

KERNEL(reduction)(GLOBAL const float *a, GLOBAL const float *b, GLOBAL float *out, int n) {
    LOCAL float part[256];
    int t = THREAD;
    part[t] = a[BLOCK * 256 + t];
    SYNC;
    for (int step = 128; step > 0; step /= 2) {
        if (t < step)
            part[t] += part[t + step];
        SYNC;
    }
    if (t == 0)
        out[BLOCK] = part[0];
}

// Sorts each 256 words.
KERNEL(bitonic)(GLOBAL const float *a, GLOBAL const float *b, GLOBAL float *out, int n) {
    LOCAL float part[256];
    int t = THREAD;
    part[t] = a[BLOCK * 256 + t];
    SYNC;
    for (int size = 2; size <= 256; size *= 2)
        for (int step = size / 2; step > 0; step /= 2) {
            int other = t ^ step;
            if (other > t) {
                float p = part[t], q = part[other];
                if ((p > q) == ((t & size) == 0)) {
                    part[t] = q;
                    part[other] = p;
                }
            }
            SYNC;
        }
    out[BLOCK * 256 + t] = part[t];
}

KERNEL(histogram)(GLOBAL const float *a, GLOBAL const float *b, GLOBAL float *out, int n) {
    LOCAL int bins[256];
    int t = THREAD;
    bins[t] = 0;
    SYNC;
    for (int i = 0; i < 16; i++)
        ADD(&bins[(int)(a[(BLOCK * 16 + i) * 256 + t] * 255.0f) & 255], 1);
    SYNC;
    out[BLOCK * 256 + t] = (float)bins[t];
}

KERNEL(stencil)(GLOBAL const float *a, GLOBAL const float *b, GLOBAL float *out, int n) {
    int i = BLOCK * 256 + THREAD, x = i % n, y = i / n;
    float value = a[i];
    if (x > 0 && x < n - 1 && y > 0 && y < n - 1)
        value = 0.2f * (value + a[i - 1] + a[i + 1] + a[i - n] + a[i + n]);
    out[i] = value;
}

// Sums of each 256 words up to each of them.
KERNEL(scan)(GLOBAL const float *a, GLOBAL const float *b, GLOBAL float *out, int n) {
    LOCAL float part[256];
    int t = THREAD;
    part[t] = a[BLOCK * 256 + t];
    SYNC;
    for (int step = 1; step < 256; step *= 2) {
        float add = t >= step ? part[t - step] : 0;
        SYNC;
        part[t] += add;
        SYNC;
    }
    out[BLOCK * 256 + t] = part[t];
}

KERNEL(mandelbrot)(GLOBAL const float *a, GLOBAL const float *b, GLOBAL float *out, int n) {
    int i = BLOCK * 256 + THREAD, turns = 0;
    float u = 3.0f * (float)(i % n) / (float)n - 2.0f, v = 2.0f * (float)(i / n) / (float)n - 1.0f;
    float x = 0, y = 0;
    while (turns < 200 && x * x + y * y < 4) {
        float next = x * x - y * y + u;
        y = 2 * x * y + v;
        x = next;
        turns++;
    }
    out[i] = (float)turns;
}

// Rounds of adds, exclusive ors and rotations.
KERNEL(mixing)(GLOBAL const float *a, GLOBAL const float *b, GLOBAL float *out, int n) {
    unsigned i = (unsigned)(BLOCK * 256 + THREAD), p = i, q = i ^ 0x9e3779b9u, r = ~i, s = 7u * i;
    for (int round = 0; round < 64; round++) {
        p += q;
        s ^= p;
        s = s << 16 | s >> 16;
        r += s;
        q ^= r;
        q = q << 12 | q >> 20;
        p += q ^ (r & s) ^ (~r & p);
    }
    out[i] = (float)((p ^ q ^ r ^ s) & 0xffffu);
}

KERNEL(nbody)(GLOBAL const float *a, GLOBAL const float *b, GLOBAL float *out, int n) {
    LOCAL float x[256], y[256];
    int i = BLOCK * 256 + THREAD;
    float own_x = a[i], own_y = b[i], force = 0;
    for (int tile = 0; tile < n; tile += 256) {
        x[THREAD] = a[tile + THREAD];
        y[THREAD] = b[tile + THREAD];
        SYNC;
        for (int k = 0; k < 256; k++) {
            float dx = x[k] - own_x, dy = y[k] - own_y;
            force += dx / (dx * dx + dy * dy + 0.01f);
        }
        SYNC;
    }
    out[i] = force;
}
