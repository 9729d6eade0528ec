// Error codes of arrays, textures and surfaces.
#include <cstdio>
#include <cstring>

#define SAY(call)                                                                                  \
    do {                                                                                           \
        cudaError_t error_ = (call);                                                               \
        printf("%3d %s\n", __LINE__, cudaGetErrorName(error_));                                    \
        fflush(stdout);                                                                            \
        cudaGetLastError();                                                                        \
    } while (0)

static cudaChannelFormatDesc channel(int x, int y, int z, int w, cudaChannelFormatKind k) {
    return cudaCreateChannelDesc(x, y, z, w, k);
}

static void arrays() {
    cudaArray_t a = nullptr;
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>(), d;
    SAY(cudaMallocArray(nullptr, &f, 8, 8));
    SAY(cudaMallocArray(&a, nullptr, 8, 8));
    SAY(cudaMallocArray(&a, &f, 0, 0));
    printf("%d\n", a == nullptr);
    SAY(cudaMallocArray(&a, &f, 0, 8));
    printf("%d\n", a == nullptr);
    for (int bits : {4, 8, 12, 16, 24, 32, 64}) {
        d = channel(bits, 0, 0, 0, cudaChannelFormatKindUnsigned);
        SAY(cudaMallocArray(&a, &d, 8, 8));
        d = channel(bits, 0, 0, 0, cudaChannelFormatKindFloat);
        SAY(cudaMallocArray(&a, &d, 8, 8));
    }
    d = channel(8, 8, 8, 0, cudaChannelFormatKindUnsigned);
    SAY(cudaMallocArray(&a, &d, 8, 8));
    d = channel(8, 16, 0, 0, cudaChannelFormatKindUnsigned);
    SAY(cudaMallocArray(&a, &d, 8, 8));
    d = channel(0, 0, 0, 0, cudaChannelFormatKindUnsigned);
    SAY(cudaMallocArray(&a, &d, 8, 8));
    d = channel(8, 0, 8, 0, cudaChannelFormatKindUnsigned);
    SAY(cudaMallocArray(&a, &d, 8, 8));
    d = channel(32, 0, 0, 0, cudaChannelFormatKindNone);
    SAY(cudaMallocArray(&a, &d, 8, 8));
    d = channel(32, 0, 0, 0, (cudaChannelFormatKind)77);
    SAY(cudaMallocArray(&a, &d, 8, 8));
    SAY(cudaMallocArray(&a, &f, 200000, 8));
    SAY(cudaMallocArray(&a, &f, 8, 200000));
    SAY(cudaMallocArray(&a, &f, 131072, 0));
    SAY(cudaMallocArray(&a, &f, 131073, 0));
    SAY(cudaMallocArray(&a, &f, 8, 8, 0x1000));
    SAY(cudaMallocArray(&a, &f, 8, 8, cudaArrayLayered));
    SAY(cudaMallocArray(&a, &f, 8, 8, cudaArrayCubemap));
    SAY(cudaMallocArray(&a, &f, 8, 0, cudaArrayTextureGather));
    SAY(cudaMalloc3DArray(&a, &f, make_cudaExtent(8, 8, 0), cudaArrayLayered));
    SAY(cudaMalloc3DArray(&a, &f, make_cudaExtent(8, 0, 3), 0));
    SAY(cudaMalloc3DArray(&a, &f, make_cudaExtent(8, 8, 5), cudaArrayCubemap));
    SAY(cudaMalloc3DArray(&a, &f, make_cudaExtent(8, 9, 6), cudaArrayCubemap));
    SAY(cudaMalloc3DArray(&a, &f, make_cudaExtent(8, 8, 7), cudaArrayCubemap | cudaArrayLayered));
    SAY(cudaMalloc3DArray(&a, &f, make_cudaExtent(8, 8, 3000), cudaArrayLayered));
    SAY(cudaMalloc3DArray(&a, &f, make_cudaExtent(8, 8, 20000), 0));
    SAY(cudaMalloc3DArray(&a, &f, make_cudaExtent(8, 8, 8), cudaArrayTextureGather));
    SAY(cudaFreeArray(nullptr));
    SAY(cudaFreeMipmappedArray(nullptr));
    cudaMipmappedArray_t m = nullptr;
    SAY(cudaMallocMipmappedArray(&m, &f, make_cudaExtent(8, 8, 0), 0));
    SAY(cudaMallocMipmappedArray(&m, &f, make_cudaExtent(8, 8, 0), 4));
    cudaArray_t level = nullptr;
    SAY(cudaGetMipmappedArrayLevel(&level, m, 3));
    SAY(cudaGetMipmappedArrayLevel(&level, m, 4));
    SAY(cudaGetMipmappedArrayLevel(nullptr, m, 0));
    SAY(cudaGetMipmappedArrayLevel(&level, nullptr, 0));
    SAY(cudaFreeMipmappedArray(m));
    m = nullptr;
    SAY(cudaMallocMipmappedArray(&m, &f, make_cudaExtent(8, 8, 0), 5));
    SAY(cudaMallocMipmappedArray(&m, &f, make_cudaExtent(8, 8, 0), 50));
    for (int i = 0; i < 9 && m; i++) {
        cudaError_t e = cudaGetMipmappedArrayLevel(&level, m, i);
        printf("level %d %s\n", i, cudaGetErrorName(e));
    }
    cudaGetLastError();
    SAY(cudaMallocMipmappedArray(nullptr, &f, make_cudaExtent(8, 8, 0), 1));
}

static void copies() {
    cudaArray_t a, b;
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>(), got;
    cudaExtent e;
    unsigned flags;
    static float h[1024];
    SAY(cudaMallocArray(&a, &f, 8, 8));
    SAY(cudaMallocArray(&b, &f, 8, 8, cudaArraySurfaceLoadStore));
    SAY(cudaArrayGetInfo(&got, &e, &flags, b));
    printf("%d %d %d %d %d %zu %zu %zu %u\n", got.x, got.y, got.z, got.w, got.f, e.width, e.height,
           e.depth, flags);
    SAY(cudaArrayGetInfo(nullptr, nullptr, nullptr, a));
    SAY(cudaArrayGetInfo(&got, &e, &flags, nullptr));
    SAY(cudaGetChannelDesc(&got, a));
    SAY(cudaGetChannelDesc(nullptr, a));
    SAY(cudaGetChannelDesc(&got, nullptr));
    SAY(cudaMemcpy2DToArray(a, 0, 0, h, 32, 32, 8, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy2DToArray(a, 4, 0, h, 32, 32, 8, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy2DToArray(a, 0, 1, h, 32, 32, 8, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy2DToArray(a, 3, 0, h, 32, 8, 1, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy2DToArray(a, 0, 0, h, 32, 7, 1, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy2DToArray(a, 0, 0, h, 16, 32, 8, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy2DToArray(a, 0, 0, nullptr, 32, 32, 8, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy2DToArray(nullptr, 0, 0, h, 32, 32, 8, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy2DToArray(a, 0, 0, h, 32, 32, 8, cudaMemcpyDeviceToHost));
    SAY(cudaMemcpy2DToArray(a, 0, 0, h, 32, 32, 8, (cudaMemcpyKind)9));
    SAY(cudaMemcpy2DToArray(a, 0, 0, h, 32, 0, 8, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy2DFromArray(h, 32, a, 0, 0, 32, 9, cudaMemcpyDeviceToHost));
    SAY(cudaMemcpy2DFromArray(h, 32, a, 0, 0, 32, 8, cudaMemcpyDefault));
    SAY(cudaMemcpy2DArrayToArray(b, 0, 0, a, 0, 0, 32, 8));
    SAY(cudaMemcpy2DArrayToArray(b, 4, 0, a, 0, 0, 32, 8));
    cudaMemcpy3DParms p = {};
    SAY(cudaMemcpy3D(&p));
    p.extent = make_cudaExtent(8, 8, 1);
    p.kind = cudaMemcpyHostToDevice;
    SAY(cudaMemcpy3D(&p));
    p.srcPtr = make_cudaPitchedPtr(h, 32, 8, 8);
    SAY(cudaMemcpy3D(&p));
    p.dstArray = a;
    SAY(cudaMemcpy3D(&p));
    p.extent = make_cudaExtent(9, 8, 1);
    SAY(cudaMemcpy3D(&p));
    p.extent = make_cudaExtent(8, 8, 2);
    SAY(cudaMemcpy3D(&p));
    p.extent = make_cudaExtent(8, 8, 0);
    SAY(cudaMemcpy3D(&p));
    p.extent = make_cudaExtent(4, 4, 1);
    p.dstPos.x = 5;
    SAY(cudaMemcpy3D(&p));
    p.dstPos.x = 4;
    p.dstPtr = make_cudaPitchedPtr(h, 32, 8, 8);
    SAY(cudaMemcpy3D(&p));
    p.dstPtr = {};
    p.srcPtr.pitch = 8;
    SAY(cudaMemcpy3D(&p));
    p.srcPtr = {};
    p.srcArray = b;
    SAY(cudaMemcpy3D(&p));
    p.kind = cudaMemcpyDeviceToDevice;
    SAY(cudaMemcpy3D(&p));
    cudaArray_t c;
    cudaChannelFormatDesc f2 = cudaCreateChannelDesc<float2>();
    SAY(cudaMallocArray(&c, &f2, 8, 8));
    p.srcArray = c;
    SAY(cudaMemcpy3D(&p));
    SAY(cudaFreeArray(a));
}

static void textures() {
    cudaTextureObject_t t = 0;
    cudaArray_t a, i, l;
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>(), u = cudaCreateChannelDesc<unsigned>(),
                          u8 = cudaCreateChannelDesc<uchar4>();
    SAY(cudaMallocArray(&a, &f, 8, 8));
    SAY(cudaMallocArray(&i, &u, 8, 8));
    SAY(cudaMalloc3DArray(&l, &f, make_cudaExtent(8, 8, 3), cudaArrayLayered));
    cudaResourceDesc r = {};
    cudaTextureDesc d = {};
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    r.res.array.array = a;
    SAY(cudaCreateTextureObject(nullptr, &r, &d, nullptr));
    SAY(cudaCreateTextureObject(&t, nullptr, &d, nullptr));
    SAY(cudaCreateTextureObject(&t, &r, nullptr, nullptr));
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    d.filterMode = cudaFilterModeLinear;
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    d.readMode = cudaReadModeNormalizedFloat;
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    r.res.array.array = i;
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    d.readMode = cudaReadModeElementType;
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    d.filterMode = cudaFilterModePoint;
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    d.filterMode = (cudaTextureFilterMode)7;
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    d.filterMode = cudaFilterModePoint;
    d.addressMode[0] = (cudaTextureAddressMode)9;
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    d.addressMode[0] = cudaAddressModeWrap;
    d.sRGB = 1;
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    d.sRGB = 0;
    d.maxAnisotropy = 100;
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    d.maxAnisotropy = 0;
    r.resType = (cudaResourceType)9;
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    r.resType = cudaResourceTypeArray;
    r.flags = 1;
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    r.flags = 0;
    cudaResourceViewDesc v = {};
    v.format = cudaResViewFormatFloat1;
    v.width = 8, v.height = 8;
    r.res.array.array = a;
    SAY(cudaCreateTextureObject(&t, &r, &d, &v));
    cudaResourceViewDesc got;
    memset(&got, 0x11, sizeof got);
    SAY(cudaGetTextureObjectResourceViewDesc(&got, t));
    printf("%d %zu %zu %zu %u %u %u %u\n", got.format, got.width, got.height, got.depth,
           got.firstMipmapLevel, got.lastMipmapLevel, got.firstLayer, got.lastLayer);
    v.format = cudaResViewFormatUnsignedInt1;
    SAY(cudaCreateTextureObject(&t, &r, &d, &v));
    v.format = cudaResViewFormatUnsignedChar4;
    SAY(cudaCreateTextureObject(&t, &r, &d, &v));
    v.format = cudaResViewFormatFloat2;
    SAY(cudaCreateTextureObject(&t, &r, &d, &v));
    v.format = cudaResViewFormatFloat1;
    v.width = 4;
    SAY(cudaCreateTextureObject(&t, &r, &d, &v));
    v.width = 16;
    SAY(cudaCreateTextureObject(&t, &r, &d, &v));
    v.width = 8;
    v.firstLayer = 1, v.lastLayer = 2;
    SAY(cudaCreateTextureObject(&t, &r, &d, &v));
    r.res.array.array = l;
    SAY(cudaCreateTextureObject(&t, &r, &d, &v));
    v.depth = 2;
    SAY(cudaCreateTextureObject(&t, &r, &d, &v));
    v.depth = 3;
    SAY(cudaCreateTextureObject(&t, &r, &d, &v));
    v.format = cudaResViewFormatNone;
    SAY(cudaCreateTextureObject(&t, &r, &d, &v));
    // linear memory
    char *memory;
    SAY(cudaMalloc(&memory, 1 << 20));
    r = {};
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = memory;
    r.res.linear.desc = f;
    r.res.linear.sizeInBytes = 4096;
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    d.normalizedCoords = 1;
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    d.normalizedCoords = 0, d.filterMode = cudaFilterModeLinear;
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    d.filterMode = cudaFilterModePoint;
    r.res.linear.devPtr = memory + 4;
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    r.res.linear.devPtr = memory + 32;
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    r.res.linear.devPtr = memory + 256;
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    r.res.linear.devPtr = nullptr;
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    r.res.linear.devPtr = memory;
    r.res.linear.sizeInBytes = 0;
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    r.res.linear.sizeInBytes = (size_t)1 << 40;
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    r.res.linear.sizeInBytes = (size_t)1 << 21;
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    r.res.linear.sizeInBytes = 3;
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    r = {};
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D.devPtr = memory;
    r.res.pitch2D.desc = f;
    r.res.pitch2D.width = 8, r.res.pitch2D.height = 8, r.res.pitch2D.pitchInBytes = 512;
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    for (int pitch : {16, 32, 48, 64, 100}) {
        r.res.pitch2D.pitchInBytes = pitch;
        SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    }
    r.res.pitch2D.pitchInBytes = 512;
    r.res.pitch2D.devPtr = memory + 16;
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    r.res.pitch2D.devPtr = memory + 32;
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    r.res.pitch2D.devPtr = memory + 512;
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    r.res.pitch2D.devPtr = memory;
    r.res.pitch2D.width = 0;
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    r.res.pitch2D.width = 200;
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    r.res.pitch2D.width = 8;
    r.res.pitch2D.desc = u8;
    d.readMode = cudaReadModeNormalizedFloat;
    d.sRGB = 1;
    d.addressMode[1] = cudaAddressModeMirror;
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    cudaResourceDesc rr;
    cudaTextureDesc dd;
    SAY(cudaGetTextureObjectResourceDesc(&rr, t));
    printf("%d %d %d %zu %zu %zu\n", rr.resType, rr.res.pitch2D.desc.x,
           rr.res.pitch2D.devPtr == memory, rr.res.pitch2D.width, rr.res.pitch2D.height,
           rr.res.pitch2D.pitchInBytes);
    SAY(cudaGetTextureObjectTextureDesc(&dd, t));
    printf("%d %d %d %d %d %d %d\n", dd.addressMode[0], dd.addressMode[1], dd.filterMode,
           dd.readMode, dd.sRGB, dd.normalizedCoords, dd.maxAnisotropy);
    SAY(cudaGetTextureObjectResourceViewDesc(&got, t));
    SAY(cudaGetTextureObjectResourceDesc(nullptr, t));
    SAY(cudaDestroyTextureObject(t));
    SAY(cudaDestroyTextureObject(0));
    SAY(cudaGetTextureObjectResourceDesc(&rr, 0));
    SAY(cudaGetTextureObjectResourceDesc(&rr, 0x7fff1234));
}

static void surfaces() {
    cudaSurfaceObject_t s = 0;
    cudaArray_t a, b;
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    SAY(cudaMallocArray(&a, &f, 8, 8));
    SAY(cudaMallocArray(&b, &f, 8, 8, cudaArraySurfaceLoadStore));
    cudaResourceDesc r = {}, rr;
    SAY(cudaCreateSurfaceObject(&s, &r));
    r.res.array.array = a;
    SAY(cudaCreateSurfaceObject(&s, &r));
    r.res.array.array = b;
    SAY(cudaCreateSurfaceObject(&s, &r));
    SAY(cudaGetSurfaceObjectResourceDesc(&rr, s));
    printf("%d\n", rr.res.array.array == b);
    SAY(cudaCreateSurfaceObject(nullptr, &r));
    SAY(cudaCreateSurfaceObject(&s, nullptr));
    r.resType = cudaResourceTypeLinear;
    SAY(cudaCreateSurfaceObject(&s, &r));
    r.resType = cudaResourceTypeMipmappedArray;
    SAY(cudaCreateSurfaceObject(&s, &r));
    SAY(cudaDestroySurfaceObject(s));
    SAY(cudaDestroySurfaceObject(0));
    SAY(cudaGetSurfaceObjectResourceDesc(&rr, 0));
    SAY(cudaFreeArray(b));
}

static void last() {
    size_t n = 0;
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    SAY(cudaDeviceGetTexture1DLinearMaxWidth(&n, &f, 0));
    printf("%zu\n", n);
    cudaChannelFormatDesc f4 = cudaCreateChannelDesc<float4>();
    SAY(cudaDeviceGetTexture1DLinearMaxWidth(&n, &f4, 0));
    printf("%zu\n", n);
    cudaArray_t a;
    SAY(cudaMallocArray(&a, &f, 100, 50));
    cudaArrayMemoryRequirements m = {};
    SAY(cudaArrayGetMemoryRequirements(&m, a, 0));
    printf("%zu %zu\n", m.size, m.alignment);
    SAY(cudaFreeArray(a));
    SAY(cudaFreeArray(a));
}

int main() {
    arrays();
    copies();
    textures();
    surfaces();
    last();
    return 0;
}
