// Texts and properties of types, modifiers and special registers.
#include "ptx/ptx.h"

#include <assert.h>

static const struct {
    const char *text;
    unsigned char bytes, class;
} types[PTX_TYPE_COUNT] = {[PTX_NO_TYPE] = {"", 0, PTX_CLASS_NONE},
#define X(name, text, bytes, class) [PTX_##name] = {text, bytes, PTX_CLASS_##class},
                           PTX_TYPES(X)
#undef X
};

const char *ptx_type_text(enum ptx_type type) {
    assert(type < PTX_TYPE_COUNT);
    return types[type].text;
}

unsigned ptx_type_bytes(enum ptx_type type) {
    assert(type < PTX_TYPE_COUNT);
    return types[type].bytes;
}

enum ptx_type_class ptx_type_class(enum ptx_type type) {
    assert(type < PTX_TYPE_COUNT);
    return (enum ptx_type_class)types[type].class;
}

const char *ptx_modifier_text(enum ptx_modifier modifier) {
    static const char *const texts[PTX_MOD_COUNT] = {
        [PTX_MOD_NONE] = "",
#define X(name, text) [PTX_MOD_##name] = text,
#include "ptx/modifiers.def"
#undef X
    };
    assert(modifier < PTX_MOD_COUNT);
    return texts[modifier];
}

const char *ptx_sreg_text(enum ptx_sreg sreg) {
    static const char *const texts[PTX_SREG_COUNT] = {
        [PTX_SREG_NONE] = "",
#define X(name, text, type) [PTX_SREG_##name] = text,
#include "ptx/sregs.def"
#undef X
    };
    assert(sreg < PTX_SREG_COUNT);
    return texts[sreg];
}

enum ptx_type ptx_sreg_type(enum ptx_sreg sreg) {
    static const unsigned char sreg_types[PTX_SREG_COUNT] = {
        [PTX_SREG_NONE] = PTX_NO_TYPE,
#define X(name, text, type) [PTX_SREG_##name] = PTX_##type,
#include "ptx/sregs.def"
#undef X
    };
    assert(sreg < PTX_SREG_COUNT);
    return (enum ptx_type)sreg_types[sreg];
}
