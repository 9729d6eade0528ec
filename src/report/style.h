// How loud a word or a figure is; what it looks like is each writer's own.
#ifndef BANKRUN_REPORT_STYLE_H
#define BANKRUN_REPORT_STYLE_H

enum report_style {
    STYLE_PLAIN,
    STYLE_BOLD,
    STYLE_DIM,
    STYLE_BAD,  // most of the excess
    STYLE_WARN, // some of it
    STYLE_GOOD, // nothing to win
};

#endif
