// Inside the spread: modules and launches as messages.
#ifndef BANKRUN_SPREAD_FORM_H
#define BANKRUN_SPREAD_FORM_H

#include "ranks/pages.h"
#include "run/launch.h"

// What is the same for all launches of a module; its hash is its name.
struct spread_module {
    uint64_t name;
    char *text, *source_name, *text_file, *listing; // NULL: none
};
void spread_put_module(struct strbuf *out, const struct run_launch *launch, const char *listing);
uint64_t spread_module_name(const struct run_launch *launch, const char *listing);
bool spread_get_module(struct ranks_reader *in, struct spread_module *module);

struct spread_launch {
    uint64_t module;
    char *kernel;
    uint64_t *variables; // addresses
    size_t variable_count;
    struct sim_config config;
    struct sim_launch sim; // its parameters are the message's own bytes
    unsigned arch;
    bool is_counted;
    uint64_t base, bytes; // of the address space
    struct ranks_range *ranges;
    size_t range_count;
    struct ranks_run *unwritten; // pages, since the launch before
    size_t unwritten_count;
};
// `module`: the one that the kernel is of, on its device.
void spread_put_launch(struct strbuf *out, const struct run_launch *launch, uint64_t module,
                       const struct ranks_range *ranges, size_t count,
                       const struct ranks_run_list *unwritten);
bool spread_get_launch(struct ranks_reader *in, struct spread_launch *launch);
void spread_free_launch(struct spread_launch *launch);

#endif
