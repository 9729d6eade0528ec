/* The most frequent request of all, 32 lanes of at most 32 bits, on x86 with AVX2 or AVX-512: the
 * same answer as degree.c, several times as fast. With AVX2 all pairs of lanes are compared by
 * rotating the warp past itself, unless all lie in one kilobyte. */
#include "model.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#define TARGET __attribute__((target("avx2")))

/* Bits start..start+7 of each word, as bytes. The order of lanes gets mixed, as in every other
 * vector that this makes. */
TARGET static inline __m256i bytes_of(const __m256i word[4], int start, int keep) {
    const __m256i mask = _mm256_set1_epi32(keep);
    __m256i part[4];
    for (int i = 0; i < 4; i++)
        part[i] = _mm256_and_si256(_mm256_srli_epi32(word[i], start), mask);
    return _mm256_packus_epi16(_mm256_packus_epi32(part[0], part[1]),
                               _mm256_packus_epi32(part[2], part[3]));
}

TARGET static inline unsigned largest_byte(__m256i bytes) {
    __m128i most = _mm_max_epu8(_mm256_castsi256_si128(bytes), _mm256_extracti128_si256(bytes, 1));
    __m128i least =
        _mm_sub_epi8(_mm_set1_epi8(-1), most); /* the smallest of 16 is an instruction */
    least = _mm_min_epu8(least, _mm_srli_epi16(least, 8));
    return 255u - (unsigned)(_mm_cvtsi128_si32(_mm_minpos_epu16(least)) & 0xff);
}

/* Lanes that want the same word as a lane before them: -1, else 0; one vector for 8 lanes. */
TARGET static void find_repeats(const __m256i word[4], __m256i repeats[4]) {
    const __m256i next = _mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 0);
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    __m256i turned[4], from = lane;
    for (int i = 0; i < 4; i++) {
        turned[i] = word[i];
        repeats[i] = _mm256_setzero_si256();
    }
    for (int turn = 0; turn < 8; turn++) {
        __m256i is_before = _mm256_cmpgt_epi32(lane, from);
        for (int i = 0; i < 4; i++) {
            __m256i same = _mm256_and_si256(_mm256_cmpeq_epi32(word[i], turned[i]), is_before);
            for (int before = 0; before < i; before++)
                same = _mm256_or_si256(same, _mm256_cmpeq_epi32(word[i], turned[before]));
            repeats[i] = _mm256_or_si256(repeats[i], same);
        }
        for (int i = 0; i < 4; i++)
            turned[i] = _mm256_permutevar8x32_epi32(turned[i], next);
        from = _mm256_permutevar8x32_epi32(from, next);
    }
}

/* One rotation: lanes of the same bank are counted. Where `looks` is set, lanes of the same bank
 * that may want the same word are noted; a pair need not be looked at from both sides. */
#define TURN(from_bank, from_row, by, looks)                                                       \
    do {                                                                                           \
        __m256i same = _mm256_cmpeq_epi8(bank, _mm256_alignr_epi8(from_bank, from_bank, by));      \
        count = _mm256_sub_epi8(count, same);                                                      \
        if (looks) {                                                                               \
            __m256i alike = _mm256_cmpeq_epi8(row, _mm256_alignr_epi8(from_row, from_row, by));    \
            repeats = _mm256_or_si256(repeats, _mm256_and_si256(same, alike));                     \
        }                                                                                          \
    } while (0)

/* How many lanes have the bank of each lane. *repeats is not 0 where two lanes may want one word.
 */
TARGET static inline __m256i count_banks(__m256i bank, __m256i row, __m256i *repeated) {
    __m256i count = _mm256_set1_epi8(1), repeats = _mm256_setzero_si256();
    const __m256i bank2 = _mm256_permute4x64_epi64(bank, 0x4e); /* halves swapped */
    const __m256i row2 = _mm256_permute4x64_epi64(row, 0x4e);
    TURN(bank, row, 1, true);
    TURN(bank, row, 2, true);
    TURN(bank, row, 3, true);
    TURN(bank, row, 4, true);
    TURN(bank, row, 5, true);
    TURN(bank, row, 6, true);
    TURN(bank, row, 7, true);
    TURN(bank, row, 8, true);
    TURN(bank, row, 9, false);
    TURN(bank, row, 10, false);
    TURN(bank, row, 11, false);
    TURN(bank, row, 12, false);
    TURN(bank, row, 13, false);
    TURN(bank, row, 14, false);
    TURN(bank, row, 15, false);
    TURN(bank2, row2, 0, true);
    TURN(bank2, row2, 1, true);
    TURN(bank2, row2, 2, true);
    TURN(bank2, row2, 3, true);
    TURN(bank2, row2, 4, true);
    TURN(bank2, row2, 5, true);
    TURN(bank2, row2, 6, true);
    TURN(bank2, row2, 7, true);
    TURN(bank2, row2, 8, true);
    TURN(bank2, row2, 9, false);
    TURN(bank2, row2, 10, false);
    TURN(bank2, row2, 11, false);
    TURN(bank2, row2, 12, false);
    TURN(bank2, row2, 13, false);
    TURN(bank2, row2, 14, false);
    TURN(bank2, row2, 15, false);
    *repeated = repeats;
    return count;
}

/* Lanes that repeat a word go to a bank that does not exist. */
TARGET static unsigned count_without_repeats(const __m256i word[4], __m256i bank) {
    __m256i repeats[4], unused;
    find_repeats(word, repeats);
    __m256i again = _mm256_packs_epi16(_mm256_packs_epi32(repeats[0], repeats[1]),
                                       _mm256_packs_epi32(repeats[2], repeats[3]));
    bank = _mm256_or_si256(bank, again);
    __m256i count = count_banks(bank, bank, &unused);
    return largest_byte(_mm256_andnot_si256(again, count));
}

/* The banks of all lanes that want one of 8 rows, a word for each row. Halves of two rows' vectors
 * are put together until each row has one. */
TARGET static inline __m256i rows_of_banks(const __m256i word[4]) {
    __m256i row[8], banks[4], rows[4];
    for (int i = 0; i < 4; i++) {
        banks[i] = _mm256_sllv_epi32(_mm256_set1_epi32(1),
                                     _mm256_and_si256(word[i], _mm256_set1_epi32(31)));
        rows[i] = _mm256_and_si256(_mm256_srli_epi32(word[i], 5), _mm256_set1_epi32(7));
    }
    for (int r = 0; r < 8; r++) {
        row[r] = _mm256_setzero_si256();
        for (int i = 0; i < 4; i++) {
            const __m256i wants = _mm256_cmpeq_epi32(rows[i], _mm256_set1_epi32(r));
            row[r] = _mm256_or_si256(row[r], _mm256_and_si256(wants, banks[i]));
        }
    }
    for (int r = 0; r < 4; r++)
        row[r] = _mm256_or_si256(_mm256_permute2x128_si256(row[r], row[r + 4], 0x20),
                                 _mm256_permute2x128_si256(row[r], row[r + 4], 0x31));
    for (int r = 0; r < 2; r++)
        row[r] = _mm256_or_si256(_mm256_unpacklo_epi64(row[r], row[r + 2]),
                                 _mm256_unpackhi_epi64(row[r], row[r + 2]));
    const __m256 a = _mm256_castsi256_ps(row[0]), b = _mm256_castsi256_ps(row[1]);
    return _mm256_or_si256(_mm256_castps_si256(_mm256_shuffle_ps(a, b, 0x88)),
                           _mm256_castps_si256(_mm256_shuffle_ps(a, b, 0xdd)));
}

/* Bits of 32 numbers at once: *plane becomes the sum's, and the carry is returned. */
TARGET static inline __m256i add_bits(__m256i *plane, __m256i other, __m256i carry) {
    const __m256i differ = _mm256_xor_si256(*plane, other);
    const __m256i next =
        _mm256_or_si256(_mm256_and_si256(*plane, other), _mm256_and_si256(differ, carry));
    *plane = _mm256_xor_si256(differ, carry);
    return next;
}

/* Of numbers whose bits lie in planes, from the highest plane on: `banks` have the largest one so
 * far, `most`. */
#define TAKE(plane, number)                                                                        \
    do {                                                                                           \
        const uint32_t set = banks & (uint32_t)(plane);                                            \
        most |= (unsigned)(set != 0) << (number);                                                  \
        banks = set ? set : banks;                                                                 \
    } while (0)

/* All want words of one kilobyte, as in a histogram of 256 bins: rows are added, all banks at once,
 * half of them to the other half. */
TARGET static unsigned add_rows(const __m256i word[4]) {
    const __m256i none = _mm256_setzero_si256();
    __m256i p[4] = {rows_of_banks(word), none, none, none};
    p[1] = add_bits(&p[0], _mm256_permute4x64_epi64(p[0], 0x4e), none);
    p[2] = add_bits(&p[0], _mm256_shuffle_epi32(p[0], 0x4e), none);
    p[2] = add_bits(&p[1], _mm256_shuffle_epi32(p[1], 0x4e), p[2]);
    p[3] = add_bits(&p[0], _mm256_shuffle_epi32(p[0], 0xb1), none);
    p[3] = add_bits(&p[1], _mm256_shuffle_epi32(p[1], 0xb1), p[3]);
    p[3] = add_bits(&p[2], _mm256_shuffle_epi32(p[2], 0xb1), p[3]);
    uint32_t banks = UINT32_MAX;
    unsigned most = 0;
    for (int plane = 3; plane >= 0; plane--)
        TAKE(_mm256_cvtsi256_si32(p[plane]), plane);
    return most;
}

TARGET static inline bool are_near(const __m256i word[4]) {
    const __m256i first = _mm256_broadcastd_epi32(_mm256_castsi256_si128(word[0]));
    __m256i differ = _mm256_setzero_si256();
    for (int i = 0; i < 4; i++)
        differ = _mm256_or_si256(differ, _mm256_xor_si256(word[i], first));
    return _mm256_testz_si256(differ, _mm256_set1_epi32(~255));
}

TARGET static bool count_words(const uint32_t *offsets, unsigned width, unsigned *degree) {
    __m256i word[4], repeats, any = _mm256_setzero_si256();
    for (int i = 0; i < 4; i++) {
        __m256i offset = _mm256_loadu_si256((const __m256i *)(const void *)offsets + i);
        any = _mm256_or_si256(any, offset);
        word[i] = _mm256_srli_epi32(offset, 2);
    }
    if (!_mm256_testz_si256(any, _mm256_set1_epi32((int)width - 1)))
        return false;
    if (are_near(word)) {
        *degree = add_rows(word);
        return true;
    }
    const __m256i bank = bytes_of(word, 0, 31), row = bytes_of(word, 5, 255);
    __m256i count = count_banks(bank, row, &repeats);
    *degree = _mm256_testz_si256(repeats, repeats) ? largest_byte(count)
                                                   : count_without_repeats(word, bank);
    return true;
}

/* With AVX-512 banks are counted in bits: each lane has one bit in 32, its bank's, and 32 such
 * words are added as degree.c does it, all banks at once, half of the lanes to the other half. */
#define TARGET512 __attribute__((target("avx512f,avx512bw,avx512vl")))
#define SUM(a, b, c) _mm512_ternarylogic_epi32(a, b, c, 0x96)
#define CARRY(a, b, c) _mm512_ternarylogic_epi32(a, b, c, 0xe8)
#define BY_8(x) _mm512_shuffle_i64x2(x, x, 0x4e)
#define BY_4(x) _mm512_shuffle_i64x2(x, x, 0xb1)
#define BY_2(x) _mm512_shuffle_epi32(x, 0x4e)
#define BY_1(x) _mm512_shuffle_epi32(x, 0xb1)

/* Plane p of two numbers that are added; the carry goes to the next one. */
#define ADD_FIRST(p, by)                                                                           \
    do {                                                                                           \
        const __m512i other = by(p);                                                               \
        carry = _mm512_and_si512(p, other);                                                        \
        p = _mm512_xor_si512(p, other);                                                            \
    } while (0)
#define ADD(p, by)                                                                                 \
    do {                                                                                           \
        const __m512i other = by(p), before = carry;                                               \
        carry = CARRY(p, other, before);                                                           \
        p = SUM(p, other, before);                                                                 \
    } while (0)
#define FIRST(p) _mm_cvtsi128_si32(_mm512_castsi512_si128(p))

/* The largest count of a bank; a word of each vector for each lane. */
TARGET512 static unsigned largest_sum(__m512i low, __m512i high) {
    __m512i p0 = _mm512_xor_si512(low, high), p1 = _mm512_and_si512(low, high), p2, p3, p4, carry;
    ADD_FIRST(p0, BY_8);
    ADD(p1, BY_8);
    p2 = carry;
    ADD_FIRST(p0, BY_4);
    ADD(p1, BY_4);
    ADD(p2, BY_4);
    p3 = carry;
    ADD_FIRST(p0, BY_2);
    ADD(p1, BY_2);
    ADD(p2, BY_2);
    ADD(p3, BY_2);
    p4 = carry;
    ADD_FIRST(p0, BY_1);
    ADD(p1, BY_1);
    ADD(p2, BY_1);
    ADD(p3, BY_1);
    ADD(p4, BY_1);
    uint32_t banks = UINT32_MAX;
    unsigned most = 0;
    TAKE(FIRST(carry), 5);
    TAKE(FIRST(p4), 4);
    TAKE(FIRST(p3), 3);
    TAKE(FIRST(p2), 2);
    TAKE(FIRST(p1), 1);
    TAKE(FIRST(p0), 0);
    return most;
}

TARGET512 static inline __m512i bank_bits(__m512i word) {
    return _mm512_sllv_epi32(_mm512_set1_epi32(1), _mm512_and_si512(word, _mm512_set1_epi32(31)));
}

/* One lane for each word: all write their numbers to its place in a table, and who is there then
 * stands for the others. Lanes that meet another word there go on to the next turn. */
TARGET512 static uint32_t find_distinct(__m512i low, __m512i high) {
    enum { PLACES = 2048 };
    uint32_t table[PLACES]; /* nothing is read that was not written before */
    const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i more = _mm512_add_epi32(lanes, _mm512_set1_epi32(16));
    const __m512i keep = _mm512_set1_epi32(PLACES - 1);
    const __m512i at = _mm512_and_si512(low, keep), at_high = _mm512_and_si512(high, keep);
    uint32_t left = UINT32_MAX, distinct = 0;
    do {
        const __mmask16 l = (__mmask16)left, h = (__mmask16)(left >> 16);
        _mm512_mask_i32scatter_epi32(table, l, at, lanes, 4);
        _mm512_mask_i32scatter_epi32(table, h, at_high, more, 4);
        const __m512i who = _mm512_mask_i32gather_epi32(lanes, l, at, table, 4);
        const __m512i who_high = _mm512_mask_i32gather_epi32(more, h, at_high, table, 4);
        const __m512i theirs = _mm512_permutex2var_epi32(low, who, high);
        const __m512i theirs_high = _mm512_permutex2var_epi32(low, who_high, high);
        distinct |= _mm512_mask_cmpeq_epi32_mask(l, who, lanes) |
                    (uint32_t)_mm512_mask_cmpeq_epi32_mask(h, who_high, more) << 16;
        left = _mm512_mask_cmpneq_epi32_mask(l, theirs, low) |
               (uint32_t)_mm512_mask_cmpneq_epi32_mask(h, theirs_high, high) << 16;
    } while (left);
    return distinct;
}

/* The banks of all lanes that want one of 8 rows: two words of the result for each row. Halves of
 * two rows' vectors are put together until each row has so few. */
TARGET512 static inline __m512i banks_by_row(__m512i low, __m512i high) {
    const __m512i banks = bank_bits(low), banks_high = bank_bits(high);
    const __m512i keep = _mm512_set1_epi32(7);
    const __m512i rows = _mm512_and_si512(_mm512_srli_epi32(low, 5), keep);
    const __m512i rows_high = _mm512_and_si512(_mm512_srli_epi32(high, 5), keep);
    __m512i row[8];
    for (int r = 0; r < 8; r++) {
        const __m512i wanted = _mm512_set1_epi32(r);
        row[r] = _mm512_maskz_mov_epi32(_mm512_cmpeq_epi32_mask(rows, wanted), banks);
        row[r] = _mm512_mask_or_epi32(row[r], _mm512_cmpeq_epi32_mask(rows_high, wanted), row[r],
                                      banks_high);
    }
    for (int r = 0; r < 4; r++)
        row[r] = _mm512_or_si512(_mm512_mask_blend_epi32(0xff00, row[r], row[r + 4]),
                                 _mm512_shuffle_i64x2(row[r], row[r + 4], 0x4e));
    for (int r = 0; r < 2; r++)
        row[r] = _mm512_or_si512(_mm512_shuffle_i64x2(row[r], row[r + 2], 0x88),
                                 _mm512_shuffle_i64x2(row[r], row[r + 2], 0xdd));
    row[0] = _mm512_or_si512(_mm512_unpacklo_epi64(row[0], row[1]),
                             _mm512_unpackhi_epi64(row[0], row[1]));
    return _mm512_or_si512(row[0], _mm512_shuffle_epi32(row[0], 0xb1));
}

/* All want words of one kilobyte, as in a histogram of 256 bins. */
TARGET512 static unsigned count_few_rows(__m512i low, __m512i high) {
    __m512i p0 = banks_by_row(low, high), p1, p2, carry;
    ADD_FIRST(p0, BY_8);
    p1 = carry;
    ADD_FIRST(p0, BY_4);
    ADD(p1, BY_4);
    p2 = carry;
    ADD_FIRST(p0, BY_2);
    ADD(p1, BY_2);
    ADD(p2, BY_2);
    uint32_t banks = UINT32_MAX;
    unsigned most = 0;
    TAKE(FIRST(carry), 3);
    TAKE(FIRST(p2), 2);
    TAKE(FIRST(p1), 1);
    TAKE(FIRST(p0), 0);
    return most;
}

TARGET512 static inline bool has_few_rows(__m512i low, __m512i high) {
    const __m512i first = _mm512_broadcastd_epi32(_mm512_castsi512_si128(low));
    const __m512i differ =
        _mm512_or_si512(_mm512_xor_si512(low, first), _mm512_xor_si512(high, first));
    return !_mm512_test_epi32_mask(differ, _mm512_set1_epi32(~255));
}

/* False: an offset is no multiple of the width. */
TARGET512 static bool count_words_512(const uint32_t *offsets, unsigned width, unsigned *degree) {
    const __m512i *from = (const __m512i *)(const void *)offsets;
    __m512i low = _mm512_loadu_si512(from), high = _mm512_loadu_si512(from + 1);
    if (_mm512_test_epi32_mask(_mm512_or_si512(low, high), _mm512_set1_epi32((int)width - 1)))
        return false;
    low = _mm512_srli_epi32(low, 2);
    high = _mm512_srli_epi32(high, 2);
    if (has_few_rows(low, high)) {
        *degree = count_few_rows(low, high);
        return true;
    }
    const uint32_t distinct = find_distinct(low, high);
    *degree = largest_sum(_mm512_maskz_mov_epi32((__mmask16)distinct, bank_bits(low)),
                          _mm512_maskz_mov_epi32((__mmask16)(distinct >> 16), bank_bits(high)));
    return true;
}

bool bankrun_count_words(const uint32_t *offsets, unsigned width, unsigned *degree) {
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        count_words_512(offsets, width, degree))
        return true;
    return __builtin_cpu_supports("avx2") && count_words(offsets, width, degree);
}

#else

bool bankrun_count_words(const uint32_t *offsets, unsigned width, unsigned *degree) {
    (void)offsets, (void)width, (void)degree;
    return false;
}

#endif
