// The machines: one product for each architecture.
//
// 9.0 is an H200 as it was found (cudaGetDeviceProperties; truth/h200_cost.csv for the rest). The
// others are from public documents, the one of each row, and nothing of them was measured.
#include <stddef.h>

#include "cost/cost.h"

#define MB(n) ((n)*1048576.0)

// clang-format off
static const struct cost_machine machines[] = {
    // "NVIDIA Tesla V100 GPU Architecture", 2017
    {70, "V100", 80, 1.530, 900, MB(6)},
    // "NVIDIA Turing GPU Architecture", 2018, and the data sheet of the T4
    {75, "T4", 40, 1.590, 320, MB(4)},
    // "NVIDIA A100 Tensor Core GPU Architecture", 2020: with 40 GB
    {80, "A100", 108, 1.410, 1555, MB(40)},
    // "NVIDIA Ampere GA102 GPU Architecture", 2020, and the data sheet of the A40
    {86, "A40", 84, 1.740, 696, MB(6)},
    // "NVIDIA Ada GPU Architecture", 2022, and the data sheet of the L40
    {89, "L40", 142, 2.490, 864, MB(96)},
    {90, "H200", 132, 1.980, 4800, MB(60)},
    // Data sheet of Blackwell, 2024
    {100, "B200", 148, 1.965, 8000, MB(126)},
    // "NVIDIA RTX Blackwell GPU Architecture", 2025
    {120, "RTX 5090", 170, 2.407, 1792, MB(96)},
};
// clang-format on

const struct cost_machine *cost_machine_of(unsigned arch) {
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
        if (machines[i].arch == arch)
            return &machines[i];
    return NULL;
}
