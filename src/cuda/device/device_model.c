#include "cuda/device/device_model.h"
#include "cuda/device/calls.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>

struct product {
    unsigned arch;
    int multiprocessors;
    int clock_mhz, memory_clock_mhz, bus_bits, l2_kb;
};

// From the vendor's data sheets; 9.0 from a device (H200).
static const struct product products[] = {
    {10, 16, 1350, 900, 384, 0},          {11, 14, 1500, 900, 256, 0},
    {12, 8, 1296, 800, 128, 0},           {13, 30, 1296, 1107, 512, 0},
    {20, 14, 1150, 1500, 384, 768},       {21, 7, 1350, 1800, 256, 512},
    {30, 8, 1006, 3004, 256, 512},        {32, 1, 852, 924, 64, 128},
    {35, 15, 745, 3004, 384, 1536},       {37, 13, 824, 2505, 384, 1536},
    {50, 5, 1085, 2700, 128, 2048},       {52, 16, 1216, 3505, 256, 2048},
    {53, 1, 998, 1600, 64, 256},          {60, 56, 1328, 715, 4096, 4096},
    {61, 20, 1733, 5005, 256, 2048},      {62, 2, 1300, 1600, 128, 512},
    {70, 80, 1530, 877, 4096, 6144},      {72, 8, 1377, 2133, 256, 512},
    {75, 40, 1590, 5001, 256, 4096},      {80, 108, 1410, 1215, 5120, 40960},
    {86, 84, 1740, 7251, 384, 6144},      {87, 16, 1300, 3200, 256, 4096},
    {89, 142, 2490, 9001, 384, 98304},    {90, 132, 1980, 3201, 6016, 61440},
    {100, 148, 1965, 3996, 8192, 129024}, {101, 20, 1575, 4266, 256, 32768},
    {103, 148, 1920, 3996, 8192, 129024}, {110, 20, 1575, 4266, 256, 32768},
    {120, 170, 2407, 14001, 512, 98304},  {121, 48, 2418, 4266, 256, 24576},
};

struct device_model device_model_of(unsigned arch) {
    struct device_model model = {
        .arch = arch,
        .limits = run_limits_of(arch),
    };
    snprintf(model.name, sizeof model.name, "bankrun sm_%u (simulated)", arch);
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        const struct product *product = &products[i];
        if (product->arch != arch)
            continue;
        model.limits.multiprocessors = (unsigned)product->multiprocessors;
        model.clock_khz = product->clock_mhz * 1000;
        model.memory_clock_khz = product->memory_clock_mhz * 1000;
        model.bus_bits = product->bus_bits;
        model.l2_bytes = product->l2_kb * 1024;
    }
    assert(model.clock_khz && "each architecture of banks/architectures.c has a product");
    if (arch >= 80)
        model.persisting_l2_bytes = model.l2_bytes / 8 * 5;
    return model;
}

struct constant {
    int first, last; // attribute numbers
    int value;
};

// What does not depend on the architecture (attribute numbers of cudaDeviceAttr), as a 9.0 device
// answers. What the simulated device cannot do (ECC, peers, RDMA, sparse arrays) is 0.
static const struct constant constants[] = {
    {9, 9, 65536},         {10, 10, 32},      {11, 11, INT32_MAX}, {14, 14, 512},
    {15, 15, 1},           {17, 18, 0},       {19, 19, 1},         {20, 20, 0},
    {21, 22, 131072},      {23, 23, 65536},   {24, 26, 16384},     {27, 28, 32768},
    {29, 29, 2048},        {30, 30, 512},     {31, 31, 1},         {32, 35, 0},
    {40, 40, 3},           {41, 41, 1},       {42, 42, 32768},     {43, 43, 2048},
    {44, 44, 1},           {45, 46, 32768},   {47, 48, 8192},      {49, 49, 32768},
    {50, 50, 0},           {51, 51, 32},      {52, 53, 32768},     {54, 54, 2046},
    {55, 55, 32768},       {56, 56, 131072},  {57, 57, 65536},     {58, 60, 16384},
    {61, 61, 32768},       {62, 62, 2048},    {63, 64, 32768},     {65, 65, 2048},
    {66, 67, 32768},       {68, 68, 2046},    {69, 69, 268435456}, {70, 70, 131072},
    {71, 71, 65000},       {72, 72, 2097120}, {73, 74, 32768},     {77, 77, 32768},
    {78, 80, 1},           {83, 83, 1},       {84, 86, 0},         {88, 88, 0},
    {89, 91, 1},           {92, 94, 0},       {98, 98, 0},         {99, 99, 1},
    {100, 101, 0},         {102, 103, 1},     {104, 105, 0},       {107, 107, 0},
    {109, 109, 134217728}, {110, 110, 0},     {112, 114, 0},       {115, 115, 1},
    {116, 119, 0},         {121, 121, 0},     {122, 123, 1},       {124, 124, 0},
    {125, 125, 1},         {126, 126, 1},     {127, 130, 0},       {131, 131, -1},
    {132, 143, 0},         {144, 144, 0},     {145, 147, 0},
};

static bool constant_of(int attribute, int *value) {
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
        if (attribute >= constants[i].first && attribute <= constants[i].last) {
            *value = constants[i].value;
            return true;
        }
    }
    return false;
}

bool device_model_attribute(const struct device_model *model, int attribute, int *value) {
    const struct bankrun_limits *limits = model->limits.chip;
    switch (attribute) {
    case 1: // the largest block, and its extents
        *value = (int)limits->threads_per_block;
        return true;
    case 2:
    case 3:
    case 4:
        *value = (int)model->limits.block[attribute - 2];
        return true;
    case 5: // extents of the largest grid
    case 6:
    case 7:
        *value = (int)model->limits.grid[attribute - 5];
        return true;
    case 8:
        *value = (int)model->limits.shared_bytes;
        return true;
    case 12: // registers of a block, of a multiprocessor
        *value = (int)(limits->registers < 65536 ? limits->registers : 65536);
        return true;
    case 82:
        *value = (int)limits->registers;
        return true;
    case 13:
        *value = model->clock_khz;
        return true;
    case 16:
        *value = (int)model->limits.multiprocessors;
        return true;
    case 36:
        *value = model->memory_clock_khz;
        return true;
    case 37:
        *value = model->bus_bits;
        return true;
    case 38:
        *value = model->l2_bytes;
        return true;
    case 39:
        *value = (int)limits->warps * 32;
        return true;
    case 75:
        *value = (int)model->arch / 10;
        return true;
    case 76:
        *value = (int)model->arch % 10;
        return true;
    case 81:
        *value = (int)limits->shared_bytes;
        return true;
    case 87: // single to double precision: full rate on the large chips of each generation
        *value = model->arch % 10 == 0 && model->arch >= 60 && model->arch < 110 ? 2 : 32;
        return true;
    case 95: // cooperative launches, of one and of several devices
        *value = model->arch >= 60;
        return true;
    case 96:
        *value = 0;
        return true;
    case 97:
        *value = (int)limits->shared_block_bytes;
        return true;
    case 106:
        *value = (int)limits->blocks;
        return true;
    case 108:
        *value = model->persisting_l2_bytes;
        return true;
    case 111:
        *value = (int)limits->shared_reserved;
        return true;
    case 120: // clusters
        *value = model->arch >= 90;
        return true;
    }
    return constant_of(attribute, value);
}
