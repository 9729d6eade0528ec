// Inside the HTML report: the data of the page. The page itself - markup, style and script - are
// the files of src/report/html, which the build turns into report_page_* (tools/embed_page.py).
#ifndef BANKRUN_REPORT_HTML_H
#define BANKRUN_REPORT_HTML_H

#include <jansson.h>

#include "base/map.h"
#include "report/build.h"

// The page: between its parts are what its policy allows more, its data, and the module.
extern const char *const report_page_parts[4];
// The bank model for the page's sliders, in the element that holds it.
extern const char *const report_page_module;

struct html_access { // of a line, in one launch or several that are alike
    size_t launch;   // of the view
    const struct view_site *site;
};

struct html_sum {                        // of a line, by kernel
    const struct profile_launch *kernel; // a launch of it
    enum site_space space;
    uint64_t launches;
    size_t last; // entry of the view that was counted
    struct profile_counts counts;
};

// A source line over all launches; what has none is apart for each kernel.
struct html_line {
    size_t file;   // of html_data.files; SIZE_MAX: unknown
    uint32_t line; // 0: unknown
    struct profile_counts counts[SITE_SPACES];
    uint64_t most;      // excess of shared memory in one entry of the view, which `gain` is about
    size_t most_launch; // that entry
    double gain;        // as in struct view_line; 0: unknown
    bool is_worth;
    uint32_t degree;  // the worst of an access that conflicts; 0: none does
    bool is_observed; // of some access to shared memory nothing is proved
    VEC(struct html_sum) sums;
    VEC(struct html_access) accesses; // those with most excess, where they are very many
    size_t more;                      // accesses that are not among these
};

struct html_file {
    const char *path;    // as the profile has it
    VEC(uint32_t) lines; // that something is said of
};

struct html_data {
    const struct report_view *view;
    struct view_builder builder;
    json_t *texts, *pictures; // each is there once, and called by its number
    struct map text_numbers, picture_numbers;
    size_t picture_bytes;
    bool has_sliders; // some request can be tried in other layouts
    VEC(struct html_file) files;
    struct map file_numbers;
    VEC(struct html_line) lines;
    struct map line_numbers;
    size_t *launch_numbers; // of each entry of the view, in the page; SIZE_MAX: it is not there
};

// html_data.c: all of it. The caller frees. *has_sliders: the page needs the module.
json_t *html_data_of(const struct report_view *view, const struct report_options *options,
                     bool *has_sliders);
json_t *html_text(struct html_data *data, const char *text); // its number, or null
size_t html_file_number(struct html_data *data, const char *path, uint32_t line); // SIZE_MAX: none
json_t *html_counts(const struct profile_counts *counts);
json_t *html_gain(double gain); // null where counts that no run has make it no number

// html_lines.c: fills data->lines, those with most excess first. Of accesses only so many are kept
// as a page has room for; the sums are of all.
void html_find_lines(struct html_data *data);
json_t *html_lines(struct html_data *data);

// html_launches.c: those that lines name, the first ones and the one worth most. Numbers them.
json_t *html_launches(struct html_data *data);

// html_pictures.c: `picture` of a site's worst request, by its number, and `offset`, which its
// first lane has; null: there is no model of it. Where its place in its array is known, `request`,
// which the page's sliders ask the module about. The same for the layouts of its cure, as an array.
// cure: NULL where there is none.
void html_set_picture(struct html_data *data, json_t *object, unsigned arch,
                      const struct profile_site *site, const struct profile_cure *cure);
json_t *html_cured(struct html_data *data, unsigned arch, const struct profile_site *site,
                   const struct profile_cure *cure);

// html_notes.c: what is said beside lines.
json_t *html_findings(struct html_data *data);
json_t *html_problems(struct html_data *data);

// html_source.c: the lines that something is said of, with some around them.
json_t *html_files(struct html_data *data);

#endif
