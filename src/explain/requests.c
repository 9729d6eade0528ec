// Reads CSV files of raw requests, millions of rows a second, and writes them with their costs.
#include <string.h>

#include "base/arena.h"
#include "base/csv.h"
#include "base/strbuf.h"
#include "explain/explain.h"

enum { COLUMN_INSTRUCTION, COLUMN_MASK, COLUMN_OFFSETS, COLUMNS, MAX_COLUMNS = 64 };
static const char *const column_names[COLUMNS] = {"instruction", "active_mask", "byte_offsets"};
static const char *const added_names[] = {"wavefronts", "ideal", "cycles"};

struct explain_requests {
    struct arena *arena; // bad lines, for messages
    const char *name;
    unsigned arch;
    bool keeps_going;
    struct strbuf carry; // the start of a line that the last piece was cut in
    uint64_t lines;      // read so far
    unsigned columns;    // of the file; 0: the heading was not read yet
    unsigned at[COLUMNS];
    char instruction[64]; // the last one, and what it means
    size_t instruction_length;
    struct bankrun_request request;
    uint32_t offsets[BANKRUN_LANES];
};

struct explain_requests *explain_requests_create(const char *name, unsigned arch, bool keep_going) {
    struct arena *arena = arena_create();
    struct explain_requests *requests = ARENA_NEW(arena, struct explain_requests);
    requests->arena = arena;
    requests->name = arena_strndup(arena, name, strlen(name));
    requests->arch = arch;
    requests->keeps_going = keep_going;
    requests->request.offsets = requests->offsets;
    return requests;
}

void explain_requests_free(struct explain_requests *requests) {
    if (!requests)
        return;
    strbuf_free(&requests->carry);
    arena_destroy(requests->arena);
}

static bool complain(struct explain_requests *requests, struct csv_field line,
                     struct csv_field where, struct diag_list *diags, const char *message) {
    if (diags->errors < DIAG_MAX_ERRORS) {
        struct source *source = ARENA_NEW(requests->arena, struct source);
        size_t length = (size_t)(line.end - line.begin);
        *source = (struct source){requests->name,
                                  arena_strndup(requests->arena, line.begin, length), length};
        struct source_range range = {(uint32_t)(where.begin - line.begin),
                                     (uint32_t)(where.end - line.begin)};
        diag_add_piece(diags, source, (uint32_t)(requests->lines - 1), range, "%s", message);
    } else {
        diag_error(diags, "%s", message); // counted, not kept
    }
    return false;
}

// ---- Fields -------------------------------------------------------------------------------

static bool is_digit(char c) {
    return (unsigned char)(c - '0') < 10;
}

// 32 numbers with blanks between them. On an error *at is where.
static const char *read_offsets(const char **at, const char *end, uint32_t *offsets) {
    const char *c = *at;
    for (unsigned lane = 0; lane < BANKRUN_LANES; lane++) {
        while (c < end && *c == ' ')
            c++;
        const char *begin = c;
        uint64_t value = 0;
        while (c < end && is_digit(*c))
            value = value * 10 + (unsigned)(*c++ - '0');
        if (c == begin) {
            *at = c;
            return c < end ? "expected a byte offset" : "fewer than 32 byte offsets";
        }
        if (c - begin > 10 || value > UINT32_MAX) {
            *at = begin;
            return "a byte offset of more than 32 bits";
        }
        offsets[lane] = (uint32_t)value;
    }
    while (c < end && *c == ' ')
        c++;
    *at = c;
    return c < end ? is_digit(*c) ? "more than 32 byte offsets" : "expected a byte offset" : NULL;
}

// 0x and hexadecimal digits, or a decimal number.
static const char *read_mask(struct csv_field field, uint32_t *mask) {
    const char *c = field.begin;
    bool is_hex = field.end - c > 2 && c[0] == '0' && (c[1] | 32) == 'x';
    uint64_t value = 0;
    c += is_hex ? 2 : 0;
    if (c == field.end)
        return "expected a mask of lanes, like 0xffffffff";
    for (; c < field.end; c++) {
        unsigned digit = is_digit(*c) ? (unsigned)(*c - '0')
                         : (*c | 32) >= 'a' && (*c | 32) <= 'f' && is_hex
                             ? (unsigned)((*c | 32) - 'a' + 10)
                             : 16;
        value = value * (is_hex ? 16 : 10) + digit;
        if (digit == 16 || value > UINT32_MAX)
            return "expected a mask of lanes, like 0xffffffff";
    }
    *mask = (uint32_t)value;
    return NULL;
}

// Rows of one instruction follow each other: it is looked up once.
static const char *read_instruction(struct explain_requests *requests, struct csv_field field) {
    size_t length = (size_t)(field.end - field.begin);
    if (length == requests->instruction_length &&
        memcmp(field.begin, requests->instruction, length) == 0)
        return NULL;
    requests->instruction_length = 0;
    if (length == 0 || length > sizeof requests->instruction)
        return "expected the name of an instruction, like ld.shared.u32";
    const char *problem = explain_instruction(field.begin, length, &requests->request);
    if (problem)
        return problem;
    memcpy(requests->instruction, field.begin, length);
    requests->instruction_length = length;
    return NULL;
}

// ---- Lines --------------------------------------------------------------------------------

static bool is_name(struct csv_field field, const char *name) {
    size_t length = (size_t)(field.end - field.begin);
    return length == strlen(name) && memcmp(field.begin, name, length) == 0;
}

// Which column is which. Columns that would get the name of a new one are renamed.
static bool read_names(struct explain_requests *requests, struct csv_field line, struct strbuf *out,
                       struct diag_list *diags) {
    bool has[COLUMNS] = {false};
    const char *at = line.begin;
    if (line.end - at >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0) // a byte order mark
        at += 3;
    while (at) {
        struct csv_field field;
        const char *problem = csv_next(&at, line.end, &field);
        if (!problem && requests->columns == MAX_COLUMNS)
            problem = "more than 64 columns";
        for (unsigned i = 0; i < COLUMNS && !problem; i++)
            if (is_name(field, column_names[i])) {
                problem = has[i] ? "this column is there twice" : NULL;
                has[i] = true;
                requests->at[i] = requests->columns;
            }
        if (problem)
            return complain(requests, line, field, diags, problem);
        strbuf_puts(out, requests->columns++ ? "," : "");
        for (unsigned i = 0; i < sizeof added_names / sizeof *added_names; i++)
            if (is_name(field, added_names[i]))
                strbuf_puts(out, "given_");
        strbuf_append(out, field.begin, (size_t)(field.end - field.begin));
    }
    for (unsigned i = 0; i < COLUMNS; i++)
        if (!has[i])
            return complain(requests, line, line, diags,
                            i == COLUMN_INSTRUCTION ? "there is no column 'instruction'"
                            : i == COLUMN_MASK      ? "there is no column 'active_mask'"
                                                    : "there is no column 'byte_offsets'");
    strbuf_puts(out, ",wavefronts,ideal,cycles\n");
    return true;
}

static bool read_heading(struct explain_requests *requests, struct csv_field line,
                         struct strbuf *out, struct diag_list *diags) {
    size_t before = out->length;
    bool is_fine = read_names(requests, line, out, diags);
    if (!is_fine)
        out->length = before;
    return is_fine;
}

static char *put_number(char *at, uint32_t number) {
    char digits[10];
    unsigned count = 0;
    do
        digits[count++] = (char)('0' + number % 10);
    while ((number /= 10) != 0);
    while (count > 0)
        *at++ = digits[--count];
    return at;
}

// Where lane n's offset stands in the field of offsets.
static struct csv_field offset_field(struct csv_field field, unsigned lane) {
    const char *c = field.begin;
    for (;; lane--) {
        while (c < field.end && *c == ' ')
            c++;
        const char *begin = c;
        while (c < field.end && is_digit(*c))
            c++;
        if (lane == 0 || c == field.end)
            return (struct csv_field){begin, c};
    }
}

static bool count_row(struct explain_requests *requests, struct csv_field line,
                      struct csv_field columns[], struct strbuf *out, struct diag_list *diags) {
    struct bankrun_request *request = &requests->request;
    struct bankrun_cost cost;
    enum bankrun_status status = bankrun_count(requests->arch, request, &cost);
    if (status != BANKRUN_OK) {
        struct csv_field where = columns[status == BANKRUN_BAD_WIDTH    ? COLUMN_INSTRUCTION
                                         : status == BANKRUN_EMPTY_MASK ? COLUMN_MASK
                                                                        : COLUMN_OFFSETS];
        uint32_t lanes = request->matrices ? UINT32_MAX : request->mask;
        for (unsigned lane = 0; lane < BANKRUN_LANES && status == BANKRUN_MISALIGNED; lane++)
            if ((lanes >> lane & 1) && requests->offsets[lane] % request->width) {
                where = offset_field(columns[COLUMN_OFFSETS], lane);
                break;
            }
        return complain(requests, line, where, diags, bankrun_status_text(status));
    }
    char numbers[40], *end = numbers;
    *end++ = ',';
    end = put_number(end, cost.wavefronts);
    *end++ = ',';
    end = put_number(end, cost.ideal);
    *end++ = ',';
    end = put_number(end, bankrun_cycles(requests->arch, request, &cost));
    *end++ = '\n';
    strbuf_append(out, line.begin, (size_t)(line.end - line.begin));
    strbuf_append(out, numbers, (size_t)(end - numbers));
    return true;
}

static bool read_row(struct explain_requests *requests, struct csv_field line, struct strbuf *out,
                     struct diag_list *diags) {
    struct csv_field columns[COLUMNS];
    const char *at = line.begin;
    for (unsigned column = 0; column < requests->columns; column++) {
        struct csv_field field = {line.end, line.end};
        const char *problem = at ? csv_next(&at, line.end, &field) : "the row has too few columns";
        if (!problem && column == requests->at[COLUMN_INSTRUCTION]) {
            columns[COLUMN_INSTRUCTION] = field;
            problem = read_instruction(requests, field);
        } else if (!problem && column == requests->at[COLUMN_MASK]) {
            columns[COLUMN_MASK] = field;
            problem = read_mask(field, &requests->request.mask);
        } else if (!problem && column == requests->at[COLUMN_OFFSETS]) {
            columns[COLUMN_OFFSETS] = field;
            problem = read_offsets(&field.begin, field.end, requests->offsets);
            if (problem)
                field.end = field.begin < field.end ? field.begin + 1 : field.end;
        }
        if (problem)
            return complain(requests, line, field, diags, problem);
    }
    if (at)
        return complain(requests, line, (struct csv_field){at, line.end}, diags,
                        "the row has too many columns");
    return count_row(requests, line, columns, out, diags);
}

static bool read_line(struct explain_requests *requests, const char *begin, const char *end,
                      struct strbuf *out, struct diag_list *diags) {
    requests->lines++;
    if (end > begin && end[-1] == '\r')
        end--;
    struct csv_field line = {begin, end};
    if (requests->columns == 0)
        return read_heading(requests, line, out, diags);
    if (begin == end)
        return true; // an empty line, as at the end of many files
    return read_row(requests, line, out, diags) || requests->keeps_going;
}

bool explain_requests_feed(struct explain_requests *requests, const char *data, size_t length,
                           bool is_last, struct strbuf *out, struct diag_list *diags) {
    const char *at = data, *end = data + length;
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        if (!newline) {
            strbuf_append(&requests->carry, at, (size_t)(end - at));
            break;
        }
        bool is_fine;
        if (requests->carry.length) {
            strbuf_append(&requests->carry, at, (size_t)(newline - at));
            is_fine = read_line(requests, requests->carry.data,
                                requests->carry.data + requests->carry.length, out, diags);
            requests->carry.length = 0;
        } else {
            is_fine = read_line(requests, at, newline, out, diags);
        }
        if (!is_fine)
            return false;
        at = newline + 1;
    }
    if (!is_last)
        return true;
    if (requests->carry.length &&
        !read_line(requests, requests->carry.data, requests->carry.data + requests->carry.length,
                   out, diags))
        return false;
    if (requests->columns == 0) {
        requests->lines = 1;
        return complain(requests, (struct csv_field){"", ""}, (struct csv_field){"", ""}, diags,
                        "the file is empty; its first line names the columns");
    }
    return true;
}
