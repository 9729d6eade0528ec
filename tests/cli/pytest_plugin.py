"""The plugin for pytest (python/bankrun/pytest_plugin.py), and Section, which it is made of: examples/pytest, and tests
that have conflicts, faults, refused launches, wrong marks, or no bankrun around."""

import os
import re
import subprocess
import sys
import tempfile

ROOT = os.getcwd()
BUILD = os.path.abspath(os.environ.get("BANKRUN_BUILD", "build"))
BANKRUN = os.path.abspath(os.environ["BANKRUN"])
EXAMPLE = os.path.join(ROOT, "examples", "pytest")
if os.environ.get("BANKRUN_SANITIZER", "none") != "none":
    print("a sanitizer's library is to be loaded first")
    sys.exit(77)


def python_with_pytest():
    for python in (sys.executable, "/usr/bin/python3"):
        if os.path.exists(python) and subprocess.run([python, "-c", "import pytest"], check=False,
                                                     stderr=subprocess.DEVNULL).returncode == 0:
            return python
    print("needs pytest (python3-pytest)")
    sys.exit(77)


PYTHON = python_with_pytest()
PYTEST = [PYTHON, "-m", "pytest", "-p", "no:cacheprovider", "-p", "bankrun.pytest_plugin", "-rA", "--color=no"]
ENVIRONMENT = {**os.environ, "BANKRUN_NATIVE": BUILD, "PYTHONDONTWRITEBYTECODE": "1", "BANKRUN_AS": "written",
               "PYTHONPATH": os.pathsep.join([os.path.join(ROOT, "python"), EXAMPLE])}
FAULTY = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry fault()
{
    .reg .b64 %d;
    mov.u64 %d, 64;
    ld.global.u32 %d, [%d];
    ret;
}
"""
RACY = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry race()
{
    .reg .b32 %r;
    .shared .b32 word;
    mov.u32 %r, %tid.x;
    st.shared.u32 [word], %r;
    ret;
}
"""
RACE = '''
import ctypes, os, pytest, tiles

@pytest.mark.bankrun
def test_race():
    gpu, module, function = tiles.Gpu(), ctypes.c_void_p(), ctypes.c_void_p()
    gpu._call("cuModuleLoadData", ctypes.byref(module), os.environ["RACY"].encode() + b"\\0")
    gpu._call("cuModuleGetFunction", ctypes.byref(function), module, b"race")
    gpu._call("cuLaunchKernel", function, 1, 1, 1, 64, 1, 1, 0, None, None, None)
'''
TESTS = '''
import ctypes, os, unittest
import bankrun, pytest, tiles
TILE = [0.0] * 1024
GPU = None

def turn(kernel):
    global GPU
    GPU = GPU or tiles.Gpu()
    GPU.transpose(TILE, kernel)

@pytest.mark.bankrun
def test_plain_mark_fails(): turn("columns")

@pytest.mark.bankrun(max_excess=1983)
def test_two_launches_fail(): turn("columns"), turn("columns")

@pytest.mark.bankrun(max_excess=1984)
def test_two_launches_pass(): turn("columns"), turn("columns")

@pytest.mark.bankrun(max_degree=31)
def test_degree_fails(): turn("columns")

@pytest.mark.bankrun(max_degree=32)
def test_degree_passes(): turn("columns")

@pytest.mark.bankrun("degree>=8@columns")
def test_gate_fails(): turn("columns")

@pytest.mark.bankrun("degree>=8@padded")
def test_gate_passes(): turn("columns"), turn("padded")

@pytest.mark.bankrun("excess@nowhere")
def test_gate_of_nothing_fails(): turn("padded")

@pytest.mark.bankrun
def test_without_launches_fails(): pass

@pytest.mark.bankrun(min_launches=0)
def test_without_launches_passes(): pass

@pytest.mark.bankrun(min_launches=3)
def test_too_few_launches_fails(): turn("padded"), turn("padded")

@pytest.mark.bankrun
def test_own_failure_is_first_fails():
    turn("columns")
    assert False, "my own"

@pytest.mark.bankrun
@pytest.mark.xfail(strict=True)
def test_is_expected_xfail(): turn("columns")

@pytest.mark.bankrun
class TestClass(unittest.TestCase):
    def test_method_fails(self): turn("columns")
    def test_method_passes(self): turn("padded")

@pytest.fixture
def tile():
    turn("columns")

@pytest.mark.bankrun
def test_fixture_fails(tile): turn("padded")

@pytest.mark.bankrun
def test_program_fails(bankrun_run):
    bankrun_run(os.environ["TRANSPOSE"], launch="columns<<<1, 32>>>(f32[1024], f32[1024])")

@pytest.mark.bankrun
def test_program_and_launch_fails(bankrun_run):
    turn("columns")
    bankrun_run(os.environ["TRANSPOSE"], launch="padded<<<1, 32>>>(f32[1024], f32[1024])")

def test_section_passes():
    with bankrun.Section() as section:
        turn("columns")
        assert section.excess == 992
        section.restart()
        turn("padded")
    turn("columns")
    assert section.excess == 0 and [launch.repeats for launch in section.launches] == [1]
    assert bankrun.is_counted() and not section.has_failed

def test_fork_passes():
    turn("padded")
    pid = os.fork()
    if not pid:
        try:
            bankrun.Section()
        except bankrun.errors.NotCountedError:
            os._exit(7)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7

@pytest.mark.bankrun(max_excess=10**9)
def test_refused_fails():
    turn("padded")
    function = ctypes.c_void_p()
    GPU._call("cuModuleGetFunction", ctypes.byref(function), GPU.module, b"padded")
    two = (ctypes.c_void_p * 2)(*[ctypes.addressof(ctypes.c_uint64())] * 2)
    assert GPU.driver.cuLaunchKernel(function, 1, 1, 1, 2048, 1, 1, 0, None, two, None)

@pytest.mark.bankrun
def test_behind_the_refused_one_passes(): turn("padded")

@pytest.mark.bankrun(max_excess=10**9)
def test_fault_fails():
    turn("padded")
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    GPU._call("cuModuleLoadData", ctypes.byref(module), os.environ["FAULTY"].encode() + b"\\0")
    GPU._call("cuModuleGetFunction", ctypes.byref(function), module, b"fault")
    GPU._call("cuLaunchKernel", function, 1, 1, 1, 32, 1, 1, 0, None, None, None)
    assert GPU.driver.cuCtxSynchronize()
'''
problems = []


def check(holds, what):
    if not holds:
        problems.append(what)


def pytest(folder, *words, around=("run", "--quiet", "--"), **environment):
    command = ([BANKRUN, *around] if around else []) + PYTEST + list(words)
    return subprocess.run(command, cwd=folder, env={**ENVIRONMENT, **environment}, check=False, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def results(output):
    return dict(reversed(pair) for pair in re.findall(r"^(PASSED|FAILED|XFAIL|ERROR) \S+?::(\S+)", output, re.MULTILINE))


def write(folder, name, text):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)


def section_of(output, test):
    """What pytest shows of a failed test."""
    found = re.search(rf"^_+ {test} _+$(.*?)^(?=_+ |=+ )", output, re.MULTILINE | re.DOTALL)
    return found.group(1) if found else ""


def the_example():
    done = pytest(EXAMPLE)
    check(done.returncode == 0 and "4 passed" in done.stdout, done.stdout)
    done = pytest(EXAMPLE, "-rs", around=())
    check(done.returncode == 0 and "1 passed, 3 skipped" in done.stdout, done.stdout)
    check(done.stdout.count("bankrun: this process was not started by bankrun") == 3, done.stdout)
    done = pytest(EXAMPLE, "-rs", around=("run", "--no-count", "--"))
    check("1 passed, 3 skipped" in done.stdout and "bankrun counts nothing (--no-count)" in done.stdout, done.stdout)


def the_tests():
    with tempfile.TemporaryDirectory() as folder:
        write(folder, "test_all.py", TESTS)
        more = {"TRANSPOSE": os.path.join(ROOT, "examples", "transpose.ptx"), "FAULTY": FAULTY}
        done = pytest(folder, **more)
        got = results(done.stdout)
        names = re.findall(r"def (test_\w+)", TESTS)
        for name in names:
            wanted = {"fails": "FAILED", "passes": "PASSED", "fail": "FAILED", "pass": "PASSED", "xfail": "XFAIL"}
            key = f"TestClass::{name}" if "method" in name else name
            check(got.get(key) == wanted[name.rsplit("_", 1)[1]], f"{key}: {got.get(key)}\n{done.stdout}")
        check(len(got) == len(names) and done.returncode == 1, done.stdout)
        for test, words in {
                "test_plain_mark_fails": "bankrun: excess=0: 1 launch, 992 wavefronts of shared memory in vain\n"
                                         "  columns: transpose.cu:9: ld.shared.u32, 32-way: 992 of 1,024",
                "test_two_launches_fail": "excess=1983: 2 launches, 1,984 wavefronts",
                "test_degree_fails": "bankrun: degree>=32: 1 launch",
                "test_without_launches_fails": "the test made 0 launches, and the mark asks for 1: nothing was guarded",
                "test_too_few_launches_fails": "the test made 2 launches, and the mark asks for 3",
                "test_own_failure_is_first_fails": "AssertionError: my own",
                "test_refused_fails": "padded: refused: ",
                "test_fault_fails": "fault: ",
        }.items():
            check(words in section_of(done.stdout, test), f"{test}: not '{words}' in\n{done.stdout}")

        # What is accepted is accepted here, too; checks judge by their findings; one test alone.
        write(folder, ".bankrun", "conflict load columns here to be compared with\n")
        done = pytest(folder, "-k", "plain_mark or degree_fails", **more)
        check(results(done.stdout) == {"test_plain_mark_fails": "PASSED", "test_degree_fails": "PASSED"}, done.stdout)
        done = pytest(folder, "-k", "plain_mark", around=("check", "--quiet", "--"), **more)
        check(results(done.stdout) == {"test_plain_mark_fails": "PASSED"}, done.stdout)

        # Under `bankrun check` the same mark asks for no findings; under `bankrun run` it asks for no conflicts.
        write(folder, "test_race.py", RACE)
        done = pytest(folder, "test_race.py", around=("check", "--quiet", "--"), RACY=RACY)
        check(results(done.stdout) == {"test_race": "FAILED"}, done.stdout)
        check("bankrun: check: 1 launch" in done.stdout and "  race: " in done.stdout, done.stdout)
        done = pytest(folder, "test_race.py", RACY=RACY)
        check(results(done.stdout) == {"test_race": "PASSED"}, done.stdout)


def wrong_marks():
    for mark, words in (("max_exces=0", "it got an unexpected keyword argument 'max_exces'"),
                        ("max_excess=-1", "max_excess is a number from 0 on, not -1"),
                        ("max_degree=True", "max_degree is a number from 0 on, not True"),
                        ("'regression'", "--baseline FILE --fail-on regression"),
                        ("7", "a gate is a word as of --fail-on, not 7")):
        with tempfile.TemporaryDirectory() as folder:
            write(folder, "test_it.py", f"import pytest\n@pytest.mark.bankrun({mark})\ndef test_it(): pass\n")
            done = pytest(folder, around=())
            check(done.returncode == 4 and words in done.stdout and "test_it.py::test_it" in done.stdout, done.stdout)
    with tempfile.TemporaryDirectory() as folder:
        write(folder, "test_it.py", "import pytest, tiles\n@pytest.mark.bankrun('exess')\n"
                                    "def test_it(): tiles.Gpu().transpose([0.0] * 1024)\n")
        done = pytest(folder)
        check(done.returncode == 1 and "exess" in section_of(done.stdout, "test_it"), done.stdout)


def without_bankrun():
    done = subprocess.run([PYTHON, "-c", "import bankrun\nassert not bankrun.is_counted()\nbankrun.Section()"],
                          env=ENVIRONMENT, check=False, capture_output=True, text=True)
    check("NotCountedError: this process was not started by bankrun" in done.stderr, done.stderr)
    # A driver that is not bankrun's: the variable stands there, the function does not.
    with tempfile.TemporaryDirectory() as folder:
        library = os.path.join(folder, "libcuda.so.1")
        subprocess.run(["cc", "-shared", "-x", "c", os.devnull, "-o", library], check=True)
        done = subprocess.run([PYTHON, "-c", "import bankrun; bankrun.Section()"], check=False, capture_output=True,
                              text=True, env={**ENVIRONMENT, "BANKRUN_MEMORY": "1", "LD_LIBRARY_PATH": folder})
        check("NotCountedError: the libcuda.so.1 of this process is not bankrun's" in done.stderr, done.stderr)


the_example()
the_tests()
wrong_marks()
without_bankrun()
sys.exit("\n".join(problems) or 0)
