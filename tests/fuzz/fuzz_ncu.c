// Any text as an export of Nsight Compute: launches with names, or the problem in words.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report/against.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Launches of the names and shapes that the export has, so that they match.
static void hold(const ncu_launches *launches) {
    const char *const program[] = {"<fuzz>"};
    struct profile *profile = profile_create(90, (char *const *)program, 1);
    struct strbuf out = {0};
    for (size_t i = 0; i < launches->length && i < 8; i++) {
        struct profile_launch *launch = profile_add_launch(profile);
        launch->kernel = strdup(launches->data[i].kernel);
        launch->symbol = strdup(launches->data[i].kernel);
        memcpy(launch->grid, launches->data[i].grid, sizeof launch->grid);
        memcpy(launch->block, launches->data[i].block, sizeof launch->block);
    }
    struct against *against = against_create(profile, launches);
    against_write_text(against, "<fuzz>", &(struct report_options){0}, &out);
    against_write_csv(against, &out);
    against_write_json(against, "<fuzz>", &out);
    against_free(against);
    strbuf_free(&out);
    profile_free(profile);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ncu_launches launches = {0};
    struct strbuf problem = {0};
    if (ncu_read((const char *)data, size, &launches, &problem)) {
        for (size_t i = 0; i < launches.length; i++)
            if (!launches.data[i].kernel)
                abort();
        hold(&launches);
    } else if (!problem.length) {
        abort();
    }
    ncu_free(&launches);
    strbuf_free(&problem);
    return 0;
}
