// Excerpts of sources: the lines that something is said of, with as many around them as fit.
#include <stdlib.h>
#include <string.h>

#include "profile/json_make.h"
#include "profile/quotes.h"
#include "report/html.h"

enum { MOST_AROUND = 8, MOST_BYTES = 1 << 20, MOST_LINE = 400 };

static int by_number(const void *left, const void *right) {
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

// Sorted, each of them once.
static void sort_lines(struct html_file *file) {
    size_t kept = 0;
    if (file->lines.length > 0)
        qsort(file->lines.data, file->lines.length, sizeof *file->lines.data, by_number);
    for (size_t i = 0; i < file->lines.length; i++)
        if (kept == 0 || file->lines.data[kept - 1] != file->lines.data[i])
            file->lines.data[kept++] = file->lines.data[i];
    file->lines.length = kept;
}

// A line of source longer than anybody reads is cut. NULL: there is no such line.
static json_t *source_line(struct html_data *data, const char *path, uint32_t line) {
    size_t length;
    const char *found = view_source_line(&data->builder, path, line, &length);
    if (!found && (found = profile_quote_of(data->view->profile, path, line)) != NULL)
        length = strlen(found); // as it was when the profile was made
    if (!found)
        return NULL;
    const bool is_cut = length > MOST_LINE;
    char *words = base_strndup(found, is_cut ? MOST_LINE : length);
    json_t *pair = json_array();
    append(pair, number(line));
    append(pair, text(words));
    if (is_cut)
        append(pair, json_true());
    free(words);
    return pair;
}

static size_t bytes_of(json_t *pair) {
    return json_string_length(json_array_get(pair, 1)) + 10;
}

// Returns how many bytes they take.
static size_t excerpt(struct html_data *data, const struct html_file *file, uint32_t around,
                      json_t *lines) {
    uint64_t next = 1;
    size_t bytes = 0;
    for (size_t i = 0; i < file->lines.length; i++) {
        const uint64_t at = file->lines.data[i], end = at + around;
        if (at > around && at - around > next)
            next = at - around;
        for (; next <= end && next <= UINT32_MAX; next++) {
            json_t *pair = source_line(data, file->path, (uint32_t)next);
            if (!pair) // beyond the end of the file, or one of which only some lines are kept
                continue;
            bytes += bytes_of(pair);
            append(lines, pair);
        }
    }
    return bytes;
}

static json_t *try_files(struct html_data *data, uint32_t around, size_t *bytes) {
    json_t *files = json_array();
    *bytes = 0;
    for (size_t i = 0; i < data->files.length; i++) {
        const struct html_file *file = &data->files.data[i];
        json_t *object = json_object(), *lines = json_array();
        *bytes += excerpt(data, file, around, lines);
        set(object, "name", text(view_place_of(&data->builder, file->path, 1).file));
        set(object, "source", lines);
        append(files, object);
    }
    return files;
}

json_t *html_files(struct html_data *data) {
    uint32_t around = MOST_AROUND;
    size_t bytes;
    for (size_t i = 0; i < data->files.length; i++)
        sort_lines(&data->files.data[i]);
    json_t *files = try_files(data, around, &bytes);
    while (bytes > MOST_BYTES && around > 0) {
        json_decref(files);
        around /= 2;
        files = try_files(data, around, &bytes);
    }
    return files;
}
