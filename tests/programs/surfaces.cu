// Surfaces: every geometry and element size, reads and writes, the boundary modes, formatted
// stores and reductions.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t error_ = (call);                                                               \
        if (error_ != cudaSuccess) {                                                               \
            printf("%s: %s\n", #call, cudaGetErrorName(error_));                                   \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

struct Surface {
    cudaArray_t array;
    cudaSurfaceObject_t object;
    cudaExtent extent;
    size_t texel;
};

static Surface make(int bits, int channels, cudaChannelFormatKind kind, int w, int h, int d,
                    unsigned flags) {
    Surface s;
    cudaChannelFormatDesc desc = cudaCreateChannelDesc(
        bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0, channels > 2 ? bits : 0, kind);
    s.extent = make_cudaExtent(w, h, d);
    s.texel = (size_t)bits / 8 * channels;
    CHECK(cudaMalloc3DArray(&s.array, &desc, s.extent, flags | cudaArraySurfaceLoadStore));
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = s.array;
    CHECK(cudaCreateSurfaceObject(&s.object, &r));
    size_t rows = h ? h : 1, slices = d ? d : 1;
    std::vector<unsigned char> data(s.texel * w * rows * slices);
    for (size_t i = 0; i < data.size(); i++)
        data[i] = (unsigned char)(i * 7 + (i >> 5) + 1);
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(data.data(), s.texel * w, w, rows);
    p.dstArray = s.array;
    p.extent = make_cudaExtent(w, rows, slices);
    p.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&p));
    return s;
}

static void show(const char *name, const Surface &s) {
    size_t rows = s.extent.height ? s.extent.height : 1,
           slices = s.extent.depth ? s.extent.depth : 1;
    std::vector<unsigned char> data(s.texel * s.extent.width * rows * slices);
    cudaMemcpy3DParms p = {};
    p.dstPtr = make_cudaPitchedPtr(data.data(), s.texel * s.extent.width, s.extent.width, rows);
    p.srcArray = s.array;
    p.extent = make_cudaExtent(s.extent.width, rows, slices);
    p.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&p));
    unsigned long long sum = 0;
    for (size_t i = 0; i < data.size(); i++)
        sum = sum * 31 + data[i];
    printf("%s: %016llx", name, sum);
    for (size_t i = 0; i < 24 && i < data.size(); i++)
        printf(" %02x", data[i]);
    printf("\n");
}

static void drop(Surface *s) {
    CHECK(cudaDestroySurfaceObject(s->object));
    CHECK(cudaFreeArray(s->array));
}

// Each thread reads outside on purpose and writes what it read somewhere else.
template <typename T>
__global__ void modes(cudaSurfaceObject_t s, int width, int height, unsigned *out) {
    int x = (int)threadIdx.x - 4, y = (int)blockIdx.x - 3;
    T zero = surf2Dread<T>(s, x * (int)sizeof(T), y, cudaBoundaryModeZero);
    T edge = surf2Dread<T>(s, x * (int)sizeof(T), y, cudaBoundaryModeClamp);
    unsigned a = 0, b = 0;
    for (size_t i = 0; i < sizeof(T); i++) {
        a = a * 31 + reinterpret_cast<unsigned char *>(&zero)[i];
        b = b * 31 + reinterpret_cast<unsigned char *>(&edge)[i];
    }
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[2 * i] = a;
    out[2 * i + 1] = b;
    if (x >= 0 && x < width && y >= 0 && y < height) {
        T inside = surf2Dread<T>(s, x * (int)sizeof(T), y);
        if ((x ^ y) & 1)
            surf2Dwrite(inside, s, x * (int)sizeof(T), y);
    } else if (y == height + 1) {
        surf2Dwrite(edge, s, x * (int)sizeof(T), y, cudaBoundaryModeZero); // goes nowhere
    }
}

__global__ void clamp_write(cudaSurfaceObject_t s) {
    surf2Dwrite(0x01020304u, s, -40, -3, cudaBoundaryModeClamp);
    surf2Dwrite(0x05060708u, s, 4000, 1000, cudaBoundaryModeClamp);
    surf2Dwrite(0x090a0b0cu, s, 8, 1000, cudaBoundaryModeClamp);
}

template <typename T> static void run_modes(const char *name, int bits, int channels) {
    const int w = 9, h = 5, tx = w + 8, ty = h + 6;
    Surface s = make(bits, channels, cudaChannelFormatKindUnsigned, w, h, 0, 0);
    unsigned *out;
    CHECK(cudaMalloc(&out, tx * ty * 8));
    modes<T><<<ty, tx>>>(s.object, w, h, out);
    CHECK(cudaDeviceSynchronize());
    std::vector<unsigned> got(tx * ty * 2);
    CHECK(cudaMemcpy(got.data(), out, got.size() * 4, cudaMemcpyDeviceToHost));
    printf("%s:\n", name);
    for (int y = 0; y < ty; y++) {
        for (int x = 0; x < 2 * tx; x++)
            printf(" %x", got[y * 2 * tx + x]);
        printf("\n");
    }
    show(name, s);
    CHECK(cudaFree(out));
    drop(&s);
}

__global__ void geometries(cudaSurfaceObject_t s1, cudaSurfaceObject_t s3, cudaSurfaceObject_t a1,
                           cudaSurfaceObject_t a2, cudaSurfaceObject_t cube,
                           cudaSurfaceObject_t acube) {
    int i = (int)threadIdx.x;
    unsigned v = surf1Dread<unsigned>(s1, 4 * i);
    __syncwarp();
    surf1Dwrite(v ^ 0xffu, s1, 4 * (15 - i));
    for (int z = 0; z < 4; z++)
        for (int y = 0; y < 5; y++)
            if (i < 6)
                surf3Dwrite(surf3Dread<unsigned>(s3, 4 * i, y, z) +
                                (unsigned)(i + 10 * y + 100 * z),
                            s3, 4 * i, y, z);
    surf3Dwrite(7u, s3, 4 * i, 2, i, cudaBoundaryModeZero);
    for (int l = 0; l < 3; l++) {
        surf1DLayeredwrite(surf1DLayeredread<unsigned>(a1, 4 * i, l) * 3u, a1, 4 * i, l);
        for (int y = 0; y < 4; y++)
            if (i < 8)
                surf2DLayeredwrite(surf2DLayeredread<unsigned>(a2, 4 * i, y, l) * 5u, a2, 4 * i, y,
                                   l);
    }
    surf2DLayeredwrite(9u, a2, 4 * i, 1, 7, cudaBoundaryModeZero);
    surf2DLayeredwrite(0xabcdu, a2, 4 * (i & 7), 0, 17, cudaBoundaryModeClamp);
    for (int f = 0; f < 6; f++)
        if (i < 4) {
            surfCubemapwrite(surfCubemapread<unsigned>(cube, 4 * i, i, f) + (unsigned)f, cube,
                             4 * i, i, f);
            surfCubemapLayeredwrite(surfCubemapLayeredread<unsigned>(acube, 4 * i, i, f + 6) +
                                        (unsigned)f,
                                    acube, 4 * i, 3 - i, f + 6);
        }
}

static void run_geometries() {
    const cudaChannelFormatKind u = cudaChannelFormatKindUnsigned;
    Surface s1 = make(32, 1, u, 16, 0, 0, 0), s3 = make(32, 1, u, 6, 5, 4, 0);
    Surface a1 = make(32, 1, u, 16, 0, 3, cudaArrayLayered);
    Surface a2 = make(32, 1, u, 8, 4, 3, cudaArrayLayered);
    Surface cube = make(32, 1, u, 4, 4, 6, cudaArrayCubemap);
    Surface acube = make(32, 1, u, 4, 4, 12, cudaArrayCubemap | cudaArrayLayered);
    geometries<<<1, 16>>>(s1.object, s3.object, a1.object, a2.object, cube.object, acube.object);
    CHECK(cudaDeviceSynchronize());
    show("1d", s1), show("3d", s3), show("a1d", a1), show("a2d", a2), show("cube", cube),
        show("acube", acube);
    drop(&s1), drop(&s3), drop(&a1), drop(&a2), drop(&cube), drop(&acube);
}

// sust.p converts to the surface's format.
__global__ void formatted(cudaSurfaceObject_t s, const unsigned *from, int count) {
    for (int i = 0; i < count; i++) {
        const unsigned *v = from + 4 * i;
        asm volatile("sust.p.2d.v4.b32.trap [%0, {%1, %2}], {%3, %4, %5, %6};" ::"l"(s), "r"(i % 8),
                     "r"(i / 8), "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3])
                     : "memory");
    }
    asm volatile("sust.p.2d.v4.b32.zero [%0, {%1, %2}], {%1, %2, %1, %2};" ::"l"(s), "r"(8), "r"(0)
                 : "memory");
    asm volatile("sust.p.2d.b32.clamp [%0, {%1, %2}], {%3};" ::"l"(s), "r"(100), "r"(100), "r"(5)
                 : "memory");
}

static void run_formatted() {
    static const struct {
        const char *name;
        int bits, channels;
        cudaChannelFormatKind kind;
    } formats[] = {{"u8x4", 8, 4, cudaChannelFormatKindUnsigned},
                   {"s8x4", 8, 4, cudaChannelFormatKindSigned},
                   {"u16x2", 16, 2, cudaChannelFormatKindUnsigned},
                   {"s16x4", 16, 4, cudaChannelFormatKindSigned},
                   {"u32x1", 32, 1, cudaChannelFormatKindUnsigned},
                   {"s32x4", 32, 4, cudaChannelFormatKindSigned},
                   {"f16x4", 16, 4, cudaChannelFormatKindFloat},
                   {"f16x1", 16, 1, cudaChannelFormatKindFloat},
                   {"f32x4", 32, 4, cudaChannelFormatKindFloat},
                   {"f32x2", 32, 2, cudaChannelFormatKindFloat},
                   {"u8x1", 8, 1, cudaChannelFormatKindUnsigned}};
    static const unsigned values[4 * 16] = {
        0,          1,          2,          3,          255,        256,        257,
        300,        0xffffffff, 0xffffff00, 0xffffff80, 0xffffff7f, 127,        128,
        65535,      65536,      0x7fffffff, 0x80000000, 0x80000001, 0xfffeffff, 32767,
        32768,      0xffff8000, 0xffff7fff, 0x3f800000, 0x3f7fffff, 0xbf800000, 0x3f000000,
        0x40000000, 0x477fe000, 0x477ff000, 0x7f800000, 0x7fc00000, 0xff800000, 0x33800000,
        0x33000001, 0x387fc000, 0x3f802000, 0x3f801000, 0x3f803000, 0x477fefff, 0xc77ff000,
        0x00000123, 0x38000001, 0x3f801001, 0x3f802fff, 0x7fa12345, 0xffffffff};
    unsigned *from;
    CHECK(cudaMalloc(&from, sizeof values));
    CHECK(cudaMemcpy(from, values, sizeof values, cudaMemcpyHostToDevice));
    for (auto &f : formats) {
        Surface s = make(f.bits, f.channels, f.kind, 8, 2, 0, 0);
        formatted<<<1, 1>>>(s.object, from, 16);
        CHECK(cudaDeviceSynchronize());
        std::vector<unsigned char> data(s.texel * 16);
        CHECK(cudaMemcpy2DFromArray(data.data(), s.texel * 8, s.array, 0, 0, s.texel * 8, 2,
                                    cudaMemcpyDeviceToHost));
        printf("sust.p %s:", f.name);
        for (unsigned char c : data)
            printf(" %02x", c);
        printf("\n");
        drop(&s);
    }
    CHECK(cudaFree(from));
}

__global__ void reduce(cudaSurfaceObject_t s) {
    int x = (int)threadIdx.x % 8, i = (int)threadIdx.x;
    asm volatile("sured.b.add.2d.u32.trap [%0, {%1, %2}], %3;" ::"l"(s), "r"(4 * x), "r"(0), "r"(i)
                 : "memory");
    asm volatile("sured.b.min.2d.s32.trap [%0, {%1, %2}], %3;" ::"l"(s), "r"(4 * x), "r"(1),
                 "r"(5 - i)
                 : "memory");
    asm volatile("sured.b.max.2d.u32.trap [%0, {%1, %2}], %3;" ::"l"(s), "r"(4 * x), "r"(2),
                 "r"(i * 0x10000000)
                 : "memory");
    asm volatile("sured.b.and.2d.b32.trap [%0, {%1, %2}], %3;" ::"l"(s), "r"(4 * x), "r"(3),
                 "r"(~(1 << i))
                 : "memory");
    asm volatile("sured.b.or.2d.b32.zero [%0, {%1, %2}], %3;" ::"l"(s), "r"(4 * x), "r"(4),
                 "r"(1 << i)
                 : "memory");
    asm volatile("sured.b.or.2d.b32.zero [%0, {%1, %2}], %3;" ::"l"(s), "r"(4 * x), "r"(40),
                 "r"(1 << i)
                 : "memory");
    asm volatile("sured.p.add.2d.b32.clamp [%0, {%1, %2}], %3;" ::"l"(s), "r"(x), "r"(5), "r"(1)
                 : "memory");
    asm volatile("sured.b.add.2d.u32.clamp [%0, {%1, %2}], %3;" ::"l"(s), "r"(4000), "r"(50), "r"(1)
                 : "memory");
}

static void run_reductions() {
    Surface s = make(32, 1, cudaChannelFormatKindUnsigned, 8, 7, 0, 0);
    reduce<<<1, 32>>>(s.object);
    CHECK(cudaDeviceSynchronize());
    std::vector<unsigned> data(56);
    CHECK(cudaMemcpy2DFromArray(data.data(), 32, s.array, 0, 0, 32, 7, cudaMemcpyDeviceToHost));
    for (int y = 0; y < 7; y++) {
        printf("sured %d:", y);
        for (int x = 0; x < 8; x++)
            printf(" %08x", data[8 * y + x]);
        printf("\n");
    }
    drop(&s);
}

int main() {
    run_modes<unsigned char>("u8", 8, 1);
    run_modes<ushort2>("u16x2", 16, 2);
    run_modes<uint4>("u32x4", 32, 4);
    run_modes<uint2>("u32x2", 32, 2);
    Surface s = make(32, 1, cudaChannelFormatKindUnsigned, 8, 4, 0, 0);
    clamp_write<<<1, 1>>>(s.object);
    CHECK(cudaDeviceSynchronize());
    show("clamp", s);
    drop(&s);
    run_geometries();
    run_reductions();
    run_formatted();
    return 0;
}
