// The handover: what a process wrote is there, whatever ends it.
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "handover/handover.h"

static struct handover *start(void) {
    struct handover *handover = handover_create();
    assert_non_null(handover);
    char *name = handover_name(handover);
    setenv(HANDOVER_VARIABLE, name, 1);
    free(name);
    return handover;
}

// Runs the function in a child. Returns how waitpid saw it end.
static int in_child(void (*run)(void)) {
    int status;
    pid_t child = fork();
    if (child == 0) {
        run();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

// Of sizes that end anywhere in a chunk.
enum { RECORDS = 3000 };
static size_t fill(char *text, unsigned record) {
    size_t length = record % 7 ? record : 150000 + record;
    memset(text, 'a' + (int)(record % 26), length);
    return length;
}

static void write_all(void) {
    static char text[200000];
    struct handover_writer *writer = handover_open();
    for (unsigned i = 0; i < RECORDS; i++) {
        size_t length = fill(text, i);
        if (!handover_write(writer, i % 2 ? HANDOVER_LAUNCH : HANDOVER_NOTE, text, length))
            _exit(1);
    }
    raise(SIGKILL);
}

static void test_stream(void **state) {
    (void)state;
    static char text[200000];
    struct handover *handover = start();
    struct handover_process process;
    struct handover_record record;
    size_t at = 0;
    assert_int_equal(WTERMSIG(in_child(write_all)), SIGKILL);
    assert_int_equal(handover_count(handover), 1);
    handover_read(handover, 0, &process);
    assert_int_equal(process.end, HANDOVER_OPEN);
    assert_false(process.is_cut);
    assert_false(process.is_launching);
    for (unsigned i = 0; i < RECORDS; i++) {
        assert_true(handover_next(&process.stream, &at, &record));
        assert_int_equal(record.kind, i % 2 ? HANDOVER_LAUNCH : HANDOVER_NOTE);
        assert_int_equal(record.length, fill(text, i));
        assert_memory_equal(record.data, text, record.length);
    }
    assert_false(handover_next(&process.stream, &at, &record));
    handover_process_free(&process);
    handover_free(handover);
}

static const struct handover_launch launch = {.grid = {7, 1, 1}, .block = {32, 1, 1}};

static void die_launching(void) {
    struct handover_writer *writer = handover_open();
    handover_launching(writer, &launch, "first");
    handover_write(writer, HANDOVER_LAUNCH, "1", 1);
    handover_landed(writer);
    handover_launching(writer, &launch, "second");
    handover_write(writer, HANDOVER_NOTE, "n", 1);
    raise(SIGKILL);
}

// Between a launch's record and its end.
static void die_landing(void) {
    struct handover_writer *writer = handover_open();
    handover_launching(writer, &launch, "first");
    handover_write(writer, HANDOVER_REPEAT, "1", 1);
    raise(SIGKILL);
}

static void test_launching(void **state) {
    (void)state;
    struct handover *handover = start();
    struct handover_process process;
    in_child(die_launching);
    in_child(die_landing);
    handover_read(handover, 0, &process);
    assert_true(process.is_launching);
    assert_string_equal(process.symbol, "second");
    assert_int_equal(process.launch.grid[0], 7);
    handover_process_free(&process);
    handover_read(handover, 1, &process);
    assert_false(process.is_launching);
    handover_process_free(&process);
    handover_free(handover);
}

static void end(void) {
    struct handover_writer *writer = handover_open();
    handover_write(writer, HANDOVER_NOTE, "n", 1);
    handover_end(writer, SIGTERM);
}

static void fork_and_end(void) {
    struct handover_writer *writer = handover_open();
    handover_write(writer, HANDOVER_NOTE, "parent", 6);
    pid_t child = fork();
    if (child == 0) {
        handover_end(writer, SIGHUP); // of the parent's stream: not its own
        handover_write(writer, HANDOVER_NOTE, "child", 5);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    handover_replaced(handover_open());
}

static void test_ends(void **state) {
    (void)state;
    struct handover *handover = start();
    struct handover_process process;
    in_child(end);
    in_child(fork_and_end);
    assert_int_equal(handover_count(handover), 3);
    handover_peek(handover, 0, &process);
    assert_int_equal(process.end, HANDOVER_ENDED);
    assert_int_equal(process.signal, SIGTERM);
    handover_peek(handover, 1, &process);
    assert_int_equal(process.end, HANDOVER_REPLACED);
    handover_read(handover, 2, &process);
    assert_int_equal(process.end, HANDOVER_OPEN);
    assert_false(handover_is_alive(process.pid));
    assert_memory_equal(process.stream.data + 8, "child", 5);
    handover_process_free(&process);
    handover_free(handover);
}

static void refuse(void) {
    if (handover_open() || errno != 0)
        _exit(1);
}

static void test_not_meant(void **state) {
    (void)state;
    static const char *const names[] = {"", "1", "x:y", "-1:0", "99999999999:1", "0:0"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        setenv(HANDOVER_VARIABLE, names[i], 1);
        assert_null(handover_open());
        assert_int_not_equal(errno, 0);
    }
    unsetenv(HANDOVER_VARIABLE);
    assert_false(handover_is_wanted());
    struct handover *handover = start();
    handover_only_me(handover);
    assert_int_equal(in_child(refuse), 0);
    struct handover_writer *writer = handover_open();
    assert_non_null(writer);
    assert_int_equal(handover_users(handover), 1);
    handover_close(writer);
    assert_int_equal(handover_users(handover), 0);
    char *name = handover_name(handover);
    name[strlen(name) - 1] ^= 1; // another key
    setenv(HANDOVER_VARIABLE, name, 1);
    assert_null(handover_open());
    assert_int_equal(errno, EINVAL);
    free(name);
    handover_free(handover);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stream),
        cmocka_unit_test(test_launching),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_not_meant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
