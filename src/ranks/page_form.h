// Inside the ranks: how a page travels.
#ifndef BANKRUN_RANKS_PAGE_FORM_H
#define BANKRUN_RANKS_PAGE_FORM_H

#include <sys/mman.h>

#include "ranks/pages.h"

// Twins whose memory is kept from launch to launch: half a gigabyte of them.
enum { RANKS_TWINS_KEPT = 8192 };

// Of memory that is used from its begin on: the system's large pages, where it has some. NULL is
// allowed.
static inline void ranks_ask_for_large(void *memory, size_t bytes) {
    if (memory)
        madvise(memory, bytes, MADV_HUGEPAGE);
}

enum ranks_page_form { RANKS_PAGE_PLAIN, RANKS_PAGE_PACKED, RANKS_PAGE_KNOWN };

#endif
