// How much padding does a tile of doubles need so that its columns can be read without conflicts?
//
//     c++ padding.cpp $(pkg-config --cflags --libs bankrun-banks) -o padding
#include <array>
#include <cstdint>
#include <cstdio>

#include <bankrun/banks.h>

// Excess wavefronts of a warp that reads a column of `double tile[32][32 + padding]`.
static std::uint32_t column_excess(unsigned arch, std::uint32_t padding) {
    std::array<std::uint32_t, BANKRUN_LANES> offsets{};
    for (std::uint32_t lane = 0; lane < BANKRUN_LANES; lane++)
        offsets[lane] = 8 * lane * (32 + padding);
    bankrun_request request{};
    request.access = BANKRUN_LOAD;
    request.width = 8;
    request.mask = 0xffffffffu;
    request.offsets = offsets.data();
    bankrun_cost cost{};
    if (bankrun_count(arch, &request, &cost) != BANKRUN_OK)
        return UINT32_MAX;
    return cost.wavefronts - cost.ideal;
}

int main() {
    for (std::uint32_t padding = 0; padding <= 4; padding++)
        std::printf("double tile[32][%u]: %u excess wavefronts a column on sm_90\n",
                    static_cast<unsigned>(32 + padding),
                    static_cast<unsigned>(column_excess(90, padding)));
}
