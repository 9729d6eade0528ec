// The files of a source: FILE, what it includes with quotes from beside it, what these include, and
// which of them may be edited.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/path.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/cuda_source.h"
#include "cli/repair.h"

// An #include whose file was found.
struct site {
    size_t from, to; // files
    uint32_t line;
    bool is_inside;
};
typedef VEC(struct site) site_list;

// ---- Reading --------------------------------------------------------------------------------

static bool is_text(const struct repair_file *file) {
    return strlen(file->text) == file->length && file->length < UINT32_MAX;
}

// Takes the path.
static size_t add_file(struct repair *repair, char *path, char *name) {
    struct repair_file file = {.path = path, .name = name};
    if (!file_read_regular(path, &file.text, &file.length)) {
        free(path);
        free(name);
        return SIZE_MAX;
    }
    if (is_text(&file)) {
        patch_tokenize(&file.source, file.text, file.length);
        patch_find_includes(&file.source, &file.includes);
    } else {
        file.foreign = "this file is no CUDA source";
    }
    file.source.number = repair->files.length;
    vec_push(&repair->files, file);
    return file.source.number;
}

// "kernels/tile.h" of the path of what "kernels/main.cu" includes as "tile.h".
static char *shown_name(const struct repair *repair, const char *path) {
    const char *first = repair->argv[0];
    const int folder = (int)(text_file_name(first) - first);
    char *own = path_folder(repair->files.data[0].path), *way = path_from(own, path);
    struct strbuf name = {0};
    strbuf_printf(&name, "%.*s%s", folder, first, way);
    free(own);
    free(way);
    return strbuf_take(&name);
}

// The file of that path, which is taken. SIZE_MAX: there is none.
static size_t find_or_add(struct repair *repair, char *path) {
    enum { MOST = 4096 };
    for (size_t n = 0; n < repair->files.length; n++)
        if (!strcmp(repair->files.data[n].path, path)) {
            free(path);
            return n;
        }
    if (repair->files.length < MOST)
        return add_file(repair, path, shown_name(repair, path));
    free(path);
    return SIZE_MAX;
}

// Whether the name leads where it seems to: not so from "link/.." where link is a symbolic one.
static bool leads_to(const char *folder, const char *name, const char *path) {
    struct strbuf spelled = {0};
    strbuf_printf(&spelled, "%s/%s", folder, name);
    char *there = realpath(*name == '/' ? name : spelled.data, NULL), *here = realpath(path, NULL);
    const bool is_so = there && text_is_same(there, here);
    strbuf_free(&spelled);
    free(there);
    free(here);
    return is_so;
}

static void follow_includes(struct repair *repair, site_list *sites) {
    for (size_t n = 0; n < repair->files.length; n++) {
        char *folder = path_folder(repair->files.data[n].path);
        for (size_t i = 0; i < repair->files.data[n].includes.length; i++) {
            const struct patch_include include = repair->files.data[n].includes.data[i];
            if (!include.name)
                continue;
            char *path = path_resolve(folder, include.name);
            size_t to = SIZE_MAX;
            if (leads_to(folder, include.name, path))
                to = find_or_add(repair, path);
            else
                free(path);
            if (to != SIZE_MAX)
                vec_push(sites, (struct site){n, to, include.line, include.is_inside});
        }
        free(folder);
    }
}

// ---- Which may be edited --------------------------------------------------------------------

static void find_foreign(struct repair *repair) {
    char *folder = path_folder(repair->files.data[0].path);
    for (size_t n = 1; n < repair->files.length; n++) {
        struct repair_file *file = &repair->files.data[n];
        char *real = realpath(file->path, NULL);
        if (!path_is_below(folder, file->path))
            file->foreign = "this file is not in the folder of the source, or below it";
        else if (!text_is_same(real, file->path))
            file->foreign = "this file is, or is reached by, a symbolic link";
        free(real);
    }
    free(folder);
}

static bool is_read_once(const struct repair *repair, size_t n) {
    char *macro;
    bool is_guarded = patch_is_guarded(&repair->files.data[n].source, &macro);
    for (size_t i = 0; i < repair->files.length && macro; i++)
        is_guarded &= !patch_undefines(&repair->files.data[i].source, macro);
    free(macro);
    return is_guarded;
}

static void object(struct repair_file *file, const char *problem, size_t from, uint32_t line) {
    if (file->problem)
        return;
    file->problem = problem;
    file->problem_file = from;
    file->problem_line = line;
}

// An #include that a macro gives may be one of this file.
static void object_to_macros(struct repair *repair, struct repair_file *file) {
    for (size_t n = 0; n < repair->files.length; n++) {
        const patch_includes *includes = &repair->files.data[n].includes;
        for (size_t i = 0; i < includes->length; i++)
            if (!includes->data[i].name)
                object(file, "a macro says what is included here, which may be its file once more",
                       n, includes->data[i].line);
    }
}

static void judge_file(struct repair *repair, const site_list *sites, size_t n) {
    struct repair_file *file = &repair->files.data[n];
    const bool is_once = is_read_once(repair, n);
    size_t count = n == 0; // the compiler begins with FILE
    for (size_t i = 0; i < sites->length; i++) {
        const struct site *site = &sites->data[i];
        if (site->to != n)
            continue;
        if (site->is_inside) {
            file->is_inside = true;
            object(file, "its file is included here, in the midst of something", site->from,
                   site->line);
        }
        if (count++ && !is_once)
            object(file, "its file is included once more here", site->from, site->line);
    }
    if (n > 0 && !is_once)
        object_to_macros(repair, file);
}

// What is wrong with a file is so with those that it includes, but what is read once.
static void pass_problems_on(struct repair *repair, const site_list *sites) {
    for (bool is_new = true; is_new;) {
        is_new = false;
        for (size_t i = 0; i < sites->length; i++) {
            const struct repair_file *from = &repair->files.data[sites->data[i].from];
            struct repair_file *to = &repair->files.data[sites->data[i].to];
            if (!from->problem || to->problem ||
                (!from->is_inside && is_read_once(repair, sites->data[i].to)))
                continue;
            to->is_inside = from->is_inside;
            object(to, from->problem, from->problem_file, from->problem_line);
            is_new = true;
        }
    }
}

// ---- Arrays ---------------------------------------------------------------------------------

static void object_to_array(struct patch_array *array, const char *problem, size_t file,
                            uint32_t line) {
    if (array->problem)
        return;
    array->problem = problem;
    array->problem_text = file;
    array->problem_line = line;
}

static void judge_array(const struct repair *repair, struct patch_array *array) {
    const struct repair_file *own = &repair->files.data[array->text];
    if (own->problem)
        object_to_array(array, own->problem, own->problem_file, own->problem_line);
    for (size_t i = 0; i < own->includes.length; i++) {
        const struct patch_include *include = &own->includes.data[i];
        if (!array->is_at_file_scope && include->at > array->statement_end &&
            include->at < array->scope_end)
            object_to_array(array, "what is included here may use it", array->text, include->line);
    }
    for (size_t n = 0; n < repair->files.length; n++)
        if (n != array->text)
            patch_find_elsewhere(&repair->files.data[n].source, array);
}

static void find_arrays(struct repair *repair) {
    for (size_t n = 0; n < repair->files.length; n++)
        if (!repair->files.data[n].foreign)
            patch_find_arrays(&repair->files.data[n].source, &repair->arrays);
    for (size_t i = 0; i < repair->arrays.length; i++)
        judge_array(repair, &repair->arrays.data[i]);
}

// ---- All of it ------------------------------------------------------------------------------

// Its own name stays, if it is a symbolic link: files are looked for beside that.
static char *first_path(const char *name) {
    char *folder = path_folder(name), *real = realpath(folder, NULL);
    char *path = real ? path_resolve(real, text_file_name(name)) : NULL;
    free(folder);
    free(real);
    return path;
}

// Where quoted includes are looked for, too.
static char *folder_behind(const char *path) {
    char *real = realpath(path, NULL), *folder = real ? path_folder(real) : NULL;
    free(real);
    return folder;
}

static bool names_main(const struct repair *repair) {
    for (size_t n = 0; n < repair->files.length; n++)
        if (cuda_source_names_main(&repair->files.data[n].source))
            return true;
    return false;
}

bool repair_read(struct repair *repair) {
    const char *name = repair->argv[0];
    site_list sites = {0};
    char *path = first_path(name);
    if (!path || add_file(repair, path, base_strdup(name)) == SIZE_MAX) {
        cli_error("%s: %s", name, strerror(errno));
        return false;
    }
    if (repair->files.data[0].foreign) {
        cli_error("%s: not a CUDA source", name);
        return false;
    }
    repair->source_folder = folder_behind(name);
    follow_includes(repair, &sites);
    find_foreign(repair);
    for (size_t n = 0; n < repair->files.length; n++)
        judge_file(repair, &sites, n);
    pass_problems_on(repair, &sites);
    vec_free(&sites);
    if (!names_main(repair)) {
        cli_error("%s has no main(): a fix is tried by running the program", name);
        return false;
    }
    find_arrays(repair);
    return repair->source_folder != NULL;
}

void repair_free_files(struct repair *repair) {
    for (size_t n = 0; n < repair->files.length; n++) {
        struct repair_file *file = &repair->files.data[n];
        patch_text_free(&file->source);
        patch_includes_free(&file->includes);
        patch_edits_free(&file->questions);
        patch_edits_free(&file->edits);
        free(file->path);
        free(file->name);
        free(file->text);
    }
    vec_free(&repair->files);
}

// Copies lie in another folder, by the paths of the originals below it: the longest of these
// decides.
const struct repair_file *repair_find_file(const struct repair *repair, const char *compiled) {
    const struct repair_file *found = NULL;
    char *path = path_resolve("/", compiled);
    const size_t length = strlen(path);
    for (size_t n = 0; n < repair->files.length; n++) {
        const struct repair_file *file = &repair->files.data[n];
        const size_t own = strlen(file->path);
        if (own <= length && !strcmp(path + length - own, file->path) &&
            (!found || own > strlen(found->path)))
            found = file;
    }
    free(path);
    return found;
}

bool repair_has_edits(const struct repair *repair) {
    for (size_t n = 0; n < repair->files.length; n++)
        if (repair->files.data[n].edits.length)
            return true;
    return false;
}

char *repair_text_of(const struct repair_file *file, enum repair_text which) {
    const patch_edits none = {0};
    return patch_apply(file->text, file->length,
                       which == REPAIR_EDITED   ? &file->edits
                       : which == REPAIR_ASKING ? &file->questions
                                                : &none);
}
