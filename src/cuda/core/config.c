#include "cuda/core/config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bankrun/banks.h"
#include "base/alloc.h"
#include "cuda/core/state.h"
#include "profile/declared.h"
#include "profile/finding.h"

enum { DEFAULT_ARCH = 90, MAX_THREADS = 1024 };

// The number that `name` holds, `otherwise` when it is not set or no number up to `most`.
static uint64_t number(const char *name, uint64_t otherwise, uint64_t most) {
    const char *text = getenv(name);
    if (!text || !*text)
        return otherwise;
    char *end;
    unsigned long long value = strtoull(text, &end, 10);
    if (*end || *text == '-' || value > most) {
        cuda_say("%s=%s is not a number from 0 to %llu: ignored", name, text,
                 (unsigned long long)most);
        return otherwise;
    }
    return value;
}

static bool is_set(const char *name) {
    const char *text = getenv(name);
    return text && *text && strcmp(text, "0") != 0;
}

static unsigned architecture(void) {
    const char *text = getenv("BANKRUN_ARCH");
    if (!text || !*text)
        return DEFAULT_ARCH;
    char *end = NULL;
    unsigned long value = strncmp(text, "sm_", 3) == 0 ? strtoul(text + 3, &end, 10) : 0;
    if (value && value < 1000 && !*end && bankrun_limits_of((unsigned)value))
        return (unsigned)value;
    cuda_say("BANKRUN_ARCH=%s is no architecture that bankrun knows: taking sm_%d", text,
             DEFAULT_ARCH);
    return DEFAULT_ARCH;
}

// Caller frees; NULL: it is not set.
static char *take_text(const char *name) {
    const char *text = getenv(name);
    char *copy = text && *text ? base_strdup(text) : NULL;
    unsetenv(name);
    return copy;
}

static struct sim_sample sample(void) {
    struct sim_sample sample = {0};
    const char *text = getenv("BANKRUN_BLOCKS");
    if (text && *text && !sim_sample_parse(text, &sample)) {
        cuda_say(
            "BANKRUN_BLOCKS=%s is neither a number of blocks nor a percentage, nor auto: ignored",
            text);
        sample = (struct sim_sample){0};
    }
    return sample;
}

static struct sim_fill fill(void) {
    struct sim_fill fill = {0};
    const char *text = getenv("BANKRUN_FILL");
    if (text && *text && !sim_fill_parse(text, &fill)) {
        cuda_say("BANKRUN_FILL=%s is neither zero nor pattern nor random[:SEED]: ignored", text);
        fill = (struct sim_fill){0};
    }
    return fill;
}

static struct run_schedule schedule(void) {
    struct run_schedule schedule = {0};
    const char *text = getenv("BANKRUN_SCHEDULE");
    if (text && *text && !run_schedule_parse(text, &schedule))
        cuda_say("BANKRUN_SCHEDULE=%s is not of the form SEED[:N]: ignored", text);
    return schedule;
}

static enum sim_engine engine(void) {
    sim_compiler_at(getenv("BANKRUN_COMPILER"));
    sim_limit_lanes(getenv("BANKRUN_LANES"));
    const char *text = getenv("BANKRUN_ENGINE");
    if (!text || !*text || strcmp(text, "auto") == 0)
        return SIM_ENGINE_AUTO;
    if (strcmp(text, "interpret") == 0)
        return SIM_ENGINE_INTERPRET;
    if (strcmp(text, "compile") == 0)
        return SIM_ENGINE_COMPILE;
    cuda_say("BANKRUN_ENGINE=%s is none of auto, interpret, compile: ignored", text);
    return SIM_ENGINE_AUTO;
}

void cuda_config_read(struct cuda_config *config) {
    *config = (struct cuda_config){
        .owner = getpid(),
        .arch = architecture(),
        .devices = (int)number("BANKRUN_DEVICES", 1, SIM_DEVICES),
        .threads = (int)number("BANKRUN_THREADS", 0, MAX_THREADS),
        .max_instructions = number("BANKRUN_MAX_INSTRUCTIONS", 0, UINT64_MAX),
        .engine = engine(),
        .sample = sample(),
        .fill = fill(),
        .schedule = schedule(),
        .shows_progress = is_set("BANKRUN_PROGRESS"),
        .is_quiet = is_set("BANKRUN_QUIET"),
    };
    const char *on_fault = getenv("BANKRUN_ON_FAULT");
    config->lets_pass = on_fault && strcmp(on_fault, "continue") == 0;
    const char *as = getenv("BANKRUN_AS");
    const char *count = getenv("BANKRUN_COUNT");
    config->is_uncounted = count && strcmp(count, "0") == 0;
    config->checks = (uint32_t)number("BANKRUN_CHECK", 0, (1u << PROFILE_CHECKS) - 1);
    config->may_be_written = as && strcmp(as, "auto") == 0;
    config->as_compiled = config->may_be_written || (as && strcmp(as, "compiled") == 0);
    if (config->devices == 0)
        config->devices = 1;
    const char *rows = getenv("BANKRUN_ROWS");
    if (rows && !profile_declare_rows(rows))
        cuda_say("BANKRUN_ROWS=%s is not of the form ARRAY:BYTES:ROW:ELEMENT,...: ignored", rows);
    const char *cache = getenv("BANKRUN_CACHE"); // its children's, too
    config->cache_folder = cache && *cache ? base_strdup(cache) : NULL;
    sim_compiled_code_at(cache);
    config->profile_path = take_text("BANKRUN_PROFILE");
    config->trace = take_text("BANKRUN_TRACE");
    config->trace_path = take_text("BANKRUN_TRACE_OUTPUT");
}
