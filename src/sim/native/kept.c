#define _GNU_SOURCE // dl_iterate_phdr
#include "sim/native/kept.h"

#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "base/file.h"
#include "base/kept.h"
#include "base/strbuf.h"
#include "sim/native/native_internal.h"

static void add(struct kept_key *key, const void *bytes, size_t length) {
    kept_key_add(key, bytes, length);
}

static void add_number(struct kept_key *key, uint64_t number) {
    add(key, &number, sizeof number);
}

static bool add_file(struct kept_key *key, const char *path) {
    char *data;
    size_t length;
    if (!file_read(path, &data, &length))
        return false;
    add_number(key, length);
    add(key, data, length);
    free(data);
    return true;
}

// ---- This code --------------------------------------------------------------------------------

// This code, the compiler's and the processor: the same for all kernels.
static struct {
    pthread_once_t once;
    const char *compiler; // its file
    uint64_t base;        // where it was loaded
    bool is_known;
    char hash[KEPT_KEY];
} own = {.once = PTHREAD_ONCE_INIT};

static bool is_build_id(const ElfW(Nhdr) * note) {
    return note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
           memcmp(note + 1, "GNU", 4) == 0;
}

static bool add_build_id(struct kept_key *key, const uint8_t *at, size_t bytes) {
    for (size_t i = 0; i + sizeof(ElfW(Nhdr)) <= bytes;) {
        const ElfW(Nhdr) *note = (const void *)(at + i);
        const size_t name = (note->n_namesz + 3u) / 4 * 4;
        if (is_build_id(note)) {
            add(key, at + i + sizeof *note + name, note->n_descsz);
            return true;
        }
        i += sizeof *note + name + (note->n_descsz + 3u) / 4 * 4;
    }
    return false;
}

static bool holds(const struct dl_phdr_info *info, uint64_t address) {
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && address - (info->dlpi_addr + part->p_vaddr) < part->p_memsz)
            return true;
    }
    return false;
}

static int look(struct dl_phdr_info *info, size_t size, void *context) {
    struct kept_key *key = context;
    (void)size;
    if (!holds(info, (uint64_t)(uintptr_t)&sim_native_enter))
        return 0;
    own.base = info->dlpi_addr;
    for (unsigned i = 0; i < info->dlpi_phnum && !own.is_known; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_NOTE)
            own.is_known = add_build_id(
                key, (const uint8_t *)(uintptr_t)(info->dlpi_addr + part->p_vaddr), part->p_memsz);
    }
    if (!own.is_known) // a linker that writes none
        own.is_known = add_file(key, *info->dlpi_name ? info->dlpi_name : "/proc/self/exe");
    return 1;
}

// What decides what LLVM takes the processor for.
static void add_processor(struct kept_key *key) {
#if defined(__x86_64__)
    static const unsigned leaves[][2] = {{0, 0},    {1, 0},           {7, 0},
                                         {7, 1},    {0xd, 1},         {0x14, 0},
                                         {0x19, 0}, {0x80000001u, 0}, {0x80000008u, 0}};
    for (size_t i = 0; i < sizeof leaves / sizeof *leaves; i++) {
        unsigned r[4] = {0};
        __get_cpuid_count(leaves[i][0], leaves[i][1], &r[0], &r[1], &r[2], &r[3]);
        if (leaves[i][0] == 1)
            r[1] = 0; // which of its processors this is
        if (leaves[i][0] == 0xd)
            r[1] = 0; // what it needs for what is enabled now
        add(key, r, sizeof r);
    }
    uint32_t low, high, a, b, c = 0, d;
    __get_cpuid(1, &a, &b, &c, &d);
    if (c & bit_OSXSAVE) {
        __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
        add_number(key, (uint64_t)high << 32 | low);
    }
#else
    add_file(key, "/proc/cpuinfo");
#endif
}

static void know_own(void) {
    struct kept_key *key = kept_key_begin();
    dl_iterate_phdr(look, key);
    add_processor(key);
    own.is_known = own.is_known && add_file(key, __atomic_load_n(&own.compiler, __ATOMIC_RELAXED));
    kept_key_end(key, own.hash);
}

// ---- The kernel ---------------------------------------------------------------------------------

static void add_text(struct kept_key *key, const char *text) {
    add_number(key, strlen(text));
    add(key, text, strlen(text));
}

static void add_constants(struct kept_key *key, const struct sim_kernel *kernel) {
    for (size_t i = 0; i < kernel->constants.length; i++) {
        const struct sim_constant *c = &kernel->constants.data[i];
        const uint64_t fields[] = {c->kind, c->width,      c->bytes,
                                   c->held, c->is_signed,  c->is_address ? 0 : c->value,
                                   c->sreg, c->is_address, c->offset};
        add(key, fields, sizeof fields);
    }
}

static uint64_t handler_of(sim_handler handler) {
    return handler ? (uint64_t)(uintptr_t)handler - own.base : 0;
}

static void add_code(struct kept_key *key, const struct sim_code *code) {
    const uint64_t layout[] = {code->instr_count,     code->site_base,   code->number_base,
                               code->predicate_bytes, code->frame_bytes, code->scratch};
    add(key, layout, sizeof layout);
    add(key, code->block_start, code->ir->block_count * sizeof *code->block_start);
    for (uint32_t i = 0; i < code->instr_count; i++) {
        const struct sim_instr *instr = &code->instrs[i];
        const uint64_t fields[] = {handler_of(instr->run[0]),
                                   handler_of(instr->run[1]),
                                   instr->pair,
                                   instr->negate,
                                   instr->immediate,
                                   instr->target,
                                   instr->reconverge,
                                   instr->ir,
                                   instr->number,
                                   instr->ordinal};
        add(key, fields, sizeof fields);
        add(key, instr->operand, sizeof instr->operand);
    }
}

static void add_kernel(struct kept_key *key, const struct sim_kernel *kernel) {
    const struct source *source = kernel->module->ir->ptx->source;
    const struct sim_config *config = &kernel->module->sim->config;
    add_number(key, source->length);
    add(key, source->text, source->length);
    add_text(key, kernel->ir->name);
    const uint64_t fields[] = {config->arch, config->lets_pass, kernel->site_count,
                               kernel->constant_bytes, kernel->local_bytes};
    add(key, fields, sizeof fields);
    add_constants(key, kernel);
    add_code(key, &kernel->codes[0]);
}

struct native_key native_key_of(const struct sim_kernel *kernel, bool has_whole_rows,
                                const char *compiler) {
    struct native_key result = {""};
    // Code that holds addresses is of no use to others.
    if (!compiler || kernel->names_addresses)
        return result;
    __atomic_store_n(&own.compiler, compiler, __ATOMIC_RELAXED);
    pthread_once(&own.once, know_own);
    if (!own.is_known)
        return result;
    struct kept_key *key = kept_key_begin();
    add(key, own.hash, sizeof own.hash);
    add_number(key, COMPILE_VERSION);
    add_number(key, has_whole_rows);
    add_text(key, sim_lanes_most() ? sim_lanes_most() : "");
    add_kernel(key, kernel);
    kept_key_end(key, result.text);
    return result;
}

// ---- Files --------------------------------------------------------------------------------------

struct kept_head {
    uint64_t entries, exits, ramps, segments, members, groups, image;
};

static char *path_of(const char *folder, const struct native_key *key) {
    struct strbuf path = {0};
    strbuf_printf(&path, "%s/%s.native", folder, key->text);
    return strbuf_take(&path);
}

struct reader {
    const char *at;
    size_t left;
    bool is_short;
};

static void *take(struct reader *reader, uint64_t count, size_t size) {
    if (reader->is_short || count > reader->left / size) {
        reader->is_short = true;
        return NULL;
    }
    void *copy = base_alloc(count * size + 1);
    memcpy(copy, reader->at, count * size);
    reader->at += count * size;
    reader->left -= count * size;
    return copy;
}

static bool read_kept(const char *data, size_t length, struct compiled *compiled) {
    struct kept_head head;
    if (length < sizeof head)
        return false;
    memcpy(&head, data, sizeof head);
    struct reader reader = {data + sizeof head, length - sizeof head, false};
    compiled->entries = take(&reader, head.entries, sizeof *compiled->entries);
    compiled->exits = take(&reader, head.exits, sizeof *compiled->exits);
    compiled->ramps = take(&reader, head.ramps, sizeof *compiled->ramps);
    compiled->segments = take(&reader, head.segments, sizeof *compiled->segments);
    compiled->members = take(&reader, head.members, sizeof *compiled->members);
    compiled->image = take(&reader, head.image, 1);
    compiled->entry_count = (uint32_t)head.entries;
    compiled->exit_count = (uint32_t)head.exits;
    compiled->ramp_count = (uint32_t)head.ramps;
    compiled->segment_count = (uint32_t)head.segments;
    compiled->member_count = (uint32_t)head.members;
    compiled->group_count = (uint32_t)head.groups;
    compiled->image_bytes = head.image;
    return !reader.is_short && !reader.left;
}

bool native_kept_load(const char *folder, const struct native_key *key, struct compiled *compiled) {
    size_t length;
    memset(compiled, 0, sizeof *compiled);
    if (!folder || !*key->text)
        return false;
    char *path = path_of(folder, key), *data = kept_load(path, &length);
    const bool good = data && read_kept(data + KEPT_CHECKSUM, length - KEPT_CHECKSUM, compiled);
    free(data);
    free(path);
    return good;
}

void native_kept_store(const char *folder, const struct native_key *key,
                       const struct compiled *compiled) {
    if (!folder || !*key->text || !file_make_folders(folder))
        return;
    const struct kept_head head = {compiled->entry_count,  compiled->exit_count,
                                   compiled->ramp_count,   compiled->segment_count,
                                   compiled->member_count, compiled->group_count,
                                   compiled->image_bytes};
    struct strbuf text = {0};
    strbuf_append(&text, (const char *)&head, sizeof head);
    strbuf_append(&text, (const char *)compiled->entries,
                  compiled->entry_count * sizeof *compiled->entries);
    strbuf_append(&text, (const char *)compiled->exits,
                  compiled->exit_count * sizeof *compiled->exits);
    strbuf_append(&text, (const char *)compiled->ramps,
                  compiled->ramp_count * sizeof *compiled->ramps);
    strbuf_append(&text, (const char *)compiled->segments,
                  compiled->segment_count * sizeof *compiled->segments);
    strbuf_append(&text, (const char *)compiled->members,
                  compiled->member_count * sizeof *compiled->members);
    strbuf_append(&text, (const char *)compiled->image, compiled->image_bytes);
    char *path = path_of(folder, key);
    if (kept_store(path, text.data, text.length))
        kept_drop_oldest(folder, KEPT_BYTES);
    free(path);
    strbuf_free(&text);
}
