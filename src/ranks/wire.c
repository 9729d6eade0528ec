#include "ranks/wire.h"

#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

void ranks_put_text(struct strbuf *out, const char *text) {
    const uint64_t length = text ? strlen(text) : UINT64_MAX;
    ranks_put_number(out, length);
    if (text)
        ranks_put(out, text, length);
}

const void *ranks_get(struct ranks_reader *reader, size_t length) {
    if (reader->is_bad || (size_t)(reader->end - reader->at) < length) {
        reader->is_bad = true;
        return NULL;
    }
    const void *bytes = reader->at;
    reader->at += length;
    return bytes;
}

uint64_t ranks_get_number(struct ranks_reader *reader) {
    uint64_t number = 0;
    const void *bytes = ranks_get(reader, sizeof number);
    if (bytes)
        memcpy(&number, bytes, sizeof number);
    return number;
}

size_t ranks_get_count(struct ranks_reader *reader, size_t bytes) {
    const uint64_t count = ranks_get_number(reader);
    if (count <= (size_t)(reader->end - reader->at) / bytes)
        return (size_t)count;
    reader->is_bad = true;
    return 0;
}

char *ranks_get_text(struct ranks_reader *reader) {
    const uint64_t length = ranks_get_number(reader);
    if (length == UINT64_MAX)
        return NULL;
    const char *text = ranks_get(reader, (size_t)length);
    return text ? base_strndup(text, (size_t)length) : NULL;
}

// Lane code of another width computes the same, so that processors of one kind may differ.
uint64_t ranks_identity(void) {
    static const char words[] = BANKRUN_VERSION
#if defined __x86_64__
        " x86_64"
#elif defined __aarch64__
        " aarch64"
#else
        " other"
#endif
        " 3"; // of the messages
    return hash_bytes(words, sizeof words);
}
