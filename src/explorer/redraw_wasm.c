// The door of the small WebAssembly module: a caller writes its question where it is told, and
// reads the answer likewise.
#include "explorer/redraw.h"

static struct redraw_question question;
static struct redraw_answer answer;

// The exports.
struct redraw_question *redraw_question(void);
const struct redraw_answer *redraw(void);

struct redraw_question *redraw_question(void) {
    return &question;
}

const struct redraw_answer *redraw(void) {
    explorer_redraw(&question, &answer);
    return &answer;
}
