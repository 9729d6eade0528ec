// The machines: one product for each architecture.
//
// 9.0 is an H200 as it was found (cudaGetDeviceProperties; truth/h200_cost.csv for the rest). The
// others are from public documents, and nothing of them was measured:
//   7.0   V100 SXM2: "NVIDIA Tesla V100 GPU Architecture" (2017), 80 multiprocessors, 1530 MHz, 900
//   GB/s, 6 MB 7.5   T4: "NVIDIA Turing GPU Architecture" (2018) and T4 data sheet, 40, 1590 MHz,
//   320 GB/s, 4 MB 8.0   A100 40 GB: "NVIDIA A100 Tensor Core GPU Architecture" (2020), 108, 1410
//   MHz, 1555 GB/s, 40 MB 8.6   A40: "NVIDIA Ampere GA102 GPU Architecture" (2020) and A40 data
//   sheet, 84, 1740 MHz, 696 GB/s, 6 MB 8.9   L40S: "NVIDIA Ada GPU Architecture" (2022) and L40S
//   data sheet, 142, 2520 MHz, 864 GB/s, 96 MB 10.0  B200: Blackwell data sheet (2024), 148, 1965
//   MHz, 8000 GB/s, 126 MB 12.0  RTX 5090: "NVIDIA RTX Blackwell GPU Architecture" (2025), 170,
//   2407 MHz, 1792 GB/s, 96 MB
#include <stddef.h>

#include "cost/cost.h"

#define MB(n) ((n)*1048576.0)

static const struct cost_machine machines[] = {
    {70, "V100", 80, 1.530, 900, MB(6)},      {75, "T4", 40, 1.590, 320, MB(4)},
    {80, "A100", 108, 1.410, 1555, MB(40)},   {86, "A40", 84, 1.740, 696, MB(6)},
    {89, "L40", 142, 2.490, 864, MB(96)},     {90, "H200", 132, 1.980, 4800, MB(60)},
    {100, "B200", 148, 1.965, 8000, MB(126)}, {120, "RTX 5090", 170, 2.407, 1792, MB(96)},
};

const struct cost_machine *cost_machine_of(unsigned arch) {
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
        if (machines[i].arch == arch)
            return &machines[i];
    return NULL;
}
