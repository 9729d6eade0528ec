// Any text as a file of suppressions: it is read, or refused with messages that print; those that
// are read are held against a profile that has what they may name.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/suppress.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void hold(struct profile_suppressions *suppressions) {
    const char *const program[] = {"<fuzz>"};
    struct profile *profile = profile_create(90, (char *const *)program, 1);
    struct profile_launch *launch = profile_add_launch(profile);
    launch->kernel = strdup("scan<int>(int*)");
    launch->symbol = strdup("_Z4scan");
    profile_suppress(profile, suppressions);
    char *line;
    for (size_t at = 0; (line = profile_unused_suppression(suppressions, profile, &at)) != NULL;)
        free(line);
    profile_free(profile);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct source source = {"<fuzz>", (const char *)data, size};
    struct diag_list diags = {0};
    struct profile_suppressions *suppressions = profile_read_suppressions(&source, &diags);
    if (!suppressions == !diags.errors)
        abort();
    if (suppressions)
        hold(suppressions);
    FILE *out = fopen("/dev/null", "w");
    if (out) {
        diag_print(&diags, out, true);
        fclose(out);
    }
    profile_free_suppressions(suppressions);
    diag_free(&diags);
    return 0;
}
