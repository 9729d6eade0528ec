/* From a request to its cost: checks it, picks the rule, says how sure the rule is.
 * Sources: measurements on compute capability 9.0 (truth/h200_patterns.csv.gz) and the chapters
 * on compute capabilities of the CUDA C++ Programming Guide; docs/bank-rules.md has them all. */
#include "model.h"

const char *bankrun_status_text(enum bankrun_status status) {
    switch (status) {
    case BANKRUN_OK:
        return "ok";
    case BANKRUN_BAD_ARCH:
        return "no bank model for this architecture";
    case BANKRUN_BAD_WIDTH:
        return "the width or the number of matrices does not fit the access";
    case BANKRUN_MISALIGNED:
        return "an active lane's offset is no multiple of the width";
    case BANKRUN_EMPTY_MASK:
        return "no lane is active";
    case BANKRUN_NO_ACCESS:
        return "the architecture has no such instruction";
    }
    return "unknown status";
}

const char *bankrun_certainty_text(enum bankrun_certainty certainty) {
    static const char *const texts[] = {"measured", "documented", "assumed", "unknown"};
    return certainty <= BANKRUN_UNKNOWN ? texts[certainty] : "unknown";
}

const char *bankrun_access_text(enum bankrun_access access) {
    static const char *const texts[BANKRUN_ACCESSES] = {
        [BANKRUN_LOAD] = "load",
        [BANKRUN_STORE] = "store",
        [BANKRUN_ATOMIC] = "atomic",
        [BANKRUN_ATOMIC_CONSTANT] = "atomic_constant",
        [BANKRUN_ATOMIC_CAS] = "atomic_cas",
        [BANKRUN_ATOMIC_LOOP] = "atomic_loop",
        [BANKRUN_MATRIX_LOAD] = "matrix_load",
        [BANKRUN_MATRIX_STORE] = "matrix_store",
        [BANKRUN_ASYNC_COPY] = "async_copy",
        [BANKRUN_ATOMIC_EARLY_LOOP] = "atomic_early_loop",
        [BANKRUN_GENERIC_LOAD] = "generic_load",
        [BANKRUN_GENERIC_LOOP] = "generic_loop",
        [BANKRUN_GENERIC_EARLY_LOOP] = "generic_early_loop",
    };
    return (unsigned)access < BANKRUN_ACCESSES ? texts[access] : "unknown";
}

static bool is_matrix(enum bankrun_access access) {
    return access == BANKRUN_MATRIX_LOAD || access == BANKRUN_MATRIX_STORE;
}

static bool width_fits(const struct bankrun_request *request) {
    unsigned width = request->width, matrices = request->matrices;
    if (is_matrix(request->access))
        return width == 16 && (matrices == 1 || matrices == 2 || matrices == 4);
    if (matrices != 0)
        return false;
    switch (request->access) {
    case BANKRUN_LOAD:
    case BANKRUN_GENERIC_LOAD:
    case BANKRUN_STORE:
        return width == 1 || width == 2 || width == 4 || width == 8 || width == 16;
    case BANKRUN_ATOMIC: /* exch has a native form in all of these */
    case BANKRUN_ATOMIC_CAS:
        return width == 4 || width == 8 || width == 16;
    case BANKRUN_ATOMIC_CONSTANT:
        return width == 4;
    case BANKRUN_ATOMIC_EARLY_LOOP:
    case BANKRUN_GENERIC_EARLY_LOOP:
        return width == 8;
    case BANKRUN_ATOMIC_LOOP:
    case BANKRUN_GENERIC_LOOP:
        return width == 2 || width == 4 || width == 8 || width == 16;
    case BANKRUN_ASYNC_COPY:
        return width == 4 || width == 8 || width == 16;
    default:
        return false;
    }
}

static bool is_aligned(uint32_t mask, unsigned width, const uint32_t *offsets) {
    uint32_t low = 0;
    if (mask == UINT32_MAX) {
        for (unsigned lane = 0; lane < BANKRUN_LANES; lane++)
            low |= offsets[lane];
    } else {
        for (; mask != 0; mask &= mask - 1)
            low |= offsets[__builtin_ctz(mask)];
    }
    return (low & (width - 1)) == 0;
}

static enum bankrun_status check(enum bankrun_family family,
                                 const struct bankrun_request *request) {
    if (family == BANKRUN_FAMILY_NONE)
        return BANKRUN_BAD_ARCH;
    if (!width_fits(request))
        return BANKRUN_BAD_WIDTH;
    uint32_t lanes = bankrun_active_lanes(request);
    if (lanes == 0)
        return BANKRUN_EMPTY_MASK;
    return is_aligned(lanes, request->width, request->offsets) ? BANKRUN_OK : BANKRUN_MISALIGNED;
}

static enum bankrun_certainty certainty(unsigned arch, const struct bankrun_request *request) {
    if (request->access == BANKRUN_ASYNC_COPY)
        return BANKRUN_UNKNOWN;
    if (bankrun_is_loop(request->access) && request->width == 16)
        return BANKRUN_ASSUMED;
    if (arch == 90)
        return BANKRUN_MEASURED;
    bool is_plain = request->access == BANKRUN_LOAD || request->access == BANKRUN_GENERIC_LOAD ||
                    request->access == BANKRUN_STORE;
    return is_plain && request->width <= 4 ? BANKRUN_DOCUMENTED : BANKRUN_ASSUMED;
}

static void count_modern(const struct bankrun_request *request, struct bankrun_cost *cost) {
    if (bankrun_is_loop(request->access)) {
        bankrun_loop_cost(request, cost);
        return;
    }
    struct bankrun_shape shape;
    struct bankrun_degrees degrees;
    uint32_t lanes = bankrun_active_lanes(request);
    bankrun_modern_shape(request, &shape);
    unsigned passes = request->access == BANKRUN_ATOMIC_CAS ? 2 : 1;
    if (request->access == BANKRUN_ATOMIC || request->access == BANKRUN_ATOMIC_CAS ||
        request->access == BANKRUN_ASYNC_COPY)
        bankrun_count_lanes(&shape, lanes, request->offsets, &degrees);
    else
        bankrun_count_units(&shape, lanes, request->offsets, &degrees);
    cost->phases = bankrun_active_phases(&shape, lanes);
    cost->degree = degrees.most;
    cost->wavefronts = cost->min = cost->max = passes * degrees.sum;
    cost->ideal = passes * cost->phases;
    if (request->access == BANKRUN_ASYNC_COPY) /* its source may make every lane go alone */
        cost->max = (uint32_t)__builtin_popcount(lanes);
}

static bool is_plain(enum bankrun_access access, unsigned width) {
    return access <= BANKRUN_STORE && (width == 1 || width == 2 || width == 4);
}

/* The most frequent requests, without detours: loads and stores of up to 32 bits a lane by a whole
 * warp, or by lanes that do not collide. False: it is not that, or this machine has no fast way. */
static bool count_quickly(unsigned arch, const struct bankrun_request *request,
                          struct bankrun_cost *cost) {
    unsigned degree = 1, width = request->width;
    if (!is_plain(request->access, width) || request->matrices != 0 || request->mask == 0)
        return false;
    if (request->mask != UINT32_MAX ? !bankrun_is_once(request->offsets, width, request->mask)
                                    : !bankrun_count_words(request->offsets, width, &degree))
        return false;
    *cost = (struct bankrun_cost){degree, degree, degree, 1, degree, 1, certainty(arch, request)};
    return true;
}

bool bankrun_is_by_words(unsigned arch, enum bankrun_access access, unsigned width) {
    return bankrun_family_of(arch) == BANKRUN_FAMILY_MODERN &&
           (is_plain(access, width) || (access == BANKRUN_ATOMIC_CONSTANT && width == 4));
}

unsigned bankrun_most_words(const uint32_t *offsets) {
    unsigned degree = 0;
    return bankrun_count_words(offsets, 1, &degree) ? degree : 0;
}

enum bankrun_status bankrun_count(unsigned arch, const struct bankrun_request *request,
                                  struct bankrun_cost *cost) {
    enum bankrun_family family = bankrun_family_of(arch);
    if (family == BANKRUN_FAMILY_MODERN && count_quickly(arch, request, cost))
        return BANKRUN_OK;
    enum bankrun_status status = check(family, request);
    if (status != BANKRUN_OK)
        return status;
    if (family == BANKRUN_FAMILY_1) {
        bankrun_count_family_1(request, cost);
    } else if (family == BANKRUN_FAMILY_MODERN) {
        count_modern(request, cost);
        cost->certainty = certainty(arch, request);
    } else {
        bankrun_count_legacy(arch, request, cost);
    }
    return BANKRUN_OK;
}

uint32_t bankrun_phase_lanes(unsigned arch, const struct bankrun_request *request, unsigned n) {
    enum bankrun_family family = bankrun_family_of(arch);
    if (family == BANKRUN_FAMILY_NONE || !width_fits(request))
        return 0;
    if (family == BANKRUN_FAMILY_1)
        return bankrun_family_1_phase(request, n);
    if (family != BANKRUN_FAMILY_MODERN)
        return bankrun_legacy_phase(arch, request, n);
    struct bankrun_shape shape;
    uint32_t lanes = bankrun_active_lanes(request);
    bankrun_modern_shape(request, &shape);
    for (unsigned phase = 0; phase < bankrun_shape_phases(&shape); phase++) {
        uint32_t served = lanes & bankrun_shape_lanes(&shape, phase);
        if (served != 0 && n-- == 0)
            return served;
    }
    return 0;
}
