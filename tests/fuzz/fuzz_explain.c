// Any text as a question: lines are an expression, a declaration, then variables. And any text as
// a file of requests. Each is answered, or refused with messages that print.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "explain/explain.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void print(struct diag_list *diags) {
    FILE *out = fopen("/dev/null", "w");
    if (out) {
        diag_print(diags, out, true);
        fclose(out);
    }
    diag_free(diags);
}

// The next line of the input.
static struct source take_line(const char **at, const char *end, const char *name) {
    const char *begin = *at;
    size_t length = 0;
    while (begin + length < end && begin[length] != '\n')
        length++;
    *at = begin + length < end ? begin + length + 1 : end;
    return (struct source){name, begin, length};
}

static void ask(const char *text, size_t size) {
    enum { LINES = 8 };
    struct explain_launch launch = {
        .grid = {7, 3, 1}, .block = {33, 2, 1}, .block_index = {2, 1, 0}};
    struct diag_list diags = {0};
    const char *at = text, *end = text + size;
    struct source expression = take_line(&at, end, "<expression>");
    struct source shared = take_line(&at, end, "<shared>"), lets[LINES];
    struct explain *explain = explain_create(&launch, size);
    bool is_fine = true;
    for (unsigned i = 0; i < LINES && at < end && is_fine; i++) {
        lets[i] = take_line(&at, end, "<let>");
        is_fine = explain_let(explain, &lets[i], &diags);
    }
    is_fine = is_fine && explain_declare(explain, &shared, &diags) &&
              explain_expression(explain, &expression, &diags);
    for (uint32_t warp = 0; warp < 4 && is_fine; warp++) {
        struct explain_request request;
        is_fine = explain_warp(explain, warp, &request, &diags);
    }
    if (is_fine != (diags.errors == 0))
        abort();
    print(&diags);
    explain_free(explain);
}

static void read_requests(const char *text, size_t size) {
    struct diag_list diags = {0};
    struct strbuf out = {0};
    struct explain_requests *requests = explain_requests_create("<fuzz>", 90, size % 2);
    size_t cut = size / 3;
    if (explain_requests_feed(requests, text, cut, false, &out, &diags))
        explain_requests_feed(requests, text + cut, size - cut, true, &out, &diags);
    print(&diags);
    strbuf_free(&out);
    explain_requests_free(requests);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ask((const char *)data, size);
    read_requests((const char *)data, size);
    return 0;
}
