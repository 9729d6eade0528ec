// Runs a fuzz target once on each file named on the command line, so that what a fuzzer once
// found stays found on machines without one.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        char *data;
        size_t length;
        if (!file_read(argv[i], &data, &length)) {
            perror(argv[i]);
            return 1;
        }
        // An exact copy, without the NUL behind it: reads past the end are then found.
        uint8_t *exact = malloc(length ? length : 1);
        if (!exact) {
            free(data);
            return 1;
        }
        memcpy(exact, data, length);
        free(data);
        LLVMFuzzerTestOneInput(exact, length);
        free(exact);
    }
    return 0;
}
