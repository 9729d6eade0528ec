// What suq says of surfaces: texels, not bytes, and layers as txq counts them.
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t error_ = (call);                                                               \
        if (error_ != cudaSuccess) {                                                               \
            printf("%s: %s\n", #call, cudaGetErrorName(error_));                                   \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

__global__ void ask(cudaSurfaceObject_t s, int *out) {
    asm volatile("suq.width.b32 %0, [%1];" : "=r"(out[0]) : "l"(s));
    asm volatile("suq.height.b32 %0, [%1];" : "=r"(out[1]) : "l"(s));
    asm volatile("suq.depth.b32 %0, [%1];" : "=r"(out[2]) : "l"(s));
}

static void show(const char *name, cudaExtent extent, unsigned flags, cudaChannelFormatDesc desc) {
    static int *out;
    if (!out)
        CHECK(cudaMalloc(&out, 3 * sizeof *out));
    cudaArray_t array;
    CHECK(cudaMalloc3DArray(&array, &desc, extent, flags | cudaArraySurfaceLoadStore));
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    cudaSurfaceObject_t surface;
    CHECK(cudaCreateSurfaceObject(&surface, &r));
    ask<<<1, 1>>>(surface, out);
    int got[3];
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    printf("%-5s %d bits a texel: %d %d %d\n", name, desc.x + desc.y + desc.z + desc.w, got[0],
           got[1], got[2]);
    CHECK(cudaDestroySurfaceObject(surface));
    CHECK(cudaFreeArray(array));
}

int main() {
    const cudaChannelFormatDesc formats[] = {cudaCreateChannelDesc<unsigned char>(),
                                             cudaCreateChannelDesc<short2>(),
                                             cudaCreateChannelDesc<float4>()};
    for (const cudaChannelFormatDesc &format : formats) {
        show("1d", make_cudaExtent(40, 0, 0), 0, format);
        show("2d", make_cudaExtent(40, 30, 0), 0, format);
        show("3d", make_cudaExtent(40, 30, 20), 0, format);
        show("a1d", make_cudaExtent(40, 0, 5), cudaArrayLayered, format);
        show("a2d", make_cudaExtent(40, 30, 5), cudaArrayLayered, format);
        show("cube", make_cudaExtent(16, 16, 6), cudaArrayCubemap, format);
        show("acube", make_cudaExtent(16, 16, 18), cudaArrayCubemap | cudaArrayLayered, format);
    }
    return 0;
}
