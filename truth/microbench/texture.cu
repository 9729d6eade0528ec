// What texture fetches return: many coordinates for each combination of geometry, format, filter,
// address mode, level of detail and gradient. Everything is made from a fixed generator, so that
// two devices can be compared line by line.
//
//   texture [FETCHES [FILE]]   fetches for each case (default 64); FILE: coordinates and results
//
// Output: a line `case NAME`, then a line of four words in hexadecimal for each fetch.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t error_ = (call);                                                               \
        if (error_ != cudaSuccess) {                                                               \
            printf("%s: %s\n", #call, cudaGetErrorName(error_));                                   \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

enum Geometry { G1D, G2D, G3D, G1DL, G2DL, GCUBE, GCUBEL, GLINEAR, GPITCH };
enum Format { F32, F32WILD, F16, U8, S8, U16, S16, U32, S32 };
enum Op { BASE, LOD, GRAD, GATHER, INTEGER, OFFSET, HALF, HALF2 };

struct Case {
    std::string name;
    Geometry geometry;
    int width, height, depth; // depth: of a volume, or layers
    Format format = F32;
    int channels = 1;
    Op op = BASE;
    int component = 0; // of a gather
    cudaTextureFilterMode filter = cudaFilterModePoint, mip_filter = cudaFilterModePoint;
    cudaTextureAddressMode address = cudaAddressModeClamp;
    bool normalized = false, as_float = false, srgb = false, by_level = false, seamless = false;
    int levels = 1;
    float bias = 0, least = 0, most = 0;
    bool with_border = false;
    int address_y = -1; // as `address`
};

struct Fetch {
    float x, y, z;
    int layer;
    float lod, dx[3], dy[3];
    int offset[3];
};

static uint32_t state;
static uint32_t next_random() {
    state = state * 1664525u + 1013904223u;
    uint32_t x = state;
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}
static float uniform(float low, float high) {
    return low + (high - low) * ((float)(next_random() >> 8) / 16777216.0f);
}

template <typename T> struct Vector;
template <> struct Vector<float> { typedef float4 type; };
template <> struct Vector<int> { typedef int4 type; };
template <> struct Vector<unsigned> { typedef uint4 type; };

template <typename T>
__device__ typename Vector<T>::type fetch(cudaTextureObject_t t, Geometry g, Op op, int component,
                                          const Fetch &f) {
    typedef typename Vector<T>::type V;
    const float *a = f.dx, *b = f.dy;
    const float2 a2 = make_float2(a[0], a[1]), b2 = make_float2(b[0], b[1]);
    const float4 a4 = make_float4(a[0], a[1], a[2], 0), b4 = make_float4(b[0], b[1], b[2], 0);
    if (op == GATHER)
        return tex2Dgather<V>(t, f.x, f.y, component);
    switch (g) {
    case GLINEAR:
        return tex1Dfetch<V>(t, (int)f.x);
    case G1D:
        return op == LOD    ? tex1DLod<V>(t, f.x, f.lod)
               : op == GRAD ? tex1DGrad<V>(t, f.x, a[0], b[0])
                            : tex1D<V>(t, f.x);
    case G2D:
    case GPITCH:
        return op == LOD    ? tex2DLod<V>(t, f.x, f.y, f.lod)
               : op == GRAD ? tex2DGrad<V>(t, f.x, f.y, a2, b2)
                            : tex2D<V>(t, f.x, f.y);
    case G3D:
        return op == LOD    ? tex3DLod<V>(t, f.x, f.y, f.z, f.lod)
               : op == GRAD ? tex3DGrad<V>(t, f.x, f.y, f.z, a4, b4)
                            : tex3D<V>(t, f.x, f.y, f.z);
    case G1DL:
        return op == LOD    ? tex1DLayeredLod<V>(t, f.x, f.layer, f.lod)
               : op == GRAD ? tex1DLayeredGrad<V>(t, f.x, f.layer, a[0], b[0])
                            : tex1DLayered<V>(t, f.x, f.layer);
    case G2DL:
        return op == LOD    ? tex2DLayeredLod<V>(t, f.x, f.y, f.layer, f.lod)
               : op == GRAD ? tex2DLayeredGrad<V>(t, f.x, f.y, f.layer, a2, b2)
                            : tex2DLayered<V>(t, f.x, f.y, f.layer);
    case GCUBE:
        return op == LOD    ? texCubemapLod<V>(t, f.x, f.y, f.z, f.lod)
               : op == GRAD ? texCubemapGrad<V>(t, f.x, f.y, f.z, a4, b4)
                            : texCubemap<V>(t, f.x, f.y, f.z);
    default:
        return op == LOD    ? texCubemapLayeredLod<V>(t, f.x, f.y, f.z, f.layer, f.lod)
               : op == GRAD ? texCubemapLayeredGrad<V>(t, f.x, f.y, f.z, f.layer, a4, b4)
                            : texCubemapLayered<V>(t, f.x, f.y, f.z, f.layer);
    }
}

// Forms that no function of CUDA C++ stands for.
__device__ uint4 fetch_other(cudaTextureObject_t t, Geometry g, Op op, const Fetch &f) {
    uint4 v = make_uint4(0, 0, 0, 0);
    const int x = (int)f.x, y = (int)f.y, z = (int)f.z;
    if (op == INTEGER && g == G1D)
        asm("tex.1d.v4.u32.s32 {%0,%1,%2,%3}, [%4, {%5}];"
            : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
            : "l"(t), "r"(x));
    if (op == INTEGER && g == G2D)
        asm("tex.2d.v4.u32.s32 {%0,%1,%2,%3}, [%4, {%5,%6}];"
            : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
            : "l"(t), "r"(x), "r"(y));
    if (op == INTEGER && g == G3D)
        asm("tex.3d.v4.u32.s32 {%0,%1,%2,%3}, [%4, {%5,%6,%7,%7}];"
            : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
            : "l"(t), "r"(x), "r"(y), "r"(z));
    if (op == INTEGER && g == G2DL)
        asm("tex.a2d.v4.u32.s32 {%0,%1,%2,%3}, [%4, {%7,%5,%6,%6}];"
            : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
            : "l"(t), "r"(x), "r"(y), "r"(f.layer));
    if (op == OFFSET && g == G2D)
        asm("tex.2d.v4.u32.f32 {%0,%1,%2,%3}, [%4, {%5,%6}], {%7,%8};"
            : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
            : "l"(t), "f"(f.x), "f"(f.y), "r"(f.offset[0]), "r"(f.offset[1]));
    if (op == HALF) {
        unsigned short h[4];
        asm("tex.2d.v4.f16.f32 {%0,%1,%2,%3}, [%4, {%5,%6}];"
            : "=h"(h[0]), "=h"(h[1]), "=h"(h[2]), "=h"(h[3])
            : "l"(t), "f"(f.x), "f"(f.y));
        v = make_uint4(h[0], h[1], h[2], h[3]);
    }
    if (op == HALF2)
        asm("tex.2d.v2.f16x2.f32 {%0,%1}, [%2, {%3,%4}];"
            : "=r"(v.x), "=r"(v.y)
            : "l"(t), "f"(f.x), "f"(f.y));
    return v;
}

__global__ void run(cudaTextureObject_t t, Geometry g, Op op, int component, int kind,
                    const Fetch *fetches, int count, uint4 *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    if (op >= INTEGER) {
        out[i] = fetch_other(t, g, op, fetches[i]);
    } else if (kind == 0) {
        float4 v = fetch<float>(t, g, op, component, fetches[i]);
        out[i] = make_uint4(__float_as_uint(v.x), __float_as_uint(v.y), __float_as_uint(v.z),
                            __float_as_uint(v.w));
    } else if (kind == 1) {
        int4 v = fetch<int>(t, g, op, component, fetches[i]);
        out[i] = make_uint4(v.x, v.y, v.z, v.w);
    } else {
        out[i] = fetch<unsigned>(t, g, op, component, fetches[i]);
    }
}

static int bytes_of(Format f) {
    return f == U8 || f == S8 ? 1 : f == F16 || f == U16 || f == S16 ? 2 : 4;
}

static cudaChannelFormatDesc describe(const Case &c) {
    int bits = 8 * bytes_of(c.format), n = c.channels;
    cudaChannelFormatKind kind = c.format <= F16 ? cudaChannelFormatKindFloat
                                 : c.format == S8 || c.format == S16 || c.format == S32
                                     ? cudaChannelFormatKindSigned
                                     : cudaChannelFormatKindUnsigned;
    return cudaCreateChannelDesc(bits, n > 1 ? bits : 0, n > 2 ? bits : 0, n > 2 ? bits : 0, kind);
}

static void put_texel(const Case &c, int level, uint8_t *to) {
    float f = c.by_level ? (float)level : uniform(-1, 1);
    uint32_t bits = next_random();
    if (c.format == F32)
        memcpy(&bits, &f, 4);
    if (c.format == F16) // exponents of numbers from 2^-10 on
        bits = (bits & 0x83ff) | ((5 + (bits >> 20) % 12) << 10);
    if (c.format == F32WILD && (bits & 0xf000) == 0x1000)
        bits = bits & 1 ? 0x7f800000 : bits & 2 ? 0xff800000 : bits & 4 ? 0x7fa12345 : 0x00000123;
    memcpy(to, &bits, (size_t)bytes_of(c.format));
}

static const float specials[] = {0.0f,   -0.0f,    0.5f,       -0.5f,      1e-40f,   1e9f,
                                 -1e9f,  INFINITY, -INFINITY,  NAN,        8388608,  -8388607,
                                 65536,  131072.5, 2147483648, 4294967296, -65536.5, 1e30f,
                                 -1e30f, 0.001f,   1.0f,       -1.0f};

// A coordinate in texels, by many rules.
static float coordinate(const Case &c, int size, bool may_be_special) {
    float x;
    switch (next_random() % 8) {
    case 0:
    case 1:
        x = uniform(-1.5f * size, 2.5f * size);
        break;
    case 2:
    case 3:
        x = uniform(0, (float)size);
        break;
    case 4:
    case 5: // near steps of 1/512
        x = ((float)(int)(next_random() % (size * 512u)) + ((int)(next_random() % 5) - 2) / 16.0f) /
            512.0f;
        break;
    case 6: // next to whole and half texels
        x = (float)(int)(next_random() % (2 * size + 1)) / 2;
        for (int n = (int)(next_random() % 7) - 3; n; n += n < 0 ? 1 : -1)
            x = nextafterf(x, n < 0 ? -1e9f : 1e9f);
        break;
    default:
        x = may_be_special ? specials[next_random() % (sizeof specials / sizeof *specials)]
                           : uniform(0, (float)size);
        if (may_be_special)
            return x;
    }
    return c.normalized ? x / (float)size : x;
}

static void make_direction(Fetch *f) {
    float v[3], scale = ldexpf(1, (int)(next_random() % 7) - 3);
    for (int i = 0; i < 3; i++)
        v[i] = uniform(-1, 1) * scale;
    switch (next_random() % 8) {
    case 0: // on an edge, or a corner
        v[1] = next_random() & 1 ? v[0] : -v[0];
        if (next_random() & 1)
            v[2] = next_random() & 1 ? v[0] : -v[0];
        break;
    case 1:
        v[next_random() % 3] = next_random() & 1 ? 0.0f : -0.0f;
        break;
    case 2: // close to an edge
        v[2] = v[0] * uniform(0.9f, 1.1f);
        break;
    default:
        break;
    }
    f->x = v[0], f->y = v[1], f->z = v[2];
}

static Fetch make_fetch(const Case &c) {
    Fetch f = {};
    int axis = next_random() % 16;
    if (c.geometry == GCUBE || c.geometry == GCUBEL) {
        make_direction(&f);
    } else {
        f.x = coordinate(c, c.width, axis == 0 || axis == 3);
        f.y = c.height ? coordinate(c, c.height, axis == 1) : 0;
        f.z = c.geometry == G3D ? coordinate(c, c.depth, axis == 2) : 0;
    }
    f.layer = (int)(next_random() % 8) - 2;
    if (next_random() % 16 == 0)
        f.layer = (int)next_random();
    switch (next_random() % 4) {
    case 0:
        f.lod =
            (float)(int)(next_random() % 4096) / 512 - 1 + ((int)(next_random() % 5) - 2) / 4096.f;
        break;
    case 1:
        f.lod = next_random() % 8 ? uniform(-2, 8) : specials[next_random() % 22];
        break;
    default:
        f.lod = uniform(0, 4);
    }
    int shape = next_random() % 8, size[3] = {c.width, c.height, c.depth};
    float length = ldexpf(uniform(1, 2), (int)(next_random() % 9) - 3);
    for (int i = 0; i < 3; i++) {
        float scale = length / (c.normalized && size[i] ? (float)size[i] : 1);
        f.dx[i] = shape == 1 && i ? 0 : uniform(-1, 1) * scale;
        f.dy[i] = shape <= 2 ? 0 : uniform(-1, 1) * scale;
        f.offset[i] = (int)(next_random() % 16) - 8;
    }
    if (c.op == INTEGER) {
        f.x = floorf(uniform(-3, (float)c.width + 3));
        f.y = floorf(uniform(-3, (float)c.height + 3));
        f.z = floorf(uniform(-3, (float)c.depth + 3));
    }
    return f;
}

struct Texture {
    cudaTextureObject_t object = 0;
    cudaMipmappedArray_t mipmap = nullptr;
    cudaArray_t array = nullptr;
    void *memory = nullptr;
};

static std::vector<uint8_t> make_texels(const Case &c, int level, size_t count) {
    size_t bytes = (size_t)bytes_of(c.format) * (c.channels == 3 ? 4 : c.channels);
    std::vector<uint8_t> texels(count * bytes);
    for (size_t i = 0; i < texels.size(); i += bytes_of(c.format))
        put_texel(c, level, &texels[i]);
    return texels;
}

static size_t at_level(int size, int level) {
    return size && !(size >> level) ? 1 : (size_t)size >> level;
}

static void fill_array(const Case &c, int level, cudaArray_t array) {
    bool is_cube = c.geometry == GCUBE || c.geometry == GCUBEL;
    cudaExtent e = make_cudaExtent(at_level(c.width, level), at_level(c.height, level), c.depth);
    if (is_cube)
        e.depth = 6 * (c.depth ? c.depth : 1);
    if (c.geometry == G3D)
        e.depth = at_level(c.depth, level);
    size_t rows = e.height ? e.height : 1, slices = e.depth ? e.depth : 1;
    std::vector<uint8_t> texels = make_texels(c, level, e.width * rows * slices);
    cudaMemcpy3DParms p = {};
    size_t row = texels.size() / rows / slices;
    p.srcPtr = make_cudaPitchedPtr(texels.data(), row, e.width, rows);
    p.dstArray = array;
    p.extent = make_cudaExtent(e.width, rows, slices);
    p.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&p));
}

static void make_resource(const Case &c, Texture *t, cudaResourceDesc *r) {
    cudaChannelFormatDesc desc = describe(c);
    int texel = bytes_of(c.format) * (c.channels == 3 ? 4 : c.channels);
    if (c.geometry == GLINEAR || c.geometry == GPITCH) {
        size_t pitch = 512, rows = c.geometry == GPITCH ? c.height : 1;
        CHECK(cudaMalloc(&t->memory, pitch * rows + 4096));
        CHECK(cudaMemset(t->memory, 0x55, pitch * rows + 4096));
        for (size_t y = 0; y < rows; y++) {
            std::vector<uint8_t> row = make_texels(c, 0, c.width);
            CHECK(cudaMemcpy((char *)t->memory + y * pitch, row.data(), row.size(),
                             cudaMemcpyHostToDevice));
        }
        if (c.geometry == GLINEAR) {
            r->resType = cudaResourceTypeLinear;
            r->res.linear.devPtr = t->memory;
            r->res.linear.desc = desc;
            r->res.linear.sizeInBytes = (size_t)c.width * texel;
        } else {
            r->resType = cudaResourceTypePitch2D;
            r->res.pitch2D.devPtr = t->memory;
            r->res.pitch2D.desc = desc;
            r->res.pitch2D.width = c.width;
            r->res.pitch2D.height = c.height;
            r->res.pitch2D.pitchInBytes = pitch;
        }
        return;
    }
    bool is_cube = c.geometry == GCUBE || c.geometry == GCUBEL;
    bool is_layered = c.geometry == G1DL || c.geometry == G2DL || c.geometry == GCUBEL;
    unsigned flags = (is_cube ? cudaArrayCubemap : 0) | (is_layered ? cudaArrayLayered : 0) |
                     (c.op == GATHER ? cudaArrayTextureGather : 0);
    cudaExtent extent =
        make_cudaExtent(c.width, c.height, is_cube ? 6 * (c.depth ? c.depth : 1) : c.depth);
    if (c.levels > 1) {
        CHECK(cudaMallocMipmappedArray(&t->mipmap, &desc, extent, c.levels, flags));
        for (int l = 0; l < c.levels; l++) {
            cudaArray_t level;
            CHECK(cudaGetMipmappedArrayLevel(&level, t->mipmap, l));
            fill_array(c, l, level);
        }
        r->resType = cudaResourceTypeMipmappedArray;
        r->res.mipmap.mipmap = t->mipmap;
    } else {
        CHECK(cudaMalloc3DArray(&t->array, &desc, extent, flags));
        fill_array(c, 0, t->array);
        r->resType = cudaResourceTypeArray;
        r->res.array.array = t->array;
    }
}

static Texture make_texture(const Case &c) {
    Texture t;
    cudaResourceDesc r = {};
    make_resource(c, &t, &r);
    cudaTextureDesc d = {};
    for (int i = 0; i < 3; i++)
        d.addressMode[i] = i && c.address_y >= 0 ? (cudaTextureAddressMode)c.address_y : c.address;
    d.filterMode = c.filter;
    d.readMode = c.as_float ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    d.sRGB = c.srgb;
    d.normalizedCoords = c.normalized;
    d.mipmapFilterMode = c.mip_filter;
    d.mipmapLevelBias = c.bias;
    d.minMipmapLevelClamp = c.least;
    d.maxMipmapLevelClamp = c.most ? c.most : (float)(c.levels - 1);
    d.seamlessCubemap = c.seamless;
    if (c.with_border)
        for (int i = 0; i < 4; i++)
            d.borderColor[i] = 0.25f * (i + 1) + 0.1f;
    cudaError_t error = cudaCreateTextureObject(&t.object, &r, &d, nullptr);
    if (error != cudaSuccess)
        printf("case %s: %s\n", c.name.c_str(), cudaGetErrorName(error));
    return t;
}

static void free_texture(Texture *t) {
    CHECK(cudaDestroyTextureObject(t->object));
    if (t->mipmap)
        CHECK(cudaFreeMipmappedArray(t->mipmap));
    if (t->array)
        CHECK(cudaFreeArray(t->array));
    CHECK(cudaFree(t->memory));
}

static void run_case(const Case &c, int count, FILE *dump) {
    state = 12345;
    for (char letter : c.name)
        state = state * 31 + (uint8_t)letter;
    Texture t = make_texture(c);
    if (!t.object)
        return;
    std::vector<Fetch> fetches;
    for (int i = 0; i < count; i++)
        fetches.push_back(make_fetch(c));
    Fetch *in;
    uint4 *out;
    CHECK(cudaMalloc(&in, count * sizeof *in));
    CHECK(cudaMalloc(&out, count * sizeof *out));
    CHECK(cudaMemset(out, 0, count * sizeof *out));
    CHECK(cudaMemcpy(in, fetches.data(), count * sizeof *in, cudaMemcpyHostToDevice));
    bool is_float = c.format <= F16 || c.as_float;
    int kind = is_float ? 0 : c.format == S8 || c.format == S16 || c.format == S32 ? 1 : 2;
    run<<<(count + 63) / 64, 64>>>(t.object, c.geometry, c.op, c.component, kind, in, count, out);
    CHECK(cudaDeviceSynchronize());
    std::vector<uint4> results(count);
    CHECK(cudaMemcpy(results.data(), out, count * sizeof *out, cudaMemcpyDeviceToHost));
    printf("case %s\n", c.name.c_str());
    if (!dump)
        for (const uint4 &v : results)
            printf("%08x %08x %08x %08x\n", v.x, v.y, v.z, v.w);
    if (dump)
        fwrite(results.data(), sizeof results[0], results.size(), dump);
    free_texture(&t);
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
}

static const char *const address_names[] = {"wrap", "clamp", "mirror", "border"};

static void add_geometries(std::vector<Case> *cases) {
    static const struct {
        const char *name;
        Geometry g;
        int w, h, d;
    } shapes[] = {
        {"1d", G1D, 13, 0, 0},  {"2d", G2D, 13, 7, 0},  {"3d", G3D, 6, 5, 7},
        {"a1d", G1DL, 9, 0, 4}, {"a2d", G2DL, 9, 6, 4}, {"pitch", GPITCH, 13, 7, 0},
    };
    for (auto &s : shapes)
        for (int filter = 0; filter < 2; filter++)
            for (int normalized = 0; normalized < 2; normalized++)
                for (int address = 0; address < 4; address++) {
                    Case c = {std::string(s.name) + (filter ? " linear" : " point") +
                                  (normalized ? " normalized " : " ") + address_names[address],
                              s.g, s.w, s.h, s.d};
                    c.filter = (cudaTextureFilterMode)filter;
                    c.normalized = normalized;
                    c.address = (cudaTextureAddressMode)address;
                    c.with_border = true;
                    cases->push_back(c);
                }
}

static void add_formats(std::vector<Case> *cases) {
    static const char *const names[] = {"f32", "f32wild", "f16", "u8", "s8",
                                        "u16", "s16",     "u32", "s32"};
    for (int f = F32; f <= S32; f++)
        for (int channels : {1, 2, 4})
            for (int mode = 0; mode < 4; mode++) { // element, point; float: point, linear, sRGB
                bool is_small = f >= U8 && f <= S16, is_float = f <= F16;
                if ((mode == 2 || mode == 3) && !is_small && !is_float)
                    continue;
                if ((mode == 1 && !is_small) || (mode == 3 && f != U8) ||
                    (mode == 0 && channels == 2))
                    continue;
                for (int linear = 0; linear < 2; linear++) {
                    if (linear != (mode == 2) && mode != 3)
                        continue;
                    Case c = {std::string("format ") + names[f] + "x" + std::to_string(channels) +
                                  (mode == 3 ? " srgb"
                                   : mode    ? " as float"
                                             : "") +
                                  (linear ? " linear" : " point"),
                              G2D, 32, 16, 0};
                    c.format = (Format)f;
                    c.channels = channels;
                    c.as_float = mode && is_small;
                    c.srgb = mode == 3;
                    c.filter = (cudaTextureFilterMode)linear;
                    c.address = cudaAddressModeBorder;
                    c.with_border = true;
                    cases->push_back(c);
                }
            }
    Case c = {"linear memory f32x4", GLINEAR, 20, 0, 0};
    c.channels = 4;
    cases->push_back(c);
    c = {"linear memory u8x1", GLINEAR, 100, 0, 0};
    c.format = U8;
    cases->push_back(c);
    c = {"linear memory s8x4 as float", GLINEAR, 100, 0, 0};
    c.format = S8, c.channels = 4, c.as_float = true;
    cases->push_back(c);
}

static void add_levels(std::vector<Case> *cases) {
    static const struct {
        const char *name;
        Geometry g;
        int w, h, d, levels;
    } shapes[] = {
        {"1d", G1D, 50, 0, 0, 6},        {"2d", G2D, 52, 23, 0, 6},   {"3d", G3D, 20, 9, 13, 5},
        {"a1d", G1DL, 40, 0, 3, 5},      {"a2d", G2DL, 32, 20, 3, 6}, {"cube", GCUBE, 32, 32, 0, 6},
        {"acube", GCUBEL, 16, 16, 2, 5},
    };
    for (auto &s : shapes)
        for (int op = LOD; op <= GRAD; op++)
            for (int by_level = 0; by_level < 2; by_level++)
                for (int mode = 0; mode < 4; mode++) { // filter, mip filter
                    if (mode == 1 || (by_level && mode != 3 && mode != 0))
                        continue;
                    Case c = {std::string(op == LOD ? "lod " : "grad ") + s.name +
                                  (mode & 1 ? " linear" : " point") +
                                  (mode & 2 ? " linear" : " point") + (by_level ? " levels" : ""),
                              s.g, s.w, s.h, s.d};
                    c.op = (Op)op;
                    c.levels = s.levels;
                    c.normalized = true;
                    c.by_level = by_level;
                    c.filter = (cudaTextureFilterMode)(mode & 1);
                    c.mip_filter = (cudaTextureFilterMode)(mode >> 1);
                    c.address = cudaAddressModeWrap;
                    cases->push_back(c);
                }
    for (int mode = 0; mode < 8; mode++) {
        Case c = {"lod clamps " + std::to_string(mode), G2D, 52, 23, 0};
        c.op = mode == 7 ? BASE : mode == 6 ? GRAD : LOD;
        c.levels = 6;
        c.normalized = mode != 2;
        c.by_level = true;
        c.filter = cudaFilterModeLinear;
        c.mip_filter = mode == 4 ? cudaFilterModePoint : cudaFilterModeLinear;
        c.bias = mode == 0 || mode >= 4 ? 0.7f : mode == 1 ? -1.37f : 0;
        c.least = mode == 3 || mode >= 4 ? 1.3f : 0;
        c.most = mode == 3 || mode >= 4 ? 3.6f : mode == 5 ? 9 : 0;
        cases->push_back(c);
    }
}

static void add_cubes(std::vector<Case> *cases) {
    for (int filter = 0; filter < 2; filter++)
        for (int seamless = 0; seamless < 2; seamless++)
            for (int layered = 0; layered < 2; layered++) {
                Case c = {std::string(layered ? "acube" : "cube") +
                              (filter ? " linear" : " point") + (seamless ? " seamless" : ""),
                          layered ? GCUBEL : GCUBE, 8, 8, layered ? 3 : 0};
                c.filter = (cudaTextureFilterMode)filter;
                c.seamless = seamless;
                c.normalized = true;
                cases->push_back(c);
            }
}

static void add_sizes(std::vector<Case> *cases) {
    for (int width :
         {100, 1500, 3000, 5000, 8191, 8192, 8193, 12000, 16384, 16385, 20000, 24000, 32767, 32768})
        for (int linear = 0; linear < 2; linear++) {
            Case c = {"width " + std::to_string(width) + (linear ? " linear" : " point"), G1D,
                      width, 0, 0};
            c.normalized = true;
            c.filter = (cudaTextureFilterMode)linear;
            c.address = linear ? cudaAddressModeWrap : cudaAddressModeClamp;
            cases->push_back(c);
        }
    for (int address : {0, 1, 3})
        for (int address_y : {0, 1, 3}) {
            Case c = {std::string("modes ") + address_names[address] + " " +
                          address_names[address_y],
                      G1D, 13, 0, 0};
            c.normalized = true;
            c.filter = cudaFilterModeLinear;
            c.address = (cudaTextureAddressMode)address;
            c.address_y = address_y;
            c.with_border = true;
            cases->push_back(c);
            c.geometry = G2D, c.height = 7, c.name += " 2d";
            cases->push_back(c);
        }
    static const Format formats[] = {F16, U8, S8, U16, S16, F32WILD};
    for (Format f : formats)
        for (int srgb = 0; srgb < (f == U8 ? 2 : 1); srgb++) {
            Case c = {"trilinear " + std::to_string(f) + (srgb ? " srgb" : ""), G3D, 20, 9, 13};
            c.format = f;
            c.channels = 4;
            c.op = LOD;
            c.levels = 4;
            c.normalized = true;
            c.as_float = f >= U8 && f <= S16;
            c.srgb = srgb;
            c.filter = c.mip_filter = cudaFilterModeLinear;
            c.address = cudaAddressModeWrap;
            cases->push_back(c);
        }
}

static void add_others(std::vector<Case> *cases) {
    for (int component = 0; component < 4; component++)
        for (int address = 0; address < 4; address++) {
            Case c = {"gather " + std::to_string(component) + " " + address_names[address], G2D, 13,
                      7, 0};
            c.op = GATHER;
            c.component = component;
            c.channels = component == 3 ? 2 : 4;
            c.format = component == 2 ? U8 : component == 1 ? U32 : F32;
            c.as_float = component == 2;
            c.normalized = component == 0 || address == 0 || address == 2;
            c.filter = component == 3 ? cudaFilterModeLinear : cudaFilterModePoint;
            c.address = (cudaTextureAddressMode)address;
            c.with_border = true;
            cases->push_back(c);
        }
    static const struct {
        const char *name;
        Geometry g;
        int w, h, d;
    } shapes[] = {
        {"1d", G1D, 13, 0, 0}, {"2d", G2D, 13, 7, 0}, {"3d", G3D, 6, 5, 7}, {"a2d", G2DL, 9, 6, 4}};
    for (auto &s : shapes)
        for (int address = 0; address < 4; address++) {
            Case c = {std::string("integer ") + s.name + " " + address_names[address], s.g, s.w,
                      s.h, s.d};
            c.op = INTEGER;
            c.address = (cudaTextureAddressMode)address;
            c.with_border = true;
            cases->push_back(c);
        }
    for (int op = OFFSET; op <= HALF2; op++)
        for (int linear = 0; linear < 2; linear++) {
            Case c = {std::string(op == OFFSET ? "offset"
                                  : op == HALF ? "half"
                                               : "half2") +
                          (linear ? " linear" : " point"),
                      G2D, 13, 7, 0};
            c.op = (Op)op;
            c.channels = 4;
            c.filter = (cudaTextureFilterMode)linear;
            c.address = cudaAddressModeBorder;
            cases->push_back(c);
        }
    Case c = {"2d wide linear", G2D, 1000, 700, 0};
    c.filter = cudaFilterModeLinear;
    c.normalized = true;
    c.address = cudaAddressModeWrap;
    cases->push_back(c);
    c.name = "2d wide point", c.filter = cudaFilterModePoint;
    cases->push_back(c);
    c = {"1d wide mirror", G1D, 30000, 0, 0};
    c.normalized = true;
    c.address = cudaAddressModeMirror;
    cases->push_back(c);
}

int main(int argc, char **argv) {
    int count = argc > 1 ? atoi(argv[1]) : 64;
    FILE *dump = argc > 2 ? fopen(argv[2], "wb") : nullptr;
    std::vector<Case> cases;
    add_geometries(&cases);
    add_formats(&cases);
    add_levels(&cases);
    add_cubes(&cases);
    add_others(&cases);
    add_sizes(&cases);
    for (const Case &c : cases)
        run_case(c, count, dump);
    if (dump)
        fclose(dump);
    return 0;
}
