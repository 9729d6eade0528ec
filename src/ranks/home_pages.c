// Pages on their way: as they are known, as zeros, compressed, or as they are.
#include <stdlib.h>
#include <zstd.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "ranks/page_form.h"

static void put_page(uint64_t page, uint64_t known, const uint8_t *bytes, uint8_t *packed,
                     struct strbuf *out) {
    const uint64_t hash = hash_bytes(bytes, RANKS_PAGE);
    uint64_t form = RANKS_PAGE_PLAIN;
    size_t length = RANKS_PAGE;
    if (known && known == hash) {
        form = RANKS_PAGE_KNOWN;
        length = 0;
    } else {
        const size_t room = ZSTD_compressBound(RANKS_PAGE);
        const size_t size = ZSTD_compress(packed, room, bytes, RANKS_PAGE, 1);
        if (!ZSTD_isError(size) && size < RANKS_PAGE / 8 * 7) {
            form = RANKS_PAGE_PACKED;
            length = size;
        }
    }
    ranks_put_number(out, page);
    ranks_put_number(out, form);
    ranks_put_number(out, length);
    if (length)
        ranks_put(out, form == RANKS_PAGE_PACKED ? packed : bytes, length);
}

bool ranks_home_pages(struct ranks_home *home, struct ranks_reader *need, struct strbuf *out) {
    uint8_t *bytes = base_alloc(RANKS_PAGE), *packed = base_alloc(ZSTD_compressBound(RANKS_PAGE));
    while (need->at < need->end && !need->is_bad) {
        const uint64_t page = ranks_get_number(need), known = ranks_get_number(need);
        if (need->is_bad)
            break;
        ranks_home_read(home, page, bytes);
        put_page(page, known, bytes, packed, out);
    }
    free(bytes);
    free(packed);
    return !need->is_bad;
}
