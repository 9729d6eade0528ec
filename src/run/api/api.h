// Inside the C API: what its handles hold, and how its functions fail.
#ifndef BANKRUN_RUN_API_API_H
#define BANKRUN_RUN_API_API_H

#include "bankrun/bankrun.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "profile/profile.h"
#include "run/limits.h"
#include "run/module.h"

struct bankrun_device {
    struct sim *sim;
    unsigned arch; // with its bank mode
    bool tracks_undefined;
    struct run_limits limits;
    VEC(struct bankrun_module *) modules;
};

struct api_sites; // of one kernel; see observer.c

struct bankrun_module {
    struct bankrun_device *device;
    char *name, *text;
    struct source source;
    struct run_module run;
    struct compiled_code *compiled; // NULL: launches are counted by the PTX
    VEC(struct api_sites *) sites;  // of kernels that were observed
};

struct bankrun_profile {
    struct profile *profile;
};

// Sets *message where it is wanted, and returns the error.
enum bankrun_error api_fail(char **message, enum bankrun_error error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// The same with the text of a buffer, or with all messages of a list, which are empty then.
enum bankrun_error api_fail_text(char **message, enum bankrun_error error, struct strbuf *text);
enum bankrun_error api_fail_diags(char **message, enum bankrun_error error,
                                  struct diag_list *diags);
enum bankrun_error api_succeed(char **message);

// observer.c: the observers of one launch, as the simulator knows them.
struct api_observers;
struct api_observers *api_observers_create(struct bankrun_module *module,
                                           const struct ir_function *kernel,
                                           const struct bankrun_launch *launch);
void api_observers_free(struct api_observers *observers);
void api_sites_free(struct api_sites *sites);
// launch->observer_count of them. Owned by `observers`.
const struct event_observer *const *api_observers_list(const struct api_observers *observers);

// arguments.c: the kernel's parameter block. Caller frees; NULL: the message says what does not
// fit.
uint8_t *api_pack_arguments(const struct ir_function *kernel, const struct bankrun_launch *launch,
                            char **message);

#endif
