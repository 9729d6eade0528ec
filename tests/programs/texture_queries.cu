// What txq and istypep say of textures.
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

__global__ void ask(cudaTextureObject_t t, int *out) {
    int level = 1;
#define ASK(n, what)                                                                               \
    asm volatile("txq." what ".b32 %0, [%1];" : "=r"(out[n]) : "l"(t));                            \
    asm volatile("txq.level." what ".b32 %0, [%1], %2;" : "=r"(out[n + 3]) : "l"(t), "r"(level));
    ASK(0, "width")
    ASK(1, "height") ASK(2, "depth")
#undef ASK
        asm volatile("{.reg .pred p; istypep.texref p, %1; selp.s32 %0, 1, 0, p;}"
                     : "=r"(out[6])
                     : "l"(t));
}

static int *out;

static void show(const char *name, const cudaResourceDesc *r, int levels) {
    cudaTextureDesc d = {};
    d.normalizedCoords = levels > 1;
    d.maxMipmapLevelClamp = (float)(levels - 1);
    cudaTextureObject_t t;
    CHECK(cudaCreateTextureObject(&t, r, &d, nullptr));
    ask<<<1, 1>>>(t, out);
    int got[7];
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    printf("%-6s", name);
    for (int n : got)
        printf(" %d", n);
    printf("\n");
    CHECK(cudaDestroyTextureObject(t));
}

int main() {
    CHECK(cudaMalloc(&out, 64));
    static const struct {
        const char *name;
        int w, h, d, levels;
        unsigned flags;
    } shapes[] = {
        {"1d", 40, 0, 0, 1, 0},
        {"2d", 40, 30, 0, 1, 0},
        {"3d", 40, 30, 20, 1, 0},
        {"a1d", 40, 0, 5, 1, cudaArrayLayered},
        {"a2d", 40, 30, 5, 1, cudaArrayLayered},
        {"cube", 16, 16, 6, 1, cudaArrayCubemap},
        {"acube", 16, 16, 18, 1, cudaArrayCubemap | cudaArrayLayered},
        {"2d", 40, 30, 0, 4, 0},
        {"3d", 40, 30, 20, 5, 0},
    };
    for (auto &s : shapes) {
        cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
        cudaResourceDesc r = {};
        cudaArray_t array = nullptr;
        cudaMipmappedArray_t mipmap = nullptr;
        cudaExtent extent = make_cudaExtent(s.w, s.h, s.d);
        if (s.levels > 1) {
            CHECK(cudaMallocMipmappedArray(&mipmap, &desc, extent, s.levels, s.flags));
            r.resType = cudaResourceTypeMipmappedArray;
            r.res.mipmap.mipmap = mipmap;
        } else {
            CHECK(cudaMalloc3DArray(&array, &desc, extent, s.flags));
            r.resType = cudaResourceTypeArray;
            r.res.array.array = array;
        }
        show(s.name, &r, s.levels);
        CHECK(cudaFreeArray(array));
        CHECK(cudaFreeMipmappedArray(mipmap));
    }
    float *memory;
    CHECK(cudaMalloc(&memory, 8192));
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = memory;
    r.res.linear.desc = cudaCreateChannelDesc<float2>();
    r.res.linear.sizeInBytes = 804;
    show("memory", &r, 1);
    return 0;
}
