// Libraries that exist only as machine code (coded.h), however a program comes by them. Each of
// their functions is made to jump here where it computes something: a call says its function's
// name, and returns what the library returns for what it does not do. Handles are ours, as packages
// have them made before they know what they will compute; what describes a computation stays the
// library's own, so that what is named is the computation.
#define _GNU_SOURCE // dladdr
#include "inject/coded.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "base/text.h"
#include "inject/functions.h"

#define USED __attribute__((used, visibility("hidden")))

// A function of a library. It is never freed: code leads here.
struct refusal {
    const void *target; // where calls go
    const struct coded_library *library;
    const char *name;
    struct refusal *next;
    unsigned was_said;
};

// ---- A call -------------------------------------------------------------------------------------

struct caller {
    const char *part; // of the path of what calls
    const char *name; // of the package
    const char *way_out;
};

#define JAX_WAY                                                                                    \
    "have JAX compute this step on the CPU: with jax.default_device(jax.devices(\"cpu\")[0])"

static const struct caller callers[] = {
    {"-packages/torch/", "PyTorch", "move its tensors to the CPU first: tensor.cpu()"},
    {"/torch/lib/libtorch", "PyTorch", "move its tensors to the CPU first: tensor.cpu()"},
    {"-packages/cupy", "CuPy", "compute this step by NumPy or SciPy: cupy.asnumpy(array)"},
    {"-packages/jax", "JAX", JAX_WAY},
    {"/xla_cuda", "JAX", JAX_WAY},
};

static const struct caller *caller_of(const void *address) {
    Dl_info info;
    if (dladdr(address, &info) && info.dli_fname)
        for (size_t i = 0; i < sizeof callers / sizeof *callers; i++)
            if (strstr(info.dli_fname, callers[i].part))
                return &callers[i];
    return NULL;
}

// What ends something that was refused, and descriptions of products that XLA asks for as one way
// of several: without them it takes another.
static bool is_quiet(const struct refusal *refusal, const struct caller *caller) {
    return strstr(refusal->name, "Destroy") ||
           (caller && strcmp(caller->name, "JAX") == 0 &&
            strcmp(refusal->library->name, "cuBLASLt") == 0 && strstr(refusal->name, "Create"));
}

static void say(const struct refusal *refusal, const struct caller *caller) {
    const struct coded_library *library = refusal->library;
    const char *asked = getenv("BANKRUN_LIBRARIES");
    const bool is_asked = asked && strcmp(asked, "cpu") == 0;
    const char *known = coded_way_out(library);
    char way_out[256];
    const bool is_computed = coded_is_computed(library, refusal->name);
    if (is_computed && !is_asked)
        snprintf(way_out, sizeof way_out, "bankrun --libraries cpu has it computed by %s",
                 library->computed);
    else if (is_computed)
        snprintf(way_out, sizeof way_out, "--libraries cpu has %s of CUDA 12 and 13 alone",
                 library->name);
    else
        snprintf(way_out, sizeof way_out, "%s",
                 known    ? known
                 : caller ? caller->way_out
                          : "compute this step on the host");
    inject_note_missing("%s%s%s: not simulated (%s %s); %s", refusal->name,
                        caller ? ", called by " : "", caller ? caller->name : "", library->name,
                        coded_reason(library), way_out);
}

// What returns a pointer is no status.
static bool is_pointer(const char *name) {
    return strncmp(name, "npp", strlen("npp")) == 0 && strstr(name, "Malloc");
}

// A profiler's many calls are said once.
static bool is_first(struct refusal *refusal) {
    static unsigned of_profilers;
    unsigned *said = coded_way_out(refusal->library) ? &of_profilers : &refusal->was_said;
    return !__atomic_exchange_n(said, 1, __ATOMIC_RELAXED);
}

USED long inject_coded_refuse(struct refusal *refusal, const void *from);
long inject_coded_refuse(struct refusal *refusal, const void *from) {
    const struct caller *caller = caller_of(from);
    if (!is_quiet(refusal, caller) && is_first(refusal))
        say(refusal, caller);
    return is_pointer(refusal->name) ? 0 : refusal->library->refused;
}

// Where calls come to: a register holds the record (inject_jump_through).
USED void inject_coded_enter(void);
#if defined __x86_64__
__asm__(".globl inject_coded_enter\n"
        ".hidden inject_coded_enter\n"
        ".type inject_coded_enter, @function\n"
        "inject_coded_enter:\n"
        "    mov %r11, %rdi\n"
        "    mov (%rsp), %rsi\n"
        "    jmp inject_coded_refuse\n"
        ".size inject_coded_enter, . - inject_coded_enter\n");
#elif defined __aarch64__
__asm__(".globl inject_coded_enter\n"
        ".hidden inject_coded_enter\n"
        ".type inject_coded_enter, %function\n"
        "inject_coded_enter:\n"
        "    mov x0, x17\n"
        "    mov x1, x30\n"
        "    b inject_coded_refuse\n"
        ".size inject_coded_enter, . - inject_coded_enter\n");
#else
void inject_coded_enter(void) {
    abort(); // inject_jump_through refuses this machine
}
#endif

// ---- A library is loaded ------------------------------------------------------------------------

// No two threads come here at the same time: the dynamic linker's lock is held.
static struct refusal *refusal_new(const struct coded_library *library, const char *name,
                                   void (*function)(void)) {
    static struct refusal *all; // code that refers to them is none that a sanitizer looks at
    struct refusal *refusal = base_alloc(sizeof *refusal);
    memcpy(&refusal->target, &function, sizeof function);
    refusal->library = library;
    char *own = base_strdup(name), *version = strstr(own, "_v2");
    if (version) // as the documentation has it
        memmove(version, version + 3, strlen(version + 3) + 1);
    refusal->name = own;
    refusal->next = all;
    all = refusal;
    return refusal;
}

// The function's bytes, and those that its compiler has put behind it so that the next one begins
// at a multiple of 16. Functions that are not exported stand between these, so that the next one's
// address would not tell.
static size_t room_of(const struct inject_function *function) {
    static const unsigned char padding[] = {0x90, 0x66, 0x0f, 0xcc, 0x1f};
    const uintptr_t end = function->address + function->bytes;
    const bool is_padded = function->bytes && end % 16 && function->address % 16 == 0 &&
                           memchr(padding, *(const unsigned char *)end, sizeof padding);
    return function->bytes + (is_padded ? 16 - end % 16 : 0);
}

static bool refuse(const struct inject_function *function, const struct coded_library *library) {
    void (*target)(void) = inject_coded_enter;
    if (coded_fate_of(library, function->name, &target) == CODED_KEPT)
        return true;
    return inject_jump_through((void *)function->address, room_of(function),
                               refusal_new(library, function->name, target));
}

static bool is_to_change(const struct inject_function *function,
                         const struct coded_library *library) {
    void (*own)(void);
    return coded_fate_of(library, function->name, &own) != CODED_KEPT;
}

static void refuse_all(const inject_functions *list, const struct coded_library *library,
                       const char *path) {
    size_t first = 0, end = list->length;
    while (first < end && !is_to_change(&list->data[first], library))
        first++;
    while (end > first && !is_to_change(&list->data[end - 1], library))
        end--;
    if (first == end)
        return;
    const uintptr_t from = list->data[first].address, to = list->data[end - 1].address + 32;
    bool is_good = inject_protect(from, to, PROT_READ | PROT_WRITE);
    for (size_t i = first; is_good && i < end; i++)
        is_good = refuse(&list->data[i], library);
    if (!inject_protect(from, to, PROT_READ | PROT_EXEC) || !is_good)
        inject_note("%s exists only as machine code, and its functions cannot be refused by name",
                    path);
}

// The linker may know another library by the path (audit.c): the file's head is in memory.
static bool is_loaded_from(const struct inject_object *object, const struct elf_file *elf) {
    const Elf64_Ehdr *header = elf->header;
    const size_t bytes = (size_t)header->e_phnum * sizeof(Elf64_Phdr);
    if (header->e_phentsize != sizeof(Elf64_Phdr) || header->e_phoff > elf->length ||
        bytes > elf->length - header->e_phoff)
        return false;
    for (size_t i = 0; i < header->e_phnum; i++) {
        Elf64_Phdr part;
        memcpy(&part, elf->data + header->e_phoff + i * sizeof part, sizeof part);
        if (part.p_type == PT_LOAD && part.p_offset == 0 && part.p_filesz >= sizeof *header)
            return memcmp((const void *)(object->base + part.p_vaddr), header, sizeof *header) == 0;
    }
    return false;
}

bool inject_refuse_coded(const struct inject_object *object) {
    const struct coded_library *library = coded_library_of(object->path);
    struct elf_file elf;
    inject_functions list = {0};
    char *data = library ? inject_map_file(object->path, &elf) : NULL;
    if (!data)
        return library != NULL;
    if (is_loaded_from(object, &elf)) {
        inject_functions_read(&elf, SHT_DYNSYM, object->base, &list);
        refuse_all(&list, library, object->path);
        vec_free(&list);
    }
    munmap(data, elf.length);
    return true;
}
