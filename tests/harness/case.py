"""Cases, outcomes, and running processes."""

import difflib
import os
import re
import subprocess


class Failure(Exception):
    """The text says what was expected and what came."""


class Skip(Exception):
    """The text says what is missing."""


class Case:
    """One test. run() returns (passed, skipped) counts or None for (1, 0), raises Failure or Skip.

    `program` is what ninja has to build for it, besides the product."""

    def __init__(self, kind, name, run, program=None):
        self.kind, self.name, self.run, self.program = kind, name, run, program


class Context:
    """Where things are, and how this round runs them."""

    def __init__(self, root, build, sanitizer, nvcc, rebase, scratch, wrapper=""):
        self.root, self.build, self.sanitizer = root, build, sanitizer
        self.nvcc, self.rebase, self.scratch = nvcc, rebase, scratch
        self.wrapper = wrapper  # a program that runs those of the build; "": they run by themselves
        self.bankrun = os.path.join(build, "bankrun")
        self.search_path = os.environ.get("PATH", "")
        self.time_limit = 600 if sanitizer == "none" else 1200

    def path(self, *parts):
        return os.path.join(self.root, *parts)

    def files(self, folder, *endings):
        """Names in tests/<folder> with one of the endings, sorted."""
        top = self.path("tests", folder)
        if not os.path.isdir(top):
            return []
        return sorted(n for n in os.listdir(top) if n.endswith(endings))

    def environment(self, checks_leaks):
        env = {k: v for k, v in os.environ.items()
               if k not in ("NO_COLOR", "LD_PRELOAD")
               and (not k.startswith("BANKRUN_") or k in ("BANKRUN_ROUNDS", "BANKRUN_ENGINE", "BANKRUN_PYTHON"))}
        env.update(BANKRUN=self.bankrun, BANKRUN_SOURCE=self.root, BANKRUN_BUILD=self.build,
                   BANKRUN_AS="written",  # the same with every version of ptxas, and without it
                   BANKRUN_SANITIZER=self.sanitizer, BANKRUN_TEST_NVCC=self.nvcc or "",
                   PATH=self.search_path, XDG_CACHE_HOME=os.path.join(self.scratch, "cache"),
                   LC_ALL="C.UTF-8", TERM="dumb",
                   ASAN_OPTIONS=f"detect_leaks={int(checks_leaks)}",
                   UBSAN_OPTIONS="halt_on_error=1:print_stacktrace=1",
                   TSAN_OPTIONS="halt_on_error=1:second_deadlock_stack=1:suppressions="
                                + os.path.join(self.root, "tests", "tsan.supp"))
        return env

    def execute(self, command, env=None, checks_leaks=False):
        """Runs a command in the root; returns the process with bytes in stdout and stderr.

        Leaks are looked for only where no program runs that is not ours."""
        environment = self.environment(checks_leaks)
        environment.update(env or {})
        if self.wrapper and command[0].startswith(self.build + os.sep):
            command = [self.wrapper, *command]
        try:
            return subprocess.run(command, cwd=self.root, env=environment, check=False,
                                  stdin=subprocess.DEVNULL, capture_output=True,
                                  timeout=self.time_limit)
        except subprocess.TimeoutExpired:
            raise Failure(f"no end after {self.time_limit} s: {shown(command)}") from None


def shown(command):
    return " ".join(c if re.fullmatch(r"[\w./=:,+-]+", c) else "'" + c + "'" for c in command)


def text_of(data):
    return data.decode("utf-8", "replace")


def check_sanitizers(process):
    """A sanitizer's report is a failure whatever the exit status should be."""
    for line in text_of(process.stderr).splitlines():
        if re.search(r"(Address|Leak|Thread)Sanitizer|runtime error:", line):
            raise Failure("sanitizer:\n" + tail(process.stderr, 60))


def tail(data, lines=25):
    return "\n".join("    " + line for line in text_of(data).splitlines()[-lines:])


def diff(expected, actual, name):
    """A unified diff of two texts, indented."""
    lines = difflib.unified_diff(expected.splitlines(), actual.splitlines(), name + " (expected)",
                                 name + " (actual)", lineterm="", n=2)
    return "\n".join("    " + line for line in list(lines)[:80])
