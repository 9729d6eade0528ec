// Run by the build: says which lane code is the widest that this machine executes.
#include "sim/machine.h"

#include <stdio.h>

int main(void) {
    puts(machine_has_avx512() ? "avx512" : machine_has_avx2() ? "avx2" : "base");
    return 0;
}
