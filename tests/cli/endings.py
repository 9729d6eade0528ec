"""However a program ends, what it launched is in the profile, and the profile says what is missing."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

BANKRUN = os.environ.get("BANKRUN", "build/bankrun")
PATIENCE = 120  # seconds; a hang is what takes that long
ENDS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT)

PROGRAM = r"""
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
__global__ void column(int *out) {
    __shared__ int tile[32][32];
    tile[threadIdx.x][0] = threadIdx.x;
    out[threadIdx.x] = tile[31 - threadIdx.x][0];
}
__global__ void forever(volatile int *out) {
    while (out[0] >= 0)
        out[1] = -1;
}
static int *out;
static void launch(int count) {
    cudaMallocManaged(&out, 32 * sizeof *out);
    cudaMemset(out, 0, 32 * sizeof *out);
    for (int i = 0; i < count; i++)
        column<<<i < 2 ? 1 : i, 32>>>(out); // 0 and 1 are alike
    cudaDeviceSynchronize();
}
static void say(const char *text) { // when the launches have been counted
    puts(text);
    fflush(stdout);
}
static void *run_forever(void *) {
    forever<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    return NULL;
}
int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "return";
    pthread_t thread;
    if (!strcmp(how, "children")) {
        for (int i = 1; i < 4; i++) {
            if (fork() == 0) {
                launch(i);
                _exit(0);
            }
            wait(NULL);
        }
        return 0;
    }
    launch(3);
    if (!strcmp(how, "_exit"))
        _exit(0);
    if (!strcmp(how, "_Exit"))
        _Exit(0);
    if (!strcmp(how, "quick_exit"))
        quick_exit(0);
    if (!strcmp(how, "exec"))
        execl("/bin/true", "true", (char *)0);
    if (!strcmp(how, "again"))
        execl(argv[0], argv[0], "return", (char *)0);
    if (!strcmp(how, "spawn")) {
        char *words[] = {(char *)"true", NULL};
        pid_t child;
        posix_spawn(&child, "/bin/true", NULL, NULL, words, environ);
        waitpid(child, NULL, 0);
        if (vfork() == 0)
            _exit(0);
        wait(NULL);
    }
    if (!strcmp(how, "files")) // as programs do that start others
        for (int i = 3; i < 1024; i++)
            close(i);
    if (!strcmp(how, "abort"))
        abort();
    if (!strcmp(how, "signal")) {
        raise(atoi(argv[2]));
        sleep(60);
    }
    if (!strcmp(how, "running")) {
        pthread_create(&thread, NULL, run_forever, NULL);
        while (((volatile int *)out)[1] != -1)
            usleep(1000);
        say("running");
        if (argc > 2)
            _exit(0);
        pthread_join(thread, NULL);
    }
    if (!strcmp(how, "wait")) {
        say("waiting");
        for (char byte; read(0, &byte, 1) > 0;)
            continue;
    }
    return 0;
}
"""

problems = []


def complain(words, done, what):
    problems.append(f"{' '.join(words)}: {what}\n{done.stdout}{done.stderr}")


class Folder:
    def __init__(self, path):
        self.path = path
        self.saved = os.path.join(path, "saved.json")

    def run(self, *words, saves=True, before=(), **environment):
        if os.path.exists(self.saved):
            os.remove(self.saved)
        options = ["--format", "json", "-o", self.saved] if saves else []
        return subprocess.run([*before, BANKRUN, *options, *words], capture_output=True, text=True,
                              check=False, stdin=subprocess.DEVNULL, cwd=self.path,
                              timeout=PATIENCE, env={**os.environ, **environment})

    def profile(self):
        with open(self.saved, encoding="utf-8") as file:
            return json.load(file)

    def expect(self, words, status, launches, cut=0, incomplete=None, **how):
        """What the run left: its status, the number of launches, of those cut short, and why it is
        incomplete."""
        done = self.run(*words, **how)
        if done.returncode != status:
            complain(words, done, f"status {done.returncode} instead of {status}")
        if not os.path.exists(self.saved):
            return complain(words, done, "no profile")
        profile = self.profile()
        found = sum(launch["repeats"] for launch in profile["launches"])
        if found != launches:
            complain(words, done, f"{found} launches instead of {launches}")
        found = sum(launch.get("cut_short") is not None for launch in profile["launches"])
        if found != cut:
            complain(words, done, f"{found} launches cut short instead of {cut}")
        why = "; ".join(gap["text"] for gap in profile.get("incomplete", []))
        if (incomplete or "") not in why or (why and not incomplete):
            complain(words, done, f"incomplete: {why!r} instead of {incomplete!r}")
        return profile

    def script(self, text):
        path = os.path.join(self.path, "script.sh")
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + text)
        os.chmod(path, 0o755)
        return "./script.sh"


def check_single(folder):
    for how in ("return", "_exit", "_Exit", "quick_exit", "exec", "spawn", "files"):
        folder.expect(("./app", how), 0, 3)
    profile = folder.expect(("./app", "again"), 0, 6)
    if [process["launches"] for process in profile["processes"]] != [3, 3]:
        problems.append(f"again: {profile['processes']}")
    profile = folder.expect(("./app", "children"), 0, 6)
    if [process["launches"] for process in profile["processes"]] != [1, 2, 3]:
        problems.append(f"children: {profile['processes']}")
    for number in ENDS:
        folder.expect(("./app", "signal", str(int(number))), 128 + number, 3)
    folder.expect(("./app", "signal", "9"), 137, 3, incomplete="./app was killed")
    folder.expect(("./app", "abort"), 134, 3, incomplete="./app crashed")
    folder.expect(("./app", "running", "x"), 0, 4, cut=1)


def check_followed(folder):
    """Of processes that are not its children bankrun sees no status."""
    for how in ("return", "_exit", "quick_exit", "exec", "signal 15", "signal 1"):
        folder.expect((folder.script(f"./app {how}\nexit 0\n"),), 0, 3)
    folder.expect((folder.script("./app signal 9\n./app\nexit 0\n"),), 0, 6,
                  incomplete="./app was killed")
    folder.expect((folder.script("./app abort\n./app\nexit 0\n"),), 0, 6,
                  incomplete="./app crashed")
    folder.expect((folder.script("./app again\nexit 0\n"),), 0, 6)
    # One that outlives the command; its input ends when this script's reader does.
    hold = "mkfifo hold\n(./app wait <hold >said; rm hold said) &\nexec 9>hold\n" \
           "while ! grep -qs waiting said; do sleep 0.05; done\n" \
           "(sleep 5; :) 9>&9 &\n"
    script = folder.script(hold + "exit 0\n")
    folder.expect((script,), 0, 3, incomplete="./app is still running")
    while os.path.exists(os.path.join(folder.path, "hold")):
        time.sleep(0.05)
    done = folder.run("--fail-on", "excess=9999", script)
    if done.returncode != 4:
        complain((script,), done, f"status {done.returncode} instead of 4 with --fail-on")
    while os.path.exists(os.path.join(folder.path, "hold")):
        time.sleep(0.05)
    # One in the background that has not begun yet.
    folder.expect((folder.script("./app\nsleep 6 &\nexit 0\n"),), 0, 3,
                  incomplete="still running, and not counted")
    folder.expect((folder.script("./app\nsleep 0.1 &\nwait\nexit 0\n"),), 0, 3)
    # Those that end just behind the command: one without and one with launches.
    folder.expect((folder.script("./app\nsleep 0.3 &\nexit 0\n"),), 0, 3)
    folder.expect((folder.script("./app\n./app &\nexit 0\n"),), 0, 6)


@contextlib.contextmanager
def running(folder):
    """A program in the midst of a launch, in a group of its own, of which nothing is left behind."""
    process = subprocess.Popen([BANKRUN, "--format", "json", "-o", folder.saved, "./app",
                                "running"], cwd=folder.path, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, start_new_session=True)
    process.stdout.readline()
    with process:
        try:
            yield process
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def check_signals_from_outside(folder):
    """A launch that runs: `timeout` signals bankrun and the whole group, and bankrun hands it on."""
    for number in ENDS:
        with running(folder) as process:
            os.kill(process.pid, number)
            os.killpg(process.pid, number)
            _, errors = process.communicate(timeout=PATIENCE)
        launches = folder.profile()["launches"]
        if (process.returncode != 128 + number or len(launches) != 3 or
                launches[-1]["cut_short"] != {"by": "signal", "signal": number}):
            problems.append(f"signal {number}: status {process.returncode}, {launches}\n{errors}")
    with running(folder) as process:
        child = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True,
                               check=False).stdout.split()
        os.kill(int(child[0]), signal.SIGKILL)
        _, errors = process.communicate(timeout=PATIENCE)
    last = folder.profile()["launches"][-1]
    if (process.returncode != 137 or last["cut_short"]["by"] != "death" or last["sites"] or
            last["kernel"] != "forever(int volatile*)"):
        problems.append(f"killed: status {process.returncode}, {last}\n{errors}")


def check_no_disk(folder):
    """Nothing is written but the report."""
    folder.expect(("./app", "return"), 0, 3, TMPDIR="/nowhere/at/all")
    folder.expect((folder.script("./app\n./app\n"),), 0, 6, TMPDIR="/proc")
    folder.expect(("./app", "return"), 0, 3,
                  before=["sh", "-c", "ulimit -f 100; exec \"$@\"", "sh"])
    # Memory that cannot be had.
    script = folder.script("BANKRUN_MEMORY=0:0 ./app\n")
    done = folder.run(script)
    if done.returncode != 2 or "cannot be handed over" not in done.stderr:
        complain((script,), done, f"status {done.returncode} without the memory")


def main():
    # Under nohup, and in the background of a script, some are ignored, and would be in what is started here.
    for number in ENDS:
        signal.signal(number, signal.SIG_DFL)
    if not shutil.which("nvcc"):
        print("nvcc is not there")
        return 77
    with tempfile.TemporaryDirectory() as path:
        with open(os.path.join(path, "app.cu"), "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        subprocess.run(["nvcc", "-lineinfo", "-gencode", "arch=compute_90,code=compute_90",
                        "-cudart", "shared", "-o", "app", "app.cu"], check=True, cwd=path)
        folder = Folder(path)
        check_single(folder)
        check_followed(folder)
        check_signals_from_outside(folder)
        check_no_disk(folder)
    print("\n".join(problems))
    return 1 if problems else 0


sys.exit(main())
