// Base: arena, strings, map, vector, files, diagnostics, thread pool.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/map.h"
#include "base/path.h"
#include "base/pool.h"
#include "base/strbuf.h"
#include "base/vec.h"

static void test_alloc(void **state) {
    (void)state;
    unsigned char *zeroed = base_alloc(64);
    for (int i = 0; i < 64; i++)
        assert_int_equal(zeroed[i], 0);
    free(zeroed);
    free(base_alloc(0));
    char *copy = base_strndup("abcdef", 3);
    assert_string_equal(copy, "abc");
    free(copy);
    char *aligned = base_alloc_aligned(256, 1000);
    assert_int_equal((uintptr_t)aligned % 256, 0);
    assert_int_equal(aligned[999], 0);
    free(aligned);
}

static void test_arena(void **state) {
    (void)state;
    struct arena *arena = arena_create();
    unsigned char *blocks[200];
    for (size_t i = 0; i < 200; i++) { // sizes across the chunk limits
        size_t bytes = i * i * 7;
        blocks[i] = arena_alloc(arena, bytes);
        assert_int_equal((uintptr_t)blocks[i] % 16, 0);
        for (size_t j = 0; j < bytes; j++)
            assert_int_equal(blocks[i][j], 0);
        memset(blocks[i], (int)i, bytes);
    }
    for (size_t i = 0; i < 200; i++) // nobody wrote over anybody
        for (size_t j = 0; j < i * i * 7; j++)
            assert_int_equal(blocks[i][j], (unsigned char)i);
    assert_string_equal(arena_strndup(arena, "hello", 4), "hell");
    assert_string_equal(arena_printf(arena, "%d-%s", 42, "x"), "42-x");
    arena_destroy(arena);
    arena_destroy(NULL);
}

static void test_strbuf(void **state) {
    (void)state;
    struct strbuf text = {0};
    assert_string_equal(strbuf_string(&text), "");
    char *empty = strbuf_take(&text);
    assert_string_equal(empty, "");
    free(empty);
    for (int i = 0; i < 1000; i++)
        strbuf_printf(&text, "%d,", i);
    assert_int_equal(text.length, strlen(text.data));
    assert_memory_equal(text.data + text.length - 8, "998,999,", 8);
    strbuf_append(&text, "a\0b", 3);
    assert_memory_equal(text.data + text.length - 3, "a\0b", 4);
    strbuf_free(&text);
    assert_null(text.data);
    char pattern[500]; // one append that is far larger than the room
    memset(pattern, 'x', sizeof pattern - 1);
    pattern[sizeof pattern - 1] = '\0';
    strbuf_printf(&text, "<%s>", pattern);
    assert_int_equal(text.length, sizeof pattern + 1);
    assert_int_equal(text.data[text.length - 1], '>');
    strbuf_free(&text);
}

static void test_map(void **state) {
    (void)state;
    enum { COUNT = 5000 };
    struct map map = {0};
    static char keys[COUNT][16];
    static int values[COUNT];
    assert_null(map_get_string(&map, "nothing"));
    for (int i = 0; i < COUNT; i++) {
        snprintf(keys[i], sizeof keys[i], "%d", i);
        values[i] = i;
        map_put(&map, keys[i], strlen(keys[i]), &values[i]);
    }
    assert_int_equal(map.count, COUNT);
    for (int i = 0; i < COUNT; i++)
        assert_ptr_equal(map_get_string(&map, keys[i]), &values[i]);
    assert_null(map_get_string(&map, "5000"));
    assert_null(map_get_string(&map, ""));
    map_put(&map, "17", 2, &values[3]);
    assert_int_equal(map.count, COUNT);
    assert_ptr_equal(map_get(&map, "17x", 2), &values[3]);
    map_put(&map, "", 0, &values[4]); // an empty key is a key
    assert_ptr_equal(map_get(&map, "zzz", 0), &values[4]);
    map_free(&map);
    assert_null(map_get_string(&map, "17"));
}

static void test_vec(void **state) {
    (void)state;
    VEC(int) numbers = {0};
    for (int i = 0; i < 1000; i++)
        vec_push(&numbers, i * 2);
    assert_int_equal(numbers.length, 1000);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(numbers.data[i], i * 2);
    vec_free(&numbers);
    assert_int_equal(numbers.length, 0);
    assert_null(numbers.data);
}

static void expect_file(const char *path, const char *text) {
    char *data;
    size_t length;
    assert_true(file_read(path, &data, &length));
    assert_int_equal(length, strlen(text));
    assert_string_equal(data, text);
    free(data);
}

static void test_file(void **state) {
    (void)state;
    char folder[] = "/tmp/bankrun-test-XXXXXX";
    assert_non_null(mkdtemp(folder));
    struct strbuf path = {0}, link = {0};
    strbuf_printf(&path, "%s/file", folder);
    strbuf_printf(&link, "%s/link", folder);
    char *data;
    size_t length;
    assert_false(file_read(path.data, &data, &length));
    assert_int_equal(errno, ENOENT);
    assert_null(data);
    assert_true(file_write(path.data, "one", 3));
    expect_file(path.data, "one");
    assert_int_equal(chmod(path.data, 0750), 0);
    assert_true(file_write(path.data, "", 0));
    expect_file(path.data, "");
    struct stat info;
    assert_int_equal(stat(path.data, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0750); // replaced, with the same permissions
    assert_int_equal(symlink("file", link.data), 0);
    assert_true(file_write(link.data, "two", 3));
    expect_file(path.data, "two");
    assert_int_equal(lstat(link.data, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_false(file_read(folder, &data, &length));
    assert_int_equal(errno, EISDIR);
    unlink(link.data);
    unlink(path.data);
    assert_int_equal(rmdir(folder), 0); // no temporary file is left
    assert_false(file_write(path.data, "x", 1));
    assert_int_equal(errno, ENOENT);
    strbuf_free(&path);
    strbuf_free(&link);
}

static void test_position(void **state) {
    (void)state;
    struct source source = {"s", "ab\n\ncd", 6};
    uint32_t line, column;
    const uint32_t expected[][3] = {{0, 1, 1}, {1, 1, 2}, {2, 1, 3}, {3, 2, 1},
                                    {4, 3, 1}, {6, 3, 3}, {99, 3, 3}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        source_position(&source, expected[i][0], &line, &column);
        assert_int_equal(line, expected[i][1]);
        assert_int_equal(column, expected[i][2]);
    }
}

// What diag_print writes about a range of a text.
static char *printed(const char *text, uint32_t begin, uint32_t end, bool color) {
    struct source source = {"a.ptx", text, strlen(text)};
    struct diag_list list = {0};
    diag_add(&list, DIAG_ERROR, &source, (struct source_range){begin, end}, "bad %s", "thing");
    char *output = NULL;
    size_t length;
    FILE *file = open_memstream(&output, &length);
    diag_print(&list, file, color);
    fclose(file);
    diag_free(&list);
    return output;
}

static void expect_printed(const char *text, uint32_t begin, uint32_t end, const char *expected) {
    char *output = printed(text, begin, end, false);
    assert_string_equal(output, expected);
    free(output);
}

static void test_diag_print(void **state) {
    (void)state;
    expect_printed("one\ntwo three\n", 8, 13,
                   "a.ptx:2:5: error: bad thing\ntwo three\n    ^~~~~\n");
    expect_printed("\tx\ty z\r\n", 3, 4, "a.ptx:1:4: error: bad thing\n\tx\ty z\n\t \t^\n");
    expect_printed("abc", 3, 3, "a.ptx:1:4: error: bad thing\nabc\n   ^\n");
    expect_printed("", 0, 0, "a.ptx:1:1: error: bad thing\n\n^\n");
    expect_printed("ab\ncd", 1, 5, "a.ptx:1:2: error: bad thing\nab\n ^\n"); // first line only
    expect_printed("a\033[1mb", 5, 6, "a.ptx:1:6: error: bad thing\na?[1mb\n     ^\n");
    expect_printed("\xc3\xa9x", 2, 3, "a.ptx:1:3: error: bad thing\n\xc3\xa9x\n ^\n");
    char *colored = printed("abc", 0, 1, true);
    assert_non_null(strstr(colored, "\033["));
    free(colored);
}

static void test_diag_long_line(void **state) {
    (void)state;
    char text[1001];
    for (int i = 0; i < 1000; i++)
        text[i] = (char)('a' + i % 26);
    text[1000] = '\0';
    for (uint32_t at = 0; at <= 1000; at += 10) {
        char *output = printed(text, at, at + 3, false);
        char *line = strchr(output, '\n') + 1, *carets = strchr(line, '\n') + 1;
        size_t width = (size_t)(carets - line) - 1;
        size_t caret = strcspn(carets, "^");
        assert_true(width <= 100);
        assert_true(strcspn(carets, "\n") <= 100);
        if (at < 1000)
            assert_int_equal(line[caret], text[at]); // the caret is under its byte
        free(output);
    }
}

static void test_diag_limit(void **state) {
    (void)state;
    struct diag_list list = {0};
    for (int i = 0; i < DIAG_MAX_ERRORS + 25; i++)
        diag_error(&list, "error %d", i);
    assert_int_equal(list.errors, DIAG_MAX_ERRORS + 25);
    assert_int_equal(list.count, DIAG_MAX_ERRORS);
    char *output = NULL;
    size_t length;
    FILE *file = open_memstream(&output, &length);
    diag_print(&list, file, false);
    fclose(file);
    assert_memory_equal(output, "bankrun: error: error 0\n", 24);
    assert_non_null(strstr(output, "25 further errors not shown"));
    free(output);
    diag_free(&list);
    assert_int_equal(list.errors, 0);
}

struct pool_fixture {
    atomic_int calls;
    atomic_int seen[64];
};

static void pool_work(void *context, int worker) {
    struct pool_fixture *fixture = context;
    atomic_fetch_add(&fixture->calls, 1);
    atomic_fetch_add(&fixture->seen[worker], 1);
}

static void test_pool(void **state) {
    (void)state;
    for (int threads = 1; threads <= 9; threads += 4) {
        struct pool *pool = pool_create(threads);
        assert_int_equal(pool_threads(pool), threads);
        struct pool_fixture fixture = {0};
        for (int run = 1; run <= 200; run++) {
            pool_run(pool, pool_work, &fixture);
            assert_int_equal(atomic_load(&fixture.calls), run * threads); // all are back
        }
        for (int i = 0; i < threads; i++)
            assert_int_equal(atomic_load(&fixture.seen[i]), 200);
        pool_destroy(pool);
    }
    struct pool *pool = pool_create(0);
    assert_true(pool_threads(pool) >= 1);
    pool_destroy(pool);
    pool_destroy(NULL);
}

static void check_resolved(const char *folder, const char *path, const char *expected) {
    char *got = path_resolve(folder, path);
    assert_string_equal(got, expected);
    free(got);
}

static void check_folder(const char *path, const char *expected) {
    char *got = path_folder(path);
    assert_string_equal(got, expected);
    free(got);
}

// The way from the folder to the path leads there.
static void check_way(const char *folder, const char *path, const char *expected) {
    char *got = path_from(folder, path);
    assert_string_equal(got, expected);
    check_resolved(folder, got, path);
    free(got);
}

static void test_paths(void **context) {
    (void)context;
    check_resolved("/a/c", "../b.h", "/a/b.h");
    check_resolved("/a", "b//./c/../d.h", "/a/b/d.h");
    check_resolved("/a", "/x/../y", "/y");
    check_resolved("/a", "../../../b", "/b");
    check_resolved("/", "..", "/");
    check_resolved("/a", "", "/a");
    check_resolved("/a", "..b/...", "/a/..b/...");
    check_folder("/a/b.h", "/a");
    check_folder("/b.h", "/");
    check_folder("b.h", ".");
    check_folder("a/b.h", "a");
    check_way("/a/b", "/a/b/c/d.h", "c/d.h");
    check_way("/a/b", "/a/bc/d.h", "../bc/d.h");
    check_way("/a/b/c", "/d.h", "../../../d.h");
    check_way("/", "/a", "a");
    assert_true(path_is_below("/a", "/a/b/c"));
    assert_true(path_is_below("/", "/a"));
    assert_false(path_is_below("/a", "/ab"));
    assert_false(path_is_below("/a", "/a"));
    assert_false(path_is_below("/a/b", "/a/c"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alloc),
        cmocka_unit_test(test_arena),
        cmocka_unit_test(test_strbuf),
        cmocka_unit_test(test_map),
        cmocka_unit_test(test_vec),
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_position),
        cmocka_unit_test(test_diag_print),
        cmocka_unit_test(test_diag_long_line),
        cmocka_unit_test(test_diag_limit),
        cmocka_unit_test(test_pool),
        cmocka_unit_test(test_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
