// Arrays, textures and surfaces of the driver API: what they hold, what they say of themselves, and
// the codes of what does not work.
// bankrun: -lcuda
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>

static const char *name_of(CUresult result) {
    const char *name = "?";
    cuGetErrorName(result, &name);
    return name;
}
#define OK(call)                                                                                   \
    do {                                                                                           \
        CUresult result = call;                                                                    \
        if (result != CUDA_SUCCESS) {                                                              \
            printf("%s: %s\n", #call, name_of(result));                                            \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)
#define SHOW(call) printf("  %-58s %s\n", #call, name_of(call))

__global__ void read_2d(cudaTextureObject_t image, float *out, int width, int height) {
    int x = threadIdx.x, y = threadIdx.y;
    if (x < width && y < height)
        out[y * width + x] = tex2D<float>(image, x + 0.5f, y + 0.5f);
}
__global__ void read_bytes(cudaTextureObject_t image, unsigned *out, int count) {
    if (threadIdx.x < count)
        out[threadIdx.x] = tex1Dfetch<unsigned char>(image, threadIdx.x);
}
__global__ void read_levels(cudaTextureObject_t image, float *out) {
    out[threadIdx.x] = tex2DLod<float>(image, 0.5f, 0.5f, (float)threadIdx.x);
}
__global__ void double_surface(cudaSurfaceObject_t surface, int width) {
    float value;
    surf2Dread(&value, surface, (int)(threadIdx.x * sizeof value), (int)threadIdx.y);
    surf2Dwrite(2 * value, surface, (int)(threadIdx.x * sizeof value), (int)threadIdx.y);
}

enum { WIDTH = 8, HEIGHT = 4 };
static float host[HEIGHT][WIDTH], back[HEIGHT][WIDTH];

static float sum_of(const float *values, int count) {
    float sum = 0;
    for (int i = 0; i < count; i++)
        sum += values[i] * (i + 1);
    return sum;
}

static CUarray new_array(size_t width, size_t height, size_t depth, CUarray_format format,
                         unsigned channels, unsigned flags) {
    CUDA_ARRAY3D_DESCRIPTOR d = {width, height, depth, format, channels, flags};
    CUarray array;
    OK(cuArray3DCreate(&array, &d));
    return array;
}

static void copy_in(CUarray array, const void *from, size_t row, size_t rows) {
    CUDA_MEMCPY2D copy = {};
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = from;
    copy.srcPitch = row;
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = array;
    copy.WidthInBytes = row;
    copy.Height = rows;
    OK(cuMemcpy2D(&copy));
}

static CUtexObject new_texture(CUarray array, unsigned flags, CUfilter_mode filter) {
    CUDA_RESOURCE_DESC resource = {};
    CUDA_TEXTURE_DESC texture = {};
    CUtexObject object;
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = array;
    for (int i = 0; i < 3; i++)
        texture.addressMode[i] = CU_TR_ADDRESS_MODE_CLAMP;
    texture.filterMode = filter;
    texture.flags = flags;
    OK(cuTexObjectCreate(&object, &resource, &texture, NULL));
    return object;
}

static void arrays() {
    printf("arrays\n");
    CUarray array = new_array(WIDTH, HEIGHT, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SURFACE_LDST);
    CUDA_ARRAY3D_DESCRIPTOR deep;
    CUDA_ARRAY_DESCRIPTOR flat;
    OK(cuArray3DGetDescriptor(&deep, array));
    OK(cuArrayGetDescriptor(&flat, array));
    printf("  %zu x %zu x %zu, format %d, %u channels, flags %u; %zu x %zu\n", deep.Width,
           deep.Height, deep.Depth, deep.Format, deep.NumChannels, deep.Flags, flat.Width,
           flat.Height);
    copy_in(array, host, sizeof host[0], HEIGHT);

    CUtexObject texture = new_texture(array, 0, CU_TR_FILTER_MODE_POINT);
    float *out;
    cudaMallocManaged(&out, sizeof host);
    read_2d<<<1, dim3(WIDTH, HEIGHT)>>>(texture, out, WIDTH, HEIGHT);
    OK(cuCtxSynchronize());
    printf("  through a texture: %g of %g\n", sum_of(out, WIDTH * HEIGHT),
           sum_of(host[0], WIDTH * HEIGHT));

    CUDA_RESOURCE_DESC resource, asked;
    memset(&resource, 0, sizeof resource);
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = array;
    CUsurfObject surface;
    OK(cuSurfObjectCreate(&surface, &resource));
    double_surface<<<1, dim3(WIDTH, HEIGHT)>>>(surface, WIDTH);
    OK(cuSurfObjectGetResourceDesc(&asked, surface));
    printf("  the surface's array is the one: %d\n", asked.res.array.hArray == array);

    CUDA_MEMCPY3D copy = {};
    copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.srcArray = array;
    copy.srcXInBytes = 8;
    copy.srcY = 1;
    copy.dstMemoryType = CU_MEMORYTYPE_HOST;
    copy.dstHost = back;
    copy.dstPitch = sizeof back[0];
    copy.WidthInBytes = 16;
    copy.Height = 2;
    copy.Depth = 1;
    OK(cuMemcpy3D(&copy));
    printf("  a part, doubled: %g %g, %g %g\n", back[0][0], back[0][3], back[1][0], back[1][3]);
    copy.WidthInBytes = 32;
    SHOW(cuMemcpy3D(&copy));
    OK(cuTexObjectDestroy(texture));
    OK(cuSurfObjectDestroy(surface));
    OK(cuArrayDestroy(array));
    cudaFree(out);
}

static void one_dimension() {
    printf("one dimension\n");
    CUDA_ARRAY_DESCRIPTOR d = {16, 0, CU_AD_FORMAT_UNSIGNED_INT32, 1};
    unsigned in[16], out[16];
    CUarray a, b;
    CUdeviceptr memory;
    for (unsigned i = 0; i < 16; i++)
        in[i] = 100 + i;
    OK(cuArrayCreate(&a, &d));
    OK(cuArrayCreate(&b, &d));
    OK(cuMemAlloc(&memory, sizeof in));
    OK(cuMemcpyHtoA(a, 0, in, sizeof in));
    OK(cuMemcpyAtoA(b, 8, a, 0, 32));
    OK(cuMemcpyAtoD(memory, b, 8, 32));
    OK(cuMemcpyDtoA(a, 32, memory, 32));
    OK(cuMemcpyAtoH(out, a, 0, sizeof out));
    printf("  %u %u %u %u\n", out[0], out[7], out[8], out[15]);
    OK(cuArrayDestroy(a));
    OK(cuArrayDestroy(b));
    OK(cuMemFree(memory));
}

static void integers() {
    printf("integers are read as parts of 1, unless they shall not be\n");
    CUarray array = new_array(4, 1, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1, 0);
    unsigned char bytes[4] = {0, 51, 102, 255};
    float *out;
    cudaMallocManaged(&out, 4 * sizeof *out);
    copy_in(array, bytes, 4, 1);
    CUtexObject texture = new_texture(array, 0, CU_TR_FILTER_MODE_LINEAR);
    read_2d<<<1, dim3(4, 1)>>>(texture, out, 4, 1);
    OK(cuCtxSynchronize());
    printf("  %g %g %g %g\n", out[0], out[1], out[2], out[3]);
    CUDA_TEXTURE_DESC asked;
    OK(cuTexObjectGetTextureDesc(&asked, texture));
    printf("  filter %d, flags %u\n", asked.filterMode, asked.flags);
    OK(cuTexObjectDestroy(texture));

    CUdeviceptr memory;
    OK(cuMemAlloc(&memory, 512));
    OK(cuMemcpyHtoD(memory, bytes, sizeof bytes));
    CUDA_RESOURCE_DESC resource = {}, told;
    CUDA_TEXTURE_DESC description = {};
    resource.resType = CU_RESOURCE_TYPE_LINEAR;
    resource.res.linear.devPtr = memory;
    resource.res.linear.format = CU_AD_FORMAT_UNSIGNED_INT8;
    resource.res.linear.numChannels = 1;
    resource.res.linear.sizeInBytes = sizeof bytes;
    description.flags = CU_TRSF_READ_AS_INTEGER;
    OK(cuTexObjectCreate(&texture, &resource, &description, NULL));
    unsigned *numbers = (unsigned *)out;
    read_bytes<<<1, 4>>>(texture, numbers, 4);
    OK(cuCtxSynchronize());
    printf("  %u %u %u %u\n", numbers[0], numbers[1], numbers[2], numbers[3]);
    OK(cuTexObjectGetResourceDesc(&told, texture));
    OK(cuTexObjectGetTextureDesc(&asked, texture));
    printf("  type %d, format %d, %u channels, %zu bytes, flags %u\n", told.resType,
           told.res.linear.format, told.res.linear.numChannels, told.res.linear.sizeInBytes,
           asked.flags);
    OK(cuTexObjectDestroy(texture));
    OK(cuArrayDestroy(array));
    OK(cuMemFree(memory));
    cudaFree(out);
}

static void levels() {
    printf("levels\n");
    CUDA_ARRAY3D_DESCRIPTOR d = {8, 8, 0, CU_AD_FORMAT_FLOAT, 1, 0};
    CUmipmappedArray mipmap;
    CUarray level;
    OK(cuMipmappedArrayCreate(&mipmap, &d, 4));
    for (unsigned l = 0; l < 4; l++) {
        CUDA_ARRAY_DESCRIPTOR size;
        float values[64];
        for (int i = 0; i < 64; i++)
            values[i] = 10.0f * l + 1;
        OK(cuMipmappedArrayGetLevel(&level, mipmap, l));
        OK(cuArrayGetDescriptor(&size, level));
        copy_in(level, values, size.Width * sizeof(float), size.Height);
    }
    SHOW(cuMipmappedArrayGetLevel(&level, mipmap, 4));
    CUDA_RESOURCE_DESC resource = {};
    CUDA_TEXTURE_DESC description = {};
    CUDA_RESOURCE_VIEW_DESC view = {}, asked;
    CUtexObject texture;
    resource.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    resource.res.mipmap.hMipmappedArray = mipmap;
    description.flags = CU_TRSF_NORMALIZED_COORDINATES;
    description.maxMipmapLevelClamp = 10;
    view.format = CU_RES_VIEW_FORMAT_FLOAT_1X32;
    view.width = view.height = 8;
    view.lastMipmapLevel = 3;
    OK(cuTexObjectCreate(&texture, &resource, &description, &view));
    float *out;
    cudaMallocManaged(&out, 4 * sizeof *out);
    read_levels<<<1, 4>>>(texture, out);
    OK(cuCtxSynchronize());
    printf("  %g %g %g %g\n", out[0], out[1], out[2], out[3]);
    OK(cuTexObjectGetResourceViewDesc(&asked, texture));
    printf("  view: format %d, %zu x %zu, levels %u to %u\n", asked.format, asked.width,
           asked.height, asked.firstMipmapLevel, asked.lastMipmapLevel);
    OK(cuTexObjectDestroy(texture));
    OK(cuMipmappedArrayDestroy(mipmap));
    cudaFree(out);
}

static void errors() {
    printf("what does not work\n");
    CUarray array;
    CUtexObject texture;
    CUsurfObject surface;
    CUmipmappedArray mipmap;
    CUDA_ARRAY3D_DESCRIPTOR d = {0, 0, 0, CU_AD_FORMAT_FLOAT, 1, 0};
    SHOW(cuArray3DCreate(&array, &d));
    d.Width = 8;
    SHOW(cuArray3DCreate(NULL, &d));
    SHOW(cuArray3DCreate(&array, NULL));
    d.NumChannels = 3;
    SHOW(cuArray3DCreate(&array, &d));
    d.NumChannels = 1;
    d.Format = (CUarray_format)0x7777;
    SHOW(cuArray3DCreate(&array, &d));
    d.Format = CU_AD_FORMAT_FLOAT;
    d.Width = 1 << 20;
    SHOW(cuArray3DCreate(&array, &d));
    d.Width = 8;
    OK(cuArray3DCreate(&array, &d));
    SHOW(cuMipmappedArrayCreate(&mipmap, NULL, 2));
    CUDA_RESOURCE_DESC resource = {};
    CUDA_TEXTURE_DESC description = {};
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = array;
    SHOW(cuTexObjectCreate(NULL, &resource, &description, NULL));
    SHOW(cuTexObjectCreate(&texture, NULL, &description, NULL));
    SHOW(cuTexObjectCreate(&texture, &resource, NULL, NULL));
    description.flags = 0x1000;
    SHOW(cuTexObjectCreate(&texture, &resource, &description, NULL));
    description.flags = 0;
    resource.resType = (CUresourcetype)9;
    SHOW(cuTexObjectCreate(&texture, &resource, &description, NULL));
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    SHOW(cuSurfObjectCreate(&surface, &resource));
    resource.resType = CU_RESOURCE_TYPE_LINEAR;
    SHOW(cuSurfObjectCreate(&surface, &resource));
    SHOW(cuTexObjectDestroy(0));
    SHOW(cuSurfObjectDestroy(0));
    SHOW(cuArrayDestroy(array));
}

int main() {
    OK(cuInit(0));
    cudaFree(0);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            host[y][x] = 10.0f * y + x;
    arrays();
    one_dimension();
    integers();
    levels();
    errors();
    return 0;
}
