// The door of the WebAssembly module: a caller writes its fields into the room that it asks for,
// and reads the answer where it is told. One question at a time; the answer stays until the next
// one.
#include <stdlib.h>

#include "explorer/explorer.h"

static char *room;
static struct strbuf answer;

// The exports.
char *wasm_room(size_t bytes);
const char *wasm_answer(size_t length);
size_t wasm_answer_length(void);

// NULL: there is no so much memory.
char *wasm_room(size_t bytes) {
    free(room);
    room = malloc(bytes + 1);
    return room;
}

const char *wasm_answer(size_t length) {
    strbuf_free(&answer);
    explorer_answer(room, length, &answer);
    return strbuf_string(&answer);
}

size_t wasm_answer_length(void) {
    return answer.length;
}
