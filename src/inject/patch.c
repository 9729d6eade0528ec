#include <string.h>

#include "inject/inject.h"

bool inject_jump(void *from, size_t room, const void *to) {
#if defined __x86_64__
    unsigned char code[14] = {0xff, 0x25, 0, 0, 0, 0}; // jmp *(the 8 bytes behind)
    enum { ADDRESS = 6 };
#elif defined __aarch64__
    unsigned char code[16] = {0x50, 0x00, 0x00, 0x58,  // ldr x16, the 8 bytes behind
                              0x00, 0x02, 0x1f, 0xd6}; // br x16
    enum { ADDRESS = 8 };
#else
    unsigned char code[1];
    (void)to, (void)code, (void)from, (void)room;
    return false;
#endif
#if defined __x86_64__ || defined __aarch64__
    if (room < sizeof code)
        return false;
    memcpy(code + ADDRESS, &to, sizeof to);
    memcpy(from, code, sizeof code);
    __builtin___clear_cache((char *)from, (char *)from + sizeof code);
    return true;
#endif
}
