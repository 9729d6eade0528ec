/* Which strides conflict? Prints, for a few architectures, the wavefronts of s[stride * tid].
 *
 *     cc strides.c $(pkg-config --cflags --libs bankrun-banks) -o strides
 */
#include <stdio.h>

#include <bankrun/banks.h>

int main(void) {
    static const unsigned archs[] = {13, 20, 35, 70, 90};
    printf("stride");
    for (unsigned a = 0; a < sizeof archs / sizeof *archs; a++)
        printf("  sm_%u", archs[a]);
    for (uint32_t stride = 1; stride <= 8; stride++) {
        uint32_t offsets[BANKRUN_LANES];
        for (uint32_t lane = 0; lane < BANKRUN_LANES; lane++)
            offsets[lane] = 4 * stride * lane;
        struct bankrun_request request = {BANKRUN_LOAD, 4, 0, 0xffffffffu, offsets};
        printf("\n%6u", (unsigned)stride);
        for (unsigned a = 0; a < sizeof archs / sizeof *archs; a++) {
            struct bankrun_cost cost;
            enum bankrun_status status = bankrun_count(archs[a], &request, &cost);
            if (status != BANKRUN_OK) {
                fprintf(stderr, "%s\n", bankrun_status_text(status));
                return 1;
            }
            printf("  %5u", (unsigned)cost.wavefronts);
        }
    }
    printf("\n");
    return 0;
}
