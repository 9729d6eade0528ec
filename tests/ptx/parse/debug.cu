struct S {
    void *p;
    int a;
    void (*f)(int);
};
struct __attribute__((packed)) P {
    char c;
    int *p;
    short s;
    void (*f)(int);
};
__device__ int count = 5;
__device__ int table[3][4] = {{1, 2, 3, 4}, {5, 6}};
__device__ void callee(int x) {
    count = x;
}
__device__ S record = {&count, 3, callee};
__device__ P packed = {3, &count, 7, callee};
__constant__ S records[2] = {{&table[1][2], 3, callee}};
__device__ int *pointers[2] = {&count, &table[1][1]};
__managed__ float managed = 1.5f;
__constant__ double doubles[4] = {1, 2, 3, 4};
__device__ __forceinline__ float inner(float *p, int i) {
    return p[i] * 2;
}
__device__ __forceinline__ float outer(float *p, int i) {
    return inner(p, i) + inner(p, i + 1);
}
typedef void (*fn)(int);
__global__ void __launch_bounds__(256, 2) tiles(float *p, fn f) {
    __shared__ float t[32][33];
    extern __shared__ double dyn[];
    t[threadIdx.x][threadIdx.y] = outer(p, threadIdx.x);
    __syncthreads();
    dyn[threadIdx.x] = (double)p[threadIdx.y] + doubles[threadIdx.x];
    p[threadIdx.x] = t[threadIdx.y][threadIdx.x] + dyn[threadIdx.y] + packed.c;
    if (f)
        f(3);
    switch (count) {
    case 0:
        p[1] = 3;
        break;
    case 1:
        p[2] = 9;
        break;
    case 2:
        p[3] = 8;
        break;
    case 3:
        p[0] = 1;
        break;
    case 4:
        p[8] = 3;
        break;
    case 5:
        p[8] = 1;
        break;
    case 6:
        p[18] = 9;
        break;
    default:
        callee(3);
    }
    (*record.f)(records[threadIdx.x & 1].a);
    *pointers[threadIdx.x & 1] = managed;
}
