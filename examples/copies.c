/* How far apart should the rows of a matrix be, so that cp.async moves a tile of it without
 * waiting? Eight rows of 64 bytes at a time, 16 bytes a lane, side by side in shared memory. Prints
 * the wavefronts of one warp for some usual row pitches and for 64 bytes more.
 *
 *     cc copies.c $(pkg-config --cflags --libs bankrun-banks) -o copies
 */
#include <stdio.h>

#include <bankrun/banks.h>

int main(void) {
    static const uint32_t pitches[] = {128, 192, 1024, 1088, 4096, 4160, 8192, 8256};
    for (unsigned p = 0; p < sizeof pitches / sizeof *pitches; p++) {
        uint32_t pitch = pitches[p];
        uint32_t offsets[BANKRUN_LANES];
        uint64_t sources[BANKRUN_LANES];
        for (uint32_t lane = 0; lane < BANKRUN_LANES; lane++) {
            offsets[lane] = 16 * lane;
            sources[lane] = lane / 4 * pitch + lane % 4 * 16;
        }
        struct bankrun_copy copy = {16, 0xffffffffu, offsets, sources};
        struct bankrun_cost cost;
        enum bankrun_status status = bankrun_count_copy(90, &copy, &cost);
        if (status != BANKRUN_OK) {
            fprintf(stderr, "%s\n", bankrun_status_text(status));
            return 1;
        }
        printf("%5u bytes: %2u wavefronts, %u from the cache, ideal %u (%s)\n", (unsigned)pitch,
               (unsigned)cost.wavefronts, (unsigned)cost.min, (unsigned)cost.ideal,
               bankrun_certainty_text(cost.certainty));
    }
    return 0;
}
