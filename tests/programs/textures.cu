// Textures of every shape as programs use them: objects on arrays, mipmapped arrays and memory,
// filters, address modes, levels of detail, and surfaces that write what textures then read.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t error_ = (call);                                                               \
        if (error_ != cudaSuccess) {                                                               \
            printf("%s: %s\n", #call, cudaGetErrorName(error_));                                   \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static void show(const char *name, const float *device, int count) {
    std::vector<unsigned> bits(count);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(bits.data(), device, count * 4, cudaMemcpyDeviceToHost));
    unsigned long long sum = 0;
    for (unsigned b : bits)
        sum = sum * 1099511628211ull + b;
    const float *values = reinterpret_cast<const float *>(bits.data());
    printf("%-20s %016llx %.9g %.9g %.9g\n", name, sum, values[0], values[count / 3],
           values[count - 1]);
}

static float wave(int i) {
    return (float)((i * 2654435761u >> 8) % 100003u) / 100003.0f;
}

__global__ void rotate(cudaTextureObject_t t, float *out, int n, float angle) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float u = (x + 0.5f) / n - 0.5f, v = (y + 0.5f) / n - 0.5f;
    float c = 0.75f, s = angle; // no sine: it differs from device to device
    out[y * n + x] = tex2D<float>(t, u * c - v * s + 0.5f, v * c + u * s + 0.5f);
}

__global__ void layers(cudaTextureObject_t t, float *out, int count) {
    int i = threadIdx.x, l = blockIdx.x;
    float4 v = tex2DLayered<float4>(t, i * 0.37f, i * 0.21f, l);
    out[l * count + i] = v.x + 2 * v.y + 4 * v.z + 8 * v.w;
}

__global__ void cube(cudaTextureObject_t t, float *out) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    float x = (float)(i % 7) - 3, y = (float)(i % 11) - 5, z = (float)(i % 13) - 6.25f;
    out[i] = texCubemap<float>(t, x, y, z);
}

__global__ void levels(cudaTextureObject_t t, float *out) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    out[i] = tex2DLod<float>(t, i * 0.0171f, i * 0.0093f, i * 0.011f);
}

__global__ void volume(cudaTextureObject_t t, float *out) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    out[i] = tex3D<float>(t, i * 0.031f, i * 0.017f, i * 0.023f);
}

__global__ void gather(cudaTextureObject_t t, float *out) {
    int i = threadIdx.x;
    float4 v = tex2Dgather<float4>(t, i * 0.3f, i * 0.2f, 0);
    out[4 * i] = v.x, out[4 * i + 1] = v.y, out[4 * i + 2] = v.z, out[4 * i + 3] = v.w;
}

__global__ void line(cudaTextureObject_t t, float *out) {
    int i = threadIdx.x;
    out[2 * i] = tex1D<float>(t, i * 0.4f);
    out[2 * i + 1] = tex1D<float>(t, i * 0.4f - 3);
}

__global__ void plain(cudaTextureObject_t t, cudaTextureObject_t bytes, float *out) {
    int i = threadIdx.x;
    float2 v = tex1Dfetch<float2>(t, i);
    uchar4 c = tex1Dfetch<uchar4>(bytes, i);
    out[i] = v.x - v.y + c.x + 256.0f * c.w;
}

__global__ void picture(cudaTextureObject_t t, float *out) {
    int i = threadIdx.x;
    float4 v = tex2D<float4>(t, i * 0.13f, i * 0.07f);
    bool is_there = false;
    float4 w = tex2D<float4>(t, i * 0.05f, i * 0.02f, &is_there);
    out[i] = v.x + v.y + v.z + v.w + (is_there ? w.x : 1000.0f);
}

__global__ void draw(cudaSurfaceObject_t s, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < w && y < h)
        surf2Dwrite(x * 0.5f + y * 0.25f, s, x * 4, y);
}

__global__ void shift(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int w) {
    int x = threadIdx.x, y = blockIdx.x;
    float v = surf2Dread<float>(from, (x - 1) * 4, y, cudaBoundaryModeClamp);
    v += surf2Dread<float>(from, (x + 1) * 4, y, cudaBoundaryModeZero);
    if (x < w)
        surf2Dwrite(v, to, x * 4, y);
}

static cudaTextureObject_t make(cudaArray_t array, bool is_linear, bool is_normalized,
                                cudaTextureAddressMode mode, bool as_float = false,
                                bool srgb = false) {
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    cudaTextureDesc d = {};
    for (int i = 0; i < 3; i++)
        d.addressMode[i] = mode;
    d.filterMode = is_linear ? cudaFilterModeLinear : cudaFilterModePoint;
    d.normalizedCoords = is_normalized;
    d.readMode = as_float ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    d.sRGB = srgb;
    cudaTextureObject_t t;
    CHECK(cudaCreateTextureObject(&t, &r, &d, nullptr));
    return t;
}

static cudaArray_t make_array(size_t w, size_t h, size_t d, unsigned flags, int channels = 1) {
    cudaChannelFormatDesc f =
        channels == 4 ? cudaCreateChannelDesc<float4>() : cudaCreateChannelDesc<float>();
    cudaArray_t array;
    CHECK(cudaMalloc3DArray(&array, &f, make_cudaExtent(w, h, d), flags));
    size_t rows = h ? h : 1, slices = d ? d : 1;
    std::vector<float> data(w * rows * slices * channels);
    for (size_t i = 0; i < data.size(); i++)
        data[i] = wave((int)i);
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(data.data(), w * 4 * channels, w, rows);
    p.dstArray = array;
    p.extent = make_cudaExtent(w, rows, slices);
    p.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&p));
    return array;
}

static void run_arrays(float *out) {
    cudaArray_t a = make_array(40, 30, 0, cudaArrayTextureGather);
    cudaTextureObject_t t = make(a, true, true, cudaAddressModeMirror);
    rotate<<<dim3(4, 16), dim3(16, 4)>>>(t, out, 64, 0.6f);
    show("2d linear mirror", out, 64 * 64);
    gather<<<1, 64>>>(t, out);
    show("gather", out, 256);
    CHECK(cudaDestroyTextureObject(t));
    CHECK(cudaFreeArray(a));
    a = make_array(12, 10, 5, cudaArrayLayered, 4);
    t = make(a, true, false, cudaAddressModeClamp);
    layers<<<5, 50>>>(t, out, 50);
    show("layers", out, 250);
    CHECK(cudaDestroyTextureObject(t));
    CHECK(cudaFreeArray(a));
    a = make_array(16, 16, 6, cudaArrayCubemap);
    t = make(a, true, true, cudaAddressModeClamp);
    cube<<<4, 64>>>(t, out);
    show("cube", out, 256);
    CHECK(cudaDestroyTextureObject(t));
    CHECK(cudaFreeArray(a));
    a = make_array(9, 8, 7, 0);
    t = make(a, true, false, cudaAddressModeBorder);
    volume<<<4, 64>>>(t, out);
    show("3d border", out, 256);
    CHECK(cudaDestroyTextureObject(t));
    CHECK(cudaFreeArray(a));
    a = make_array(20, 1, 0, 0); // of two dimensions, used as one
    t = make(a, true, false, cudaAddressModeClamp);
    line<<<1, 64>>>(t, out);
    show("one row", out, 128);
    CHECK(cudaDestroyTextureObject(t));
    CHECK(cudaFreeArray(a));
}

static void run_levels(float *out) {
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    cudaMipmappedArray_t m;
    CHECK(cudaMallocMipmappedArray(&m, &f, make_cudaExtent(64, 48, 0), 6));
    for (unsigned l = 0; l < 6; l++) {
        cudaArray_t level;
        CHECK(cudaGetMipmappedArrayLevel(&level, m, l));
        size_t w = 64 >> l, h = 48 >> l;
        std::vector<float> data(w * h);
        for (size_t i = 0; i < data.size(); i++)
            data[i] = l + wave((int)i);
        CHECK(
            cudaMemcpy2DToArray(level, 0, 0, data.data(), w * 4, w * 4, h, cudaMemcpyHostToDevice));
    }
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeMipmappedArray;
    r.res.mipmap.mipmap = m;
    cudaTextureDesc d = {};
    d.addressMode[0] = d.addressMode[1] = cudaAddressModeWrap;
    d.filterMode = cudaFilterModeLinear;
    d.mipmapFilterMode = cudaFilterModeLinear;
    d.normalizedCoords = 1;
    d.maxMipmapLevelClamp = 5;
    cudaTextureObject_t t;
    CHECK(cudaCreateTextureObject(&t, &r, &d, nullptr));
    levels<<<8, 64>>>(t, out);
    show("levels", out, 512);
    CHECK(cudaDestroyTextureObject(t));
    CHECK(cudaFreeMipmappedArray(m));
}

static void run_memory(float *out) {
    float2 *pairs;
    uchar4 *bytes;
    CHECK(cudaMalloc(&pairs, 64 * 8));
    CHECK(cudaMalloc(&bytes, 64 * 4));
    std::vector<float> data(128);
    for (int i = 0; i < 128; i++)
        data[i] = wave(i);
    CHECK(cudaMemcpy(pairs, data.data(), 512, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(bytes, data.data(), 256, cudaMemcpyHostToDevice));
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = pairs;
    r.res.linear.desc = cudaCreateChannelDesc<float2>();
    r.res.linear.sizeInBytes = 512;
    cudaTextureDesc d = {};
    cudaTextureObject_t t, u;
    CHECK(cudaCreateTextureObject(&t, &r, &d, nullptr));
    r.res.linear.devPtr = bytes;
    r.res.linear.desc = cudaCreateChannelDesc<uchar4>();
    r.res.linear.sizeInBytes = 256;
    CHECK(cudaCreateTextureObject(&u, &r, &d, nullptr));
    plain<<<1, 64>>>(t, u, out);
    show("linear memory", out, 64);
    CHECK(cudaDestroyTextureObject(t));
    CHECK(cudaDestroyTextureObject(u));
    CHECK(cudaFree(pairs));
    CHECK(cudaFree(bytes));
    unsigned char *image;
    size_t pitch;
    CHECK(cudaMallocPitch(&image, &pitch, 32 * 4, 16));
    for (int y = 0; y < 16; y++)
        CHECK(cudaMemcpy(image + y * pitch, data.data() + y, 128, cudaMemcpyHostToDevice));
    r = {};
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D.devPtr = image;
    r.res.pitch2D.desc = cudaCreateChannelDesc<uchar4>();
    r.res.pitch2D.width = 32, r.res.pitch2D.height = 16, r.res.pitch2D.pitchInBytes = pitch;
    d.filterMode = cudaFilterModeLinear;
    d.readMode = cudaReadModeNormalizedFloat;
    for (int srgb = 0; srgb < 2; srgb++) {
        d.sRGB = srgb;
        CHECK(cudaCreateTextureObject(&t, &r, &d, nullptr));
        picture<<<1, 200>>>(t, out);
        show(srgb ? "sRGB" : "bytes as floats", out, 200);
        CHECK(cudaDestroyTextureObject(t));
    }
    CHECK(cudaFree(image));
}

static void run_surfaces(float *out) {
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    cudaArray_t a, b;
    CHECK(cudaMallocArray(&a, &f, 50, 20, cudaArraySurfaceLoadStore));
    CHECK(cudaMallocArray(&b, &f, 50, 20, cudaArraySurfaceLoadStore));
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    cudaSurfaceObject_t s, u;
    r.res.array.array = a;
    CHECK(cudaCreateSurfaceObject(&s, &r));
    r.res.array.array = b;
    CHECK(cudaCreateSurfaceObject(&u, &r));
    draw<<<dim3(1, 20), 64>>>(s, 50, 20);
    shift<<<20, 50>>>(s, u, 50);
    CHECK(cudaMemcpy2DFromArray(out, 200, b, 0, 0, 200, 20, cudaMemcpyDeviceToDevice));
    show("surfaces", out, 1000);
    cudaTextureObject_t t = make(b, true, true, cudaAddressModeWrap);
    rotate<<<dim3(4, 16), dim3(16, 4)>>>(t, out, 64, -0.3f);
    show("drawn, then read", out, 64 * 64);
    CHECK(cudaMemcpy2DArrayToArray(a, 20, 3, b, 0, 0, 40, 4));
    CHECK(cudaMemcpy2DFromArray(out, 200, a, 0, 0, 200, 20, cudaMemcpyDeviceToDevice));
    show("copied", out, 1000);
    CHECK(cudaDestroySurfaceObject(s));
    CHECK(cudaDestroySurfaceObject(u));
    CHECK(cudaDestroyTextureObject(t));
    CHECK(cudaFreeArray(a));
    CHECK(cudaFreeArray(b));
}

int main() {
    float *out;
    CHECK(cudaMalloc(&out, 64 * 64 * 4));
    run_arrays(out);
    run_levels(out);
    run_memory(out);
    run_surfaces(out);
    CHECK(cudaFree(out));
    return 0;
}
