// libFuzzer asks here for new inputs: mostly mutants token by token, at times its own.
#include <string.h>

#include "mutate.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *data, size_t size, const uint8_t *other,
                                 size_t other_size, uint8_t *out, size_t most, unsigned seed);

static size_t take(struct strbuf *mutant, uint8_t *out, size_t most) {
    const size_t length = mutant->length < most ? mutant->length : most;
    if (length)
        memcpy(out, mutant->data, length);
    strbuf_free(mutant);
    return length;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    enum { OWN = 16 };
    if (seed % OWN == 0)
        return LLVMFuzzerMutate(data, size, most);
    struct strbuf mutant = {0};
    mutate_ptx((const char *)data, size, NULL, 0, seed, &mutant);
    return take(&mutant, data, most);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *data, size_t size, const uint8_t *other,
                                 size_t other_size, uint8_t *out, size_t most, unsigned seed) {
    struct strbuf mutant = {0};
    mutate_ptx((const char *)data, size, (const char *)other, other_size, seed, &mutant);
    return take(&mutant, out, most);
}
