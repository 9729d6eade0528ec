"""bankrun doctor: what is there is found, what is missing or broken is said with what gets it, and nothing is left."""

import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest

BANKRUN = os.path.abspath(os.environ.get("BANKRUN", "build/bankrun"))
BUILD = os.path.abspath(os.environ.get("BANKRUN_BUILD", "build"))
IS_SANITIZED = os.environ.get("BANKRUN_SANITIZER", "none") != "none"
HAS_TOOLKIT = os.path.exists("/usr/local/cuda/bin/nvcc") or os.path.exists(os.path.join(BUILD, "nvcc"))
STATES = {"ok", "limited", "missing"}


class Doctor(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.path = os.path.join(self.folder, "bin")
        self.temporary = os.path.join(self.folder, "tmp")
        self.cache = os.path.join(self.folder, "cache")
        for folder in (self.path, self.temporary):
            os.mkdir(folder)
        self.program = BANKRUN

    def run_doctor(self, *words, limits=None, **environment):
        """Its environment has an empty PATH, unless told. Without the shell of BANKRUN, which may be a script."""
        variables = {"PATH": self.path, "TMPDIR": self.temporary, "XDG_CACHE_HOME": self.cache, **environment}
        command = [self.program, "doctor", *words]
        if limits:
            command = ["/bin/sh", "-c", limits + '; exec "$@"', "sh", *command]
        return subprocess.run(command, env={name: value for name, value in variables.items() if value is not None},
                              capture_output=True, text=True, check=False)

    def rows(self, *words, status=None, **more):
        done = self.run_doctor("--format", "json", *words, **more)
        self.assertIn(done.returncode, (0, 1) if status is None else (status,), done.stderr)
        answer = json.loads(done.stdout)
        self.assertEqual(answer["schema"], "bankrun-doctor/1")
        self.assertEqual(answer["is_ready"], done.returncode == 0)
        self.assertEqual(done.returncode == 1, any(row["state"] == "missing" for row in answer["checks"]))
        for row in answer["checks"]:
            self.assertIn(row["state"], STATES)
            self.assertTrue(row["found"])
            self.assertEqual(row["lacks"] is None, row["state"] == "ok", row)
        self.assertEqual(os.listdir(self.temporary), [])
        return {row["name"]: row for row in answer["checks"]}

    def tool(self, name, text):
        path = os.path.join(self.path, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + text)
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
        return path

    def test_all_there(self):
        if not shutil.which("nvcc"):
            self.skipTest("nvcc is not there")
        if IS_SANITIZED:
            self.skipTest("programs would have to be handed the sanitizer's library")
        rows = self.rows(PATH=os.environ["PATH"], status=0)
        self.assertIn("compiled, run and counted", rows["a program"]["found"])
        self.assertFalse(os.path.exists(self.cache))  # the program is none of the user's

    def test_nothing_there(self):
        rows = self.rows()
        self.assertEqual(rows["g++"]["cure"], "apt install g++")
        self.assertNotIn("a program", rows)
        for name in ("libraries", "shm", "TMPDIR", "cache", "processors"):
            self.assertEqual(rows[name]["state"], "ok", rows[name])
        if not HAS_TOOLKIT:
            self.assertIn("get-nvcc.sh", rows["nvcc"]["cure"])
            self.assertIn("apt install", rows["nvdisasm"]["cure"])

    def test_native_code(self):
        """A library that is not there, and one that cannot be loaded, is named with what then happens."""
        broken = os.path.join(self.folder, "broken.so")
        with open(broken, "w", encoding="utf-8") as file:
            file.write("no library")
        for path in os.path.join(self.folder, "none.so"), broken:
            row = self.rows(BANKRUN_COMPILER=path)["native code"]
            self.assertEqual(row["state"], "limited", row)
            self.assertIn(path, row["found"])
            self.assertIn("interpreted", row["lacks"])
            self.assertIn("apt install", row["cure"])
        if os.path.exists(os.path.join(BUILD, "libbankrun-compile.so")):
            self.assertEqual(self.rows()["native code"]["state"], "ok")

    def test_what_computes(self):
        """A library of that name in a folder of the user's, and none: where that can be had."""
        for name, file, cure in (("OpenBLAS", "libopenblas.so.0", "apt install libopenblas0-pthread"),
                                 ("FFTW", "libfftw3f.so.3", "apt install libfftw3-single3 libfftw3-double3")):
            path = os.path.join(self.folder, file)
            subprocess.run(["gcc", "-shared", "-o", path, "-x", "c", os.devnull], check=True)
            row = self.rows(LD_LIBRARY_PATH=self.folder)[name]
            self.assertEqual((row["state"], row["found"]), ("ok", path))
            row = self.rows()[name]
            if row["state"] != "ok":
                self.assertEqual((row["state"], row["cure"]), ("limited", cure))

    def test_tools(self):
        self.tool("nvcc", 'echo "nvcc: NVIDIA (R) Cuda compiler driver"\n'
                          'echo "Cuda compilation tools, release 12.4, V12.4.131"\n')
        self.tool("ptxas", 'echo "cannot open shared object" >&2; exit 3\n')
        self.tool("nvdisasm", "kill -9 $$\n")
        rows = self.rows(status=1)
        self.assertEqual((rows["nvcc"]["state"], rows["nvcc"]["found"]), ("ok", f"{self.path}/nvcc: 12.4.131"))
        self.assertEqual(rows["ptxas"]["state"], "limited")
        self.assertIn("(status 3): cannot open shared object", rows["ptxas"]["found"])
        self.assertIn("(status 137)", rows["nvdisasm"]["found"])

    def test_broken_compilers(self):
        broken = self.tool("nvcc", "exit 1\n")
        with open(os.path.join(self.path, "g++"), "w", encoding="utf-8") as file:
            file.write("no program")
        os.chmod(os.path.join(self.path, "g++"), 0o755)
        rows = self.rows(status=1)
        self.assertEqual(rows["nvcc"]["state"], "missing")
        self.assertIn(f"{broken} does not run (status 1)", rows["nvcc"]["found"])
        self.assertIn("Exec format error", rows["g++"]["found"])
        self.assertIn("not found: /none/nvcc", self.rows("--nvcc", "/none/nvcc", status=1)["nvcc"]["found"])

    def test_program_fails(self):
        """A compiler that runs and compiles nothing: the program says what it says."""
        self.tool("nvcc", 'case $1 in --list*) echo compute_90;; --version) echo "x, V13.0.1";; '
                          '*) echo "a.cu: no licence today" >&2; exit 9;; esac\n')
        self.tool("g++", "echo g++ 12\n")
        row = self.rows(status=1)["a program"]
        self.assertEqual(row["state"], "missing")
        self.assertIn("no licence today", row["found"])

    def test_host_compiler(self):
        other = self.tool("clang++", "echo clang 14\n")
        self.assertEqual(self.rows(NVCC_CCBIN=other)["g++"]["found"], f"{other}: clang 14")

    def test_cache(self):
        row = self.rows(XDG_CACHE_HOME=None)["cache"]
        self.assertEqual((row["state"], row["cure"]), ("limited", "export XDG_CACHE_HOME=FOLDER"))
        row = self.rows(XDG_CACHE_HOME="/proc/none")["cache"]
        self.assertEqual(row["state"], "limited")
        self.assertIn("/proc/none/bankrun cannot be written", row["found"])

    def test_temporary_folder(self):
        row = self.rows(TMPDIR=os.path.join(self.folder, "none"), status=1)["TMPDIR"]
        self.assertEqual((row["state"], row["cure"]), ("missing", "export TMPDIR=FOLDER"))

    def test_no_execution(self):
        """Mounted where nobody else sees it."""
        script = ('mount -t tmpfs -o noexec none "$TMPDIR" && exec "$0" doctor --format json')
        done = subprocess.run(["unshare", "-Urm", "sh", "-c", script, BANKRUN], capture_output=True, text=True,
                              env={**os.environ, "TMPDIR": self.temporary}, check=False)
        if "doctor" not in done.stdout:
            self.skipTest("this system does not let users mount a tmpfs of their own")
        rows = {row["name"]: row for row in json.loads(done.stdout)["checks"]}
        self.assertIn("nothing in it can be run", rows["TMPDIR"]["found"])

    def test_shared_memory(self):
        """A system without room for one more segment."""
        script = "echo 0 >/proc/sys/kernel/shmmni && exec \"$0\" doctor --format json"
        done = subprocess.run(["unshare", "-Ur", "--ipc", "sh", "-c", script, BANKRUN], capture_output=True, text=True,
                              env={**os.environ, "TMPDIR": self.temporary}, check=False)
        if "doctor" not in done.stdout:
            self.skipTest("this system does not let users have System V memory of their own")
        row = {row["name"]: row for row in json.loads(done.stdout)["checks"]}["shm"]
        self.assertEqual(row["state"], "missing")
        self.assertIn("No space left", row["found"])

    @unittest.skipIf(IS_SANITIZED, "sanitizers need addresses")
    def test_addresses(self):
        row = self.rows(limits="ulimit -v 8388608")["memory"]
        self.assertEqual((row["state"], row["cure"]), ("limited", "ulimit -v unlimited"))
        self.assertIn("8.0 GiB", row["found"])

    @unittest.skipIf(IS_SANITIZED, "a sanitizer's library is to be loaded first")
    def test_libraries(self):
        """A program that was copied without its libraries, then without one of them."""
        alone = os.path.join(self.folder, "alone")
        os.mkdir(alone)
        self.program = shutil.copy(os.path.join(BUILD, "bankrun"), alone)
        row = self.rows(status=1)["libraries"]
        self.assertIn("libbankrun-inject.so is not in", row["found"])
        for name in ("libbankrun-inject.so", "libbankrun-audit.so", "libbankrun-cute.so", "libcuda.so.1", "libcudart.so.12", "libcudart.so.13"):
            shutil.copy(os.path.join(BUILD, name), alone)
        rows = self.rows(status=1)
        self.assertIn("libcudart.so.11.0 is not in", rows["libraries"]["found"])
        self.assertEqual(rows["preload"]["state"], "ok")
        # What is no library cannot be preloaded.
        with open(os.path.join(alone, "libbankrun-inject.so"), "w", encoding="utf-8") as file:
            file.write("no library")
        row = self.rows(status=1)["preload"]
        self.assertEqual(row["state"], "missing")
        self.assertIn("cannot be preloaded", row["found"])

    def test_package(self):
        """In a Python package pip gets what is missing."""
        native = os.path.join(self.folder, "site-packages", "bankrun", "native")
        os.makedirs(native)
        self.program = shutil.copy(os.path.join(BUILD, "bankrun"), native)
        if not IS_SANITIZED:
            self.assertEqual(self.rows("--nvcc", "/none/nvcc")["nvcc"]["cure"], "pip install 'bankrun[nvcc]'")
            os.rename(os.path.join(self.folder, "site-packages"), os.path.join(self.folder, "lib"))  # an archive
            self.program = os.path.join(self.folder, "lib", "bankrun", "native", "bankrun")
            self.assertIn("apt install", self.rows("--nvcc", "/none/nvcc")["nvcc"]["cure"])

    def test_fetched(self):
        """What tools/get-nvcc.sh put into the build folder is found."""
        self.program = shutil.copy(os.path.join(BUILD, "bankrun"), self.folder)
        tools = os.path.join(self.folder, "nvcc-packages", "lib", "python3.11", "site-packages", "nvidia", "cu13", "bin")
        os.makedirs(tools)
        with open(os.path.join(tools, "nvdisasm"), "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\necho 'nvdisasm: release 13.2, V13.2.51'\n")
        os.chmod(file.name, 0o755)
        if not shutil.which("nvdisasm"):
            self.assertEqual(self.rows(status=1)["nvdisasm"]["found"], os.path.realpath(file.name) + ": 13.2.51")

    def test_text(self):
        done = self.run_doctor("--nvcc", "/none/\x1b[31m")
        self.assertEqual(done.returncode, 1)
        self.assertNotIn("\x1b", done.stdout)
        self.assertIn("Programs cannot be compiled and run yet.", done.stdout)
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 100)
        self.assertEqual(done.stderr, "")

    def test_command_line(self):
        for words, message in ((("file",), "doctor takes no arguments: 'file'"), (("--format", "csv"), "csv"),
                               (("--arch", "90"), "--arch")):
            done = self.run_doctor(*words)
            self.assertEqual(done.returncode, 2)
            self.assertIn(message, done.stderr)
        self.assertIn("Exit status", self.run_doctor("--help").stdout)
        done = self.run_doctor("-o", "/dev/full")
        self.assertEqual((done.returncode, "No space left" in done.stderr), (2, True))


if __name__ == "__main__":
    sys.exit(0 if unittest.main(exit=False).result.wasSuccessful() else 1)
