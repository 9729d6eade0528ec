"""bankrun is killed, and what it started ends, too: a program that ignores signals, a command, and a
CUDA program that a command started."""

import os
import signal
import subprocess
import sys
import tempfile
import time

BANKRUN = os.environ.get("BANKRUN", "build/bankrun")
BUILD = os.path.abspath(os.environ.get("BANKRUN_BUILD", "build"))
PATIENCE = 90  # seconds

# Says who it is and waits. A program that uses CUDA, though it needs no kernel.
PROGRAM = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
int main(int count, char **arguments) {
    if (count > 2)
        signal(SIGTERM, SIG_IGN);
    int (*free_device)(void *) = (int (*)(void *))dlsym(RTLD_DEFAULT, "cudaFree");
    int error = free_device(NULL);
    FILE *file = fopen(arguments[1], "w");
    fprintf(file, "%d %d\\n", (int)getpid(), error);
    fclose(file);
    for (;;)
        pause();
}
"""


def fail(text):
    print(text)
    sys.exit(1)


def wait_until(what, condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            fail(what)
        time.sleep(0.02)


def is_alive(process):
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def words(path):
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except FileNotFoundError:
        return []
    return text.split() if text.endswith("\n") else []


def check(name, command, folder, number):
    path = os.path.join(folder, "who")
    if os.path.exists(path):
        os.remove(path)
    bankrun = subprocess.Popen([BANKRUN] + command, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_until(f"{name}: it does not start", lambda: words(path))
    process = int(words(path)[0])
    if words(path)[-1] not in ("0", words(path)[0]):
        fail(f"{name}: CUDA fails with error {words(path)[-1]}")
    bankrun.send_signal(number)
    bankrun.wait(timeout=PATIENCE)
    end = time.monotonic() + PATIENCE
    while is_alive(process) and time.monotonic() < end:
        time.sleep(0.02)
    if is_alive(process):
        os.kill(process, signal.SIGKILL)
        fail(f"{name}: goes on after {number.name} of bankrun")


def check_left_behind(option, program, who):
    """bankrun ends of its own will, and a process of the command stays: it is left alone."""
    script = f'"{program}" "{who}" & until [ -s "{who}" ]; do sleep 0.1; done'
    os.remove(who)
    subprocess.run([BANKRUN] + option + ["sh", "-c", script], stdin=subprocess.DEVNULL, check=False,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=PATIENCE)
    time.sleep(1)
    process = int(words(who)[0])
    if not is_alive(process):
        fail("what a command left behind has ended with bankrun")
    os.kill(process, signal.SIGKILL)


def main():
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "waits.c"), os.path.join(folder, "waits")
        who = os.path.join(folder, "who")
        with open(source, "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        subprocess.run(["cc", source, "-o", program, "-Wl,--allow-shlib-undefined",
                        "-Wl,--no-as-needed", os.path.join(BUILD, "libcudart.so.13")], check=True)
        script = f'"{program}" "{who}" stays; :'
        check("a program", [program, who], folder, signal.SIGKILL)
        check("a program", [program, who], folder, signal.SIGTERM)
        check("a program that ignores SIGTERM", [program, who, "stays"], folder, signal.SIGKILL)
        check("a command", ["sh", "-c", f'echo $$ >"{who}"; while :; do sleep 1; done'], folder,
              signal.SIGKILL)
        check("what a command started", ["sh", "-c", script], folder, signal.SIGKILL)
        check("what a command started uncounted", ["--no-count", "sh", "-c", script], folder,
              signal.SIGKILL)
        for option in [], ["--no-count"]:
            check_left_behind(option, program, who)


main()
