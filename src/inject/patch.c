#include <stdint.h>
#include <string.h>

#include "inject/inject.h"

bool inject_jump_through(void *from, size_t room, const void *record) {
#if defined __x86_64__
    unsigned char code[13] = {0x49, 0xbb, 0,   0, 0, 0, 0, 0, 0, 0, // movabs $record, %r11
                              0x41, 0xff, 0x23};                    // jmp *(%r11)
    enum { ADDRESS = 2 };
#elif defined __aarch64__
    unsigned char code[20] = {0x71, 0x00, 0x00, 0x58,  // ldr x17, the 8 bytes behind
                              0x30, 0x02, 0x40, 0xf9,  // ldr x16, [x17]
                              0x00, 0x02, 0x1f, 0xd6}; // br x16
    enum { ADDRESS = 12 };
#else
    unsigned char code[1];
    (void)record, (void)code, (void)from, (void)room;
    return false;
#endif
#if defined __x86_64__ || defined __aarch64__
    if (room < sizeof code)
        return false;
    memcpy(code + ADDRESS, &record, sizeof record);
    memcpy(from, code, sizeof code);
    __builtin___clear_cache((char *)from, (char *)from + sizeof code);
    return true;
#endif
}
