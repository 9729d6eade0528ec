// Numbers of launch specifications: text to bits, initial values of buffers, bits to text.
#include "cli/launch_spec.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum ptx_type launch_type(const char *text, size_t length) {
    static const enum ptx_type types[] = {
        PTX_U8,  PTX_S8,  PTX_U16, PTX_S16,  PTX_U32, PTX_S32, PTX_U64, PTX_S64,
        PTX_F16, PTX_F32, PTX_F64, PTX_BF16, PTX_B8,  PTX_B16, PTX_B32, PTX_B64,
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        const char *name = ptx_type_text(types[i]);
        if (strlen(name) == length && !memcmp(name, text, length))
            return types[i];
    }
    return PTX_NO_TYPE;
}

// A float of 16 bits with this many mantissa bits (10: f16, 7: bf16), to nearest, ties to even.
static uint64_t narrow_float(double value, int mantissa_bits) {
    int exponent_bits = 15 - mantissa_bits, bias = (1 << (exponent_bits - 1)) - 1;
    uint64_t sign = signbit(value) ? 0x8000 : 0;
    uint64_t infinity = (((uint64_t)1 << exponent_bits) - 1) << mantissa_bits;
    if (isnan(value))
        return 0x7fff;
    double magnitude = fabs(value);
    if (isinf(magnitude))
        return sign | infinity;
    int exponent;
    frexp(magnitude, &exponent); // magnitude = [0.5, 1) * 2^exponent
    exponent -= 1;
    if (exponent < 1 - bias) // subnormal
        exponent = 1 - bias;
    // In units of the last place; a carry into the next power of two comes out right by itself.
    uint64_t units = (uint64_t)nearbyint(ldexp(magnitude, mantissa_bits - exponent));
    if (units == 0)
        return sign;
    uint64_t bits = units + ((uint64_t)(exponent + bias - 1) << mantissa_bits);
    return sign | (bits > infinity ? infinity : bits);
}

static double widen_float(uint64_t bits, int mantissa_bits) {
    int exponent_bits = 15 - mantissa_bits, bias = (1 << (exponent_bits - 1)) - 1;
    int exponent = (int)(bits >> mantissa_bits) & ((1 << exponent_bits) - 1);
    double mantissa = (double)(bits & (((uint64_t)1 << mantissa_bits) - 1));
    double magnitude;
    if (exponent == (1 << exponent_bits) - 1)
        magnitude = mantissa != 0 ? (double)NAN : (double)INFINITY;
    else if (exponent == 0)
        magnitude = ldexp(mantissa, 1 - bias - mantissa_bits);
    else
        magnitude =
            ldexp(mantissa + (double)(1u << mantissa_bits), exponent - bias - mantissa_bits);
    return bits & 0x8000 ? -magnitude : magnitude;
}

static uint64_t float_bits(double value, enum ptx_type type) {
    uint64_t bits = 0;
    float single = (float)value;
    if (type == PTX_F64)
        memcpy(&bits, &value, sizeof value);
    else if (type == PTX_F32)
        memcpy(&bits, &single, sizeof single);
    else
        bits = narrow_float(value, type == PTX_F16 ? 10 : 7);
    return bits;
}

static uint64_t all_bits(enum ptx_type type) {
    return ~(uint64_t)0 >> (64 - 8 * ptx_type_bytes(type));
}

static bool integer_number(const char *text, enum ptx_type type, uint64_t *bits, const char **why) {
    bool is_negative = *text == '-';
    const char *digits = text + (*text == '-' || *text == '+');
    char *end;
    errno = 0;
    unsigned long long magnitude = strtoull(digits, &end, 10);
    if (!isdigit((unsigned char)*digits) || *end) {
        *why = "is no integer";
        return false;
    }
    // Bit types take what fits either way.
    enum ptx_type_class class = ptx_type_class(type);
    uint64_t all = all_bits(type);
    uint64_t most = class == PTX_CLASS_SIGNED ? all >> 1 : all;
    uint64_t least = class == PTX_CLASS_UNSIGNED ? 0 : (all >> 1) + 1; // magnitude
    if (errno || magnitude > (is_negative ? least : most)) {
        *why = "does not fit its type";
        return false;
    }
    *bits = (is_negative ? 0 - (uint64_t)magnitude : (uint64_t)magnitude) & all;
    return true;
}

static bool float_number(const char *text, enum ptx_type type, uint64_t *bits, const char **why) {
    char *end;
    const char *digits = text + (*text == '-' || *text == '+');
    double value = strtod(text, &end);
    if (*end || !(isdigit((unsigned char)*digits) || *digits == '.' || !strcmp(digits, "inf") ||
                  !strcmp(digits, "nan"))) {
        *why = "is no number";
        return false;
    }
    *bits = float_bits(value, type);
    if (type == PTX_F32) { // once rounded, not twice
        float single = strtof(text, NULL);
        *bits = 0;
        memcpy(bits, &single, sizeof single);
    }
    return true;
}

bool launch_number(const char *text, size_t length, enum ptx_type type, uint64_t *bits,
                   const char **why) {
    char copy[128];
    if (length == 0 || length >= sizeof copy) {
        *why = "is no number";
        return false;
    }
    memcpy(copy, text, length);
    copy[length] = '\0';
    if (copy[0] == '0' && (copy[1] == 'x' || copy[1] == 'X')) {
        char *end;
        errno = 0;
        unsigned long long value = strtoull(copy + 2, &end, 16);
        if (!isxdigit((unsigned char)copy[2]) || *end) {
            *why = "is no hexadecimal number";
            return false;
        }
        if (errno || value > all_bits(type)) {
            *why = "does not fit its type";
            return false;
        }
        *bits = value;
        return true;
    }
    if (ptx_type_class(type) == PTX_CLASS_FLOAT)
        return float_number(copy, type, bits, why);
    return integer_number(copy, type, bits, why);
}

static void store(void *memory, uint64_t index, unsigned bytes, uint64_t bits) {
    memcpy((char *)memory + index * bytes, &bits, bytes); // little-endian, as the simulated device
}

// splitmix64: every seed gives a good sequence.
static uint64_t next_random(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

void launch_fill(const struct launch_argument *argument, void *memory) {
    enum ptx_type type = argument->type;
    unsigned bytes = ptx_type_bytes(type);
    bool is_float = ptx_type_class(type) == PTX_CLASS_FLOAT;
    int precision = type == PTX_F64 ? 53 : type == PTX_F32 ? 24 : type == PTX_F16 ? 11 : 8;
    uint64_t random = argument->seed;
    for (uint64_t i = 0; i < argument->count; i++) {
        uint64_t bits = 0;
        switch (argument->init) {
        case LAUNCH_IOTA:
            bits = is_float ? float_bits((double)i, type) : i;
            break;
        case LAUNCH_RANDOM:
            bits = next_random(&random);
            if (is_float) // as many bits as are exact, so that 1 is never reached
                bits = float_bits(ldexp((double)(bits >> (64 - precision)), -precision), type);
            break;
        case LAUNCH_VALUES:
            if (!argument->is_list)
                bits = argument->values[0];
            else if (i < argument->value_count)
                bits = argument->values[i];
            break;
        case LAUNCH_ZERO:
        case LAUNCH_FILE:
            break;
        }
        store(memory, i, bytes, bits);
    }
}

static void print_value(enum ptx_type type, uint64_t bits, FILE *out) {
    unsigned unused = 64 - 8 * ptx_type_bytes(type);
    double value;
    float single;
    switch (ptx_type_class(type)) {
    case PTX_CLASS_FLOAT:
        if (type == PTX_F32) {
            memcpy(&single, &bits, sizeof single);
            fprintf(out, "%.9g", (double)single);
        } else if (type == PTX_F64) {
            memcpy(&value, &bits, sizeof value);
            fprintf(out, "%.17g", value);
        } else {
            fprintf(out, "%.9g", widen_float(bits, type == PTX_F16 ? 10 : 7));
        }
        break;
    case PTX_CLASS_SIGNED:
        fprintf(out, "%" PRId64, (int64_t)(bits << unused) >> unused);
        break;
    case PTX_CLASS_BITS:
        fprintf(out, "0x%0*" PRIx64, (int)(2 * ptx_type_bytes(type)), bits);
        break;
    default:
        fprintf(out, "%" PRIu64, bits);
        break;
    }
}

void launch_print_values(enum ptx_type type, const void *memory, uint64_t count, FILE *out) {
    unsigned bytes = ptx_type_bytes(type);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t bits = 0;
        memcpy(&bits, (const char *)memory + i * bytes, bytes);
        if (i)
            fputc(' ', out);
        print_value(type, bits, out);
    }
}
