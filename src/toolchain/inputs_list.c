// The list of a compilation's inputs: what it read, and where the preprocessor looked before it
// found that. Which look-ups those were need not be known exactly: one too many costs at most a
// compilation that was not needed, so each name of a header is looked for in all folders.
#define _GNU_SOURCE // memmem
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/path.h"
#include "base/vec.h"
#include "toolchain/inputs.h"

typedef VEC(char *) text_list;

struct listing {
    text_list files;   // in the order of the rule
    text_list folders; // in which the preprocessor searches, and those of the program's own files
    text_list lines;
    char *toolkit; // where the compiler's own headers lie; NULL: under /usr, or not known
    bool is_known; // all that the result depends on
};

static void add_text(text_list *list, char *text) {
    for (size_t i = 0; i < list->length; i++)
        if (strcmp(list->data[i], text) == 0) {
            free(text);
            return;
        }
    vec_push(list, text);
}

static void free_texts(text_list *list) {
    for (size_t i = 0; i < list->length; i++)
        free(list->data[i]);
    vec_free(list);
}

static void add_line(struct listing *listing, char kind, const char *path) {
    struct strbuf line = {0};
    strbuf_printf(&line, "%c %s\n", kind, path);
    vec_push(&listing->lines, strbuf_take(&line));
}

// ---- What was read ----------------------------------------------------------------------------

// The prerequisites of a rule of make. Spaces in names stand behind a backslash.
static void read_rule(const char *rule, text_list *files) {
    const char *at = strstr(rule, " :");
    struct strbuf name = {0};
    for (at = at ? at + 2 : ""; *at; at++) {
        bool escapes = at[0] == '\\' && (at[1] == ' ' || at[1] == '#' || at[1] == '\\');
        bool doubles = at[0] == '$' && at[1] == '$';
        bool separates = *at == ' ' || *at == '\n' || *at == '\r' ||
                         (*at == '\\' && (at[1] == '\n' || at[1] == '\r'));
        if (escapes || doubles)
            at++;
        if (escapes || doubles || !separates)
            strbuf_append(&name, at, 1);
        else if (name.length)
            vec_push(files, strbuf_take(&name));
    }
    if (name.length)
        vec_push(files, strbuf_take(&name));
    strbuf_free(&name);
}

static bool is_below(const char *folder, const char *path) {
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && path[length] == '/';
}

// Files of packages come and go with those: nobody puts a header beside them.
static bool is_own(const struct listing *listing, const char *path) {
    if (is_below("/usr", path) || !listing->toolkit)
        return !is_below("/usr", path);
    char *real = realpath(path, NULL);
    bool is_of_toolkit = real && is_below(listing->toolkit, real);
    free(real);
    return !is_of_toolkit;
}

// ---- Where the preprocessor looks -------------------------------------------------------------

// The folder in ` FOLDER` or `ignoring nonexistent directory "FOLDER"`. NULL: the line has none.
static char *folder_in(const char *line, size_t length, bool is_in_list) {
    static const char missing[] = "ignoring nonexistent directory \"";
    const size_t start = sizeof missing - 1;
    if (length > start + 1 && strncmp(line, missing, start) == 0)
        return base_strndup(line + start, length - start - 1);
    return is_in_list && length > 1 && line[0] == ' ' ? base_strndup(line + 1, length - 1) : NULL;
}

// The program proper that preprocesses, `PATH/cc1plus -E ...` or `"PATH/clang" -cc1 ...`.
static char *program_in(const char *line, size_t length) {
    bool is_command = length > 2 && line[0] == ' ' && memmem(line, length, "cc1", 3);
    if (!is_command)
        return NULL;
    bool is_quoted = line[1] == '"';
    const char *start = line + 1 + is_quoted, *end = line + length;
    const char *stop = memchr(start, is_quoted ? '"' : ' ', (size_t)(end - start));
    return stop ? base_strndup(start, (size_t)(stop - start)) : NULL;
}

static void read_line(struct listing *listing, const char *line, size_t length, bool is_in_list) {
    static const char driver[] = "COLLECT_GCC=";
    char *folder = folder_in(line, length, is_in_list);
    char *program = is_in_list ? NULL : program_in(line, length);
    if (folder)
        add_text(&listing->folders, folder);
    if (program)
        add_line(listing, 'p', program);
    listing->is_known |= program != NULL;
    free(program);
    if (length >= sizeof driver && strncmp(line, driver, sizeof driver - 1) == 0) {
        char *name = base_strndup(line + sizeof driver - 1, length - sizeof driver + 1);
        add_line(listing, 'p', name);
        free(name);
    }
}

static void read_search(struct listing *listing, const char *search) {
    bool is_in_list = false, has_list = false;
    for (const char *line = search; *line;) {
        size_t length = strcspn(line, "\n");
        if (strncmp(line, "#include ", 9) == 0)
            is_in_list = has_list = true;
        else if (strncmp(line, "End of search", 13) == 0)
            is_in_list = false;
        else
            read_line(listing, line, length, is_in_list);
        line += length + (line[length] != '\0');
    }
    listing->is_known = listing->is_known && has_list;
}

// The compiler's own parts, which the preprocessor does not tell of.
static void add_compiler(struct listing *listing, const char *compiler) {
    static const char *const parts[] = {"nvcc.profile", "cudafe++", "../nvvm/bin/cicc"};
    char *real = inputs_find_program(compiler), *folder = path_folder(real ? real : compiler);
    struct strbuf path = {0};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        path.length = 0;
        strbuf_printf(&path, "%s/%s", folder, parts[i]);
        add_line(listing, 'p', path.data);
        if (i == 0 && access(path.data, F_OK) == 0) // this is a toolkit, and no script elsewhere
            listing->toolkit = path_folder(folder);
    }
    strbuf_free(&path);
    free(folder);
    free(real);
}

// ---- Look-ups ---------------------------------------------------------------------------------

// Where a folder on the way is not there, nothing of what would be in it is. Folders of packages
// change seldom, and are looked at as wholes: that is one question for all names, and what comes to
// lie deeper changes a folder above.
static void look_up(struct listing *listing, const char *folder, const char *name) {
    const bool is_whole = is_below("/usr", folder);
    const char *part = name;
    struct strbuf path = {0};
    struct stat status;
    strbuf_puts(&path, folder);
    for (const char *end; stat(path.data, &status) == 0; part = end + 1) {
        end = part + strcspn(part, "/");
        if (is_whole)
            add_line(listing, 'd', path.data);
        if (is_whole && !*end)
            break;
        strbuf_printf(&path, "/%.*s", (int)(end - part), part);
        if (!*end)
            break;
    }
    if (!is_whole || part == name)
        add_line(listing, is_whole ? 'd' : 'l', path.data);
    strbuf_free(&path);
}

static void look_everywhere(struct listing *listing, const char *name) {
    for (size_t i = 0; i < listing->folders.length; i++)
        look_up(listing, listing->folders.data[i], name);
}

// A file was found in a folder under the rest of its path, or, where folders lie in each other,
// under one of several.
static void look_for_file(struct listing *listing, const char *path) {
    const char *slash = strrchr(path, '/');
    if (!slash)
        look_everywhere(listing, path);
    for (size_t i = 0; i < listing->folders.length; i++) {
        const char *folder = listing->folders.data[i];
        if (is_below(folder, path))
            look_everywhere(listing, path + strlen(folder) + 1);
    }
}

// ---- __has_include ----------------------------------------------------------------------------

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

static const char *skip_blanks(const char *at) {
    while (*at == ' ' || *at == '\t' || (at[0] == '\\' && at[1] == '\n'))
        at++;
    return at;
}

// `at`: behind the word. False: what it asks for is not written there.
static bool look_for_asked(struct listing *listing, const char *at, const char *folder) {
    at = skip_blanks(at);
    if (*at != '(')
        return true; // it is asked whether there is such a thing
    at = skip_blanks(at + 1);
    char close = *at == '<' ? '>' : '"';
    const char *end = *at == '<' || *at == '"' ? strchr(at + 1, close) : NULL;
    if (!end || memchr(at, '\n', (size_t)(end - at)))
        return false;
    char *name = base_strndup(at + 1, (size_t)(end - at - 1));
    if (*name == '/') {
        add_line(listing, 'l', name);
    } else {
        look_up(listing, folder, name);
        look_everywhere(listing, name);
    }
    free(name);
    return true;
}

// Headers of the system wrap the question in macros of such names, and are what they are.
static void look_for_questions(struct listing *listing, const char *path) {
    static const char *const words[] = {"has_include", "HAS_INCLUDE", "has_embed"};
    char *text, *folder = path_folder(path);
    size_t length;
    if (!file_read_regular(path, &text, &length))
        text = NULL;
    for (size_t w = 0; text && w < sizeof words / sizeof *words; w++) {
        const char *at = text, *end = text + length;
        while ((at = memmem(at, (size_t)(end - at), words[w], strlen(words[w])))) {
            while (is_word(*at))
                at++;
            if (!look_for_asked(listing, at, folder) && is_own(listing, path))
                listing->is_known = false;
        }
    }
    free(text);
    free(folder);
}

// ---- All of it --------------------------------------------------------------------------------

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void write_lines(struct listing *listing, struct strbuf *list) {
    text_list *lines = &listing->lines;
    if (lines->length)
        qsort(lines->data, lines->length, sizeof *lines->data, by_text);
    for (size_t i = 0; i < lines->length; i++)
        if (i == 0 || strcmp(lines->data[i - 1], lines->data[i]) != 0)
            strbuf_puts(list, lines->data[i]);
}

bool inputs_list(const char *rule, const char *search, const char *compiler, struct strbuf *list) {
    struct listing listing = {0};
    read_search(&listing, search);
    read_rule(rule, &listing.files);
    add_compiler(&listing, compiler);
    add_text(&listing.folders, base_strdup(".")); // of files that are included before all others
    for (size_t i = 0; i < listing.files.length; i++)
        if (is_own(&listing, listing.files.data[i]))
            add_text(&listing.folders, path_folder(listing.files.data[i]));
    for (size_t i = 0; i < listing.files.length; i++) {
        add_line(&listing, 'f', listing.files.data[i]);
        look_for_file(&listing, listing.files.data[i]);
        look_for_questions(&listing, listing.files.data[i]);
    }
    if (listing.is_known)
        write_lines(&listing, list);
    bool is_known = listing.is_known && listing.files.length > 0;
    free_texts(&listing.files);
    free_texts(&listing.folders);
    free_texts(&listing.lines);
    free(listing.toolkit);
    return is_known;
}
