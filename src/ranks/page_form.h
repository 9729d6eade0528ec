// Inside the ranks: how a page travels.
#ifndef BANKRUN_RANKS_PAGE_FORM_H
#define BANKRUN_RANKS_PAGE_FORM_H

#include "ranks/pages.h"

// Twins whose memory is kept from launch to launch.
enum { RANKS_TWINS_KEPT = 1024 };

enum ranks_page_form { RANKS_PAGE_PLAIN, RANKS_PAGE_PACKED, RANKS_PAGE_KNOWN };

#endif
