// Bounds of what forms hold, as integers.
#ifndef BANKRUN_PROVE_RANGE_H
#define BANKRUN_PROVE_RANGE_H

#include "prove/form.h"

// Far more than any sum of terms that is looked at.
__extension__ typedef __int128 wide_int;

struct range {
    bool is_known;
    wide_int low, high; // inclusive
};

// The number that `bits` bits are as a signed one.
wide_int range_signed(uint64_t number, unsigned bits);

// Of the sum of base and terms in one lane, the numbers in them taken as signed ones. That sum is
// the value where it lies within what `bits` can hold; see the next ones.
struct range range_of_sum(const struct form_table *table, const struct form *a, unsigned lane);

// Of the value in one lane, or in all of the mask, as a number of `bits`. Not known: it may be any.
struct range range_of_lane(const struct form_table *table, const struct form *a, unsigned bits,
                           bool is_signed, unsigned lane);
struct range range_of(const struct form_table *table, const struct form *a, unsigned bits,
                      bool is_signed, uint32_t mask);

// Whether the signed sum is the value in all lanes, as a number of so many bits.
bool range_is_sum(const struct form_table *table, const struct form *a, unsigned bits,
                  bool is_signed);

// Bits that may be 1 in some lane; `bits` wide.
uint64_t range_ones(const struct form_table *table, const struct form *a, unsigned bits);

#endif
