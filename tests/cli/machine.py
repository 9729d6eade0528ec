"""A process that bankrun follows meets a machine with GPUs: nvidia-smi, nodes of devices, names of libraries."""

import os
import subprocess
import sys
import unittest

sys.path.insert(0, "tests")
from harness.folder import FolderCase, run  # noqa: E402

BANKRUN = os.path.abspath(os.environ.get("BANKRUN", "build/bankrun"))
SMI = os.path.join(os.path.abspath(os.environ.get("BANKRUN_BUILD", "build")), "standin", "bin", "nvidia-smi")
NAME = "bankrun sm_80 (simulated)"


def smi(*arguments):
    """What a followed shell gets of it: its status is told, since bankrun's is its own where nothing uses CUDA."""
    done = run(BANKRUN, "--devices", "2", "--arch", "sm_80", "sh", "-c", 'nvidia-smi "$@"; echo "status $?"', "sh", *arguments)
    text, _, status = done.stdout.rpartition("status ")
    return int(status), text, done.stderr


class Smi(FolderCase):
    def expect(self, text, *arguments):
        self.assertEqual(smi(*arguments)[:2], (0, text))

    def test_list(self):
        status, text, _ = smi("-L")
        self.assertEqual(status, 0)
        self.assertRegex(text, rf"^GPU 0: {NAME.replace('(', '.').replace(')', '.')} .UUID: GPU-[-0-9a-f]{{36}}.\nGPU 1: ")
        self.assertEqual(text, smi("--list-gpus")[1])

    def test_what_packages_ask(self):
        line = f"{NAME}, 8.0, 16384 MiB, 580.00\n"
        fields = "--query-gpu=name,compute_cap,memory.total,driver_version"
        self.expect("name, compute_cap, memory.total [MiB], driver_version\n" + 2 * line, fields, "--format=csv")
        self.expect(2 * line, fields, "--format=csv,noheader")
        self.expect("8.0\n", "--id=1", "--query-gpu=compute_cap", "--format=csv,noheader")
        self.expect("1, 16384, 0, 16384, [N/A]\n", "-i", "1", "--query-gpu=index,memory.total,memory.used,memory.free,utilization.gpu",
                    "--format", "csv,noheader,nounits")
        self.expect("00000000:01:00.0, 2\n", "-i", "0000:01:00.0", "--query-gpu=gpu_bus_id, count", "--format=csv,noheader")

    def test_versions_where_packages_look_for_them(self):
        status, text, _ = smi()
        self.assertEqual(status, 0)
        self.assertIn("Driver Version: 580.00 ", text)
        self.assertIn("CUDA Version: 13.0 ", text)
        self.assertEqual({len(line) for line in text.splitlines() if line[0] in "|+"}, {91})
        self.assertIn("DRIVER version      : 580.00\n", smi("--version")[1])

    def test_what_it_refuses(self):
        for status, words, *arguments in ((2, 'Field "heat" is not a valid field to query.', "--query-gpu=name,heat", "--format=csv"),
                                          (2, "Format modifier is not recognized.", "--query-gpu=name", "--format=xml"),
                                          (2, "Option -i is not valid for this command", "-i", "0", "-L"),
                                          (6, "No devices were found", "-i", "2", "--query-gpu=name"),
                                          (255, "Option --reset is not recognized", "--reset"),
                                          (255, "Option --query-gpu is not recognized", "--query-gpu")):
            got, text, _ = smi(*arguments)
            self.assertEqual(got, status, arguments)
            self.assertIn(words, text)
        self.assertIn("stand-in for nvidia-smi knows", smi("--reset")[2])

    def test_a_machine_without_the_library(self):
        done = subprocess.run([SMI, "-L"], check=False, capture_output=True, text=True, env={})
        if "GPU 0" not in done.stdout:  # this machine has none
            self.assertEqual(done.returncode, 12)
            self.assertIn("couldn't find libnvidia-ml.so", done.stdout)

    def test_full_disk(self):
        self.assertIn("status 2", run(BANKRUN, "sh", "-c", 'nvidia-smi -L >/dev/full; echo "status $?"').stdout)

    def test_it_comes_first(self):
        for name in ("nvidia-smi",):
            self.write(name, "#!/bin/sh\necho another")
            os.chmod(os.path.join(self.folder, name), 0o755)
        done = run(BANKRUN, "sh", "-c", "nvidia-smi -L", env={**os.environ, "PATH": self.folder + ":" + os.environ["PATH"]})
        self.assertIn("GPU 0", done.stdout)


NODES = r"""
import errno, os, stat
def look(path):
    try:
        found = os.stat(path)
    except OSError as error:
        assert not os.path.exists(path) and not os.access(path, os.F_OK)
        return errno.errorcode[error.errno]
    assert os.path.lexists(path) and os.access(path, os.R_OK)
    return (stat.S_ISCHR(found.st_mode), os.major(found.st_rdev), os.minor(found.st_rdev))
assert [look(f"/dev/nvidia{n}") for n in ("0", "1", "ctl")] == [(True, 195, n) for n in (0, 1, 255)]
assert look("/dev/nvidia-uvm")[0] and look("/proc/driver/nvidia/version") == (False, 0, 0)
for name in ("2", "", "00", "0x", "-1", "ctl2"):
    assert look("/dev/nvidia" + name) == "ENOENT", name
with open("/proc/driver/nvidia/version") as file:
    assert " 580.00 " in file.read()
assert not os.access("/dev/nvidia0", os.X_OK) and not os.access("/proc/driver/nvidia/version", os.W_OK)
for path, flags, code in (("/dev/nvidia0", os.O_RDWR, errno.ENODEV), ("/dev/nvidia2", os.O_RDWR, errno.ENOENT),
                          ("/proc/driver/nvidia/version", os.O_RDWR, errno.EACCES)):
    try:
        os.open(path, flags)
        assert False
    except OSError as error:
        assert error.errno == code, (path, error)
# All other files are what they are.
with open("own", "w") as file:
    file.write("text")
os.chmod("own", 0o640)
assert os.stat("own").st_size == 4 and stat.S_IMODE(os.stat("own").st_mode) == 0o640 and look("none") == "ENOENT"
descriptor = os.open("made", os.O_CREAT | os.O_WRONLY, 0o600)
assert stat.S_IMODE(os.stat("made").st_mode) == 0o600
print("all right")
"""
# By the C library's names of other builds.
NAMES = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
int main(void) {
    struct stat64 one; struct statx two; char line[8] = "";
    FILE *file = fopen64("/proc/driver/nvidia/version", "re");
    printf("%d", stat64("/dev/nvidia0", &one) == 0 && S_ISCHR(one.st_mode));
    printf("%d", lstat64("/dev/nvidia0", &one) == 0 && fstatat64(AT_FDCWD, "/dev/nvidia0", &one, 0) == 0);
    printf("%d", statx(AT_FDCWD, "/dev/nvidia0", 0, STATX_ALL, &two) == 0 && two.stx_rdev_major == 195);
    printf("%d", faccessat(AT_FDCWD, "/dev/nvidia0", R_OK, 0) == 0 && openat(AT_FDCWD, "/dev/nvidia0", O_RDWR) == -1);
    printf("%d\n", file && fgets(line, sizeof line, file) && line[0] == 'N' && !fopen("/dev/nvidia0", "r"));
}
"""


class Nodes(FolderCase):
    def test_nodes(self):
        done = run(BANKRUN, "--devices", "2", sys.executable, self.write("look.py", NODES), cwd=self.folder)
        self.assertEqual(done.stdout, "all right\n", done.stderr)
        self.assertEqual(done.stderr.count("/dev/nvidia0 cannot be opened"), 1)
        self.assertNotIn("not simulated:", done.stderr)  # who opens it may have another way

    def test_by_other_names(self):
        program = os.path.join(self.folder, "names")
        subprocess.run(["gcc", "-o", program, self.write("names.c", NAMES)], check=True)
        self.assertEqual(run(BANKRUN, program).stdout, "11111\n")

    def test_the_system_is_left_alone(self):
        before = os.path.exists("/dev/nvidia0")
        run(BANKRUN, "sh", "-c", "test -e /dev/nvidia0")
        self.assertEqual(os.path.exists("/dev/nvidia0"), before)


class Names(FolderCase):
    def test_find_library(self):
        ask = "import ctypes.util as u; print(*(u.find_library(n) for n in ('cuda', 'cudart', 'nvidia-ml', 'm', 'of-nobody')))"
        done = run(BANKRUN, sys.executable, "-c", ask)
        self.assertEqual(done.stdout, "libcuda.so.1 libcudart.so.13 libnvidia-ml.so.1 libm.so.6 None\n", done.stderr)

    def test_path_that_was_empty(self):
        done = run(BANKRUN, "/bin/sh", "-c", "echo $PATH", env={k: v for k, v in os.environ.items() if k != "PATH"})
        self.assertTrue(done.stdout.endswith("/standin/bin:/bin:/usr/bin\n"), done.stdout)


if __name__ == "__main__":
    unittest.main()
